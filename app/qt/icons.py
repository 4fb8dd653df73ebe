"""Vendored SVG icons in the theme's colours, sharp at every scale."""

from __future__ import annotations

from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.paths import resource
from app.qt.theme import Theme


@cache
def _svg(name: str) -> bytes:
    return resource("icons", f"{name}.svg").read_bytes()


def ratios() -> set[float]:
    """Picture pixels per logical pixel of the screens there are."""
    return {screen.devicePixelRatio() for screen in QGuiApplication.screens()} or {1.0}


def pixmap(name: str, color: QColor, size: int, ratio: float = 1.0) -> QPixmap:
    """One icon of resources/icons: size in logical pixels; FileNotFoundError for a name there is not."""
    svg = _svg(name).replace(b"currentColor", color.name().encode())
    made = QPixmap(round(size * ratio), round(size * ratio))
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        QSvgRenderer(QByteArray(svg)).render(painter, QRectF(made.rect()))
    made.setDevicePixelRatio(ratio)
    return made


def icon(name: str, theme: Theme, role: str = "fg", size: int = 18, on: str = "on_accent") -> QIcon:
    """The icon in one colour role, in `on` while its button is checked, in "faint" while disabled."""
    return _icon(name, theme, role, size, on, frozenset(ratios()))


@lru_cache(maxsize=256)  # every card has two, and drawing one takes half a millisecond
def _icon(name: str, theme: Theme, role: str, size: int, on: str, scales: frozenset[float]) -> QIcon:
    made = QIcon()
    modes = (
        (role, QIcon.Mode.Normal, QIcon.State.Off),
        (on, QIcon.Mode.Normal, QIcon.State.On),
        ("faint", QIcon.Mode.Disabled, QIcon.State.Off),
    )
    for ratio in scales:
        drawn = pixmap(name, theme.color(role), theme.px(size), ratio)
        for token, mode, state in modes:
            made.addPixmap(drawn if token == role else _tinted(drawn, theme.color(token)), mode, state)
    return made


def _tinted(drawn: QPixmap, color: QColor) -> QPixmap:
    """The same shape in another colour; drawing it again would take ten times as long."""
    made = QPixmap(drawn)
    with QPainter(made) as painter:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(made.rect(), color)
    return made


def program_icon() -> QIcon:
    """The program's own icon, for the window and the task bar."""
    return QIcon(str(resource("icons", "depthscope.svg")))

"""Texts laid out once: finding the glyphs of a label costs ten times what drawing them does.

All that is drawn in one look shares its `Letters`; labels that come back frame after frame, or in another
drawing (axes, steps, words), are then only drawn.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QStaticText

from app.qt.theme import Theme

MOST = 6000  # texts kept; a run of many steps would otherwise keep every number it ever showed

Style = tuple[str, bool, str]  # size, bold, family


class Letters:
    """Fonts, colours and laid-out texts of one theme."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.raster = True  # painted on screen; in an export text stays text
        self._fonts: dict[Style, tuple[QFont, QFontMetricsF]] = {}
        self._colors: dict[tuple[str, float], QColor] = {}
        self._widths: dict[tuple[str, Style], float] = {}
        self._laid: dict[tuple[str, Style], tuple[QStaticText, float, float]] = {}
        self._shares: dict[Qt.AlignmentFlag, float] = {}  # of the room left free, that is at a text's left
        self._cut: dict[tuple[str, Style, float], str] = {}

    def color(self, role: str, alpha: float = 1.0) -> QColor:
        """Not to be changed: it is handed out again."""
        known = self._colors.get((role, alpha))
        if known is None:
            known = self._colors[role, alpha] = self.theme.color(role, alpha)
        return known

    def font(self, style: Style) -> tuple[QFont, QFontMetricsF]:
        known = self._fonts.get(style)
        if known is None:
            size, bold, family = style
            font = self.theme.font(size, family, bold)
            known = self._fonts[style] = font, QFontMetricsF(font)
        return known

    def width(self, text: str, style: Style) -> float:
        """How wide a text is, in logical pixels."""
        known = self._widths.get((text, style))
        if known is None:
            _forget(self._widths)
            known = self._widths[text, style] = self.font(style)[1].horizontalAdvance(text)
        return known

    def fitting(self, text: str, style: Style, room: float) -> str:
        """The text, shortened at its end where it is wider than the room."""
        if self.width(text, style) <= room:
            return text
        known = self._cut.get((text, style, room))
        if known is None:
            _forget(self._cut)
            known = self.font(style)[1].elidedText(text, Qt.TextElideMode.ElideRight, room)
            self._cut[text, style, room] = known
        return known

    def draw(self, painter: QPainter, rect: QRectF, text: str, style: Style, align: Qt.AlignmentFlag) -> None:
        """One line, vertically centred in the rectangle, in the painter's pen."""
        painter.setFont(self.font(style)[0])
        if not self.raster:
            flags = align | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
            painter.drawText(rect, flags, text)
            return
        laid, wide, high = self._layout(text, style)
        share = self._shares.get(align)
        if share is None:  # a flag is slow to ask
            right, centre = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter
            share = self._shares[align] = 1.0 if align & right else 0.5 if align & centre else 0.0
        x = rect.left() + (rect.width() - wide) * share
        painter.drawStaticText(QPointF(x, rect.top() + (rect.height() - high) / 2), laid)

    def _layout(self, text: str, style: Style) -> tuple[QStaticText, float, float]:
        known = self._laid.get((text, style))
        if known is None:
            _forget(self._laid)
            laid = QStaticText(text)
            laid.setTextFormat(Qt.TextFormat.PlainText)
            laid.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            laid.prepare(font=self.font(style)[0])
            known = self._laid[text, style] = laid, self.width(text, style), self.font(style)[1].height()
        return known


def _forget(kept: dict[Any, Any]) -> None:
    if len(kept) >= MOST:
        kept.clear()

"""One mark on screen, by itself."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.pane import Event


def shown(qtbot: QtBot, view: Any, mark: Any, size: tuple[int, int] = (700, 420)) -> list[Event]:
    """The widget on screen; the events it will tell."""
    qtbot.addWidget(view)
    told: list[Event] = []
    view.happened.connect(told.append)
    view.resize(*size)
    view.show_mark(mark)
    view.show()
    return told


def picture(view: Any) -> QImage:
    """What it painted, without alpha."""
    return view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)  # type: ignore[no-any-return]

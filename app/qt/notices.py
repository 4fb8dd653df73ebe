"""The notices below the top bar, each with a button that closes it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout

from app.messages import Text, msg
from app.qt import icons
from app.qt.marks.base import Look, discard


class Notices(QVBoxLayout):
    """closed: called with the text of a notice whose button was pressed."""

    def __init__(self, closed: Callable[[Text], None]) -> None:
        super().__init__()
        self.setSpacing(0)
        self._closed = closed
        self._shown: tuple[object, ...] = ()

    def show_texts(self, texts: tuple[Text, ...], look: Look) -> None:
        """What did not change costs next to nothing."""
        if (texts, look) == self._shown:
            return
        self._shown = texts, look
        while (item := self.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                discard(widget)
        for text in texts:
            self.addWidget(self._notice(text, look))

    def _notice(self, text: Text, look: Look) -> QFrame:
        frame = QFrame()
        frame.setObjectName("notice")
        row = QHBoxLayout(frame)
        px = look.theme.px
        row.setContentsMargins(px(18), px(4), px(12), px(4))
        label = QLabel(look.text(text))
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        close = QToolButton()
        close.setProperty("flat", True)
        close.setIcon(icons.icon("x", look.theme))
        close.setAccessibleName(look.text(msg("Close this notice")))
        close.clicked.connect(lambda: self._closed(text))
        row.addWidget(label, 1)
        row.addWidget(close)
        return frame

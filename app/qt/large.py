"""The window around a drawing shown large, whichever kind it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QWidget

from app.commands import is_plain
from app.messages import Text
from app.qt.dialogs import Dialog
from app.qt.keys import chord_of
from app.qt.marks.base import Look
from app.qt.twin import TwinTable
from app.render.tables import twin

SIZE = (960, 600)


class LargeDialog(Dialog):
    """A Curve or a Plot in a window of its own beside the program's; Esc closes it.

    mark: the Curve or Plot.  happened: an `Event`, as the small one would have told it.
    passed: takes a chord of the program (another theme, quitting); whether it was one.
    """

    happened = Signal(object)
    mark: Any

    def __init__(self, title: Text, mark: Any, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look.text(title), look.theme, parent)
        self.setModal(False)
        self.look, self.mark = look, mark
        self.passed: Callable[[QKeyEvent], bool] = lambda event: False
        room = self.screen().availableGeometry().size()  # less than the size wished, in large type
        self.resize(QSize(*map(look.theme.px, SIZE)).boundedTo(room))

    def show_mark(self, title: Text, mark: Any) -> None:
        """Other numbers of the same drawing; what was zoomed to stays."""
        raise NotImplementedError

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_plain(chord_of(event)) or not self.passed(event):
            super().keyPressEvent(event)

    def copy(self) -> None:
        """All numbers with titles, as the table on the back of the card has them."""
        table, found = TwinTable(), twin(self.mark)
        if found is not None:
            table.show_twin(found, self.look, "")
            QGuiApplication.clipboard().setText(table.copied())

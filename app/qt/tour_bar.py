"""The bar of a guided tour, below the panes: its title, the step's sentence, and the way on and back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from app.commands import Command, shown_key
from app.messages import Text, msg
from app.pane import Event
from app.qt import icons
from app.qt.theme import Theme
from app.touring import Place

NEXT, BACK, CLOSE = "tour.next", "tour.back", "tour.close"


class TourBar(QFrame):
    """wanted: an event the user asked for.  table: commands by id, for keys and names."""

    wanted = Signal(object)

    def __init__(self, table: dict[str, Command], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tourbar")
        self.table = table
        self._shown: object = None
        self.title, self.sentence, self.number = QLabel(), QLabel(), QLabel()
        self.title.setProperty("tone", "title")
        self.number.setProperty("tone", "dim")
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.back, self.on, self.close_button = QPushButton(), QPushButton(), QToolButton()
        self.close_button.setProperty("flat", True)
        self.on.setProperty("primary", "true")
        for button, name in ((self.back, BACK), (self.on, NEXT), (self.close_button, CLOSE)):
            button.clicked.connect(lambda _=False, name=name: self.wanted.emit(self.event_of(name)))
        for name in (NEXT, BACK):  # before what has the keyboard: a list or a slider would take them
            for keys in table[name].keys:
                shortcut = QShortcut(QKeySequence(keys), self)
                shortcut.activated.connect(lambda name=name: self.wanted.emit(self.event_of(name)))
        self.row = QHBoxLayout(self)
        for widget, share in ((self.title, 0), (self.sentence, 1), (self.number, 0), (self.back, 0),
                              (self.on, 0), (self.close_button, 0)):  # fmt: skip
            self.row.addWidget(widget, share)
        self.hide()

    def event_of(self, name: str) -> Event:
        """What a button asks for."""
        return self.table[name].event

    def show_place(self, place: Place | None, theme: Theme, say: Callable[[Text], str]) -> None:
        """Where the tour is; hidden where there is none."""
        self.setVisible(place is not None)
        if place is None or (place, theme, say(place.tour.title)) == self._shown:
            return
        self._shown = place, theme, say(place.tour.title)
        px = theme.px
        self.row.setContentsMargins(px(16), px(6), px(12), px(6))
        self.row.setSpacing(px(12))
        self.title.setText(say(place.tour.title))
        self.title.setFont(theme.font("body", bold=True))
        self.sentence.setFont(theme.font("reading"))
        self.sentence.setText(say(place.step.sentence))
        self.number.setText(say(msg("Stop {k} of {n}", k=place.number, n=len(place.tour.steps))))
        self.back.setText(say(msg("Back")))
        self.on.setText(say(msg("Next")))
        self.back.setEnabled(not place.first)
        self.on.setEnabled(not place.last)
        self.close_button.setIcon(icons.icon("x", theme, "dim"))
        for button, name in ((self.back, BACK), (self.on, NEXT), (self.close_button, CLOSE)):
            command = self.table[name]
            button.setAccessibleName(say(command.text))
            button.setToolTip(f"{say(command.text)} ({shown_key(command.keys[0])})")
        self.setAccessibleName(say(place.tour.title))
        self.setAccessibleDescription(self.sentence.text())

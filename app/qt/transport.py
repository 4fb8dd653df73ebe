"""The bar at the bottom: five buttons with their keys, the scrubber, LIVE, steps computed, time and speed."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.commands import Command, shown_key
from app.messages import Message, Text, msg, nmsg
from app.pane import Event
from app.qt import icons
from app.qt.scrubber import Scrubber
from app.qt.theme import Theme
from app.timeline import SPEEDS, Timeline

HEIGHT = 80
FACTS_WIDTH = 262  # so that the scrubber does not jump while numbers grow
MOST_FACTS = 1.5  # times as wide at most: at 200 % the buttons and the scrubber need the room
BUTTONS = (
    "steps.first", "steps.group_back", "steps.back", "steps.toggle", "steps.forward", "steps.group_forward",
    "steps.stop_forward", "steps.last",
)  # fmt: skip
OF_LINES = ("steps.group_back", "steps.group_forward", "steps.stop_forward")
"""Buttons that mean something only where a step is made of lines."""


class Transport(QFrame):
    """wanted: an event the user asked for.  `show` draws a timeline; nothing here decides anything."""

    wanted = Signal(object)

    def __init__(self, commands: dict[str, Command], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transport")
        self.theme = Theme()
        self.say: Callable[[Text], str] = _english
        self.line: Timeline | None = None
        self._playing: bool | None = None
        self.commands = commands
        self.buttons: dict[str, QToolButton] = {}
        self.keys: list[QLabel] = []
        self.scrubber = Scrubber()
        self.scrubber.wanted.connect(lambda step: self.wanted.emit(Event("transport.seek", step)))
        self._layout = QHBoxLayout(self)
        self._layout.addLayout(self._make_buttons())
        self._layout.addWidget(self.scrubber, 1)
        self._layout.addWidget(self._make_facts())

    def _make_buttons(self) -> QGridLayout:
        self._grid = QGridLayout()
        for column, id in enumerate(BUTTONS):
            button = QToolButton()
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to the transport
            button.clicked.connect(lambda _=False, id=id: self.wanted.emit(self.commands[id].event))
            key = QLabel(shown_key(self.commands[id].keys[0]))
            key.setProperty("tone", "small")
            button.setProperty("primary", id == "steps.toggle")
            self.buttons[id] = button
            self.keys.append(key)
            self._grid.addWidget(button, 0, column)
            self._grid.addWidget(key, 1, column, Qt.AlignmentFlag.AlignHCenter)
        return self._grid

    def _make_facts(self) -> QWidget:
        """At the right: LIVE and the steps computed, below them the times; then the speed."""
        self.live, self.computed, self.pace = QLabel(), QLabel(), QLabel()
        self.live.setObjectName("live")
        self.live.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.pace.setProperty("tone", "small")
        self.speed = QToolButton()
        self.speed.setProperty("flat", True)
        self.speed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.speed.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.speed.setMenu(self._make_speeds())
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addStretch(1)
        top.addWidget(self.live)
        top.addWidget(self.computed)
        bottom.addStretch(1)
        bottom.addWidget(self.pace)
        bottom.addWidget(self.speed)
        self._facts_box = QWidget()
        self._facts = QVBoxLayout(self._facts_box)
        self._facts.setContentsMargins(0, 0, 0, 0)
        self._facts.addStretch(1)
        self._facts.addLayout(top)
        self._facts.addLayout(bottom)
        self._facts.addStretch(1)
        return self._facts_box

    def _make_speeds(self) -> QMenu:
        menu, group = QMenu(self), QActionGroup(self)
        self._speeds = {}
        for value in SPEEDS:
            action = menu.addAction(_times(value))
            action.setCheckable(True)
            action.triggered.connect(
                lambda _=False, value=value: self.wanted.emit(Event("transport.speed", value))
            )
            group.addAction(action)
            self._speeds[value] = action
        return menu

    # ---- look -------------------------------------------------------------------------------------------

    def restyle(self, theme: Theme, say: Callable[[Text], str]) -> None:
        """Another theme, text size or language."""
        self.theme, self.say = theme, say
        self.setFixedHeight(theme.px(HEIGHT))
        self._layout.setContentsMargins(theme.px(18), theme.px(6), theme.px(18), theme.px(6))
        self._layout.setSpacing(theme.space("m"))
        self._grid.setHorizontalSpacing(theme.px(6) if theme.scale <= MOST_FACTS else theme.px(2))
        self._grid.setVerticalSpacing(theme.px(2))
        for id, button in self.buttons.items():
            command = self.commands[id]
            button.setFixedSize(theme.px(40), theme.px(36))
            button.setIconSize(QSize(theme.px(18), theme.px(18)))
            button.setIcon(icons.icon(command.icon, theme))
            button.setAccessibleName(say(command.text))
            button.setToolTip(f"{say(command.text)} ({', '.join(map(shown_key, command.keys))})")
        self.scrubber.restyle(theme)
        self.scrubber.setAccessibleName(say(msg("Step looked at")))
        self.speed.setToolTip(say(msg("Speed of playing")))
        self.speed.setAccessibleName(say(msg("Speed of playing")))
        self.live.setText(say(msg("LIVE")))
        self._facts.setSpacing(theme.px(2))
        self._facts_box.setFixedWidth(round(FACTS_WIDTH * min(theme.scale, MOST_FACTS)))
        self._playing = None
        self.show_line(self.line, (), 0)

    def show_line(self, line: Timeline | None, seconds: tuple[float, ...], undrawn: int) -> None:
        """Draw a timeline.  seconds: times of the newest steps.  undrawn: steps no frame showed."""
        self.line = line
        shown = line or Timeline()
        for id in OF_LINES:
            for column in (self.buttons[id], self.keys[BUTTONS.index(id)]):
                column.setVisible(shown.group > 1)
        self.scrubber.show_line(shown)
        self._show_play(shown.playing != 0)
        some = shown.computed > 0
        self.buttons["steps.first"].setEnabled(some and shown.current > 1)
        self.buttons["steps.back"].setEnabled(some and shown.current > 1)
        more = shown.current < shown.planned
        self.buttons["steps.forward"].setEnabled(more)
        self.buttons["steps.group_back"].setEnabled(some and shown.current > 1)
        self.buttons["steps.group_forward"].setEnabled(more)
        self.buttons["steps.stop_forward"].setEnabled(more)
        end = shown.planned if shown.group > 1 else shown.computed  # a model that waits goes on
        self.buttons["steps.last"].setEnabled(some and shown.current < end)
        live = shown.live and shown.computed < shown.planned and shown.playing > 0
        self.live.setVisible(live)
        self.computed.setText(self.say(_computed(shown)))
        pace = _pace(1000 * median(seconds), undrawn if live else 0) if seconds and some else ""
        self.pace.setText(self.say(_lines(shown) if shown.group > 1 else pace))
        self.speed.setText(_times(shown.speed))
        self._speeds[shown.speed].setChecked(True)

    def _show_play(self, playing: bool) -> None:
        if playing == self._playing:
            return
        self._playing = playing
        button = self.buttons["steps.toggle"]
        button.setIcon(icons.icon("pause" if playing else "play", self.theme, "on_accent"))


def _computed(line: Timeline) -> Message:
    if not line.planned:
        return msg("No steps yet")
    if line.group > 1:
        return msg("line {n} of {m}", n=line.current, m=line.planned)
    if line.computed < line.planned:
        return msg("{n} of up to {m} steps computed", n=line.computed, m=line.planned)
    return nmsg("{n} step computed", "{n} steps computed", line.computed)


def _pace(milliseconds: float, undrawn: int) -> Message:
    """Time per step; while a run goes on, the steps that came too fast to be drawn are said too."""
    ms = f"{milliseconds:.1f}" if milliseconds < 100 else f"{milliseconds:.0f}"
    if not undrawn:
        return msg("{ms} ms per step", ms=ms)
    frames = nmsg("{n} frame dropped", "{n} frames dropped", undrawn)
    return msg("{ms} ms per step · {frames}", ms=ms, frames=frames)


def _lines(line: Timeline) -> Message:
    return msg("{n} lines per second", n=f"{1000 / line.ms * line.speed:g}")


def _times(speed: float) -> str:
    return {0.25: "¼×", 0.5: "½×"}.get(speed, f"{speed:g}×")


def _english(text: Text) -> str:
    return text if isinstance(text, str) else text.id

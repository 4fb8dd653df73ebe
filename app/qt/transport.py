"""The bar at the bottom: five buttons with their keys, the scrubber, LIVE, steps computed, time and speed."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QResizeEvent
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
from app.qt.marks.text import Short
from app.qt.scrubber import LEAST, Scrubber
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
WHOLE = {"steps.back": "steps.group_back", "steps.forward": "steps.group_forward"}
"""Where a step is the smallest unit, the keys of a whole step mean the same, and are easier to read."""
BUTTON, DENSE_BUTTON = 40, 34  # px
DENSE_FACTS, LINE_FACTS = 134, 100  # px where there is little room, beside five buttons and eight


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
        self._dense = False
        self._fitted: tuple[bool, bool] | None = None  # dense, and whether steps are made of lines
        self._caps: bool | None = None  # whether the keys are those of lines
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
            key = QLabel()
            key.setProperty("tone", "cap")
            button.setProperty("primary", id == "steps.toggle")
            self.buttons[id] = button
            self.keys.append(key)
            self._grid.addWidget(button, 0, column, Qt.AlignmentFlag.AlignCenter)
            self._grid.addWidget(key, 1, column, Qt.AlignmentFlag.AlignCenter)
        return self._grid

    def _make_facts(self) -> QWidget:
        """At the right: LIVE and the steps computed, below them the times; then the speed."""
        self.live, self.computed, self.pace = QLabel(), QLabel(), Short(mode=Qt.TextElideMode.ElideRight)
        self.pace.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
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
        bottom.addWidget(self.pace, 1)
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
        self._grid.setVerticalSpacing(theme.px(2))
        for id, button in self.buttons.items():
            command = self.commands[id]
            button.setIconSize(QSize(theme.px(18), theme.px(18)))
            button.setIcon(icons.icon(command.icon, theme))
            button.setAccessibleName(say(command.text))
        self.scrubber.restyle(theme)
        self.scrubber.setAccessibleName(say(msg("Step looked at")))
        self.speed.setToolTip(say(msg("Speed of playing")))
        self.speed.setAccessibleName(say(msg("Speed of playing")))
        self.live.setText(say(msg("LIVE")))
        self._facts.setSpacing(theme.px(2))
        self._playing = self._caps = self._fitted = None
        self.show_line(self.line, (), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """All in less room where the window is too narrow for this size of text."""
        theme, lines = self.theme, (self.line or Timeline()).group > 1
        count = len(BUTTONS) - (0 if lines else len(OF_LINES))
        gap, space, edge = theme.px(6), theme.space("m"), theme.px(18)
        facts = round(FACTS_WIDTH * min(theme.scale, MOST_FACTS))
        needed = count * theme.px(BUTTON) + (count - 1) * gap + 2 * (space + edge) + theme.px(LEAST) + facts
        dense = self.width() < needed
        if (dense, lines) == self._fitted:
            return
        self._dense, self._fitted = dense, (dense, lines)
        edge = theme.px(10) if dense else edge
        self._layout.setContentsMargins(edge, theme.px(6), edge, theme.px(6))
        self._layout.setSpacing(gap if dense else space)
        self._grid.setHorizontalSpacing(theme.px(2) if dense else gap)
        for button in self.buttons.values():
            button.setFixedSize(theme.px(DENSE_BUTTON if dense else BUTTON), theme.px(36))
        self.scrubber.dense = dense
        self.scrubber.updateGeometry()
        self._facts_box.setFixedWidth(theme.px(LINE_FACTS if lines else DENSE_FACTS) if dense else facts)
        self._say_computed()

    def _say_computed(self) -> None:
        line = self.line or Timeline()
        whole = self.say(_computed(line))
        short = self._dense and line.planned
        end = line.computed if line.group == 1 else line.current
        self.computed.setText(f"{end} / {line.planned}" if short else whole)
        self.computed.setToolTip(whole if short else "")
        self.computed.setAccessibleName(whole)

    def _show_keys(self, lines: bool) -> None:
        """The keys under the buttons, all of them in the tips."""
        if lines == self._caps:
            return
        self._caps = lines
        for id, label in zip(BUTTONS, self.keys, strict=True):
            command, more = self.commands[id], () if lines else self.commands[WHOLE.get(id, id)].keys
            keys = tuple(dict.fromkeys((*more, *command.keys)))
            label.setText(shown_key(keys[0]))
            self.buttons[id].setToolTip(f"{self.say(command.text)} ({', '.join(map(shown_key, keys))})")

    def show_line(self, line: Timeline | None, seconds: tuple[float, ...], undrawn: int) -> None:
        """Draw a timeline.  seconds: times of the newest steps.  undrawn: steps no frame showed."""
        self.line = line
        shown = line or Timeline()
        for id in OF_LINES:
            for column in (self.buttons[id], self.keys[BUTTONS.index(id)]):
                column.setVisible(shown.group > 1)
        self._show_keys(shown.group > 1)
        self._fit()
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
        self._say_computed()
        pace = _pace(1000 * median(seconds), undrawn if live else 0) if seconds and some else ""
        self.pace.set_whole(self.say(_lines(shown) if shown.group > 1 else pace))
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

"""Holds the program's state: takes events, lets the reducer answer, has the effects carried out.

However many events arrive, the window is asked to redraw at most once a frame, and only the visible pane
computes a scene.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from app.classroom import SLOWER, without_sides
from app.pane import Effect, Event
from app.reduce import reduce
from app.scene import Scene
from app.state import AppState, Panes, line_of, selection_of
from app.timeline import Timeline

FRAME_MS = 16


class Store(QObject):
    """One object, made at start and passed down.

    perform: carries out an effect by its prefix ("engine", "file", "settings", ...); an effect named "open.*"
    is an event that comes back.  redraw: emitted at most once a frame after something changed.
    """

    redraw = Signal()

    def __init__(self, state: AppState, panes: Panes, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = state
        self.panes = panes
        self.perform: dict[str, Callable[[Effect], None]] = {}
        self.arrived = 0  # records since the last redraw
        self.undrawn = 0  # records of this run that no frame showed as the newest
        self._events: deque[Event] = deque()
        self._busy = False
        self._scene: tuple[Any, Scene] | None = None
        self._since = QElapsedTimer()
        self._frame = QTimer(self, singleShot=True)
        self._frame.timeout.connect(self._redraw)
        self._clock = QTimer(self)
        self._clock.timeout.connect(lambda: self.dispatch("transport.tick"))

    @property
    def line(self) -> Timeline | None:
        """The visible pane's timeline."""
        return line_of(self.state, self.panes)

    def scene(self) -> Scene:
        """The visible pane's scene, computed once for a state."""
        chosen = selection_of(self.state, self.panes)
        key = (self.state.current, self.state.pane_state, chosen)
        if self._scene is None or not _same(self._scene[0], key):
            self._scene = key, self.panes[self.state.current].scene(self.state.pane_state, chosen)
        found = self._scene[1]
        return without_sides(found) if self.state.settings.classroom else found

    def send(self, event: Event) -> None:
        self.dispatch(event.name, event.value)

    def dispatch(self, name: str, value: Any = None) -> None:
        """Take an event; those that effects cause are taken afterwards, in order."""
        self._events.append(Event(name, value))
        if self._busy:
            return
        self._busy = True
        before = self.state
        try:
            while self._events:
                self._take(self._events.popleft())
        finally:
            self._busy = False
            self._events.clear()
        if self.state is not before:
            self._schedule()

    def flush(self) -> None:
        """Redraw now what waits for the next frame (pictures, tests)."""
        if self._frame.isActive():
            self._redraw()

    def _take(self, event: Event) -> None:
        if event.name == "engine.record":
            self.arrived += 1
        elif event.name in ("engine.info", "open.run"):
            self.arrived = self.undrawn = 0
        self.state, effects = reduce(self.state, event, self.panes)
        for effect in effects:
            prefix = effect.name.split(".")[0]
            if prefix == "open":
                self._events.append(Event(effect.name, effect.value))
            elif prefix in self.perform:
                self.perform[prefix](effect)

    def _schedule(self) -> None:
        line = self.line
        playing = line is not None and line.playing != 0
        if not playing:
            self._clock.stop()
        elif line is not None:
            slower = SLOWER if self.state.settings.classroom else 1
            pace = max(FRAME_MS, round(slower * line.ms / line.speed))
            if not self._clock.isActive() or self._clock.interval() != pace:
                self._clock.start(pace)
        if not self._frame.isActive():
            waited = self._since.elapsed() if self._since.isValid() else FRAME_MS
            self._frame.start(max(0, FRAME_MS - waited))

    def _redraw(self) -> None:
        self._frame.stop()
        self._since.start()
        self.undrawn += max(0, self.arrived - 1)
        self.arrived = 0
        self.redraw.emit()


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Pane states are compared by identity: they hold arrays, and updates make new ones."""
    return one[0] == other[0] and one[1] is other[1] and one[2] == other[2]

"""The real program under a stopwatch: when it first painted, and how its event loop fared through a run.

Used by `depthscope bench` in a child process.  Nothing of the program is changed: the event loop's start is
where the watch is put on, an event filter sees the paints, a fast timer notices when it is served late.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

from app.qt import application

if TYPE_CHECKING:  # the program imports these after its first paint, and so do we
    from app.qt.session import Session

TICK_MS = 5
LONGEST_S = 100  # a run that takes longer is given up
QUIET_MS = 300  # watched on after the run has ended


def report(found: dict[str, Any]) -> None:
    """Tell the parent and end at once: what comes after is not measured."""
    os.write(1, (json.dumps(found) + "\n").encode())
    os._exit(0)


def at_start_of_the_loop(begin: Callable[[], None]) -> None:
    """Have `begin` called when the program enters its event loop."""
    original = QApplication.exec

    def watched(*_: Any) -> int:
        begin()
        return int(original())

    QApplication.exec = watched  # type: ignore[method-assign]


class FirstPaint(QObject):
    """Reports after the main window has been painted for the first time."""

    painted = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.painted = self.painted or isinstance(watched, QMainWindow)
        elif self.painted:  # the first event that belongs to no paint any more
            report({"painted": True})
        return False


class Watch(QObject):
    """Gaps of a fast timer, and how long each frame took: scene and diff (`refresh`) and paint together."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps: list[float] = []
        self.frames: list[float] = []
        self.drawing = 0.0  # of scenes computed since the last paint
        self.last = time.perf_counter()
        self.ticks = QTimer(self, interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self.ticks.timeout.connect(self.tick)
        self.ticks.start()

    def tick(self) -> None:
        now = time.perf_counter()
        self.gaps.append(now - self.last)
        self.last = now

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.UpdateRequest or not isinstance(watched, QMainWindow):
            return False
        started = time.perf_counter()
        watched.event(event)
        self.frames.append(self.drawing + time.perf_counter() - started)
        self.drawing = 0.0
        return True

    def timed(self, refresh: Callable[[Any], None]) -> Callable[[Any], None]:
        """The window's own `refresh`, its time added to the frame it leads to."""

        def timing(window: Any) -> None:
            started = time.perf_counter()
            refresh(window)
            self.drawing += time.perf_counter() - started

        return timing


def first_paint() -> None:
    """From here on the program reports as soon as its window has been painted."""
    kept: list[QObject] = []

    def begin() -> None:
        kept.append(FirstPaint())
        app = QCoreApplication.instance()
        assert app is not None
        app.installEventFilter(kept[0])

    at_start_of_the_loop(begin)


def streamed(view: str) -> None:
    """From here on the program shows `view` once it stands, and reports when that run is over."""
    kept: list[Watch] = []
    begin_session = application.Start._begin

    def begun(start: application.Start) -> None:
        begin_session(start)
        if start.session is not None:
            from app.qt.window import Shell

            setattr(Shell, "refresh", kept[0].timed(Shell.refresh))  # noqa: B010
            follow(start.session, kept[0], view)

    setattr(application.Start, "_begin", begun)  # noqa: B010  (a stand-in for the length of this process)

    def begin() -> None:
        watch = Watch()
        kept.append(watch)
        app = QCoreApplication.instance()
        assert app is not None
        app.installEventFilter(watch)
        QTimer.singleShot(LONGEST_S * 1000, lambda: report({"error": "the run did not end"}))

    at_start_of_the_loop(begin)


def follow(session: Session, watch: Watch, view: str) -> None:
    """Once the checkpoint is open, ask for the view; when its run is over, wait a little and report."""
    from app.pane import Event

    ending = QTimer(session.pump, interval=QUIET_MS, singleShot=True)
    asked: list[str] = []

    def idle() -> None:
        if not asked:
            asked.append(view)
            session.store.send(Event("open.view", view))
        ending.start()

    def ended() -> None:
        steps = session.store.line.computed if session.store.line else 0
        if steps and not session.pump.busy:
            notices = [str(one) for one in session.store.state.notices]
            report({"gaps": watch.gaps, "frames": watch.frames, "steps": steps, "notices": notices})

    ending.timeout.connect(ended)
    session.pump.idle.connect(idle)

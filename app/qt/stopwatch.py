"""The real program under a stopwatch: when it first painted, and how its event loop fared through a run.

Used by `depthscope bench` in a child process.  Nothing of the program is changed: the event loop's start is
where the watch is put on, an event filter sees the paints, a fast timer notices when it is served late.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QImage, QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.qt import application
from app.qt.painting import painting

if TYPE_CHECKING:  # the program imports these after its first paint, and so do we
    from app.qt.session import Session

TICK_MS = 5
LONGEST_S = 100  # a run that takes longer is given up
QUIET_MS = 300  # watched on after the run has ended
FRAME_MS = 16
FLOOR_MS = 2000  # the reference is painted for so long
FLOOR_TEXTS, FLOOR_MAPS = 150, 9  # about as many as the inspector shows at its usual size


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
    """Gaps of a fast timer, and how long each frame took: scene and diff (`draw`) and paint together.

    gaps, frames: seconds by the clock; worked, painted: the same in processor time of the GUI thread, which
    other programs on the machine hardly change.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gaps: list[float] = []
        self.worked: list[float] = []
        self.frames: list[float] = []
        self.painted: list[float] = []
        self.drawing = (0.0, 0.0)  # of scenes computed since the last paint
        self.last = now()
        self.ticks = QTimer(self, interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self.ticks.timeout.connect(self.tick)
        self.ticks.start()

    def tick(self) -> None:
        wall, cpu = now()
        self.gaps.append(wall - self.last[0])
        self.worked.append(cpu - self.last[1])
        self.last = wall, cpu

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Of the main windows only: seeing every event of every widget would be a load of its own."""
        if event.type() != QEvent.Type.UpdateRequest:
            return False
        with self.drawn():
            watched.event(event)
        self.frames.append(self.drawing[0])
        self.painted.append(self.drawing[1])
        self.drawing = 0.0, 0.0
        return True

    @contextmanager
    def drawn(self) -> Iterator[None]:
        """What is done inside belongs to the next frame."""
        wall, cpu = now()
        try:
            yield
        finally:
            after = now()
            self.drawing = self.drawing[0] + after[0] - wall, self.drawing[1] + after[1] - cpu

    def timed(self, work: Callable[[Any], None]) -> Callable[[Any], None]:
        """A method of the window, its time added to the frame it leads to."""

        def timing(one: Any) -> None:
            with self.drawn():
                work(one)

        return timing

    def found(self) -> dict[str, Any]:
        """Seconds, JSON-ready."""
        return {
            "gaps": self.gaps, "worked": self.worked, "frames": self.frames, "painted": self.painted
        }  # fmt: skip


def now() -> tuple[float, float]:
    """Seconds by the clock, and of this thread on a processor."""
    return time.perf_counter(), time.thread_time()


def watch_windows(watch: Watch) -> None:
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QMainWindow):
            widget.installEventFilter(watch)


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
            from app.qt.scene_view import SceneView
            from app.qt.window import Shell

            setattr(Shell, "draw", kept[0].timed(Shell.draw))  # noqa: B010
            setattr(SceneView, "show_rest", kept[0].timed(SceneView.show_rest))  # noqa: B010
            follow(start.session, kept[0], view)

    setattr(application.Start, "_begin", begun)  # noqa: B010  (a stand-in for the length of this process)

    def begin() -> None:
        watch = Watch()
        kept.append(watch)
        watch_windows(watch)
        QTimer.singleShot(LONGEST_S * 1000, lambda: report({"error": "the run did not end"}))

    at_start_of_the_loop(begin)


def floor_window() -> QMainWindow:
    pixels = QImage(bytes(range(256)) * 256, 256, 256, 256, QImage.Format.Format_Grayscale8)

    class Plain(QWidget):
        def paintEvent(self, _: QPaintEvent) -> None:
            with painting(self) as painter:
                for k in range(FLOOR_MAPS):
                    place = QRectF(8 + 95 * k, 20, 90, 90) if k else QRectF(300, 200, 420, 420)
                    painter.drawImage(place, pixels)
                for k in range(FLOOR_TEXTS):
                    painter.drawText(8 + 200 * (k % 6), 140 + 24 * (k // 6), f"text {k} of the plain window")
            QTimer.singleShot(FRAME_MS, self.update)

    window = QMainWindow()
    window.setCentralWidget(Plain())
    window.resize(1440, 900)
    return window


def floor() -> int:
    """The reference of a frame: one plain widget with as many texts and maps as the inspector shows."""
    app, watch = application.make_application(), Watch()
    window = floor_window()
    window.installEventFilter(watch)
    window.show()
    QTimer.singleShot(FLOOR_MS, lambda: report({**watch.found(), "steps": 1, "notices": []}))
    return app.exec()


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
            report({**watch.found(), "steps": steps, "notices": notices})

    ending.timeout.connect(ended)
    session.pump.idle.connect(idle)

"""The panes' benchmarks: every telling state's first scene, and every control changed at the largest size.

Measured from the pane's function to the painted widgets, everything in one turn (the window itself spreads a
scene's cards over several).  A pane that shows the nearest first is measured part by part.  Effects are not
carried out: what a model computes is never waited for.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from app.verbs.controls import events, fields
from ut_engine.measure import Measurement, median

if TYPE_CHECKING:
    from app.pane import Event, Pane
    from app.scene import Scene

FIRST_MS, CHANGE_MS = 100.0, 33.0  # targets
SIZE = (1416, 740)  # of the pane in a window of 1440 x 900
VERTICES, TEXTS = 400, 24  # of each drawing of the plain peer


Times = tuple[float, float]  # milliseconds by the clock, and of this thread's processor time
CLOCKS = ("", " (processor)")


@dataclass(frozen=True, slots=True)
class Slowest:
    """The slowest of several things by each clock: its name and milliseconds (medians); of how many."""

    names: tuple[str, str] = ("", "")
    ms: Times = (0.0, 0.0)
    count: int = 0

    def beside(self, name: str, taken: Sequence[Times]) -> Slowest:
        found = [median([times[k] for times in taken]) for k in range(2)]
        names = [name if found[k] > self.ms[k] else self.names[k] for k in range(2)]
        ms = max(found[0], self.ms[0]), max(found[1], self.ms[1])
        return Slowest((names[0], names[1]), ms, self.count + 1)


def measure(runs: int = 3, most: int | None = None) -> Iterator[Measurement]:
    """most: views and controls of each pane that are tried, None for all.

    The first line of a pane includes importing what it is made of.
    """
    kept = application()  # until the last window is closed
    from app.pane import all_panes

    fullest = (0, 0)
    for name, pane in all_panes().items():
        largest = _views(pane, "LARGEST")[:most]
        views = (*_views(pane, "SHOWN"), *largest)[:most]
        cold = opened(pane, views[0])
        gc.freeze()  # as the program does: modules are never garbage
        fullest = max(fullest, cold.counts)
        yield from _lines(
            f"{name}: opened for the first time", Slowest().beside("", cold.taken[:1]), 1, FIRST_MS
        )
        yield from _following(f"{name}: what follows for the first time", [[cold]], [views[0]], FIRST_MS)
        found = [[opened(pane, view) for _ in range(runs)] for view in views]
        first = Slowest()
        for view, same in zip(views, found, strict=True):
            first = first.beside(_told(view), [one.taken[0] for one in same])
        yield from _lines(f"{name}: first scene, {first.count} views", first, runs, FIRST_MS)
        yield from _following(f"{name}: what follows", found, views, CHANGE_MS)
        change = changed(pane, largest, runs, most)
        if change.count:
            yield from _lines(
                f"{name}: a change at the largest, {change.count} ways", change, runs, CHANGE_MS
            )
    yield from peer(runs, *fullest)
    kept.processEvents()


def _following(
    case: str, found: Sequence[Sequence[Opening]], views: Sequence[Mapping[str, str]], target: float
) -> Iterator[Measurement]:
    """The slowest of the parts that a pane shows one by one after its first scene."""
    slowest = Slowest()
    for view, same in zip(views, found, strict=True):
        for k, taken in enumerate(zip(*(one.taken[1:] for one in same), strict=True)):
            slowest = slowest.beside(f"part {k + 2} of {_told(view)}", taken)
    if slowest.count:
        yield from _lines(f"{case}, {slowest.count} parts", slowest, len(found[0]), target)


def _views(pane: Pane, name: str) -> tuple[Mapping[str, str], ...]:
    """SHOWN or LARGEST of a pane; as it starts where it names none."""
    return tuple(getattr(pane, name, ())) or ({},)


def _lines(case: str, slowest: Slowest, runs: int, target: float) -> Iterator[Measurement]:
    """By the clock, which all else on the machine reaches, and by processor time, which it does not."""
    for clock, name, ms in zip(CLOCKS, slowest.names, slowest.ms, strict=True):
        told = f"{case}, slowest: {name}{clock}" if name else f"{case}{clock}"
        yield Measurement("panes", told, ms, target, "its target", "ms", runs, 1.0)


def _timed(work: Callable[[], object]) -> Times:
    """Of some work and the painting that follows."""
    began, spent = time.perf_counter(), time.thread_time()
    work()
    application().processEvents()
    return 1000 * (time.perf_counter() - began), 1000 * (time.thread_time() - spent)


def _told(view: Mapping[str, str]) -> str:
    """A view in a few words."""
    said = "&".join(f"{key}={value}" for key, value in view.items()) or "as it starts"
    return said if len(said) <= 48 else f"{said[:47]}…"


def application() -> Any:
    """Dressed as the program is."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from app.qt import theme
    from app.qt.application import make_application

    app = QApplication.instance()
    if app is None:
        app = make_application()
        theme.apply(app, theme.Theme("light"))
    return app


# ---- first scenes -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opening:
    """taken: by the first scene, and by each part that came by itself after it.

    counts: fields and drawings of the first scene.
    """

    taken: tuple[Times, ...]
    counts: tuple[int, int]


def opened(pane: Pane, view: Mapping[str, str]) -> Opening:
    """From a view to painted widgets."""
    stage = Stage()
    states: list[Any] = []

    def show(state: Any) -> None:
        states.append(state)
        stage.show(scene_of(pane, state))

    taken = [_timed(lambda: show(pane.from_view(pane.initial(), view)[0]))]
    counts = counted(stage.scene)
    while stage.scene.more:
        taken.append(_timed(lambda: show(told(pane, states[-1], stage.scene.more))))
    stage.close()
    return Opening(tuple(taken), counts)


def scene_of(pane: Pane, state: Any) -> Scene:
    from app.pane import Selection

    return pane.scene(state, Selection())


def told(pane: Pane, state: Any, name: str) -> Any:
    """The state after an event."""
    from app.pane import Event

    return pane.update(state, Event(name))[0]


class Stage:
    """A window that is on screen already, and an empty scene view in it."""

    def __init__(self) -> None:
        from PySide6.QtWidgets import QWidget

        from app.messages import Translator
        from app.qt.scene_view import SceneView
        from app.qt.theme import Theme

        self.window = QWidget()
        self.window.resize(*SIZE)
        self.window.show()
        self.view = SceneView(Theme("light"), Translator("en"), self.window)
        self.view.resize(*SIZE)

    @property
    def scene(self) -> Scene:
        assert self.view.scene is not None
        return self.view.scene

    def show(self, scene: Scene) -> None:
        """Shown and painted."""
        self.view.show_scene(scene)
        self.view.show()

    def close(self) -> None:
        gone(self.window)


def gone(window: Any) -> None:
    window.close()
    window.deleteLater()
    cleared()


def cleared() -> None:
    """What was thrown away is cleared up now, not while the clock runs."""
    from PySide6.QtCore import QCoreApplication, QEvent

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # else only an event loop does that
    gc.collect()


def counted(scene: Scene) -> tuple[int, int]:
    from app.qt.nodes import DRAWN
    from app.scene import marks

    drawings = sum(isinstance(mark, DRAWN) for mark in marks(scene))
    return len(fields(scene)), drawings


# ---- controls ---------------------------------------------------------------------------------------------


def changed(pane: Pane, largest: Sequence[Mapping[str, str]], runs: int, most: int | None = None) -> Slowest:
    """Every control of the largest states changed, each from the same state; the slowest of them."""
    from app.pane import settled

    slowest = Slowest()
    for named in largest:
        start = settled(pane, pane.from_view(pane.initial(), named)[0])
        before = scene_of(pane, start)
        stage = Stage()
        _timed(partial(stage.show, before))
        for name, event in events(pane, start, before)[:most]:
            taken = []
            for _ in range(runs + 1):  # the first one warms up, as a hand that drags does
                taken.append(_change(pane, start, event, stage))
                _timed(partial(stage.show, before))
            cleared()
            slowest = slowest.beside(name, taken[1:])
        stage.close()
    return slowest


def _change(pane: Pane, start: Any, event: Event, stage: Stage) -> Times:
    def once() -> None:
        state, _ = pane.update(start, event)
        stage.show(scene_of(pane, state))

    return _timed(once)


# ---- a plain peer -----------------------------------------------------------------------------------------


def peer(runs: int, count: int, drawings: int) -> Iterator[Measurement]:
    """The least form with as many fields and drawings as the fullest pane, made and changed."""
    made: list[Any] = []
    first = [_timed(lambda: made.append(plain(count, drawings))) for _ in range(runs)]
    change = [_timed(partial(made[-1].turn, k)) for k in range(runs)]
    for one in made:
        gone(one)
    case = f"a plain form of {count} fields and {drawings} drawings"
    yield from _lines(f"{case}: made and painted", Slowest().beside("", first), runs, FIRST_MS)
    yield from _lines(f"{case}: changed and painted", Slowest().beside("", change), runs, CHANGE_MS)


def plain(count: int, drawings: int) -> Any:
    """A shown widget: number fields with labels, and drawings of lines and texts; turn(k) changes all."""
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QPainter, QPaintEvent
    from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QSpinBox, QWidget

    class Drawing(QWidget):
        turned = 0

        def paintEvent(self, event: QPaintEvent) -> None:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            wide, high = self.width() / VERTICES, self.height() / VERTICES
            line = [QPointF(k * wide, (k * 7 + self.turned) % VERTICES * high) for k in range(VERTICES)]
            painter.drawPolyline(line)
            for k in range(TEXTS):
                painter.drawText(QPointF(4, (k + 1) * self.height() / TEXTS), f"{k + self.turned:,}")
            painter.end()

    class Plain(QWidget):
        def __init__(self) -> None:
            super().__init__()
            row, form = QHBoxLayout(self), QFormLayout()
            row.addLayout(form)
            self.fields = [QSpinBox() for _ in range(count)]
            for k, field in enumerate(self.fields):
                form.addRow(f"field {k}", field)
            self.drawings = [Drawing() for _ in range(drawings)]
            for drawing in self.drawings:
                row.addWidget(drawing)

        def turn(self, k: int) -> None:
            for field in self.fields:
                field.setValue(k + 1)
            for drawing in self.drawings:
                drawing.turned = k + 1
                drawing.update()

    made = Plain()
    made.resize(*SIZE)
    made.show()
    return made

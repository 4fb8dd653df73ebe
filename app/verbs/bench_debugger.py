"""The debugger's benchmarks: frames of a run, a line drawn in either direction, a model's long run opened."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ut_engine import debug, halting
from ut_engine.measure import Measurement, median, percentile, seconds

FRAMES_MS, OPEN_MS, KIB = 10.0, 1_000.0, 64.0  # targets
STEP_MS = {64: 16.0, 400: 33.0}
SIZE = (1416, 740)  # of the pane in a window of 1440 x 900
WARM = 24


def measure(runs: int = 9, steps: int = 200) -> Iterator[Measurement]:
    """runs: of what is built; steps: drawn in each direction, after some that warm up."""
    hesitant = debug.setup_of(halting.scenario("hesitant"))
    built = [1000 * seconds(lambda: debug.walk(hesitant)) for _ in range(runs)]
    alone = "nothing: the figure itself has a target"
    yield Measurement(
        "debugger", "108 frames over 10 positions", median(built), None, alone, "ms", runs, FRAMES_MS
    )
    kept = sum(array.nbytes for array in _arrays(debug.walk(hesitant))) / 1024 / 108
    yield Measurement("debugger", "memory of a frame, 10 positions", kept, None, alone, "KiB", 1, KIB)
    opened = [1000 * seconds(_open) for _ in range(runs)]
    yield Measurement(
        "debugger",
        "a model's run of 400 positions x 24 steps opened",
        median(opened),
        None,
        alone,
        "ms",
        runs,
        OPEN_MS,
    )
    for positions, target in STEP_MS.items():
        for clock, taken in zip(("", " (processor)"), drawn(positions, steps), strict=True):
            case, p99 = f"a line drawn, {positions} positions, p99{clock}", percentile(taken, 0.99)
            yield Measurement("debugger", case, p99, None, alone, "ms", len(taken), target)


def _arrays(trace: debug.Trace) -> list[Any]:
    """Every array of the records once, however many frames share it."""
    found = {id(array): array for record in trace.records for array in record.variables.values()}
    return list(found.values())


def _open() -> debug.Trace:
    """The nine lines over what a model computed, every number the pane reads off it included."""
    rng = np.random.default_rng(1)
    p = rng.random((400, 24), np.float32) * np.float32(0.08)
    states = tuple(rng.normal(size=(400, 64)).astype(np.float32) for _ in range(24))
    setup = debug.Setup(tuple(map(str, range(400))), p, max_steps=24, states=states)
    trace = debug.walk(setup)
    assert trace.shares.shape == (400, 24)
    return trace


def drawn(positions: int, steps: int) -> tuple[list[float], list[float]]:
    """Milliseconds from the event to the painted window, forwards and back over a made-up table.

    By the clock, and in processor time of the thread, which other programs on the machine hardly change.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from app.messages import Translator
    from app.pane import Event, Selection
    from app.panes import act
    from app.qt import theme
    from app.qt.scene_view import SceneView
    from app.verbs.bench_panes import gone

    app = QApplication.instance() or QApplication([])
    theme.load_fonts()
    p = np.random.default_rng(2).random((positions, 24)) ** 3 * 0.3
    text = "\n".join(f"w{k}," + ",".join(f"{value:.3f}" for value in row) for k, row in enumerate(p))
    state, _ = act.update(act.initial(), Event("table.text", text))
    view = SceneView(theme.Theme("light"), Translator("en"))
    view.resize(*SIZE)
    view.show_scene(act.scene(state, Selection()))
    view.show()
    app.processEvents()
    gc.collect()
    gc.freeze()  # as the program does once it stands
    taken, worked = [], []
    for name in ["transport.forward"] * (steps + WARM) + ["transport.back"] * steps:

        def once(name: str = name) -> None:
            nonlocal state
            state, _ = act.update(state, Event(name))
            view.show_scene(act.scene(state, Selection()))
            app.processEvents()

        before = time.thread_time()
        taken.append(1000 * seconds(once))
        worked.append(1000 * (time.thread_time() - before))
    gc.unfreeze()
    gone(view)
    return taken[WARM:], worked[WARM:]

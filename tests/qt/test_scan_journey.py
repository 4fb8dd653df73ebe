"""Prefix parity in the real window, by keyboard: type bits, step, look, open the table, measure."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QPushButton, QWidget

from app.pane import Effect, all_panes
from app.panes._scan_state import State
from app.qt import theme as themes
from app.qt.frame import Frame
from app.qt.marks.lattice import LatticeView
from app.qt.scene_view import SceneView
from app.qt.store import Store
from app.qt.window import Shell
from app.reduce import start
from app.settings import Settings
from ut_engine.scan import depths
from ut_engine.torch.measures import silent
from ut_engine.torch.measures.scan import measure

KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    themes.load_fonts()
    panes = all_panes()
    store = Store(start(Settings(workspace="scan"), panes, "en", "light"), panes)
    frame = Frame(themes.Theme())
    made = Shell(frame, store, lambda look: SceneView(look.theme, look.translator))
    made.build()
    frame.resize(1440, 900)
    qtbot.addWidget(frame)
    frame.show()
    qtbot.waitExposed(frame)
    yield made
    store._clock.stop()


def press(window: Shell, key: int, text: str = "") -> None:
    """A key as the platform sends it: to what has the focus."""
    target = QApplication.focusWidget() or window.frame
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(target, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text))
    window.store.flush()
    QApplication.processEvents()


def tab_to(window: Shell, name: str, kind: type[QWidget]) -> Any:
    """Tab until something of that name and kind has the focus."""
    for _ in range(80):
        focus = QApplication.focusWidget()
        names = (focus.accessibleName(), getattr(focus, "text", str)()) if focus is not None else ()
        if isinstance(focus, kind) and name in names:
            return focus
        press(window, KEY.Key_Tab)
    raise AssertionError(f"{name!r} is not reached by Tab")


def state(window: Shell) -> State:
    return window.store.state.panes["scan"]  # type: ignore[no-any-return]


def test_the_scan_by_keyboard(window: Shell) -> None:
    entry = tab_to(window, "Symbols", QLineEdit)
    entry.selectAll()
    for sign in "11111111":
        press(window, KEY.Key_1, sign)
    press(window, KEY.Key_Return)
    assert (state(window).symbols, state(window).needed) == ("11111111", 3)
    entry.selectAll()
    press(window, KEY.Key_2, "2")
    press(window, KEY.Key_Return)
    assert state(window).what
    assert state(window).symbols == "11111111"
    tab_to(window, "no step signal", QCheckBox)
    press(window, KEY.Key_Space, " ")
    assert (state(window).signal, state(window).needed, state(window).line.current) == (False, 7, 7)
    window.frame.setFocus()
    press(window, KEY.Key_BracketLeft, "[")
    assert state(window).line.current == 6
    press(window, KEY.Key_Home)
    assert state(window).line.current == 1


def test_a_cell_is_looked_at_and_picked_by_keyboard(window: Shell) -> None:
    view = window.views["scan"].mark_view("grid")  # type: ignore[attr-defined]
    assert isinstance(view, LatticeView)
    view.setFocus()
    for key in (KEY.Key_Right, KEY.Key_Right, KEY.Key_Up):
        press(window, key)
    cell = state(window).cell
    assert cell is not None
    press(window, KEY.Key_Return)
    assert (state(window).look, state(window).line.current) == (cell[1], cell[0])
    press(window, KEY.Key_Escape)
    assert state(window).cell is None


def test_the_depths_open_in_the_debugger(window: Shell) -> None:
    button = tab_to(window, "Open these depths in the debugger", QPushButton)
    assert button.isEnabled()
    press(window, KEY.Key_Space, " ")
    assert window.store.state.current == "act"
    trace = window.store.state.panes["act"].trace
    assert trace.n_updates.tolist() == np.maximum(depths(40), 1).tolist()


def test_what_was_trained_reads_the_same_bits(window: Shell) -> None:
    def carry_out(effect: Effect) -> None:
        value = measure(effect.value["args"], silent)
        window.store.dispatch("measure.done", {"key": effect.value["key"], "value": value})

    window.store.perform["measure"] = carry_out
    window.store.dispatch("control.bits", "0110")
    window.store.dispatch("tab.choose", 1)
    window.store.flush()
    QApplication.processEvents()
    grid = window.views["scan"].mark_view("right")  # type: ignore[attr-defined]
    assert grid.mark.tones.shape == (5, 4)
    assert window.views["scan"].mark_view("learned.plot").isVisible()  # type: ignore[attr-defined]


def test_a_step_at_the_largest_size_is_on_screen_within_a_few_frames(window: Shell) -> None:
    window.store.dispatch("open.view", "scan?n=1024&signal=none&step=700")
    window.store.flush()
    QApplication.processEvents()
    taken = []
    for step in range(700, 710):
        window.store.dispatch("transport.seek", step)
        started = time.perf_counter()
        window.store.flush()
        QApplication.processEvents()
        taken.append(time.perf_counter() - started)
    assert sorted(taken)[5] < 0.1

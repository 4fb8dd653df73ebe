"""Prefix parity in the real window, by keyboard: type bits, step, look, open the table, measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QPushButton

from app.pane import Effect
from app.panes._scan_state import State
from app.qt.marks.lattice import LatticeView
from app.qt.window import Shell
from tests.qt import whole
from tests.qt.whole import mark_view, press, seconds_to_screen, tab_to
from ut_engine.scan import depths
from ut_engine.torch.measures import silent
from ut_engine.torch.measures.scan import measure

KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    with whole.window(qtbot, "scan") as shell:
        yield shell


def state(window: Shell) -> State:
    return window.store.state.panes["scan"]  # type: ignore[no-any-return]


def test_the_scan_by_keyboard(window: Shell) -> None:
    entry = tab_to(window, "Symbols", QLineEdit)
    entry.selectAll()
    for sign in "11111111":
        press(window, KEY.Key_1, text=sign)
    press(window, KEY.Key_Return)
    assert (state(window).symbols, state(window).needed) == ("11111111", 3)
    entry.selectAll()
    press(window, KEY.Key_2, text="2")
    press(window, KEY.Key_Return)
    assert state(window).what
    assert state(window).symbols == "11111111"
    tab_to(window, "no step signal", QCheckBox)
    press(window, KEY.Key_Space, text=" ")
    assert (state(window).signal, state(window).needed, state(window).line.current) == (False, 7, 7)
    window.frame.setFocus()
    press(window, KEY.Key_BracketLeft, text="[")
    assert state(window).line.current == 6
    press(window, KEY.Key_Home)
    assert state(window).line.current == 1


def test_a_cell_is_looked_at_and_picked_by_keyboard(window: Shell) -> None:
    view = mark_view(window, "grid")
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
    press(window, KEY.Key_Space, text=" ")
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
    grid = mark_view(window, "right")
    assert grid.mark.tones.shape == (5, 4)
    assert mark_view(window, "learned.plot").isVisible()


def test_a_step_at_the_largest_size_is_on_screen_within_a_few_frames(window: Shell) -> None:
    window.store.dispatch("open.view", "scan?n=1024&signal=none&step=700")
    window.store.flush()
    QApplication.processEvents()
    assert seconds_to_screen(window, range(700, 710)) < 0.1

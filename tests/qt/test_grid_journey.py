"""The depth grid in the real window, by keyboard: choose, walk over cells, step, run the four that ship."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QSlider

from app.pane import Effect
from app.panes._grid_state import State
from app.qt.window import Shell
from tests.qt import whole
from tests.qt.whole import mark_view, press, seconds_to_screen, tab_to, tab_to_mark
from ut_engine.torch.measures import silent
from ut_engine.torch.measures.grid import measure

KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    with whole.window(qtbot, "grid") as shell:
        yield shell


def state(window: Shell) -> State:
    return window.store.state.pane_state  # type: ignore[no-any-return]


def test_the_schematic_by_keyboard(window: Shell) -> None:
    slider = tab_to(window, "positions m", QSlider)
    before = state(window).m
    press(window, KEY.Key_Right)
    assert state(window).m == before + 1
    assert isinstance(slider, QSlider)
    tab_to_mark(window, "lattice.act")
    press(window, KEY.Key_Right)
    assert state(window).cell == ("act", 4, 0)
    for key in (KEY.Key_Down, KEY.Key_Right, KEY.Key_Right):
        press(window, key)
    press(window, KEY.Key_Return)
    assert state(window).held == ("act", 3, 2)
    assert window.store.state.selection.hovered == 2
    press(window, KEY.Key_Escape)
    assert state(window).cell == ("act", 3, 2)
    press(window, KEY.Key_End)
    assert state(window).line.current == state(window).line.computed == before + 1


def test_the_four_run_on_typed_bits(window: Shell) -> None:
    def carry_out(effect: Effect) -> None:
        if effect.name == "measure.start":
            value = measure(effect.value["args"], silent)
            window.store.dispatch("measure.done", {"key": effect.value["key"], "value": value})

    window.store.perform["measure"] = carry_out
    menu = tab_to(window, "Source", QComboBox)
    assert isinstance(menu, QComboBox)
    press(window, KEY.Key_Down)
    assert state(window).source == "four"
    entry = tab_to(window, "Bits", QLineEdit)
    assert isinstance(entry, QLineEdit)
    entry.selectAll()
    for sign in "0112":
        press(window, ord(sign), text=sign)
    press(window, KEY.Key_Return)
    assert "2" in str(state(window).what)
    press(window, KEY.Key_Backspace)
    press(window, KEY.Key_Return)
    assert state(window).bits == "011"
    view = mark_view(window, "lattice.rnn")
    assert view.mark.texts == (("^", "0", "1", "1"), view.mark.texts[1])
    assert view.mark.texts[1][1:] == ("0", "1", "0")  # what an LSTM answers is right at every length


def test_a_control_at_the_largest_size_is_on_screen_within_a_few_frames(window: Shell) -> None:
    window.store.dispatch("open.view", "grid?source=schematic&show=all&m=128&depth=32&tick=20")
    window.store.flush()
    QApplication.processEvents()
    assert seconds_to_screen(window, range(10, 20)) < 0.1

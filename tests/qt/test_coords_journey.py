"""Coordinates in the real window, by keyboard: part, step, a cell of the map, a checkpoint's own signal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QPushButton

from app.pane import Effect
from app.panes._coords_state import State
from app.qt.marks.heatmap import HeatmapView
from app.qt.window import Shell
from tests.qt import whole
from tests.qt.whole import mark_view, press, seconds_to_screen, tab_to
from ut_engine.torch.measures import silent
from ut_engine.torch.measures.coords import measure

KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    with whole.window(qtbot, "coords") as shell:
        yield shell


def state(window: Shell) -> State:
    return window.store.state.panes["coords"]  # type: ignore[no-any-return]


def test_the_signal_by_keyboard(window: Shell) -> None:
    spin = tab_to(window, "step t", QDoubleSpinBox)
    assert isinstance(spin, QDoubleSpinBox)
    press(window, KEY.Key_Up)
    assert state(window).t == 4
    view = mark_view(window, "signal")
    assert isinstance(view, HeatmapView)
    view.setFocus()
    press(window, KEY.Key_Right)
    before = window.store.state.selection
    assert before.hovered is not None
    assert before.hovered_key is not None
    press(window, KEY.Key_Right)
    assert window.store.state.selection.hovered_key == before.hovered_key + 1
    press(window, KEY.Key_Up)
    press(window, KEY.Key_Return)
    assert state(window).look == before.hovered - 1
    window.frame.setFocus()
    press(window, KEY.Key_End)
    assert state(window).t == 100


def test_cells_of_any_proportion_fill_the_room(window: Shell) -> None:
    view = mark_view(window, "signal")
    at = view.geometry_of()
    assert at.map.width() > 0.75 * view.width()
    assert at.map.height() > 0.5 * view.height()


def test_a_checkpoint_s_own_signal(window: Shell) -> None:
    def carry_out(effect: Effect) -> None:
        value = measure(effect.value["args"], silent)
        window.store.dispatch("measure.done", {"key": effect.value["key"], "value": value})

    window.store.perform["measure"] = carry_out
    button = tab_to(window, "Measure babi", QPushButton)
    assert button.isEnabled()
    press(window, KEY.Key_Space, text=" ")
    assert state(window).own.phase == "done"
    menu = tab_to(window, "Signal", QComboBox)
    menu.setCurrentIndex(3)
    window.store.dispatch("control.source", "own")
    window.store.flush()
    QApplication.processEvents()
    view = mark_view(window, "signal")
    assert view.mark.values.shape == (state(window).positions, 64)


def test_a_step_at_the_largest_size_is_on_screen_within_a_few_frames(window: Shell) -> None:
    window.store.dispatch("open.view", "coords?d=1024&m=2000&t=50")
    window.store.flush()
    QApplication.processEvents()
    assert seconds_to_screen(window, range(51, 61)) < 0.1

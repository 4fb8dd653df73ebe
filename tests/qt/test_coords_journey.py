"""Coordinates in the real window, by keyboard: part, step, a cell of the map, a checkpoint's own signal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QPushButton, QWidget

from app.pane import Effect, all_panes
from app.panes._coords_state import State
from app.qt import theme as themes
from app.qt.frame import Frame
from app.qt.marks.heatmap import HeatmapView
from app.qt.scene_view import SceneView
from app.qt.store import Store
from app.qt.window import Shell
from app.reduce import start
from app.settings import Settings
from ut_engine.torch.measures import silent
from ut_engine.torch.measures.coords import measure

KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    themes.load_fonts()
    panes = all_panes()
    store = Store(start(Settings(workspace="coords"), panes, "en", "light"), panes)
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
    return window.store.state.panes["coords"]  # type: ignore[no-any-return]


def test_the_signal_by_keyboard(window: Shell) -> None:
    spin = tab_to(window, "step t", QDoubleSpinBox)
    assert isinstance(spin, QDoubleSpinBox)
    press(window, KEY.Key_Up)
    assert state(window).t == 4
    view = window.views["coords"].mark_view("signal")  # type: ignore[attr-defined]
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
    view = window.views["coords"].mark_view("signal")  # type: ignore[attr-defined]
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
    press(window, KEY.Key_Space, " ")
    assert state(window).own.phase == "done"
    menu = tab_to(window, "Signal", QComboBox)
    menu.setCurrentIndex(3)
    window.store.dispatch("control.source", "own")
    window.store.flush()
    QApplication.processEvents()
    view = window.views["coords"].mark_view("signal")  # type: ignore[attr-defined]
    assert view.mark.values.shape == (state(window).positions, 64)


def test_a_step_at_the_largest_size_is_on_screen_within_a_few_frames(window: Shell) -> None:
    window.store.dispatch("open.view", "coords?d=1024&m=2000&t=50")
    window.store.flush()
    QApplication.processEvents()
    taken = []
    for t in range(51, 61):
        window.store.dispatch("transport.seek", t)
        started = time.perf_counter()
        window.store.flush()
        QApplication.processEvents()
        taken.append(time.perf_counter() - started)
    assert sorted(taken)[5] < 0.1

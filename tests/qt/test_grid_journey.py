"""The depth grid in the real window, by keyboard: choose, walk over cells, step, run the four that ship."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QSlider, QWidget

from app.pane import Effect, all_panes
from app.panes._grid_state import State
from app.qt import theme as themes
from app.qt.frame import Frame
from app.qt.marks.lattice import LatticeView
from app.qt.scene_view import SceneView
from app.qt.store import Store
from app.qt.window import Shell
from app.reduce import start
from app.settings import Settings
from ut_engine.torch.measures import silent
from ut_engine.torch.measures.grid import measure

KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    themes.load_fonts()
    panes = all_panes()
    store = Store(start(Settings(workspace="grid"), panes, "en", "light"), panes)
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


def tab_to(window: Shell, name: str, kind: type[QWidget]) -> QWidget:
    """Tab until something of that name and kind has the focus."""
    for _ in range(80):
        focus = QApplication.focusWidget()
        if isinstance(focus, kind) and name in focus.accessibleName():
            return focus
        press(window, KEY.Key_Tab)
    raise AssertionError(f"{name!r} is not reached by Tab")


def tab_to_lattice(window: Shell, key: str) -> LatticeView:
    view = window.views["grid"].mark_view(key)  # type: ignore[attr-defined]
    assert isinstance(view, LatticeView)
    for _ in range(80):
        if QApplication.focusWidget() is view:
            return view
        press(window, KEY.Key_Tab)
    raise AssertionError(f"{key} is not reached by Tab")


def state(window: Shell) -> State:
    return window.store.state.pane_state  # type: ignore[no-any-return]


def test_the_schematic_by_keyboard(window: Shell) -> None:
    slider = tab_to(window, "positions", QSlider)
    before = state(window).m
    press(window, KEY.Key_Right)
    assert state(window).m == before + 1
    assert isinstance(slider, QSlider)
    tab_to_lattice(window, "lattice.act")
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
        press(window, ord(sign), sign)
    press(window, KEY.Key_Return)
    assert "2" in str(state(window).what)
    press(window, KEY.Key_Backspace)
    press(window, KEY.Key_Return)
    assert state(window).bits == "011"
    view = window.views["grid"].mark_view("lattice.rnn")  # type: ignore[attr-defined]
    assert view.mark.texts == (("^", "0", "1", "1"), view.mark.texts[1])
    assert view.mark.texts[1][1:] == ("0", "1", "0")  # what an LSTM answers is right at every length


def test_a_control_at_the_largest_size_is_on_screen_within_a_few_frames(window: Shell) -> None:
    window.store.dispatch("open.view", "grid?source=schematic&show=all&m=128&depth=32&tick=20")
    window.store.flush()
    QApplication.processEvents()
    taken = []
    for tick in range(10, 20):
        window.store.dispatch("transport.seek", tick)
        started = time.perf_counter()
        window.store.flush()
        QApplication.processEvents()
        taken.append(time.perf_counter() - started)
    assert sorted(taken)[5] < 0.1

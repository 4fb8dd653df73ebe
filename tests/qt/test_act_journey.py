"""The debugger in the real window, by keyboard only: choose, stop, go on, step back, change the past."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QLineEdit

from app.panes._act_state import State
from app.qt.marks.lane_rows import NUMBERS_AT
from app.qt.window import Shell
from tests.qt import whole
from tests.qt.whole import mark_view, press, tab_to, tab_to_mark

NONE, CTRL, SHIFT = (
    Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier,
)  # fmt: skip
KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    with whole.window(qtbot, "act") as shell:
        yield shell


def state(window: Shell) -> State:
    return window.store.state.pane_state  # type: ignore[no-any-return]


def at(window: Shell) -> tuple[int, int]:
    record = state(window).record
    assert record is not None
    return record.step, record.line


def test_the_whole_journey_without_a_mouse(window: Shell) -> None:
    menu = tab_to(window, "Source", QComboBox)
    assert isinstance(menu, QComboBox)
    while state(window).source != "sentence" or at(window) != (1, 1):
        press(window, KEY.Key_Down if state(window).source == "fresh" else KEY.Key_Up)
    tab_to_mark(window, "lanes")
    for _ in range(6):
        press(window, KEY.Key_Left)  # from position 9 to 3
    press(window, KEY.Key_Return)
    assert window.store.state.selection.pinned == 2
    button = tab_to(window, "3 to halts")
    press(window, KEY.Key_Space)
    assert state(window).stops[-1].number == 2
    press(window, KEY.Key_F5)
    while at(window) != (3, 2):  # other stops come first
        press(window, KEY.Key_F5)
    press(window, KEY.Key_Comma, text=",")
    press(window, KEY.Key_Comma, text=",")
    assert at(window) == (2, 9)
    assert button.isVisible()


def test_the_past_is_changed_and_compared_by_keyboard(window: Shell) -> None:
    window.store.dispatch("panel.choose", "change")
    window.store.flush()
    spin = tab_to(window, "p", QDoubleSpinBox)
    assert isinstance(spin, QDoubleSpinBox)
    spin.selectAll()
    for sign in "0.9":
        press(window, ord(sign), text=sign)
    press(window, KEY.Key_Return)
    after = state(window)
    assert [edit.value for edit in after.setup.edits] == [0.9]
    assert after.ghost == 0
    assert mark_view(window, "branch.sheet") is not None


def test_a_condition_is_typed_and_a_typo_is_said_beside_it(window: Shell) -> None:
    edits = window.views["act"].findChildren(QLineEdit)
    entry = next(edit for edit in edits if "R < 0.05" in edit.placeholderText())
    entry.setFocus()
    for sign in "Q > 1":
        press(window, ord(sign.upper()), text=sign)
    press(window, KEY.Key_Return)
    assert "no variable" in str(state(window).what)
    assert len(state(window).stops) == 5


@pytest.mark.parametrize(
    ("key", "modifiers", "text", "where"),
    [
        (KEY.Key_F10, NONE, "", (3, 6)), (KEY.Key_Period, NONE, ".", (3, 6)),
        (KEY.Key_Comma, NONE, ",", (3, 4)),
        (KEY.Key_BracketRight, NONE, "]", (3, 9)), (KEY.Key_BracketLeft, NONE, "[", (2, 9)),
        (KEY.Key_F11, SHIFT, "", (3, 9)), (KEY.Key_F5, NONE, "", (3, 7)), (KEY.Key_F5, SHIFT, "", (1, 1)),
        (KEY.Key_Less, SHIFT, "<", (2, 7)), (KEY.Key_Greater, SHIFT, ">", (3, 7)),
        (KEY.Key_Home, NONE, "", (1, 1)),
        (KEY.Key_End, NONE, "", (6, 9)),
    ],
)  # fmt: skip
def test_keys_of_debuggers_and_players(
    window: Shell, key: int, modifiers: Any, text: str, where: tuple[int, int]
) -> None:
    window.frame.setFocus()
    press(window, key, modifiers, text)
    assert at(window) == where


def test_stops_run_to_and_into_by_their_keys(window: Shell) -> None:
    window.frame.setFocus()
    press(window, KEY.Key_F9)
    assert state(window).stops[0].number == 5
    press(window, KEY.Key_F9)
    tab_to_mark(window, "code")
    press(window, KEY.Key_Down)
    press(window, KEY.Key_Down)
    press(window, KEY.Key_F10, CTRL)
    assert (state(window).cursor, at(window)) == (7, (3, 7))
    press(window, KEY.Key_F11)
    assert state(window).into


def test_it_folds_when_the_window_is_narrow_and_keeps_its_place(window: Shell) -> None:
    assert not state(window).narrow
    window.frame.resize(1280, 800)
    QApplication.processEvents()
    window.store.flush()
    assert state(window).narrow
    assert at(window) == (3, 5)
    window.store.dispatch("shell.language", "ko")
    window.store.dispatch("shell.theme", "dark")
    window.store.flush()
    assert at(window) == (3, 5)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_ten_positions_show_numbers_whatever_stands_beside_them(window: Shell, language: str) -> None:
    window.store.dispatch("shell.language", language)
    for width, panels in ((1440, ("stops", "compare", "change", "why", "hunt")), (1280, ("line", "pinned"))):
        window.frame.resize(width, 800)
        for panel in panels:
            window.store.dispatch("panel.choose", panel)
            for _ in range(4):  # the window folds, then its layouts settle in steps
                window.store.flush()
                QApplication.processEvents()
                QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            view = window.views["act"]
            lanes = view.mark_view("lanes")  # type: ignore[attr-defined]
            assert lanes.cell_w() >= lanes.px(NUMBERS_AT), (width, panel)
            assert view.width() <= width, (width, panel)

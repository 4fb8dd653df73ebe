"""The quiz in the real window, by keyboard: answer, start over, and take that back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.panes._quiz_state import State
from app.qt.window import Shell
from app.settings import Settings
from tests.qt import whole
from tests.qt.whole import press, tab_to

KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    answered = Settings(workspace="quiz", quiz=("base=63.1 M", "halted=copied"))
    with whole.window(qtbot, "quiz", settings=answered) as shell:
        yield shell


def state(window: Shell) -> State:
    return window.store.state.pane_state  # type: ignore[no-any-return]


def test_starting_over_is_taken_back_by_the_same_key(window: Shell) -> None:
    whole.settle(window)
    tab_to(window, "Start over")
    press(window, KEY.Key_Space)
    assert (dict(state(window).answers), window.store.state.settings.quiz) == ({}, ())
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.accessibleName() == "Undo"  # the same button, which has the focus still
    press(window, KEY.Key_Space)
    assert dict(state(window).answers) == {"base": "63.1 M", "halted": "copied"}
    assert window.store.state.settings.quiz == ("base=63.1 M", "halted=copied")
    assert focus.accessibleName() == "Start over"

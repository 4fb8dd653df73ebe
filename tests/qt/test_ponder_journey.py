"""What ACT learned and the results in the real window, with the engine that really measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.messages import Translator
from app.panes import _ponder_state as st
from app.panes._ponder_state import State
from app.panes._results_state import State as Results
from app.qt import pictures
from app.qt.session import Session
from app.scene import Heatmap, Progress, Sheet, marks
from app.settings import Settings
from tests.qt import whole
from tests.qt.whole import press, tab_to

PATIENCE = 60_000
KEY = Qt.Key


@pytest.fixture
def window(qapp: QApplication) -> Iterator[Session]:
    with whole.session(Settings(workspace="ponder", reduced_motion=True)) as found:
        found.window.activateWindow()
        yield found
        found.store._clock.stop()


def state(window: Session) -> State:
    found = window.store.state.panes["ponder"]
    assert isinstance(found, State)
    return found


def test_a_set_of_stories_is_recomputed_beside_the_card_s_figures(window: Session, qtbot: Any) -> None:
    whole.settle(window)
    assert window.laboratory.client is None  # nothing is measured before it is asked for
    tab_to(window.shell, "Recompute")
    press(window.shell, KEY.Key_Space)
    assert state(window).measured(st.REPORT).waiting
    assert any(isinstance(mark, Progress) for mark in marks(window.store.scene()))
    qtbot.waitUntil(lambda: bool(state(window).measured(st.REPORT).value), timeout=PATIENCE)
    assert window.pump.client is None  # the engine of the open model was not needed
    assert not window.laboratory.busy
    window.store.dispatch("shell.pane", "results")
    window.store.dispatch("results.table", "ponder")
    whole.settle(window)
    beside = next(mark for mark in marks(window.store.scene()) if mark.key == "measured")
    assert isinstance(beside, Sheet)  # the pane was opened only after it was measured
    recomputed = [row for row in beside.rows if "recomputed" in Translator("en").text(row[0].text)]
    assert [row[1].text for row in recomputed] == ["1", "2", "3"]


def test_the_hop_map_of_a_story_and_its_steps(window: Session, qtbot: Any) -> None:
    whole.settle(window)
    tab_to(window.shell, "bAbI")
    for look in ("lambada", "swap", "story"):
        press(window.shell, KEY.Key_Right)
        press(window.shell, KEY.Key_Space)
        assert state(window).look == look
    qtbot.waitUntil(lambda: state(window).line.computed > 0, timeout=PATIENCE)
    whole.settle(window)
    maps = [mark for mark in marks(window.store.scene()) if isinstance(mark, Heatmap)]
    assert [mark.key for mark in maps] == ["read", "does"]
    line = window.store.line
    assert line is not None
    assert line.current == line.computed == 5
    window.store.dispatch("transport.back")
    assert state(window).line.current == 4
    window.store.dispatch("shell.language", "ko")
    whole.settle(window)


def test_a_picture_waits_for_what_is_measured(window: Session) -> None:
    pictures.settle(window, "ponder?look=swap&story=2")
    assert state(window).measured(st.SWAP).value
    pictures.settle(window, "ponder?look=babi&computed=1")
    assert state(window).measured(st.REPORT).value


def test_tables_are_chosen_and_sorted_by_keys(window: Session) -> None:
    window.store.dispatch("shell.pane", "results")
    whole.settle(window)

    def results() -> Results:
        found = window.store.state.panes["results"]
        assert isinstance(found, Results)
        return found

    view = window.shell.views["results"].mark_view("tables")  # type: ignore[attr-defined]
    view.setFocus()
    press(window.shell, KEY.Key_Down)
    press(window.shell, KEY.Key_Return)
    assert results().table == "babi"
    tab_to(window.shell, "as printed")
    press(window.shell, KEY.Key_Right)
    press(window.shell, KEY.Key_Space)
    assert results().order == "best"
    window.store.dispatch("results.link", "ponder?look=babi")
    whole.settle(window)
    assert window.store.state.current == "ponder"

"""What the program does for the debugger: tables are opened, whole steps, the checkpoint is told later."""

from __future__ import annotations

from typing import Any

from app.pane import Effect, Event, all_panes
from app.reduce import reduce, start
from app.settings import Settings
from app.state import AppState, line_of
from tests.panes import made

PANES: Any = all_panes()


def begun(workspace: str) -> AppState:
    return start(Settings(workspace=workspace), PANES, "en", "light")


def test_a_table_is_opened_in_the_debugger() -> None:
    state, effects = reduce(begun("inspector"), Event("open.path", "/x/p.CSV"), PANES)
    assert state.current == "act"
    assert effects == (Effect("file.table", "/x/p.CSV"),)
    state, _ = reduce(state, Event("table.opened", "a,0.5\nb,0.25"), PANES)
    assert state.panes["act"].setup.tokens == ("a", "b")


def test_a_whole_step_is_nine_lines_there_and_one_step_elsewhere() -> None:
    state, _ = reduce(begun("act"), Event("transport.group_forward"), PANES)
    line = line_of(state, PANES)
    assert line is not None
    assert line.current == 27
    state, _ = reduce(begun("inspector"), Event("open.run", made.run()), PANES)
    state, _ = reduce(state, Event("transport.last"), PANES)
    state, _ = reduce(state, Event("transport.group_back"), PANES)
    line = line_of(state, PANES)
    assert line is not None
    assert line.current == 7


def test_a_pane_opened_later_learns_of_the_open_checkpoint() -> None:
    card = {"name": "babi", "path": "/x/babi", "device": "cpu", "config": {"halting": "act"}}
    state, _ = reduce(begun("inspector"), Event("engine.opened", {"card": card, "samples": []}), PANES)
    assert "act" not in state.panes
    state, _ = reduce(state, Event("shell.workspace", "act"), PANES)
    assert state.panes["act"].live.path == "/x/babi"


def test_the_inspectors_run_ends_when_the_debugger_takes_the_engine() -> None:
    state, _ = reduce(begun("inspector"), Event("open.path", "/x/babi"), PANES)
    card = {"name": "babi", "path": "/x/babi", "device": "cpu", "config": {"halting": "act", "max_steps": 8}}
    sample = {"name": "a", "text": "Mary went to the garden.\nWhere is Mary?", "answer": "garden"}
    state, _ = reduce(state, Event("engine.opened", {"card": card, "samples": [sample]}), PANES)
    state, _ = reduce(state, Event("run.start"), PANES)
    inspector = state.panes["inspector"]
    assert inspector.live
    state, _ = reduce(state, Event("engine.info", (inspector.generation, made.info())), PANES)
    assert state.panes["inspector"].live
    state, _ = reduce(state, Event("shell.workspace", "act"), PANES)
    state, effects = reduce(state, Event("control.source", "live"), PANES)
    asked = next(effect.value for effect in effects if effect.name == "engine.run")
    state, _ = reduce(state, Event("engine.info", (asked["generation"], made.info())), PANES)
    assert not state.panes["inspector"].live
    assert state.panes["act"].live.info is not None

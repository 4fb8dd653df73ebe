"""Grids computed in the measuring engine: of the four models that ship, and of the open checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.messages import msg
from app.pane import Effect
from app.panes import _grid_state as st
from app.panes._grid_state import Measured, State
from app.paths import shipped
from ut_engine.cells import cells_from

Done = tuple[State, tuple[Effect, ...]]
FOUR_KEY, OWN_KEY = "grid.four", "grid.own"


def asked_four(state: State) -> Done:
    if state.four.asked == state.bits and state.four.phase in (st.WAITING, st.DONE):
        return st.timed(state), ()
    found = shipped()
    missing = [name for name in st.SHIPPED if name not in found]
    if missing:
        what = msg("The shipped checkpoint {name} is missing", name=missing[0])
        lost = Measured(st.FAILED, what=what, do=msg("Install the program again"))
        return st.timed(replace(state, four=lost)), ()
    asked = {"checkpoints": [str(found[name]) for name in st.SHIPPED], "text": state.bits}
    kept = state.four.grids  # stay on screen until the new ones are there
    waiting = Measured(st.WAITING, state.bits, total=len(st.SHIPPED), grids=kept)
    return replace(state, four=waiting), (_start(FOUR_KEY, asked),)


def _start(key: str, args: Mapping[str, Any]) -> Effect:
    return Effect("measure.start", {"key": key, "what": "grid", "args": args})


def retry(state: State, _: Any) -> Done:
    if state.source == st.FOUR:
        return asked_four(replace(state, four=replace(state.four, phase=st.IDLE)))
    return own(replace(state, own=Measured()), None)


def own(state: State, _: Any) -> Done:
    """The open checkpoint's grid, of its run's text or of a sample, computed here."""
    live = state.live
    text = live.info.text if live.info is not None else live.text
    if not live.path or not text or (state.own.phase == st.WAITING and state.own.asked == text):
        return state, ()
    waiting = Measured(st.WAITING, text, total=1)
    return replace(state, own=waiting), (_start(OWN_KEY, {"checkpoints": [live.path], "text": text}),)


def _of_key(state: State, value: Mapping[str, Any]) -> tuple[str, Measured] | None:
    """(field, measurement) of an answer that is still waited for."""
    name = {FOUR_KEY: "four", OWN_KEY: "own"}.get(str(value.get("key")), "")
    found = getattr(state, name) if name else None
    return (name, found) if found is not None and found.phase == st.WAITING else None


def _with(state: State, name: str, found: Measured) -> State:
    return replace(state, four=found) if name == "four" else replace(state, own=found)


def progress(state: State, value: Any) -> Done:
    found = _of_key(state, value)
    if found is None:
        return state, ()
    name, old = found
    now = replace(old, done=int(value["done"]), total=int(value["total"]) or old.total)
    return (state if now == old else _with(state, name, now)), ()


def done(state: State, value: Any) -> Done:
    found = _of_key(state, value)
    if found is None or value["value"]["text"] != found[1].asked:
        return state, ()
    name, old = found
    grids = tuple(cells_from(one) for one in value["value"]["grids"])
    return st.timed(_at_end_if_new(_with(state, name, replace(old, phase=st.DONE, grids=grids)), old)), ()


def _at_end_if_new(state: State, old: Measured) -> State:
    """The first figures are shown whole."""
    if old.grids or state.source == st.SCHEMATIC:
        return state
    return replace(state, line=replace(state.line, live=True, current=0))


def failed(state: State, value: Any) -> Done:
    found = _of_key(state, value)
    if found is None:
        return state, ()
    name, old = found
    lost = replace(old, phase=st.FAILED, grids=(), what=value["what"], do=value["do"])
    return st.timed(_with(state, name, lost)), ()

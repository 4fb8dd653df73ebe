"""Trained checkpoints on the bits on screen: asking for their figures, and what comes back.  Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app.messages import msg
from app.pane import Effect
from app.panes import _scan_state as st
from app.panes._scan_state import State
from app.paths import shipped

Done = tuple[State, tuple[Effect, ...]]
KEY = "scan.learned"


def measured(state: State) -> Done:
    """Ask for the trained checkpoints' answers to these bits, once."""
    now = state.learned
    if state.n > st.MOST_LEARNED or (now.asked == state.symbols and now.phase != st.IDLE):
        return state, ()
    there = shipped()
    ordered = {name: str(there[name]) for name in st.CHECKPOINTS if name in there}
    if not ordered:
        what, do = msg("The shipped parity checkpoints are missing"), msg("Install the program again")
        return replace(state, learned=replace(now, phase=st.FAILED, asked="", what=what, do=do)), ()
    learned = replace(now, phase=st.WAITING, asked=state.symbols, done=0, total=0, what="", do="")
    args = {"bits": state.symbols, "seed": state.seed, "checkpoints": ordered}
    return replace(state, learned=learned), (
        Effect("measure.start", {"key": KEY, "what": "scan", "args": args}),
    )


def again(state: State, _: Any) -> Done:
    return measured(replace(state, learned=replace(state.learned, phase=st.IDLE, asked="")))


def cancel(state: State, _: Any) -> Done:
    if state.learned.phase != st.WAITING:
        return state, ()
    return replace(state, learned=replace(state.learned, phase=st.IDLE, asked="")), (
        Effect("measure.cancel", KEY),
    )


def progress(state: State, value: Any) -> Done:
    if value.get("key") != KEY or state.learned.phase != st.WAITING:
        return state, ()
    learned = replace(state.learned, done=int(value["done"]), total=int(value["total"]))
    return replace(state, learned=learned), ()


def figures(state: State, value: Any) -> Done:
    waiting = value.get("key") == KEY and state.learned.phase == st.WAITING
    if not waiting or value["value"].get("bits") != state.learned.asked:
        return state, ()
    learned = replace(state.learned, phase=st.DONE, value=value["value"])
    return replace(state, learned=learned), ()


def failed(state: State, value: Any) -> Done:
    if value.get("key") != KEY or state.learned.phase != st.WAITING:
        return state, ()
    learned = replace(state.learned, phase=st.FAILED, what=str(value["what"]), do=str(value["do"]))
    return replace(state, learned=learned), ()


def model(state: State, value: Any) -> Done:
    if value not in st.CHECKPOINTS:
        return state, ()
    return replace(state, learned=replace(state.learned, model=str(value))), ()


def open_model(state: State, _: Any) -> Done:
    return state, (Effect("open.path", state.learned.model),)


def figure(state: State, value: Any) -> Done:
    if value not in ("front", "by_step", "by_position"):
        return state, ()
    return replace(state, learned=replace(state.learned, view=str(value))), ()


HANDLERS: dict[str, Callable[[State, Any], Done]] = {
    "learned.again": again,
    "learned.cancel": cancel,
    "learned.view": figure,
    "model.choose": model,
    "model.open": open_model,
    "measure.progress": progress,
    "measure.done": figures,
    "measure.error": failed,
}

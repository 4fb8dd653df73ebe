"""What the coordinates pane does when something happens: (state, event) -> (state, effects), pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from app import timeline as times
from app.messages import msg
from app.pane import Effect, Event
from app.panes import _coords_state as st
from app.panes._coords_state import Own, State
from app.paths import shipped

Done = tuple[State, tuple[Effect, ...]]
KEY = "coords.own"


def update(state: State, event: Event) -> Done:
    """One event; one of no concern changes nothing."""
    line = times.heard(state.line, event.name, event.value)
    if line is not None:
        return (state, ()) if line == state.line else (replace(state, line=line), ())
    handler = HANDLERS.get(event.name)
    return (state, ()) if handler is None else handler(state, event.value)


# ---- controls ---------------------------------------------------------------------------------------------


def _source(state: State, value: Any) -> Done:
    if value not in st.SOURCES or value == state.source:
        return state, ()
    after = st.timed(replace(state, source=value, far=False, line=replace(state.line, playing=0)))
    if value == st.OWN and state.own.phase == st.IDLE:
        return _ask(after, None)
    return after, ()


def _width(state: State, value: Any) -> Done:
    d = int(value)
    return (replace(state, d=d, far=False), ()) if d in st.WIDTHS else (state, ())


def _positions(state: State, value: Any) -> Done:
    m = min(max(int(value), st.LEAST_POSITIONS), st.MOST_POSITIONS)
    return replace(state, m=m), ()


def _chosen(name: str, known: tuple[str, ...]) -> Callable[[State, Any], Done]:
    def choose(state: State, value: Any) -> Done:
        return (replace(state, **{name: value}), ()) if value in known else (state, ())

    return choose


def _look(state: State, value: Any) -> Done:
    """value: position from 1."""
    return replace(state, look=min(max(int(value), 1), st.MOST_POSITIONS) - 1), ()


def _far(state: State, _: Any) -> Done:
    return replace(state, far=True), ()


# ---- looking ----------------------------------------------------------------------------------------------


def _pin(state: State, value: Any) -> Done:
    if value is None or not 0 <= int(value) < state.positions:
        return state, ()
    return replace(state, look=int(value)), ()


def _place(state: State, value: Any) -> Done:
    """A click on the curve; value: position from 1."""
    return _look(state, round(float(value)))


# ---- the checkpoint ---------------------------------------------------------------------------------------


def _opened(state: State, value: Any) -> Done:
    """Another checkpoint is open: its figures are not known yet."""
    card = value.get("card", value)
    own = Own(path=str(card.get("path", "")), name=str(card.get("name", "")))
    stop = (Effect("measure.cancel", KEY),) if state.own.phase == st.WAITING else ()
    after = st.timed(replace(state, own=own))
    if state.source != st.OWN:
        return after, stop
    return _ask(after, None)  # a measurement of the same key takes the older one's place


def _ask(state: State, _: Any) -> Done:
    """Measure the open checkpoint, or the shipped one where none is open."""
    own = state.own
    path = own.path or str(shipped().get(st.USUAL, ""))
    if not path:
        what, do = msg("There is no checkpoint to measure"), msg("Open one first")
        return replace(state, own=replace(own, phase=st.FAILED, what=what, do=do)), ()
    own = replace(own, phase=st.WAITING, done=0, total=0, what="", do="")
    asked = {"key": KEY, "what": "coords", "args": {"checkpoint": path, "text": ""}}
    return replace(state, own=own), (Effect("measure.start", asked),)


def _cancel(state: State, _: Any) -> Done:
    if state.own.phase != st.WAITING:
        return state, ()
    return replace(state, own=replace(state.own, phase=st.IDLE)), (Effect("measure.cancel", KEY),)


def _progress(state: State, value: Any) -> Done:
    if value.get("key") != KEY or state.own.phase != st.WAITING:
        return state, ()
    own = replace(state.own, done=int(value["done"]), total=int(value["total"]))
    return replace(state, own=own), ()


def _figures(state: State, value: Any) -> Done:
    if value.get("key") != KEY or state.own.phase != st.WAITING:
        return state, ()
    found = value["value"]
    position, step = (_matrix(found[name]) for name in ("position", "step"))
    own = replace(state.own, phase=st.DONE, value=found, position=position, step=step)
    return st.timed(replace(state, own=own)), ()


def _matrix(rows: list[list[float]]) -> np.ndarray:
    """[row, dim], read-only; (0, 0) of nothing."""
    found = np.array(rows, dtype=float) if rows else np.zeros((0, 0))
    found.flags.writeable = False
    return found


def _failed(state: State, value: Any) -> Done:
    if value.get("key") != KEY or state.own.phase != st.WAITING:
        return state, ()
    own = replace(state.own, phase=st.FAILED, what=str(value["what"]), do=str(value["do"]))
    return replace(state, own=own), ()


# ---- the window -------------------------------------------------------------------------------------------


def _fold(state: State, value: Any) -> Done:
    narrow, single = int(value) < st.FOLD, int(value) < st.SINGLE
    same = (narrow, single) == (state.narrow, state.single)
    return (state, ()) if same else (replace(state, narrow=narrow, single=single), ())


HANDLERS: dict[str, Callable[[State, Any], Done]] = {
    "control.source": _source,
    "control.d": _width,
    "control.m": _positions,
    "control.t": lambda state, t: update(state, Event("transport.seek", t)),
    "control.part": _chosen("part", st.PARTS),
    "control.picture": _chosen("picture", (st.SIGNAL, st.DOTS)),
    "control.look": _look,
    "far.look": _far,
    "curve.pick": _place,
    "pin": _pin,
    "engine.opened": _opened,
    "own.measure": _ask,
    "own.cancel": _cancel,
    "measure.progress": _progress,
    "measure.done": _figures,
    "measure.error": _failed,
    "view.width": _fold,
}

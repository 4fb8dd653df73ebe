"""What the depth grid does when something happens: (state, event) -> (state, effects), pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any
from unicodedata import normalize

from app import timeline
from app.messages import msg
from app.pane import Effect, Event
from app.panes import _grid_measure as measure
from app.panes import _grid_state as st
from app.panes._grid_state import Live, Measured, State
from app.sorting import heard
from app.timeline import Timeline
from ut_engine.halting import SCENARIOS
from ut_engine.records import StepRecord
from ut_engine.run import Run, RunInfo
from ut_engine.schedule import STATES

Done = tuple[State, tuple[Effect, ...]]
RANDOM_BITS = 12  # drawn where none stand yet


def update(state: State, event: Event) -> Done:
    """One event; an event of no concern changes nothing."""
    line = timeline.heard(state.line, event.name, event.value)
    if line is not None:
        return (state, ()) if line == state.line else (replace(state, line=line), ())
    name, _, model = event.name.rpartition(".")
    if name in ("grid.cell", "grid.hold"):
        return _cell(state, name, model, event.value)
    handler = HANDLERS.get(event.name)
    return handler(state, event.value) if handler is not None else (state, ())


# ---- what is shown ----------------------------------------------------------------------------------------


def source(state: State, value: Any) -> Done:
    """Another source; the four shipped models run as soon as they are asked for."""
    if value not in st.SOURCES or value == state.source:
        return state, ()
    after = replace(state, source=str(value), hovered=None, held=None, what="", do="")
    after, effects = measure.asked_four(after) if value == st.FOUR else (after, ())
    if value == st.OPEN and st.open_cells(after) is None:
        after, effects = measure.own(after, None)
    if value != st.SCHEMATIC:  # a run is looked at as a whole first
        after = replace(after, line=replace(after.line, current=0, computed=0, live=True))
    return st.timed(after), effects


def show(state: State, value: Any) -> Done:
    if value not in st.SHOWS or value == state.show:
        return state, ()
    after = replace(state, show=str(value), hovered=None)
    return st.timed(replace(after, held=st.look(after, state.held))), ()


def _number(name: str, most: int) -> Callable[[State, Any], Done]:
    def handler(state: State, value: Any) -> Done:
        value = min(max(int(value), 1), most)
        return _changed(state, {name: value})

    return handler


def _chosen(name: str, allowed: tuple[str, ...]) -> Callable[[State, Any], Done]:
    return lambda state, value: _changed(state, {name: value}) if value in allowed else (state, ())


def _changed(state: State, changes: Mapping[str, Any]) -> Done:
    """Another schematic; a cell that is no longer there is not looked at."""
    if all(getattr(state, name) == value for name, value in changes.items()):
        return state, ()
    after = replace(state, **changes)
    return st.timed(replace(after, held=st.look(after, state.held), hovered=None)), ()


# ---- the cell looked at -----------------------------------------------------------------------------------


def _cell(state: State, name: str, model: str, value: Any) -> Done:
    """value: (row, position), None as the pointer leaves; a click holds a cell, a second one lets it go."""
    found = st.look(state, (model, *value)) if isinstance(value, tuple) else None
    if name == "grid.cell":
        return (state, ()) if found == state.hovered else (replace(state, hovered=found), ())
    if found is None:
        return state, ()
    return replace(state, held=None if found == state.held else found), ()


# ---- the four that ship -----------------------------------------------------------------------------------


def bits(state: State, value: Any) -> Done:
    """Bits typed by the user; what is no bit is said where it was typed."""
    text = "".join(normalize("NFKC", str(value)).split())  # full-width digits of an input source too
    if text == state.bits and not state.what and state.four.asked == text:
        return state, ()
    wrong = next((sign for sign in text if sign not in "01"), "")
    if not text or wrong or len(text) > st.MOST_BITS:
        what = msg("Type some bits")
        what = msg("“{sign}” is not a bit", sign=wrong) if wrong else what
        if not wrong and text:
            what = msg("{n} bits are too many", n=len(text))
        return replace(state, what=what, do=msg("Use 0 and 1, at most {n} of them", n=st.MOST_BITS)), ()
    after = replace(state, bits=text, what="", do="", held=None, hovered=None)
    return measure.asked_four(after) if state.source == st.FOUR else (after, ())


def random_bits(state: State, _: Any) -> Done:
    """As many bits as there are, others: the next of a fixed row of draws, so that a view comes back."""
    count = len(state.bits) or RANDOM_BITS
    drawn = Random(int("1" + state.bits, 2)).getrandbits(count)
    return bits(state, f"{drawn:0{count}b}")


# ---- the open checkpoint ----------------------------------------------------------------------------------


def opened(state: State, value: Any) -> Done:
    """value: {"card": facts, "samples": [{"text", ...}]}: another checkpoint, nothing of it has run."""
    card = dict(value.get("card", value))
    samples = [one for one in value.get("samples", ()) if isinstance(one, Mapping)]
    live = Live(
        path=str(card.get("path", "")),
        name=str(card.get("name", "")),
        task=str(card.get("task") or ""),
        config=dict(card.get("config") or {}),
        text=str(samples[0].get("text", "")) if samples else "",
    )
    stop = (Effect("measure.cancel", measure.OWN_KEY),) if state.own.phase == st.WAITING else ()
    if live.path == state.live.path and state.live.info is not None:  # its run stays, as in the inspector
        return st.timed(replace(state, own=Measured())), stop
    after, effects = _other(replace(state, live=live, own=Measured()))
    return after, (*stop, *effects)


def _other(state: State) -> Done:
    """Another run or checkpoint, on screen where the open one is looked at."""
    if state.source != st.OPEN:
        return state, ()
    after = replace(state, held=None, hovered=None)
    return st.timed(replace(after, line=Timeline(live=True, speed=state.line.speed, ms=st.TICK_MS))), ()


def run(state: State, value: Any) -> Done:
    """A finished or recorded run."""
    if not isinstance(value, Run):
        return state, ()
    live = replace(state.live, generation=None, records=value.records, memo={})
    if value.info.checkpoint != state.live.name:
        live = replace(live, path="", name=value.info.checkpoint, text="")
    return _other(_about(state, live, value.info))


def _about(state: State, live: Live, info: RunInfo) -> State:
    """A run and what its description says of the model."""
    told = replace(live, info=info, task=info.task or live.task, config=info.config)
    return replace(state, live=told, own=Measured())


def info(state: State, value: Any) -> Done:
    """value: (generation, RunInfo) of a run that begins, or RunInfo."""
    generation, found = value if isinstance(value, tuple) else (None, value)
    if not isinstance(found, RunInfo):
        return state, ()
    begun = replace(found, finished="running")
    live = replace(state.live, generation=generation, records=(), memo={})
    return _other(_about(state, live, begun))


def record(state: State, value: Any) -> Done:
    generation, found = value if isinstance(value, tuple) else (state.live.generation, value)
    live = state.live
    if live.info is None or generation != live.generation or not isinstance(found, StepRecord):
        return state, ()
    after = replace(state, live=replace(live, records=(*live.records, found)))
    return (st.timed(after) if state.source == st.OPEN else after), ()


def ended(state: State, value: Any) -> Done:
    """The run is over, at its end or before; value: {"generation"} of one that is no longer shown is not."""
    live, about = state.live, value if isinstance(value, Mapping) else {}
    if about.get("generation", live.generation) != live.generation:
        return state, ()
    if live.info is None or live.info.finished != "running":
        return state, ()
    after = replace(state, live=replace(live, info=replace(live.info, finished="done")))
    return (st.timed(after) if state.source == st.OPEN else after), ()


def _width(state: State, px: Any) -> Done:
    narrow, slim = int(px) < st.FOLD, int(px) < st.SLIM
    same = (narrow, slim) == (state.narrow, state.slim)
    return (state, ()) if same else (replace(state, narrow=narrow, slim=slim), ())


HANDLERS: Mapping[str, Callable[[State, Any], Done]] = {
    "grid.source": source,
    "grid.show": show,
    "grid.m": _number("m", st.MOST_POSITIONS),
    "grid.depth": _number("depth", st.MOST_DEPTH),
    "grid.scenario": _chosen("scenario", SCENARIOS),
    "grid.state": _chosen("state", STATES),
    "grid.colour": _chosen("colour", st.COLOURS),
    "grid.bits": bits,
    "grid.random": random_bits,
    "grid.retry": measure.retry,
    "grid.own": measure.own,
    "grid.sort": lambda state, value: (replace(state, sort=heard(state.sort, value, 8)), ()),
    "grid.open": lambda state, name: (state, (Effect("open.path", str(name)),)),
    "grid.inspect": lambda state, _: (state, (Effect("open.view", "inspector"),)),
    "grid.act": lambda state, _: (
        state,
        (Effect("open.view", f"act?source={state.scenario}&state={state.state}"),),
    ),
    "measure.progress": measure.progress,
    "measure.done": measure.done,
    "measure.error": measure.failed,
    "engine.opened": opened,
    "engine.info": info,
    "engine.record": record,
    "engine.done": ended,
    "engine.lost": ended,
    "engine.error": lambda state, value: ended(state, value) if "generation" in value else (state, ()),
    "open.run": run,
    "view.width": _width,
}

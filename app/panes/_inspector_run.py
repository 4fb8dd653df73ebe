"""Running a model, and what can go wrong with it: part of the live inspector's update, pure.

Credits: a granted credit computes one step.  Streaming gives `AHEAD` of them and one more for each record;
pausing revokes what is unused; stepping gives one.  Every run has a generation; what comes from another one
is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from app import timeline
from app.messages import msg
from app.pane import Effect
from app.panes import _inspector_state as st
from app.panes._inspector_state import State
from app.timeline import Timeline
from ut_engine.records import StepRecord

Done = tuple[State, tuple[Effect, ...]]


def stop(state: State) -> tuple[Effect, ...]:
    return (Effect("engine.cancel"),) if state.live else ()


# ---- running --------------------------------------------------------------------------------------------


def start(state: State, _: Any, credits: int = st.AHEAD) -> Done:
    if state.phase in (st.NO_CHECKPOINT, st.OPENING, st.RECORDED, st.FAILED):
        return state, ()
    generation = state.generation + 1
    streaming = credits > 1
    after = replace(
        state,
        phase=st.RUNNING if streaming else st.PAUSED,
        generation=generation,
        granted=credits,
        waiting=bool(state.records),
        what="",
        do="",
        where="",
        line=replace(state.line, playing=0),
    )
    if not after.waiting:
        after = _cleared(after)
    request = {"generation": generation, "text": state.text, "device": state.device}
    request |= {"steps": state.steps or None}  # None: as many as the model takes by itself
    return after, (*stop(state), Effect("engine.run", request), Effect("engine.grant", credits))


def _cleared(state: State) -> State:
    """Nothing of the run before."""
    return replace(
        state,
        waiting=False,
        info=None,
        records=(),
        means=(),
        masses=(),
        axis=st.NO_AXIS,
        tiles={},
        memo={},
        asked=frozenset(),
        lost=False,
        line=Timeline(planned=state.steps, playing=int(state.phase == st.RUNNING), speed=state.line.speed),
    )


def info(state: State, value: Any) -> Done:
    """value: RunInfo of the run asked for, or (generation, RunInfo)."""
    generation, info = value if isinstance(value, tuple) else (state.generation, value)
    if generation > state.generation and state.live:
        return ended(state, "cancelled"), ()  # another pane took the engine
    if generation != state.generation or not state.live:
        return state, ()
    state = _cleared(state)  # what was run before stays on screen until here
    planned = info.max_steps or state.steps
    axis = st.axis_of(info, msg("position"))
    return replace(state, info=info, axis=axis, line=replace(state.line, planned=planned)), ()


def record(state: State, value: Any) -> Done:
    """value: StepRecord of the run asked for, or (generation, StepRecord)."""
    generation, record = value if isinstance(value, tuple) else (state.generation, value)
    if generation != state.generation or not state.live or state.waiting or state.info is None:
        return state, ()
    assert isinstance(record, StepRecord)
    after = st.with_record(state, record)
    line = timeline.grown(after.line, len(after.records))
    if state.go_to is not None:
        line = replace(timeline.seek(line, min(state.go_to, line.computed)), playing=0)
    streaming = state.phase == st.RUNNING
    granted = max(state.granted - 1, 0) + int(streaming)
    after = replace(after, line=line, granted=granted)
    return after, (Effect("engine.grant", 1),) if streaming else ()


def done(state: State, value: Any) -> Done:
    """The run ended; value: generation, or a mapping with "generation", "finished" and "dropped"."""
    facts = value if isinstance(value, Mapping) else {"generation": value}
    if facts.get("generation") not in (None, state.generation) or not state.live:
        return state, ()
    return ended(state, str(facts.get("finished") or "done"), tuple(facts.get("dropped") or ())), ()


def ended(state: State, finished: str, dropped: tuple[str, ...] = ()) -> State:
    """No run goes on; one that had not begun leaves the one before, whose maps the engine has dropped."""
    if state.waiting:
        return replace(state, phase=st.DONE, waiting=False, lost=True, granted=0, go_to=None)
    info = state.info
    if info is not None:
        info = replace(info, finished=finished, dropped=(*info.dropped, *dropped))
    count = len(state.records)
    at_end = state.line.current >= count
    line = replace(state.line, computed=count, planned=count or state.line.planned)
    line = replace(line, playing=0 if at_end else line.playing)
    return replace(state, phase=st.DONE if count else st.READY, info=info, line=line, granted=0, go_to=None)


def pause(state: State, _: Any) -> Done:
    if state.phase != st.RUNNING:
        return state, ()
    line = replace(state.line, playing=0)
    return replace(state, phase=st.PAUSED, granted=0, line=line), (Effect("engine.revoke"),)


def resume(state: State, _: Any) -> Done:
    if state.phase != st.PAUSED:
        return state, ()
    line = state.line if state.waiting else replace(timeline.last(state.line), playing=1)
    return replace(state, phase=st.RUNNING, granted=st.AHEAD, line=line), (Effect("engine.grant", st.AHEAD),)


def step(state: State, _: Any) -> Done:
    """One step: the first of a new run, or one more of a paused one."""
    if state.phase == st.RUNNING:
        state, effects = pause(state, None)
        return state, effects
    if state.phase == st.PAUSED:
        line = timeline.last(state.line)
        return replace(state, granted=state.granted + 1, line=line), (Effect("engine.grant", 1),)
    return start(state, None, credits=1)


def cancel(state: State, _: Any) -> Done:
    if state.phase == st.OPENING:
        closed = State(device=state.device, generation=state.generation + 1)
        now = replace(closed, narrow=state.narrow, single=state.single, panel=state.panel)
        return now, (Effect("engine.cancel"),)
    if not state.live:
        return state, ()
    after = replace(ended(state, "cancelled"), generation=state.generation + 1)
    return after, (Effect("engine.cancel"),)


# ---- what goes wrong ------------------------------------------------------------------------------------


def error(state: State, value: Any) -> Done:
    """value: {"what", "do", "generation"?} or (what, do): said where the user looks."""
    facts = value if isinstance(value, Mapping) else dict(zip(("what", "do"), value, strict=False))
    if facts.get("generation") not in (None, 0, state.generation):
        return state, ()
    said = replace(state, what=str(facts.get("what", "")), do=str(facts.get("do", "")))
    if state.phase in (st.NO_CHECKPOINT, st.OPENING):
        return replace(said, phase=st.NO_CHECKPOINT, where="checkpoint", autorun=False), ()
    after = ended(said, "failed") if state.live else said
    return replace(after, where="run"), ()


def lost(state: State, value: Any) -> Done:
    """The engine died; value: a sentence or {"what", "do"}.  What came is kept, maps not fetched are lost."""
    if state.phase == st.RECORDED:
        return state, ()
    facts = value if isinstance(value, Mapping) else {"what": value}
    after = ended(state, "lost") if state.live else state
    after = replace(after, what=str(facts.get("what", "")), do=str(facts.get("do", "")))
    return replace(after, phase=st.FAILED, lost=True, where="engine", granted=0), ()


def restart(state: State, _: Any) -> Done:
    """A new engine, and the same checkpoint in it; the records stay until a new run starts."""
    again = replace(state, phase=st.OPENING if state.path else st.NO_CHECKPOINT, what="", do="", where="")
    reopen = (Effect("engine.open", state.path),) if state.path else ()
    return again, (Effect("engine.restart"), *reopen)


def tile(state: State, value: Any) -> Done:
    """value: what was asked and "values", None when lost.

    A whole map comes in the order asked for, a pooled one (its blocks cannot be put in another order) in the
    model's.  Both are kept in the model's.
    """
    if value.get("generation") != state.generation or state.info is None:
        return state, ()
    values, rows = value.get("values"), value.get("rows")
    key = (int(value["step"]), int(value["head"]), *(() if rows is None else (int(rows[0]),)))
    if values is not None and values.shape == (len(state.axis), len(state.axis)):
        back = np.argsort(st.order_of(state.info))
        values = values[np.ix_(back, back)]
    return replace(state, tiles={**state.tiles, key: values}), ()

"""The live checkpoint as a source: one credit is one step, then the nine lines are walked from what came.

The model waits between steps.  What it computed (p, the transformed state) goes through the listing here, and
N, R, h and the output must come out as the model's own.  Stepping back never asks it for anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app import engine_texts, timeline
from app.depth import own_steps
from app.messages import Text, msg
from app.pane import Effect
from app.panes import _act_rerun as rerun
from app.panes import _act_state as st
from app.panes import _act_time as time
from app.panes._act_state import Branch, State
from ut_engine import debug
from ut_engine.debug import Setup, Trace
from ut_engine.edits import Edit, edits_from
from ut_engine.records import StepRecord

Done = tuple[State, tuple[Effect, ...]]
NO_ACT: dict[str, Any] = {
    "what": msg("This checkpoint does not halt by ACT"), "do": msg("Open one that does, or take a table")
}  # fmt: skip
STARTS = 1  # credits a run starts with: one step


def opened(state: State, value: Any) -> Done:
    """value: {"card": facts, "samples": [...]} of the checkpoint the engine has open."""
    card = value.get("card", value)
    texts = tuple(_text(sample) for sample in value.get("samples", ()))
    same = str(card.get("path", "")) == state.live.path and bool(state.live.text)
    live = replace(
        state.live,
        phase=st.IDLE,
        path=str(card.get("path", "")),
        name=str(card.get("name", "")),
        config=dict(card.get("config", {})),
        samples=texts,
        text=state.live.text if same or state.live.autorun else (texts[0] if texts else ""),
        what="",
        do="",
    )
    live = replace(live, text=live.text or (texts[0] if texts else ""))
    state = replace(state, live=live)
    if live.autorun and state.source == "live":
        return start(replace(state, live=replace(live, autorun=False)), None)
    return state, ()


def _text(sample: Any) -> str:
    return str(sample.get("text", "")) if isinstance(sample, Mapping) else str(sample.text)


def usable(state: State) -> bool:
    """Whether the open checkpoint halts by ACT, which is what the listing describes."""
    return bool(state.live.path) and state.live.config.get("halting", "act") == "act"


def start(state: State, _: Any) -> Done:
    """Run the checkpoint on the text: one step, then it waits."""
    live = state.live
    if state.source == "live" and live.path and not usable(state):
        return replace(state, live=replace(live, phase=st.FAILED, **NO_ACT)), ()
    if state.source != "live" or not live.path or not live.text.strip():
        return state, ()
    generation = live.generation + 1
    cap = own_steps(live.config) or None  # None: as many as the model takes, which may follow the length
    asked = {"generation": generation, "text": live.text, "steps": cap, "device": "auto"}
    live = replace(live, phase=st.RUNNING, generation=generation, info=None, records=(), wanted="start",
                   gap=0.0, what="", do="", ran=(live.path, live.text), rerun=None, fed=0)  # fmt: skip
    stop = (Effect("engine.cancel"),) if state.live.phase in (st.RUNNING, st.WAITING) else ()
    return replace(state, live=live), (*stop, Effect("engine.run", asked), Effect("engine.grant", STARTS))


def info(state: State, value: Any) -> Done:
    """value: (generation, RunInfo); another run means the engine is no longer ours."""
    generation, facts = value if isinstance(value, tuple) else (0, value)
    if generation != state.live.generation:
        if state.live.phase in (st.RUNNING, st.WAITING):
            return replace(state, live=replace(state.live, phase=st.DONE, wanted="")), ()
        return state, ()
    return replace(state, live=replace(state.live, info=facts)), ()


def record(state: State, value: Any) -> Done:
    """value: (generation, StepRecord): one step of the model, walked and checked here."""
    generation, found = value if isinstance(value, tuple) else (0, value)
    live = state.live
    if generation != live.generation or live.info is None or state.source != "live":
        return state, ()
    assert isinstance(found, StepRecord)
    if found.halting is None or found.state is None:
        live = replace(live, phase=st.FAILED, **NO_ACT)
        return replace(state, live=live), (Effect("engine.cancel"),)
    if not np.isfinite(found.halting.signal[0][found.real[0]]).all():  # the nine lines take no such p
        what = msg("The halting probabilities of step {t} are no numbers (NaN)", t=found.step)
        live = replace(
            live, phase=st.FAILED, what=what, do=msg("Open another checkpoint"), rerun=None, wanted=""
        )
        return replace(state, live=live), (Effect("engine.cancel"),)
    live = replace(live, records=(*live.records, found), phase=st.WAITING)
    if live.rerun is not None and len(live.records) < live.rerun.until:
        return replace(state, live=replace(live, phase=st.RUNNING)), ()
    return _taken(replace(state, live=live))


def _taken(state: State, ended: bool = False) -> Done:
    """The engine's run as far as it came, on screen; ended: it goes no further."""
    live = state.live
    trace = debug.walk(setup_of(live))
    trace = Trace(trace.setup, trace.records) if ended else trace
    live = replace(live, gap=gap(trace, live.records), places=tuple(map(int, _real(live))))
    state = replace(state, live=live)
    if live.rerun is not None:
        state = rerun.shown(state, trace)
    elif len(live.records) == 1:
        state = st.timed(replace(state, branches=(Branch("", trace),), branch=0, ghost=None))
    elif 0 <= live.fed < len(state.branches):
        old = state.branches[live.fed]
        new = Branch(old.name, trace, old.key)
        state = replace(state, branches=tuple(new if one is old else one for one in state.branches))
        state = st.timed(state)
    if state.branch != state.live.fed:
        return replace(state, live=replace(state.live, wanted="")), ()
    state, effects = _arrived(state)
    last = (Effect("engine.grant", 1),) if trace.finished and not ended else ()
    return state, (*effects, *last)  # the model's loop ends by itself: let it say so


def _arrived(state: State) -> Done:
    """Go on with what was wanted when the step was asked for."""
    wanted, state = state.live.wanted, replace(state, live=replace(state.live, wanted=""))
    if wanted == "start":
        if state.live.go_to > len(state.trace) and time.can_grow(state):
            return time.more(state, "start")
        return _linked(time.moved(state, timeline.seek(state.line, state.live.go_to or 1)))
    if wanted == "line":
        return replace(state, line=replace(timeline.moved(state.line, 1), playing=state.line.playing)), ()
    if wanted == "step":
        return time.group_forward(state, None)
    if wanted == "stop":
        return time.stop_forward(state, None)
    return time.last(state, None) if wanted == "end" else (state, ())


def _linked(state: State) -> Done:
    """The changes a link asked for, once the run as it was is there."""
    link, live = state.live.link, replace(state.live, link={})
    setup = rerun.linked(state.setup, link)
    state = replace(state, live=live)
    if setup is state.setup:
        return state, ()
    return rerun.changed(state, setup, msg("as in the link"), "link", live.go_to)


def done(state: State, value: Any) -> Done:
    facts = value if isinstance(value, Mapping) else {"generation": value}
    live = state.live
    if facts.get("generation") != live.generation or live.phase not in (st.RUNNING, st.WAITING):
        return state, ()
    state = replace(state, live=replace(live, phase=st.DONE))
    if facts.get("finished") not in (None, "done") or not live.records:
        return replace(state, live=replace(state.live, wanted="", rerun=None)), ()
    if live.wanted == "stop":  # the end is where a stop that never comes leads
        state = replace(state, live=replace(state.live, wanted="end"))
    return _taken(state, ended=True)


def failed(state: State, value: Any) -> Done:
    """value: {"what", "do", "generation"?}: said where the text is."""
    facts = value if isinstance(value, Mapping) else {"what": value}
    if facts.get("generation") not in (None, 0, state.live.generation):
        return state, ()
    mine = state.live.phase in (st.RUNNING, st.WAITING)
    if not mine and state.source != "live":
        return state, ()
    refused = state.live.rerun is not None and facts.get("generation")  # a change; the runs before it stay
    live = replace(state.live, phase=st.DONE if refused else st.FAILED, wanted="", rerun=None, autorun=False,
                   what=str(facts.get("what", "")), do=str(facts.get("do", "")))  # fmt: skip
    return replace(state, live=live), ()


# ---- numbers ----------------------------------------------------------------------------------------------


def setup_of(live: st.Live) -> Setup:
    """The records of a run as a setup: p and the transformed states of its real positions."""
    assert live.info is not None
    real = _real(live)
    p = np.stack([_row(r.halting.signal, real) for r in live.records if r.halting is not None], axis=1)
    states = tuple(np.array(r.state[0][real]) for r in live.records if r.state is not None)
    for state in states:
        state.flags.writeable = False
    model = live.config
    return Setup(
        tuple(live.info.labels[int(k)] for k in real),
        p,
        epsilon=float(live.info.epsilon if live.info.epsilon is not None else model.get("epsilon", 0.01)),
        max_steps=int(live.info.max_steps or model.get("max_steps", 8)),
        mixing=str(model.get("mixing", "basic")),
        state=str(model.get("state", "listing2")),
        states=states,
        edits=tuple(_here(edit, real) for edit in edits_from(live.info.edits) if edit.position in real),
    )


def _real(live: st.Live) -> NDArray[np.intp]:
    """The model's positions that are no padding."""
    return np.flatnonzero(live.records[0].real[0])


def _here(edit: Edit, real: NDArray[np.intp]) -> Edit:
    """A change of the model's position as one of those on screen."""
    return replace(edit, position=int(np.flatnonzero(real == edit.position)[0]))


def _row(values: Any, real: Any) -> Any:
    return np.asarray(values)[0][real]


def gap(trace: Trace, records: tuple[StepRecord, ...]) -> float:
    """Largest difference between the model's h, N, R, weights and output and what the nine lines give."""
    largest = 0.0
    names = {"cumulative": "halting_probability", "n_updates": "n_updates", "remainder": "remainders",
             "weight": "update_weights"}  # fmt: skip
    for end, found in zip(trace.ends, records, strict=False):
        real = np.flatnonzero(found.real[0])
        for mine, name in names.items():
            theirs = getattr(found.halting, mine)
            if theirs is not None:
                largest = max(largest, float(np.abs(_row(theirs, real) - debug.column(end[name])).max()))
        if found.output is not None:
            scale = max(1.0, float(np.abs(found.output).max()))
            largest = max(largest, float(np.abs(found.output[0][real] - end["new_state"]).max()) / scale)
    return largest


def checked(live: st.Live) -> Any:
    """What came of the check, in a sentence."""
    if live.gap == 0.0:
        return msg("the nine lines give the model's own numbers exactly")
    return msg("the nine lines give the model's own numbers, largest difference {d}", d=f"{live.gap:.0e}")


def told(live: st.Live) -> Text:
    """What went wrong, in a sentence; "" where nothing did."""
    if not live.what:
        return ""
    return engine_texts.told(live.what, live.do)

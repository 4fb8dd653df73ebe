"""What the ACT debugger does when something happens: (state, event) -> (state, effects), pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app import timeline
from app.messages import msg
from app.pane import Effect, Event
from app.panes import _act_live as live
from app.panes import _act_rerun as rerun
from app.panes import _act_sources as sources
from app.panes import _act_state as st
from app.panes import _act_time as time
from app.panes._act_state import MOST_BRANCHES, Branch, State
from app.view import number
from ut_engine import debug
from ut_engine.conditions import read_condition
from ut_engine.debug import Setup
from ut_engine.edits import Edit
from ut_engine.errors import UserError
from ut_engine.faults import fault_names, load_fault
from ut_engine.halting import scenario
from ut_engine.spec import CHOICES
from ut_engine.stops import Stop

Done = tuple[State, tuple[Effect, ...]]


def update(state: State, event: Event) -> Done:
    """One event; an event of no concern changes nothing, a user's mistake is said where it was made."""
    handler, value = HANDLERS.get(event.name), event.value
    if handler is None:
        name, _, place = event.name.rpartition(".")
        if number(place) is None or name not in PLACED:
            return state, ()
        handler, value = PLACED[name], (int(place), value)
    try:
        return handler(state, value)
    except UserError as error:
        return replace(state, what=error.what, do=error.do, where=event.name), ()


# ---- controls ---------------------------------------------------------------------------------------------


def mixing(state: State, value: Any) -> Done:
    if value not in CHOICES["mixing"] or value == state.setup.mixing:
        return state, ()
    return _rerun(state, {"mixing": str(value)})


def semantics(state: State, value: Any) -> Done:
    if value not in CHOICES["state"] or value == state.setup.state or state.setup.states is not None:
        return state, ()
    return _rerun(state, {"state": str(value)})


def _rerun(state: State, changes: Mapping[str, Any]) -> Done:
    """The same run under another rule of mixing or state: nothing else changes, the place stays."""
    branches = tuple(
        Branch(old.name, debug.walk(replace(old.trace.setup, **changes)), old.key) for old in state.branches
    )
    return st.timed(replace(sources.quiet(state), branches=branches, revealed=-1)), ()


def epsilon(state: State, value: Any) -> Done:
    value = min(max(float(value), 0.0), 0.5)
    if math.isclose(value, state.asked.epsilon, abs_tol=1e-12):
        return state, ()
    return _branched(state, replace(state.asked, epsilon=value), msg("ε = {e}", e=f"{value:g}"), "ε")


def cap(state: State, value: Any) -> Done:
    now = state.asked
    most = st.MOST_STEPS if now.states is not None else now.p.shape[1]
    value = min(max(int(value), 1), most)
    if value == now.cap:
        return state, ()
    return _branched(state, replace(now, max_steps=value), msg("at most {n} steps", n=value), "cap")


# ---- the past ---------------------------------------------------------------------------------------------


def _branched(state: State, setup: Setup, name: Any, key: str) -> Done:
    """A changed run beside the old one, which stays as the ghost; the same change again goes on with it."""
    if setup.states is not None:
        return rerun.changed(state, setup, name, key)
    branch = Branch(name, debug.walk(setup), key)
    known = state.branches
    if state.branch > 0 and known[state.branch].key == key:
        known = tuple(branch if k == state.branch else old for k, old in enumerate(known))
        after = replace(sources.quiet(state), branches=known)
        return st.timed(after), ()
    kept = (known[0], *known[1:][-(MOST_BRANCHES - 2) :]) if len(known) >= MOST_BRANCHES else known
    here = next((k for k, old in enumerate(kept) if old is known[state.branch]), 0)
    after = replace(sources.quiet(state), branches=(*kept, branch), branch=len(kept), ghost=here)
    return st.timed(after), ()


def step_of(state: State) -> int:
    """The step whose past is changed: the one chosen, else the one looked at."""
    here = state.record.step if state.record is not None else 1
    return int(min(max(state.edit_step or here, 1), state.setup.p.shape[1]))


def edit(state: State, value: Any) -> Done:
    """value: (kind, position, p): at the chosen step."""
    kind, position, p = value
    step = step_of(state)
    change = Edit(str(kind), step, int(position), min(max(float(p), 0.0), 1.0))
    who = st.label(state, change.position)
    names = {
        "p": msg("p of {i} at t = {t} is {p}", i=who, t=step, p=f"{change.value:.2f}"),
        "halt": msg("{i} halts at t = {t}", i=who, t=step),
        "run": msg("{i} runs on at t = {t}", i=who, t=step),
    }
    key = f"{step} {change.position}"
    return _branched(state, debug.with_edit(state.asked, change), names[change.kind], key)


def branch(state: State, value: Any) -> Done:
    chosen = int(value)
    if not 0 <= chosen < len(state.branches) or chosen == state.branch:
        return state, ()
    ghost = state.branch if state.ghost in (None, chosen) else state.ghost
    return st.timed(replace(state, branch=chosen, ghost=ghost)), ()


def ghost(state: State, value: Any) -> Done:
    chosen = None if value in (None, "", "none") else int(value)
    return replace(state, ghost=chosen), ()


def forget(state: State, _: Any) -> Done:
    """Only the run as it was."""
    state, effects = rerun.forgotten(state)
    after = replace(sources.quiet(state), branches=state.branches[:1], branch=0, ghost=None)
    return st.timed(after), effects


# ---- stops ------------------------------------------------------------------------------------------------


def _with_stops(state: State, stops: tuple[Stop, ...]) -> Done:
    return st.timed(replace(sources.quiet(state), stops=stops)), ()


def line_stop(state: State, value: Any) -> Done:
    """A stop at a line set or taken away (at the cursor's, or the one just run, where none is named)."""
    line = value if isinstance(value, int) else state.cursor or (state.record.line if state.record else None)
    if line is None or not 1 <= line <= state.trace.per_step:
        return state, ()
    there = [stop for stop in state.stops if stop.kind == "line" and stop.number == line]
    if there:
        return _with_stops(state, tuple(stop for stop in state.stops if stop not in there))
    return _with_stops(state, (Stop("line", line), *state.stops))


def stop_on(state: State, value: Any) -> Done:
    """A stop enabled or disabled; value: (its place in the list, on)."""
    k, on = value
    stops = tuple(replace(s, on=bool(on)) if place == k else s for place, s in enumerate(state.stops))
    return _with_stops(state, stops)


def stop_remove(state: State, value: Any) -> Done:
    return _with_stops(state, tuple(s for k, s in enumerate(state.stops) if k != int(value)))


def stop_hits(state: State, value: Any) -> Done:
    """value: (place, hits)."""
    k, hits = int(value[0]), max(1, int(value[1]))
    stops = tuple(replace(s, hits=hits) if place == k else s for place, s in enumerate(state.stops))
    return _with_stops(state, stops)


def stop_add(state: State, value: Any) -> Done:
    """value: a kind, or ("halts", position)."""
    kind, which = value if isinstance(value, tuple) else (str(value), 0)
    new = Stop(kind, int(which))
    same = [k for k, s in enumerate(state.stops) if (s.kind, s.number, s.text) == (new.kind, new.number, "")]
    if same:
        stops = tuple(replace(s, on=True) if k in same else s for k, s in enumerate(state.stops))
        return _with_stops(state, stops)
    return _with_stops(state, (*state.stops, new))


def condition(state: State, value: Any) -> Done:
    """A condition as a stop; `… x3` stops from its third hit on."""
    text, hits = str(value).strip(), 1
    head, times, tail = text.rpartition(" x")
    if times and number(tail) is not None:
        text, hits = head.strip(), max(1, number(tail) or 1)
    read_condition(text, state.trace.m)
    kept = tuple(stop for stop in state.stops if stop.text != text)
    return _with_stops(state, (*kept, Stop("condition", text=text, hits=hits)))


# ---- bug hunt, prediction, the rest -----------------------------------------------------------------------


def fault(state: State, value: Any) -> Done:
    """A fault put into the listing ("" takes it out); the run starts over."""
    name = str(value or "")
    if name and name not in fault_names():
        return state, ()
    setup = state.setup
    if setup.states is not None:
        setup = debug.setup_of(scenario("sentence"))
        state = replace(state, source="sentence")
    mixing = load_fault(name).base if name else "basic"
    setup = replace(setup, fault=name, state="listing2", mixing=mixing, edits=())
    return sources.walked(replace(state, panel="hunt"), setup), ()


def accuse(state: State, _: Any) -> Done:
    """`This line is wrong`: the line at the cursor, or the one just run."""
    line = state.cursor or (state.record.line if state.record else 0)
    if not state.setup.fault or not line:
        return state, ()
    right = load_fault(state.setup.fault).line == line
    return replace(state, verdict=("right" if right else "wrong", line)), ()


def give_up(state: State, _: Any) -> Done:
    if not state.setup.fault:
        return state, ()
    return replace(state, verdict=("shown", load_fault(state.setup.fault).line)), ()


def predict(state: State, value: Any) -> Done:
    return replace(state, predict=bool(value), revealed=state.index if value else -1, guess=None), ()


def guess(state: State, value: Any) -> Done:
    return replace(state, guess=int(value)), ()


def cursor(state: State, value: Any) -> Done:
    return replace(state, cursor=int(value)), ()


def panel(state: State, value: Any) -> Done:
    """value: a panel's name, or its place among the tabs on screen."""
    names = st.PANELS if state.narrow else st.SIDE
    name = names[value] if isinstance(value, int) and 0 <= value < len(names) else value
    return (replace(state, panel=str(name)), ()) if name in st.PANELS else (state, ())


def width(state: State, value: Any) -> Done:
    narrow, single, slim = (int(value) < edge for edge in (st.NARROW, st.SINGLE, st.SLIM))
    if (narrow, single, slim) == (state.narrow, state.single, state.slim):
        return state, ()
    return replace(state, narrow=narrow, single=single, slim=slim), ()


def live_text(state: State, value: Any) -> Done:
    return replace(state, live=replace(state.live, text=str(value))), ()


def live_sample(state: State, value: Any) -> Done:
    k = int(value)
    if not 0 <= k < len(state.live.samples):
        return state, ()
    return replace(state, live=replace(state.live, text=state.live.samples[k])), ()


def _set(name: str, kind: Callable[[Any], Any]) -> Callable[[State, Any], Done]:
    return lambda state, value: (replace(state, **{name: kind(value)}), ())


def example(state: State, _: Any) -> Done:
    """The two positions that tell the semantics apart, at the end."""
    state, effects = sources.source(replace(state, source=""), "two-position")
    state = replace(state, panel="compare", pinned=1, line=timeline.last(state.line))
    return state, effects


HANDLERS: Mapping[str, Callable[[State, Any], Done]] = {
    **time.HANDLERS,
    "control.source": sources.source,
    "control.mixing": mixing,
    "control.state": semantics,
    "control.epsilon": epsilon,
    "control.cap": cap,
    "table.text": sources.table,
    "table.opened": sources.table,
    "table.open": lambda state, _: (state, (Effect("file.table"),)),
    "table.fill": sources.fill,
    "compare.example": lambda state, _: example(state, None),
    "edit.step": _set("edit_step", int),
    "edit.set": edit,
    "branch.choose": branch,
    "branch.ghost": ghost,
    "branch.forget": forget,
    "branch.restore": lambda state, setup: _branched(state, setup, msg("as in the link"), "link"),
    "line.stop": line_stop,
    "line.cursor": cursor,
    "line.into": lambda state, _: (replace(state, into=not state.into, panel=_line(state)), ()),
    "stop.remove": stop_remove,
    "stop.hits": stop_hits,
    "stop.add": stop_add,
    "stop.condition": condition,
    "hunt.fault": fault,
    "hunt.accuse": accuse,
    "hunt.show": give_up,
    "predict.on": predict,
    "predict.guess": guess,
    "why.bias": _set("bias", float),
    "panel.choose": panel,
    "view.width": width,
    "pin": _set("pinned", lambda value: value),
    "live.text": live_text,
    "live.sample": live_sample,
    "run.start": live.start,
    "engine.opened": live.opened,
    "engine.info": live.info,
    "engine.record": live.record,
    "engine.done": live.done,
    "engine.error": live.failed,
    "engine.lost": live.failed,
}


PLACED: Mapping[str, Callable[[State, Any], Done]] = {
    "stop.on": stop_on,
    "edit.p": lambda state, value: edit(state, ("p", *value)),
}
"""Events that end in a place, `stop.on.2`; value: (place, value)."""


def _line(state: State) -> str:
    return "line" if state.narrow else state.panel

"""Where a run comes from: scenarios, a typed or pasted table, the open checkpoint.  Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.pane import Effect
from app.panes import _act_live as live
from app.panes import _act_state as st
from app.panes._act_state import Branch, State
from ut_engine import debug
from ut_engine.act_table import Table, parse_table
from ut_engine.debug import Setup
from ut_engine.errors import UserError
from ut_engine.halting import EPSILON, STEPS, scenario, sigmoid

Done = tuple[State, tuple[Effect, ...]]


def quiet(state: State) -> State:
    return replace(state, what="", do="", where="") if state.what else state


def walked(state: State, setup: Setup, index: int | None = None) -> State:
    """A new run: no branches, the same stops; at the first line unless told."""
    trace = debug.walk(setup)
    line = replace(state.line, current=1 if index is None else index, playing=0)
    stops = tuple(stop for stop in state.stops if stop.kind != "halts" or stop.number < trace.m)
    after = replace(
        quiet(state),
        branches=(Branch("", trace),),
        branch=0,
        ghost=None,
        line=line,
        stops=stops,
        revealed=-1,
        verdict=None,
        guess=None,
        edit_step=None,
    )
    return st.timed(after)


def source(state: State, value: Any) -> Done:
    """Another scenario, the typed table, or the open checkpoint."""
    name = str(value)
    if name not in st.SOURCES or name == state.source:
        return state, ()
    stop = (Effect("engine.cancel"),) if _engaged(state) else ()
    idle = replace(state.live, phase=st.IDLE, records=(), info=None) if stop else state.live
    idle = replace(idle, rerun=None)
    after = replace(state, source=name, live=idle)
    if name == "live":
        after, effects = live.start(replace(after, panel="change"), None)
        return quiet(after), (*stop, *effects)
    if name == "table":
        text = state.text or as_text(state.setup)
        return walked(replace(after, text=text, panel="change"), _like(after, parse_table(text))), stop
    return walked(after, _like(after, scenario(name))), stop


def _engaged(state: State) -> bool:
    return state.source == "live" and state.live.phase in (st.RUNNING, st.WAITING)


def _like(state: State, table: Table) -> Setup:
    """A table under the controls as they stand."""
    now = state.setup
    plain = now.states is None
    return debug.setup_of(
        table,
        epsilon=now.epsilon if plain else EPSILON,
        mixing=now.mixing if plain else "basic",
        state=now.state if plain else "listing2",
        fault=now.fault,
    )


def as_text(setup: Setup) -> str:
    """A table as one types it: a row a position."""
    cells = ([f"{value:.6g}" for value in row] for row in setup.p)
    rows = [",".join((token.replace(",", "‚"), *row)) for token, row in zip(setup.tokens, cells, strict=True)]
    return "\n".join((",".join(("symbol", *(str(t + 1) for t in range(setup.p.shape[1])))), *rows))


def table(state: State, value: Any) -> Done:
    """Text typed or pasted (CSV, TSV, out of a spreadsheet); the last table stays while it is wrong."""
    text = str(value)
    if state.setup.states is None and text.strip() == as_text(state.setup):
        return quiet(replace(state, text=text if state.source == "table" else "")), ()  # back to what runs
    state = replace(state, text=text)
    try:
        found = parse_table(text)
    except UserError as error:
        return replace(state, what=error.what, do=error.do, where="table"), ()
    stop = (Effect("engine.cancel"),) if _engaged(state) else ()
    return walked(replace(state, source="table"), _like(state, found)), stop


def fill(state: State, value: Any) -> Done:
    """A table of one p everywhere, as a start bias gives it."""
    p = sigmoid(float(value))
    tokens = state.setup.tokens
    steps = max(state.setup.cap, STEPS)
    text = "\n".join(",".join((token.replace(",", "‚"), *([f"{p:.6f}"] * steps))) for token in tokens)
    return table(state, text)

"""Middle of the debugger: steps over positions, and the watch table on the same column axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.messages import Text, msg, nmsg
from app.pane import Selection
from app.panes import _act_state as st
from app.panes._act_state import State
from app.scene import Axis, Card, Lane, Lanes
from ut_engine.debug import Trace, column, shown
from ut_engine.listing import ASSIGNED

Array = NDArray[np.float64]
MOST_ROWS, LEAST_ROWS = 24, 6
WATCHED = ("p", "still_running", "new_halted", "halting_probability", "remainders", "n_updates",
           "update_weights", "transformed_state", "new_state")  # fmt: skip
OF_STEP = ("still_running", "new_halted", "update_weights")  # locals of a step: stale until set
RUNNING, HALTS, HALTED = 1, 2, 3


def centre(state: State, selection: Selection, pinned: int) -> Card:
    trace, record = state.trace, state.record
    steps = rows(state)
    kinds, fills = grid(state, steps)
    current = None if record is None else record.step - steps[0]
    hovered = selection.hovered if selection.hovered is not None and selection.hovered < trace.m else None
    numbers = tuple(range(1, trace.m + 1))
    mark = Lanes(
        "lanes",
        Axis(msg("position"), tuple(map(brief, trace.setup.tokens)), trace.setup.tokens, numbers),
        steps,
        fills,
        kinds,
        tuple(_note(kinds[k]) for k in range(len(steps))),
        tuple(lane(state, name) for name in WATCHED),
        current=current,
        ghost=_ghost(state, steps),
        pinned=pinned,
        hovered=hovered,
        watch_title=msg("Watch"),
        watch_note=_watch_note(state),
        alt=_alt(state),
    )
    subtitle = msg("halting probability so far · blue runs, orange halts now, hatched has halted")
    return Card("lanes.card", msg("Steps × positions"), mark, subtitle)


def brief(token: str) -> str:
    """One word of a token: the last one of a sentence."""
    words = token.split()
    return words[-1].rstrip(".,?!") or words[-1] if len(words) > 1 else token


def rows(state: State) -> tuple[int, ...]:
    """Steps shown: all that were walked, or that may come; a window where they are many."""
    trace, setup = state.trace, state.setup
    most = trace.steps if trace.finished and not state.predict else setup.cap
    most = min(max(most, min(LEAST_ROWS, setup.cap)), setup.cap)
    if most <= MOST_ROWS:
        return tuple(range(1, most + 1))
    here = state.record.step if state.record is not None else 1
    first = min(max(1, here - MOST_ROWS // 2), most - MOST_ROWS + 1)
    return tuple(range(first, first + MOST_ROWS))


def grid(state: State, steps: tuple[int, ...]) -> tuple[NDArray[np.uint8], Array]:
    """(kinds, fills) [row, position]: what each position did at each step, as far as it is looked at."""
    trace, record = state.trace, state.record
    kinds = np.zeros((len(steps), trace.m), np.uint8)
    fills = np.full((len(steps), trace.m), np.nan)
    if record is None:
        return kinds, fills
    for row, step in enumerate(steps):
        if step > record.step:
            break
        past = step < record.step
        known = past or (record.line >= 2 and not state.covered)
        fills[row] = trace.cumulative[step - 1] if past else column(record.variables["halting_probability"])
        halted = trace.halted_at
        before = (halted > 0) & (halted < step)
        now = (halted == step) & known
        kinds[row] = np.where(before, HALTED, np.where(now, HALTS, RUNNING))
    return kinds, fills


def _note(kinds: NDArray[np.uint8]) -> Text:
    if not kinds.any():
        return ""
    count = int((kinds == RUNNING).sum())
    return nmsg("{n} running", "{n} running", count)


def _ghost(state: State, steps: tuple[int, ...]) -> Array | None:
    """h of the run compared with, for the steps looked at so far."""
    other, record = state.ghost_trace, state.record
    if other is None or record is None or other.m != state.trace.m:
        return None
    found = np.full((len(steps), other.m), np.nan)
    for row, step in enumerate(steps):
        if step <= min(record.step, other.steps):
            found[row] = other.cumulative[step - 1]
            if step == record.step:
                place = min(other.at(step, record.line), len(other) - 1)
                found[row] = column(other.records[place].variables["halting_probability"])
    return found


def lane(state: State, name: str) -> Lane:
    """One variable at the line looked at, with old values where they really changed."""
    trace, record = state.trace, state.record
    if record is None or name not in record.variables:
        return Lane(name, np.full(trace.m, np.nan))
    values = record.variables[name]
    old = st.before(trace, state.index).get(name) if name in ASSIGNED else None
    before, note = None, _shape(values)
    if old is not None and old is not values:
        if old.shape != values.shape:
            note = f"{_dims(old)} → {_dims(values)}"
        else:
            changed = (old != values).any(axis=1)
            before = np.where(changed, shown(old), np.nan) if changed.any() else None
    current = record.variable == name
    stale = name in OF_STEP and _sets(trace, name) > record.line
    now = np.asarray(shown(values), dtype=float)
    scale = trace.scales.get(name, 1.0) or 1.0
    whole = name in ("still_running", "new_halted", "n_updates")
    return Lane(name, now, before, note, scale, whole, stale, current, current and state.covered)


def _sets(trace: Trace, name: str) -> int:
    """The first line that sets a variable."""
    return next((line.number for line in trace.setup.listing.lines if line.variable == name), 0)


def _dims(values: NDArray[Any]) -> str:
    return f"[{values.shape[0]}, {values.shape[1]}]"


def _shape(values: NDArray[Any]) -> str:
    """Shape and kind; of a state of many channels its length is shown."""
    kind = {"float64": "f64", "float32": "f32"}.get(values.dtype.name, values.dtype.name)
    length = "‖·‖ " if values.shape[1] > 1 and values.shape[0] != values.shape[1] else ""
    return f"{length}{_dims(values)} {kind}"


def _watch_note(state: State) -> Text:
    record = state.record
    if record is None:
        return ""
    if state.ghost_trace is not None:
        return msg("▲ changed by line {n}, old value below · dashed: the run compared with", n=record.line)
    return msg("▲ changed by line {n}, old value below", n=record.line)


def _alt(state: State) -> Text:
    record = state.record
    if record is None:
        return msg("nothing has run yet")
    return msg("{m} positions at step {t}, after line {n}", m=state.trace.m, t=record.step, n=record.line)

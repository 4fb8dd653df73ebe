"""The pinned position: how its probability grew, which states its output holds, what it costs."""

from __future__ import annotations

import numpy as np

from app.messages import Text, msg
from app.panes import _act_state as st
from app.panes._act_state import State
from app.scene import Node, Prose, Shares, Sheet, Span, Stack, Table
from ut_engine import metrics
from ut_engine.debug import PER_STEP, Trace, column

ROLES = ("running", "ok", "remainder", "halts", "accent")
NAMES = {"basic": msg("Listing 2"), "accumulated": msg("summed"), "graves": msg("Graves")}
STEPS = 12


def title(state: State, pinned: int) -> Text:
    return st.label(state, pinned)


def panel(state: State, pinned: int) -> tuple[Node, ...]:
    if state.record is None:
        return (Prose("pinned.none", ((Span(msg("Nothing has run yet"), "dim"),),)),)
    return stack(state, pinned), _shares(state, pinned), facts(state, pinned), ledger(state, pinned)


def stack(state: State, pinned: int) -> Stack:
    """h of the pinned position by step, as far as it is looked at."""
    trace, record = state.trace, state.record
    assert record is not None
    first = max(1, record.step - STEPS + 1)
    columns = []
    for step in range(first, max(record.step, min(trace.setup.cap, first + 5)) + 1):
        if step > record.step:
            columns.append((str(step), 0.0, 0.0, "running"))
            continue
        base = float(trace.cumulative[step - 2, pinned]) if step > 1 else 0.0
        now = st.at_frame(trace, min(trace.at(step, trace.per_step), state.index), "halting_probability")[
            pinned
        ]
        halts = int(trace.halted_at[pinned]) == step and now >= 1
        columns.append((str(step), base, float(now) - base, "halts" if halts else "running"))
    return Stack(
        "pinned.stack",
        tuple(columns),
        trace.setup.threshold,
        msg("1 − ε = {theta}", theta=f"{trace.setup.threshold:g}"),
        current=record.step - first,
        ghost=_ghost(state, pinned, first),
        alt=msg(
            "accumulated probability of {label}: {h}",
            label=st.label(state, pinned),
            h=f"{columns[record.step - first][1] + columns[record.step - first][2]:.2f}",
        ),
    )


def _ghost(state: State, pinned: int, first: int) -> tuple[float, ...]:
    other, record = state.ghost_trace, state.record
    if other is None or record is None or other.m != state.trace.m:
        return ()
    last = min(record.step, other.steps)
    return tuple(float(other.cumulative[step - 1, pinned]) for step in range(first, last + 1))


def steps_done(trace: Trace, index: int) -> int:
    """Steps whose update weight is known at a line."""
    return (index + 1) // PER_STEP + int((index + 1) % PER_STEP >= PER_STEP - 1)


def shares_of(trace: Trace, pinned: int, done: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """[step] shares in the output of the states mixed in so far."""
    weights = np.asarray(trace.weights[pinned, :done], dtype=float)
    return np.asarray(metrics.effective_weights(weights, trace.setup.mixing))


def _shares(state: State, pinned: int) -> Shares:
    """What the output holds so far, under each rule of mixing; what is missing is still zero."""
    branch, index = state.branches[state.branch], state.index
    rows = []
    mixings = ("basic", "graves") if not state.setup.fault else (state.setup.mixing,)
    for mixing in mixings:
        trace = branch.other(mixing, state.setup.state) if not state.setup.fault else state.trace
        done = min(steps_done(state.trace, index), trace.steps)
        found = shares_of(trace, pinned, done)
        parts = tuple(
            (f"s{k + 1}", float(share), ROLES[k % len(ROLES)]) for k, share in enumerate(found) if share > 0
        )
        total = float(found.sum())
        caption = msg("sum {sum}, zero state {zero}", sum=f"{total:.2f}", zero=f"{1 - total:.2f}")
        rows.append((NAMES[mixing], parts, caption))
    return Shares("pinned.shares", tuple(rows), msg("weight of each state in the output"))


def facts(state: State, pinned: int) -> Table:
    trace, record = state.trace, state.record
    assert record is not None
    values = {
        name: float(column(record.variables[name])[pinned])
        for name in ("halting_probability", "n_updates", "remainders")
    }
    halted = values["halting_probability"] >= 1
    capped = not halted and trace.finished and state.index + 1 == len(trace)
    later: Text = msg("none (cap)") if capped else msg("not yet")
    ponder = values["n_updates"] + values["remainders"]
    cost: Text = f"{ponder:.2f}" if halted or capped else later
    rows: list[tuple[Text | float, ...]] = [
        (msg("so far"), f"{values['halting_probability']:.2f}"),
        (msg("updates N"), f"{values['n_updates']:.0f}"),
        (msg("remainder R"), f"{values['remainders']:.2f}" if halted else later),
        (msg("ponder cost N + R"), cost),
    ]
    if state.index + 1 == len(trace) and trace.finished:
        loss = f"{trace.loss:.6f}"
        rows.append((msg("loss term, one side"), loss))
        rows.append((msg("encoder + decoder"), f"{2 * trace.loss:.6f}"))
    return Table("pinned.facts", tuple(rows))


def ledger(state: State, pinned: int) -> Sheet:
    """Per step: p, the update weight, the share in the output, and what the ponder cost asks of p."""
    trace, record = state.trace, state.record
    assert record is not None
    done = steps_done(trace, state.index)
    shares = shares_of(trace, pinned, done)
    over = state.index + 1 == len(trace) and trace.finished
    rows = []
    first = max(1, record.step - STEPS + 1)
    for step in range(first, record.step + 1):
        p = float(column(trace.records[trace.at(step, 1)].variables["p"])[pinned])
        known = step <= done
        gradient = f"{trace.gradient[pinned, step - 1]:+.0f}".replace("+0", "0") if over else "–"
        weight = f"{trace.weights[pinned, step - 1]:.2f}" if known else "–"
        share = f"{shares[step - 1]:.3f}" if known else "–"
        cells = (f"{p:.2f}", weight, share, gradient)
        rows.append(
            (Span(str(step)), *(Span(cell, "fg" if cell != "–" else "faint", mono=True) for cell in cells))
        )
    current = record.step - first
    columns: tuple[Text, ...] = ("t", "p", "w", msg("share"), "∂ρ/∂p")
    return Sheet(
        "pinned.ledger",
        columns,
        tuple(rows),
        current,
        "step.seek",
        tuple(range(first, record.step + 1)),
        alt=msg("by step: p, weight, share in the output, gradient of the ponder cost"),
    )

"""The semantics side by side: the same p under Listing 2, with frozen states, and by Graves's rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from app.messages import Message, Text, msg
from app.panes import _act_state as st
from app.panes._act_pinned import shares_of, steps_done
from app.panes._act_state import State
from app.scene import Button, Form, Node, Prose, Sheet, Span
from ut_engine.debug import Trace, column, difference, shown

LEDGER = 8
COLUMNS: tuple[tuple[str, str, Message], ...] = (
    ("basic", "listing2", msg("Listing 2")),
    ("basic", "frozen", msg("frozen")),
    ("graves", "listing2", msg("Graves")),
)


def compared(state: State) -> tuple[tuple[Message, Trace], ...]:
    """The same p under each semantics; a model's states cannot be frozen after the fact."""
    branch = state.branches[state.branch]
    if state.setup.states is not None:
        names = (("basic", msg("Listing 2")), ("accumulated", msg("summed")), ("graves", msg("Graves")))
        return tuple((name, branch.other(mixing, state.setup.state)) for mixing, name in names)
    return tuple((name, branch.other(mixing, semantics)) for mixing, semantics, name in COLUMNS)


def compare(state: State, pinned: int) -> tuple[Node, ...]:
    record = state.record
    if record is None:
        return ()
    runs = compared(state)
    head = msg(
        "{label} after step {t}; marked where it differs from the first column",
        label=st.label(state, pinned),
        t=record.step,
    )
    parts: list[Node] = [Prose("compare.head", ((Span(head, "dim"),),))]
    parts.append(_side_by_side(state, runs, pinned, record.step))
    parts.append(_ledger(runs, pinned, min(steps_done(state.trace, state.index), state.trace.steps)))
    parts += [Prose("compare.sum", _sums(runs, pinned)), Prose("compare.where", _where(state, runs))]
    button = Button("compare.example", msg("The two positions that tell them apart"), "compare.example")
    return (*parts, Form("compare.form", ((button,),)))


def _side_by_side(state: State, runs: tuple[tuple[Message, Trace], ...], pinned: int, step: int) -> Sheet:
    rows = []
    reads: dict[Text, Callable[[Any], Any]] = {
        msg("state s′"): lambda end: shown(end["transformed_state"])[pinned],
        msg("weight w"): lambda end: column(end["update_weights"])[pinned],
        msg("output"): lambda end: shown(end["new_state"])[pinned],
        "h": lambda end: column(end["halting_probability"])[pinned],
        "N": lambda end: column(end["n_updates"])[pinned],
        "R": lambda end: column(end["remainders"])[pinned],
    }
    for name, read in reads.items():
        values = [float(read(trace.ends[min(step, trace.steps) - 1])) for _, trace in runs]
        rows.append((Span(name, "dim"), *_marked(values)))
    return Sheet(
        "compare.sheet",
        ("", *(name for name, _ in runs)),
        tuple(rows),
        alt=msg("the pinned position under each semantics"),
    )


def _marked(values: list[float], digits: int = 4) -> tuple[Span, ...]:
    """The first value plain, the others marked where they differ from it."""
    return tuple(
        Span(
            f"{value:.{digits}f}".rstrip("0").rstrip("."),
            "fg" if abs(value - values[0]) < 1e-9 else "changed",
            mono=True,
        )
        for value in values
    )


def _ledger(runs: tuple[tuple[Message, Trace], ...], pinned: int, done: int) -> Sheet:
    """Share of each state in the output; their sum, and what stays zero."""
    found = [shares_of(trace, pinned, min(done, trace.steps)) for _, trace in runs]
    first = max(0, done - LEDGER)
    rows: list[tuple[Span, ...]] = []
    for k in range(first, done):
        values = [float(shares[k]) if k < len(shares) else 0.0 for shares in found]
        rows.append((Span(msg("share of s{k}", k=k + 1), "dim"), *_marked(values)))
    sums = [float(shares.sum()) for shares in found]
    zero = [1 - total for total in sums]
    for name, values in ((msg("sum"), sums), (msg("zero state"), zero)):
        rows.append((Span(name, "fg", bold=True), *_marked(values)))
    return Sheet(
        "compare.ledger",
        ("", *(name for name, _ in runs)),
        tuple(rows),
        alt=msg("shares of the states in the output"),
    )


def _sums(runs: tuple[tuple[Message, Trace], ...], pinned: int) -> tuple[tuple[Span, ...], ...]:
    """The sum of Listing 2 from its weights: 1 − ∏(1 − w)."""
    weights = np.asarray(runs[0][1].weights[pinned], dtype=float)
    product = " · ".join(f"(1 − {w:.2f})" for w in weights[:4] if w > 0)
    product += " …" if int((weights > 0).sum()) > 4 else ""
    total = 1 - float((1 - weights).prod())
    return ((Span(f"1 − ∏(1 − w) = 1 − {product or '1'} = {total:.4f}", "fg", mono=True),),)


def _where(state: State, runs: tuple[tuple[Message, Trace], ...]) -> tuple[tuple[Span, ...], ...]:
    lines = []
    for name, trace in runs[1:]:
        differs = difference(runs[0][1], trace)
        if not differs:
            text = msg("{name}: the same result everywhere", name=name)
        else:
            labels = ", ".join(st.label(state, k) for k in differs[:6]) + (" …" if len(differs) > 6 else "")
            text = msg("{name}: another N, R or output at {labels}", name=name, labels=labels)
        lines.append((Span(text, "dim"),))
    if state.setup.states is not None:
        note = msg("The model's states are as it computed them: frozen ones need a table.")
        lines.append((Span(note, "dim"),))
    return tuple(lines)

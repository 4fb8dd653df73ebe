"""One story: what the question reads at each step, and what it does to the answer to hide a fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.holes import figure
from app.messages import Text, msg
from app.pane import Selection
from app.panes import _ponder_parts as parts
from app.panes import _ponder_state as st
from app.panes._ponder_state import State
from app.scene import (
    Axis,
    Card,
    Choice,
    Column,
    Curve,
    Heatmap,
    Node,
    Row,
    Series,
    Span,
)

Array = NDArray[np.float64]
LONGEST = 30


def value(state: State) -> Mapping[str, Any]:
    return state.measured(st.STORY).value


def head(state: State) -> int:
    """The head on screen, from 0; -1 the mean: as chosen, else the one fixed on validation stories."""
    found = value(state)
    heads = len(found["weights"]) if found else 0
    if state.head is not None and state.head < heads:
        return state.head
    fixed = found.get("head") if found else None
    return int(fixed) - 1 if fixed else -1


def weights(state: State) -> Array:
    """What the question's row reads, [fact, step]."""
    every = np.asarray(value(state)["weights"], float)
    chosen = every.mean(axis=0) if head(state) < 0 else every[head(state)]
    return np.ascontiguousarray(chosen.T)


def changes(state: State) -> Array:
    """Change of the answer's probability, [fact, step]."""
    return np.ascontiguousarray(np.asarray(value(state)[state.kind]["change"], float).T)


def centre(state: State, selection: Selection) -> tuple[Node, ...]:
    waiting = parts.slot(state, st.STORY, msg("Hiding each fact at each step"))
    if not value(state):
        note = parts.NO_CHECKPOINT if not state.path else msg("Type or pick a story, then press Run.")
        inside = waiting or (parts.prose("story.none", note, role="dim"),)
        return (
            Card(
                "story.waiting",
                msg("What is read, and what it does"),
                Column("story.column", (*inside, Column("rest", ())), (*(0 for _ in inside), 1)),
            ),
        )
    read = Card(
        "read.card",
        msg("What the question reads"),
        parts.roomy(state, _map(state, selection, "read")),
        _head_name(state),
        (_heads(state),),
    )
    does = Card(
        "does.card",
        msg("What hiding a fact changes"),
        parts.roomy(state, _map(state, selection, "does")),
        "",
        (_kinds(state),),
    )
    curve, about = parts.roomy(state, _curve(state)), msg("the question’s row, step by step")
    curves = Card("curves.card", msg("How sharp it looks"), curve, about)
    if state.narrow:
        return read, does, curves
    return (Column("story.centre", (Row("story.row", (read, does), (5, 4), (380, 380)), curves), (5, 3)),)


def _head_name(state: State) -> Text:
    return msg("mean of the heads") if head(state) < 0 else msg("head {n}", n=head(state) + 1)


def _heads(state: State) -> Choice:
    options: list[tuple[str, Text]] = [("mean", msg("mean"))]
    options += [(str(k), str(k + 1)) for k in range(len(value(state)["weights"]))]
    here = "mean" if head(state) < 0 else str(head(state))
    return Choice(
        "head", msg("Head"), "ponder.head", tuple(options), here, "segments" if len(options) < 6 else "menu"
    )


def _kinds(state: State) -> Choice:
    names = (("onwards", msg("from t on")), ("only", msg("only at t")))
    return Choice("kind", msg("Hidden"), "ponder.kind", names, state.kind, "segments")


@lru_cache(maxsize=8)
def axis(facts: tuple[str, ...], supports: tuple[int, ...]) -> Axis:
    """Facts in the order told, numbered by their positions in the model: the newest is position 2."""
    short = tuple(fact if len(fact) <= LONGEST else fact[: LONGEST - 1] + "…" for fact in facts)
    numbers = tuple(len(facts) + 1 - k for k in range(len(facts)))
    return Axis(msg("fact"), short, facts, numbers, supports)


def _map(state: State, selection: Selection, key: str) -> Heatmap:
    """[fact, step]: what is read, or what hiding does."""
    found = value(state)
    rows = axis(tuple(found["facts"]), tuple(found["supports"]))
    steps = tuple(range(1, int(found["steps"]) + 1))
    cols = Axis(msg("step"), tuple(map(str, steps)), numbers=steps, kind="step")
    if key == "read":
        values, low, scale, title = weights(state), 0.0, "attention", msg("weight, scale fixed")
        alt = msg(
            "weight of the question on each fact, {facts} facts by {steps} steps",
            facts=len(rows),
            steps=len(cols),
        )
    else:
        values, low, scale = changes(state), -1.0, "diverging"
        title = msg("change of the answer’s probability")
        alt = msg(
            "change of the probability of “{answer}” when a fact is hidden: from {least} to {most}",
            answer=found["answer"],
            least=f"{values.min():+.2f}",
            most=f"{values.max():+.2f}",
        )
    pinned, hovered = _place(rows, selection.pinned), _hovered(selection, rows, len(steps))
    return Heatmap(key, values, rows, cols, low, 1.0, title, scale, pinned=pinned, hovered=hovered, alt=alt)


def _place(rows: Axis, position: int | None) -> int | None:
    number = None if position is None else position + 1
    return rows.numbers.index(number) if number in rows.numbers else None


def _hovered(selection: Selection, rows: Axis, steps: int) -> tuple[int, int] | None:
    """The cell under the pointer, [fact, step] from 0."""
    row, step = _place(rows, selection.hovered), selection.hovered_key
    if row is not None and step is not None and 1 <= step <= steps:
        return row, step - 1
    return None


def _curve(state: State) -> Curve:
    found = value(state)
    chosen = head(state)
    series = (
        Series(msg("entropy (1 = even)"), _by_head(found["entropy"], chosen), "fg"),
        Series(msg("weight on the facts needed"), _by_head(found["mass"], chosen), "ok"),
        Series(
            msg("probability of the answer"),
            tuple(float(one[2]) for one in found["by_step"]),
            "accent",
            dashed=True,
        ),
    )
    mass = series[1].y
    alt = msg(
        "weight on the facts needed: {first} at step 1, {last} at step {t}; entropy {least} at the least",
        first=f"{mass[0]:.2f}",
        last=f"{mass[-1]:.2f}",
        t=len(mass),
        least=f"{min(series[0].y):.2f}",
    )
    return Curve(
        "curves",
        series,
        max(int(found["steps"]), 2),
        (0.0, 1.0),
        state.line.current,
        msg("step"),
        "",
        alt=alt,
    )


def _by_head(rows: Sequence[Sequence[float]], head: int) -> tuple[float, ...]:
    """[step, head] -> [step], of one head or (-1) the mean of all."""
    return tuple(float(np.mean(row)) if head < 0 else float(row[head]) for row in rows)


def readout(state: State, selection: Selection) -> tuple[tuple[Span, ...], ...]:
    """One line of fixed place: the cell under the pointer, else what the step on screen would answer."""
    found = value(state)
    if not found:
        return ((Span(""),),)
    rows = axis(tuple(found["facts"]), tuple(found["supports"]))
    cell = _hovered(selection, rows, int(found["steps"]))
    if cell is not None:
        fact, step = cell
        change = float(changes(state)[fact, step])
        turned = found[state.kind]["turned"][step][fact]
        other = (
            msg("the answer is then “{answer}”", answer=turned)
            if turned != found["answer"]
            else msg("the answer stays")
        )
        return (
            (
                Span(rows.full[fact], bold=True),
                Span(msg("step {t}", t=step + 1), "dim"),
                Span(msg("weight {w}", w=figure(float(weights(state)[fact, step]), ".2f")), mono=True),
                Span(msg("hidden: {change}", change=figure(change, "+.3f")), mono=True),
                Span(other, "dim"),
            ),
        )
    step = max(state.line.current, 1)
    answer, odds, _ = found["by_step"][step - 1]
    role = "ok" if answer == found["expected"] else "fg"
    return (
        (
            Span(msg("stopped after step {t}:", t=step), "dim"),
            Span(answer, role, bold=True),
            Span(f"{odds:.2f}", mono=True),
        ),
    )

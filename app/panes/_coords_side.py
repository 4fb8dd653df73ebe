"""Sides of the coordinates pane: controls at the left, numbers and what they mean at the right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from app.holes import figure
from app.messages import Text, msg
from app.panes import _coords_numbers as numbers
from app.panes import _coords_state as st
from app.panes._coords_state import State
from app.parts import slider
from app.scene import Button, Card, Choice, Column, Field, Form, Node, Passage, Span, Table

SOURCES = {
    "paper": msg("the paper's formula"),
    "t2t": msg("T2T's sinusoids"),
    "table": msg("T2T's default: a learned step table"),
    "own": msg("the open checkpoint's own"),
}
PARTS = {"position": msg("position"), "step": msg("step"), "sum": msg("sum")}
PICTURES = {"signal": msg("values"), "dots": msg("products")}
OFFSET = 997  # of position 1,000 at step 3
RANGE = 1000
LARGE = 1e6  # a length from which its order of magnitude is said


def controls(state: State) -> tuple[Node, ...]:
    rows: list[tuple[Field, ...]] = [
        (Choice("source", msg("Signal"), "control.source", tuple(SOURCES.items()), state.source, "bare"),),
        (Choice("part", msg("Part"), "control.part", tuple(PARTS.items()), state.part, "segments"),),
        (
            Choice(
                "picture",
                msg("Picture"),
                "control.picture",
                tuple(PICTURES.items()),
                state.picture,
                "segments",
            ),
        ),
        (slider("t", msg("step t"), "control.t", min(state.t, state.steps), 1, state.steps),),
        (slider("look", msg("position i"), "control.look", state.place + 1, 1, max(state.positions, 1)),),
    ]
    return (
        Card("control.card", msg("What is shown"), Form("control", tuple(rows))),
        Card("size.card", msg("Size"), _size(state)),
        Card("about.card", msg("How it is made"), Passage("about", (Span(ABOUT[state.source]),), "caption")),
    )


def _size(state: State) -> Form:
    """Width and positions; a checkpoint's are its own."""
    formula = state.source != st.OWN
    options = tuple((str(d), str(d)) for d in st.WIDTHS)
    d = Choice("d", msg("d"), "control.d", options, str(state.d), "segments", enabled=formula)
    m = slider("m", msg("positions"), "control.m", state.m, st.LEAST_POSITIONS, st.MOST_POSITIONS, formula)
    return Form("size", ((d,), (m,)))


ABOUT = {
    "paper": msg(
        "Two sinusoids of the same frequencies are added: one of the position i, one of "
        "the step t, both counted from 1. Sine and cosine take turns along the dimensions."
    ),
    "t2t": msg(
        "Positions and steps count from 0, all sines come before all cosines, and the "
        "frequencies are spread over d/2 − 1. It is not a reordering of the paper's."
    ),
    "table": msg(
        "The code's default: a sinusoid of the position plus row t of a learned table. It is "
        "drawn as before training, with entries of variance 1; there is no row beyond the "
        "trained depth."
    ),
    "own": msg("What the checkpoint itself adds before each step, read from the model: fixed or learned."),
}


# ---- numbers ----------------------------------------------------------------------------------------------


def side(state: State) -> tuple[Node, ...]:
    cards: tuple[Node, ...] = ()
    if state.drawn:
        cards = (_position(state),)
    if state.source in (st.PAPER, st.T2T):
        cards = (*cards, _offsets(state))
    if state.source == st.TABLE:
        cards = (*cards, _table(state))
    if state.own.phase == st.DONE and len(state.own.position):
        cards = (*cards, _learning(state))
    return cards


def _position(state: State) -> Card:
    """The position looked at: offset, length measured and by the closed form."""
    i = state.place
    measured, formula = numbers.lengths(state), numbers.closed_form(state)
    rows: list[tuple[Text | float, ...]] = [
        ("i − t", f"{i + 1 - state.t:,}"),
        (msg("‖P‖ measured"), figure(float(measured[i]), ".4f")),
    ]
    if formula is not None:
        rows += [
            (msg("closed form"), f"{formula[i]:.4f}"),
            (msg("largest difference"), f"{np.abs(measured - formula).max():.0e}"),
        ]
    title = msg("Position {i}, step {t}", i=i + 1, t=state.t)
    return Card("position.card", title, Table("position", tuple(rows), alt=title))


def _offsets(state: State) -> Card:
    """The length over all offsets: what it reaches and never comes near."""
    d, source = state.d, state.source
    found = numbers.offsets(source, d)
    near = found[:RANGE]
    short = numbers.first_short(source, d)
    rows: list[tuple[Text | float, ...]] = [
        (msg("at i = t: √(2d)"), f"{found[0]:.3f}"),
        (msg("one code alone: √(d/2)"), f"{np.sqrt(d / 2):.3f}"),
        ("√d", f"{np.sqrt(d):.3f}"),
        (msg("at i − t = {n}", n=OFFSET), f"{found[OFFSET]:.4f}"),
        (msg("offsets 0–{n}", n=RANGE - 1), f"{near.min():.3f} – {near.max():.3f}"),
        (msg("first below √d"), "–" if short is None else f"i − t = {short:,}"),
    ]
    parts: list[Node] = []
    if state.far:
        low, at = numbers.far_lowest(source, d)
        rows.append((msg("least up to {n}", n=f"{numbers.FAR - 1:,}"), f"{low:.3f}"))
        rows.append((msg("at offset"), f"{at:,}"))
    parts.append(Table("offsets", tuple(rows), alt=msg("the length by offset, in numbers")))
    if not state.far:
        more = Button("far", msg("Look up to offset {n}", n=f"{numbers.FAR - 1:,}"), "far.look")
        parts.append(Form("far.form", ((more,),)))
    said = msg(
        "Only the distance i − t counts: moving t shifts the curve without changing its shape. "
        "Over offsets 0–{n} the signal is at least {r} times as long as one code alone.",
        n=RANGE - 1,
        r=f"{near.min() / np.sqrt(d / 2):.2f}",
    )
    parts.append(Passage("offsets.said", (Span(said),), "caption"))
    return Card("offsets.card", msg("By distance"), Column("offsets.body", tuple(parts)))


def _table(state: State) -> Card:
    """A table knows no distance: its rows are as long as they are."""
    expected = float(np.sqrt(1.5 * state.d))
    found = numbers.lengths(state)
    rows: tuple[tuple[Text | float, ...], ...] = (
        (msg("expected, sum: √(3d/2)"), f"{expected:.3f}"),
        (msg("over all positions"), f"{found.min():.3f} – {found.max():.3f}"),
    )
    said = msg(
        "A row of the table does not know the position: there is no peak at i = t, and no closed form."
    )
    body = Column(
        "table.body", (Table("table", rows, alt=said), Passage("table.said", (Span(said),), "caption"))
    )
    return Card("table.card", msg("Before training"), body)


def _learning(state: State) -> Card:
    """Does it disturb learning?"""
    value = state.own.value
    p, h, broken = value["p"], value["h"], value.get("not_finite_from")
    if broken is not None:
        said = _broken(value, int(broken))
        return Card(
            "learning.card", msg("Does it disturb learning?"), Passage("learning", (Span(said),), "caption")
        )
    said = msg(
        "In {name} the signal has length {p} at step 1, the states it is added to {h}; at step "
        "{t}, {q} and {k}. The embedding's scale and LayerNorm absorb it.",
        name=value["name"],
        p=_length(p[0]),
        h=_length(h[0]),
        t=len(p),
        q=_length(p[-1]),
        k=_length(h[-1]),
    )
    return Card(
        "learning.card", msg("Does it disturb learning?"), Passage("learning", (Span(said),), "caption")
    )


def _broken(value: Mapping[str, Any], step: int) -> Text:
    """Of a model whose states overflow: what can be said of its first step, and from where on nothing can."""
    p, h = float(value["p"][0]), float(value["h"][0])
    if not (math.isfinite(p) and math.isfinite(h)):
        return msg(
            "The states of {name} are no numbers (NaN or infinity) from step {t} on.",
            name=value["name"],
            t=step,
        )
    return msg(
        "In {name} the signal has length {p} at step 1, the states it is added to {h}. After step {t} the "
        "states are no numbers any more (NaN or infinity).",
        name=value["name"],
        p=_length(p),
        h=_length(h),
        t=step,
    )


def _length(value: float) -> str:
    """One decimal; of a model that is about to overflow, its order of magnitude."""
    return f"{value:,.1f}" if abs(value) < LARGE else f"{value:.1e}".replace("e+", "e")

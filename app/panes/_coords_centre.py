"""Centre of the coordinates pane: the signal as a map, its length, the signal beside the states."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.holes import figure, holes
from app.messages import Message, Text, msg
from app.pane import Selection
from app.panes import _coords_numbers as numbers
from app.panes import _coords_state as st
from app.panes._coords_beside import beside, waiting
from app.panes._coords_state import State
from app.scene import (
    Axis,
    Card,
    Column,
    Heatmap,
    Line,
    Plot,
    Prose,
    Row,
    Rule,
    Scale,
    Span,
)
from app.timeline import Timeline

Array = NDArray[Any]
WRITTEN = 128  # rows or columns from which cells are too narrow for numbers in them


def top(state: State, selection: Selection) -> Card:
    """The picture, and below it the number under the pointer with where it comes from."""
    if not state.drawn:
        return Card("signal.card", msg("The checkpoint's own signal"), waiting(state, "signal"))
    dots, cell = state.picture == st.DOTS, cell_of(state, selection)
    title = msg("Products P_i · P_k") if dots else msg("Positions × dimensions")
    body = Column(
        "signal.body", (_products(state, cell) if dots else _map(state, cell), _readout(state, cell)), (1, 0)
    )
    return Card("signal.card", title, body, _subtitle(state))


def _subtitle(state: State) -> Text:
    shown = min(state.positions, numbers.DOTS if state.picture == st.DOTS else numbers.ROWS)
    every = shown < state.positions or (state.picture == st.SIGNAL and state.width > numbers.COLS)
    parts = {
        "position": msg("position part: the same at every step"),
        "step": msg("step part: the same row at every position"),
        "sum": msg("position part + step part at t = {t}", t=state.t),
    }
    if not every:
        return parts[state.part]
    return msg("{what}; drawn in {n} rows", what=parts[state.part], n=shown)


@lru_cache(maxsize=16)
def _positions(count: int) -> Axis:
    numbers_ = tuple(range(1, count + 1))
    return Axis(msg("position"), tuple(map(str, numbers_)), numbers=numbers_, kind="place")


@lru_cache(maxsize=8)
def _dimensions(count: int) -> Axis:
    return Axis(msg("dimension"), tuple(map(str, range(count))), numbers=tuple(range(1, count + 1)))


def limit(state: State) -> float:
    """What the scale of the map reaches to: 2 for sums of two sinusoids."""
    if state.source == st.OWN:
        parts = (state.own.position, state.own.step)
        most = sum(float(np.abs(part[np.isfinite(part)]).max(initial=0)) for part in parts)
        return float(f"{most:.2g}") or 1.0
    return 4.0 if state.source == st.TABLE else 2.0


def cell_of(state: State, selection: Selection) -> tuple[int, int] | None:
    """(position, dimension or other position) under the pointer, in this pane or another."""
    row, col = selection.hovered, selection.hovered_key
    if row is None or not 0 <= row < state.positions:
        return None
    most = state.width if state.picture == st.SIGNAL else state.positions
    return row, min(col or 0, most - 1)


def _signed(state: State) -> Array:
    """The signal on the scale -limit ... limit as bytes."""
    if state.source == st.OWN:
        return _bytes(numbers.matrix(state), -limit(state), limit(state))
    return _kept(state.source, state.d, state.m, state.t, state.part, st.SIGNAL)


@lru_cache(maxsize=4)
def _kept(source: str, d: int, m: int, t: int, part: str, picture: str) -> Array:
    """The picture of a formula, the same array while one only moves over it."""
    state = State(source, d, m, part, line=Timeline(current=t))
    if picture == st.SIGNAL:
        return _bytes(numbers.matrix(state), -limit(state), limit(state))
    return _bytes(numbers.products(state) / d, 0.0, most_product(state))


def _bytes(values: Array, low: float, high: float) -> Array:
    """uint8 on the scale low ... high, read-only; few values, written into their cells, stay floats.

    So do those among which some are no numbers: these are hatched.
    """
    bad = holes(values)
    if max(values.shape) <= WRITTEN or bad is not None:
        exact = np.clip(values.astype(np.float32), low, high)
        if bad is not None:
            exact[bad] = values[bad]
        exact.flags.writeable = False
        return exact
    scaled = (values.astype(np.float32) - np.float32(low)) * np.float32(255 / (high - low))
    found = np.asarray(np.clip(np.rint(scaled), 0, 255).astype(np.uint8))
    found.flags.writeable = False
    return found


def _map(state: State, cell: tuple[int, int] | None) -> Heatmap:
    most = limit(state)
    return Heatmap(
        "signal",
        _signed(state),
        _positions(state.positions),
        _dimensions(state.width),
        -most,
        most,
        scale=msg("value"),
        colours="diverging",
        pinned=state.place,
        hovered=cell,
        fill=True,
        alt=sentence_of(state),
    )


def most_product(state: State) -> float:
    """In units of d: the square of a length is 2 at most for a sum of two sinusoids, 1/2 for one."""
    if state.source in (st.PAPER, st.T2T):
        return 2.0 if state.part == "sum" else 0.5
    found = numbers.products(state)
    return float(f"{float(found[np.isfinite(found)].max(initial=0)) / state.width:.2g}") or 1.0


def _products(state: State, cell: tuple[int, int] | None) -> Heatmap:
    most, axis = most_product(state), _positions(state.positions)
    if state.source == st.OWN:
        values = _bytes(numbers.products(state) / state.width, 0.0, most)
    else:
        values = _kept(state.source, state.d, state.m, state.t, state.part, st.DOTS)
    return Heatmap(
        "signal",
        values,
        axis,
        axis,
        0.0,
        most,
        scale=msg("P_i · P_k / d"),
        pinned=state.place,
        hovered=cell,
        fill=True,
        alt=msg("products of the signals of two positions, by both positions"),
    )


def sentence_of(state: State) -> Message:
    return msg(
        "the signal of {m} positions in {d} dimensions at step {t}",
        m=state.positions,
        d=state.width,
        t=state.t,
    )


def _readout(state: State, cell: tuple[int, int] | None) -> Prose:
    said = _rule(state) if cell is None else _said(state, cell)
    return Prose("signal.readout", ((Span(said, mono=True),),), "readout")


def _rule(state: State) -> Text:
    """How all numbers of the picture are made."""
    if state.picture == st.DOTS:
        return msg("P_i · P_k: how alike two positions look to attention, before any weights")
    return {
        st.OWN: msg("As the checkpoint adds it, measured."),
        st.TABLE: msg("T2T's sinusoid of the position + row t of a table (drawn as before training)"),
        st.PAPER: msg("P[i, 2j] = sin(i / 10000^(2j/d)) + sin(t / 10000^(2j/d)), odd dimensions with cos"),
        st.T2T: msg(
            "P[i, j] = sin((i−1) w_j) + sin((t−1) w_j), the second half with cos; w_j = 10000^(−j/(d/2−1))"
        ),
    }[state.source]


def _said(state: State, cell: tuple[int, int]) -> Text:
    """The number under the pointer, and how it is made."""
    row, col = cell
    if state.picture == st.DOTS:
        rows = numbers.rows_at(state, (row, col))
        return f"P_{row + 1} · P_{col + 1} = {figure(numbers.product(*rows), '.4f')}"
    position, step = numbers.value_at(state, row, col)
    return msg(
        "i = {i}, dimension {c}, t = {t}: {a} + {b} = {sum}",
        i=row + 1,
        c=col,
        t=state.t,
        a=figure(position, ".4f"),
        b=figure(step, ".4f"),
        sum=figure(position + step, ".4f"),
    )


# ---- lengths ----------------------------------------------------------------------------------------------


def bottom(state: State) -> Row | Column:
    cards = _lengths(state), beside(state)
    return Column("bottom", cards) if state.single else Row("bottom", cards, (3, 2), (260, 220))


def _lengths(state: State) -> Card:
    title = msg("Length of every row")
    if not state.drawn:
        note = Prose("lengths.none", ((Span(msg("There is no signal to measure."), "dim"),),))
        return Card("lengths.card", title, note)
    measured, formula = numbers.lengths(state), numbers.closed_form(state)
    x = np.arange(1.0, state.positions + 1)
    wide = 3.0 if len(x) <= 500 else 1.5  # wide strokes of many points are slow to draw
    lines: tuple[Line, ...] = (Line(msg("measured"), x, measured, "running", "line", width=wide),)
    if formula is not None:
        lines = (*lines, Line(msg("closed form"), x, formula, "fg", "dashed", width=1.0))
    d = state.width
    rules = (
        tuple(
            Rule(text, value, below=True)
            for text, value in (
                (msg("√(2d) = {n}", n=f"{np.sqrt(2 * d):.3f}"), float(np.sqrt(2 * d))),
                (msg("√d = {n}", n=f"{np.sqrt(d):.3f}"), float(np.sqrt(d))),
                (msg("√(d/2) = {n}", n=f"{np.sqrt(d / 2):.3f}"), float(np.sqrt(d / 2))),
            )
        )
        if state.source != st.OWN
        else ()
    )
    longest = float(measured[np.isfinite(measured)].max(initial=0))
    high = max(longest, float(np.sqrt(2 * d)) if rules else 0.0) * 1.08
    plot = Plot(
        "lengths",
        lines,
        Scale(msg("position i"), 1.0, float(max(state.positions, 2))),
        Scale(msg("‖P‖"), 0.0, high or 1.0),
        rules,
        here=float(state.place + 1),
        event="curve.pick",
        alt=msg("the length of the signal by position, measured and by the closed form"),
    )
    said = msg("√(d + 2 Σ cos((i − t) wⱼ))") if formula is not None and state.part == "sum" else ""
    return Card("lengths.card", title, plot, said)

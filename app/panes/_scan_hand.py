"""The scan by hand: steps over positions, settled and right by step, one position's window."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.messages import Text, msg, nmsg
from app.pane import Selection
from app.panes import _scan_events as events
from app.panes import _scan_state as st
from app.panes._scan_state import State
from app.scene import (
    Axis,
    Card,
    Column,
    Lattice,
    Line,
    Plot,
    Row,
    Rule,
    Scale,
    Switch,
    Tone,
)
from ut_engine.scan import coefficients, depths

LINKS = 400  # lines drawn at most, evenly spread: more are one grey
FULL = 160  # cells side by side that can still be told apart
WRONG, AGREES, SETTLED, BEFORE = 0, 1, 2, 3
KINDS = (
    Tone(msg("not guaranteed, wrong here"), "error"),
    Tone(msg("not guaranteed, right here by chance"), "running"),
    Tone(msg("settled: right for every input"), "ok"),
    Tone(msg("already settled: this step was not needed"), "ok", True),
)


def centre(state: State, selection: Selection) -> Column:
    close = Switch(
        "close",
        msg("{n} close up", n=st.CLOSE),
        "control.close",
        state.close,
        enabled=state.n > st.CLOSE,
        tip=msg("Only the positions around the one looked at, large enough to read"),
    )
    title = msg("Steps × positions")
    card = Card("grid.card", title, lattice(state, selection), _subtitle(state), (close,))
    cards = _by_step(state), _depths(state)
    below = Column("hand.below", cards) if state.single else Row("hand.below", cards, (3, 2), (260, 200))
    return Column("hand", (card, below), (3, 2), state.narrow and not state.single)


def _subtitle(state: State) -> Text:
    frame = state.frame
    if not state.signal:
        return msg("the same layer every time: every position reads its left neighbour")
    if not frame.step:
        return ""
    if frame.offset >= state.n:
        return msg(
            "step {t} would read {d} back: there is nothing left to read", t=frame.step, d=frame.offset
        )
    return msg("step {t}: position i reads i − {d}", t=frame.step, d=frame.offset)


# ---- steps over positions ---------------------------------------------------------------------------------


def lattice(state: State, selection: Selection) -> Lattice:
    """One row a step, the input at the bottom; lines for what the step on screen reads."""
    first, last = st.span(state)
    top, rows = events.rows_shown(state)
    focus = focus_of(state)
    inside = focus is not None and first <= focus[1] < last and top <= focus[0] < top + rows
    field = depends(state, focus, top, rows)[:, first:last] if focus is not None and inside else None
    hovered = selection.hovered
    elsewhere = hovered is not None and first <= hovered < last and state.cell is None
    shown = state.place - first if first <= state.place < last else None
    target = _target(state, first, last)
    named = bool(target) and len(target[0]) == 1  # longer ones reach under the name
    return Lattice(
        "grid",
        tones(state, top, rows)[:, first:last],
        KINDS,
        _steps(top, rows),
        _axis(first, last),
        texts=_texts(state, top, rows, first, last),
        links=_links(state, top, rows, first, last),
        field=field,
        focus=(focus[0] - top, focus[1] - first) if focus is not None and inside else None,
        current=state.frame.step - top,
        foot=target,
        foot_name=msg("should hold") if named else "",
        pinned=shown,
        column=hovered - first if hovered is not None and elsewhere else None,
        hover="cell.hover",
        pick="cell.pick",
        linked="hover",
        alt=_alt(state),
    )


def focus_of(state: State) -> tuple[int, int] | None:
    """(step, position) whose window is shown: under the pointer, else the one looked at, now."""
    if state.cell is not None:
        return state.cell
    return (state.frame.step, state.place) if state.look is not None else None


@lru_cache(maxsize=64)
def _steps(first: int, count: int) -> Axis:
    labels = tuple(str(step) for step in range(first, first + count))
    return Axis(msg("step"), labels, numbers=tuple(range(first, first + count)), kind="step")


@lru_cache(maxsize=64)
def _axis(first: int, last: int) -> Axis:
    numbers = tuple(range(first + 1, last + 1))
    return Axis(msg("position"), tuple(map(str, numbers)), numbers=numbers)


def tones(state: State, top: int, rows: int) -> NDArray[np.int64]:
    """[row, position]: wrong, right by chance, settled now or before; by coverage, never by value."""
    return _tones(*_key(state), top, rows)


@lru_cache(maxsize=16)
def _tones(*key: Any) -> NDArray[np.int64]:
    top, rows = key[-2:]
    frames = st.scanned(*key[:-2]).frames
    settled = np.array([frame.settled for frame in frames[top : top + rows]])
    correct = np.array([frame.correct for frame in frames[top : top + rows]])
    earlier = np.zeros_like(settled[:1]) if not top else frames[top - 1].settled[None]
    before = np.concatenate((earlier, settled[:-1]))
    found = np.where(settled, SETTLED, np.where(correct, AGREES, WRONG))
    found[settled & before] = BEFORE
    found.flags.writeable = False  # the same picture as long as it is the same array
    return found


def _texts(state: State, top: int, rows: int, first: int, last: int) -> tuple[tuple[str, ...], ...]:
    """The symbols, where there is room to read them."""
    if last - first > 64 or rows > 24:
        return ()
    show = state.rule.show
    frames = state.scan.frames[top : top + rows]
    return tuple(tuple(show(value) for value in frame.values[first:last]) for frame in frames)


def _target(state: State, first: int, last: int) -> tuple[str, ...]:
    if last - first > 64:
        return ()
    show = state.rule.show
    return tuple(show(value) for value in state.scan.target[first:last])


def _links(state: State, top: int, rows: int, first: int, last: int) -> NDArray[np.int64]:
    """[k, 2, 2]: (row, column) that reads and that is read, at the step on screen."""
    frame, row = state.frame, state.frame.step - top
    at = np.flatnonzero(frame.reads >= 0)
    read = frame.reads[at]
    seen = (at >= first) & (at < last) & (read >= first) & (0 < row < rows)
    every = max(1, math.ceil(int(seen.sum()) / LINKS))
    at, read = at[seen][::every], read[seen][::every]
    links = np.empty((len(at), 2, 2), dtype=np.int64)
    links[:, 0, 0], links[:, 0, 1] = row, at - first
    links[:, 1, 0], links[:, 1, 1] = row - 1, read - first
    return links


def depends(state: State, focus: tuple[int, int], top: int, rows: int) -> NDArray[np.bool_]:
    """[row, position]: the cells whose value goes into one cell, itself included.

    Without a step signal those that are left of it: read an odd number of times.
    """
    step, place = focus
    found = np.zeros((rows, state.n), dtype=bool)
    for row in range(max(top, 0), min(step, top + rows - 1) + 1):
        if state.signal:
            gap, reach = 2**row, 2**step - 2**row
            dense = gap * FULL < state.n  # too close together on screen to be told apart: one stretch
            places = place - np.arange(0, reach + 1, 1 if dense else gap)
        else:
            places = place - np.flatnonzero(coefficients(step - row, min(step - row, place) + 1))
        found[row - top, places[places >= 0]] = True
    return found


def _alt(state: State) -> Text:
    frame = state.frame
    return nmsg(
        "step {t}: {k} of {n} position settled, {r} right",
        "step {t}: {k} of {n} positions settled, {r} right",
        state.n,
        t=frame.step,
        k=frame.n_settled,
        r=frame.n_correct,
    )


# ---- by step, and by position -----------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _counts(*key: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    frames = st.scanned(*key).frames
    steps = np.arange(len(frames), dtype=float)
    settled, correct = ([getattr(frame, name) for frame in frames] for name in ("settled", "correct"))
    return steps, np.array(settled).sum(axis=1, dtype=float), np.array(correct).sum(axis=1, dtype=float)


def _key(state: State) -> tuple[Any, ...]:
    return state.operator, state.kind, state.n, state.seed, state.text, state.depth, state.signal


def _by_step(state: State) -> Card:
    steps, settled, correct = _counts(*_key(state))
    long = len(steps) > 40
    style, width = ("steps", 1.0) if long else ("line", 2.0)  # wide strokes of many points are slow to draw
    lines = (
        Line(msg("settled"), steps, settled, "ok", style, width=width),
        Line(
            msg("right for this input"),
            steps,
            correct,
            "running",
            "line" if long else "dashed",
            width=min(width, 1.5),
        ),
    )
    rules: tuple[Rule, ...] = (Rule(msg("n = {n}", n=state.n), float(state.n)),)
    if not state.signal and state.needed < len(steps):
        rules = (*rules, Rule(msg("T = {t}", t=state.needed), float(state.needed), upright=True, role="ok"))
    x = Scale(msg("step"), 0.0, max(float(steps[-1]), 1.0))
    y = Scale(msg("positions"), 0.0, state.n * 1.3)
    plot = Plot(
        "by_step",
        lines,
        x,
        y,
        rules,
        here=float(state.frame.step),
        event="plot.seek",
        alt=msg("settled and right positions by step"),
    )
    return Card("by_step.card", msg("Settled and right, by step"), plot)


def _depths(state: State) -> Card:
    """How many steps each position needs; the cells below the line are needed, the others are not."""
    need = depths(state.n).astype(float) if state.signal else without_signal(state.n)
    x = np.arange(1, state.n + 1, dtype=float)
    steps = state.scan.frames[-1].step
    line = Line("⌈log₂ i⌉" if state.signal else "2ᵏ − 1", x, need, "ok", "steps")
    top = max(float(need[-1]), float(steps), 1.0) * 1.3
    rules = (Rule(msg("run: {t}", t=steps), float(steps), role="running"),)
    plot = Plot(
        "depths",
        (line,),
        Scale(msg("position"), 1.0, float(max(state.n, 2))),
        Scale(msg("steps"), 0.0, top),
        rules,
        here=float(state.place + 1),
        legend=False,
        alt=msg("steps every position needs: the depth grows with the position"),
    )
    return Card("depths.card", msg("Depth each position needs"), plot)


@lru_cache(maxsize=8)
def without_signal(n: int) -> NDArray[Any]:
    return 2.0 ** depths(n) - 1

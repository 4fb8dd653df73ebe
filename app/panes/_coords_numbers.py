"""The numbers of the coordinates pane: the engine's sinusoids kept by width, only what is shown formed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.panes import _coords_state as st
from app.panes._coords_state import State
from ut_engine.coordinates import norms, offset_norms, step_table, waves

ROWS, COLS = 400, 512  # of a picture: about as many as a screen shows
DOTS = 200
SEARCHED = 4096  # offsets looked through for the first short one
FAR = 200_000

Array = NDArray[Any]


def variant_of(source: str) -> str:
    """The formula of the position part: a learned step table stands beside T2T's."""
    return "paper" if source == st.PAPER else "t2t"


def first_of(source: str) -> int:
    """The index position 1 is fed as."""
    return 1 if source == st.PAPER else 0


@lru_cache(maxsize=3)
def sinusoids(variant: str, d: int) -> tuple[Array, Array]:
    """sin and cos of every index that can be shown, [index, d // 2] each."""
    return waves(st.MOST_POSITIONS + st.MOST_STEPS + 1, d, variant)


@lru_cache(maxsize=4)
def learned(d: int) -> Array:
    return step_table(d, st.MOST_STEPS)


@lru_cache(maxsize=16)
def sampled(count: int, most: int) -> Array:
    """Places shown of so many: all, or evenly spread ones, the first of each block."""
    return np.arange(count) if count <= most else np.arange(most) * count // most


def columns(d: int, most: int) -> Array:
    """Dimensions shown: all, or evenly spread pairs, so that sine and cosine are both there."""
    if d <= most:
        return np.arange(d)
    pairs = sampled(d // 2, most // 2)
    return np.stack((2 * pairs, 2 * pairs + 1), axis=1).ravel()


def channels(variant: str, d: int, cols: Array) -> tuple[Array, Array]:
    """(j, whether it is the cosine) of channels: in turn in the paper, in two halves in T2T."""
    return (cols // 2, cols % 2 == 1) if variant == "paper" else (cols % (d // 2), cols >= d // 2)


@lru_cache(maxsize=6)
def position_part(source: str, d: int, m: int, most: int, most_cols: int) -> Array:
    """The position part of the rows and columns shown, [row, column]."""
    variant, cols = variant_of(source), columns(d, most_cols)
    sines, cosines = sinusoids(variant, d)
    j, cosine = channels(variant, d, cols)
    at = np.ix_(sampled(m, most) + first_of(source), j)
    return np.asarray(np.where(cosine, cosines[at], sines[at]))


def step_vector(source: str, d: int, t: int) -> Array:
    """The step part, [d], in the source's layout."""
    if source == st.TABLE:
        return np.asarray(learned(d)[t - 1])
    variant = variant_of(source)
    sines, cosines = sinusoids(variant, d)
    j, cosine = channels(variant, d, np.arange(d))
    index = t - 1 + first_of(source)
    return np.asarray(np.where(cosine, cosines[index, j], sines[index, j]))


def matrix(state: State, most: int = ROWS, most_cols: int = COLS) -> Array:
    """The part of the signal on screen, [row, column] of those shown."""
    if state.source == st.OWN:
        rows, cols = sampled(state.positions, most), columns(state.width, most_cols)
        position = state.own.position[np.ix_(rows, cols)]
        step = state.own.step[state.t - 1, cols] if len(state.own.step) else np.zeros(len(cols))
    else:
        position = position_part(state.source, state.d, state.m, most, most_cols)
        step = step_vector(state.source, state.d, state.t)[columns(state.d, most_cols)]
    if state.part == "position":
        return np.asarray(position)
    return np.asarray(position + step if state.part == "sum" else np.broadcast_to(step, position.shape))


def value_at(state: State, place: int, channel: int) -> tuple[float, float]:
    """(position part, step part) of one number of the signal."""
    if state.source == st.OWN:
        step = state.own.step[state.t - 1, channel] if len(state.own.step) else 0.0
        return float(state.own.position[place, channel]), float(step)
    variant = variant_of(state.source)
    j, cosine = channels(variant, state.d, np.array([channel]))
    table = sinusoids(variant, state.d)[int(cosine[0])]
    position = table[place + first_of(state.source), j[0]]
    return float(position), float(step_vector(state.source, state.d, state.t)[channel])


def rows_at(state: State, places: tuple[int, ...]) -> Array:
    """Whole rows of the part on screen, [place, dim]."""
    if state.source == st.OWN:
        return matrix(state, st.MOST_POSITIONS, state.width)[list(places)]
    variant = variant_of(state.source)
    sines, cosines = sinusoids(variant, state.d)
    j, cosine = channels(variant, state.d, np.arange(state.d))
    at = np.ix_(np.array(places) + first_of(state.source), j)
    position = np.where(cosine, cosines[at], sines[at])
    step = step_vector(state.source, state.d, state.t)
    parts = {"position": position, "step": np.broadcast_to(step, position.shape), "sum": position + step}
    return np.asarray(parts[state.part])


# ---- lengths ----------------------------------------------------------------------------------------------


def lengths(state: State) -> Array:
    """The length of every row, measured, [position]."""
    if state.source == st.OWN:
        return norms(matrix(state, st.MOST_POSITIONS, state.width))
    return _lengths(state.source, state.d, state.m, state.t, state.part)


@lru_cache(maxsize=8)
def _lengths(source: str, d: int, m: int, t: int, part: str) -> Array:
    step = step_vector(source, d, t)
    if part == "step":
        return np.full(m, float(np.linalg.norm(step)))
    variant = variant_of(source)
    halves = sinusoids(variant, d)
    first, total = first_of(source), np.zeros(m)
    j, cosine = channels(variant, d, np.arange(d))
    for k, half in enumerate(halves):
        rows = half[first : first + m]
        if part == "sum":
            own = np.zeros(d // 2)
            own[j[cosine == bool(k)]] = step[cosine == bool(k)]
            rows = rows + own
        total += np.einsum("ij,ij->i", rows, rows)
    return np.sqrt(total)


def closed_form(state: State) -> Array | None:
    """The same lengths by the closed form; None where there is none."""
    if state.source in (st.TABLE, st.OWN):
        return None
    if state.part != "sum":
        return np.full(state.m, np.sqrt(state.d / 2))
    by_offset = offsets(state.source, state.d)
    return by_offset[np.abs(np.arange(1, state.m + 1) - state.t)]


@lru_cache(maxsize=6)
def offsets(source: str, d: int) -> Array:
    """The length at offsets 0 ... 4,095, [offset]."""
    return offset_norms(SEARCHED, d, variant_of(source))


@lru_cache(maxsize=4)
def far_lowest(source: str, d: int) -> tuple[float, int]:
    """(the least length, its offset) up to offset 199,999."""
    found = offset_norms(FAR, d, variant_of(source))
    return float(found.min()), int(found.argmin())


def first_short(source: str, d: int) -> int | None:
    """The first offset at which the length is below sqrt(d), of the first 4,096."""
    below = offsets(source, d) < np.sqrt(d)
    return int(np.argmax(below)) if below.any() else None


# ---- products ---------------------------------------------------------------------------------------------


def products(state: State) -> Array:
    """P_i . P_k of the rows shown, [row, row]."""
    rows = matrix(state, DOTS, state.width).astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):  # of a table that holds no numbers
        return np.asarray(rows @ rows.T)


def product(one: Array, other: Array) -> float:
    """P_i . P_k of two whole rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(one @ other)

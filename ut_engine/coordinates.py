"""The coordinate signal P^t: the paper's formula and tensor2tensor's, in numpy float64.

Two formulas, not a reordering of one another (they share their channels only at d = 2):
paper (eq. 6-7): P_{i,2j} = sin(i w_j) + sin(t w_j), P_{i,2j+1} = cos(i w_j) + cos(t w_j),
    w_j = 10000^(-2j/d), j = 0 ... d/2 - 1, i and t from 1 (the printed range of j is too long).
t2t (get_timing_signal_1d): all sines, then all cosines, w_j = 10000^(-j / (d/2 - 1)), a zero column when d
    is odd; counted from 0, so position i and step t (both from 1 here) are fed i - 1 and t - 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ut_engine.errors import UserError

Array = NDArray[np.floating[Any]]
VARIANTS = ("paper", "t2t")
PARTS = ("position", "step", "sum")
_BLOCK = 64
_AT_ONCE = 1 << 20  # numbers of the matrix held at a time


def frequencies(d_model: int, variant: str = "paper") -> Array:
    """w_j, [d_model // 2]; UserError for an odd width with the paper's formula."""
    _check(d_model, variant)
    half = d_model // 2
    j = np.arange(half)
    if variant == "paper":
        return np.asarray(10000.0 ** (-2.0 * j / d_model))
    return np.asarray(np.exp(-j * (np.log(10000.0) / max(half - 1, 1))))


def sinusoid(indices: ArrayLike, d_model: int, variant: str = "paper") -> Array:
    """One sinusoid at these indices, [n] -> [n, d_model], in the variant's layout, indices taken as given."""
    angles = np.asarray(indices, dtype=float)[:, None] * frequencies(d_model, variant)
    half = d_model // 2
    out = np.zeros((len(angles), d_model))
    if variant == "paper":
        out[:, 0::2], out[:, 1::2] = np.sin(angles), np.cos(angles)
    else:
        out[:, :half], out[:, half : 2 * half] = np.sin(angles), np.cos(angles)
    return out


def coordinates(
    d_model: int, positions: int, step: int, variant: str = "paper", part: str = "sum", skip: int = 0
) -> Array:
    """P^t or one of its two parts, [positions, d_model], for step t and i = 1 ... positions, after `skip`.

    part: "position" (the same at every step), "step" (the same row at every position), "sum".
    """
    _check(d_model, variant, part)
    first = 1 if variant == "paper" else 0
    out = np.zeros((positions, d_model))
    if part != "step":
        out += sinusoid(np.arange(skip, skip + positions) + first, d_model, variant)
    if part != "position":
        out += sinusoid([step - 1 + first], d_model, variant)
    return out


def waves(count: int, d_model: int, variant: str = "paper") -> tuple[Array, Array]:
    """sin and cos of k w_j for k = 0 ... count - 1, [count, d_model // 2] each.

    By the addition theorem, a block of `_BLOCK` indices at a time: ten times faster than one by one.
    """
    return _waves(count, frequencies(d_model, variant))


def _waves(count: int, w: Array) -> tuple[Array, Array]:
    starts = np.arange(0, max(count, 1), _BLOCK)[:, None] * w
    within = np.arange(_BLOCK)[:, None] * w
    sine, cosine = np.sin(starts)[:, None], np.cos(starts)[:, None]
    sines = sine * np.cos(within) + cosine * np.sin(within)
    cosines = cosine * np.cos(within) - sine * np.sin(within)
    return sines.reshape(-1, len(w))[:count], cosines.reshape(-1, len(w))[:count]


def norms(signal: ArrayLike) -> Array:
    """Length of every row, [positions, d_model] -> [positions]."""
    return np.asarray(np.linalg.norm(np.asarray(signal), axis=-1))


def norm_at_offset(offset: ArrayLike, d_model: int, variant: str = "paper") -> Array:
    """||P^t_i|| for i - t = offset, any shape: sqrt(2n + 2 sum_j cos(w_j (i - t))), n = d_model // 2.

    Even in the offset; sqrt(2 d) at 0; sqrt(d) where the sum of cosines is 0.
    """
    offsets, w = np.asarray(offset, dtype=float), frequencies(d_model, variant)
    squares = 2 * len(w) + 2 * np.cos(offsets[..., None] * w).sum(axis=-1)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def offset_norms(count: int, d_model: int, variant: str = "paper") -> Array:
    """`norm_at_offset` of 0 ... count - 1, [count], as one product of matrices: 200,000 in a blink.

    cos w (a + b) = cos wa cos wb - sin wa sin wb, summed over j, for starts a and offsets b within a block.
    """
    w = frequencies(d_model, variant)
    sines, cosines = _waves(_BLOCK, w)
    far_sines, far_cosines = _waves(-(-count // _BLOCK), w * _BLOCK)
    sums = far_cosines @ cosines.T - far_sines @ sines.T
    return np.asarray(np.sqrt(np.maximum(2 * len(w) + 2 * sums.ravel()[:count], 0.0)))


def step_table(d_model: int, steps: int, seed: int = 0) -> Array:
    """T2T's learned step signal before training, [steps, d_model]: N(0, d^-1/2) times sqrt(d)."""
    return np.random.default_rng(seed).standard_normal((steps, d_model))


def closed_form(
    d_model: int, positions: int, step: int, variant: str = "paper", part: str = "sum", skip: int = 0
) -> Array:
    """The lengths `norms(coordinates(...))` must have, [positions]; one sinusoid alone has sqrt(d/2)."""
    _check(d_model, variant, part)
    if part == "sum":
        return norm_at_offset(np.arange(1, positions + 1) + skip - step, d_model, variant)
    return np.full(positions, np.sqrt(d_model // 2))


def dot_products(signal: ArrayLike) -> Array:
    """P_i . P_k of every pair of rows, [positions, d_model] -> [positions, positions].

    Of the position part alone it is sum_j cos(w_j (i - k)): the same for every pair at the same distance.
    """
    rows = np.asarray(signal)
    return np.asarray(rows @ rows.T)


def lengths(
    d_model: int, positions: int, step: int, variant: str = "paper", part: str = "sum"
) -> tuple[Array, Array]:
    """Measured lengths and the closed form, [positions] each, without holding the whole matrix."""
    _check(d_model, variant, part)
    most = max(1, _AT_ONCE // d_model)
    measured, formula = np.zeros(positions), np.zeros(positions)
    for skip in range(0, positions, most):
        count = min(most, positions - skip)
        signal = coordinates(d_model, count, step, variant, part, skip)
        measured[skip : skip + count] = norms(signal)
        formula[skip : skip + count] = closed_form(d_model, count, step, variant, part, skip)
    return measured, formula


def _check(d_model: int, variant: str, part: str = "sum") -> None:
    if variant not in VARIANTS:
        raise UserError(f"variant cannot be {variant!r}", f"use one of {', '.join(VARIANTS)}")
    if part not in PARTS:
        raise UserError(f"part cannot be {part!r}", f"use one of {', '.join(PARTS)}")
    if d_model < 1 or (variant == "paper" and d_model % 2):
        raise UserError(f"d_model = {d_model} does not fit the {variant} signal", "choose an even d_model")

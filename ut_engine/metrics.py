"""Numbers read off a run: pure numpy, last axes named in every docstring.

Attention rows are softmax rows (eq. 1 of the Universal Transformer paper, arXiv:1807.03819); weights of
states are those of its Listing 2 (appendix C), in Graves' sense p_n (ACT, arXiv:1603.08983, eq. 6).
Undefined values are NaN, never 0.  Natural logarithms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.floating[Any]]


def row_entropy(weights: ArrayLike) -> Array:
    """Shannon entropy of attention rows: [..., key] -> [...] in nats; 0 log 0 = 0.  Rows of eq. 1."""
    rows = np.asarray(weights)
    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)
    return np.asarray(np.maximum(-(rows * logs).sum(axis=-1), 0.0))


def normalised_entropy(entropy: ArrayLike, attendable: ArrayLike) -> Array:
    """H / log(n), between 0 (one position read) and 1 (all alike): [...] and [...] (broadcast) -> [...].

    attendable: number n of keys the row may read; with n = 1 the value is undefined (NaN).
    """
    values, count = np.broadcast_arrays(np.asarray(entropy, dtype=float), np.asarray(attendable))
    out = np.full(values.shape, np.nan)
    several = count > 1
    np.divide(values, np.log(np.maximum(count, 2)), out=out, where=several)
    return out


def effective_number(entropy: ArrayLike) -> Array:
    """exp(H): the number of positions a uniform row of the same entropy would read.  [...] -> [...]."""
    return np.asarray(np.exp(np.asarray(entropy)))


def largest_weight(weights: ArrayLike) -> Array:
    """Largest weight of each attention row: [..., key] -> [...]."""
    return np.asarray(np.asarray(weights).max(axis=-1))


def choices(logits: ArrayLike) -> NDArray[np.intp]:
    """Which answer is read out: [..., answer] -> [...], -1 where the logits hold NaN or no finite number.

    `argmax` alone makes an answer, the first, of numbers that are none.
    """
    values = np.asarray(logits)
    sound = ~np.isnan(values).any(axis=-1) & np.isfinite(values.max(axis=-1, initial=-np.inf))
    return np.where(sound, values.argmax(axis=-1), -1)


def marked_mass(weights: ArrayLike, marked: ArrayLike) -> Array:
    """Attention on marked positions (the supporting facts): [..., query, key], [..., key] -> [..., query].

    marked: booleans; leading axes broadcast against those of the weights before the query axis.
    """
    rows, marks = np.asarray(weights), np.asarray(marked, dtype=bool)
    return np.asarray(np.where(marks[..., None, :], rows, 0).sum(axis=-1))


def update_norm(before: ArrayLike, after: ArrayLike) -> Array:
    """||h_t - h_{t-1}||: [..., dim] twice -> [...]."""
    return np.asarray(np.linalg.norm(np.asarray(after) - np.asarray(before), axis=-1))


def update_size(before: ArrayLike, after: ArrayLike) -> Array:
    """||h_t - h_{t-1}|| / ||h_{t-1}||: [..., dim] twice -> [...]; NaN where the old state is zero."""
    change, old = update_norm(before, after), np.linalg.norm(np.asarray(before), axis=-1)
    return _ratio(change, old)


def cosine_to_final(states: ArrayLike) -> Array:
    """Cosine of every step's state with the last: [step, ..., dim] -> [step, ...]; NaN for a zero state."""
    all_states = np.asarray(states)
    last = all_states[-1]
    dots = (all_states * last).sum(axis=-1)
    norms = np.linalg.norm(all_states, axis=-1) * np.linalg.norm(last, axis=-1)
    return _ratio(dots, norms)


def effective_weights(weights: ArrayLike, mixing: str = "basic") -> Array:
    """Share of each step's state in the output: update weights w [..., step] -> [..., step].

    basic (Listing 2, line 9: new = w s' + (1 - w) prev): w_k * prod_{l > k} (1 - w_l).
    accumulated, graves (a plain sum, ACT eq. 13): w itself.
    """
    w = np.asarray(weights)
    if mixing != "basic":
        return np.array(w)
    kept = np.cumprod((1 - w)[..., ::-1], axis=-1)[..., ::-1]
    later = np.concatenate([kept[..., 1:], np.ones_like(w[..., :1])], axis=-1)
    return np.asarray(w * later)


def zero_share(weights: ArrayLike, mixing: str = "basic") -> Array:
    """What the output keeps of the zero start: [..., step] -> [...].

    1 minus the sum of the effective weights; with basic mixing that is prod_l (1 - w_l).
    """
    w = np.asarray(weights)
    return np.asarray((1 - w).prod(axis=-1) if mixing == "basic" else 1 - w.sum(axis=-1))


def ponder(n_updates: ArrayLike, remainders: ArrayLike) -> Array:
    """rho = N + R (ACT eq. 5): [...] twice -> [...].  A halted position's lies in (N, N + 1], at least 2."""
    return np.asarray(np.asarray(n_updates) + np.asarray(remainders))


def ponder_loss(
    n_updates: ArrayLike,
    remainders: ArrayLike,
    real: ArrayLike | None = None,
    weight: float = 0.01,
    cumulative: ArrayLike | None = None,
) -> float:
    """weight * mean(N + R) over real positions, one side (encoder or decoder): [...] -> number.

    real: [...] False at padding; all by default.  cumulative: h at the end [...]; when given, what a
    position that hit the cap has left (1 - h) is charged too.  NaN without a real position.
    """
    cost = ponder(n_updates, remainders).astype(float)
    if cumulative is not None:
        cost = cost + (1.0 - np.asarray(cumulative))
    chosen = cost.ravel() if real is None else cost[np.asarray(real, dtype=bool)]
    return float(weight * chosen.mean()) if chosen.size else float("nan")


def top_reads(weights: ArrayLike, count: int = 3) -> tuple[NDArray[np.intp], Array]:
    """The most read positions of each row, the largest first: [..., key] -> indices, weights [..., count].

    Ties go to the earlier position.  Keys of weight 0 (masked) and missing keys have index -1, weight NaN.
    """
    rows = np.asarray(weights)
    keys = rows.shape[-1]
    order = np.argsort(-rows, axis=-1, kind="stable")[..., :count]
    values = np.take_along_axis(rows, order, axis=-1).astype(float)
    missing = [(0, 0)] * (rows.ndim - 1) + [(0, max(count - keys, 0))]
    order = np.pad(order, missing, constant_values=-1)
    values = np.pad(values, missing, constant_values=0.0)
    read = values > 0
    return np.where(read, order, -1), np.where(read, values, np.nan)


def _ratio(above: Array, below: Array) -> Array:
    """above / below, NaN where below is not positive."""
    out = np.full(np.shape(above), np.nan)
    return np.asarray(np.divide(above, below, out=out, where=below > 0))

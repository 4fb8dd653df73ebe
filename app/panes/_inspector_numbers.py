"""The numbers of the live inspector: sharpening, settling, answers and hops, as plain arrays.

Everything comes from the records (arrays [batch, ...] of `ut_engine.records`, example 0); NaN where a number
is undefined or was not computed.  Steps are rows here: [step, position].
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.messages import Text, msg
from app.panes._inspector_state import State, attention_of, by_heads, kept, matrix, tile_key
from ut_engine.records import StepRecord

Array = NDArray[Any]


def sharpness(state: State) -> Array:
    """[step, position] of the chosen measure and head.

    entropy: H / log(attendable), undefined with one attendable position.  effective: exp(H).
    largest: the largest weight.  mass: the weight on the marked positions.
    """

    def row(index: int) -> Array | None:
        return kept(state, ("sharp", index, state.head, state.measure), lambda: _sharp(state, index))  # type: ignore[no-any-return]

    count = len(state.records)
    whole = kept(
        state, ("sharpness", count, state.head, state.measure),
        lambda: _stacked([row(index) for index in range(count)], len(state.axis)),
    )  # fmt: skip
    return np.asarray(whole)


def _sharp(state: State, index: int) -> Array | None:
    record = state.records[index]
    entry = attention_of(record)
    if entry is None:
        return None
    if state.measure == "mass":
        values = by_heads(state.masses[index], state.head)
    elif state.measure == "largest":
        values = by_heads(None if entry.largest is None else entry.largest[0], state.head)
    else:
        values = _entropy(entry.entropy, entry.attendable, state)
    if values is None or values.shape != record.real[0].shape:
        return None
    return np.where(record.computed[0] & record.real[0], values, np.nan)


def _entropy(entropy: Array | None, attendable: Array | None, state: State) -> Array | None:
    if entropy is None:
        return None
    heads = entropy[0].astype(np.float64)
    if state.measure == "effective":
        return by_heads(np.exp(heads), state.head)
    if attendable is None:
        return None
    most = np.log(np.maximum(attendable[0], 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return by_heads(np.where(most > 0, heads / most, np.nan), state.head)


def settling(state: State) -> Array:
    """[step, position] relative update size ||h_t - h_(t-1)|| / ||h_(t-1)||."""

    def row(index: int) -> Array | None:
        return kept(state, ("settled", index), lambda: _settled(state.records[index]))  # type: ignore[no-any-return]

    count = len(state.records)
    whole = kept(
        state, ("settling", count), lambda: _stacked([row(index) for index in range(count)], len(state.axis))
    )
    return np.asarray(whole)


def _settled(record: StepRecord) -> Array | None:
    if record.update_norm is None or record.state_norm is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = record.update_norm[0] / record.state_norm[0]
    return np.where(np.isfinite(ratio) & record.computed[0] & record.real[0], ratio, np.nan)


def counted(state: State) -> Array:
    """[step, position] True where the row counts in a mean: every computed one, or only those running."""
    made = kept(state, ("counted", len(state.records), state.count_halted), lambda: _counted(state))
    return np.asarray(made)


def _counted(state: State) -> Array:
    rows = []
    for record in state.records:
        row = record.real[0] & record.computed[0]
        if not state.count_halted and record.halting is not None:
            row = row & record.halting.running[0]
        rows.append(row)
    return np.array(rows, bool).reshape(len(rows), -1)


def breakdown(state: State) -> Text:
    """What is said of a run whose numbers are none; "" of a sound one."""
    step = broken(state)
    return (
        "" if step is None else msg("its numbers are not finite (NaN or infinity) from step {t} on", t=step)
    )


def mean_of(values: Array, mask: Array) -> Array:
    """[step] mean over the positions that count; NaN where none does."""
    if not values.size:
        return np.full(len(values), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the mean of no row is NaN, and shown as a gap
        return np.asarray(np.nanmean(np.where(mask, values, np.nan), axis=1))


def attendable(state: State, position: int) -> int | None:
    """Positions the row may read at the step looked at."""
    entry = None if state.record is None else attention_of(state.record)
    if entry is None or entry.attendable is None:
        return None
    return int(entry.attendable[0, position])


def answer(state: State, record: StepRecord, position: int) -> tuple[str, float] | None:
    """(answer, probability) a position gives at a step: as if stopped there, or from the plain last state."""
    logits = record.readout if state.stopped or record.readout_state is None else record.readout_state
    if logits is None or not logits.shape[2]:
        return None
    row = logits[0, position].astype(np.float64)
    if not np.isfinite(row).all():
        return None
    odds = np.exp(row - row.max())
    best = int(odds.argmax())
    names = () if state.info is None else state.info.answers
    return (names[best] if best < len(names) else str(best + 1)), float(odds[best] / odds.sum())


def answering(state: State, pinned: int) -> int:
    """The position whose answer is shown: the first, or the pinned one where every position answers."""
    return pinned if state.info is not None and state.info.readout == "every" else 0


def row_at(state: State, index: int, position: int) -> Array | None:
    """[key] weights of a position's row at one record; None when not here, not computed or no numbers."""
    if not 0 <= index < len(state.records) or not state.records[index].computed[0, position]:
        return None
    values, count = matrix(state, index), len(state.axis)
    if values is not None and values.shape == (count, count):
        return _sound(values[position])
    alone = state.tiles.get((*tile_key(state, index), position))
    return None if alone is None or alone.shape != (1, count) else _sound(alone[0])


def _sound(row: Array) -> Array | None:
    return np.asarray(row) if np.isfinite(row).all() else None


def broken(state: State, index: int | None = None) -> int | None:
    """The first step (from 1) whose numbers are NaN or infinite, up to a record or of all that came."""
    last = len(state.records) if index is None else index + 1
    for place, record in enumerate(state.records[:last]):
        if kept(state, ("finite", place), lambda record=record: int(record.finite) + 1) == 1:  # type: ignore[misc]
            return place + 1
    return None


def top(row: Array, count: int = 3) -> list[tuple[int, float]]:
    """The positions read most, largest first; equal ones in their order."""
    best = np.argsort(-row, kind="stable")[:count]
    return [(int(place), float(row[place])) for place in best]


def n_updates(record: StepRecord) -> Array | None:
    """[position] N after the step, None without halting."""
    return None if record.halting is None or record.halting.n_updates is None else record.halting.n_updates[0]


def _stacked(rows: list[Array | None], count: int) -> Array:
    filled = [np.full(count, np.nan) if row is None else np.asarray(row, np.float64) for row in rows]
    return np.array(filled, np.float64).reshape(len(filled), count)

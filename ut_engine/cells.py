"""A run as a depth grid: what every cell, one position at one step, changed and would have answered.

The same figures for every model that steps: an LSTM's grid has one row, of which a tick computes one cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ut_engine.metrics import choices
from ut_engine.records import StepRecord, freeze
from ut_engine.run import RunInfo
from ut_engine.schedule import COMPUTED, COPIED, UNCOUNTED, Schedule, reach_of

Array = NDArray[Any]
DIGITS = 5  # of the figures as JSON


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Figures of a run, [row, position] arrays; of the positions that are no padding, in the model's order.

    name: of the checkpoint.  parameters: all of it.  labels: of the positions.  answers: of the read-out.
    places: the model's positions.  update: ||h_t - h_{t-1}|| / ||h_{t-1}||, NaN where the state before is
    zero (an LSTM's first).  cosine: of h_t and the state after the last step (an LSTM: the last position's
    state), NaN without states.  answer: place in `answers`, -1 where nothing is read; sure: its probability.
    p: halting probability, NaN without ACT.  These figures are infinite where the model's numbers are NaN or
    infinite (NaN says that there is nothing to have one of).  d_model, d_ff: widths.  transition: its kind.
    stacked: an LSTM's cells one above the other (1 for all other models).
    """

    name: str
    schedule: Schedule
    labels: tuple[str, ...]
    answers: tuple[str, ...]
    places: Array
    update: Array
    cosine: Array
    answer: Array
    sure: Array
    p: Array
    parameters: int = 0
    d_model: int = 0
    d_ff: int = 0
    transition: str = "feedforward"
    stacked: int = 1

    def __post_init__(self) -> None:
        freeze(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; NaN is kept."""
        grid = self.schedule
        return {
            "name": self.name,
            "model": grid.model,
            "state": grid.state,
            "causal": grid.causal,
            "window": grid.window,
            "reach": list(grid.reach),
            "parameters": self.parameters,
            "d_model": self.d_model,
            "d_ff": self.d_ff,
            "transition": self.transition,
            "stacked": self.stacked,
            "labels": list(self.labels),
            "answers": list(self.answers),
            **{name: getattr(grid, name).tolist() for name in ("cells", "tick", "weight_set")},
            **{name: getattr(self, name).tolist() for name in ("places", "answer")},
            **{name: np.round(getattr(self, name), DIGITS).tolist() for name in FIGURES},
        }


FIGURES = ("update", "cosine", "sure", "p")


def cells_from(values: Mapping[str, Any]) -> Cells:
    """Back from `to_dict`."""
    whole = {name: np.asarray(values[name], int) for name in ("cells", "tick", "weight_set")}
    schedule = Schedule(
        str(values["model"]),
        **whole,
        state=str(values["state"]),
        causal=bool(values["causal"]),
        window=int(values["window"]),
        reach=(int(values["reach"][0]), int(values["reach"][1])),
    )
    return Cells(
        name=str(values["name"]),
        schedule=schedule,
        labels=tuple(values["labels"]),
        answers=tuple(values["answers"]),
        places=np.asarray(values["places"], int),
        answer=np.asarray(values["answer"], int),
        parameters=int(values["parameters"]),
        d_model=int(values["d_model"]),
        d_ff=int(values["d_ff"]),
        transition=str(values["transition"]),
        stacked=int(values["stacked"]),
        **{name: np.asarray(values[name], float) for name in FIGURES},
    )


def cells_of(info: RunInfo, records: Sequence[StepRecord]) -> Cells | None:
    """The grid of the first example of a run's encoder (or only) side so far; None before its first step."""
    side = records[0].address.side if records else ""
    found = [record for record in records if record.address.side == side]
    if not found:
        return None
    places = np.flatnonzero(found[0].real[0])
    model = model_of(info.config)
    rows = [_row(record, places, info) for record in found]
    cosine = _cosines(found, places, model == "rnn")
    if model == "rnn":
        figures = {name: _diagonal([row[name] for row in rows], places) for name in rows[0]}
        cosine = _diagonal(list(cosine), places)
        ticks = np.arange(1, len(places) + 1)[None]
        done = np.where(ticks <= len(found), COMPUTED, 0)
        schedule = Schedule("rnn", done, ticks, np.zeros_like(ticks), causal=True)
    else:
        figures = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
        schedule = _schedule(model, found, places, info)
    return Cells(
        name=info.checkpoint,
        schedule=schedule,
        labels=tuple(info.labels[place] for place in places.tolist()),
        answers=info.answers,
        places=places,
        cosine=cosine,
        parameters=info.parameters,
        d_model=int(info.config.get("d_model", 0)),
        d_ff=int(info.config.get("d_ff", 0)),
        transition=str(info.config.get("transition", "feedforward")),
        stacked=int(info.config.get("layers", 1)) if model == "rnn" else 1,
        **figures,
    )


def model_of(config: Mapping[str, Any]) -> str:
    """Which of the four models a checkpoint's options describe."""
    architecture = config.get("architecture", "universal")
    if architecture == "lstm":
        return "rnn"
    if architecture == "transformer":
        return "transformer"
    return "act" if config.get("halting") == "act" else "ut"


def _row(record: StepRecord, places: Array, info: RunInfo) -> dict[str, Array]:
    """The figures of one step, [position] each."""
    count = len(places)
    nothing = np.full(count, np.nan)
    update, answer, sure, p = nothing, np.full(count, -1), nothing, nothing
    if record.update_norm is not None and record.state_norm is not None:
        moved, size = record.update_norm[0][places], record.state_norm[0][places]
        sound = np.isfinite(moved) & np.isfinite(size)
        ratio = np.where(sound, moved, 0.0) / np.where(sound & (size > 0), size, 1.0)
        update = np.where(sound, np.where(size > 0, ratio, np.nan), np.inf)
    if record.readout is not None:
        logits = record.readout[0][places].astype(float)
        with np.errstate(invalid="ignore"):  # of a model that broke down
            shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
            shares /= shares.sum(axis=-1, keepdims=True)
        read = places == 0 if info.readout == "first" else np.ones(count, bool)
        answer = np.where(read, choices(logits), -1)
        sure = np.where(read, _numbers(shares.max(axis=-1)), np.nan)
    if record.halting is not None:
        p = np.where(record.halting.running[0][places], _numbers(record.halting.signal[0][places]), np.nan)
    return {"update": update, "answer": answer, "sure": sure, "p": p}


def _numbers(values: Array) -> Array:
    """The values, infinity in place of those that are none."""
    return np.where(np.isfinite(values), values, np.inf)


def _cosines(records: Sequence[StepRecord], places: Array, along: bool) -> Array:
    """[step, position] cosine of a state and its position's last one.

    along: the last one is that of the last position read, for an LSTM.
    """
    last = records[-1].state
    if last is None or any(record.state is None for record in records):
        return np.full((len(records), len(places)), np.nan)
    states = np.stack([record.state[0][places] for record in records if record.state is not None])
    states = states.astype(float)
    end = states[-1, min(len(records), len(places)) - 1] if along else states[-1]
    sound = np.isfinite(states).all(axis=-1) & np.isfinite(end).all(axis=-1)
    states, end = np.where(sound[..., None], states, 0.0), np.where(np.isfinite(end), end, 0.0)
    sizes = np.linalg.norm(states, axis=-1) * np.linalg.norm(end, axis=-1)
    dots = (states * end).sum(axis=-1)
    found = np.where(sizes > 0, dots / np.where(sizes > 0, sizes, 1.0), np.nan)
    return np.asarray(np.where(sound, found, np.inf))


def _diagonal(rows: Sequence[Array], places: Array) -> Array:
    """[1, position]: each position as the step that read it had it; -1 or NaN where it is not read yet."""
    whole = rows[0].dtype.kind == "i"
    found = np.full((1, len(places)), -1 if whole else np.nan, dtype=int if whole else float)
    for step, row in enumerate(rows[: len(places)]):
        found[0, step] = row[step]
    return found


def _schedule(model: str, records: Sequence[StepRecord], places: Array, info: RunInfo) -> Schedule:
    """Who was computed, copied, or computed after it had halted."""
    state = str(info.config.get("state", "listing2"))
    cells = np.full((len(records), len(places)), COMPUTED)
    for row, record in enumerate(records):
        if record.halting is not None:
            stopped = ~record.halting.running[0][places].astype(bool)
            cells[row, stopped] = COPIED if state == "frozen" else UNCOUNTED
    rows = np.broadcast_to(np.arange(len(records))[:, None], cells.shape)
    weights = np.array([record.address.layer for record in records])
    causal = bool(info.config.get("causal", False))
    return Schedule(
        model,
        cells,
        rows + 1,
        np.broadcast_to(weights[:, None], cells.shape),
        state if model == "act" else "listing2",
        causal=causal,
        window=int(info.config.get("window", 0)),
        reach=reach_of(str(info.config.get("transition", "feedforward")), causal),
    )

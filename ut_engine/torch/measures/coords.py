"""The coordinate signal a checkpoint really adds, and how long it is beside the states it is added to.

args: {"checkpoint": path, "text": what it reads ("" for its first sample)}.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ut_engine.card import first_text
from ut_engine.errors import UserError
from ut_engine.family import load
from ut_engine.prepare import Input, prepare
from ut_engine.records import Capture
from ut_engine.spec import UTConfig
from ut_engine.torch.capture import to_array
from ut_engine.torch.coordinates import position_signal, step_signal
from ut_engine.torch.measures import Progress
from ut_engine.torch.model import DepthModel

MOST_ROWS = 128  # positions whose signal is given back
MOST_STEPS = 64
ONLY_STATES = Capture(attention=False, states=True, readout=False, derived=False)

Array = NDArray[Any]


def measure(args: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """{"name", "signal", "architecture", "steps", "labels", "position", "step", "p", "h", "text", ...}.

    position: [row][dim] at most 128 rows; step: [step][dim]; both [] where the model has no signal.
    p, h: mean length over the positions, by step, of what is added and of the state it is added to; p is 0
    at steps where nothing is added, and NaN stands where there is no number.  not_finite_from: the first step
    after which the states are NaN or infinite, or None.  repeat: whether the embedded input is added at every
    step too.
    UserError for an LSTM, or a text the model cannot read.
    """
    loaded = load(args["checkpoint"])
    config: UTConfig = loaded.config
    model = getattr(loaded.model, "encoder", loaded.model)
    if not isinstance(model, DepthModel):
        raise UserError("an LSTM adds no coordinates", "open a model of depth")
    text = str(args.get("text") or "") or first_text(loaded.header)
    ids, info = prepare(loaded, Input(text=text))
    progress(0, 1)
    with torch.inference_mode():
        embedded, real = model.embed_input(torch.as_tensor(ids))
        position = position_signal(config, embedded)
    states = [to_array(embedded[0]), *run_through(model, ids, progress)]
    table = steps_of(config, model, len(states) - 1, embedded)
    rows = None if position is None else to_array(position[0] if position.dim() == 3 else position)
    p = added(config, rows, table, len(states) - 1)
    return {
        "name": loaded.header.name,
        "signal": config.signal,
        "architecture": config.architecture,
        "bias": config.attention_bias,
        "repeat": bool(config.inject),
        "d_model": config.d_model,
        "positions": int(real.sum()),
        "steps": len(states) - 1,
        "labels": list(info.labels)[:MOST_ROWS],
        "text": text,
        "position": [] if rows is None else rounded(rows[:MOST_ROWS]),
        "step": [] if table is None else rounded(table[:MOST_STEPS]),
        "p": p,
        "h": [mean_length(state) for state in states[:-1]],
        "not_finite_from": next(
            (step for step, state in enumerate(states[1:], 1) if not np.isfinite(state).all()), None
        ),
    }


def run_through(model: DepthModel, ids: Array, progress: Progress) -> Iterator[Array]:
    """[position, dim] after every step."""
    for step, record in enumerate(model.steps(ids, ONLY_STATES), 1):
        assert record.state is not None
        yield record.state[0]
        progress(step, step + 1)


def steps_of(config: UTConfig, model: DepthModel, steps: int, like: torch.Tensor) -> Array | None:
    """[step, dim] of a Universal Transformer's step signal; None where there is none."""
    if config.signal == "none" or config.architecture != "universal":
        return None
    table = getattr(model, "step_table", None)
    with torch.inference_mode():
        rows = [step_signal(config, step, like, table) for step in range(1, steps + 1)]
        return to_array(torch.stack(rows))


def added(config: UTConfig, rows: Array | None, table: Array | None, steps: int) -> list[float]:
    """Mean length of what is added, by step; a Transformer adds positions before its first layer only."""
    if rows is None:
        return [0.0] * steps
    if table is None:
        return [mean_length(rows), *[0.0] * (steps - 1)]
    return [mean_length(rows.astype(float) + row) for row in table]


def mean_length(vectors: Array) -> float:
    """Of the rows, in float64: the squares of a state of 1e20 do not fit float32.  NaN of no numbers."""
    found = float(np.linalg.norm(vectors.astype(float), axis=-1).mean())
    return found if math.isfinite(found) else math.nan


def rounded(values: Array) -> list[list[float]]:
    return [[round(float(value), 4) for value in row] for row in values]

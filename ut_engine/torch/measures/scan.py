"""Trained parity checkpoints on given bits: right or wrong by position, and if stopped after every step.

args: {"bits": "0110...", "seed": 1, "checkpoints": {name: path}}.  The given string is the first of a batch;
the others, as many as fit into a few seconds, are random strings of the same length.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ut_engine.errors import UserError
from ut_engine.family import load
from ut_engine.metrics import choices
from ut_engine.records import Capture
from ut_engine.tasks.parity import ParityData
from ut_engine.torch.measures import Progress

MOST = 400  # bits: the models that take as many steps as positions need seconds then
CELLS = 2560  # strings x bits of a batch
MOST_STRINGS, LEAST_STRINGS = 64, 6
ONLY_ANSWERS = Capture(attention=False, states=False, readout=True, derived=False)

Array = NDArray[Any]


def measure(args: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """{"bits", "strings", "models": [one each, see `figures`]}; UserError for other symbols or too many."""
    bits = str(args["bits"])
    if not 1 <= len(bits) <= MOST or set(bits) - {"0", "1"}:
        raise UserError("the trained models cannot read this input", f"give 1 to {MOST} bits")
    ids, targets = batch(bits, int(args.get("seed", 0)))
    paths = dict(args["checkpoints"])
    total, models = len(paths) * (len(bits) + 1), []
    for k, (name, path) in enumerate(paths.items()):
        model, done = load(path).model, k * (len(bits) + 1)
        hits, updates = [], np.ones(ids.shape)
        for step, record in enumerate(model.steps(ids, ONLY_ANSWERS), 1):
            assert record.readout is not None
            hits.append((choices(record.readout) == targets)[:, 1:])
            if record.halting is not None:
                updates = record.halting.n_updates
            progress(min(done + step, total), total)
        models.append(figures(name, np.array(hits), updates[:, 1:]))
    return {"bits": bits, "strings": len(ids), "models": models}


def batch(bits: str, seed: int) -> tuple[Array, Array]:
    """(ids, targets) [string, position], the start symbol first; row 0 holds the bits given."""
    count = min(max(CELLS // len(bits), LEAST_STRINGS), MOST_STRINGS)
    ids, targets = ParityData().draw(np.random.default_rng(seed), len(bits), count)
    own = np.array([int(bit) for bit in bits])
    ids[0, 1:], targets[0, 1:] = own + 1, own.cumsum() % 2
    return ids, targets


def figures(name: str, hits: Array, updates: Array) -> dict[str, Any]:
    """hits: bool [step, string, bit].

    right: of the given bits, by position.  by_position: share of the strings.  by_step: share of all symbols
    if stopped after each step; front: how many leading ones are right then, on average.
    updates: N by position, of the given bits.
    """
    last = hits[-1]
    front = np.cumprod(hits, axis=2).sum(axis=2).mean(axis=1)
    return {
        "name": name,
        "steps": len(hits),
        "right": [int(hit) for hit in last[0]],
        "by_position": _short(last.mean(axis=0)),
        "by_step": _short(hits.mean(axis=(1, 2))),
        "front": _short(front),
        "whole": float(last.all(axis=1).mean()),
        "updates": [int(n) for n in updates[0]],
    }


def _short(values: Array) -> list[float]:
    return [round(float(value), 4) for value in values]

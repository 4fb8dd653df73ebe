"""Evaluation of an algorithmic task: by length, characters and whole strings, by position and by step.

Runs through the fused path and keeps no maps, so that strings of hundreds of symbols, with as many steps as
symbols, are measured in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ut_engine.metrics import choices
from ut_engine.records import Capture
from ut_engine.tasks.data import Batch, Group, collate
from ut_engine.torch.build import Encoder
from ut_engine.torch.capture import to_array

BATCH = 64

Array = NDArray[Any]


def by_length(
    model: Encoder, groups: Sequence[Group], steps: int | None = None, by_step: bool = False
) -> dict[str, Any]:
    """Figures per group (one length each) and over all; names of the contract's `eval`.

    n counts symbols asked, `sequences` strings.  steps: the cap for every string, None for the model's own
    number.  by_step: also the accuracy if stopped after every step (takes longer).
    """
    reports, right, asked, updates = [], 0, 0, []
    for group in groups:
        report, own = _group(model, group, steps, by_step)
        reports.append(report)
        right, asked = right + report.pop("right"), asked + report["n"]
        updates.append(own)
    every = np.concatenate(updates)
    whole = sum(one["sequence_accuracy"] * one["sequences"] for one in reports)
    return {
        "accuracy": right / asked,
        "sequence_accuracy": whole / sum(one["sequences"] for one in reports),
        "n": asked,
        "ponder_mean": float(every.mean()),
        "ponder_std": float(every.std()),
        "per_task": reports,
    }


def _group(model: Encoder, group: Group, steps: int | None, by_step: bool) -> tuple[dict[str, Any], Array]:
    """(report of one group, N of every real position)."""
    batches = [
        collate(group.examples[start : start + BATCH]) for start in range(0, len(group.examples), BATCH)
    ]
    same, updates, ran, broken = [], [], 0, 0
    model.eval()
    with torch.inference_mode():
        for batch in batches:
            out = model(torch.as_tensor(batch.ids, device=model.embed.weight.device), steps)
            chosen = choices(to_array(out.logits))
            same.append(chosen == batch.targets)
            broken += int(((chosen < 0) & (batch.targets >= 0)).sum())
            updates.append(to_array(out.n_updates))
            ran = max(ran, out.steps)
    targets, hit, n = (np.concatenate(parts) for parts in ([b.targets for b in batches], same, updates))
    asked = targets >= 0
    real = np.concatenate([_real(batch) for batch in batches])
    report = {
        "task": group.name,
        "n": int(asked.sum()),
        "right": int((hit & asked).sum()),
        "sequences": len(targets),
        "not_finite": broken,
        "accuracy": float(hit[asked].mean()),
        "sequence_accuracy": float((hit | ~asked).all(axis=1).mean()),
        "steps": ran,
        "ponder_mean": float(n[real].mean()),
        "ponder_std": float(n[real].std()),
        "ponder_histogram": np.bincount(n[real].astype(int)).tolist(),
        "question_ponder_mean": float(n[asked].mean()),
        "question_ponder_std": float(n[asked].std()),
        "accuracy_by_position": _by_position(hit, asked),
        "ponder_by_position": _by_position(n, asked),
        "accuracy_by_step": [], "n_by_step": [], "entropy_by_step": [], "gold_mass_by_step": [],
        "cropped": 0,
    }  # fmt: skip
    if by_step:
        report["accuracy_by_step"], report["n_by_step"] = _by_step(model, batches, steps)
    return report, n[real]


def _by_step(model: Encoder, batches: Sequence[Batch], steps: int | None) -> tuple[list[float], list[int]]:
    """(accuracy if stopped after every step, asked positions that ran in it)."""
    right: list[int] = []
    ran: list[int] = []
    done = 0
    for batch in batches:
        asked = batch.targets >= 0
        hits = 0
        count = 0
        for count, record in enumerate(model.steps(batch.ids, Capture(False, False, True, False), steps), 1):
            assert record.readout is not None
            if count > len(right):
                right.append(done)  # earlier batches kept what they had
                ran.append(0)
            hits = int(((choices(record.readout) == batch.targets) & asked).sum())
            right[count - 1] += hits
            on = asked if record.halting is None else asked & record.halting.running
            ran[count - 1] += int((on & record.computed).sum())
        for later in range(count, len(right)):
            right[later] += hits
        done += hits
    total = sum(int((batch.targets >= 0).sum()) for batch in batches)
    return [hit / total for hit in right], ran


def _by_position(values: Array, asked: Array) -> list[float | None]:
    """Means over the strings, of the positions at which something is asked; None elsewhere."""
    counts = asked.sum(axis=0)
    sums = np.where(asked, values, 0).sum(axis=0)
    return [float(total / count) if count else None for total, count in zip(sums, counts, strict=True)]


def _real(batch: Batch) -> Array:
    return np.asarray(batch.ids != 0)

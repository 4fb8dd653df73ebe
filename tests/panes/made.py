"""A made-up run for tests: twelve sentences, eight steps, four heads, halting at different steps.

Not a model: attention sharpens from even onto a few positions, halting follows fixed rates; every array has
the shapes and invariants of a real record (rows sum to 1, weights follow the halting).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ut_engine.records import Address, Attention, Halting, StepRecord
from ut_engine.run import Run, RunInfo

STORY = (
    "Where is the milk?",
    "Daniel travelled to the bathroom.",
    "Mary went back to the garden.",
    "Sandra journeyed to the office.",
    "John moved to the hallway.",
    "Daniel put down the apple.",
    "Mary picked up the milk there.",
    "Sandra went to the kitchen.",
    "John took the football there.",
    "Daniel grabbed the apple.",
    "Mary travelled to the hallway.",
    "Sandra went back to the bedroom.",
)
ANSWERS = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
CONFIG = {"d_model": 48, "heads": 4, "d_ff": 128, "max_steps": 8, "halting": "act", "epsilon": 0.01}


def info(m: int = 12, **changes: Any) -> RunInfo:
    labels = STORY if m == 12 else tuple(f"s{k + 1}" for k in range(m))
    values: dict[str, Any] = {
        "family": "universal_transformer",
        "checkpoint": "babi-ut-act",
        "config": CONFIG,
        "parameters": 53_287,
        "labels": labels,
        "ids": (tuple(range(1, m + 1)),),
        "task": "bAbI 1–3",
        "text": "\n".join(labels[::-1]),
        "marks": (2, 6) if m == 12 else (),
        "story_order": tuple(range(m))[::-1],
        "answers": ANSWERS,
        "expected": "garden",
        "device": "cpu",
        "max_steps": 8,
        "epsilon": 0.01,
    }
    return RunInfo(**{**values, **changes})


def records(
    m: int = 12,
    steps: int = 8,
    heads: int = 4,
    *,
    halting: bool = True,
    attention: bool = True,
    keep_maps: bool = True,
    frozen: bool = False,
    every: bool = False,
    seed: int = 5,
) -> tuple[StepRecord, ...]:
    """The records of one example."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 1, (heads, m, m))
    if m == 12:
        scores[1:, 0, 6] += 3.0
        scores[1:, 0, 2] += 3.4
    rate = np.linspace(0.75, 0.16, m) if m > 1 else np.array([0.4])
    rate[0] = 0.17
    h, n, rest = np.zeros((1, m)), np.zeros((1, m)), np.zeros((1, m))
    made = []
    for t in range(1, steps + 1):
        running = h < 1.0
        p = np.clip(rate[None] * (1 + 0.05 * t), 0, 1)
        new = running & (h + p > 0.99)
        going = running & ~new
        w = np.where(going, p, 0) + np.where(new, 1 - h, 0)
        rest = np.where(new, 1 - h, rest)
        h, n = h + w, n + running
        computed = running if frozen else np.ones((1, m), bool)
        made.append(
            StepRecord(
                Address(t),
                real=np.ones((1, m), bool),
                computed=computed,
                attention=(_attention(scores, t, computed, keep_maps),) if attention else (),
                halting=Halting("act", p, running, h >= 0.99, h, w, rest, n, not frozen) if halting else None,
                readout=_logits(m, t, rng),
                readout_state=_logits(m, t + 1, rng),
                update_norm=rng.uniform(0.8, 1.2, (1, m)) * 6 / t,
                state_norm=np.full((1, m), 7.0),
                seconds=0.003,
            )
        )
    return tuple(made)


def _attention(scores: np.ndarray, t: int, computed: np.ndarray, keep: bool) -> Attention:
    sharp = np.exp(scores * (0.15 + 0.45 * (t - 1)))
    weights = (sharp / sharp.sum(-1, keepdims=True))[None].astype(np.float32)
    entropy = -(weights * np.log(np.maximum(weights, 1e-30))).sum(-1)
    hidden = ~computed[:, None, :] & np.ones_like(entropy, bool)
    m = scores.shape[-1]
    return Attention(
        "self",
        weights if keep else None,
        attendable=np.full((1, m), m),
        entropy=np.where(hidden, np.nan, entropy),
        largest=np.where(hidden, np.nan, weights.max(-1)),
        size=weights.shape,  # type: ignore[arg-type]
    )


def _logits(m: int, t: int, rng: np.random.Generator) -> np.ndarray:
    logits = rng.normal(0, 0.15, (1, m, len(ANSWERS)))
    logits[0, 0, 3] += 1.2
    logits[0, 0, 2] += 0.75 * t
    return np.asarray(logits)


def run(m: int = 12, steps: int = 8, **options: Any) -> Run:
    return Run(info(m), records(m, steps, **options))


def broken(record: StepRecord, only: int | None = None) -> StepRecord:
    """The record as of a model that breaks down: NaN in all rows, or in one."""
    rows = slice(None) if only is None else only
    entries = []
    for entry in record.attention or ():
        new = {name: np.array(getattr(entry, name)) for name in ("weights", "entropy", "largest")}
        for values in new.values():
            values[:, :, rows] = np.nan
        entries.append(replace(entry, **new))
    arrays = ("readout", "readout_state", "update_norm", "state_norm")
    changed = {name: np.array(getattr(record, name)) for name in arrays}
    for values in changed.values():
        values[:, rows] = np.nan
    return replace(record, attention=tuple(entries), **changed)

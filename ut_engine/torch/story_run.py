"""One story through a checkpoint: who ponders how long, what the question reads, and which reading matters.

All lists over facts are in the order in which the story tells them; steps from 1.  Plain JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ut_engine.checkpoint import Loaded
from ut_engine.errors import UserError
from ut_engine.metrics import normalised_entropy, row_entropy
from ut_engine.prepare import Input, prepare
from ut_engine.records import Array, Capture, StepRecord
from ut_engine.run import RunInfo
from ut_engine.tokenizer import SentenceTokenizer, from_config
from ut_engine.torch.blocking import run_blocked
from ut_engine.torch.model import DepthModel

Progress = Callable[[int, int], None]


def encoder_of(loaded: Loaded) -> DepthModel:
    """The model where it reads stories with attention; raises UserError for any other."""
    known = from_config(dict(loaded.tokenizer_config)) if loaded.tokenizer_config else None
    if not isinstance(known, SentenceTokenizer) or not isinstance(loaded.model, DepthModel):
        raise UserError(
            f"{loaded.header.name} does not answer questions about stories", "choose a babi checkpoint"
        )
    return loaded.model


def pondering(loaded: Loaded, text: str) -> dict[str, Any]:
    """N and rho = N + R of every position, and the answer."""
    model = encoder_of(loaded)
    ids, info = prepare(loaded, Input(text=text))
    records = list(model.steps(ids, Capture(attention=False, states=False)))
    return told(loaded, info, records)


def told(loaded: Loaded, info: RunInfo, records: list[StepRecord]) -> dict[str, Any]:
    """What both measurements say of a run.

    facts, question: sentences.  supports: places in `facts`.  n, rho: of the facts; question_n, question_rho.
    capped: positions that never halted.  by_step: (answer, its probability, that of the last answer) if
    stopped there.
    """
    last = records[-1]
    order = [position for position in info.story_order if position != 0]
    halting = last.halting
    n = [sum(int(one.running[0, p]) for one in records) for p in range(len(info.labels))]
    r = np.zeros(len(n)) if halting is None or halting.remainder is None else halting.remainder[0]
    capped = 0 if halting is None else int((~halting.halted[0]).sum())
    odds = [_odds(one) for one in records]
    sound = [*odds, r]  # a position that breaks down need not reach the question
    if not all(np.isfinite(one).all() for one in sound) or not all(one.finite for one in records):
        raise _not_finite(loaded)
    final = int(odds[-1].argmax())
    return {
        "name": loaded.header.name,
        "state": loaded.config.state if loaded.config.act else "",
        "act": bool(loaded.config.act),
        "facts": [info.labels[p] for p in order],
        "question": info.labels[0],
        "supports": sorted(order.index(p) for p in info.marks),
        "n": [n[p] for p in order],
        "rho": [float(n[p] + r[p]) for p in order],
        "question_n": n[0],
        "question_rho": float(n[0] + r[0]),
        "capped": capped,
        "cap": info.max_steps,
        "steps": len(records),
        "answer": info.answers[final],
        "probability": float(odds[-1][final]),
        "expected": info.expected or "",
        "by_step": [[info.answers[int(one.argmax())], float(one.max()), float(one[final])] for one in odds],
        "cropped": info.cropped,
    }


def _not_finite(loaded: Loaded) -> UserError:
    return UserError(f"the numbers of {loaded.header.name} are not finite", "open another checkpoint")


def _odds(record: StepRecord) -> Array:
    assert record.readout is not None
    logits = record.readout[0, 0].astype(float)
    with np.errstate(invalid="ignore"):  # of a model that broke down
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum())


def hops(loaded: Loaded, text: str, progress: Progress) -> dict[str, Any]:
    """`told`, what the question's row reads at each step, and what it changes to hide a fact at a step.

    weights [head, step, fact]; own [head, step]: weight of the question on itself; entropy [step, head], over
    ln of the positions; mass [step, head] on the supports.  head: from 1, fixed on validation stories.
    only, onwards: the fact hidden at this step, or from this step on: change [step, fact], the probability of
    the answer less that of the untouched run; turned: the answer then, n: updates of the question then.
    """
    model = encoder_of(loaded)
    ids, info = prepare(loaded, Input(text=text))
    records = list(model.steps(ids, Capture(states=False)))
    found = told(loaded, info, records)
    order = [position for position in info.story_order if position != 0]
    changes = _changes(model, ids, order, info.answers.index(found["answer"]), len(records), progress)
    if not all(np.isfinite(kind["change"]).all() for kind in changes.values()):
        raise _not_finite(loaded)
    for kind in changes.values():
        kind["turned"] = [[info.answers[k] for k in row] for row in kind["turned"]]
    head = loaded.training.get("gold_head")
    return {**found, **_reading(records, order, info), **changes, "head": head}


def _reading(records: list[StepRecord], order: list[int], info: RunInfo) -> dict[str, Any]:
    rows = np.array([entry.weights[0, :, 0] for one in records for entry in (one.attention or ())[:1]
                     if entry.weights is not None], dtype=float)  # fmt: skip
    return {
        "weights": rows[:, :, order].transpose(1, 0, 2).tolist(),
        "own": rows[:, :, 0].T.tolist(),
        "entropy": normalised_entropy(row_entropy(rows), rows.shape[2]).tolist(),
        "mass": rows[:, :, list(info.marks)].sum(axis=2).tolist(),
    }


def _changes(
    model: DepthModel, ids: Array, order: list[int], final: int, steps: int, progress: Progress
) -> dict[str, Any]:
    """Every fact hidden at each step only, and from each step on."""
    tensor = torch.as_tensor(ids[0], device=model.embed.weight.device)
    most = model.config.steps_allowed(None, len(ids[0]))
    kinds = {"only": 1, "onwards": most}  # for how many steps
    found: dict[str, Any] = {}
    for place, (kind, long) in enumerate(kinds.items()):
        change, turned, updates = [], [], []
        for step in range(1, steps + 1):
            progress(place * steps + step - 1, len(kinds) * steps)
            one = run_blocked(model, tensor, [None, *order], range(step, step + long))
            odds = one.probabilities
            change.append((odds[1:, final] - odds[0, final]).tolist())
            turned.append(odds[1:].argmax(dim=1).tolist())
            updates.append([int(n) for n in one.n_updates[1:].tolist()])
        found[kind] = {"change": change, "turned": turned, "n": updates}
    return found

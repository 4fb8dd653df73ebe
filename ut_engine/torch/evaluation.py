"""Evaluation of a model on groups of examples: accuracy, ponder time, and attention step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ut_engine.forecast import forecast
from ut_engine.metrics import choices
from ut_engine.records import Array, Capture, StepRecord
from ut_engine.spec import UTConfig
from ut_engine.tasks.data import Batch, Example, Group, collate
from ut_engine.torch.build import Encoder

BATCH = 100
MOST_BYTES = 256 * 2**20  # of the maps and read-outs of one batch, all steps
KEPT = Capture(states=False)


@dataclass
class _Sums:
    """Running sums of one group; the asked rows are those with a target."""

    steps: int
    heads: int

    def __post_init__(self) -> None:
        self.asked = 0
        self.not_finite = 0  # read-outs at the end that are no numbers: no answer, so not right
        self.run = 0  # examples
        self.ponder: list[Array] = []
        self.question_ponder: list[Array] = []
        self.rho: list[Array] = []
        self.question_rho: list[Array] = []
        self.right = np.zeros(self.steps)
        self.running = np.zeros(self.steps, dtype=int)
        self.entropy = np.zeros(self.steps)
        self.mass = np.zeros((self.steps, self.heads))
        self.marked = np.zeros(self.steps, dtype=int)

    def add(self, batch: Batch, records: Sequence[StepRecord]) -> None:
        """Everything of one batch; a run that ended early keeps its last read-out."""
        rows, places = np.nonzero(batch.targets >= 0)
        wanted = batch.targets[rows, places]
        self.asked += len(rows)
        self.run += len(batch.ids)
        last = records[-1]
        updates = _updates(records)
        self.ponder.append(updates[last.real])
        self.question_ponder.append(updates[rows, places])
        rho = updates + _remainders(records)
        self.rho.append(rho[last.real])
        self.question_rho.append(rho[rows, places])
        for step in range(self.steps):
            record = records[min(step, len(records) - 1)]
            assert record.readout is not None
            chosen = choices(record.readout[rows, places])
            self.right[step] += (chosen == wanted).sum()
            if step < len(records):
                self._look(step, record, batch, rows, places)
        self.not_finite += int((chosen < 0).sum())

    def _look(self, step: int, record: StepRecord, batch: Batch, rows: Array, places: Array) -> None:
        """Attention of the asked rows that still run at this step."""
        if record.halting is not None:
            on = record.halting.running[rows, places]
            rows, places = rows[on], places[on]
        self.running[step] += len(rows)
        if record.attention is None:
            return
        entry = record.attention[0]
        assert entry.weights is not None
        assert entry.entropy is not None
        assert entry.attendable is not None
        count = entry.attendable[rows, places]
        keep = count > 1
        normalised = entry.entropy[rows, :, places][keep] / np.log(count[keep])[:, None]
        self.entropy[step] += normalised.mean(axis=1).sum()
        for row, place in zip(rows, places, strict=True):
            if batch.marks[row]:
                self.mass[step] += entry.weights[row, :, place, list(batch.marks[row])].sum(axis=0)
                self.marked[step] += 1

    def report(self, name: str, examples: Sequence[Example], head: int | None) -> dict[str, Any]:
        ponder, question = np.concatenate(self.ponder), np.concatenate(self.question_ponder)
        rho, question_rho = np.concatenate(self.rho), np.concatenate(self.question_rho)
        used = int(np.count_nonzero(self.running))
        head = self.best_head() if head is None else head
        return {
            "task": name,
            "n": self.asked,
            "not_finite": self.not_finite,
            "accuracy": float(self.right[-1] / self.asked),
            "ponder_mean": float(ponder.mean()),
            "ponder_std": float(ponder.std()),
            "ponder_histogram": np.bincount(ponder.astype(int), minlength=self.steps + 1).tolist(),
            "rho_mean": float(rho.mean()),
            "rho_std": float(rho.std()),
            "question_ponder_mean": float(question.mean()),
            "question_ponder_std": float(question.std()),
            "question_ponder_histogram": np.bincount(question.astype(int), minlength=self.steps + 1).tolist(),
            "question_rho_mean": float(question_rho.mean()),
            "question_rho_std": float(question_rho.std()),
            "entropy_by_step": _ratios(self.entropy[:used], self.running[:used]),
            "gold_mass_by_step": _ratios(self.mass[:used, head], self.marked[:used]),
            "n_by_step": self.running[:used].tolist(),
            "accuracy_by_step": (self.right / self.asked)[:used].tolist(),
            "cropped": sum(1 for example in examples if example.cropped),
        }

    def best_head(self) -> int:
        """The head with the largest mass on the marked positions at any step."""
        means = self.mass / np.maximum(self.marked, 1)[:, None]
        return int(means.max(axis=0).argmax())


def evaluate(
    model: Encoder,
    groups: Sequence[Group],
    head: int | None = None,
    max_steps: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Run every example and report, per group and over all (names of the contract).

    ponder is N, rho is N + R.  progress: told how many of how many examples have been run.
    head: the head whose mass on the marked positions is reported (fixed on validation data); None takes the
    best of these very examples, which is only right on validation data.  Entropies are of the asked rows,
    over ln of the attendable keys, averaged over heads and over the rows still running (`n_by_step`).
    """
    longest = max(len(example.ids) for group in groups for example in group.examples)
    steps = model.config.steps_allowed(max_steps, longest)
    whole, sums = sum(len(group.examples) for group in groups), list[_Sums]()
    for group in groups:
        told = partial(_tell, progress, sum(one.run for one in sums), whole)
        sums.append(_run_group(model, group, steps, max_steps, told))
    if head is None:
        head = _common_head(sums)
    reports = [
        total.report(group.name, group.examples, head) for total, group in zip(sums, groups, strict=True)
    ]
    ponder = np.concatenate([part for total in sums for part in total.ponder])
    asked = sum(total.asked for total in sums)
    return {
        "accuracy": float(sum(total.right[-1] for total in sums) / asked),
        "n": asked,
        "ponder_mean": float(ponder.mean()),
        "ponder_std": float(ponder.std()),
        "gold_head": head + 1,
        "per_task": reports,
    }


def _tell(progress: Callable[[int, int], None], before: int, whole: int, run: int) -> None:
    progress(before + run, whole)


def _run_group(
    model: Encoder, group: Group, steps: int, max_steps: int | None, progress: Callable[[int], None]
) -> _Sums:
    total = _Sums(steps, model.config.heads)
    for examples in batches(model.config, group.examples, steps):
        batch = collate(examples)
        total.add(batch, list(model.steps(batch.ids, KEPT, max_steps)))
        progress(total.run)
    return total


def batches(config: UTConfig, examples: Sequence[Example], steps: int) -> Iterator[list[Example]]:
    """The examples by length, at most BATCH at once, fewer where their maps would take over MOST_BYTES."""
    options = config.to_dict()
    taken: list[Example] = []
    for example in sorted(examples, key=lambda one: len(one.ids)):
        size = forecast(options, len(example.ids), steps, len(taken) + 1, KEPT)
        if taken and (len(taken) == BATCH or size > MOST_BYTES):
            yield taken
            taken = []
        taken.append(example)
    yield taken


def _common_head(sums: Sequence[_Sums]) -> int:
    means = sum(total.mass / np.maximum(total.marked, 1)[:, None] for total in sums)
    return int(np.asarray(means).max(axis=0).argmax())


def _updates(records: Sequence[StepRecord]) -> Array:
    """[example, position] N; without halting how often a position was computed."""
    last = records[-1]
    if last.halting is None or last.halting.n_updates is None:
        return np.asarray(sum(record.running.astype(float) for record in records))
    return last.halting.n_updates.astype(float)


def _remainders(records: Sequence[StepRecord]) -> Array:
    """[example, position] R; 0 without halting, and where the cap was hit."""
    last = records[-1]
    if last.halting is None or last.halting.remainder is None:
        return np.zeros(last.real.shape)
    return last.halting.remainder.astype(float)


def _ratios(sums: Array, counts: Array) -> list[float | None]:
    return [float(total / count) if count else None for total, count in zip(sums, counts, strict=True)]

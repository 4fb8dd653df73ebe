"""Batches of an evaluation: every example once, short ones by the hundred, long ones as memory allows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kinds import make
from ut_engine.forecast import forecast
from ut_engine.tasks.data import Example, Group
from ut_engine.torch import evaluation
from ut_engine.torch.evaluation import BATCH, KEPT, MOST_BYTES, batches, evaluate

MODEL = make("UT", max_steps=8, vocab=11)


def examples(lengths: list[int]) -> tuple[Example, ...]:
    """Random strings, asked at the first position."""
    draws = np.random.default_rng(2)
    made = []
    for length in lengths:
        targets = np.full(length, -1)
        targets[0] = draws.integers(0, 4)
        made.append(Example(draws.integers(1, 11, length), targets))
    return tuple(made)


def test_every_example_is_in_one_batch_and_no_batch_is_too_large() -> None:
    given = examples([5] * 150 + [900] * 7)
    found = list(batches(MODEL.config, given, 8))
    assert sorted(map(id, given)) == sorted(id(one) for batch in found for one in batch)
    assert [len(batch) for batch in found[:2]] == [BATCH, 50]
    for batch in found[2:]:
        length = max(len(one.ids) for one in batch)
        assert forecast(MODEL.config.to_dict(), length, 8, len(batch), KEPT) <= MOST_BYTES
    assert len(found) > 4


def test_an_example_larger_than_the_limit_runs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "MOST_BYTES", 1)
    assert [len(batch) for batch in batches(MODEL.config, examples([3, 4, 5]), 8)] == [1, 1, 1]


def test_the_figures_do_not_depend_on_the_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = (Group("a", examples([4, 9, 6, 7, 12])),)
    whole = evaluate(MODEL, groups, head=0)
    monkeypatch.setattr(evaluation, "MOST_BYTES", 1)
    parts = evaluate(MODEL, groups, head=0)
    assert parts["accuracy"] == whole["accuracy"]
    one, other = parts["per_task"][0], whole["per_task"][0]
    assert one["entropy_by_step"] == pytest.approx(other["entropy_by_step"], abs=1e-5)
    assert one["n_by_step"] == other["n_by_step"]

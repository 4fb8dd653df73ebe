"""Parity, copy, reverse, addition: what is drawn is what the task's own definition answers."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest

from ut_engine.errors import UserError
from ut_engine.tasks import addition, copy, parity, reverse
from ut_engine.tasks.addition import AdditionData
from ut_engine.tasks.copy import CopyData
from ut_engine.tasks.parity import ParityData
from ut_engine.tasks.registry import task_data
from ut_engine.tasks.reverse import ReverseData
from ut_engine.tasks.symbols import START, SymbolData, score, without_start

TASKS: list[tuple[ModuleType, type[SymbolData]]] = [
    (parity, ParityData), (copy, CopyData), (reverse, ReverseData), (addition, AdditionData),
]  # fmt: skip
DATA = [kind() for _, kind in TASKS]


@pytest.mark.parametrize(("module", "kind"), TASKS)
def test_targets_are_the_definition(module: ModuleType, kind: type[SymbolData]) -> None:
    """Every drawn string, read back as text and solved from the definition alone."""
    data = kind()
    draws = np.random.default_rng(3)
    for length in (1, 2, 5, 13):
        ids, targets = data.draw(draws, length, 20)
        assert ids.shape == targets.shape == (20, data.positions(length))
        assert (ids > 0).all()
        for row, wanted in zip(ids, targets, strict=True):
            text = [data.symbols[number - 1] for number in row]
            assert text[0] == START
            right = module.solve(text[1:])
            assert [data.answers[target] for target in wanted if target >= 0] == right
            assert wanted[0] == -1


def test_solutions_by_hand() -> None:
    assert parity.solve("1101") == ["1", "0", "0", "1"]
    assert copy.solve("407|___") == ["4", "0", "7"]
    assert reverse.solve("407|___") == ["7", "0", "4"]
    assert addition.solve(["95", "90", "00"]) == ["4", "0", "1"]  # 99 + 5 = 104


def test_long_carries_are_long() -> None:
    """`chains` makes carries that travel: the longest run of pairs that sum to nine."""
    runs = []
    for chains in (0.0, 1.0):
        ids, _ = AdditionData(chains=chains).draw(np.random.default_rng(0), 60, 50)
        pairs = ids[:, 1:] - 1
        nines = pairs // 10 + pairs % 10 == 9
        edges = [np.flatnonzero(np.diff(row, prepend=False, append=False)) for row in nines]
        runs.append(np.mean([max(np.diff(edge)[::2], default=0) for edge in edges]))
    assert runs[0] < 4
    assert runs[1] > 10


@pytest.mark.parametrize("data", DATA, ids=lambda data: data.name)
def test_drawn_from_the_seed_and_apart(data: SymbolData) -> None:
    """The same seed gives the same strings; validation and evaluation have others than training."""
    one, other = (data.batch_upto(np.random.default_rng(5), 8, 6) for _ in range(2))
    np.testing.assert_array_equal(one.ids, other.ids)
    again = data.validation()
    assert [group.name for group in again] == [str(n) for n in data.validation_lengths]
    for first, second in zip(again, data.validation(), strict=True):
        for left, right in zip(first.examples, second.examples, strict=True):
            np.testing.assert_array_equal(left.ids, right.ids)
    sets = [
        {tuple(one.ids) for one in data.groups([40], 50, seed)[0].examples}
        for seed in (data.seed + 10_000, 30_000)
    ]
    assert not sets[0] & sets[1]


@pytest.mark.parametrize("data", DATA, ids=lambda data: data.name)
def test_batches_have_one_length_and_reach_the_present_one(data: SymbolData) -> None:
    draws = np.random.default_rng(0)
    seen = [data.batch_upto(draws, 2, 7).ids.shape[1] for _ in range(200)]
    lengths = {data.positions(length) for length in range(1, 8)}
    assert set(seen) == lengths
    assert 0.45 < np.mean(np.array(seen) == data.positions(7)) < 0.7


@pytest.mark.parametrize("data", DATA, ids=lambda data: data.name)
def test_samples_can_be_read_by_the_tokenizer(data: SymbolData) -> None:
    """A sample's text gives the ids it was drawn as, the start symbol put before it; its answer fits."""
    samples = data.samples()
    assert len(samples) >= 4
    assert all(one["length"] < two["length"] for one, two in pairwise(samples))
    for one in samples:
        encoded = data.tokenizer.encode(one["text"])
        assert encoded.labels[0] == START
        assert len(encoded.ids) == data.positions(one["length"])
        right = dict(zip(("parity", "copy", "reverse", "addition"), (m for m, _ in TASKS), strict=True))
        assert right[data.name].solve(encoded.labels[1:]) == list(one["answer"].replace(" ", ""))


def test_scores_count_symbols_and_whole_strings() -> None:
    assert score("0110", "0110") == (4, True)
    assert score("0111", "0110") == (3, False)
    with pytest.raises(ValueError, match="3 answers for 4"):
        score("011", "0110")


def test_the_start_can_be_left_out() -> None:
    group = ParityData().groups([5], 2, 1)[0]
    bare = without_start(group)
    assert bare.name == "5"
    for one, other in zip(group.examples, bare.examples, strict=True):
        np.testing.assert_array_equal(one.ids[1:], other.ids)
        np.testing.assert_array_equal(one.targets[1:], other.targets)


@pytest.mark.parametrize("name", ["parity", "copy", "reverse", "addition"])
def test_tasks_are_made_by_name(name: str) -> None:
    data = task_data(name, {"longest": 12, "reach": 1})
    assert isinstance(data, SymbolData)
    assert data.longest == 12
    with pytest.raises(UserError, match="longer"):
        task_data(name, {"longer": 12})
    with pytest.raises(UserError, match="validation_lengths"):
        task_data(name, {"validation_lengths": [3]})

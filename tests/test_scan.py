"""The prefix scan: golden states, what is guaranteed after a step, and what no step signal costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ut_engine import scan as s
from ut_engine.errors import UserError

bits = st.lists(st.integers(0, 1), min_size=1, max_size=130)
NAMES = [rule.name for rule in s.operators()]


def test_the_worked_example() -> None:
    found = s.scan([1, 0, 1, 1, 0, 1, 0, 0])
    assert [s.text_of(frame.values) for frame in found.frames] == [
        "10110100",
        "11101110",
        "11010101",
        "11011000",
    ]
    assert s.text_of(found.target) == "11011000"
    assert [frame.n_settled for frame in found.frames] == [1, 2, 4, 8]
    assert found.frames[2].reads.tolist() == [-1, -1, 0, 1, 2, 3, 4, 5]
    assert found.frames[2].first.tolist() == [0, 0, 0, 0, 1, 2, 3, 4]


def test_steps_needed() -> None:
    assert [s.steps_needed(n) for n in (1, 2, 3, 40, 400, 1024)] == [0, 1, 2, 6, 9, 10]
    assert [s.steps_needed(n, False) for n in (1, 2, 3, 40, 400, 1024)] == [0, 1, 3, 63, 511, 1023]


def test_six_steps_guarantee_the_first_64() -> None:
    last = s.scan(np.ones(400, int), steps=6).frames[-1]
    assert last.n_settled == 64
    assert 400 - last.n_correct == 168
    assert (last.first_wrong, last.first_open) == (65, 65)
    assert s.settled_prefix(6) == 64


def test_cells_needed() -> None:
    assert (s.depths(40).sum(), 40 * s.steps_needed(40)) == (177, 240)
    assert (s.depths(400).sum(), 400 * s.steps_needed(400)) == (3089, 3600)
    assert s.depths(400).tolist() == [math.ceil(math.log2(i)) for i in range(1, 401)]


def test_depths_as_an_act_table() -> None:
    from ut_engine.halting import run_table

    table = s.act_table(40)
    assert table.tokens[0] == "1"
    assert table.p.shape == (40, 6)
    result = run_table(table)
    assert result.n_updates.tolist() == np.maximum(s.depths(40), 1).tolist()
    assert result.halted.all()
    assert s.act_table(1).p.tolist() == [[1.0]]


@given(bits)
def test_the_scan_ends_in_the_running_xor(x: list[int]) -> None:
    expected = (np.cumsum(x) % 2).tolist()
    found = s.scan(x)
    assert found.target.tolist() == expected
    assert found.frames[-1].values.tolist() == expected
    assert len(found.frames) == found.steps_needed + 1
    assert found.frames[-1].first_open is None
    assert found.frames[-1].first_wrong is None


@given(bits, st.integers(0, 9))
def test_a_state_is_the_operation_over_its_window(x: list[int], steps: int) -> None:
    for frame in s.scan(x, steps=steps).frames:
        for i, first in enumerate(frame.first.tolist()):
            assert first == max(0, i - 2**frame.step + 1)
            assert frame.values[i] == sum(x[first : i + 1]) % 2
            assert frame.settled[i] == (first == 0)
        assert frame.correct[frame.settled].all()


@given(bits, st.integers(0, 70))
def test_without_a_step_signal_binomials_modulo_2(x: list[int], steps: int) -> None:
    last = s.scan(x, steps=steps, step_signal=False).frames[-1]
    for i in range(len(x)):
        terms = [math.comb(steps, k) * x[i - k] for k in range(i + 1)]
        assert last.values[i] == sum(terms) % 2
    assert last.reads.tolist() == [i - 1 if steps else -1 for i in range(len(x))]
    assert last.first.tolist() == [max(0, i - steps) for i in range(len(x))]


@given(st.integers(0, 600), st.integers(1, 80))
def test_what_is_settled_without_a_step_signal(step: int, count: int) -> None:
    odd = [math.comb(step, k) % 2 for k in range(count)]
    assert s.coefficients(step, count).tolist() == odd
    guaranteed = odd.index(0) if 0 in odd else count
    assert min(s.settled_prefix(step, False), count) == guaranteed


@pytest.mark.parametrize(("n", "steps"), [(40, 63), (400, 511)])
def test_without_a_step_signal_right_at_the_end_and_wrong_before(n: int, steps: int) -> None:
    draws = np.random.default_rng(1)
    found = s.scan(draws.integers(0, 2, n), step_signal=False)
    assert found.steps_needed == steps == len(found.frames) - 1
    assert [frame.step for frame in found.frames if frame.n_settled == n] == [steps]
    assert found.frames[-1].n_correct == n
    assert all(frame.n_correct < n for frame in found.frames[:-1])
    # Later on it is right again whenever T + 1 is a multiple of that power of two, 2^k - 1 or not.
    right = [t for t in range(5 * n) if s.settled_prefix(t, False) >= n]
    assert right == list(range(steps, 5 * n, steps + 1))
    assert (191 in right) == (n == 40)


@pytest.mark.parametrize("name", NAMES)
@given(st.integers(1, 90), st.integers(0, 2**32))
def test_every_operator_is_associative_and_ends_in_its_prefixes(name: str, count: int, seed: int) -> None:
    rule = s.operator_named(name)
    x = rule.draw(np.random.default_rng(seed), count)
    a, b, c = x, np.roll(x, 1, axis=0), np.roll(x, 2, axis=0)
    np.testing.assert_array_equal(rule.combine(rule.combine(a, b), c), rule.combine(a, rule.combine(b, c)))
    found = s.scan(x, name)
    np.testing.assert_array_equal(found.frames[-1].values, found.target)
    np.testing.assert_array_equal(found.target[0], x[0])
    text = s.text_of(x, name)
    np.testing.assert_array_equal(rule.read(text if isinstance(text, str) else " ".join(text)), x)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60))
def test_sum_of_digits(x: list[int]) -> None:
    assert s.scan(x, "sum10").frames[-1].values.tolist() == (np.cumsum(x) % 10).tolist()


@given(st.integers(0, 2**40), st.integers(0, 2**40))
def test_carry_look_ahead_adds(one: int, other: int) -> None:
    x = s.carries(f"{one:b}", f"{other:b}")
    carry = s.scan(x, "carry").frames[-1].values == s.GENERATE  # the carry out of every place
    into = np.concatenate([[False], carry])
    digits = (np.append(x, 0) % 2) ^ into
    assert sum(int(digit) << place for place, digit in enumerate(digits)) == one + other


def test_permutations_are_applied_in_order() -> None:
    words = "21345 23451 13245"
    target = s.scan(s.operator_named("permutation").read(words), "permutation").target
    assert s.text_of(target, "permutation") == ["21345", "32451", applied(words)]


def applied(words: str) -> str:
    """Where 1 ... 5 end when the permutations act one after another."""
    where = {k: k for k in range(1, 6)}
    for word in words.split():
        where = {k: int(word[at - 1]) for k, at in where.items()}
    return "".join(str(where[k]) for k in range(1, 6))


def test_frames_are_read_only() -> None:
    frame = s.scan([1, 0, 1]).frames[1]
    with pytest.raises(ValueError, match="read-only"):
        frame.values[0] = 1


def test_many_steps_beyond_the_length() -> None:
    found = s.scan([1, 1, 0], steps=s.MOST_STEPS)
    assert len(found.frames) == s.MOST_STEPS + 1
    assert (found.frames[-1].reads == -1).all()
    assert found.frames[-1].values.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([],), "0 positions"),
        (([0] * 1025,), "1,025 positions"),
        (([1], "xor", -1), "-1 steps"),
        (([1], "xor", 4097), "4097 steps"),
        (([1], "and"), "operator 'and'"),
        (([1], "sum10", None, False), "sum10 needs the step signal"),
    ],
)
def test_scans_that_cannot_be(arguments: tuple[list[int]], named: str) -> None:
    with pytest.raises(UserError, match=named):
        s.scan(*arguments)


@pytest.mark.parametrize(
    ("name", "text"),
    [("xor", "012"), ("xor", ""), ("xor", " , "), ("sum10", "1a"), ("carry", "kx"), ("permutation", "11234"),
     ("permutation", ""), ("permutation", "1234")],
)  # fmt: skip
def test_texts_that_cannot_be_read(name: str, text: str) -> None:
    with pytest.raises(UserError):
        s.operator_named(name).read(text)

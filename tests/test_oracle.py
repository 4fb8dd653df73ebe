"""The torch model against the independent float64 reference, over every valid pair of option values."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from tests import covering, oracle
from tests.covering import CASES, build, numbers_of
from ut_engine.errors import UserError
from ut_engine.spec import UTConfig

TOLERANCE = 1e-10
ENCODERS = numbers_of(decoder=False)


def close(ours: Any, reference: Any, what: str) -> None:
    np.testing.assert_allclose(
        np.asarray(ours, dtype=float), reference, rtol=TOLERANCE, atol=TOLERANCE, err_msg=what
    )


def test_the_cases_hold_every_valid_pair_and_nothing_else() -> None:
    valid, refused = covering.all_pairs()
    covered = set().union(*(covering.pairs_of(case) for case in CASES))
    assert covered == valid
    for fixed in covering.BUSY:
        busy = [case for case in CASES if case.items() >= fixed.items()]
        assert set().union(*(covering.pairs_of(case) for case in busy)) == covering.all_pairs(fixed)[0]
    assert not covered & refused
    options = {item for item in covering.FACTORS if item not in covering.NOT_OPTIONS}
    names = set(UTConfig(vocab=2, answers=1).to_dict())
    assert names - options == {"vocab", "answers"}, "an option without a case"
    assert options <= names


@pytest.mark.parametrize(
    "pair",
    covering.in_order(covering.all_pairs()[1]),
    ids=lambda p: repr(sorted(p, key=repr)),
)
def test_what_cannot_go_together_is_refused_by_name(pair: covering.Pair) -> None:
    """Each of the two goes with a valid case; put into it, the other one is refused."""
    names = [name for name, _ in pair]
    for kept, changed in itertools.permutations(pair):
        case = next(case for case in CASES if kept in case.items())
        with pytest.raises(UserError) as caught:
            UTConfig(**(covering.options_of(case) | dict([changed])))
        assert any(name in caught.value.what for name in names), caught.value.what


def test_the_cases_halt_early_late_and_never() -> None:
    """The random cases are no shelter: among them are runs cut short, capped ones and mixed ones."""
    seen = set()
    for number in ENCODERS:
        case = CASES[number]
        if case["halting"] == "act" and case["max_steps"] == 6:
            _, options, weights, ids = build(case, number)
            n = oracle.run(options, weights, ids).steps[-1].n
            seen |= {int(value) for value in n.ravel()}
    assert seen >= {0, 1, 2, 3, 6}


@pytest.mark.parametrize("number", ENCODERS)
def test_forward_equals_the_reference(number: int) -> None:
    model, options, weights, ids = build(CASES[number], number)
    moved = CASES[number]["moved"]
    expected = oracle.run(options, weights, ids, offset=moved)
    with torch.no_grad():
        out = model(torch.as_tensor(ids), offset=moved)
    assert out.steps == len(expected.steps)
    close(out.logits, expected.logits, "logits")
    embedded, real = model.embed_input(torch.as_tensor(ids))
    close(embedded.detach(), expected.h0, "H0")
    np.testing.assert_array_equal(real.numpy(), expected.real)
    if options["halting"] == "act":
        last = expected.steps[-1]
        np.testing.assert_array_equal(out.n_updates.numpy(), last.n)
        close(out.remainders, last.r, "remainders")
        close(out.halting_probability, last.h, "h")
        close(out.ponder, expected.ponder, "ponder")


@pytest.mark.parametrize("number", ENCODERS)
def test_every_step_equals_the_reference(number: int) -> None:
    model, options, weights, ids = build(CASES[number], number)
    moved = CASES[number]["moved"]
    expected = oracle.run(options, weights, ids, offset=moved)
    caps = oracle.usual_caps(options, expected.real)
    records = list(model.steps(ids, offset=moved))
    assert [record.step for record in records] == list(range(1, len(expected.steps) + 1))
    for record, step in zip(records, expected.steps, strict=True):
        where = f"step {record.step}"
        assert record.attention is not None
        assert record.attention[0].weights is not None
        rows = np.broadcast_to(record.computed[:, None, :, None], step.attention.shape)
        close(record.attention[0].weights[rows], step.attention[rows], f"{where}: attention")
        close(record.state, step.next_state, f"{where}: state")
        stopped = oracle.stopped_logits(options, weights, ids, record.step, caps, moved)
        close(record.readout, stopped, f"{where}: read-out as if stopped")
        with torch.no_grad():
            shorter = model(torch.as_tensor(ids), [min(record.step, cap) for cap in caps], moved)
            close(shorter.logits, stopped, f"{where}: stopped there")
        if record.halting is None:
            assert options["halting"] == "none"
            continue
        np.testing.assert_array_equal(record.halting.running, step.running)
        np.testing.assert_array_equal(record.halting.n_updates, step.n)
        close(record.halting.signal, step.p, f"{where}: p")
        close(record.halting.cumulative, step.h, f"{where}: h")
        close(record.halting.remainder, step.r, f"{where}: R")
        close(record.halting.weight, step.w, f"{where}: w")
        close(record.output, step.prev, f"{where}: output")
        plain = oracle.read_out(options, weights, step.next_state)
        close(record.readout_state, plain, f"{where}: read-out of the plain state")


@pytest.mark.parametrize("number", ENCODERS[::3])
def test_attention_rows_sum_to_one_and_respect_the_mask(number: int) -> None:
    model, options, _, ids = build(CASES[number], number)
    for record in model.steps(ids):
        assert record.attention is not None
        maps = record.attention[0].weights
        assert maps is not None
        for b, i in zip(*np.nonzero(record.computed), strict=True):
            allowed = oracle.readable(options, record.real[b], i)
            assert np.abs(maps[b, :, i].sum(axis=-1) - 1).max() < 1e-12
            assert (np.delete(maps[b, :, i], allowed, axis=-1) == 0).all()
            assert record.attention[0].attendable is not None
            assert record.attention[0].attendable[b, i] == len(allowed)


def test_the_embedding_of_padding_counts_as_zero_whatever_the_table_holds() -> None:
    """Row 0 of a foreign table need not be zero (T2T forces it)."""
    case = {**CASES[ENCODERS[0]], "words": 0, "batch": "padded"}
    model, options, weights, ids = build(case, 5)
    assert np.abs(weights["embed.weight"][0]).min() > 0
    close(model.embed_input(torch.as_tensor(ids))[0].detach(), oracle.embed(options, weights, ids)[0], "H0")

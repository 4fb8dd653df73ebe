"""The encoder-decoder and the LSTM against the independent float64 reference, over every pair of options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tests import oracle, oracle_lstm, oracle_pair
from tests.covering import CASES, build, numbers_of, random_target
from ut_engine.records import StepRecord

TOLERANCE = 1e-10


def close(ours: Any, reference: Any, what: str) -> None:
    np.testing.assert_allclose(
        np.asarray(ours, dtype=float), reference, rtol=TOLERANCE, atol=TOLERANCE, err_msg=what
    )


def pair(number: int) -> tuple[Any, ...]:
    """(model, options, weights, ids, target, offset) of an encoder-decoder case."""
    case = CASES[number]
    model, options, weights, ids = build(case, number)
    return model, options, weights, ids, random_target(options, case["batch"], number + 2), case["moved"]


@pytest.mark.parametrize("number", numbers_of(decoder=True))
def test_teacher_forcing_equals_the_reference(number: int) -> None:
    model, options, weights, ids, target, moved = pair(number)
    expected = oracle_pair.run_pair(options, weights, ids, target, offset=moved)
    with torch.no_grad():
        out = model(torch.as_tensor(ids), torch.as_tensor(target), offset=moved)
    close(out.logits, expected.logits, "logits")
    for name, ours, side in (
        ("encoder", out.encoder, expected.encoder),
        ("decoder", out.decoder, expected.decoder),
    ):
        assert ours.steps == len(side.steps), name
        np.testing.assert_array_equal(ours.real, side.real, name)
        if options["halting"] == "act":
            np.testing.assert_array_equal(ours.n_updates, side.steps[-1].n, name)
            close(ours.remainders, side.steps[-1].r, f"{name}: remainders")
            close(ours.ponder, side.ponder, f"{name}: ponder")
    if options["halting"] == "act":
        close(out.ponder, expected.ponder, "ponder of both sides")


@pytest.mark.parametrize("number", numbers_of(decoder=True))
def test_every_step_of_both_sides_equals_the_reference(number: int) -> None:
    model, options, weights, ids, target, moved = pair(number)
    expected = oracle_pair.run_pair(options, weights, ids, target, offset=moved)
    caps = oracle.usual_caps(options, expected.encoder.real)
    records = list(model.steps(ids, offset=moved, target=target))
    sides = [(r.address.side, r.step) for r in records]
    assert sides == [
        (side, t + 1)
        for side, run in (("encoder", expected.encoder), ("decoder", expected.decoder))
        for t in range(len(run.steps))
    ]
    for record in records:
        run = getattr(expected, record.address.side)
        where = f"{record.address.side} step {record.step}"
        same_step(record, run.steps[record.step - 1], where)
        if record.address.side == "encoder":
            assert record.readout is None
            assert record.readout_state is None
            continue
        stop = [min(record.step, cap) for cap in caps]
        stopped = oracle_pair.run_pair(options, weights, ids, target, decoder_caps=stop, offset=moved)
        close(record.readout, stopped.logits, f"{where}: read-out as if the decoder stopped")


def same_step(record: StepRecord, step: oracle.Step, where: str) -> None:
    assert record.attention is not None
    for entry, maps in zip(
        record.attention, [m for m in (step.attention, step.cross) if m is not None], strict=True
    ):
        assert entry.weights is not None
        rows = np.broadcast_to(record.computed[:, None, :, None], maps.shape)
        close(entry.weights[rows], maps[rows], f"{where}: {entry.kind} attention")
        assert entry.attendable is not None
        readable = (maps > 0).all(axis=1).sum(axis=-1)
        np.testing.assert_array_equal(entry.attendable[record.computed], readable[record.computed], where)
    close(record.state, step.next_state, f"{where}: state")
    if record.halting is not None:
        np.testing.assert_array_equal(record.halting.running, step.running)
        np.testing.assert_array_equal(record.halting.n_updates, step.n)
        close(record.halting.signal, step.p, f"{where}: p")
        close(record.halting.cumulative, step.h, f"{where}: h")
        close(record.halting.weight, step.w, f"{where}: w")
        close(record.output, step.prev, f"{where}: output")


@pytest.mark.parametrize("number", numbers_of(decoder=True)[::4])
def test_what_it_writes_equals_the_reference(number: int) -> None:
    model, options, weights, ids, _, moved = pair(number)
    expected = oracle_pair.write(options, weights, ids, 3, offset=moved)
    np.testing.assert_array_equal(model.generate(ids, most=3, offset=moved), expected)


@pytest.mark.parametrize("number", numbers_of(decoder=False, lstm=True))
def test_the_lstm_equals_the_reference(number: int) -> None:
    model, options, weights, ids = build(CASES[number], number)
    expected = oracle_lstm.run_lstm(options, weights, ids)
    with torch.no_grad():
        out = model(torch.as_tensor(ids))
    close(out.logits, expected.logits, "logits")
    np.testing.assert_array_equal(out.n_updates, expected.real)
    records = list(model.steps(ids))
    assert [record.step for record in records] == list(range(1, ids.shape[1] + 1))
    for place, record in enumerate(records):
        here = np.arange(ids.shape[1]) == place
        np.testing.assert_array_equal(record.computed, expected.real & here)
        now = oracle_lstm.run_lstm(options, weights, ids, place + 1)
        close(record.state, now.states, "states so far")
        close(record.readout, now.logits, "read-out as if it stopped here")
        with torch.no_grad():
            close(record.readout, model(torch.as_tensor(ids), max_steps=place + 1).logits, "a shorter run")
        moved = np.linalg.norm(expected.states - expected.left, axis=-1) * record.computed
        close(record.update_norm, moved, "update")
        close(record.state_norm, np.linalg.norm(expected.left, axis=-1) * record.computed, "before it")

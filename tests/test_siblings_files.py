"""Every kind of model in a checkpoint, a trace and a forecast of its memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tests import covering
from tests.kinds import every_kind, make, padded_ids
from ut_engine import checkpoint, family
from ut_engine.adapters import universal_transformer
from ut_engine.codec import decode_record, encode_record
from ut_engine.forecast import forecast
from ut_engine.records import StepRecord, arrays_of
from ut_engine.run import Run, RunInfo, load_run
from ut_engine.spec import UTConfig
from ut_engine.torch.build import build


@pytest.mark.parametrize("number", range(len(covering.CASES)))
def test_the_shapes_of_the_format_are_those_of_the_model(number: int) -> None:
    config = UTConfig.from_dict(covering.options_of(covering.CASES[number]))
    state = {name: tuple(tensor.shape) for name, tensor in build(config).state_dict().items()}
    assert state == universal_transformer.shapes(config) == covering.all_shapes(config.to_dict())


@every_kind
def test_a_checkpoint_and_a_trace_carry_it(kind: str, tmp_path: Path) -> None:
    model, ids = make(kind), padded_ids()[:1]
    tensors = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    checkpoint.save(tmp_path / "m", checkpoint.describe(model.config.to_dict()), tensors)
    loaded = family.load(tmp_path / "m")
    assert loaded.config == model.config
    records = list(loaded.model.steps(ids))
    for one, other in zip(records, model.steps(ids), strict=True):
        same(one, other)
        same(one, decode_record(encode_record(one)))
    info = RunInfo(
        "universal_transformer", "m", model.config.to_dict(), 1, ("?",) * 7, (tuple(ids[0].tolist()),)
    )
    run = Run(info, tuple(records))
    run.save(tmp_path / "t.trace.safetensors")
    again = load_run(tmp_path / "t.trace.safetensors")
    assert [record.address for record in again.records] == [record.address for record in records]
    assert again.curve("update_norm").shape == (len(records), 7)


@every_kind
def test_the_forecast_covers_what_the_records_hold(kind: str) -> None:
    model, ids = make(kind), torch.randint(1, 11, (2, 40))
    records = list(model.steps(ids))
    parts = [part for r in records for part in (r, r.halting, *(r.attention or ())) if part is not None]
    held = sum(array.nbytes for part in parts for _, array in arrays_of(part))
    assert held < forecast(model.config.to_dict(), 40, len(records), 2) < 4 * held + 1_000_000


def same(one: StepRecord, other: StepRecord) -> None:
    assert one.address == other.address
    np.testing.assert_array_equal(one.readout, other.readout)
    np.testing.assert_array_equal(one.state, other.state)
    np.testing.assert_array_equal(one.computed, other.computed)


def test_a_checkpoint_written_before_the_siblings_still_opens(tmp_path: Path) -> None:
    """Its configuration names none of their options."""
    new = (
        "architecture",
        "layers",
        "transition",
        "decoder",
        "end_id",
        "tied",
        "steps_from",
        "position_offset",
    )
    model = make("UT+ACT")
    options = {name: value for name, value in model.config.to_dict().items() if name not in new}
    tensors = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    checkpoint.save(tmp_path / "m", checkpoint.describe(options), tensors)
    loaded = family.load(tmp_path / "m")
    assert loaded.config == model.config
    same(next(loaded.model.steps(padded_ids())), next(model.steps(padded_ids())))


def test_every_position_of_an_lstm_is_updated_once() -> None:
    """N, and who runs at a step: the one position that is read; a Transformer's run in every layer."""
    ids = padded_ids()[1:2]
    for kind, wanted, running in (("LSTM", 1.0, [1, 1, 1, 1, 0, 0, 0]), ("Transformer", 3.0, [4, 4, 4])):
        model = make(kind)
        records = tuple(model.steps(ids))
        rows = tuple(map(tuple, ids.tolist()))
        info = RunInfo("universal_transformer", "x", model.config.to_dict(), 1, tuple("abcdefg"), rows)
        run = Run(info, records)
        assert run.n_updates().tolist() == run.ponder().tolist() == [wanted] * 4 + [0.0] * 3
        assert run.n_running(0) == running[: len(records)]
        assert model(ids).n_updates[0].tolist() == run.n_updates().tolist()

"""The hand-set scan: rows that are the arcs, the prefix parity at every length, like any other checkpoint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from ut_engine.family import load
from ut_engine.prepare import Input, prepare
from ut_engine.records import Capture
from ut_engine.scan import scan, settled_prefix
from ut_engine.torch.build import build
from ut_engine.torch.eval_run import evaluate_checkpoint
from ut_engine.torch.handset import STEPS, save_scan, scan_config, scan_weights
from ut_engine.torch.model import UniversalTransformer


@pytest.fixture(scope="module")
def model() -> UniversalTransformer:
    made = build(scan_config())
    assert isinstance(made, UniversalTransformer)
    made.load_state_dict({name: torch.tensor(array) for name, array in scan_weights().items()})
    return made


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 8, 9, 31, 40, 64, 65, 100])
def test_rows_are_the_arcs_and_the_read_out_is_the_scan(length: int, model: UniversalTransformer) -> None:
    """At every step: position i reads i - 2^(t-1), itself where there is none, and holds the scan's value."""
    draws = np.random.default_rng(length)
    for bits in (draws.integers(0, 2, length), np.ones(length, dtype=np.int64)):
        frames = scan(bits, steps=STEPS).frames
        for record in model.steps(bits[None] + 1):
            frame = frames[record.step]
            places = np.arange(length)
            read = np.where(frame.reads < 0, places, frame.reads)
            assert record.attention is not None
            weights = record.attention[0].weights
            assert weights is not None
            assert weights[0, 0][places, read].min() >= 0.999
            assert record.readout is not None
            np.testing.assert_array_equal(record.readout[0].argmax(axis=-1), frame.values)
            assert np.abs(record.readout[0]).min() > 7


@pytest.mark.parametrize("length", [128, 257, 400, 512, 777, 1023, 1024])
def test_exact_up_to_two_to_the_steps(length: int, model: UniversalTransformer) -> None:
    draws = np.random.default_rng(length)
    bits = draws.integers(0, 2, (3, length))
    bits[0] = 1
    with torch.inference_mode():
        given = model(torch.tensor(bits + 1)).logits.argmax(dim=-1).numpy()
    np.testing.assert_array_equal(given, bits.cumsum(axis=1) % 2)


def test_the_longest_rows_are_arcs_too(model: UniversalTransformer) -> None:
    length = 2**STEPS
    for record in model.steps(np.ones((1, length), dtype=np.int64), Capture(readout=False, derived=False)):
        offset = 2 ** (record.step - 1)
        places = np.arange(length)
        read = np.where(places < offset, places, places - offset)
        assert record.attention is not None
        assert record.attention[0].weights is not None
        assert record.attention[0].weights[0, 0][places, read].min() >= 0.999


def test_too_few_steps_guarantee_two_to_their_number(model: UniversalTransformer) -> None:
    """Six steps on 400 ones: the first 64 are right, position 65 is the first that is not."""
    bits = np.ones((1, 400), dtype=np.int64)
    with torch.inference_mode():
        given = model(torch.tensor(bits + 1), 6).logits[0].argmax(dim=-1).numpy()
    wrong = np.flatnonzero(given != bits[0].cumsum() % 2)
    assert wrong[0] == settled_prefix(6) == 64
    assert len(wrong) == 168


def test_without_its_step_signal_it_reads_the_neighbour_for_ever(model: UniversalTransformer) -> None:
    """The control: the table's first row at every step, and the scan is the one without a step signal."""
    same = build(scan_config())
    weights = scan_weights()
    # Step 1 needs no register; the steps' own codes choose the rotation, so none may be given.
    weights["step_table"] = np.zeros_like(weights["step_table"])
    same.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
    bits = np.random.default_rng(0).integers(0, 2, 40)
    frames = scan(bits, steps=STEPS, step_signal=False).frames
    for record in same.steps(bits[None] + 1):
        assert record.readout is not None
        np.testing.assert_array_equal(record.readout[0].argmax(axis=-1), frames[record.step].values)


def test_it_opens_like_any_checkpoint(tmp_path: Path) -> None:
    save_scan(tmp_path / "scan")
    loaded = load(tmp_path / "scan")
    assert loaded.task == "parity"
    ids, info = prepare(loaded, Input(text="1101"))
    assert info.labels == ("1", "1", "0", "1")
    assert info.answers == ("0", "1")
    records = list(loaded.model.steps(ids))
    assert [info.answers[k] for k in records[-1].readout[0].argmax(axis=-1)] == ["1", "0", "0", "1"]
    report = evaluate_checkpoint(loaded, lengths=(20, 300))
    assert report["accuracy"] == report["sequence_accuracy"] == 1.0

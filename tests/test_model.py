"""The model: the opened loop equals the plain forward, masks hold, wrong options are refused by name."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from ut_engine.errors import UserError
from ut_engine.records import Capture, StepRecord
from ut_engine.spec import UTConfig
from ut_engine.torch.model import UniversalTransformer

SMALL: dict[str, Any] = {"vocab": 11, "answers": 4, "d_model": 16, "heads": 4, "d_ff": 24, "max_steps": 6}


def build(seed: int = 0, **options: Any) -> UniversalTransformer:
    """A random model whose halting differs from position to position."""
    torch.manual_seed(seed)
    model = UniversalTransformer(UTConfig(**{**SMALL, **options}))
    if model.config.act:
        torch.nn.init.normal_(model.halting_unit.weight, std=0.4)
    return model.eval()


def padded_ids(words: int = 0) -> torch.Tensor:
    shape = (3, 7, words) if words else (3, 7)
    ids = torch.from_numpy(np.random.default_rng(5).integers(1, 11, shape))
    ids[1, 4:] = 0
    ids[2, 1:] = 0
    return ids


ACT = [
    dict(zip(("state", "mixing", "p_from"), values, strict=True))
    for values in itertools.product(
        ("listing2", "frozen"), ("basic", "accumulated", "graves"), ("input", "new")
    )
]


@pytest.mark.parametrize("options", [*ACT, {"halting": "none"}])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_steps_equal_forward(options: dict[str, Any], norm: str) -> None:
    model = build(norm=norm, halting_bias=-1.0, **options)
    ids = padded_ids()
    with torch.no_grad():
        whole = model(ids)
    records = list(model.steps(ids))
    assert len(records) == whole.steps
    np.testing.assert_allclose(records[-1].readout, whole.logits, atol=1e-6)
    if records[-1].halting is not None:
        np.testing.assert_array_equal(records[-1].halting.n_updates, whole.n_updates)


@pytest.mark.parametrize("options", [*ACT, {"halting": "none"}])
def test_readout_as_if_stopped_equals_a_run_with_fewer_steps(options: dict[str, Any]) -> None:
    model = build(halting_bias=-2.0, **options).double()
    ids = padded_ids()
    for record in model.steps(ids):
        with torch.no_grad():
            shorter = model(ids, max_steps=record.step)
        np.testing.assert_allclose(
            record.readout[record.real], shorter.logits.numpy()[record.real], atol=1e-12
        )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"causal": True},
        {"causal": True, "window": 3},
        {"attention_bias": "alibi"},
        {"attention_bias": "relative", "causal": True},
        {"state": "frozen"},
    ],
)
def test_maps_are_distributions_over_what_may_be_read(options: dict[str, Any]) -> None:
    model = build(halting_bias=-1.0, **options)
    for record in model.steps(padded_ids()):
        entry = the_map(record)
        rows = np.broadcast_to(record.computed[:, None], entry.sum(axis=-1).shape)
        np.testing.assert_allclose(entry.sum(axis=-1)[rows], 1.0, atol=1e-6)
        real = np.broadcast_to(record.real[:, None, None, :], entry.shape)
        assert (entry[~real & rows[..., None]] == 0).all()
        if model.config.causal:
            assert (np.triu(entry, 1) == 0).all()
        if model.config.window:
            assert (np.tril(entry, -model.config.window) == 0).all()


def the_map(record: StepRecord) -> np.ndarray[Any, Any]:
    assert record.attention is not None
    weights = record.attention[0].weights
    assert weights is not None
    return weights


def test_maps_are_the_ones_the_model_used() -> None:
    """Values mixed with the recorded map, through the model's own projections, give the attention output."""
    model = build(signal="none", halting="none", max_steps=1)
    ids = padded_ids()
    record = next(model.steps(ids))
    with torch.no_grad():
        x, _ = model.embed_input(ids)
        values = model.attention.value(x).view(3, 7, 4, 4).transpose(1, 2)
        mixed = torch.tensor(the_map(record)) @ values
        a = model.norm_attention(x + model.attention.output(mixed.transpose(1, 2).reshape(3, 7, 16)))
        state = model.norm_transition(a + model.transition(a))
    np.testing.assert_allclose(record.state[record.real], state.numpy()[record.real], atol=1e-5)


def test_padding_does_not_change_a_result() -> None:
    model = build(halting_bias=-1.0).double()
    ids = padded_ids()
    with torch.no_grad():
        together, alone = model(ids), model(ids[1:2, :4])
    np.testing.assert_allclose(together.logits[1, :4], alone.logits[0], atol=1e-12)
    np.testing.assert_array_equal(together.n_updates[1, 4:], 0)
    assert float(alone.ponder) == pytest.approx(float((alone.n_updates + alone.remainders).mean()), abs=1e-12)


def test_causal_prefix_does_not_see_what_follows() -> None:
    model = build(causal=True, halting_bias=-1.0).double()
    ids = padded_ids()[:1]
    with torch.no_grad():
        whole, prefix = model(ids), model(ids[:, :3])
    np.testing.assert_allclose(whole.logits[0, :3], prefix.logits[0], atol=1e-12)


def test_sentences_are_sums_of_masked_words() -> None:
    model = build(words=5)
    ids = padded_ids(words=5)
    ids[0, 2, 3:] = 0
    vectors, real = model.embed_input(ids)
    table = model.embed.weight.detach().numpy() * 4.0  # sqrt(16)
    want = sum(
        table[int(word)] * model.word_mask[place].detach().numpy()
        for place, word in enumerate(ids[0, 2]) if word
    )  # fmt: skip
    np.testing.assert_allclose(vectors[0, 2].detach(), want, rtol=1e-5)
    assert real.sum() == 7 + 4 + 1
    assert len(list(model.steps(ids))) >= 1


@pytest.mark.parametrize("state", ["listing2", "frozen"])
def test_frozen_copies_a_halted_state_and_listing2_goes_on(state: str) -> None:
    model = build(seed=3, state=state, halting_bias=-1.5)
    records = list(model.steps(padded_ids()))
    seen = False
    for before, after in itertools.pairwise(records):
        assert before.halting is not None
        assert after.halting is not None
        assert after.state is not None
        assert before.state is not None
        halted = after.real & before.halting.halted
        seen |= bool(halted.any())
        same = np.isclose(after.state, before.state).all(axis=-1)
        assert (same[halted] == (state == "frozen")).all()
        np.testing.assert_array_equal(after.output[halted], before.output[halted])
        expected = after.real & after.halting.running if state == "frozen" else after.real
        np.testing.assert_array_equal(after.computed, expected)
    assert seen


def test_closing_stops_the_work_and_capture_leaves_out() -> None:
    model = build(halting="none", max_steps=6)
    calls = []
    model.transition.register_forward_hook(lambda *_: calls.append(1))
    run = model.steps(padded_ids(), Capture(attention=False, states=False, readout=False, derived=False))
    record = next(run)
    run.close()
    assert len(calls) == 1
    assert record.attention is record.state is record.readout is record.update_norm is None


def test_parameters_do_not_depend_on_steps_and_the_output_does() -> None:
    few, many = build(max_steps=2, halting="none"), build(max_steps=9, halting="none")
    assert sum(p.numel() for p in few.parameters()) == sum(p.numel() for p in many.parameters())
    with torch.no_grad():
        assert not torch.allclose(few(padded_ids()).logits, many(padded_ids()).logits, atol=1e-3)


def test_charging_the_cap_gives_stuck_positions_a_gradient() -> None:
    """facts a.3-5: at the cap d rho / d p = 0; charging 1 - h gives -1 for each step's p."""
    for charge in (False, True):
        model = build(halting_bias=-6.0, charge_cap=charge).train()
        output = model(padded_ids())
        assert (output.remainders == 0).all()
        (gradient,) = torch.autograd.grad(output.ponder, model.halting_unit.bias)
        assert bool(gradient.abs().sum() > 0) is charge


@pytest.mark.parametrize("length", [1, 2])
def test_any_batch_and_length_one(length: int) -> None:
    model = build()
    for batch in (1, 3):
        ids = torch.ones((batch, length), dtype=torch.long)
        records = list(model.steps(ids))
        assert the_map(records[0]).shape == (batch, 4, length, length)
        assert np.isfinite(records[-1].readout).all()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"heads": 3}, "3 heads"),
        ({"d_model": 15, "heads": 3}, "even"),
        ({"window": 4}, "window"),
        ({"charge_cap": True, "mixing": "graves"}, "charge_cap"),
        ({"charge_cap": True, "halting": "none"}, "charge_cap"),
        ({"norm": "rms"}, "norm"),
        ({"epsilon": 1.0}, "epsilon"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_steps": 10_000}, "max_steps"),
        ({"d_model": 16.0}, "d_model"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"causal": 1}, "causal"),
    ],
)
def test_unsupported_options_are_refused_by_name(options: dict[str, Any], named: str) -> None:
    with pytest.raises(UserError, match=named):
        UTConfig(**{**SMALL, **options})


def test_steps_out_of_range_are_refused() -> None:
    for steps in (0, 10_000, -1):
        with pytest.raises(UserError, match="steps"):
            build()(padded_ids(), max_steps=steps)
    model = build(signal="learned")
    with pytest.raises(UserError, match="6 rows"):
        next(model.steps(padded_ids(), max_steps=7))
    assert len(list(build(signal="t2t", halting="none").steps(padded_ids(), max_steps=9))) == 9


def test_records_are_read_only_and_checked() -> None:
    record = next(build().steps(padded_ids()))
    with pytest.raises(ValueError, match="read-only"):
        record.state[0, 0, 0] = 1.0
    with pytest.raises(ValueError, match="shape"):
        StepRecord(record.address, record.real, record.computed[:1])


@pytest.mark.gpu
def test_the_device_agrees_with_the_processor() -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    for options in (*ACT, {"halting": "none"}):
        model = build(halting_bias=-1.0, **options)
        here = list(model.steps(padded_ids()))
        there = list(model.cuda().steps(padded_ids()))
        assert len(here) == len(there)
        for one, other in zip(here, there, strict=True):
            np.testing.assert_allclose(the_map(one), the_map(other), atol=1e-4)
            np.testing.assert_allclose(one.readout, other.readout, atol=1e-3)

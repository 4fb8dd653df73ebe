"""The encoder-decoder: two sides that halt for themselves, teacher forcing, and writing symbol by symbol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from ut_engine import checkpoint, family
from ut_engine.client import Client
from ut_engine.codec import decode_record, encode_record
from ut_engine.errors import UserError
from ut_engine.records import StepRecord
from ut_engine.run import Run, RunInfo, load_run
from ut_engine.spec import UTConfig
from ut_engine.torch.build import build
from ut_engine.torch.model import UniversalTransformer
from ut_engine.torch.seq2seq import EncoderDecoder

PAIR: dict[str, Any] = {
    "vocab": 11, "answers": 9, "d_model": 16, "heads": 4, "d_ff": 24, "max_steps": 5, "decoder": True,
    "readout": "every",
}  # fmt: skip
ACT: dict[str, Any] = {"halting_bias": -0.5, "max_steps": 8}
KINDS: dict[str, dict[str, Any]] = {
    "UT": {"halting": "none"},
    "UT, pre": {"halting": "none", "norm": "pre", "attention_bias": "relative", "end_id": 3},
    "UT+ACT": ACT,
    "UT+ACT, frozen": {**ACT, "state": "frozen"},
    "UT+ACT, Graves": {**ACT, "mixing": "graves", "p_from": "new"},
    "UT+ACT, convolutions": {**ACT, "transition": "sepconv", "norm": "pre", "attention_bias": "alibi"},
    "UT+ACT, tied": {**ACT, "tied": True, "answers": 11},
    "UT, T = n": {"halting": "none", "steps_from": "length", "inject": True},
    "UT+ACT, T = log2 n": {**ACT, "steps_from": "log2", "causal": True, "window": 2},
    "Transformer": {"architecture": "transformer", "layers": 3, "halting": "none"},
    "Transformer, pre, tied": {
        "architecture": "transformer", "layers": 2, "halting": "none", "norm": "pre", "tied": True,
        "answers": 11,
    },
}  # fmt: skip
every_kind = pytest.mark.parametrize("kind", KINDS)
sides = ("encoder", "decoder")


def make(kind: str, seed: int = 0, **options: Any) -> EncoderDecoder:
    """A random model; with ACT its halting differs from position to position."""
    torch.manual_seed(seed)
    model = build(UTConfig(**{**PAIR, **KINDS[kind], **options}))
    assert isinstance(model, EncoderDecoder)
    for side in (model.encoder, model.decoder):
        if isinstance(side, UniversalTransformer) and model.config.act:
            torch.nn.init.normal_(side.halting_unit.weight, std=0.4)
    return model.eval()


def source() -> torch.Tensor:
    """Three sources of 7, 4 and 2 symbols, one with a gap."""
    ids = torch.from_numpy(np.random.default_rng(5).integers(1, 11, (3, 7)))
    ids[1, 4:] = 0
    ids[2, 1:6] = 0
    return ids


def target() -> torch.Tensor:
    """Three targets of 5, 3 and 5 symbols."""
    ids = torch.from_numpy(np.random.default_rng(6).integers(1, 9, (3, 5)))
    ids[1, 3:] = 0
    return ids


# ---- teacher forcing ------------------------------------------------------------------------------------


@every_kind
def test_steps_equal_forward_and_an_early_stop_equals_a_shorter_decoder(kind: str) -> None:
    model = make(kind).double()
    with torch.no_grad():
        whole = model(source(), target())
    records = list(model.steps(source(), target=target()))
    by_side = {side: [r for r in records if r.address.side == side] for side in sides}
    assert records == by_side["encoder"] + by_side["decoder"], "the encoder's records come first"
    assert [len(by_side[side]) for side in sides] == [whole.encoder.steps, whole.decoder.steps]
    np.testing.assert_allclose(by_side["decoder"][-1].readout, whole.logits, atol=1e-12)
    usual = [model.config.steps_allowed(None, int(n)) for n in (source() != 0).sum(dim=1)]
    for record in by_side["decoder"]:
        caps = [min(record.step, cap) for cap in usual]
        with torch.no_grad():
            shorter = model(source(), target(), decoder_steps=caps)
        np.testing.assert_allclose(record.readout, shorter.logits, atol=1e-12)


@every_kind
def test_single_precision_steps_equal_forward(kind: str) -> None:
    model = make(kind)
    *_, last = model.steps(source(), target=target())
    with torch.no_grad():
        np.testing.assert_allclose(last.readout, model(source(), target()).logits, atol=1e-6)


@every_kind
def test_padding_of_source_and_target_changes_nothing(kind: str) -> None:
    model = make(kind).double()
    with torch.no_grad():
        together, alone = model(source(), target()), model(source()[1:2, :4], target()[1:2, :3])
    np.testing.assert_allclose(together.logits[1, :3], alone.logits[0], atol=1e-12)
    np.testing.assert_array_equal(together.encoder.n_updates[1, :4], alone.encoder.n_updates[0])
    np.testing.assert_array_equal(together.decoder.n_updates[1, :3], alone.decoder.n_updates[0])
    assert (together.decoder.n_updates[1, 3:] == 0).all()


@every_kind
def test_a_position_sees_the_target_to_its_left_and_the_whole_source(kind: str) -> None:
    model = make(kind).double()
    asked, other = target(), target()
    other[0, 2] = 1 + other[0, 2] % 8
    moved = source()
    moved[0, 6] = 1 + moved[0, 6] % 10
    with torch.no_grad():
        whole = model(source(), asked).logits[0]
        changed = (model(source(), other).logits[0] - whole).abs().amax(dim=-1)
        assert (changed[:3] < 1e-12).all(), "not even its own symbol, which it is asked for"
        assert (changed[3:4] > 1e-6).all()
        assert ((model(moved, asked).logits[0] - whole).abs().amax(dim=-1) > 1e-7).all()


@every_kind
def test_records_of_the_decoder_have_both_kinds_of_attention(kind: str) -> None:
    model = make(kind)
    for record in model.steps(source(), target=target()):
        assert record.attention is not None
        kinds = [entry.kind for entry in record.attention]
        assert kinds == (["self"] if record.address.side == "encoder" else ["self", "cross"])
        for entry in record.attention:
            assert entry.weights is not None
            assert entry.attendable is not None
            sums = entry.weights.sum(axis=-1).transpose(0, 2, 1)
            np.testing.assert_allclose(sums[record.computed], 1.0, atol=1e-5)
            if entry.kind == "cross":
                hidden = np.broadcast_to((source() == 0).numpy()[:, None, None], entry.weights.shape)
                assert (entry.weights[hidden] == 0).all()
                lengths = (source() != 0).sum(dim=1).numpy()
                assert (entry.attendable == lengths[:, None]).all()
        if record.address.side == "decoder":
            own = record.attention[0].weights
            assert own is not None
            assert (np.triu(own, 1) == 0).all()


@pytest.mark.gpu
@every_kind
def test_the_device_agrees_with_the_processor(kind: str) -> None:
    model = make(kind)
    written = model.generate(source())
    here = list(model.steps(source(), target=written))
    assert torch.equal(model.cuda().generate(source()).cpu(), written)
    for one, other in zip(here, model.steps(source(), target=written), strict=True):
        np.testing.assert_allclose(one.state, other.state, atol=1e-3)


# ---- halting on both sides ------------------------------------------------------------------------------


def test_each_side_is_charged_for_itself() -> None:
    model = make("UT+ACT").train()
    out = model(source(), target())
    for one, real in ((out.encoder, source() != 0), (out.decoder, target() != 0)):
        mean = (one.n_updates + one.remainders)[real].mean()
        assert one.ponder.item() == pytest.approx(mean.item(), rel=1e-6)
    assert out.ponder.item() == pytest.approx((out.encoder.ponder + out.decoder.ponder).item())
    units = [side.halting_unit.bias for side in (model.encoder, model.decoder)]
    own, other = torch.autograd.grad(out.encoder.ponder, units, retain_graph=True, allow_unused=True)
    assert own.abs().sum() > 0
    assert other is None, "the encoder's cost knows nothing of the decoder"
    (own,) = torch.autograd.grad(out.decoder.ponder, units[1:])
    assert own.abs().sum() > 0


def test_the_sides_take_different_numbers_of_steps() -> None:
    model = make("UT+ACT", max_steps=12)
    assert isinstance(model.encoder, UniversalTransformer)
    torch.nn.init.constant_(model.encoder.halting_unit.bias, 9.0)
    out = model(source(), target())
    assert out.encoder.steps < out.decoder.steps
    shorter = model(source(), target(), max_steps=12, decoder_steps=1)
    assert (shorter.encoder.steps, shorter.decoder.steps) == (out.encoder.steps, 1)


def test_t_follows_the_source_on_both_sides() -> None:
    """The target's length is not known while it is being written."""
    out = make("UT, T = n")(source(), target())
    lengths = (source() != 0).sum(dim=1).tolist()
    assert out.encoder.n_updates.amax(dim=1).tolist() == lengths
    assert out.decoder.n_updates.amax(dim=1).tolist() == lengths


# ---- writing --------------------------------------------------------------------------------------------


@every_kind
def test_what_is_written_symbol_by_symbol_is_what_teacher_forcing_says_of_it(kind: str) -> None:
    """Under ACT later positions run longer: then the earlier ones' states at those steps must be there."""
    model = make(kind, seed=1).double()
    written = model.generate(source(), most=6)
    with torch.no_grad():
        logits = model(source(), written).logits
        best = logits[..., 1:].argmax(dim=-1) + 1
        for length in range(1, written.shape[1] + 1):
            prefix = model(source(), written[:, :length]).logits
            here = written[:, length - 1] != 0
            np.testing.assert_allclose(prefix[here, -1], logits[here, length - 1], atol=1e-12)
    real = written != 0
    assert (written[real] == best[real]).all()
    assert real[:, 0].all()


def test_a_later_position_runs_longer_in_that_test() -> None:
    """And what it reads of its neighbours beyond their halting matters, or the test would be too easy."""
    model = make("UT+ACT", seed=1).double()
    written = model.generate(source(), most=6)
    updates = model(source(), written).decoder.n_updates
    assert bool((updates.cummax(dim=1).values[:, :-1] < updates[:, 1:]).any())
    still = make("UT+ACT, frozen", seed=1).double()
    still.load_state_dict(model.state_dict())
    assert not torch.allclose(still(source(), written).logits, model(source(), written).logits, atol=1e-3)


@every_kind
def test_without_a_target_the_records_are_of_its_own_answer(kind: str) -> None:
    model = make(kind)
    written = model.generate(source())
    assert written.shape[1] <= 8
    for one, other in zip(model.steps(source()), model.steps(source(), target=written), strict=True):
        same(one, other)


def test_the_end_ends_an_answer_and_padding_is_never_one() -> None:
    model = make("UT+ACT, tied", end_id=2)
    seen = False
    for seed in range(8):
        torch.manual_seed(seed)
        torch.nn.init.normal_(model.encoder.embed.weight)
        with torch.no_grad():
            model.encoder.embed.weight[0] = 9.0  # the likeliest answer, were it one
        for row in model.generate(source(), most=9).tolist():
            end = row.index(2) if 2 in row else len(row)
            assert 0 not in row[:end]
            assert not any(row[end + 1 :])
            seen |= end < len(row) - 1
    assert seen


@every_kind
def test_length_one_and_an_empty_source(kind: str) -> None:
    model = make(kind)
    ids = torch.tensor([[3], [0]])
    with torch.no_grad():
        assert model(ids, torch.tensor([[1], [2]])).logits.isfinite().all()
    assert model.generate(ids[:1], most=1).shape == (1, 1)
    assert all(np.isfinite(record.state).all() for record in model.steps(ids[:1], target=np.array([[1]])))


# ---- weights --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "blocks", "total"),
    [
        ({"architecture": "transformer", "layers": 6, "d_model": 512}, 44_138_496, 63_082_496),
        ({"d_model": 512}, 7_356_416, 26_300_416),
        ({"d_model": 1024, "heads": 16, "max_steps": 9}, 29_392_896, 67_280_896),
        (
            {"architecture": "transformer", "layers": 6, "d_model": 1024, "heads": 16},
            176_357_376,
            214_245_376,
        ),
    ],
    ids=["Transformer base", "UT small", "UT base", "Transformer big"],
)
def test_the_numbers_of_parameters_of_the_paper(options: dict[str, Any], blocks: int, total: int) -> None:
    """facts c.1: biases on the projections, no final LayerNorm, one tied table of 37,000."""
    width = options["d_model"]
    config = UTConfig(
        **{"heads": 8, **PAIR, **options, "vocab": 37_000, "answers": 37_000, "d_ff": 4 * width, "tied": True,
           "halting": "none"}
    )  # fmt: skip
    with torch.device("meta"):
        model = build(config)
    assert sum(p.numel() for p in model.parameters()) == total
    assert total - model.encoder.embed.weight.numel() == blocks


@every_kind
def test_every_parameter_learns(kind: str) -> None:
    model = make(kind).train()
    out = model(source(), target())
    (out.logits.square().mean() + out.ponder).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["UT+ACT", "Transformer"])
def test_it_learns_to_write_the_source_backwards(kind: str) -> None:
    """A few examples by heart: the loss is that of the right symbols, and it then writes them itself."""
    model = make(kind, end_id=8, ponder_weight=0.001).train()
    rng = np.random.default_rng(0)
    ids = torch.from_numpy(rng.integers(1, 8, (6, 4)))
    wanted = torch.cat((ids.flip(1), torch.full((6, 1), 8)), dim=1)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(150):
        out = model(ids, wanted)
        optimizer.zero_grad()
        (F.cross_entropy(out.logits.flatten(0, 1), wanted.flatten()) + 0.001 * out.ponder).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    np.testing.assert_array_equal(model.generate(ids, most=7), wanted)


# ---- files and processes --------------------------------------------------------------------------------


def write(path: Path, model: EncoderDecoder) -> None:
    tensors = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    checkpoint.save(path, checkpoint.describe(model.config.to_dict()), tensors)


def same(one: StepRecord, other: StepRecord) -> None:
    assert one.address == other.address
    np.testing.assert_array_equal(one.state, other.state)
    if one.readout is not None:
        np.testing.assert_array_equal(one.readout, other.readout)
    for a, b in zip(one.attention or (), other.attention or (), strict=True):
        assert a.kind == b.kind
        np.testing.assert_array_equal(a.weights, b.weights)


@every_kind
def test_a_checkpoint_and_a_trace_carry_both_sides(kind: str, tmp_path: Path) -> None:
    model, ids, given = make(kind), source()[:1], target()[:1]
    write(tmp_path / "m", model)
    loaded = family.load(tmp_path / "m")
    assert loaded.config == model.config
    records = list(loaded.model.steps(ids, target=given))
    for one, other in zip(records, model.steps(ids, target=given), strict=True):
        same(one, other)
        same(one, decode_record(encode_record(one)))
    labels, rows = ("?",) * 7, (tuple(ids[0].tolist()),)
    info = RunInfo(
        "universal_transformer", "m", model.config.to_dict(), 1, labels, rows, target=(1, 2, 3, 4, 5)
    )
    Run(info, tuple(records)).save(tmp_path / "t.trace.safetensors")
    again = load_run(tmp_path / "t.trace.safetensors")
    assert again.info.target == (1, 2, 3, 4, 5)
    assert [record.address for record in again.records] == [record.address for record in records]
    for side, length in (("encoder", 7), ("decoder", 5)):
        count = len(again.of(side))
        assert again.curve("update_norm", side=side).shape == (count, length)
        assert again.ponder(side=side).shape == (length,)
        assert len(again.n_running(0, side)) == count
        assert again.entropy(0, kind="self", side=side).shape == (count, 4)
        assert again.at(1, side) is again.of(side)[0]
    assert again.entropy(0, kind="cross", side="decoder").shape == (len(again.of("decoder")), 4)
    assert len(again.predictions(2, side="decoder")) == len(again.of("decoder"))


@every_kind
def test_the_run_predicts_what_the_decoder_wrote(kind: str) -> None:
    model, ids = make(kind), source()[:1]
    written = model.generate(ids)[0].tolist()
    info = RunInfo("", "", model.config.to_dict(), 1, ("?",) * 7, (tuple(ids[0].tolist()),))
    run = Run(info, tuple(model.steps(ids)))
    last = run.of("decoder")[-1]
    for place in range(written.index(0) if 0 in written else len(written)):
        said = run.prediction(last, place)
        assert said is not None
        assert said[0] == str(written[place])


def test_both_sides_cross_the_process_border(tmp_path: Path) -> None:
    model, ids, given = make("UT+ACT"), source()[0].tolist(), target()[0].tolist()
    write(tmp_path / "m", model)
    with Client() as client:
        client.opened(tmp_path / "m", "cpu")
        for asked, expected in (
            ({"target": given}, model.steps([ids], target=[given])),
            ({}, model.steps([ids])),
        ):
            for one, other in zip(client.records(ids=ids, **asked), expected, strict=True):
                same(one, other)
            assert client.result is not None
            assert client.result.info.finished == "done"
            assert client.result.info.target == tuple(asked.get("target", ()))
        for wrong in ([], [0, 0], [9], [-1]):
            with pytest.raises(UserError, match="target"):
                list(client.records(ids=ids, target=wrong))

"""The siblings and the options they brought: stopping, shortening, moving, padding, saving, training."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.kinds import CELL, SMALL, TRANSFORMER, every_kind, make, padded_ids
from ut_engine.errors import UserError
from ut_engine.records import Capture
from ut_engine.schedule import reach_of, receptive_field, universal
from ut_engine.spec import UTConfig
from ut_engine.torch.build import build
from ut_engine.torch.coordinates import paper_sinusoid
from ut_engine.torch.model import UniversalTransformer
from ut_engine.torch.siblings import LSTM


@every_kind
def test_steps_equal_forward_and_an_early_stop_equals_a_shorter_run(kind: str) -> None:
    model, ids = make(kind).double(), padded_ids()
    with torch.no_grad():
        whole = model(ids)
    records = list(model.steps(ids))
    assert len(records) == whole.steps
    np.testing.assert_allclose(records[-1].readout, whole.logits, atol=1e-12)
    real = [int(n) for n in (ids != 0).sum(dim=1)]
    usual = [7 if kind.startswith("LSTM") else model.config.steps_allowed(None, n) for n in real]
    for record in records:
        with torch.no_grad():
            shorter = model(ids, max_steps=[min(record.step, cap) for cap in usual])
        np.testing.assert_allclose(record.readout, shorter.logits, atol=1e-12)


@every_kind
def test_single_precision_steps_equal_forward(kind: str) -> None:
    model, ids = make(kind), padded_ids()
    with torch.no_grad():
        np.testing.assert_allclose(list(model.steps(ids))[-1].readout, model(ids).logits, atol=1e-6)


@every_kind
def test_padding_and_other_examples_change_nothing(kind: str) -> None:
    model, ids = make(kind).double(), padded_ids()
    with torch.no_grad():
        together, alone = model(ids), model(ids[1:2, :4])
    np.testing.assert_allclose(together.logits[1, :4], alone.logits[0], atol=1e-12)
    np.testing.assert_array_equal(together.n_updates[1, :4], alone.n_updates[0])
    assert (together.n_updates[1, 4:] == 0).all()


@every_kind
def test_a_causal_prefix_does_not_see_what_follows(kind: str) -> None:
    """The number of steps is given where it would follow the length, which is what follows."""
    model, ids = make(kind, causal=True).double(), padded_ids()[:1]
    steps = 4 if model.config.steps_from != "fixed" else None
    with torch.no_grad():
        whole, prefix = model(ids, steps), model(ids[:, :3], steps)
    np.testing.assert_allclose(whole.logits[0, :3], prefix.logits[0], atol=1e-12)


@pytest.mark.parametrize(
    "kind", ["UT", "UT+ACT", "UT, convolutions", "Transformer", "Transformer, convolutions"]
)
def test_without_the_mask_a_prefix_does_see_it(kind: str) -> None:
    """So the test above can fail."""
    model, ids = make(kind).double(), padded_ids()[:1]
    with torch.no_grad():
        whole, prefix = model(ids), model(ids[:, :3])
    assert not np.allclose(whole.logits[0, :3], prefix.logits[0], atol=1e-3)


@every_kind
@pytest.mark.parametrize(("batch", "length"), [(1, 1), (3, 1), (1, 2)])
def test_any_batch_and_length_one(kind: str, batch: int, length: int) -> None:
    model = make(kind)
    for ids in (
        torch.ones((batch, length), dtype=torch.long),
        torch.zeros((batch, length), dtype=torch.long),
    ):
        with torch.no_grad():
            assert model(ids).logits.isfinite().all()
    records = list(model.steps(np.ones((batch, length), dtype=np.int64)))
    assert np.isfinite(records[-1].readout).all()


@every_kind
def test_every_parameter_learns(kind: str) -> None:
    """Only the rows of symbols that did not occur, and of padding, have no gradient."""
    model = make(kind).train()
    out = model(padded_ids())
    (out.logits.square().mean() + out.ponder).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


@every_kind
def test_capture_leaves_out_and_closing_stops_the_work(kind: str) -> None:
    model = make(kind)
    run = model.steps(padded_ids(), Capture(attention=False, states=False, readout=False, derived=False))
    record = next(run)
    run.close()
    assert record.attention is record.state is record.readout is record.update_norm is None
    assert record.address.step == 1


@pytest.mark.gpu
@every_kind
def test_the_device_agrees_with_the_processor(kind: str) -> None:
    model = make(kind)
    here = list(model.steps(padded_ids()))
    there = list(model.cuda().steps(padded_ids()))
    for one, other in zip(here, there, strict=True):
        np.testing.assert_allclose(one.state, other.state, atol=1e-3)
        np.testing.assert_allclose(one.readout, other.readout, atol=1e-3)
    with torch.no_grad():
        whole = model(padded_ids().cuda())
    np.testing.assert_allclose(whole.logits.cpu(), here[-1].readout, atol=1e-3)


# ---- one by one -----------------------------------------------------------------------------------------


def test_parameters_do_not_depend_on_steps_and_do_on_layers() -> None:
    def count(**options: Any) -> int:
        return sum(p.numel() for p in build(UTConfig(**{**SMALL, **options})).parameters())

    shared = {count(halting="none", max_steps=t, transition="sepconv") for t in (1, 4, 9)}
    assert len(shared) == 1
    assert len({count(halting="none", steps_from=rule) for rule in ("fixed", "length", "log2")}) == 1
    two, three, four = (count(**{**TRANSFORMER, "layers": n}) for n in (2, 3, 4))
    assert four - three == three - two > 0
    one = count(halting="none")
    assert count(**{**TRANSFORMER, "layers": 1}) == one, "one layer, run once: the same tensors"
    assert three - two == one - (11 * 16 + 16 * 4 + 4)


def test_a_transformer_of_one_layer_is_a_universal_transformer_of_one_step() -> None:
    """But for the step's part of the signal; T = 1 "would be a Transformer" of one layer."""
    universal, layered = make("UT", max_steps=1).double(), make("Transformer", layers=1).double()
    state = {f"layers.0.{name}": value for name, value in universal.state_dict().items()}
    for name in ("embed.weight", "readout.weight", "readout.bias"):
        state[name] = state.pop(f"layers.0.{name}")
    layered.load_state_dict(state)
    ids = padded_ids()
    with torch.no_grad():
        step = paper_sinusoid(torch.tensor([1]), 16)
        table = universal.embed.weight
        table[1:] -= step / 4  # sqrt(16): the embedding takes the step's part back
        np.testing.assert_allclose(universal(ids[:1]).logits, layered(ids[:1]).logits, atol=1e-12)


def test_a_record_of_the_transformer_is_a_layer_and_of_the_lstm_a_position() -> None:
    ids = padded_ids()
    layers = list(make("Transformer").steps(ids))
    assert [(r.address.step, r.address.layer, r.address.side) for r in layers] == [
        (t + 1, t, "encoder") for t in range(3)
    ]
    assert all((record.computed == record.real).all() for record in layers)
    positions = list(make("LSTM").steps(ids))
    assert [(r.address.step, r.address.layer) for r in positions] == [(i + 1, 0) for i in range(7)]
    assert (sum(record.computed.astype(int) for record in positions) == positions[0].real).all()
    assert all(record.attention is None for record in positions)
    for before, after in itertools.pairwise(positions):
        assert before.state is not None
        assert after.state is not None
        read = np.arange(7) < after.step - 1
        np.testing.assert_array_equal(before.state[:, read], after.state[:, read])
        assert (after.state[:, ~read][:, 1:] == 0).all()


def test_the_lstm_is_torchs_own_over_each_example_alone() -> None:
    model = make("LSTM, two cells")
    assert isinstance(model, LSTM)
    ids = padded_ids()
    with torch.no_grad():
        embedded, real = model.embed_input(ids)
        states = next(reversed(list(model.steps(ids)))).state
        for example in range(3):
            expected, _ = model.lstm(embedded[example, real[example]][None])
            np.testing.assert_allclose(states[example, real[example]], expected[0], atol=1e-6)


def test_separable_convolutions_reach_as_far_as_their_kernels() -> None:
    """3 then 5 wide: three positions each way, or six to the left when causal; padding is a zero."""
    for causal, reach in ((False, range(7, 14)), (True, range(10, 17))):
        layer = make("UT, convolutions", causal=causal).double()
        assert isinstance(layer, UniversalTransformer)
        x = torch.randn(1, 21, 16, dtype=torch.float64)
        real = torch.ones(1, 21, dtype=torch.bool)
        moved = x.clone()
        moved[0, 10] += 1.0
        with torch.no_grad():
            changed = (layer.transition(x, real) - layer.transition(moved, real)).abs().sum(dim=-1)[0] > 0
        assert changed.nonzero().flatten().tolist() == list(reach)
        real[0, 10] = False
        with torch.no_grad():
            same = layer.transition(x, real) - layer.transition(moved, real)
        assert (same == 0).all()


@pytest.mark.parametrize("transition", ["feedforward", "sepconv"])
@pytest.mark.parametrize("position", [3, 15])
def test_a_cell_of_the_grid_depends_on_what_its_receptive_field_says(transition: str, position: int) -> None:
    """Of the model itself, causal and with a window: other symbols change the state there, or do not."""
    options = {"causal": True, "window": 3, "transition": transition, "max_steps": 2}
    model = make("UT", **options).double()
    ids = torch.from_numpy(np.random.default_rng(7).integers(1, 11, (1, 16)))
    grid = replace(universal(16, 2, causal=True), window=3, reach=reach_of(transition, True))
    usual = [record.state[0, position] for record in model.steps(ids)]
    for place in range(16):
        other = ids.clone()
        other[0, place] = ids[0, place] % 10 + 1
        for row, record in enumerate(model.steps(other), start=1):
            changed = bool((record.state[0, position] != usual[row - 1]).any())
            assert changed == receptive_field(grid, row, position)[0, place], (row, place)


def test_separable_convolutions_have_t2ts_number_of_weights() -> None:
    """facts b.5: 2,111,488 against 2,099,712 at d = 512."""
    for kind, expected in (("sepconv", 2_111_488), ("feedforward", 2_099_712)):
        config = UTConfig(vocab=2, answers=1, d_model=512, d_ff=2048, heads=8, transition=kind)
        with torch.device("meta"):
            model = UniversalTransformer(config)
        assert sum(p.numel() for p in model.transition.parameters()) == expected


@pytest.mark.parametrize(
    ("rule", "expected"), [("length", [7, 4, 2]), ("log2", [4, 3, 2]), ("fixed", [5, 5, 5])]
)
def test_t_follows_each_examples_own_length(rule: str, expected: list[int]) -> None:
    model = make("UT", steps_from=rule)
    out = model(padded_ids())
    assert out.n_updates.amax(dim=1).tolist() == expected
    assert out.steps == max(expected)
    assert [UTConfig(**SMALL, steps_from="log2").usual_steps(n) for n in (1, 2, 3, 4, 5, 40, 400)] == [
        1, 2, 3, 3, 4, 7, 10,
    ]  # fmt: skip
    rows = [record.computed.any(axis=1).tolist() for record in model.steps(padded_ids())]
    assert rows == [[t < n for n in expected] for t in range(out.steps)]
    assert model(padded_ids(), max_steps=np.int64(3)).n_updates.amax(dim=1).tolist() == [3, 3, 3]
    assert model(padded_ids(), max_steps=torch.tensor([1, 9, 2])).n_updates.amax(dim=1).tolist() == [1, 9, 2]
    with pytest.raises(ValueError, match="2 numbers of steps"):
        model(padded_ids(), max_steps=[1, 2])


@pytest.mark.parametrize("signal", ["paper", "t2t", "learned"])
def test_random_offsets_move_the_positions_in_training_only(signal: str) -> None:
    model = make("UT", position_offset=50, signal=signal, max_steps=2)
    still = make("UT", signal=signal, max_steps=2)
    ids = padded_ids()
    with torch.no_grad():
        np.testing.assert_array_equal(model(ids).logits, still(ids).logits)
        np.testing.assert_array_equal(next(model.steps(ids)).readout, next(still.steps(ids)).readout)
        asked = model(ids, offset=torch.tensor([0, 7, 50]))
        for example, offset in enumerate((0, 7, 50)):
            one = model(ids[example : example + 1], offset=offset)
            np.testing.assert_allclose(asked.logits[example], one.logits[0], atol=1e-6)
        torch.manual_seed(3)
        drawn = torch.randint(51, (3,))
        torch.manual_seed(3)
        np.testing.assert_array_equal(model.train()(ids).logits, model.eval()(ids, offset=drawn).logits)
    assert len({int(n) for n in drawn}) > 1


def test_offsets_leave_relative_attention_as_it_is() -> None:
    """What sees only distances cannot tell where the sequence starts: so offsets need a signal."""
    with pytest.raises(UserError, match="position_offset"):
        make("UT", signal="none", attention_bias="alibi", position_offset=5)


def test_a_tied_table_is_one_parameter() -> None:
    model, apart = make("UT, tied"), make("UT", answers=11)
    names = [name for name, _ in model.named_parameters()]
    assert not [name for name in names if name.startswith("readout")]
    assert (
        sum(p.numel() for p in apart.parameters()) - sum(p.numel() for p in model.parameters())
        == 11 * 16 + 11
    )
    with torch.no_grad():
        state = torch.randn(1, 2, 16)
        np.testing.assert_allclose(model.read(state), state @ model.embed.weight.T, atol=1e-6)


def test_long_inputs_are_no_error_where_t_is_the_length_and_layers_are_counted() -> None:
    ids = torch.ones((1, 1200), dtype=torch.long)
    with torch.no_grad():
        assert make("LSTM")(ids).steps == 1200
        assert make("UT, T = n")(ids).steps == 1200
        assert make("UT, T = n")(ids, max_steps=1200).steps == 1200  # as a run hands on its own number
    with pytest.raises(UserError, match="3 layers"):
        make("Transformer")(padded_ids(), max_steps=4)
    with pytest.raises(UserError, match="1201 steps cannot be run; choose between 1 and 1200 steps"):
        make("UT, T = n")(ids, max_steps=1201)
    with pytest.raises(UserError, match="1000 steps cannot be run; choose between 1 and 999 steps"):
        make("UT, T = n")(ids[:, :4], max_steps=1000)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"architecture": "rnn"}, "architecture"),
        ({"layers": 2}, "layers"),
        ({"layers": 0}, "layers"),
        ({"architecture": "transformer"}, "halting"),
        ({**TRANSFORMER, "inject": True}, "inject"),
        ({**TRANSFORMER, "signal": "learned"}, "signal"),
        ({**TRANSFORMER, "steps_from": "length"}, "steps_from"),
        ({**CELL, "signal": "paper"}, "signal"),
        ({**CELL, "attention_bias": "alibi"}, "attention_bias"),
        ({**CELL, "window": 2, "causal": True}, "window"),
        ({**CELL, "transition": "sepconv"}, "transition"),
        ({**CELL, "decoder": True, "readout": "every"}, "decoder"),
        ({"tied": True}, "tied"),
        ({"decoder": True}, "readout"),
        ({"decoder": True, "readout": "every", "answers": 1}, "answers"),
        ({"decoder": True, "readout": "every", "end_id": 4}, "end_id"),
        ({"end_id": 1}, "end_id"),
        ({"steps_from": "length", "signal": "learned"}, "steps_from"),
        ({"position_offset": -1}, "position_offset"),
    ],
)
def test_unsupported_options_are_refused_by_name(options: dict[str, Any], named: str) -> None:
    with pytest.raises(UserError, match=named):
        UTConfig(**{**SMALL, **options})

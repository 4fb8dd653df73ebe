"""A changed past, computed by the engine: exact against the reference, and untouched before the change."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ut_engine
from tests import oracle
from tests.panes import made
from tests.test_debug_model import WAYS
from ut_engine import checkpoint, debug, family
from ut_engine.edits import Edit, check_edits, edits_from, remaining
from ut_engine.errors import UserError
from ut_engine.prepare import Input, prepare
from ut_engine.records import StepRecord
from ut_engine.run import Run, RunInfo, load_run
from ut_engine.spec import UTConfig
from ut_engine.torch.model import UniversalTransformer

PARTS = tuple(itertools.product(("listing2", "frozen"), ("basic", "accumulated", "graves"), ("input", "new")))
IDS = np.array([[3, 4, 5, 6, 7, 2], [8, 2, 9, 1, 0, 0]])
CHANGES = {
    "p": (Edit("p", 2, 1, 0.35), Edit("p", 3, 0, 0.0)),
    "halt": (Edit("halt", 2, 2), Edit("halt", 1, 4)),
    "run": tuple(Edit("run", step, 0) for step in range(1, 7)),
    "all": (Edit("run", 2, 1), Edit("halt", 3, 0), Edit("p", 1, 2, 0.97), Edit("p", 4, 3, 1.0)),
}


def build(bias: float = -0.6, **options: Any) -> UniversalTransformer:
    torch.manual_seed(4)
    config = UTConfig(vocab=11, answers=4, d_model=8, heads=2, d_ff=12, max_steps=6, halting_bias=bias,
                      **options)  # fmt: skip
    model = UniversalTransformer(config).double().eval()
    torch.nn.init.normal_(model.halting_unit.weight, std=0.4)
    return model


def weights_of(model: UniversalTransformer) -> dict[str, Any]:
    return {name: tensor.numpy() for name, tensor in model.state_dict().items()}


def close(ours: Any, reference: Any, what: str) -> None:
    np.testing.assert_allclose(np.asarray(ours, float), reference, rtol=1e-10, atol=1e-10, err_msg=what)


def equal(one: StepRecord, other: StepRecord) -> None:
    """Bit for bit the same step."""
    assert one.halting is not None
    assert other.halting is not None
    assert one.attention is not None
    assert other.attention is not None
    for name in ("state", "output", "readout", "computed", "update_norm"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    for name in ("signal", "running", "halted", "cumulative", "weight", "remainder", "n_updates"):
        np.testing.assert_array_equal(getattr(one.halting, name), getattr(other.halting, name), name)
    np.testing.assert_array_equal(one.attention[0].weights, other.attention[0].weights)


# ---- against the reference --------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", CHANGES)
@pytest.mark.parametrize(("state", "mixing", "p_from"), PARTS)
def test_a_changed_run_equals_the_reference(state: str, mixing: str, p_from: str, changes: str) -> None:
    model = build(1.5 if p_from == "input" else -0.6, state=state, mixing=mixing, p_from=p_from)
    edits, epsilon, cap = CHANGES[changes], 0.05, 7
    options = {**model.config.to_dict(), "epsilon": epsilon}
    plain = [edit.plain() for edit in edits]
    expected = oracle.run(options, weights_of(model), IDS, cap, changes=plain)
    records = list(model.steps(IDS, max_steps=cap, edits=edits, epsilon=epsilon))
    assert len(records) == len(expected.steps)
    for record, step in zip(records, expected.steps, strict=True):
        where = f"step {record.step}"
        assert record.halting is not None
        np.testing.assert_array_equal(record.halting.running, step.running, where)
        np.testing.assert_array_equal(record.halting.n_updates, step.n, where)
        close(record.state, step.next_state, f"{where}: state")
        close(record.output, step.prev, f"{where}: output")
        close(record.halting.signal, step.p, f"{where}: p")
        close(record.halting.cumulative, step.h, f"{where}: h")
        close(record.halting.remainder, step.r, f"{where}: R")
        close(record.halting.weight, step.w, f"{where}: w")
    close(records[-1].readout, expected.logits, "logits")
    unchanged = oracle.run(options, weights_of(model), IDS, cap)
    ends = [np.stack((run.steps[-1].n, run.steps[-1].r, run.out[..., 0])) for run in (expected, unchanged)]
    assert not np.allclose(ends[0], ends[1]), "the change changed nothing"


# ---- what does not change ---------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["listing2", "frozen"])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_the_steps_before_a_change_come_out_bit_for_bit(state: str, step: int) -> None:
    model = build(-2.0, state=state).float()
    old = list(model.steps(IDS))
    new = list(model.steps(IDS, edits=[Edit("halt", step, 0)]))
    for before, after in zip(old[: step - 1], new, strict=False):
        equal(before, after)
    assert old[step - 1].halting is not None
    assert new[step - 1].halting is not None
    assert new[step - 1].halting.halted[0, 0]  # type: ignore[union-attr]
    assert not old[step - 1].halting.halted[0, 0]  # type: ignore[union-attr]


@pytest.mark.parametrize("state", ["listing2", "frozen"])
def test_without_changes_it_is_the_plain_run(state: str) -> None:
    model = build(state=state).float()
    plain = list(model.steps(IDS))
    same = list(model.steps(IDS, edits=[], epsilon=model.config.epsilon))
    assert len(plain) == len(same)
    for one, other in zip(plain, same, strict=True):
        equal(one, other)


def test_a_frozen_state_changes_what_others_compute_and_a_state_that_goes_on_does_not() -> None:
    for state in ("listing2", "frozen"):
        model = build(-2.0, state=state)
        old, new = (list(model.steps(IDS, edits=e)) for e in ((), (Edit("halt", 1, 0),)))
        others = [np.asarray(run[2].state)[0, 1:] for run in (old, new)]
        assert np.array_equal(others[0], others[1]) == (state == "listing2")


@pytest.mark.parametrize("mixing", ["basic", "accumulated", "graves"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_kept_running_it_takes_steps_that_were_never_computed(mixing: str, dtype: torch.dtype) -> None:
    model = build(3.0, mixing=mixing).to(dtype)
    assert len(list(model.steps(IDS))) < 6
    records = list(model.steps(IDS, edits=[Edit("run", step, 1) for step in range(1, 6)]))
    assert len(records) == 6
    assert records[4].halting is not None
    assert not records[4].halting.halted[:, 1].any()


def test_what_remains_is_below_the_threshold_and_no_less_than_it_must_be() -> None:
    rng = np.random.default_rng(0)
    for h, p, theta in rng.uniform(0, 1, (5000, 3)):
        kept = remaining(h * theta, p, theta)
        assert 0 <= kept <= p
        assert h * theta + kept < theta
        assert kept == p or theta - (h * theta + kept) <= 4 * math.ulp(theta)
    assert remaining(math.nextafter(0.99, 0), 0.5, 0.99) == 0.0


# ---- the nine lines over a changed run --------------------------------------------------------------------


@pytest.mark.parametrize(("state", "mixing", "bias"), WAYS)
def test_the_nine_lines_walk_a_changed_run(state: str, mixing: str, bias: float) -> None:
    from app.panes import _act_live as live
    from app.panes import _act_state as st

    model = build(bias, state=state, mixing=mixing).float()
    edits = (Edit("run", 1, 2), Edit("run", 2, 2), Edit("halt", 3, 1), Edit("p", 2, 4, 0.45))
    records = tuple(model.steps(IDS[:1], edits=edits, epsilon=0.1))
    config = model.config.to_dict()
    info = made.info(6, max_steps=6, config=config, epsilon=0.1, edits=tuple(e.plain() for e in edits))
    run = st.Live(config=config, info=info, records=records)
    trace = debug.walk(live.setup_of(run))
    assert trace.setup.edits == edits
    assert (trace.steps, trace.finished) == (len(records), True)
    assert live.gap(trace, records) < 1e-6


# ---- what is refused, what is kept ------------------------------------------------------------------------


def test_senseless_changes_are_refused_in_words() -> None:
    config = build().config
    with pytest.raises(UserError, match="no position 7"):
        next(build().steps(IDS, edits=[Edit("halt", 1, 6)]))
    with pytest.raises(UserError, match=r"epsilon = 1\.5"):
        next(build().steps(IDS, epsilon=1.5))
    with pytest.raises(UserError, match="does not halt by ACT"):
        check_edits(replace(config, halting="none"), [Edit("halt", 1, 0)], None)
    with pytest.raises(UserError, match="encoder-decoder"):
        check_edits(replace(config, decoder=True, readout="every"), [], 0.1)
    check_edits(replace(config, halting="none"), [], None)


@pytest.mark.parametrize(
    "wrong",
    ["halt", 3, [["halt", 1, 0]], [["halt", "1", 0, 0.0]], [["jump", 1, 0, 0.0]], [["p", 1, 0, True]]],
)
def test_what_is_no_list_of_changes_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"must be a list|no change of the past"):
        edits_from(wrong)


@pytest.fixture
def loaded(tmp_path: Path) -> checkpoint.Loaded:
    model = build(state="frozen").float()
    description = checkpoint.describe(model.config.to_dict(), "symbols")
    checkpoint.save(tmp_path / "model", description, weights_of(model))
    return family.load(tmp_path / "model")


def test_a_recorded_run_says_what_was_changed(loaded: checkpoint.Loaded, tmp_path: Path) -> None:
    edits = (Edit("halt", 2, 1), Edit("p", 3, 0, 0.25))
    run = ut_engine.record(loaded, Input(ids=[3, 4, 5, 6], edits=edits, epsilon=0.2))
    assert (run.info.epsilon, run.info.config["epsilon"]) == (0.2, 0.01)
    assert edits_from(run.info.edits) == edits
    run.save(tmp_path / "a.trace.safetensors")
    back = load_run(tmp_path / "a.trace.safetensors")
    assert edits_from(back.info.edits) == edits
    html = back.info._repr_html_()
    assert "halt at step 2, position 2" in html
    assert "p 0.25 at step 3, position 1" in html
    assert "0.2, the model&#x27;s own is 0.01" in html
    with pytest.raises(ValueError, match="not there"):
        replace(back.info, edits=(("halt", 1, 4, 0.0),))


def test_a_plain_run_is_described_as_before(loaded: checkpoint.Loaded) -> None:
    _, info = prepare(loaded, Input(ids=[3, 4, 5]))
    assert (info.edits, info.epsilon) == ((), 0.01)
    values = info.to_dict()
    del values["edits"]  # as an earlier version wrote it
    assert RunInfo.from_dict(values) == info
    assert Run(info).info.edits == ()
    with pytest.raises(UserError, match="not understood"):
        prepare(loaded, Input(ids=[3, 4, 5], edits=[("stop", 1, 0, 0.0)]))

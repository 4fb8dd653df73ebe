"""ACT over tables: scenarios, results as JSON, and the consequences of Listing 2 as properties."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests import oracle
from ut_engine import halting
from ut_engine.errors import UserError
from ut_engine.halting import as_json, ponder_gradient, run_table, scenario
from ut_engine.spec import UTConfig
from ut_engine.torch.model import UniversalTransformer

tables = st.tuples(st.integers(1, 5), st.integers(1, 9)).flatmap(
    lambda shape: arrays(float, shape, elements=st.floats(0, 1))
)
states, mixings = st.sampled_from(["listing2", "frozen"]), st.sampled_from(["basic", "accumulated", "graves"])


# ---- scenarios --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", halting.SCENARIOS)
def test_every_scenario_runs_at_most_twelve_steps(name: str) -> None:
    table = scenario(name)
    assert table.p.shape == (len(table.tokens), 12)
    assert run_table(table).weights.shape[1] <= 12


def test_in_the_sentence_one_symbol_halts_at_once_and_its_output_is_its_first_state() -> None:
    result = run_table(scenario("sentence"))
    first = [i for i, n in enumerate(result.n_updates) if n == 1]
    assert [result.tokens[i] for i in first] == ["the"]
    assert result.remainders[first] == 1.0
    assert result.output[first] == result.records[0].variables["transformed_state"][first]
    assert len(set(result.n_updates.tolist())) > 3
    assert result.halted.all()


def test_a_scenario_goes_on_when_asked_for_more_steps() -> None:
    result = run_table(scenario("hesitant", max_steps=40))
    assert set(result.n_updates.tolist()) == {20}
    np.testing.assert_allclose(result.remainders, 0.05, atol=1e-12)


def test_the_toy_starts_evenly_from_0_to_4() -> None:
    assert halting.toy_state(2).tolist() == [[0.0], [4.0]]
    assert halting.toy_state(3).tolist() == [[0.0], [2.0], [4.0]]
    assert halting.toy_state(1).tolist() == [[0.0]]


# ---- results ----------------------------------------------------------------------------------------------


def test_json_holds_every_line_of_every_iteration() -> None:
    result = run_table(scenario("two-position"))
    document = json.loads(json.dumps(as_json(result), allow_nan=False))
    assert [entry["step"] for entry in document["iterations"]] == [1, 2, 3, 4]
    for entry in document["iterations"]:
        assert [line["line"] for line in entry["lines"]] == list(range(1, 10))
        assert all(len(line["values"]) == 2 for line in entry["lines"])
    first = {line["line"]: line for line in document["iterations"][0]["lines"]}
    assert first[2] == {"line": 2, "variable": "new_halted", "values": [1.0, 0.0]}
    assert first[8] == {"line": 8, "variable": "update_weights", "values": [1.0, 0.3]}
    assert first[9] == {"line": 9, "variable": "new_state", "values": [2.0, 0.3 * 4.0]}
    assert document["n_updates"] == [1, 4]
    assert document["output"] == result.output[:, 0].tolist()
    assert np.shape(document["weights"]) == np.shape(document["effective_weights"]) == (2, 4)
    assert document["ponder"] == [2.0, pytest.approx(4.1)]
    assert document["loss_term"] == pytest.approx(0.01 * (2.0 + 4.1) / 2)


def test_a_state_of_several_channels_is_given_per_position() -> None:
    result = run_table([[0.5, 0.5]], state0=np.ones((1, 3)), transition=lambda _t, s: s + 1)
    document = as_json(result)
    assert document["output"] == [[0.5 * 3 + 0.5 * 1.0] * 3]
    assert document["iterations"][0]["lines"][8]["values"] == [[1.0] * 3]


def test_the_cap_is_the_columns_unless_less_is_asked() -> None:
    p = np.full((1, 4), 0.1)
    assert run_table(p).n_updates.tolist() == [4]
    assert run_table(p, max_steps=3).n_updates.tolist() == [3]
    assert run_table(p, max_steps=9).max_steps == 4


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"epsilon": 1.0}, "epsilon"),
        ({"epsilon": -0.1}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"max_steps": 0}, "0 steps"),
        ({"max_steps": 10_000}, "10000 steps"),
        ({"mixing": "global"}, "mixing"),
        ({"state": "copied"}, "state"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(UserError, match=named):
        run_table([[0.5]], **options)


def test_unknown_scenarios_are_refused() -> None:
    with pytest.raises(UserError, match="frozen"):
        scenario("frozen")


# ---- consequences of Listing 2 ----------------------------------------------------------------------------


@given(tables)
def test_1_halting_never_masks_the_loop_state(p: Any) -> None:
    """Whatever p: every step starts from the state a run without halting would have."""
    free = halting.toy_state(len(p))
    for record in run_table(p).records[8::9]:
        np.testing.assert_array_equal(record.variables["state"], free)
        free = halting.toy_transition(record.step, free)
        np.testing.assert_array_equal(record.variables["transformed_state"], free)
        done = record.variables["n_updates"] < record.step
        assert (record.variables["update_weights"][done] == 0).all()


@given(tables)
def test_1_frozen_copies_the_state_of_the_halted(p: Any) -> None:
    ends = [record.variables for record in run_table(p, state="frozen").records[8::9]]
    for step, (before, after) in enumerate(pairwise(ends), 1):
        done = before["n_updates"] < step
        expected = np.where(done, before["state"], before["transformed_state"])
        np.testing.assert_array_equal(after["state"], expected)


@given(tables, st.sampled_from([0.01, 0.3]))
def test_2_weights_sum_to_one_with_h_exactly_one_or_to_what_was_gathered(p: Any, epsilon: float) -> None:
    result = run_table(p, epsilon=epsilon)
    h = result.records[-1].variables["halting_probability"][:, 0]
    assert (h[result.halted] == 1.0).all()
    np.testing.assert_allclose(result.weights[result.halted].sum(axis=1), 1.0, atol=1e-12)
    capped = ~result.halted
    assert (result.remainders[capped] == 0).all()
    run = result.weights.shape[1]
    np.testing.assert_allclose(result.weights[capped].sum(axis=1), p[capped, :run].sum(axis=1), atol=1e-12)
    assert (h[capped] <= 1.0 - epsilon).all()


@given(tables, mixings, states)
def test_3_the_output_is_the_states_by_their_effective_weights(p: Any, mixing: str, state: str) -> None:
    result = run_table(p, mixing=mixing, state=state)
    seen = [record.variables["transformed_state"] for record in result.records if record.line == 9]
    mixed = (result.effective_weights.T[:, :, None] * np.array(seen)).sum(axis=0)
    np.testing.assert_allclose(mixed, result.output, rtol=1e-12, atol=1e-12)
    assert (result.effective_weights.sum(axis=1) <= 1 + 1e-12).all()


@given(tables)
def test_4_ponder_lies_in_n_to_n_plus_1_and_is_the_cap_when_never_halted(p: Any) -> None:
    result = run_table(p)
    n, rho, halted = result.n_updates, result.ponder, result.halted
    assert ((n[halted] < rho[halted]) & (rho[halted] <= n[halted] + 1)).all()
    assert (rho[halted] >= 2).all()
    np.testing.assert_array_equal(rho[~halted], n[~halted])


@given(tables, mixings, st.integers(0, 4), st.integers(0, 8))
def test_5_gradient_of_ponder(p: Any, mixing: str, i: int, t: int) -> None:
    """-1 before the last step, 0 at it, 0 everywhere at the cap: by a small change of one p."""
    i, t, delta = i % p.shape[0], t % p.shape[1], 1e-6
    result = run_table(p, mixing=mixing)
    assume(t < result.weights.shape[1])
    moved = p.copy()
    moved[i, t] += delta if p[i, t] < 0.5 else -delta
    other = run_table(moved, mixing=mixing)
    assume(other.n_updates[i] == result.n_updates[i])  # not across a threshold
    slope = (other.ponder[i] - result.ponder[i]) / (moved[i, t] - p[i, t])
    assert slope == pytest.approx(ponder_gradient(result)[i, t], abs=1e-6)


@pytest.mark.parametrize(("bias", "cap"), [(-1.0, 12), (-1.0, 3), (1.0, 12), (-4.0, 12)])
def test_5_the_model_s_own_gradient_at_the_halting_bias(bias: float, cap: int) -> None:
    """With a zero kernel d rho / d b = -(N - 1) p (1 - p), and exactly 0 where the cap was hit."""
    config = UTConfig(vocab=4, answers=2, d_model=4, heads=1, d_ff=4, max_steps=cap, halting_bias=bias)
    model = UniversalTransformer(config).double()
    torch.nn.init.zeros_(model.halting_unit.weight)
    out = model(torch.tensor([[1, 2, 3]]))
    out.ponder.backward()
    gradient = model.halting_unit.bias.grad
    assert gradient is not None
    p, n = halting.sigmoid(bias), int(out.n_updates[0, 0])
    halted = bool((out.remainders > 0).all())
    assert halted == (0.99 / p < cap)
    expected = -(n - 1) * p * (1 - p) if halted else 0.0
    assert gradient.item() == pytest.approx(expected, abs=1e-12)


def test_8_h_plus_its_remainder_is_one_in_every_half_precision() -> None:
    halves = np.arange(np.float16(1.0).view(np.uint16), dtype=np.uint16).view(np.float16)
    assert (halves + (np.float16(1) - halves) == np.float16(1)).all()
    bits = torch.arange(int(torch.tensor(1.0, dtype=torch.bfloat16).view(torch.int16)), dtype=torch.int16)
    brains = bits.view(torch.bfloat16)
    assert bool((brains + (1 - brains) == 1).all())


@given(arrays(np.float32, 2000, elements=st.floats(0, 1, exclude_max=True, width=32)))
def test_8_h_plus_its_remainder_is_one_in_single_precision(h: Any) -> None:
    assert (h + (np.float32(1) - h) == np.float32(1)).all()


@pytest.mark.parametrize("mixing", ["basic", "accumulated", "graves"])
@pytest.mark.parametrize("state", ["listing2", "frozen"])
def test_9_a_causal_prefix_depends_on_nothing_after_it_nor_on_other_rows(mixing: str, state: str) -> None:
    torch.manual_seed(4)
    config = UTConfig(
        vocab=9, answers=3, d_model=8, heads=2, d_ff=8, max_steps=9, causal=True, mixing=mixing, state=state,
        halting_bias=-0.5,
    )  # fmt: skip
    model = UniversalTransformer(config).double().eval()
    torch.nn.init.normal_(model.halting_unit.weight, std=0.4)
    long, other = torch.tensor([[1, 2, 3, 4, 5, 6]]), torch.tensor([[8, 7, 8, 7, 8, 7]])
    with torch.no_grad():
        alone, beside = model(long[:, :3]), model(torch.cat([long, other]))
        changed = model(torch.tensor([[1, 2, 3, 7, 8, 8]]))
    for run in (beside, changed):
        assert run.n_updates[0, :3].tolist() == alone.n_updates[0].tolist()
        torch.testing.assert_close(run.logits[0, :3], alone.logits[0], rtol=0, atol=1e-12)
    assert beside.steps > int(alone.n_updates.max()), "the case must run on after the prefix has halted"


@given(tables, mixings, states)
def test_tables_equal_the_reference(p: Any, mixing: str, state: str) -> None:
    def transition(rows: list[float]) -> list[float]:
        return [row / 2 + sum(rows) / len(rows) / 2 + 1 for row in rows]

    start = np.linspace(0, 4, len(p)).tolist()
    acts, loop_state, output = oracle.act_table(
        lambda i, t: float(p[i, t - 1]), transition, start, 0.99, p.shape[1], state, mixing
    )
    result = run_table(p, mixing=mixing, state=state)
    assert result.n_updates.tolist() == [act.n for act in acts]
    np.testing.assert_allclose(result.remainders, [act.r for act in acts], atol=1e-12)
    np.testing.assert_allclose(result.loop_state[:, 0], loop_state, rtol=1e-12)
    np.testing.assert_allclose(result.output[:, 0], output, rtol=1e-12, atol=1e-12)

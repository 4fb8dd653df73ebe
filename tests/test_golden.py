"""Worked examples of ACT with known values: through the listing, the tables, the reference and the model.

Values to 1e-12 in float64.  None lies on the threshold itself, where float32 and float64 part, but for one
case of exact binary fractions that tells > from >= and h < 1 from h < threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tests import oracle
from ut_engine import metrics
from ut_engine.halting import run_table, scenario, sigmoid, toy_transition
from ut_engine.listing import execute
from ut_engine.records import Capture
from ut_engine.spec import UTConfig
from ut_engine.torch.model import UniversalTransformer

GOLDEN = 1e-12
FRESH = 0.731058578630004879


def close(ours: Any, golden: Any) -> None:
    np.testing.assert_allclose(np.asarray(ours, dtype=float), golden, rtol=0, atol=GOLDEN)


@dataclass
class Run:
    """What every backend gives: [m] arrays, weights [m, T]; states are one number per position."""

    n: Any
    r: Any
    h: Any
    weights: Any
    loop_state: Any
    output: Any


backends = pytest.mark.parametrize("backend", ["listing", "tables", "reference", "model"])


def p_table(p: Any, columns: int) -> Any:
    """A constant, one position's list or a whole table -> [m, columns], the last column going on."""
    rows = np.atleast_2d(np.asarray(p, dtype=float))
    return rows[:, np.minimum(np.arange(columns), rows.shape[1] - 1)]


def run(
    backend: str,
    p: Any,
    cap: int = 12,
    mixing: str = "basic",
    state: str = "listing2",
    start: Any = None,
    epsilon: float = 0.01,
) -> Run:
    """One case through one of the four implementations, with the two-position toy's transition."""
    table = p_table(p, cap)
    s0 = np.linspace(1.0, 5.0, len(table)) if start is None else np.asarray(start, dtype=float)
    run_it = {"listing": run_listing, "tables": run_tables, "reference": run_reference, "model": run_model}
    return run_it[backend](table, cap, mixing, state, s0, epsilon)


def run_listing(table: Any, cap: int, mixing: str, state: str, s0: Any, epsilon: float) -> Run:
    records = list(
        execute(
            lambda t, _s, _new: table[:, t - 1], toy_transition, s0[:, None], epsilon=epsilon, max_steps=cap,
            mixing=mixing, state=state,
        )
    )  # fmt: skip
    last = records[-1].variables
    weights = np.concatenate([r.variables["update_weights"] for r in records if r.line == 9], axis=1)
    ran = last["n_updates"] == records[-1].step
    loop_state = np.where(ran | (state == "listing2"), last["transformed_state"], last["state"])
    n, r, h = (last[name][:, 0] for name in ("n_updates", "remainders", "halting_probability"))
    return Run(n, r, h, weights, loop_state[:, 0], last["new_state"][:, 0])


def run_tables(table: Any, cap: int, mixing: str, state: str, s0: Any, epsilon: float) -> Run:
    result = run_table(table, epsilon=epsilon, max_steps=cap, mixing=mixing, state=state, state0=s0[:, None])
    h = result.records[-1].variables["halting_probability"][:, 0]
    return Run(
        result.n_updates, result.remainders, h, result.weights, result.loop_state[:, 0], result.output[:, 0]
    )


def run_reference(table: Any, cap: int, mixing: str, state: str, s0: Any, epsilon: float) -> Run:
    def transition(rows: list[float]) -> list[float]:
        return [row / 2 + sum(rows) / len(rows) / 2 + 1 for row in rows]

    acts, loop_state, output = oracle.act_table(
        lambda i, t: float(table[i, t - 1]), transition, s0.tolist(), 1.0 - epsilon, cap, state, mixing
    )
    n, r, h, w = (np.array([getattr(act, name) for act in acts]) for name in ("n", "r", "h", "weights"))
    return Run(n, r, h, w, np.array(loop_state), np.array(output))


class Toy(UniversalTransformer):
    """The engine's model with weights that make its block the toy, and a table for its halting unit.

    Channel 0 is the state.  Head 1 reads every position alike, head 2 only itself (a relative bias of -10,000
    elsewhere); the output takes half the one and minus half the other, the transition adds 1.  Norms are off.
    """

    def __init__(self, table: Any, s0: Any, cap: int, mixing: str, state: str, epsilon: float = 0.01) -> None:
        m = len(table)
        super().__init__(
            UTConfig(
                vocab=m + 1, answers=1, d_model=2, heads=2, d_ff=1, max_steps=cap, signal="none", norm="pre",
                final_norm=False, attention_bias="relative", relative_clip=1,
                mixing=mixing, state=state, epsilon=epsilon,
            )
        )  # fmt: skip
        self.double()
        weights = {name: torch.zeros_like(value) for name, value in self.state_dict().items()}
        weights["embed.weight"][1:, 0] = torch.as_tensor(np.asarray(s0, dtype=float)) / 2**0.5
        weights["attention.value.weight"][:, 0] = 1.0
        weights["attention.relative"][1] = torch.tensor([-1e4, 0.0, -1e4])
        weights["attention.output.weight"][0] = torch.tensor([0.5, -0.5])
        weights["transition.outer.bias"][0] = 1.0
        weights["readout.weight"][0, 0] = 1.0
        self.load_state_dict(weights)
        self.norm_attention, self.norm_transition = nn.Identity(), nn.Identity()  # type: ignore[assignment]
        self.halting_unit = _Logits(table)  # type: ignore[assignment]


class _Logits(nn.Module):
    def __init__(self, table: Any) -> None:
        super().__init__()
        self.logits, self.done = torch.logit(torch.as_tensor(table)), 0

    def forward(self, source: Any) -> Any:
        self.done += 1
        return self.logits[None, :, self.done - 1, None]


def run_model(table: Any, cap: int, mixing: str, state: str, s0: Any, epsilon: float) -> Run:
    ids = np.arange(1, len(table) + 1)[None]
    records = list(Toy(table, s0, cap, mixing, state, epsilon).steps(ids, Capture(attention=False)))
    last = records[-1]
    assert last.halting is not None
    assert last.state is not None
    assert last.output is not None
    weights = np.stack([r.halting.weight[0] for r in records], axis=1)  # type: ignore[union-attr,index]
    halting = last.halting
    n, r, h = (np.asarray(values)[0] for values in (halting.n_updates, halting.remainder, halting.cumulative))
    return Run(n, r, h, weights, last.state[0, :, 0], last.output[0, :, 0])


# ---- one position ---------------------------------------------------------------------------------------

B, A, G = "basic", "accumulated", "graves"
FRESH_R = 0.268941421369995121
NINES = [0.05 * 0.95 ** (11 - k) for k in range(12)]
CASES: list[tuple[Any, int, str, int, float, list[float], float]] = [
    # p, cap, mixing, N, R, effective weights, their sum
    (FRESH, 12, B, 2, FRESH_R, [0.534446645388523, 0.268941421369995], 0.803388066758518147),
    (FRESH, 12, A, 2, FRESH_R, [FRESH, FRESH_R], 1.0),
    (FRESH, 12, G, 2, FRESH_R, [FRESH, FRESH_R], 1.0),
    (0.05, 12, B, 12, 0.0, NINES, 0.459639912337363037),
    (0.05, 12, A, 12, 0.0, [0.05] * 12, 0.6),
    (0.05, 12, G, 12, 0.45, [0.05] * 11 + [0.45], 1.0),
    (0.05, 99, A, 20, 0.05, [0.05] * 20, 1.0),
    (0.995, 12, B, 1, 1.0, [1.0], 1.0),
    (0.5, 12, B, 2, 0.5, [0.25, 0.5], 0.75),
    (0.3, 12, B, 4, 0.1, [0.1323, 0.189, 0.27, 0.1], 0.6913),
    (0.3, 12, A, 4, 0.1, [0.3, 0.3, 0.3, 0.1], 1.0),
    ([0.1, 0.2, 0.3, 0.5], 12, B, 4, 0.4, [0.0336, 0.084, 0.18, 0.4], 0.6976),
    ([0.2, 0.5, 0.9], 12, B, 3, 0.3, [0.07, 0.35, 0.3], 0.72),
]


@backends
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1]}-{c[2]}")
def test_worked_example(backend: str, case: tuple[Any, int, str, int, float, list[float], float]) -> None:
    p, cap, mixing, n, r, effective, total = case
    done = run(backend, p, cap, mixing)
    assert done.n.tolist() == [n]
    close(done.r, [r])
    close(metrics.ponder(done.n, done.r), [n + r])
    close(metrics.effective_weights(done.weights, mixing), [effective])
    close(metrics.effective_weights(done.weights, mixing).sum(axis=1), [total])
    close(metrics.zero_share(done.weights, mixing), [1 - total])


@backends
def test_fresh_halting_unit(backend: str) -> None:
    done = run(backend, FRESH)
    close(done.h, [1.0])
    close(metrics.ponder(done.n, done.r), [2.268941421369995121])
    close(metrics.zero_share(done.weights), [0.196611933241481853])
    side = metrics.ponder_loss(done.n, done.r)
    close([side, 2 * side], [0.022689414213699951, 0.045378828427399902])


def test_values_of_the_sigmoid() -> None:
    close([sigmoid(b) for b in (1, 0)], [FRESH, 0.5])
    close([2 * sigmoid(1), 1 - sigmoid(1)], [1.462117157260010, FRESH_R])
    np.testing.assert_allclose(
        [sigmoid(b) for b in (-1, -2, -3)], [0.268941421370, 0.119202922022, 0.047425873178], atol=5e-13
    )
    close([sigmoid(4.59511985013459), sigmoid(-2.94443897916644)], [0.99, 0.05])
    close(scenario("fresh").p, np.full((10, 12), FRESH))
    close([FRESH**2, FRESH * (1 - FRESH)], [0.534446645388523, 0.196611933241481853])


@backends
@pytest.mark.parametrize(
    ("mixing", "alone", "beside"),
    [("basic", (1, 0.0), (2, 0.5)), ("accumulated", (1, 0.0), (2, 0.5)), ("graves", (1, 1.0), (1, 1.0))],
)
def test_exactly_on_the_threshold(
    backend: str, mixing: str, alone: tuple[int, float], beside: tuple[int, float]
) -> None:
    """p = 1/2 and threshold 1/2: the paper's > keeps running and halts next, Graves's >= halts at once.

    Alone, nothing waits any more (h < threshold is false), so the loop ends with no remainder given.
    """
    one = run(backend, 0.5, mixing=mixing, epsilon=0.5)
    assert (one.n[0], one.r[0]) == alone
    two = run(backend, [[0.5], [0.25]], mixing=mixing, epsilon=0.5)
    assert (two.n[0], two.r[0]) == beside


@backends
@pytest.mark.parametrize(("bias", "n"), [(0, 2), (-1, 4), (-2, 9), (-3, 21)])
def test_steps_from_the_bias_without_a_cap(backend: str, bias: int, n: int) -> None:
    assert run(backend, sigmoid(bias), cap=99).n.tolist() == [n]
    assert n == int(0.99 / sigmoid(bias)) + 1


@backends
def test_the_smallest_constant_p_that_halts_within_twelve_steps(backend: str) -> None:
    above, below = (run(backend, p) for p in (0.0826, 0.0824))
    assert above.r[0] > 0
    assert below.r[0] == 0
    close([0.99 / 12], [0.0825])


def test_stuck_positions_gather_what_they_can() -> None:
    result = run_table(scenario("hesitant"))
    close(result.records[-1].variables["halting_probability"], np.full((10, 1), 0.6))
    close(metrics.zero_share(result.weights), np.full(10, 0.540360087662636963))


def test_single_precision() -> None:
    """The threshold and the sum of twelve times 0.05, in the listing and in the model."""
    assert float(np.float32(UTConfig(vocab=2, answers=1).threshold)) == 0.9900000095367432
    start = np.zeros((1, 1), dtype=np.float32)
    records = list(
        execute(
            lambda _t, _s, _n: np.array([0.05], dtype=np.float32),
            toy_transition,
            start,
            epsilon=0.01,
            max_steps=12,
        )
    )
    last = records[-1].variables["halting_probability"]
    assert last.dtype == np.float32
    assert last.item() == 0.6000000834465027
    model = Toy(np.full((1, 12), 0.05, dtype=np.float32), start[:, 0], 12, "basic", "listing2").float()
    halting = list(model.steps(np.array([[1]]), Capture(attention=False)))[-1].halting
    assert halting is not None
    assert halting.cumulative is not None
    assert halting.cumulative.dtype == np.float32
    assert halting.cumulative.item() == pytest.approx(0.6000000834465027, abs=1e-6)


def test_a_zero_halting_kernel_stops_every_position_at_step_two() -> None:
    torch.manual_seed(1)
    config = UTConfig(vocab=50, answers=2, d_model=16, heads=2, d_ff=16, max_steps=12, norm="pre")
    model = UniversalTransformer(config).double()
    ids = torch.randint(1, 50, (3, 8))
    spread = model(ids).n_updates
    torch.nn.init.zeros_(model.halting_unit.weight)
    out = model(ids)
    assert out.n_updates.unique().tolist() == [2.0]
    close(out.remainders.detach(), np.full((3, 8), FRESH_R))
    close(out.ponder.item(), 2.268941421369995121)
    assert len(spread.unique()) > 1, "with its own random kernel the same model does not"


@pytest.mark.slow
def test_a_random_halting_kernel_stops_about_half_of_the_positions_at_step_two() -> None:
    """T2T's sizes and initialisation, pre-norm, 4 seeds: far from all at step 2, and some never halt."""
    config = UTConfig(
        vocab=1000, answers=2, d_model=512, heads=8, d_ff=2048, max_steps=12, norm="pre", signal="learned",
        projection_bias=False,
    )  # fmt: skip
    halted, updates = [], []
    for seed in range(4):
        torch.manual_seed(seed)
        model = UniversalTransformer(config).eval()
        with torch.no_grad():
            out = model(torch.randint(1, 1000, (8, 32)))
        halted.append(out.remainders > 0)
        updates.append(out.n_updates)
    n = torch.cat(updates)
    assert 0.35 < float((n == 2).float().mean()) < 0.7
    assert 0.03 < float((~torch.cat(halted)).float().mean()) < 0.35
    assert 3.0 < float(n.mean()) < 5.0


# ---- two positions --------------------------------------------------------------------------------------

TOY = [
    ("listing2", "basic", ("47/8", "49/8"), "34097/10000"),
    ("frozen", "basic", ("2", "165/32"), "128463/40000"),
    ("listing2", "accumulated", ("47/8", "49/8"), "379/80"),
]


@backends
@pytest.mark.parametrize(("state", "mixing", "final", "b"), TOY)
def test_two_position_toy(backend: str, state: str, mixing: str, final: tuple[str, str], b: str) -> None:
    done = run(backend, [[0.999], [0.3]], 12, mixing, state, start=[0.0, 4.0])
    assert done.n.tolist() == [1, 4]
    close(done.r, [1.0, 0.1])
    close(done.loop_state, [float(Fraction(value)) for value in final])
    close(done.output, [2.0, float(Fraction(b))])


@pytest.mark.parametrize(("state", "mixing", "final", "b"), TOY)
def test_two_position_toy_in_fractions(state: str, mixing: str, final: tuple[str, str], b: str) -> None:
    def transition(rows: list[Fraction]) -> list[Fraction]:
        return [row / 2 + sum(rows, Fraction(0)) / len(rows) / 2 + 1 for row in rows]

    p = (Fraction(999, 1000), Fraction(3, 10))
    start = [Fraction(0), Fraction(4)]
    acts, loop_state, output = oracle.act_table(
        lambda i, _t: p[i], transition, start, Fraction(99, 100), 12, state, mixing
    )
    assert [(act.n, act.r) for act in acts] == [(1, 1), (4, Fraction(1, 10))]
    assert loop_state == [Fraction(value) for value in final]
    assert output == [2, Fraction(b)]


def test_forward_gives_the_toy_s_output_too() -> None:
    for state, mixing, _, b in TOY:
        model = Toy(p_table([[0.999], [0.3]], 12), [0.0, 4.0], 12, mixing, state)
        out = model(torch.tensor([[1, 2]]))
        close(out.logits[0, :, 0].detach(), [2.0, float(Fraction(b))])
        close(out.ponder.detach(), (2.0 + 4.1) / 2)

"""Runs kept line by line: against the oracle, changed pasts, stops, conditions, real faults."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest

from tests.oracle_act import act_table
from ut_engine import debug, halting, stops
from ut_engine.conditions import read_condition
from ut_engine.debug import Edit, Setup, Trace, column, setup_of, walk, with_edit
from ut_engine.errors import UserError
from ut_engine.faults import fault_names, load_fault
from ut_engine.stops import Stop, next_place, places

SENTENCE = halting.scenario("sentence")


def toy(state: list[float]) -> list[float]:
    mean = sum(state) / len(state)
    return [s / 2 + mean / 2 + 1 for s in state]


def random_setup(rng: np.random.Generator) -> Setup:
    m, steps = int(rng.integers(1, 9)), int(rng.integers(1, 9))
    p = rng.random((m, steps)) ** rng.choice([1, 3])
    return Setup(
        tuple(str(k) for k in range(m)),
        p,
        epsilon=float(rng.choice([0.0, 0.01, 0.1])),
        max_steps=steps,
        mixing=str(rng.choice(["basic", "accumulated", "graves"])),
        state=str(rng.choice(["listing2", "frozen"])),
    )


def test_a_thousand_random_tables_agree_with_the_oracle() -> None:
    rng = np.random.default_rng(4)
    for _ in range(1000):
        setup = random_setup(rng)
        trace = walk(setup)
        start = halting.toy_state(trace.m)[:, 0].tolist()
        acts, _, output = act_table(
            lambda i, t, p=setup.p: float(p[i, t - 1]), toy, start,
            setup.threshold, setup.cap, setup.state, setup.mixing,
        )  # fmt: skip
        assert trace.n_updates.tolist() == [act.n for act in acts]
        np.testing.assert_allclose(trace.remainders, [act.r for act in acts], atol=1e-12)
        np.testing.assert_allclose(trace.weights, [act.weights[: trace.steps] for act in acts], atol=1e-12)
        np.testing.assert_allclose(column(trace.ends[-1]["new_state"]), output, atol=1e-12)
        assert len(trace) == 9 * trace.steps


@pytest.mark.parametrize("name", halting.SCENARIOS)
def test_scenarios_are_those_of_the_table_run(name: str) -> None:
    trace, result = walk(setup_of(halting.scenario(name))), halting.run_table(halting.scenario(name))
    assert np.array_equal(trace.n_updates, result.n_updates)
    assert np.array_equal(trace.remainders, result.remainders)
    assert np.array_equal(trace.shares, result.effective_weights)
    assert np.array_equal(trace.gradient, halting.ponder_gradient(result))
    assert trace.loss == result.loss_term


def test_arrays_a_line_leaves_alone_are_shared() -> None:
    records = walk(setup_of(SENTENCE)).records
    for before, after in pairwise(records):
        if before.step == after.step:
            kept = [name for name in before.variables if name != after.variable]
            assert all(before.variables[name] is after.variables[name] for name in kept)
        assert not after.values.flags.writeable


def test_a_hundred_and_eight_frames_take_less_than_ten_milliseconds() -> None:
    setup = setup_of(halting.scenario("hesitant"))
    took = []
    for _ in range(7):
        started = time.perf_counter()
        trace = walk(setup)
        took.append(time.perf_counter() - started)
    assert len(trace) == 108
    assert min(took) < 0.010


# ---- the past, changed ------------------------------------------------------------------------------------


def test_a_changed_p_changes_what_follows_and_nothing_before() -> None:
    old, new = walk(setup_of(SENTENCE)), walk(with_edit(setup_of(SENTENCE), Edit("p", 3, 8, 0.9)))
    assert new.halted_at[8] == 3
    assert old.halted_at[8] == 6
    for index in range(old.at(3, 1)):
        assert np.array_equal(old.records[index].values, new.records[index].values)
    assert debug.difference(old, new) == (8,)


def test_a_position_is_made_to_halt_and_kept_running() -> None:
    halted = walk(with_edit(setup_of(SENTENCE), Edit("halt", 1, 8)))
    assert halted.halted_at[8] == 1
    assert halted.remainders[8] == 1.0
    running = walk(with_edit(setup_of(SENTENCE), Edit("run", 1, 3)))
    assert running.halted_at[3] == 2
    assert running.weights[3, 0] < running.setup.threshold


@pytest.mark.parametrize("mixing", ["basic", "accumulated", "graves"])
def test_kept_running_again_and_again_it_runs_to_the_cap(mixing: str) -> None:
    setup = setup_of(SENTENCE, mixing=mixing)
    for step in range(1, setup.cap):
        for position in range(len(SENTENCE.tokens)):
            setup = with_edit(setup, Edit("run", step, position))
    trace = walk(setup)
    assert trace.steps == setup.cap
    assert (trace.cumulative[-2] < setup.threshold).all()
    assert (trace.n_updates == setup.cap).all()


def test_a_later_change_of_the_same_place_replaces_the_earlier() -> None:
    setup = with_edit(with_edit(setup_of(SENTENCE), Edit("p", 2, 1, 0.1)), Edit("halt", 2, 1))
    assert [edit.kind for edit in setup.edits] == ["halt"]


@pytest.mark.parametrize(
    "wrong", [("jump", 1, 0, 0.5), ("p", 0, 0, 0.5), ("p", 1, -1, 0.5), ("p", 1, 0, 1.5)]
)
def test_a_senseless_change_is_refused(wrong: tuple[str, int, int, float]) -> None:
    with pytest.raises(ValueError, match="no change"):
        Edit(*wrong)


def test_a_model_that_has_not_computed_on_leaves_the_run_open() -> None:
    states = tuple(np.full((10, 4), float(t), np.float32) for t in (1, 2))
    setup = Setup(SENTENCE.tokens, SENTENCE.p[:, :2].astype(np.float32), states=states)
    trace = walk(setup)
    assert (trace.steps, trace.finished) == (2, False)
    assert trace.records[-1].values.dtype == np.float32
    changed = Setup(setup.tokens, setup.p, state="frozen", states=states, edits=(Edit("halt", 1, 0),))
    assert np.array_equal(walk(changed).records[1].values, trace.records[1].values)  # p has it already


# ---- stops ------------------------------------------------------------------------------------------------


def where(trace: Trace, stop: Stop) -> list[tuple[int, int]]:
    return [(place // 9 + 1, place % 9 + 1) for place in places(trace, stop)]


def test_where_stops_fire() -> None:
    trace, hesitant = walk(setup_of(SENTENCE)), walk(setup_of(halting.scenario("hesitant")))
    assert where(trace, Stop("line", 7)) == [(t, 7) for t in range(1, 7)]
    assert where(trace, Stop("line", 7, hits=5)) == [(5, 7), (6, 7)]
    assert where(trace, Stop("halts", 8)) == [(6, 2)]
    assert where(trace, Stop("all")) == [(6, 6)]
    assert where(trace, Stop("any")) == [(1, 2), (2, 2), (3, 2), (6, 2)]
    assert where(trace, Stop("cap")) == []
    assert where(hesitant, Stop("cap")) == [(12, 7)]
    assert where(trace, Stop("condition", text="0 < R < 0.05")) == [(2, 5)]


def test_backwards_stops_where_forwards_does() -> None:
    trace = walk(setup_of(SENTENCE))
    chosen = (Stop("line", 7), Stop("halts", 8), Stop("line", 3, on=False))
    forwards, index = [], -1
    while (place := next_place(trace, chosen, index, 1)) is not None:
        forwards.append(index := place)
    backwards, index = [], len(trace)
    while (place := next_place(trace, chosen, index, -1)) is not None:
        backwards.append(index := place)
    assert forwards == backwards[::-1]
    assert len(forwards) == 7


# ---- conditions -------------------------------------------------------------------------------------------

VALUES = {
    "remainders": np.array([0.0, 0.03, 0.4]), "halting_probability": np.array([0.5, 1.0, 1.0]),
    "n_updates": np.array([2.0, 2.0, 1.0]), "step": 2, "line": 5, "threshold": 0.99, "epsilon": 0.01,
    "max_steps": 12,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("remainders < 0.05", True), ("0 < R < 0.02", False), ("h[3] == 1 and step >= 2", True),
        ("all(h == 1)", False), ("not all(h == 1)", True), ("count(h == 1) == 2", True),
        ("max(R) > 1 or line == 5", True), ("R[1] / 0 > 1", False), ("h + R > threshold", True),
        ("-R[3] < -0.3", True), ("abs(sum(N) - 5) < 1e-9", True), ("p > 0", False),
    ],
)  # fmt: skip
def test_conditions(text: str, expected: bool) -> None:
    assert read_condition(text, 3).holds(VALUES) is expected


@pytest.mark.parametrize(
    ("text", "what", "do"),
    [
        ("remainder < 0.05", "no variable 'remainder'", "did you mean remainders"),
        ("R = 3", "single = sets", "R|remainders"),
        ("R <", "not understood", "such as"),
        ("", "empty", "write"),
        ("p[4] > 0", "no such position", "1 to 3"),
        ("p[0] > 0", "no such position", "1 to 3"),
        ("step[1] > 0", "only a variable", "remainders"),
        ("foo(R)", "no function 'foo'", "any"),
        ("any(R, h)", "takes one", "any"),
        ("'a' < R", "no number", "0.05"),
        ("R.real > 1", "uses 'R.real'", "names"),
        ("__import__('os').system('x')", "no function", "any"),
        ("(lambda: 1)()", "no function", "any"),
        ("[R for R in h]", "uses '[R for R in…'", "names"),
        ("(R) ** (9) > 1", "uses '**'", "names"),
        ("R < " + "1" * 300, "longer", "shorter"),
        ("(" * 150, "not understood", "such as"),
    ],
)
def test_a_condition_that_is_wrong_gets_a_pointed_message(text: str, what: str, do: str) -> None:
    with pytest.raises(UserError) as caught:
        read_condition(text, 3)
    assert what in caught.value.what
    assert any(part in caught.value.do for part in do.split("|"))


# ---- real faults ------------------------------------------------------------------------------------------


def test_there_are_at_least_six_faults_each_with_a_source() -> None:
    assert len(fault_names()) >= 6
    assert all("#" in load_fault(name).source or "arXiv" in load_fault(name).source for name in fault_names())
    with pytest.raises(UserError, match="no fault"):
        load_fault("perfect")


@pytest.mark.parametrize("name", fault_names())
def test_a_fault_first_shows_at_its_line(name: str) -> None:
    fault = load_fault(name)
    wrong = walk(setup_of(SENTENCE, fault=name, mixing=fault.base))
    right = walk(setup_of(SENTENCE, mixing=fault.base))
    differs = [
        record.line
        for record, good in zip(wrong.records, right.records, strict=False)
        if any(
            not np.array_equal(record.variables[key], good.variables[key])
            for key in good.variables
            if key not in ("p", "state", "transformed_state", "previous_state")
        )
    ]
    assert differs[0] == fault.line


def test_the_broadcast_spreads_shapes_and_the_shared_buffer_writes_twice() -> None:
    spread = walk(setup_of(SENTENCE, fault="broadcast"))
    assert spread.records[1].values.shape == (10, 10)
    shared = walk(setup_of(SENTENCE, fault="shared-zeros"))
    fourth = shared.records[3].variables
    assert fourth["remainders"] is fourth["halting_probability"]


def test_halts_by_step_counts_positions() -> None:
    trace = walk(setup_of(SENTENCE))
    assert stops.halts_by_step(trace) == ((1, 1), (10, 3), (19, 5), (46, 1))

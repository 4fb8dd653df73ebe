"""Listing 2 from its own text: the text, its check, single lines, sharing, and parity with the model."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests import oracle
from tests.covering import CASES, build
from ut_engine.errors import UserError
from ut_engine.listing import (
    FILES,
    FOLDER,
    LineRecord,
    execute,
    initial_variables,
    load_listing,
    parse_listing,
    run_step,
    should_continue,
)

NINE = [
    "still_running", "new_halted", "still_running", "halting_probability", "remainders",
    "halting_probability", "n_updates", "update_weights", "new_state",
]  # fmt: skip
MIXINGS = tuple(FILES)


def toy(step: int, state: Any) -> Any:
    return state / 2 + state.mean(axis=0) / 2 + 1


def run_p(p: Any, **options: Any) -> list[LineRecord]:
    table = np.asarray(p)
    start = options.pop("state0", np.linspace(0, 4, len(table))[:, None])
    options.setdefault("max_steps", table.shape[1])
    return list(execute(lambda t, _s, _n: table[:, t - 1], toy, start, **options))


# ---- the text ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mixing", MIXINGS)
def test_nine_assignments_in_the_paper_s_order(mixing: str) -> None:
    assert [line.variable for line in load_listing(mixing).lines] == NINE


def test_the_paper_s_nine_lines() -> None:
    text = [" ".join(line.text.split()).replace("( ", "(") for line in load_listing().lines]
    h, threshold = "halting_probability + p * still_running", "threshold) * still_running"
    assert text == [
        "still_running = (halting_probability < 1.0)",
        f"new_halted = ({h} > {threshold}",
        f"still_running = ({h} <= {threshold}",
        "halting_probability += p * still_running",
        "remainders += new_halted * (1 - halting_probability)",
        "halting_probability += new_halted * remainders",
        "n_updates += still_running + new_halted",
        "update_weights = (p * still_running + new_halted * remainders)",
        "new_state = ((transformed_state * update_weights) + (previous_state * (1 - update_weights)))",
    ]


@pytest.mark.parametrize("mixing", MIXINGS)
def test_rows_to_show_are_short_and_say_which_line_they_belong_to(mixing: str) -> None:
    listing = load_listing(mixing)
    assert max(len(row.text) for row in listing.rows) <= 50
    assert [row.text for row in listing.rows if row.line == 2] == listing.lines[1].text.split("\n")
    context = " ".join(row.text for row in listing.rows if row.line is None)
    for shown in ("any(", "p = sigmoid", "transition_function("):
        assert shown in context
    assert load_listing(mixing) is listing  # compiled once


def test_accumulated_differs_from_the_paper_in_the_last_line_only() -> None:
    paper, other = load_listing().lines, load_listing("accumulated").lines
    assert [line.text for line in paper[:8]] == [line.text for line in other[:8]]
    assert paper[8].text != other[8].text


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("> import os", "not an assignment"),
        ("> p = 1", "sets no variable"),
        ("> new_halted = threshold = 1", "not an assignment"),
        ("> new_halted[0] = 1", "sets no variable"),
        ("> new_halted = __import__('os')", "Call"),
        ("> new_halted = p.T", "Attribute"),
        ("> new_halted = p ** 9", "Pow"),
        ("> new_halted = 'x' * 9", "Constant"),
        ("> new_halted = True", "Constant"),
        ("> new_halted = [p for p in p]", "ListComp"),
        ("> new_halted = secret", "secret"),
        ("> new_halted = (", "not Python"),
        ("> new_halted += p\n+ ; p = 1", "not"),
        ("new_halted = p", "no mark"),
    ],
)
def test_only_plain_arithmetic_assignments_are_run(row: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        parse_listing(row)


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(UserError, match="mixing"):
        load_listing("global")
    with pytest.raises(UserError, match="state"):
        run_p([[0.5]], state="copied")


# ---- running it -------------------------------------------------------------------------------------------


def test_records_count_lines_and_steps() -> None:
    records = run_p(np.full((3, 12), 0.3))
    assert [record.variable for record in records] == NINE * 4
    assert [(r.index, r.step, r.line) for r in records] == [(k, k // 9 + 1, k % 9 + 1) for k in range(36)]


@pytest.mark.parametrize("mixing", MIXINGS)
def test_a_line_changes_its_own_variable_and_shares_the_rest(mixing: str) -> None:
    records = run_p([[0.5, 0.6, 0.2], [0.1, 0.2, 0.3]], mixing=mixing)
    for before, after in pairwise(records):
        if before.step == after.step:
            kept = [name for name in before.variables if name != after.variable]
            assert all(after.variables[name] is before.variables[name] for name in kept)
            assert after.before is before.variables.get(after.variable)


def test_records_cannot_be_changed() -> None:
    record = run_p([[0.5]])[-1]
    for value in record.variables.values():
        with pytest.raises(ValueError, match="read-only"):
            value[0, 0] = 9.0
    with pytest.raises(TypeError):
        record.variables["p"] = record.values  # type: ignore[index]


def test_every_variable_is_a_column_and_states_are_rows() -> None:
    start = np.arange(6.0).reshape(2, 3)
    for record in run_p([[0.5, 0.6], [0.9, 0.2]], state0=start):
        for name, value in record.variables.items():
            assert value.shape == ((2, 3) if name.endswith("state") else (2, 1)), name
            assert value.dtype == np.float64


def test_changed_tells_which_positions_a_line_really_changed() -> None:
    records = run_p([[0.995, 0.5], [0.3, 0.5]])
    line5, line7 = records[4], records[9 + 6]
    assert line5.changed.tolist() == [True, False]  # only the first halts at step 1
    assert line7.changed.tolist() == [False, True]  # halted positions get no update


def test_the_source_of_the_run_is_left_alone() -> None:
    start = np.array([[1.0], [2.0]])
    run_p([[0.5, 0.5], [0.4, 0.5]], state0=start)
    start[0] = 7.0  # still the caller's, still writable
    assert start.tolist() == [[7.0], [2.0]]


def test_execution_is_lazy_so_that_a_model_waits_between_steps() -> None:
    asked: list[int] = []

    def p_of(step: int, _state: Any, _new: Any) -> Any:
        asked.append(step)
        return np.array([0.2])

    lines = execute(p_of, toy, np.zeros((1, 1)), max_steps=5)
    for _ in range(9):
        next(lines)
    assert asked == [1]
    assert next(lines).step == 2
    assert asked == [1, 2]


@pytest.mark.parametrize(
    "p", [np.ones((1, 2)), np.ones((2, 2)), np.ones(3), np.array([0.5, 1.5]), [np.nan, 0.1]]
)
def test_a_p_that_would_broadcast_or_is_no_probability_is_refused(p: Any) -> None:
    variables = initial_variables(np.zeros((2, 1)))
    with pytest.raises(ValueError, match=r"positions|probability"):
        list(run_step(load_listing(), variables, p, np.zeros((2, 1)), step=1, threshold=0.99, max_steps=3))


def test_the_literal_shapes_broadcast_in_silence() -> None:
    """Consequence 6: p [B, L, 1] against h [B, L] gives [1, L, L], an error, or [B, B, L] when B = L."""
    line = load_listing().lines[1]

    def shape(b: int, length: int) -> tuple[int, ...]:
        flat = np.zeros((b, length))
        names = {"halting_probability": flat, "still_running": flat + 1, "p": np.ones((b, length, 1))}
        return tuple(line.value({**names, "threshold": 0.99}).shape)

    assert shape(1, 4) == (1, 4, 4)
    assert shape(3, 3) == (3, 3, 3)
    with pytest.raises(ValueError, match="broadcast"):
        shape(2, 3)


def test_a_planted_bug_runs_as_written() -> None:
    """tensor2tensor's precedence slip, S * 1 - w, as a listing of its own."""
    text = (FOLDER / FILES["basic"]).read_text(encoding="utf-8")
    slipped = text.replace("(previous_state * (1 - update_weights))", "(previous_state * 1 - update_weights)")
    assert slipped != text
    right, wrong = (run_p([[0.5, 0.5]], listing=parse_listing(one))[-1] for one in (text, slipped))
    s1, s2 = 1.0, 2.0
    assert right.values.item() == 0.5 * s2 + 0.5 * (0.5 * s1)
    assert wrong.values.item() == 0.5 * s2 + (0.5 * s1 - 0.5) - 0.5


# ---- against the reference and the model -------------------------------------------------------------------

tables = st.tuples(st.integers(1, 5), st.integers(1, 8)).flatmap(
    lambda shape: arrays(float, shape, elements=st.floats(0, 1))
)


@given(
    tables,
    st.sampled_from(MIXINGS),
    st.sampled_from(["listing2", "frozen"]),
    st.sampled_from([0.01, 0.3, 0.0]),
)
def test_listing_equals_the_reference(p: Any, mixing: str, state: str, epsilon: float) -> None:
    start = np.linspace(0, 4, len(p))

    def transition(rows: list[float]) -> list[float]:
        mean = sum(rows) / len(rows)
        return [row / 2 + mean / 2 + 1 for row in rows]

    acts, _, output = oracle.act_table(
        lambda i, t: float(p[i, t - 1]), transition, list(start), 1.0 - epsilon, p.shape[1], state, mixing
    )
    last = run_p(p, mixing=mixing, state=state, epsilon=epsilon)[-1].variables
    assert last["n_updates"][:, 0].tolist() == [act.n for act in acts]
    for name, expected in (
        ("halting_probability", [act.h for act in acts]),
        ("remainders", [act.r for act in acts]),
        ("update_weights", [act.w for act in acts]),
        ("new_state", output),
    ):
        np.testing.assert_allclose(last[name][:, 0], expected, rtol=1e-12, atol=1e-13, err_msg=name)


def act_cases() -> list[int]:
    """Where the cap is one number for all: with T from the length each example has its own."""
    return [
        number
        for number, case in enumerate(CASES)
        if case["halting"] == "act" and case["steps_from"] == "fixed"
    ]


@pytest.mark.parametrize("number", act_cases())
def test_the_text_agrees_with_the_model(number: int) -> None:
    """From the model's own p and s' the nine lines give its n, R, h, w and output, bit for bit.

    Padding is left out: it never runs in the model, and the listing knows none.
    """
    model, options, _, ids = build(CASES[number], number)
    every = list(model.steps(ids))
    cap, threshold = options["max_steps"], 1.0 - options["epsilon"]
    for side in {record.address.side for record in every}:
        records = [record for record in every if record.address.side == side]
        real = records[0].real
        ends = [_follow(records, b, real[b], options) for b in range(len(real)) if real[b].any()]
        for step in range(len(records)):
            waiting = any(should_continue(end[step], threshold, cap) for end in ends)
            assert waiting == (step + 1 < len(records)), "Listing 1 and the model end at the same step"


def _follow(records: list[Any], b: int, real: Any, options: dict[str, Any]) -> list[Any]:
    """The variables after every step of example b, each compared with the model's."""
    variables: Any = initial_variables(records[0].state[b, real])
    ends = []
    for record in records:
        halting, listing = record.halting, load_listing(options["mixing"])
        lines = run_step(
            listing, variables, halting.signal[b, real], record.state[b, real],
            step=record.step, threshold=1.0 - options["epsilon"], max_steps=options["max_steps"],
        )  # fmt: skip
        variables = list(lines)[-1].variables
        ends.append(variables)
        np.testing.assert_array_equal(variables["new_state"], record.output[b, real])
        for name, model_s in (
            ("n_updates", halting.n_updates), ("remainders", halting.remainder),
            ("halting_probability", halting.cumulative), ("update_weights", halting.weight),
        ):  # fmt: skip
            np.testing.assert_array_equal(
                variables[name][:, 0], model_s[b, real], err_msg=f"{name} at step {record.step}"
            )
    return ends

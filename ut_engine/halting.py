"""ACT over a table of halting probabilities, without a model: named scenarios, CSV tables, results.

Runs the listing itself (`ut_engine.listing`) and adds what follows from its variables: updates N, remainders
R, ponder N + R, weights of the states and the loss term.  m positions, T steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ut_engine import metrics
from ut_engine.act_table import Table, read_table
from ut_engine.errors import UserError
from ut_engine.listing import FOLDER, LineRecord, execute
from ut_engine.spec import CHOICES, MOST_STEPS

Array = NDArray[np.floating[Any]]

EPSILON, STEPS, PONDER_WEIGHT = 0.01, 12, 0.01  # tensor2tensor's: act_max_steps = 2 x 6 layers
SCENARIOS = ("fresh", "sentence", "hesitant", "two-position")
STATE_NAMES = ("transformed_state", "new_state", "previous_state", "state")


@dataclass(frozen=True, slots=True)
class ActResult:
    """A whole ACT run over a table; T is the number of steps really run.

    records: one per line.  n_updates N, remainders R (0 where none), ponder N + R: [m].
    weights, effective_weights: [m, T] update weight of each step, and its state's share in the output.
    halted: [m].  loop_state (transformed), output (accumulated): [m, d].
    loss_term: ponder_weight * mean(N + R), one side (encoder or decoder).
    """

    tokens: tuple[str, ...]
    p: Array
    epsilon: float
    max_steps: int
    mixing: str
    state: str
    records: tuple[LineRecord, ...]
    n_updates: NDArray[np.int64]
    remainders: Array
    ponder: Array
    halted: NDArray[np.bool_]
    weights: Array
    effective_weights: Array
    loop_state: Array
    output: Array
    loss_term: float


def sigmoid(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1.0 + math.exp(logit))


def scenario(name: str, max_steps: int | None = None) -> Table:
    """The table of a named scenario, [m, 12] or as many steps as asked; the last column goes on.

    fresh: bias 1 and a zero halting kernel, p = sigmoid(1).  sentence: one symbol with p > 0.99 at step 1.
    hesitant: p = 0.05.  two-position: p = 0.999 and 0.3, the exact toy that separates the semantics.
    """
    if name not in SCENARIOS:
        raise UserError(f"there is no scenario {name!r}", f"use one of {', '.join(SCENARIOS)}")
    steps = STEPS if max_steps is None else _steps(max_steps)
    table = read_table(FOLDER / "sentence.csv")
    if name == "two-position":
        table = Table(("A", "B"), np.array([[0.999], [0.3]]))
    elif name != "sentence":
        p = sigmoid(1.0) if name == "fresh" else 0.05
        table = Table(table.tokens, np.full((len(table.tokens), 1), p))
    last = np.minimum(np.arange(steps), table.p.shape[1] - 1)
    return Table(table.tokens, table.p[:, last])


def toy_state(positions: int) -> Array:
    """Start of the two-position toy for any number of positions, [m, 1]: evenly from 0 to 4."""
    return np.linspace(0.0, 4.0, positions)[:, None]


def toy_transition(step: int, state: Array) -> Array:
    """s'_i = s_i / 2 + mean(s) / 2 + 1, [m, 1] -> [m, 1]: attention to the mean, then a constant."""
    return np.asarray(state / 2 + state.mean(axis=0) / 2 + 1)


def run_table(
    table: Table | ArrayLike,
    *,
    epsilon: float = EPSILON,
    max_steps: int | None = None,
    mixing: str = "basic",
    state: str = "listing2",
    transition: Callable[[int, Array], Array] = toy_transition,
    state0: Array | None = None,
    ponder_weight: float = PONDER_WEIGHT,
) -> ActResult:
    """Run ACT on p [m, columns]; the cap is the number of columns unless max_steps says less.

    UserError for an epsilon outside [0, 1), fewer than one step, an unknown mixing or state.
    """
    if not isinstance(table, Table):
        values = np.asarray(table, dtype=float)
        table = Table(tuple(str(i + 1) for i in range(len(values))), values)
    _check(epsilon, mixing, state)
    p = table.p
    cap = p.shape[1] if max_steps is None else min(_steps(max_steps), p.shape[1])
    start = toy_state(len(p)) if state0 is None else state0
    records = tuple(
        execute(
            lambda step, _before, _after: p[:, step - 1],
            transition, start, epsilon=epsilon, max_steps=cap, state=state, mixing=mixing,
        )
    )  # fmt: skip
    return _result(table, records, epsilon, cap, mixing, state, ponder_weight)


def _result(
    table: Table,
    records: tuple[LineRecord, ...],
    epsilon: float,
    cap: int,
    mixing: str,
    state: str,
    ponder_weight: float,
) -> ActResult:
    ends = [list(lines)[-1].variables for _, lines in groupby(records, key=lambda record: record.step)]
    last = ends[-1]
    n_updates = last["n_updates"][:, 0].astype(np.int64)
    remainders = last["remainders"][:, 0]
    weights = np.concatenate([end["update_weights"] for end in ends], axis=1)
    loop_state = last["transformed_state"]
    if state == "frozen":  # halted before the last step: w = 0 then, so N is behind the step
        loop_state = np.where(last["n_updates"] < len(ends), last["state"], loop_state)
    return ActResult(
        tokens=table.tokens,
        p=table.p,
        epsilon=epsilon,
        max_steps=cap,
        mixing=mixing,
        state=state,
        records=records,
        n_updates=n_updates,
        remainders=remainders,
        ponder=metrics.ponder(n_updates, remainders),
        halted=remainders > 0,
        weights=weights,
        effective_weights=metrics.effective_weights(weights, mixing),
        loop_state=loop_state,
        output=last["new_state"],
        loss_term=metrics.ponder_loss(n_updates, remainders, weight=ponder_weight),
    )


def ponder_gradient(result: ActResult) -> Array:
    """d rho_i / d p_{i,t}, [m, T]: -1 before the last step of a halted position, 0 at it.

    0 everywhere for a position that hit the cap: R has no value there, so it gets no ponder gradient.
    """
    steps = np.arange(1, result.weights.shape[1] + 1)
    before = (steps < result.n_updates[:, None]) & result.halted[:, None]
    return np.where(before, -1.0, 0.0)


def as_json(result: ActResult) -> dict[str, Any]:
    """Everything of a run as plain lists and numbers; states of one channel as one number per position."""
    iterations = []
    for step, lines in groupby(result.records, key=lambda record: record.step):
        run = list(lines)
        entry: dict[str, Any] = {"step": step}
        for name in ("p", "state", "transformed_state"):
            entry[name] = _plain(run[0].variables[name])
        entry["lines"] = [
            {"line": record.line, "variable": record.variable, "values": _plain(record.values)}
            for record in run
        ]
        iterations.append(entry)
    return {
        "tokens": list(result.tokens),
        "epsilon": result.epsilon,
        "threshold": 1.0 - result.epsilon,
        "max_steps": result.max_steps,
        "mixing": result.mixing,
        "state_semantics": result.state,
        "iterations": iterations,
        "n_updates": [int(n) for n in result.n_updates],
        "remainders": _plain(result.remainders),
        "halted": [bool(halted) for halted in result.halted],
        "ponder": _plain(result.ponder),
        "weights": _plain(result.weights, flat=False),
        "effective_weights": _plain(result.effective_weights, flat=False),
        "zero_share": _plain(metrics.zero_share(result.weights, result.mixing)),
        "state": _plain(result.loop_state),
        "output": _plain(result.output),
        "loss_term": result.loss_term,
    }


def _plain(array: NDArray[Any], flat: bool = True) -> list[Any]:
    one_column = flat and array.ndim == 2 and array.shape[1] == 1
    values: list[Any] = (array[:, 0] if one_column else array).tolist()
    return values


def _steps(max_steps: int) -> int:
    if not 1 <= max_steps <= MOST_STEPS:
        raise UserError(f"{max_steps} steps cannot be run", f"choose between 1 and {MOST_STEPS} steps")
    return max_steps


def _check(epsilon: float, mixing: str, state: str) -> None:
    if not 0.0 <= epsilon < 1.0:
        raise UserError(f"epsilon = {epsilon} is out of range", "choose from 0 up to, not including, 1")
    for name, value in (("mixing", mixing), ("state", state)):
        if value not in CHOICES[name]:
            raise UserError(f"{name} cannot be {value!r}", f"use one of {', '.join(CHOICES[name])}")

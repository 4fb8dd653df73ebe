"""A run of the listing that can be looked at from both ends: every line's variables, kept.

`walk` runs a `Setup` to its end and gives a `Trace`: one `LineRecord` a line.  Going back is going to an
earlier record; changing the past is walking a changed setup again.  m positions, d channels, T steps.

The states come from the two-position toy's transition, or (a live model) from what the model computed: then
p and the states already hold the changes, because the engine ran with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ut_engine import metrics
from ut_engine.act_table import Table
from ut_engine.edits import Edit, remaining
from ut_engine.faults import Fault, load_fault
from ut_engine.halting import EPSILON, PONDER_WEIGHT, toy_state, toy_transition
from ut_engine.listing import (
    Array,
    LineRecord,
    Listing,
    Variables,
    initial_variables,
    load_listing,
    next_state,
    run_step,
    should_continue,
)

PER_STEP = 9


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What a run needs.  p: [m, T] (T caps the steps); states: a model's transformed states [m, d] by step.

    fault: name of a fault put into the listing ("" for none).  edits: changes of the past; with a model's
    states they tell what it ran with, and p has them already.
    """

    tokens: tuple[str, ...]
    p: Array
    epsilon: float = EPSILON
    max_steps: int = 12
    mixing: str = "basic"
    state: str = "listing2"
    fault: str = ""
    edits: tuple[Edit, ...] = ()
    states: tuple[Array, ...] | None = None
    start: Array | None = None

    @property
    def threshold(self) -> float:
        return 1.0 - self.epsilon

    @property
    def cap(self) -> int:
        """Steps at most: the cap asked for, or the columns of p where there are fewer and no model."""
        return self.max_steps if self.states is not None else min(self.max_steps, self.p.shape[1])

    @property
    def listing(self) -> Listing:
        return load_fault(self.fault).listing if self.fault else load_listing(self.mixing)


@dataclass(frozen=True, eq=False)
class Trace:
    """A walked run: its lines, and what follows from them (computed once when asked for).

    finished: the loop's own test ended it; False where a model has not computed the next step yet.
    """

    setup: Setup
    records: tuple[LineRecord, ...]
    finished: bool = True

    def __len__(self) -> int:
        return len(self.records)

    @property
    def m(self) -> int:
        return len(self.setup.tokens)

    @property
    def per_step(self) -> int:
        return len(self.setup.listing.lines)

    @property
    def steps(self) -> int:
        """Steps walked."""
        return self.records[-1].step if self.records else 0

    def at(self, step: int, line: int) -> int:
        """Index of a line of a step."""
        return (step - 1) * self.per_step + line - 1

    @cached_property
    def ends(self) -> tuple[Variables, ...]:
        """The variables after each step."""
        return tuple(
            list(lines)[-1].variables for _, lines in groupby(self.records, key=lambda record: record.step)
        )

    @cached_property
    def halted_at(self) -> NDArray[np.int64]:
        """[m] the step a position halts at, 0 where it never does."""
        found = np.zeros(self.m, dtype=np.int64)
        for record in self.records:
            if record.variable == "new_halted":
                now = column(record.values) > 0
                found = np.where(now & (found == 0), record.step, found)
        return found

    @cached_property
    def weights(self) -> Array:
        """[m, T] update weight of each step."""
        return np.stack([column(end["update_weights"]) for end in self.ends], axis=1)

    @cached_property
    def shares(self) -> Array:
        """[m, T] share of each step's state in the output."""
        return metrics.effective_weights(self.weights, self.setup.mixing)

    @cached_property
    def cumulative(self) -> Array:
        """[T, m] h after each step."""
        return np.stack([column(end["halting_probability"]) for end in self.ends])

    @property
    def n_updates(self) -> Array:
        return column(self.ends[-1]["n_updates"])

    @property
    def remainders(self) -> Array:
        return column(self.ends[-1]["remainders"])

    @property
    def ponder(self) -> Array:
        return metrics.ponder(self.n_updates, self.remainders)

    @property
    def loss(self) -> float:
        """Loss term of one side: 0.01 * mean(N + R)."""
        return metrics.ponder_loss(self.n_updates, self.remainders, weight=PONDER_WEIGHT)

    @cached_property
    def gradient(self) -> Array:
        """[m, T] d rho_i / d p_{i,t}: -1 before the last step of a halted position, else 0."""
        before = np.arange(1, self.steps + 1) < self.halted_at[:, None]
        return np.where(before, -1.0, 0.0)

    @property
    def capped(self) -> NDArray[np.bool_]:
        """[m] True where a position reached the cap without halting."""
        return np.asarray((self.halted_at == 0) & (self.n_updates >= self.setup.cap))

    @cached_property
    def found(self) -> dict[Any, tuple[int, ...]]:
        """Searches made over the run, kept for the next time."""
        return {}

    @cached_property
    def scales(self) -> Mapping[str, float]:
        """Variable -> its largest value of the run, for bars."""
        names = ("new_state", "transformed_state", "state")
        largest = {
            name: max((float(np.abs(shown(end[name])).max()) for end in self.ends), default=1.0)
            for name in names
        }
        return {**largest, "n_updates": float(max(self.setup.cap, 1))}


def column(values: Array) -> Array:
    """[m] of a variable: its one column; the mean where a wrong shape spread it to [m, m]."""
    return np.asarray(values[:, 0] if values.shape[1] == 1 else values.mean(axis=1))


def shown(values: Array) -> Array:
    """[m] what a table shows of a variable: its one column, or the length of a state of d channels."""
    return column(values) if values.shape[1] == 1 else np.asarray(np.linalg.norm(values, axis=1))


def setup_of(table: Table, max_steps: int | None = None, **more: Any) -> Setup:
    """The setup of a table; the cap is its number of columns unless told."""
    return Setup(table.tokens, table.p, max_steps=max_steps or table.p.shape[1], **more)


def walk(setup: Setup) -> Trace:
    """Run the listing over a setup, to the end of what can be known."""
    fault = load_fault(setup.fault) if setup.fault else None
    if setup.start is not None:
        start = setup.start
    elif setup.states is None:
        start = toy_state(len(setup.p))
    else:
        start = np.zeros_like(setup.states[0])
    current = np.array(start)
    current.flags.writeable = False
    variables: Variables = initial_variables(current)
    records: list[LineRecord] = []
    for step in range(1, setup.cap + 1):
        if not should_continue(variables, setup.threshold, setup.cap):
            break
        if setup.states is not None and step > len(setup.states):
            return Trace(setup, tuple(records), finished=False)
        ran = column(variables["halting_probability"])[:, None] < 1.0
        given = setup.states
        transformed = toy_transition(step, current) if given is None else given[step - 1]
        p = _p_at(setup, step, column(variables["halting_probability"]))
        entry: Variables = {**variables, "state": current}
        records.extend(_lines(setup, fault, entry, p, transformed, step, len(records)))
        variables = records[-1].variables
        current = next_state(variables, ran, setup.state) if given is None else variables["transformed_state"]
    return Trace(setup, tuple(records))


def _lines(
    setup: Setup, fault: Fault | None, entry: Variables, p: Array, transformed: Array, step: int, index: int
) -> Iterator[LineRecord]:
    if fault is not None:
        return _faulty(setup, fault, entry, p, transformed, step, index)
    return run_step(
        setup.listing, entry, p, transformed,
        step=step, threshold=setup.threshold, max_steps=setup.cap, index=index,
    )  # fmt: skip


def _p_at(setup: Setup, step: int, cumulative: Array) -> Array:
    """[m] p of a step with the past as it was changed."""
    p = np.array(setup.p[:, step - 1])
    for edit in setup.edits if setup.states is None else ():
        if edit.step != step or edit.position >= len(p):
            continue
        if edit.kind == "run":
            h, given = float(cumulative[edit.position]), float(p[edit.position])
            p[edit.position] = remaining(h, given, setup.threshold)
        else:
            p[edit.position] = 1.0 if edit.kind == "halt" else edit.value
    return p


def _faulty(
    setup: Setup, fault: Fault, entry: Variables, p: Array, transformed: Array, step: int, index: int
) -> Iterator[LineRecord]:
    """The wrong listing as it would really run: shapes may spread, variables may share a buffer."""
    scalars = {"threshold": setup.threshold, "step": step, "max_steps": setup.cap}
    current = dict(entry)
    current["p"] = np.reshape(p, (1, -1) if fault.p_row else (-1, 1))
    current["transformed_state"] = transformed
    current["previous_state"] = current["new_state"]
    for line in fault.listing.lines:
        value = np.asarray(line.value({**current, **scalars})).astype(float)
        value.flags.writeable = False
        before = current.get(line.variable)
        names = fault.shared if line.variable in fault.shared else (line.variable,)
        current = {**current, **dict.fromkeys(names, value)}
        seen = {**current, "p": current["p"].reshape(-1, 1)}
        yield LineRecord(index, step, line.number, line.variable, before, MappingProxyType(seen))
        index += 1


def with_edit(setup: Setup, edit: Edit) -> Setup:
    """The setup with one more change; a later change of the same step and position replaces the earlier."""
    kept = tuple(e for e in setup.edits if (e.step, e.position) != (edit.step, edit.position))
    return replace(setup, edits=(*kept, edit))


def difference(one: Trace, other: Trace) -> tuple[int, ...]:
    """Positions (from 0) whose N, R or output differ at the end of two runs over the same positions."""
    if one.m != other.m or not one.records or not other.records:
        return ()
    differs = (one.n_updates != other.n_updates) | (np.abs(one.remainders - other.remainders) > 1e-12)
    outputs = (trace.ends[-1]["new_state"] for trace in (one, other))
    differs |= np.abs(np.subtract(*outputs)).max(axis=1) > 1e-12
    return tuple(int(k) for k in np.flatnonzero(differs))

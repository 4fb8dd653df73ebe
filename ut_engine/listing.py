"""The paper's Listing 2, run from its own text, one line at a time.

The nine assignments of appendix C (TensorFlow calls written as operators) lie in `resources/listing` as
data.  They are compiled once, after a check that they are plain arithmetic assignments, and run line by line
over variables that hold one row per position.  Every line yields one immutable `LineRecord`; arrays a line
does not touch are shared between records, so going back is going to an earlier record.

Shapes: m positions, d channels; every variable is [m, 1] except the states, which are [m, d].
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ut_engine.errors import UserError
from ut_engine.spec import CHOICES

Array = NDArray[np.floating[Any]]
Variables = Mapping[str, Array]
POf = Callable[[int, Array, Array], Array]
Transition = Callable[[int, Array], Array]

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "listing"
FILES = {"basic": "listing2.txt", "accumulated": "accumulated.txt", "graves": "graves.txt"}
CONTEXT, ASSIGNMENT, CONTINUED = ". ", "> ", "+ "

CARRIED = ("halting_probability", "remainders", "n_updates", "new_state")
ASSIGNED = ("still_running", "new_halted", *CARRIED[:3], "update_weights", "new_state")
READABLE = (*ASSIGNED, "p", "threshold", "step", "max_steps", "transformed_state", "previous_state")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitOr, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(frozen=True, slots=True)
class Line:
    """One assignment: its number (from 1), its text, the variable it sets, what it reads, compiled."""

    number: int
    text: str
    variable: str
    reads: tuple[str, ...]
    code: CodeType

    def value(self, namespace: Mapping[str, Any]) -> Any:
        """The right-hand side over these variables; nothing is changed."""
        return eval(self.code, {"__builtins__": {}}, namespace)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of text as shown; `line` is the number of the assignment it belongs to, None for context."""

    text: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows to show and the assignments to run."""

    rows: tuple[Row, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class LineRecord:
    """The variables after one line.

    index: 0-based over the whole run.  step: iteration, from 1.  line: number in the listing, from 1.
    variable: the one this line set; `before`: its old value, None when it had none.
    variables: name -> read-only array, [m, 1] or [m, d] for the states; arrays not set by this line are
        the very objects of the record before.
    """

    index: int
    step: int
    line: int
    variable: str
    before: Array | None
    variables: Variables

    @property
    def values(self) -> Array:
        return self.variables[self.variable]

    @property
    def changed(self) -> NDArray[np.bool_]:
        """[m] True where this line really changed the position's value."""
        if self.before is None:
            return np.ones(len(self.values), dtype=bool)
        return np.asarray((self.values != self.before).any(axis=1))


def parse_listing(text: str) -> Listing:
    """Read a listing: rows marked `. ` context, `> ` an assignment, `+ ` its continuation.

    UserError names the line that is not a plain arithmetic assignment to a variable of the listing.
    """
    rows: list[Row] = []
    texts: list[str] = []
    for raw in text.splitlines():
        mark, shown = raw[:2].ljust(2), raw[2:]
        if mark == ASSIGNMENT:
            texts.append(shown)
        elif mark == CONTINUED and texts:
            texts[-1] += "\n" + shown
        elif mark != CONTEXT:
            raise UserError(f"the listing's row {raw!r} has no mark", "begin it with '. ', '> ' or '+ '")
        rows.append(Row(shown, None if mark == CONTEXT else len(texts)))
    return Listing(tuple(rows), tuple(_compile(number, line) for number, line in enumerate(texts, 1)))


@cache
def load_listing(mixing: str = "basic") -> Listing:
    """The listing for a mixing: "basic" is the paper's, the others differ from it in a line or two."""
    if mixing not in FILES:
        raise UserError(f"mixing cannot be {mixing!r}", f"use one of {', '.join(FILES)}")
    return parse_listing((FOLDER / FILES[mixing]).read_text(encoding="utf-8"))


def _compile(number: int, text: str) -> Line:
    """`name = expression` or `name += expression`; the latter as rebinding, so that no array is mutated."""
    where = f"line {number} of the listing"
    try:
        statements = ast.parse(text).body
    except SyntaxError as error:
        raise UserError(f"{where} is not Python: {error.msg}", "write it as name = expression") from None
    statement = statements[0] if len(statements) == 1 else None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
    elif isinstance(statement, ast.AugAssign):
        target = statement.target
        name = target.id if isinstance(target, ast.Name) else ""
        value = ast.BinOp(ast.Name(name, ast.Load()), statement.op, statement.value)
    else:
        raise UserError(f"{where} is not an assignment", "write it as name = expression")
    if not isinstance(target, ast.Name) or target.id not in ASSIGNED:
        raise UserError(f"{where} sets no variable of the listing", f"set one of {', '.join(ASSIGNED)}")
    _check(value, number)
    reads = tuple(dict.fromkeys(node.id for node in ast.walk(value) if isinstance(node, ast.Name)))
    code = compile(ast.fix_missing_locations(ast.Expression(value)), f"<{where}>", "eval")
    return Line(number, text, target.id, reads, code)


def _check(value: ast.expr, number: int) -> None:
    where = f"line {number} of the listing"
    plain = (ast.BinOp, ast.Compare, ast.Name, ast.Constant, ast.Load, *_OPERATORS)
    for node in ast.walk(value):
        counts = not isinstance(node, ast.Constant) or type(node.value) in (int, float)
        if not isinstance(node, plain) or not counts:
            kind = type(node).__name__
            raise UserError(f"{where} uses {kind}", "use numbers, the listing's variables and + - * / | < >")
        if isinstance(node, ast.Name) and node.id not in READABLE:
            raise UserError(f"{where} reads the unknown name {node.id!r}", f"use {', '.join(READABLE)}")


def initial_variables(state0: Array) -> dict[str, Array]:
    """Before the first step: h = R = n = 0 [m, 1], the accumulated output 0 [m, d]."""
    zero = _frozen(np.zeros((len(state0), 1), dtype=state0.dtype))
    return {**dict.fromkeys(CARRIED[:3], zero), "new_state": _frozen(np.zeros_like(state0))}


def should_continue(variables: Variables, threshold: float, max_steps: int) -> bool:
    """Listing 1: some position has h < threshold and fewer than max_steps updates."""
    waiting = variables["halting_probability"] < threshold
    return bool((waiting & (variables["n_updates"] < max_steps)).any())


def run_step(
    listing: Listing,
    variables: Variables,
    p: Array,
    transformed_state: Array,
    *,
    step: int,
    threshold: float,
    max_steps: int,
    index: int = 0,
) -> Iterator[LineRecord]:
    """Run the nine lines once, from the variables after the step before (or `initial_variables`).

    p: [m] or [m, 1] in [0, 1]; transformed_state: [m, d].  Wrong shapes or values raise ValueError:
    a [1, m] or [m, m] p would broadcast in silence (the literal listing's trap).
    """
    m, d = variables["new_state"].shape
    kind = variables["new_state"].dtype
    column, transformed = np.asarray(p, dtype=kind), np.asarray(transformed_state, dtype=kind)
    if column.shape not in ((m,), (m, 1)) or transformed.shape != (m, d):
        raise ValueError(f"p {column.shape} and state {transformed.shape} do not fit {m} positions of {d}")
    if not ((column >= 0) & (column <= 1)).all():
        raise ValueError("a halting probability lies outside [0, 1]")
    scalars = {"threshold": threshold, "step": step, "max_steps": max_steps}
    current: dict[str, Array] = dict(variables)
    current["p"] = _frozen(column.reshape(m, 1).copy())
    current["transformed_state"] = _frozen(transformed.copy())
    current["previous_state"] = current["new_state"]
    for line in listing.lines:
        value = _frozen(np.asarray(line.value({**current, **scalars})).astype(kind, copy=False))
        before = current.get(line.variable)
        current = {**current, line.variable: value}
        yield LineRecord(index, step, line.number, line.variable, before, MappingProxyType(current))
        index += 1


def execute(
    p_of: POf,
    transition: Transition,
    state0: Array,
    *,
    epsilon: float = 0.01,
    max_steps: int = 12,
    state: str = "listing2",
    mixing: str = "basic",
    listing: Listing | None = None,
) -> Iterator[LineRecord]:
    """Run the loop of Listings 1 and 2 to its end, one record per line.

    p_of(step, state, transformed_state) -> [m]; transition(step, state) -> [m, d]; state0: [m, d].
    state: "listing2" hands every transformed state on, "frozen" keeps the state of positions that had
    halted before the step (section 2.2's prose).  The loop state and what the step started from is in
    the variable "state" of every record.
    """
    if state not in CHOICES["state"]:
        raise UserError(f"state cannot be {state!r}", f"use one of {', '.join(CHOICES['state'])}")
    listing = load_listing(mixing) if listing is None else listing
    threshold, step, index = 1.0 - epsilon, 0, 0
    current = _frozen(np.array(state0))
    variables: Variables = initial_variables(current)
    while should_continue(variables, threshold, max_steps):
        step += 1
        ran = variables["halting_probability"] < 1.0
        transformed = transition(step, current)
        p = p_of(step, current, transformed)
        entry = {**variables, "state": current}
        for record in run_step(
            listing, entry, p, transformed, step=step, threshold=threshold, max_steps=max_steps, index=index
        ):
            yield record
            variables, index = record.variables, record.index + 1
        current = next_state(variables, ran, state)


def next_state(variables: Variables, ran: NDArray[np.bool_], state: str) -> Array:
    """The next loop state [m, d]: the transformed state, with "frozen" only where `ran` [m, 1]."""
    transformed = variables["transformed_state"]
    return transformed if state == "listing2" else _frozen(np.where(ran, transformed, variables["state"]))


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array

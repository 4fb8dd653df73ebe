"""Conditions over the listing's variables, such as `any(remainders < 0.05)` or `h[3] > 0.9 and step >= 2`.

A grammar of its own read through `ast` and evaluated here: nothing is ever handed to `eval`.  Variables hold
one number per position; a condition that is true at some position counts as true.  Positions count from 1.
"""

from __future__ import annotations

import ast
import difflib
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ut_engine.errors import UserError

LONGEST = 200
VARIABLES = (
    "p", "still_running", "new_halted", "halting_probability", "remainders", "n_updates", "update_weights",
    "new_state", "transformed_state",
)  # fmt: skip
SHORT = {
    "h": "halting_probability",
    "R": "remainders",
    "N": "n_updates",
    "n": "n_updates",
    "w": "update_weights",
}
SCALARS = ("step", "line", "threshold", "epsilon", "max_steps")
NAMES = (*VARIABLES, *SCALARS)
FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "any": np.any, "all": np.all, "min": np.min, "max": np.max, "sum": np.sum, "mean": np.mean,
    "count": np.count_nonzero, "abs": np.abs,
}  # fmt: skip
_BINARY: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: np.true_divide,
}  # fmt: skip
_COMPARE: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_UNARY: Mapping[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: np.logical_not,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that was read and found to make sense."""

    text: str
    tree: ast.expr

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it is true; values: name -> [m] array or number.  False where one has no value yet."""
        try:
            with np.errstate(all="ignore"):
                return bool(np.any(_value(self.tree, values)))
        except (KeyError, IndexError):
            return False


def read_condition(text: str, positions: int | None = None) -> Condition:
    """Read a condition; UserError points at what is wrong (column from 1)."""
    text = text.strip()
    if not text:
        raise UserError("the condition is empty", "write one such as remainders < 0.05")
    if len(text) > LONGEST:
        raise UserError(f"the condition is longer than {LONGEST} characters", "write a shorter one")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        column = getattr(error, "offset", None) or 1
        raise UserError(_syntax(text, column), "write it such as remainders < 0.05") from None
    _check(tree, positions, text)
    return Condition(text, tree)


def _syntax(text: str, column: int) -> str:
    column = min(column, len(text))
    if "=" in text and not any(sign in text for sign in ("==", "<=", ">=", "!=")):
        return f"column {text.index('=') + 1} of the condition: a single = sets, == compares"
    return (
        f"column {column} of the condition is not understood, near {text[max(column - 6, 0) : column + 5]!r}"
    )


def _check(node: ast.expr, positions: int | None, text: str) -> None:
    """Everything that could go wrong is said here, so that a stop never fails while it runs."""
    at = node.col_offset + 1
    if isinstance(node, ast.Constant):
        if type(node.value) not in (int, float):
            raise UserError(
                f"column {at} of the condition: {node.value!r} is no number",
                "compare with a number such as 0.05",
            )
    elif isinstance(node, ast.Name):
        if node.id not in NAMES and node.id not in SHORT:
            raise _unknown(at, node.id)
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        _check(node.left, positions, text)
        _check(node.right, positions, text)
    elif isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        _check(node.operand, positions, text)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            _check(value, positions, text)
    elif isinstance(node, ast.Compare) and all(type(op) in _COMPARE for op in node.ops):
        for value in (node.left, *node.comparators):
            _check(value, positions, text)
    elif isinstance(node, ast.Call):
        _check_call(node, at, positions, text)
    elif isinstance(node, ast.Subscript):
        _check_place(node, at, positions)
    else:
        raise UserError(
            f"column {at} of the condition uses {_sign(node, text)!r}",
            "use names, numbers, + - * /, comparisons, and, or, not",
        )


def _sign(node: ast.expr, text: str) -> str:
    """What is typed there that is not of the grammar: the operator, else the beginning of the part."""
    if isinstance(node, ast.BinOp):
        between = text.encode()[node.left.end_col_offset : node.right.col_offset].decode()
        return between.strip(" ()")
    part = ast.get_source_segment(text, node) or ""
    return part if len(part) <= 12 else f"{part[:11]}…"


def _check_call(node: ast.Call, at: int, positions: int | None, text: str) -> None:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in FUNCTIONS:
        raise UserError(
            f"column {at} of the condition: there is no function {name or '…'!r}",
            f"use {', '.join(FUNCTIONS)}",
        )
    if len(node.args) != 1 or node.keywords:
        raise UserError(f"column {at} of the condition: {name} takes one thing", f"write {name}(remainders)")
    _check(node.args[0], positions, text)


def _check_place(node: ast.Subscript, at: int, positions: int | None) -> None:
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    if SHORT.get(name, name) not in VARIABLES:
        raise UserError(
            f"column {at} of the condition: only a variable has positions", "write it such as remainders[3]"
        )
    place = getattr(node.slice, "value", None)
    if type(place) is not int or not 1 <= place <= (positions or 10**6):
        last = f"1 to {positions}" if positions else "1 on"
        raise UserError(
            f"column {at} of the condition: there is no such position", f"positions count from {last}"
        )


def _unknown(at: int, name: str) -> UserError:
    close = difflib.get_close_matches(name, (*NAMES, *SHORT), n=1, cutoff=0.5)
    do = f"did you mean {close[0]}?" if close else f"use one of {', '.join(NAMES)}"
    return UserError(f"column {at} of the condition: there is no variable {name!r}", do)


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return values[SHORT.get(node.id, node.id)]
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)](np.asarray(_value(node.left, values)), _value(node.right, values))
    if isinstance(node, ast.UnaryOp):
        return _UNARY[type(node.op)](np.asarray(_value(node.operand, values), dtype=float))
    if isinstance(node, ast.BoolOp):
        parts = [np.asarray(_value(part, values), dtype=bool) for part in node.values]
        return (
            np.logical_and.reduce(np.broadcast_arrays(*parts))
            if isinstance(node.op, ast.And)
            else (np.logical_or.reduce(np.broadcast_arrays(*parts)))
        )
    if isinstance(node, ast.Compare):
        sides = [_value(side, values) for side in (node.left, *node.comparators)]
        found = [_COMPARE[type(op)](a, b) for op, a, b in zip(node.ops, sides, sides[1:], strict=False)]
        return np.logical_and.reduce(np.broadcast_arrays(*found))
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return FUNCTIONS[node.func.id](_value(node.args[0], values))
    assert isinstance(node, ast.Subscript)
    assert isinstance(node.slice, ast.Constant)
    return _value(node.value, values)[node.slice.value - 1]  # type: ignore[operator]

"""The Hillis-Steele scan as a hand-made layer: all prefixes of an associative operation in log2 n steps.

At step t position i reads exactly position i - 2^(t-1) and combines it with its own value.  After step t it
has seen [i - 2^t + 1, i], so positions i <= 2^t are settled: right for *every* input, which a comparison
of values cannot say.  Without a step signal the layer can only do the same thing every time (it always reads
i - 1); after T rounds it holds the sum over k of C(T, k) x_(i-k), modulo 2.
Positions in docstrings count from 1, arrays from 0; step 0 is the input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ut_engine.act_table import Table
from ut_engine.errors import UserError
from ut_engine.records import freeze

Array = NDArray[Any]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST_POSITIONS = 1024
MOST_STEPS = 4096
KILL, PROPAGATE, GENERATE = 0, 1, 2  # what a digit pair does to an incoming carry


@dataclass(frozen=True, slots=True)
class Operator:
    """An associative operation on whole arrays: combine(earlier, later), [n, ...] twice -> [n, ...].

    read: turns a text into elements [n, ...].  show: an element as one symbol.
    draw: n random elements.
    """

    name: str
    title: str
    combine: Callable[[Array, Array], Array]
    read: Callable[[str], Array]
    show: Callable[[Array], str]
    draw: Callable[[np.random.Generator, int], Array]


@dataclass(frozen=True, slots=True, eq=False)
class ScanFrame:
    """The state after one step, everything per position.

    values: [n, ...].  reads: [n] index of the position read at this step, -1 for none (the arcs).
    first: [n] first index of the window seen so far; the window ends at the position itself.
    settled: [n] right whatever the input is.  correct: [n] the value equals the target here.
    """

    step: int
    offset: int
    values: Array
    reads: Indices
    first: Indices
    settled: Flags
    correct: Flags

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def n_settled(self) -> int:
        return int(self.settled.sum())

    @property
    def n_correct(self) -> int:
        return int(self.correct.sum())

    @property
    def first_open(self) -> int | None:
        """The first position (from 1) that is not guaranteed, None when all are."""
        return None if self.settled.all() else int(np.argmin(self.settled)) + 1

    @property
    def first_wrong(self) -> int | None:
        """The first position (from 1) whose value is not the target, None when all are right."""
        return None if self.correct.all() else int(np.argmin(self.correct)) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """A whole scan: frames[t] is the state after step t, frames[0] the input; target [n, ...]."""

    operator: str
    step_signal: bool
    target: Array
    steps_needed: int
    frames: tuple[ScanFrame, ...]

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def length(self) -> int:
        return len(self.target)


def steps_needed(length: int, step_signal: bool = True) -> int:
    """Steps until all are settled: ceil(log2 n), without a step signal the first 2^k - 1 >= n - 1."""
    doublings = (length - 1).bit_length()
    return doublings if step_signal else 2**doublings - 1


def depths(length: int) -> Indices:
    """Steps every position needs, [n]: ceil(log2 i) for i = 1 ... n, 0 for the first."""
    return np.array([i.bit_length() for i in range(length)], dtype=np.int64)


def act_table(length: int) -> Table:
    """The per-position depths as halting probabilities, one row a position: 0, and 1 at the last step needed.

    ACT runs every position at least once, so position 1, which needs no step, halts at step 1.
    """
    last = np.maximum(depths(length), 1)
    p = (np.arange(1, last.max() + 1) == last[:, None]).astype(float)
    return Table(tuple(str(i) for i in range(1, length + 1)), p)


def settled_prefix(step: int, step_signal: bool = True) -> int:
    """How many positions are guaranteed after a step, if there are as many.

    2^t; without a step signal the prefix needs C(t, k) odd for all of k, which holds up to the first power
    of two missing from t: 2^(number of trailing ones of t).
    """
    return 1 << (step if step_signal else _trailing_ones(step))


def coefficients(step: int, count: int) -> Indices:
    """C(step, k) mod 2 for k < count: odd exactly where the bits of k are among those of step (Lucas)."""
    k = np.arange(count)
    return np.asarray((k & ~np.int64(step)) == 0, dtype=np.int64)


def scan(
    elements: ArrayLike, operator: str = "xor", steps: int | None = None, step_signal: bool = True
) -> Scan:
    """Run the layer on elements [n, ...]: as often as needed (steps None) or at a fixed depth.

    UserError for no or more than 1,024 elements, a wrong number of steps, an unknown operator, and for an
    operator other than xor without a step signal (what such a prefix guarantees is known for xor only).
    """
    values, rule = np.asarray(elements), operator_named(operator)
    if not 1 <= len(values) <= MOST_POSITIONS:
        raise UserError(f"{len(values):,} positions cannot be scanned", f"give 1 to {MOST_POSITIONS:,}")
    if steps is not None and not 0 <= steps <= MOST_STEPS:
        raise UserError(f"{steps} steps cannot be run", f"choose between 0 and {MOST_STEPS:,} steps")
    if not step_signal and rule.name != "xor":
        raise UserError(f"{rule.name} needs the step signal", "use xor, or keep the step signal")
    needed = steps_needed(len(values), step_signal)
    target = prefixes(values, rule)
    count = needed if steps is None else steps
    make = _doublings if step_signal else _rounds
    return Scan(rule.name, step_signal, target, needed, make(values, target, rule, count))


def _doublings(values: Array, target: Array, rule: Operator, count: int) -> tuple[ScanFrame, ...]:
    """With a step signal: every step reads twice as far back."""
    frame = _frame(0, 0, values, np.arange(len(values)), target)
    frames = [frame]
    for step in range(1, count + 1):
        frame = _next(frame, step, target, rule)
        frames.append(frame)
    return tuple(frames)


def _rounds(values: Array, target: Array, rule: Operator, count: int) -> tuple[ScanFrame, ...]:
    """Without: every round reads the left neighbour; there may be a thousand: rows of matrices."""
    length, steps = len(values), np.arange(count + 1)[:, None]
    state = np.empty((count + 1, length), dtype=values.dtype)
    state[0] = values
    for step in range(1, count + 1):
        state[step, 0] = state[step - 1, 0]
        state[step, 1:] = rule.combine(state[step - 1, :-1], state[step - 1, 1:])
    first = np.maximum(np.arange(length) - steps, 0)
    prefix = np.array([settled_prefix(step, False) for step in range(count + 1)])
    settled, correct = np.arange(length) < prefix[:, None], state == target
    for matrix in (state, first, settled, correct):
        matrix.flags.writeable = False  # so that freezing a thousand frames has nothing to do
    none, left = _reads(length, 0), _reads(length, 1)
    return tuple(
        ScanFrame(step, int(step > 0), state[step], left if step else none, first[step], settled[step],
                  correct[step])
        for step in range(count + 1)
    )  # fmt: skip


def _next(before: ScanFrame, step: int, target: Array, rule: Operator) -> ScanFrame:
    offset = 2 ** (step - 1)
    if offset >= len(target):
        return _frame(step, offset, before.values, before.first, target)
    values, first = before.values.copy(), before.first.copy()
    values[offset:] = rule.combine(before.values[:-offset], before.values[offset:])
    first[offset:] = before.first[:-offset]
    return _frame(step, offset, values, first, target)


def _frame(step: int, offset: int, values: Array, first: Indices, target: Array) -> ScanFrame:
    length = len(target)
    settled = np.arange(length) < settled_prefix(step)
    correct = values == target
    correct = correct if correct.ndim == 1 else correct.reshape(length, -1).all(axis=1)
    return ScanFrame(step, offset, values, _reads(length, offset), first, settled, correct)


@lru_cache(maxsize=64)
def _reads(length: int, offset: int) -> Indices:
    """[n] index read at this distance, -1 for none: one array for all steps that read alike."""
    shift = min(offset, length)
    index = np.arange(length)
    found = np.where((shift > 0) & (index >= shift), index - shift, -1)
    found.flags.writeable = False
    return found


def prefixes(elements: ArrayLike, rule: Operator) -> Array:
    """The target, one after another: y_i = x_1 o ... o x_i, [n, ...] -> [n, ...]."""
    values = np.array(elements)
    for place in range(1, len(values)):
        values[place : place + 1] = rule.combine(values[place - 1 : place], values[place : place + 1])
    return values


def text_of(values: Array, operator: str = "xor") -> str | list[str]:
    """Elements as one string where each is one character, else as a list of strings."""
    rule = operator_named(operator)
    symbols = [rule.show(value) for value in values]
    return "".join(symbols) if all(len(symbol) == 1 for symbol in symbols) else symbols


def operator_named(name: str) -> Operator:
    for rule in operators():
        if rule.name == name:
            return rule
    known = ", ".join(rule.name for rule in operators())
    raise UserError(f"there is no operator {name!r}", f"use one of {known}")


def operators() -> tuple[Operator, ...]:
    """The operations the same machinery runs.

    xor: prefix parity.  sum10: running sum of digits modulo 10.  carry: carry look-ahead, every place kills
    (k), propagates (p) or generates (g) a carry.  permutation: permutations of five, applied one after
    another: not commutative, and complete for NC1, as prefix parity is not (Barrington 1989).
    """
    return (
        Operator("xor", "prefix parity", np.bitwise_xor, _symbols("01"), _shown("01"), _drawn(2)),
        Operator("sum10", "sum modulo 10", _sum10, _symbols("0123456789"), _shown("0123456789"), _drawn(10)),
        Operator("carry", "carry look-ahead", _carry, _symbols("kpg"), _shown("kpg"), _drawn(3)),
        Operator("permutation", "permutations of five", _follow, _permutations, _word, _shuffled),
    )


def carries(first: str, second: str) -> Array:
    """Two binary numbers, most significant digit first, as carry elements [n], least significant first."""
    numbers = ["".join(number.replace(",", " ").split()) for number in (first, second)]
    width = max(map(len, numbers))
    digits = [_symbols("01")(number.rjust(width, "0"))[::-1] for number in numbers]
    return np.asarray(digits[0] + digits[1])  # 0 kill, 1 propagate, 2 generate


def _sum10(earlier: Array, later: Array) -> Array:
    return (earlier + later) % 10


def _carry(earlier: Array, later: Array) -> Array:
    return np.where(later == PROPAGATE, earlier, later)


def _follow(earlier: Array, later: Array) -> Array:
    """The earlier permutation first, then the later: i -> later[earlier[i]]."""
    return np.take_along_axis(later, earlier, axis=1)


def _symbols(alphabet: str) -> Callable[[str], Array]:
    def read(text: str) -> Array:
        plain = normalize("NFKC", text)  # an input source may write digits in full width
        kept = [symbol for symbol in plain if symbol not in " ,\t\n"]
        wrong = next((symbol for symbol in kept if symbol not in alphabet), None)
        if wrong is not None:
            raise UserError(f"{wrong!r} is not one of {', '.join(alphabet)}", f"write only {alphabet}")
        if not kept:
            raise UserError("there is nothing to scan", f"write symbols out of {alphabet}")
        return np.array([alphabet.index(symbol) for symbol in kept], dtype=np.int64)

    return read


def _shown(alphabet: str) -> Callable[[Array], str]:
    return lambda value: alphabet[int(value)]


def _drawn(size: int) -> Callable[[np.random.Generator, int], Array]:
    return lambda draws, count: draws.integers(0, size, count)


def _permutations(text: str) -> Array:
    words = normalize("NFKC", text).replace(",", " ").split()
    wrong = next((word for word in words if sorted(word) != list("12345")), None)
    if wrong is not None:
        raise UserError(f"{wrong!r} is no permutation of 12345", "write words such as 23451, with spaces")
    if not words:
        raise UserError("there is nothing to scan", "write permutations such as 23451 21345")
    return np.array([[int(digit) - 1 for digit in word] for word in words], dtype=np.int64)


def _word(value: Array) -> str:
    return "".join(str(int(one) + 1) for one in value)


def _shuffled(draws: np.random.Generator, count: int) -> Array:
    return draws.permuted(np.tile(np.arange(5), (count, 1)), axis=1)


def _trailing_ones(number: int) -> int:
    return ((number + 1) & -(number + 1)).bit_length() - 1

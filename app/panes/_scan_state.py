"""What the prefix-parity pane knows: one frozen value, and the small facts read off it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from app.messages import Text
from app.timeline import Timeline
from ut_engine.scan import Operator, Scan, ScanFrame, carries, operator_named, scan, steps_needed, text_of

HAND, LEARNED = "hand", "learned"
XOR, CARRY = "xor", "carry"
RANDOM, ONES, TYPED = "random", "ones", "typed"
PRESETS = (40, 400)
MOST_DEPTH = 16  # of a fixed depth with a step signal: more settles every position there may be
MOST_ROUNDS = 1023  # without one: what 1,024 positions need
MOST_SEED = 9999
MOST_LEARNED = 400
CLOSE = 32  # positions in the close-up
FOLD = 1200  # window width, at 100 % text size, below which the right column goes below the left one
SINGLE = 900  # below which all stands in one column
STEP_MS = 900
CHECKPOINTS = ("parity-ut", "parity-act", "parity-transformer", "parity-lstm")
IDLE, WAITING, DONE, FAILED = "idle", "waiting", "done", "failed"


@dataclass(frozen=True, slots=True)
class Learned:
    """The measurement of trained checkpoints.  asked: symbols it is about; value: its figures.

    view: the figure shown.  model: the checkpoint a button opens.
    """

    phase: str = IDLE
    asked: str = ""
    done: int = 0
    total: int = 0
    value: Mapping[str, Any] = field(default_factory=dict)
    what: Text = ""
    do: Text = ""
    view: str = "front"
    model: str = CHECKPOINTS[0]


@dataclass(frozen=True, slots=True)
class State:
    """kind: where the symbols come from (random: n and seed, ones: n, typed: text).

    depth: the fixed one, 0 for as many steps as needed.  fixed: the depth last chosen.  signal: whether the
    layer knows its step.  look: position looked at, from 0.  cell: (step, position) under the pointer.
    close: 32 positions around the one looked at instead of all.  what: what is wrong with what was typed.
    """

    tab: str = HAND
    operator: str = XOR
    kind: str = RANDOM
    n: int = 40
    seed: int = 1
    text: str = ""
    depth: int = 0
    fixed: int = 6
    signal: bool = True
    look: int | None = None
    cell: tuple[int, int] | None = None
    close: bool = False
    line: Timeline = field(default_factory=Timeline)
    learned: Learned = field(default_factory=Learned)
    narrow: bool = False
    single: bool = False
    what: Text = ""

    @property
    def rule(self) -> Operator:
        return operator_named(self.operator)

    @property
    def elements(self) -> np.ndarray:
        return elements(self.operator, self.kind, self.n, self.seed, self.text)

    @property
    def scan(self) -> Scan:
        return scanned(self.operator, self.kind, self.n, self.seed, self.text, self.depth, self.signal)

    @property
    def frame(self) -> ScanFrame:
        return self.scan.frames[min(self.line.current, len(self.scan.frames) - 1)]

    @property
    def needed(self) -> int:
        return steps_needed(self.n, self.signal)

    @property
    def place(self) -> int:
        """The position looked at, from 0: the one chosen, else the last."""
        return min(self.look, self.n - 1) if self.look is not None else self.n - 1

    @property
    def symbols(self) -> str:
        """The input as one types it."""
        return typed(self.operator, self.kind, self.n, self.seed, self.text)


@lru_cache(maxsize=8)
def elements(operator: str, kind: str, n: int, seed: int, text: str) -> np.ndarray:
    """The symbols, [n, ...]; UserError where the text has other ones.  1011+0110 is two numbers to add."""
    rule = operator_named(operator)
    if kind == TYPED:
        first, plus, second = text.partition("+")
        return carries(first.strip(), second.strip()) if plus and operator == CARRY else rule.read(text)
    if kind == ONES:
        return np.ones(n, dtype=np.int64)
    return rule.draw(np.random.default_rng(seed), n)


@lru_cache(maxsize=8)
def typed(operator: str, kind: str, n: int, seed: int, text: str) -> str:
    shown = text_of(elements(operator, kind, n, seed, text), operator)
    return shown if isinstance(shown, str) else " ".join(shown)


@lru_cache(maxsize=4)
def scanned(operator: str, kind: str, n: int, seed: int, text: str, depth: int, signal: bool) -> Scan:
    return scan(elements(operator, kind, n, seed, text), operator, depth or None, signal)


def initial() -> State:
    return timed(State(line=Timeline(current=3, ms=STEP_MS)))


def timed(state: State) -> State:
    """The timeline over the steps of the scan as it is now; where one was, as far as there are as many."""
    steps = len(state.scan.frames) - 1
    current = min(max(state.line.current, 1), steps)
    line = replace(
        state.line,
        current=current,
        computed=steps,
        planned=steps,
        live=current == steps,
        ms=STEP_MS if steps <= 40 else 120,
    )
    return replace(state, line=line, cell=None)


def most_depth(state: State) -> int:
    return MOST_DEPTH if state.signal else MOST_ROUNDS


def span(state: State) -> tuple[int, int]:
    """First and one past the last position shown."""
    if not state.close or state.n <= CLOSE:
        return 0, state.n
    first = min(max(state.place - CLOSE // 2, 0), state.n - CLOSE)
    return first, first + CLOSE

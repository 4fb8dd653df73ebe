"""What the coordinates pane knows: one frozen value, and what can be read off it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.messages import Text
from app.timeline import Timeline

PAPER, T2T, TABLE, OWN = "paper", "t2t", "table", "own"
SOURCES = (PAPER, T2T, TABLE, OWN)
WIDTHS = (64, 128, 256, 512, 1024)
PARTS = ("position", "step", "sum")
SIGNAL, DOTS = "signal", "dots"
MOST_POSITIONS, LEAST_POSITIONS = 2000, 2
MOST_STEPS = 100
FIRST_LOOK = 999  # position 1,000: at t = 3 the offset the text speaks of
FOLD = 1200  # window width, at 100 % text size, below which the right column goes below the left one
SINGLE = 900  # below which all stands in one column
STEP_MS = 500
IDLE, WAITING, DONE, FAILED = "idle", "waiting", "done", "failed"
USUAL = "babi"  # the shipped checkpoint that is measured where none is open

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Own:
    """A checkpoint's own signal, as measured.  path, name: of the open one ("" where none is).

    value: the figures; position [row, dim] and step [step, dim]: the signal, empty where there is none.
    """

    path: str = ""
    name: str = ""
    phase: str = IDLE
    done: int = 0
    total: int = 0
    value: Mapping[str, Any] = field(default_factory=dict)
    position: Array = field(default_factory=lambda: np.zeros((0, 0)))
    step: Array = field(default_factory=lambda: np.zeros((0, 0)))
    what: Text = ""
    do: Text = ""


@dataclass(frozen=True, slots=True)
class State:
    """source: whose signal; d, m: width and positions of a formula; part, picture: what is drawn.

    look: position looked at, from 0.  far: whether the lengths up to offset 199,999 were asked for.
    line: the step t.
    """

    source: str = PAPER
    d: int = 512
    m: int = 1000
    part: str = "sum"
    picture: str = SIGNAL
    look: int = FIRST_LOOK
    far: bool = False
    line: Timeline = field(default_factory=Timeline)
    own: Own = field(default_factory=Own)
    narrow: bool = False
    single: bool = False

    @property
    def t(self) -> int:
        return max(self.line.current, 1)

    @property
    def width(self) -> int:
        return self.own.position.shape[1] if self.source == OWN else self.d

    @property
    def positions(self) -> int:
        return len(self.own.position) if self.source == OWN else self.m

    @property
    def place(self) -> int:
        """The position looked at, from 0, where there is one."""
        return min(self.look, max(self.positions - 1, 0))

    @property
    def steps(self) -> int:
        return max(len(self.own.step), 1) if self.source == OWN else MOST_STEPS

    @property
    def drawn(self) -> bool:
        """Whether there is a signal to draw."""
        return self.source != OWN or bool(len(self.own.position))


def initial() -> State:
    return timed(State(line=Timeline(current=3)))


def timed(state: State) -> State:
    """The timeline over the steps the signal has."""
    current = min(max(state.line.current, 1), state.steps)
    line = replace(
        state.line,
        current=current,
        computed=state.steps,
        planned=state.steps,
        live=current == state.steps,
        ms=STEP_MS,
    )
    return replace(state, line=line)

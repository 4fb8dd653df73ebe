"""What the ACT debugger knows: one frozen value, and the small facts read off it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from app.messages import Text
from app.timeline import Timeline
from ut_engine import debug
from ut_engine.debug import Setup, Trace
from ut_engine.halting import SCENARIOS, scenario
from ut_engine.listing import LineRecord
from ut_engine.records import StepRecord
from ut_engine.run import RunInfo
from ut_engine.stops import Stop, halts_by_step, places

LINES = 9
SOURCES = (*SCENARIOS, "table", "live")
PANELS = ("line", "pinned", "stops", "compare", "change", "why", "hunt")
SIDE = PANELS[2:]
FIRST_LINE = 23  # t = 3, line 5: an interesting place of the sentence
FIRST_PINNED = 8
FIRST_GENERATION = 1_000_000  # the inspector counts from 1, and the engine is shared
LONGEST = 14  # letters of a token in a label
LINE_MS = 250  # four lines a second
NARROW = 1400  # window width, at 100 % text size, below which the right column folds into tabs
SINGLE = 1020  # below which all stands in one column
SLIM = 720  # below which the controls take three lines, and are scrolled with the rest
IDLE, RUNNING, WAITING, DONE, FAILED = "idle", "running", "waiting", "done", "failed"
MOST_STEPS, MOST_BRANCHES = 400, 9
NONE = -1  # no branch
USUAL_STOPS = (
    Stop("line", 7),
    Stop("halts", FIRST_PINNED),
    Stop("condition", text="0 < remainders < 0.05", on=False),
    Stop("all", on=False),
    Stop("cap", on=False),
)


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """One way the run went: what was changed, and the walked lines.

    key: what the change is about, the same for the same change made again.  memo: runs to compare with.
    """

    name: Text
    trace: Trace
    key: str = ""
    memo: dict[tuple[str, str], Trace] = field(default_factory=dict)

    def other(self, mixing: str, state: str = "listing2") -> Trace:
        """The same p under another mixing or state semantics; walked once."""
        key = mixing, state
        if key not in self.memo:
            setup = replace(self.trace.setup, mixing=mixing, state=state, fault="")
            same = setup.mixing == self.trace.setup.mixing and setup.state == self.trace.setup.state
            plain = same and not self.trace.setup.fault
            self.memo[key] = self.trace if plain else debug.walk(setup)
        return self.memo[key]


@dataclass(frozen=True, slots=True, eq=False)
class Rerun:
    """A run of the model on its way to the screen, as soon as `until` steps of it are there.

    setup: its edits, epsilon and cap.  branch: the one it replaces, None for a new one.  place: line to
    stand at, 0 where one stands.
    """

    setup: Setup
    name: Text
    key: str
    until: int
    branch: int | None = None
    place: int = 0


@dataclass(frozen=True, slots=True)
class Live:
    """The open checkpoint as a source.

    phase: idle, running (a step is being computed), waiting, done, failed.  path, name, config: of the
    checkpoint.  wanted: what to do once the step is there: "start", "line", "step", "stop", "end" or "".
    go_to: line to start at.  gap: largest difference between the model's numbers and the nine lines'.
    ran: path and text of the run.  fed: the branch the engine computes.  rerun: the one on its way.
    places: the model's positions of those on screen.  link: changes to make once `go_to` is reached.
    """

    phase: str = IDLE
    path: str = ""
    name: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    samples: tuple[str, ...] = ()
    generation: int = FIRST_GENERATION
    info: RunInfo | None = None
    records: tuple[StepRecord, ...] = ()
    wanted: str = ""
    go_to: int = 0
    gap: float = 0.0
    what: Text = ""
    do: Text = ""
    autorun: bool = False
    ran: tuple[str, str] = ("", "")
    fed: int = 0
    rerun: Rerun | None = None
    places: tuple[int, ...] = ()
    link: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The debugger.  branches[0] is the run as it was; branch: the one on screen; ghost: compared with.

    text: the table as typed.  cursor: line the keyboard is at.  into: a line shown for every position.
    revealed: last line whose result was uncovered (predicting).  answers: right and asked.
    narrow: no room for three columns; single: for no more than one; slim: large type in a
    small window.
    """

    branches: tuple[Branch, ...]
    source: str = "sentence"
    text: str = ""
    branch: int = 0
    ghost: int | None = None
    line: Timeline = field(default_factory=Timeline)
    stops: tuple[Stop, ...] = USUAL_STOPS
    cursor: int | None = None
    pinned: int | None = None
    panel: str = ""
    narrow: bool = False
    single: bool = False
    slim: bool = False
    into: bool = False
    predict: bool = False
    guess: int | None = None
    revealed: int = -1
    answers: tuple[int, int] = (0, 0)
    verdict: tuple[str, int] | None = None
    bias: float = 1.0
    edit_step: int | None = None
    what: str = ""
    do: str = ""
    where: str = ""
    live: Live = field(default_factory=Live)

    @property
    def trace(self) -> Trace:
        return self.branches[self.branch].trace

    @property
    def setup(self) -> Setup:
        return self.trace.setup

    @property
    def asked(self) -> Setup:
        """The setup changes go on from: of the run on its way, else of the one on screen."""
        return self.live.rerun.setup if self.live.rerun is not None else self.setup

    @property
    def index(self) -> int:
        """Index of the line looked at, -1 before the first."""
        return min(self.line.current, len(self.trace)) - 1

    @property
    def record(self) -> LineRecord | None:
        return self.trace.records[self.index] if self.index >= 0 else None

    @property
    def covered(self) -> bool:
        """A prediction is asked for: the line's result is hidden."""
        record = self.record
        halting = record is not None and record.variable == "new_halted"
        return self.predict and halting and self.index > self.revealed

    @property
    def ghost_trace(self) -> Trace | None:
        usable = self.ghost is not None and self.ghost != self.branch and self.ghost < len(self.branches)
        return self.branches[self.ghost].trace if usable and self.ghost is not None else None


def initial() -> State:
    trace = debug.walk(debug.setup_of(scenario("sentence")))
    line = Timeline(FIRST_LINE, len(trace), len(trace), live=False, group=LINES, ms=LINE_MS)
    return timed(State((Branch("", trace),), line=line))


def timed(state: State) -> State:
    """The timeline's signs and stops after the run or the stops changed."""
    trace = state.trace
    found = {place + 1 for stop in state.stops if stop.on for place in places(trace, stop)}
    signs = tuple((index + 1, count) for index, count in halts_by_step(trace))
    planned = len(trace) if trace.finished else trace.setup.cap * trace.per_step
    current = min(state.line.current, len(trace))
    line = replace(
        state.line,
        signs=signs,
        stops=tuple(sorted(found)),
        computed=len(trace),
        planned=max(planned, len(trace)),
        current=max(current, min(1, len(trace))),
        group=trace.per_step,
        live=current == len(trace),
    )
    return replace(state, line=line)


def pinned_of(state: State, pinned: int | None) -> int:
    """The pinned position: the selection's, the view's, else the usual one."""
    usual = FIRST_PINNED if state.source in ("sentence", "fresh", "hesitant") else None
    for wanted in (pinned, state.pinned, usual):
        if wanted is not None and 0 <= wanted < state.trace.m:
            return wanted
    return 0


def label(state: State, position: int) -> str:
    """A position as it is named on screen: `9 john`; a sentence is cut short, a mere number said once."""
    tokens = state.setup.tokens
    token = tokens[position]
    if token == str(position + 1) and tokens[-1] == str(len(tokens)):
        return token
    token = token if len(token) <= LONGEST else token[: LONGEST - 1].rstrip() + "…"
    return f"{position + 1} {token}".rstrip()


def before(trace: Trace, index: int) -> Mapping[str, Any]:
    """The variables before a line ran (empty before the first)."""
    return trace.records[index - 1].variables if index > 0 else {}


def at_frame(trace: Trace, index: int, name: str) -> Any:
    """[m] of a carried variable at a line, 0 before the first."""
    if index < 0:
        return np.zeros(trace.m)
    return debug.column(trace.records[index].variables[name])

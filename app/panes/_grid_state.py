"""What the depth grid knows: one frozen value, and the schedules and runs it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from app.messages import Text, msg
from app.sorting import Order
from app.timeline import Timeline
from ut_engine.cells import Cells, cells_of
from ut_engine.halting import run_table, scenario
from ut_engine.records import StepRecord
from ut_engine.run import RunInfo
from ut_engine.scan import operator_named, prefixes
from ut_engine.schedule import MODELS, Counters, Schedule, counters, schedule

SCHEMATIC, FOUR, OPEN = SOURCES = ("schematic", "four", "open")
ALL = "all"
SHOWS = (ALL, *MODELS)
COLOURS = ("update", "cosine")
MOST_POSITIONS, MOST_DEPTH = 128, 32
MOST_CELLS = 512 * 512  # of a run
MOST_BITS = MOST_POSITIONS - 1  # the models put a start symbol in front
SHIPPED = ("parity-lstm", "parity-transformer", "parity-ut", "parity-act")
"""The checkpoint of each of MODELS that ships, all trained on the same task."""
D_MODEL, D_FF = 512, 2048  # the base sizes of the paper, for the counters of the schematic
FOLD = 1100  # window width, at 100 % text size, below which the controls go above
SLIM = 760  # and below which the grids stand one below the other
TICK_MS = 700
IDLE, WAITING, DONE, FAILED = "idle", "waiting", "done", "failed"
NAMES: Mapping[str, Text] = {
    "rnn": msg("RNN"),
    "transformer": msg("Transformer"),
    "ut": msg("Universal Transformer"),
    "act": msg("UT + ACT"),
}
SHORT: Mapping[str, Text] = {**NAMES, "ut": msg("UT")}
Cell = tuple[str, int, int]
"""Model, row of the grid (0: the input), position from 0."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Grids computed for this pane.  asked: the text they are of; done, total: checkpoints."""

    phase: str = IDLE
    asked: str = ""
    done: int = 0
    total: int = 0
    grids: tuple[Cells, ...] = ()
    what: Text = ""
    do: Text = ""


@dataclass(frozen=True, slots=True)
class Live:
    """The open checkpoint and its run, as the inspector or a recording gives it.

    text: a sample that came with it.  task: what it was trained on.  config: of
    the model.  memo: the grid of the records so far.
    """

    path: str = ""
    name: str = ""
    text: str = ""
    task: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    generation: int | None = None
    info: RunInfo | None = None
    records: tuple[StepRecord, ...] = ()
    memo: dict[int, Cells | None] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class State:
    """m, depth, scenario, state: of the schematic.  colour, bits: of what is live.

    hovered: the cell under the pointer or the keyboard; held: the one a click holds on to.
    own: the grid of the open checkpoint where no run of it has all that is wanted.
    go_to: tick to look at once there is something to show; 0: none.  sort: how the counters are sorted.
    """

    source: str = SCHEMATIC
    show: str = ALL
    m: int = 10
    depth: int = 6
    scenario: str = "sentence"
    state: str = "listing2"
    colour: str = "update"
    bits: str = "0110110010"
    line: Timeline = field(default_factory=Timeline)
    hovered: Cell | None = None
    held: Cell | None = None
    four: Measured = field(default_factory=Measured)
    own: Measured = field(default_factory=Measured)
    live: Live = field(default_factory=Live)
    go_to: int = 0
    narrow: bool = False
    sort: Order | None = None
    slim: bool = False
    what: Text = ""
    do: Text = ""

    @property
    def cell(self) -> Cell | None:
        """The cell looked at."""
        return self.hovered or self.held


@dataclass(frozen=True, slots=True)
class Shown:
    """One grid on screen.  cells: its figures where it is live."""

    model: str
    grid: Schedule
    cells: Cells | None = None


def initial() -> State:
    return timed(State(line=Timeline(current=4, live=False, ms=TICK_MS)))


def timed(state: State) -> State:
    """The clock of what is shown; the place is kept, and an end stays an end."""
    line = state.line
    if state.source == OPEN and state.live.info is not None and not _measured_own(state):
        done = 0 if too_large(state.live) else steps_done(state.live)
        planned = max(state.live.info.max_steps, done) if _running(state.live.info) else done
    else:
        done = planned = max((one.grid.ticks for one in shown(state)), default=0)
    at_end = line.live and line.current >= line.computed
    current = done if at_end or not line.current else min(line.current, done)
    if state.go_to and done:
        at_end, current = state.go_to >= planned, min(state.go_to, done)
    line = replace(line, current=max(current, min(done, 1)), computed=done, planned=planned, ms=TICK_MS)
    go_to = state.go_to if done < state.go_to < planned else 0
    line = replace(line, live=at_end, playing=line.playing if done else 0)
    return replace(state, line=line, go_to=go_to if done else state.go_to)


def steps_done(live: Live) -> int:
    """Steps of the encoder (or only side) so far."""
    return sum(one.address.side == live.records[0].address.side for one in live.records)


def too_large(live: Live) -> bool:
    """Whether a run has more cells than a grid can show."""
    return live.info is not None and len(live.records) * len(live.info.labels) > MOST_CELLS


def _running(info: RunInfo) -> bool:
    return info.finished == "running"


# ---- what is shown ----------------------------------------------------------------------------------------


def shown(state: State) -> tuple[Shown, ...]:
    """The grids on screen, in the order of the story."""
    if state.source == OPEN:
        cells = open_cells(state)
        return (Shown(cells.schedule.model, cells.schedule, cells),) if cells is not None else ()
    return tuple(one for one in every(state) if state.show in (ALL, one.model))


def every(state: State) -> tuple[Shown, ...]:
    """All four, also those not on screen, which the counters compare."""
    if state.source == SCHEMATIC:
        return tuple(Shown(name, planned(name, *key(state))) for name in MODELS)
    if state.source == FOUR:
        return tuple(Shown(one.schedule.model, one.schedule, one) for one in state.four.grids)
    return shown(state)


def key(state: State) -> tuple[int, int, str, str]:
    return state.m, state.depth, state.scenario, state.state


@lru_cache(maxsize=64)
def planned(model: str, m: int, depth: int, case: str, state: str) -> Schedule:
    """The schematic grid of a model."""
    if model != "act":
        return schedule(model, m, depth)
    n = updates(case, depth)
    return schedule("act", m, depth, [n[k % len(n)] for k in range(m)], state)


@lru_cache(maxsize=64)
def updates(case: str, depth: int) -> tuple[int, ...]:
    """N of a scenario's own positions with at most `depth` steps; longer inputs repeat them."""
    return tuple(int(n) for n in run_table(scenario(case, depth)).n_updates)


@lru_cache(maxsize=8)
def tokens(case: str) -> tuple[str, ...]:
    return scenario(case).tokens


@lru_cache(maxsize=64)
def counted(model: str, m: int, depth: int, case: str, state: str) -> Counters:
    """The counters of a schematic grid."""
    return counters(planned(model, m, depth, case, state), D_MODEL, D_FF)


def open_cells(state: State) -> Cells | None:
    """The grid of the open checkpoint: its run so far, else the one computed for this pane."""
    if _measured_own(state):
        return state.own.grids[0]
    return run_cells(state.live)


def run_cells(live: Live) -> Cells | None:
    if live.info is None or too_large(live):
        return None
    count = len(live.records)
    if count not in live.memo:
        live.memo.clear()
        live.memo[count] = cells_of(live.info, live.records)
    return live.memo[count]


def _measured_own(state: State) -> bool:
    """Whether the grid computed here takes the place of the run's (none, or one without states)."""
    return bool(state.own.grids) and (state.live.info is None or state.own.asked == state.live.info.text)


def lacks_cosine(state: State) -> bool:
    """Whether the run on screen was kept without its states."""
    live = state.live
    return bool(live.records) and live.records[0].state is None and not _measured_own(state)


@lru_cache(maxsize=16)
def parities(labels: tuple[str, ...]) -> tuple[str, ...]:
    """The xor of the bits up to each position; "" where nothing is asked (the start symbol)."""
    bits = [int(label) for label in labels if label in ("0", "1")]
    right = iter(prefixes(bits, operator_named("xor")).tolist() if bits else ())
    return tuple(str(next(right)) if label in ("0", "1") else "" for label in labels)


def targets(state: State, one: Shown) -> tuple[str, ...]:
    """The right answer at each position where the task or the input says it; () where it is not known."""
    if one.cells is None:
        return ()
    if state.source == FOUR or state.live.task == "parity":
        return parities(one.cells.labels)
    info = state.live.info
    if info is None or info.readout != "first" or info.expected not in one.cells.answers:
        return ()
    return (str(info.expected), *("" for _ in one.cells.labels[1:]))


def look(state: State, value: Any) -> Cell | None:
    """A cell of a grid on screen, None for any other value."""
    if not (isinstance(value, tuple) and len(value) == 3):
        return None
    model, row, position = value
    for one in shown(state):
        if one.model == model and 0 <= row <= one.grid.rows and 0 <= position < one.grid.positions:
            return str(model), int(row), int(position)
    return None

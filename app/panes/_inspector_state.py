"""What the live inspector knows: one frozen value, and the small facts read off it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.depth import is_lstm
from app.scene import Axis
from app.timeline import Timeline
from ut_engine.records import Attention, StepRecord
from ut_engine.run import Run, RunInfo

Array = NDArray[Any]

NO_CHECKPOINT, OPENING, READY, RUNNING, PAUSED, DONE, FAILED, RECORDED = (
    "no checkpoint", "opening", "ready", "running", "paused", "done", "failed", "recorded",
)  # fmt: skip
MEASURES = ("entropy", "effective", "largest", "mass")
LAYOUTS = ("map", "arcs", "row")
DEVICES = ("auto", "cpu", "cuda", "mps")
NARROW = 1160  # px at 100 % text size below which the two rails become one
SINGLE = 880  # the same, below which all stands in one column
PANELS = ("sharpening", "settling", "hops", "controls")
AHEAD = 8  # credits given ahead while streaming
MOST_STEPS = 999
SMALL = 96  # cells of a map in the film, a side
USUAL_STEPS = 8  # shown before anything says how many
SMALL_WORDS = frozenset(
    ("the", "to", "a", "an", "of", "in", "at", "is", "was", "were", "back", "down", "up", "there", "from")
)
LONGEST_LABEL = 18
NO_AXIS = Axis("", ())
NO_LINE = Timeline()


@dataclass(frozen=True, slots=True)
class Sample:
    """A story to pick.  facts: number of supporting facts (0 when unknown)."""

    name: str
    text: str
    answer: str = ""
    facts: int = 0

    @property
    def question(self) -> str:
        """Its last sentence."""
        return self.text.strip().replace(". ", ".\n").rpartition("\n")[2]


@dataclass(frozen=True, slots=True)
class Card:
    """What the engine says of an open checkpoint."""

    name: str = ""
    path: str = ""
    family: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    parameters: int = 0
    task: str = ""
    trained: str = ""
    device: str = ""
    device_reason: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The live inspector.

    records: one a step, of the run of this generation.  means: their maps averaged over the heads (None
    where the engine kept the map).  masses: [head, query] weight on the marked positions.
    tiles: (step, head or -1 for the mean) -> [query, key] sent by the engine, None when lost; with a
    position as third: that row alone, [1, key], of a map too large to come whole.
    memo: what was derived from the run's records (see `kept`), kept for the run.
    granted: credits given and not yet used.  asked: tiles asked for.
    go_to: step to look at once it is there.  autorun: run as soon as the checkpoint is open (a view that
    was copied from a run).  former: what was looked at while another file is being opened; it comes back
    where that file turns out to be of no use.  waiting: a run was asked for and has not begun, what is shown
    is the one before.  changed: the checkpoint's files are no longer those loaded.
    narrow: the window has no room for two rails; single: for none beside the map.  panel: what is chosen of
    the one under the input then.
    model: where the model of a recorded run lies, "" where that is not known.
    """

    phase: str = NO_CHECKPOINT
    path: str = ""
    card: Card = Card()
    samples: tuple[Sample, ...] = ()
    sample: int | None = None
    facts: int = 0
    text: str = ""
    device: str = "auto"
    steps: int = 0
    count_halted: bool = True
    stopped: bool = True
    head: int | None = None
    measure: str = "entropy"
    layout: str = "map"
    pinned: int | None = None
    generation: int = 0
    granted: int = 0
    info: RunInfo | None = None
    records: tuple[StepRecord, ...] = ()
    means: tuple[Array | None, ...] = ()
    masses: tuple[Array | None, ...] = ()
    axis: Axis = NO_AXIS
    tiles: Mapping[tuple[int, ...], Array | None] = field(default_factory=dict)
    memo: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    asked: frozenset[tuple[int, ...]] = frozenset()
    line: Timeline = NO_LINE
    what: str = ""
    do: str = ""
    where: str = ""
    forecast: Mapping[str, Any] | None = None
    lost: bool = False
    go_to: int | None = None
    autorun: bool = False
    former: State | None = None
    changed: bool = False
    waiting: bool = False
    model: str = ""
    narrow: bool = False
    single: bool = False
    panel: str = PANELS[0]

    @property
    def record(self) -> StepRecord | None:
        """The record looked at."""
        index = self.line.current - 1
        return self.records[index] if 0 <= index < len(self.records) else None

    @property
    def before(self) -> StepRecord | None:
        """The record of the step before the one looked at."""
        index = self.line.current - 2
        return self.records[index] if 0 <= index < len(self.records) else None

    @property
    def heads(self) -> int:
        """Heads of the run; of the checkpoint before the first step."""
        for record in self.records:
            entry = attention_of(record)
            if entry is not None and entry.size is not None:
                return int(entry.size[1])
        return 0 if is_lstm(self.card.config) else int(self.card.config.get("heads", 0) or 0)

    @property
    def planned(self) -> int:
        """Steps the run may take."""
        return max(self.line.planned, len(self.records))

    @property
    def opening(self) -> str:
        """The path that is being opened."""
        return self.path if self.phase == OPENING else ""

    @property
    def live(self) -> bool:
        return self.phase in (RUNNING, PAUSED)

    @property
    def run(self) -> Run | None:
        return None if self.info is None else Run(self.info, self.records)


def attention_of(record: StepRecord) -> Attention | None:
    """The self-attention of a record, or its only other attention, or None."""
    entries = record.attention or ()
    own = [entry for entry in entries if entry.kind == "self"]
    return own[0] if own else (entries[0] if entries else None)


def order_of(info: RunInfo) -> tuple[int, ...]:
    """Positions in the order shown: the story's, where the run says it."""
    count = len(info.labels)
    return info.story_order if sorted(info.story_order) == list(range(count)) else tuple(range(count))


def file_name(path: str) -> str:
    """The last part of a path of any system."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def short(label: str) -> str:
    """A sentence cut to the words that carry it: "Mary went back to the garden." -> "Mary went garden"."""
    words = label.split()
    if len(words) > 2:
        kept = [word for word in words if word.lower().strip(".,?!") not in SMALL_WORDS]
        words = kept or words
        label = " ".join(words).rstrip(".")
    if len(label) > LONGEST_LABEL and len(words) > 2:
        label = f"{words[0]} … {words[-1]}".rstrip(".")
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1].rstrip() + "…"


def brief(label: str) -> str:
    """One word of a label: the last that carries a sentence ("garden"), or the symbol itself."""
    return short(label).split()[-1] if label.split() else label


def axis_of(info: RunInfo, name: Any) -> Axis:
    """The positions as an axis in the order shown, marked ones and all."""
    order = order_of(info)
    labels = tuple(info.labels[position] for position in order)
    marked = tuple(place for place, position in enumerate(order) if position in info.marks)
    return Axis(name, tuple(map(short, labels)), labels, tuple(position + 1 for position in order), marked)


def place_of(axis: Axis, position: int) -> int | None:
    """Where a position stands on screen."""
    number = position + 1
    return axis.numbers.index(number) if number in axis.numbers else None


def with_record(state: State, record: StepRecord) -> State:
    """The record added, with what is derived once: its mean map and the mass on marked positions."""
    entry = attention_of(record)
    weights = None if entry is None else entry.weights
    mean = mass = None
    if weights is not None:
        mean = np.asarray(weights[0].mean(axis=0, dtype=np.float32))
        mean.flags.writeable = False
        if state.info is not None and state.info.marks:
            mass = np.asarray(weights[0][:, :, list(state.info.marks)].sum(axis=2))
    return replace(
        state,
        records=(*state.records, record),
        means=(*state.means, mean),
        masses=(*state.masses, mass),
    )


def matrix(state: State, index: int) -> Array | None:
    """[query, key] of the chosen head (or the mean) at one record, in the model's order; None if not here."""
    if not 0 <= index < len(state.records):
        return None
    entry = attention_of(state.records[index])
    if entry is None:
        return None
    if entry.weights is not None:
        if state.head is None:
            return state.means[index]
        return np.asarray(entry.weights[0, min(state.head, entry.weights.shape[1] - 1)])
    return state.tiles.get(tile_key(state, index))


def kept(state: State, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """What `make` returns, made once a run: records never change, so neither does what follows from them.

    key: all it depends on besides the records up to a step.  None (not here yet) is not kept.
    """
    found = state.memo.get(key)
    if found is None:
        found = make()
        if found is not None:
            state.memo[key] = found
    return found


def tile_key(state: State, index: int) -> tuple[int, int]:
    """Under which the engine's map of a record and the chosen head is kept."""
    return index + 1, -1 if state.head is None else state.head


def shown(state: State, index: int) -> Array | None:
    """[row, column] of that map in the order shown on screen."""
    key = ("shown", *tile_key(state, index))
    if key not in state.memo:
        values = matrix(state, index)
        if values is None or state.info is None:
            return values
        state.memo[key] = _ordered(values, np.asarray(order_of(state.info)))
    return np.asarray(state.memo[key])


def _ordered(values: Array, order: Array) -> Array:
    if values.shape != (len(order), len(order)):
        return values[::-1, ::-1] if order[0] > order[-1] else values  # a pooled tile, for a story reversed
    return np.asarray(values[np.ix_(order, order)])


def small(state: State, index: int) -> Array | None:
    """That map for a frame of the film: the largest weight of each block, so that sharp ones stay visible."""
    values, key = shown(state, index), ("small", *tile_key(state, index))
    if values is None or max(values.shape) <= SMALL:
        return values
    if key not in state.memo:
        block = -(-max(values.shape) // SMALL)
        rows, cols = (np.arange(0, size, block) for size in values.shape)
        state.memo[key] = np.maximum.reduceat(np.maximum.reduceat(values, rows, axis=0), cols, axis=1)
    return np.asarray(state.memo[key])


def by_heads(values: Array | None, head: int | None) -> Array | None:
    """[head, query] of one example -> [query]: one head's, or the mean over heads (NaN where undefined)."""
    if values is None:
        return None
    return np.asarray(values.mean(axis=0) if head is None else values[min(head, len(values) - 1)])

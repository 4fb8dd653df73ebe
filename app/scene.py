"""What a pane shows, as immutable values: a closed set of marks in rows, columns, cards and tabs.

A mark is data + labels + colour roles + axis names + alt text, never pixels.  `app/qt/scene_view.py` turns a
scene into widgets, `app/render` into text, tables and pictures.  Texts are `Message`s (or plain strings for
what the user typed) and are resolved when rendered.  Every mark has a `key`, unique in its scene: it is how a
renderer recognises the mark in the next scene, so that only what changed is drawn again.
Positions in marks are 0-based places on screen; `Axis.numbers` holds what people call them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.fields import Button as Button
from app.fields import Choice as Choice
from app.fields import Editor as Editor
from app.fields import Entry as Entry
from app.fields import Field as Field
from app.fields import Number as Number
from app.fields import Real as Real
from app.fields import Switch as Switch
from app.messages import Text
from app.scene_debug import Code as Code
from app.scene_debug import CodeValue as CodeValue
from app.scene_debug import Formula as Formula
from app.scene_debug import Lane as Lane
from app.scene_debug import Lanes as Lanes
from app.scene_debug import Shares as Shares
from app.scene_debug import Sheet as Sheet
from app.scene_debug import Stack as Stack
from app.scene_story import Amount as Amount
from app.scene_story import Amounts as Amounts
from app.scene_story import Box as Box
from app.scene_story import Equation as Equation
from app.scene_story import Graph as Graph
from app.scene_story import Lattice as Lattice
from app.scene_story import Line as Line
from app.scene_story import Passage as Passage
from app.scene_story import Plot as Plot
from app.scene_story import Rule as Rule
from app.scene_story import Scale as Scale
from app.scene_story import Tone as Tone
from app.scene_story import Wire as Wire

Array = NDArray[Any]
PLAIN = frozenset({str, int, float, bool, bytes})
"""Of which whole tuples are compared at once."""

ROLES = (
    "fg", "dim", "faint", "accent", "running", "halts", "halts_text", "remainder", "ok", "error", "warning",
    "changed", "hatch", "c1", "c2", "c3", "c4", "c5", "c6",
)  # fmt: skip


# ---- parts of marks -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a grid.  labels: shortened; full: whole sentences; numbers: what people count.

    marked: places highlighted (supporting facts).  kind: "position" (events carry number - 1) or "step"
    (events carry the number).
    """

    name: Text
    labels: tuple[str, ...]
    full: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    marked: tuple[int, ...] = ()
    kind: str = "position"

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one colour role; `bold` for what is looked for, `mono` for numbers that align.

    event: in a Passage, the span is a link that tells it (with `value`).  found: a search's hit.
    """

    text: Text
    role: str = "fg"
    bold: bool = False
    mono: bool = False
    event: str = ""
    value: Any = None
    found: bool = False
    slanted: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """One named line of a Curve: y[k] at x = k + 1, NaN where undefined."""

    name: Text
    y: tuple[float, ...]
    role: str = "fg"
    width: float = 2.0
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: text left, value right, filled to `fill` (0 ... 1) with `role`.

    brief: one word for where the text does not fit.  note: said besides where there is room.
    """

    text: Text = ""
    value: Text = ""
    fill: float = 0.0
    role: str = "accent"
    marked: bool = False
    hatched: bool = False
    tip: Text = ""
    place: int | None = None
    brief: Text = ""
    note: Text = ""


# ---- marks ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Prose:
    """Lines of spans.  style: "body", "readout" (one line of fixed place), "answer", "notice", "error"."""

    key: str
    lines: tuple[tuple[Span, ...], ...]
    style: str = "body"
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts or numbers.  style: "facts" (name left, value right), "grid" (with column titles)."""

    key: str
    rows: tuple[tuple[Text | float, ...], ...]
    columns: tuple[Text, ...] = ()
    style: str = "facts"
    current: int | None = None
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars, one for each row of the grid they stand beside.

    values: NaN draws nothing.  hatched: drawn as a hatch (halted), never by colour only.
    """

    key: str
    title: Text
    values: tuple[float, ...]
    labels: tuple[str, ...]
    roles: tuple[str, ...]
    hatched: tuple[bool, ...]
    most: float
    alt: Text = ""


@dataclass(frozen=True, slots=True, eq=False)
class Heatmap:
    """A matrix [row, column] on a fixed scale low ... high; rows read, columns are read from.

    values: float, or uint8 (0 ... 255 = low ... high); may be coarser than the axes (a pooled tile), then
        each value covers len(axis) / shape cells.  None: nothing to draw, `missing` says why.
        A value that is NaN or infinite is hatched.
    absent: rows that were not computed (hatched).  pinned: row.  hovered: (row, column).
    side: bars that share the row axis.  pin / hover: names of the events (value: row / (row, column)).
    fill: cells take all the room, of whatever proportions.
    """

    key: str
    values: Array | None
    rows: Axis
    cols: Axis
    low: float = 0.0
    high: float = 1.0
    scale: Text = ""
    colours: str = "attention"
    absent: tuple[bool, ...] = ()
    pinned: int | None = None
    hovered: tuple[int, int] | None = None
    side: Bars | None = None
    missing: Text = ""
    pin: str = "pin"
    hover: str = "hover"
    fill: bool = False
    alt: Text = ""


@dataclass(frozen=True, slots=True, eq=False)
class Arcs:
    """The same matrix as lines: left reads from right, a line as strong as its weight.

    values, rows, cols, absent, pinned, hovered, missing and the events as in a Heatmap.
    """

    key: str
    values: Array | None
    rows: Axis
    cols: Axis
    absent: tuple[bool, ...] = ()
    pinned: int | None = None
    hovered: tuple[int, int] | None = None
    left: Text = ""
    right: Text = ""
    missing: Text = ""
    pin: str = "pin"
    hover: str = "hover"
    alt: Text = ""


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """Small maps, one a step; None for a step not computed yet (a dotted frame) or whose map is lost.

    captions: what stands under each (the answer there, its probability).  steps: the step each shows.
    current: place looked at.  event: what a click asks for (value: the step).
    """

    key: str
    frames: tuple[Array | None, ...]
    labels: tuple[Text, ...]
    captions: tuple[tuple[Span, ...], ...]
    steps: tuple[int, ...]
    current: int
    computed: int
    colours: str = "attention"
    event: str = "transport.seek"
    alt: Text = ""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Lines over steps 1 ... steps.  thin: [line, step] drawn faintly behind the named series.

    y: (low, high).  current: step looked at.  note: said inside the plot when there is nothing to draw.
    """

    key: str
    series: tuple[Series, ...]
    steps: int
    y: tuple[float, float]
    current: int
    x_name: Text
    y_name: Text
    thin: Array | None = None
    note: Text = ""
    event: str = "transport.seek"
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Cells:
    """A small grid of cells with a label before each row.

    event: a click on a cell (value: Cell.place).  row_event: a click on a label (value: of row_values).
    """

    key: str
    rows: tuple[tuple[Cell, ...], ...]
    labels: tuple[Text, ...]
    heads: tuple[Text, ...] = ()
    current: int | None = None
    columns: int = 1
    event: str = ""
    row_event: str = ""
    row_values: tuple[int, ...] = ()
    alt: Text = ""


# ---- forms and waiting ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """Fields one below the other; fields of one inner tuple stand side by side."""

    key: str
    fields: tuple[tuple[Field, ...], ...]
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """A bar in the pane that waits: done of total, total 0 when unknown."""

    key: str
    label: Text
    done: int = 0
    total: int = 0
    alt: Text = ""


Debug = Code | Lanes | Stack | Shares | Sheet | Formula
Story = Lattice | Plot | Amounts | Graph | Equation | Passage
Mark = Prose | Table | Heatmap | Arcs | Film | Curve | Cells | Debug | Story | Form | Progress


# ---- layout ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """Side by side; stretch: share of the free width (0: as wide as needed); least: smallest widths in px.

    aside: which of them are side panels, hidden in classroom mode.
    """

    key: str
    children: tuple[Node, ...]
    stretch: tuple[int, ...] = ()
    least: tuple[int, ...] = ()
    aside: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """One below the other.  scroll: may be taller than the window.

    show: key of the node within that is scrolled to the top, once for each `turn`.  wide: its largest width
    in px at 100 % (0: all there is), centred.  place: event that tells the key of the child at the top when
    the user has scrolled.
    """

    key: str
    children: tuple[Node, ...]
    stretch: tuple[int, ...] = ()
    scroll: bool = False
    show: Text = ""
    turn: int = 0
    wide: int = 0
    place: str = ""


@dataclass(frozen=True, slots=True)
class Tabs:
    key: str
    children: tuple[Node, ...]
    titles: tuple[Text, ...]
    current: int = 0
    event: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A panel with a title, a quieter subtitle and small controls at its right.

    large: whether its curves and plots have a button that shows them large.
    """

    key: str
    title: Text
    body: Node
    subtitle: Text = ""
    tools: tuple[Field, ...] = ()
    large: bool = True


@dataclass(frozen=True, slots=True)
class Inset:
    """Another pane's figure inside this one: what the user does in it is told as `event`, value (key, Event).

    Made by `app/inset.py`.  height: px at 100 % (0: as its contents want).  grows: that at least, more where
    there is room.
    """

    key: str
    body: Node
    event: str = "inset"
    height: int = 0
    grows: bool = False


Layout = Row | Column | Tabs | Card | Inset
Node = Layout | Mark


@dataclass(frozen=True, slots=True)
class Scene:
    """What a pane shows now.  alt: the whole in one sentence.

    more: event that is told once this has been painted, by a pane that shows the nearest first; "" for none.
    """

    root: Node
    title: Text
    alt: Text
    more: str = ""

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for node in walk(self.root):
            if node.key in seen:
                raise ValueError(f"two marks have the key {node.key!r}")
            seen.add(node.key)


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside a layout; () for a mark."""
    if isinstance(node, Row | Column | Tabs):
        return node.children
    return (node.body,) if isinstance(node, Card | Inset) else ()


def walk(node: Node) -> Iterator[Node]:
    """The node and everything in it, in reading order."""
    yield node
    for child in children(node):
        yield from walk(child)


def marks(scene: Scene) -> Iterator[Mark]:
    """The marks of a scene in reading order."""
    for node in walk(scene.root):
        if not isinstance(node, Layout):
            yield node


def same(one: Any, other: Any) -> bool:
    """Equal as a picture: arrays by place in memory (records are immutable), else by content."""
    if one is other:
        return True
    with suppress(ValueError):  # an array in it
        if type(one) is type(other) and not isinstance(one, np.ndarray) and bool(one == other):
            return True  # most are, and Python itself finds that soonest
    return _same(one, other)


def _same(one: Any, other: Any) -> bool:
    """The same part by part: NaN equals NaN, arrays are looked up by their place first."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind in PLAIN:
        return bool(one == other) or (one != one and other != other)  # NaN is drawn like NaN
    if kind is tuple:
        if len(one) != len(other):
            return False
        if one and type(one[0]) in PLAIN and type(one[-1]) in PLAIN:
            with suppress(ValueError):  # an array between them
                if one == other:
                    return True
        return all(map(_same, one, other))
    if isinstance(one, np.ndarray):
        return _same_array(one, other)
    parts = _parts(kind)  # type: ignore[arg-type]
    if parts is not None:
        return all(map(_same, parts(one), parts(other)))
    return bool(one == other)


@cache
def _parts(kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
    """What reads the fields of a dataclass; None for any other kind.  Asked some thousand times a frame."""
    names = [item.name for item in fields(kind)] if is_dataclass(kind) else []
    return attrgetter(*names, *names[:1]) if names else None  # of one name alone it would give no tuple


def _same_array(one: Array, other: Array) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.strides == other.strides and one.ctypes.data == other.ctypes.data:
        return not (one.flags.writeable or other.flags.writeable)
    floats = one.dtype.kind == "f"
    first = np.array_equal(one[:1], other[:1], equal_nan=floats)  # of another step they hardly ever are
    return bool(first and np.array_equal(one, other, equal_nan=floats))

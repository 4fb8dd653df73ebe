"""Marks of the chapters: cells of depth by position, plots, amounts, graphs, typeset equations, passages.

Parts of the closed set in `app.scene`, in a file of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from app.messages import Text

if TYPE_CHECKING:
    from app.scene import Axis, Span

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Tone:
    """What a cell can be: its name in the legend, its colour, and a hatch where colour is not enough.

    light: few strokes over the colour, where the hatch alone would say too much.
    """

    name: Text
    role: str
    hatched: bool = False
    light: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Cells [row, column], each of one of a few kinds, and lines for what a cell reads.

    Without cells (tones [0, 0]) it is the legend alone, for several lattices that share one.

    tones: int [row, column], places in `kinds`; -1 where nothing has been computed (an empty frame).
    shades: [row, column] 0 ... 1, how strongly a cell's colour is laid on; None: fully.  NaN where the number
        behind it is none: hatched.
    texts: a short word for each cell, drawn where there is room.
    values: [row, column] the numbers behind the shades, for the table (NaN where undefined).
    scale: what the shades mean: (name, at 0, at 1), in the legend.
    links: ((row, column) that reads, (row, column) that is read); or int [n, 2, 2].  Those of the cell looked
        at are drawn strongly.
    field: bool [row, column], outlined: what the cell looked at depends on.  focus: that cell.
    upward: row 0 at the bottom, as depth is drawn.  current: row looked at.  foot: a word below each column;
        foot_name: what these words are.
    notes: a word at the end of each row.  most: rows to leave room for, so that lattices side by side share
        a scale and a base line; 0: its own.  height: px at 100 % it has at least (0: as its rows need).
    pinned, column: columns framed: the pinned one, and the one looked at elsewhere.
    hover, pick: events (value: (row, column), hover also None).  linked: a second event while hovering, of
        the position alone: (position, position) from 0, or (None, None).
    """

    key: str
    tones: Array
    kinds: tuple[Tone, ...]
    rows: Axis
    cols: Axis
    shades: Array | None = None
    texts: tuple[tuple[str, ...], ...] = ()
    values: Array | None = None
    scale: tuple[Text, ...] = ()
    links: tuple[tuple[tuple[int, int], tuple[int, int]], ...] | Array = ()
    field: Array | None = None
    focus: tuple[int, int] | None = None
    current: int | None = None
    upward: bool = True
    foot: tuple[str, ...] = ()
    foot_name: Text = ""
    notes: tuple[str, ...] = ()
    most: int = 0
    height: int = 0
    pinned: int | None = None
    column: int | None = None
    hover: str = ""
    pick: str = ""
    linked: str = ""
    legend: bool = True
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """One axis of a plot.  ticks: (value, text), () lets the renderer choose; log: low must be above 0."""

    name: Text
    low: float
    high: float
    log: bool = False
    ticks: tuple[tuple[float, Text], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Points of a plot: x[n], y[n], NaN where undefined.

    style: "line", "dashed", "points", "bars" (from 0), "steps".  low, high: ends of error bars.
    labels: a word beside each point.  tips: said on hover.  sign: "dot", "ring", "square", "diamond".
    quiet: a guide behind the rest, neither in the legend nor in the table nor under the pointer.
    """

    name: Text
    x: Array
    y: Array
    role: str = "accent"
    style: str = "line"
    low: Array | None = None
    high: Array | None = None
    labels: tuple[Text, ...] = ()
    tips: tuple[Text, ...] = ()
    sign: str = "dot"
    width: float = 2.0
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line across a plot at one value: of y, or of x where it is upright.

    below: its words stand under the line, where a curve runs above it.
    """

    text: Text
    at: float
    upright: bool = False
    role: str = "dim"
    below: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Plot:
    """Lines and points over two scales.

    here: x looked at.  event: a click or Left / Right (value: x of the nearest point); hover: the pointer
        (value: likewise, None when it leaves).
    point_event: a click on a point (value: (name of its line as given in `ids`, index)).
    legend: names in a legend instead of beside the lines' ends.  note: said where there is nothing to draw.
    height: in px at 100 % (0: as there is room).
    """

    key: str
    lines: tuple[Line, ...]
    x: Scale
    y: Scale
    rules: tuple[Rule, ...] = ()
    here: float | None = None
    ids: tuple[str, ...] = ()
    event: str = ""
    hover: str = ""
    point_event: str = ""
    legend: bool = True
    note: Text = ""
    height: int = 0
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Amount:
    """One bar: parts (name, size, role) laid end to end, and what stands at its end.

    low, high: ends of an error bar.  source: "" or whose figure it is ("paper", "measured": drawn apart).
    strong: the one looked at.  note: a quieter word after the value.
    """

    name: Text
    parts: tuple[tuple[Text, float, str], ...]
    value: Text
    low: float | None = None
    high: float | None = None
    source: str = ""
    strong: bool = False
    note: Text = ""


@dataclass(frozen=True, slots=True)
class Amounts:
    """Horizontal bars on one scale from 0 to `most` (None: the longest).  A NaN part draws nothing.

    heads: titles that stand before some rows: (row, text).  legend: names of the parts, once, below.
    event: a click on a row (value: of `values`).  mark: a line through all bars at one size, with its word.
    """

    key: str
    rows: tuple[Amount, ...]
    most: float | None = None
    heads: tuple[tuple[int, Text], ...] = ()
    legend: bool = True
    mark: tuple[float, Text] | None = None
    event: str = ""
    values: tuple[Any, ...] = ()
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Box:
    """One node of a graph, its centre and size in the graph's units (y grows downwards).

    style: "box", "tensor" (a value: rounded, quieter), "sum" (a small circle), "text" (no frame), "frame"
        (dashed, around what belongs together, its name at the top left).
    text: lines parted by a line feed; `H^{t}` is raised, `d_{ff}` lowered, in the note as well.
    badge: a short sign at its corner (a difference's number).  value: what a click tells.
    """

    id: str
    text: Text
    x: float
    y: float
    width: float
    height: float
    style: str = "box"
    role: str = "accent"
    note: Text = ""
    badge: str = ""
    value: Any = None
    tip: Text = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """An arrow from one box to another, through corners (x, y) if given."""

    start: str
    end: str
    text: Text = ""
    through: tuple[tuple[float, float], ...] = ()
    role: str = "dim"
    dashed: bool = False
    arrow: bool = True


@dataclass(frozen=True, slots=True)
class Graph:
    """Boxes joined by arrows, width x height units, drawn as large as there is room (proportions kept).

    current: the box looked at.  event: a click on a box that has a value (value: Box.value).
    """

    key: str
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    width: float
    height: float
    current: str = ""
    event: str = ""
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Equation:
    """Typeset formulas, one below the other: files of resources/formulas, drawn in the text's colour.

    labels: before each.  badges: a short sign at the end of each.  current: the one looked at.
    event: a click on one (value: of `values`).  display: larger, centred.
    """

    key: str
    formulas: tuple[str, ...]
    labels: tuple[Text, ...] = ()
    badges: tuple[str, ...] = ()
    current: int | None = None
    display: bool = False
    event: str = ""
    values: tuple[Any, ...] = ()
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """Running text that wraps; spans with an event are links.

    style: "title", "heading", "section", "text", "lead", "quote", "caption", "item", "compact", "number" (of
    a tile), "entry" (of a list of contents: links without a line).  A span without text in the language shown
    is not there.
    wide: characters a line holds at most (0: as wide as there is room).  large: set for reading at length.
    centred: stands in the middle of the room.  here: places in `spans` of what is looked at: a search's hit
    is ringed, of entries the one read is marked.
    """

    key: str
    spans: tuple[Span, ...]
    style: str = "text"
    wide: int = 0
    large: bool = False
    centred: bool = False
    here: tuple[int, ...] = ()
    alt: Text = ""

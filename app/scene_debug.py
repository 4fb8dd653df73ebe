"""Marks of an execution debugger: code, steps and variables over positions, stacks, shares, ruled tables.

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
class CodeValue:
    """What stands at the right end of a line of code; `old` where the line really changed it."""

    line: int
    text: str
    old: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """A listing.  rows: (text, number of the line it belongs to, None for context).

    current: line just run; next: the one that runs next; cursor: where the keyboard is.
    stops: (line, enabled).  Events: `cursor_event`, `stop_event`, `run_event` (value: line).
    """

    key: str
    rows: tuple[tuple[str, int | None], ...]
    current: int | None = None
    next: int | None = None
    cursor: int | None = None
    stops: tuple[tuple[int, bool], ...] = ()
    values: tuple[CodeValue, ...] = ()
    note: Text = ""
    cursor_event: str = "line.cursor"
    stop_event: str = "line.stop"
    run_event: str = "line.run_to"
    alt: Text = ""


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """One variable over the positions.

    values: [m], NaN where there is none.  before: old values, NaN where nothing really changed.
    note: shape and kind.  scale: what fills a bar.  whole: counts, without decimals.  stale: left over from
    the step before.  current: set by the line just run.  hidden: covered until it is revealed.
    """

    name: str
    values: Array
    before: Array | None = None
    note: str = ""
    scale: float = 1.0
    whole: bool = False
    stale: bool = False
    current: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """Steps over positions, and below them variables over the same positions: one column axis for both.

    fills: [step, position] 0 ... 1, NaN where nothing is known yet.  kinds: [step, position] 0 nothing yet,
    1 running, 2 halts at this step, 3 halted before.  ghost: fills of another run to compare with.
    steps: the step each row shows.  current: row looked at.  Events as in a Heatmap; a step's row seeks.
    """

    key: str
    cols: Axis
    steps: tuple[int, ...]
    fills: Array
    kinds: Array
    step_notes: tuple[Text, ...]
    lanes: tuple[Lane, ...]
    current: int | None = None
    ghost: Array | None = None
    pinned: int | None = None
    hovered: int | None = None
    watch_title: Text = ""
    watch_note: Text = ""
    pin: str = "pin"
    hover: str = "hover"
    step_event: str = "step.seek"
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Stack:
    """Columns that grow to a threshold: what was there (base) and what a step added.

    columns: (label, base, added, role).  current: the one looked at.  ghost: heights of another run.
    """

    key: str
    columns: tuple[tuple[str, float, float, str], ...]
    threshold: float
    threshold_text: Text
    current: int | None = None
    ghost: tuple[float, ...] = ()
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Shares:
    """A bar for each row, cut into shares of 1; what is missing to 1 is hatched.

    rows: (name, segments (text, share, role), caption).
    """

    key: str
    rows: tuple[tuple[Text, tuple[tuple[str, float, str], ...], Text], ...]
    alt: Text = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A ruled table of short cells; role "changed" marks where columns or runs differ.

    rows: a name, then cells.  current: row looked at.  values: what a click on a row tells `event`.
    sort: what a click on a column's head tells (value: the column, from 0), "" for a table that is not sorted
    by its heads.  sorted: (column, largest first), None for a table as it was made.
    """

    key: str
    columns: tuple[Text, ...]
    rows: tuple[tuple[Span, ...], ...]
    current: int | None = None
    event: str = ""
    values: tuple[Any, ...] = ()
    alt: Text = ""
    sort: str = ""
    sorted: tuple[int, bool] | None = None


@dataclass(frozen=True, slots=True)
class Formula:
    """Lines of typeset spans.  In a text, `_{i}` sets what is in braces lower.  labels: before each line."""

    key: str
    lines: tuple[tuple[Span, ...], ...]
    labels: tuple[Text, ...] = ()
    alt: Text = ""

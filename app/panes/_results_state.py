"""What the results pane knows, and what happens in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app import sorting
from app.pane import Effect, Event
from app.panes import _results_tables as data
from app.paths import shipped
from app.sorting import Order

PRINTED, BEST, WORST = ORDERS = ("printed", "best", "worst")
NAMES = ("name", "name-last")  # by the first column, first or last letter first
VERBS = ("is", "are")
FOLD = 1100  # window width, at 100 % text size, below which all stands in one column
MOST_BESIDE = 9  # columns of a table of what was measured here, at most
REPORT = "ponder.babi"  # the measurement of another pane that belongs beside this pane's tables


@dataclass(frozen=True, slots=True)
class Filed:
    """A checkpoint of the user's own that is open: what its card says stands beside the paper's figures."""

    path: str = ""
    name: str = ""
    task: str = ""
    card: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """table: its key.  column: the one charted and sorted by, None for the table's own.

    order: one of `ORDERS` or `NAMES`.  beside: how the table of what was measured here is sorted.

    attractors: nouns between subject and verb.  verb: the one chosen, "" for none yet.  reports: N as
    measured since the window was opened, by the checkpoint's path.
    """

    table: str = data.KEYS[0]
    column: int | None = None
    order: str = PRINTED
    beside: Order | None = None
    attractors: int = 1
    verb: str = ""
    filed: Filed = field(default_factory=Filed)
    reports: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    narrow: bool = False

    @property
    def shown(self) -> data.Table:
        return data.table(self.table)

    @property
    def place(self) -> int:
        """The column charted; where a sentence grows, the one of as many nouns."""
        if self.column is not None and self.column < len(self.shown.columns):
            return self.column
        return self.attractors if self.table == "agreement" else self.shown.chart

    @property
    def rising(self) -> bool:
        """Whether the smallest figure comes first, of rows sorted by a figure."""
        return (self.shown.columns[self.place].better != data.UP) == (self.order == BEST)

    @property
    def sorted(self) -> tuple[int, bool] | None:
        """(column of the table with its names, largest first), None as printed."""
        if self.order in NAMES:
            return 0, self.order == NAMES[1]
        return None if self.order == PRINTED else (self.place + 1, not self.rising)


Done = tuple[State, tuple[Effect, ...]]


def update(state: State, event: Event) -> Done:
    handler = HANDLERS.get(event.name)
    return handler(state, event.value) if handler is not None else (state, ())


def choose(state: State, value: Any) -> Done:
    """Another table, as printed."""
    if value not in data.KEYS or value == state.table:
        return state, ()
    return replace(state, table=str(value), column=None, order=PRINTED, beside=None), ()


def column(state: State, value: Any) -> Done:
    place = int(value)
    return (replace(state, column=place), ()) if 0 <= place < len(state.shown.columns) else (state, ())


def order(state: State, value: Any) -> Done:
    return (replace(state, order=str(value)), ()) if value in (*ORDERS, *NAMES) else (state, ())


def sort(state: State, value: Any) -> Done:
    """A click on a column's head: what the two controls beside the chart say, said by the head."""
    chosen = sorting.heard(_order(state), value, len(state.shown.columns) + 1)
    if chosen is None:
        return replace(state, order=PRINTED), ()
    if chosen.column == 0:
        return replace(state, order=NAMES[int(chosen.down)]), ()
    place = chosen.column - 1
    better = state.shown.columns[place].better
    return replace(state, column=place, order=WORST if chosen.down == (better != data.UP) else BEST), ()


def _order(state: State) -> Order | None:
    return None if state.sorted is None else Order(*state.sorted)


def sort_beside(state: State, value: Any) -> Done:
    """The same for what was measured here."""
    return replace(state, beside=sorting.heard(state.beside, value, MOST_BESIDE)), ()


def attractors(state: State, value: Any) -> Done:
    """So many nouns between subject and verb."""
    number = min(max(int(value), 0), len(data.ATTRACTORS) - 1)
    return replace(state, attractors=number, column=None, verb=""), ()


def verb(state: State, value: Any) -> Done:
    return (replace(state, verb=str(value)), ()) if value in VERBS else (state, ())


def link(state: State, value: Any) -> Done:
    """A view of another pane."""
    known = {view for one in data.TABLES for _, view in one.links}
    return (state, (Effect("open.view", str(value)),)) if value in known else (state, ())


def open_(state: State, value: Any) -> Done:
    """A shipped checkpoint, in the inspector."""
    path = shipped().get(str(value))
    return (state, ()) if path is None else (state, (Effect("open.path", str(path)),))


def opened(state: State, value: Any) -> Done:
    """Another checkpoint is open; the card beside its weights is read once, here."""
    card = value.get("card", value)
    path = str(card.get("path", ""))
    own = bool(path) and path not in {str(one) for one in shipped().values()}
    named = str(card.get("name", "")), str(card.get("task", ""))
    filed = Filed(path, *named, card_of(path)) if own else Filed()
    return (state, ()) if filed == state.filed else (replace(state, filed=filed), ())


def card_of(path: str) -> str:
    """The text of the card beside a checkpoint, "" where there is none."""
    folder = Path(path)
    try:
        return ((folder if folder.is_dir() else folder.parent) / "card.md").read_text("utf-8")
    except (OSError, ValueError):
        return ""


def measured(state: State, value: Any) -> Done:
    """A report of another pane, or of a figure of it inside one; shown where its checkpoint has a place."""
    path = str(value["value"].get("checkpoint", "")) if str(value["key"]).endswith(REPORT) else ""
    if not path:
        return state, ()
    return replace(state, reports={**state.reports, path: value["value"]}), ()


def changed(state: State, path: Any) -> Done:
    """The files of a checkpoint are others: what was measured with it before is not shown any more."""
    if path not in state.reports:
        return state, ()
    return replace(state, reports={one: kept for one, kept in state.reports.items() if one != path}), ()


def width(state: State, value: Any) -> Done:
    narrow = int(value) < FOLD
    return (state, ()) if narrow == state.narrow else (replace(state, narrow=narrow), ())


HANDLERS: Mapping[str, Callable[[State, Any], Done]] = {
    "results.table": choose,
    "results.column": column,
    "results.order": order,
    "results.sort": sort,
    "results.sort.beside": sort_beside,
    "results.attractors": attractors,
    "results.verb": verb,
    "results.link": link,
    "results.open": open_,
    "engine.opened": opened,
    "engine.changed": changed,
    "measure.done": measured,
    "view.width": width,
}

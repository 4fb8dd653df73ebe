"""Where a debugger stops: a line ran, one position or any halts, all halted, the cap, a condition.

Everything is a search over the lines of a trace, so running backwards stops at the same places as forwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ut_engine.conditions import VARIABLES, Condition, read_condition
from ut_engine.debug import Trace, column, shown
from ut_engine.listing import LineRecord

KINDS = ("line", "halts", "any", "all", "cap", "condition")


@dataclass(frozen=True, slots=True)
class Stop:
    """kind: "line" (number), "halts" (number: position from 0), "any" (a position halts), "all", "cap" or
    "condition" (text).

    hits: stop from this hit on (1: at every one).  A disabled stop stays in the list.
    """

    kind: str
    number: int = 0
    text: str = ""
    hits: int = 1
    on: bool = True

    def __post_init__(self) -> None:
        if self.kind not in KINDS or self.hits < 1:
            raise ValueError(f"{self} is no stop")


def places(trace: Trace, stop: Stop) -> tuple[int, ...]:
    """Indices of the lines it stops at, by its hit count; whether it is enabled does not matter here."""
    if stop not in trace.found:
        key = replace(stop, on=True, hits=1)
        if key not in trace.found:
            trace.found[key] = tuple(_search(trace, stop))
        trace.found[stop] = trace.found[key][stop.hits - 1 :]
    return trace.found[stop]


def _search(trace: Trace, stop: Stop) -> Iterator[int]:
    found: dict[str, Callable[[], Iterator[int]]] = {
        "line": lambda: _at_line(trace, stop.number),
        "halts": lambda: _halting(trace, stop.number),
        "any": lambda: (index for index, _ in halts_by_step(trace)),
        "all": lambda: _rising(trace, _all_halted),
        "cap": lambda: _rising(trace, lambda record: _capped(trace, record)),
        "condition": lambda: _condition(trace, read_condition(stop.text)),
    }
    return found[stop.kind]()


def next_place(trace: Trace, stops: Iterable[Stop], index: int, direction: int) -> int | None:
    """The nearest line after (direction 1) or before (-1) a line at which an enabled stop stops."""
    found = {place for stop in stops if stop.on for place in places(trace, stop)}
    ahead = [place for place in found if (place - index) * direction > 0]
    return min(ahead, key=lambda place: abs(place - index), default=None)


def values_at(trace: Trace, record: LineRecord) -> dict[str, Any]:
    """What a condition may read at a line: [m] arrays and numbers."""
    found: dict[str, Any] = {
        name: shown(record.variables[name]) for name in VARIABLES if name in record.variables
    }
    found |= {"step": record.step, "line": record.line, "threshold": trace.setup.threshold}
    return found | {"epsilon": trace.setup.epsilon, "max_steps": trace.setup.cap}


def _at_line(trace: Trace, number: int) -> Iterator[int]:
    return (record.index for record in trace.records if record.line == number)


def _halting(trace: Trace, position: int) -> Iterator[int]:
    for record in trace.records:
        if record.variable == "new_halted" and position < trace.m and column(record.values)[position] > 0:
            yield record.index


def _rising(trace: Trace, holds: Any) -> Iterator[int]:
    before = False
    for record in trace.records:
        now = holds(record)
        if now and not before:
            yield record.index
        before = now


def _all_halted(record: LineRecord) -> bool:
    return bool((column(record.variables["halting_probability"]) >= 1.0).all())


def _capped(trace: Trace, record: LineRecord) -> bool:
    """Some position is still short of 1 after its last update: at the counting line, where it shows."""
    waiting = column(record.variables["halting_probability"]) < 1.0
    return bool((waiting & (column(record.variables["n_updates"]) >= trace.setup.cap)).any())


def _condition(trace: Trace, condition: Condition) -> Iterator[int]:
    return _rising(trace, lambda record: condition.holds(values_at(trace, record)))


def halts_by_step(trace: Trace) -> tuple[tuple[int, int], ...]:
    """(index of the line, positions that halt) for every step in which any halt, for the time line."""
    found = []
    for record in trace.records:
        if record.variable == "new_halted":
            count = int((column(record.values) > 0).sum())
            if count:
                found.append((record.index, count))
    return tuple(found)


def hits_before(found: tuple[int, ...], index: int) -> int:
    """How many of the places were passed by a line."""
    return int(np.searchsorted(np.asarray(found), index, side="right"))

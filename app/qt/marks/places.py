"""Places of an axis, from 0: which are named, what an event calls one, neighbours with one property."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from app.scene import Axis


def stretches(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Half-open ranges of neighbouring True places."""
    found, place, count = [], 0, len(flags)
    while place < count:
        if flags[place]:
            first = place
            while place < count and flags[place]:
                place += 1
            found.append((first, place))
        place += 1
    return found


def labelled(count: int, every: int, always: tuple[int | None, ...], first: int | None = None) -> list[int]:
    """Every `every`-th place, and those that must be named instead of their neighbours.

    first: where places are counted, the number of the first one: then it and round numbers are named (of
    every second one those that come after it: 1, 3, 5).
    """
    must = [place for place in always if place is not None and 0 <= place < count]
    if first is None or every <= 2:
        return sorted({*must, *_apart(range(0, count, every), must, every)})
    power = 10 ** int(math.log10(every))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= every)
    start = _apart((0,), must, every)  # from which 5, after 1, may stand a little closer
    rest = _apart(range(-first % step, count, step), must, every)
    return sorted({*must, *start, *_apart(rest, start, 0.75 * every)})


def _apart(places: Iterable[int], from_: Sequence[int], least: float) -> list[int]:
    return [k for k in places if all(abs(k - place) >= least for place in from_)]


def counted_from(axis: Axis) -> int | None:
    """The number of the first place where places are counted one by one, None where they have names only."""
    if axis.numbers:
        ends = axis.numbers[0], axis.numbers[-1]
    elif axis.labels and axis.labels[0].isdecimal() and axis.labels[-1].isdecimal():
        ends = int(axis.labels[0]), int(axis.labels[-1])
    else:
        return None
    return ends[0] if ends[1] - ends[0] == len(axis) - 1 else None


def event_value(axis: Axis, place: int) -> int:
    """What an event says of a place on an axis: the position from 0, or the step from 1."""
    number = axis.numbers[place] if axis.numbers else place + 1
    return number if axis.kind == "step" else number - 1

"""Round ends of a chart's axes, worked out from what is drawn in it."""

from __future__ import annotations

import math
from collections.abc import Iterable

STEPS = 8  # between round numbers on an axis, at most
ROOM = 0.05  # of what the values take up, left free at both ends
FIRSTS = (1, 2, 5, 10)


def round_ends(values: Iterable[float], zero: bool = False, room: float = ROOM) -> tuple[float, float]:
    """(low, high): multiples of a round step around some finite values; ValueError for none.

    zero: the axis starts at 0.  room: share of what the values take up that is left free; none at that 0.
    """
    known = [float(value) for value in values]
    low, high = (0.0 if zero else min(known)), max(known)
    wide = (high - low) or abs(high) or 1.0
    low, high = low - room * wide * (not zero), high + room * wide
    step = _above((high - low) / STEPS)
    ends = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
    return float(f"{ends[0]:.12g}"), float(f"{ends[1]:.12g}")


def log_ends(values: Iterable[float], below: float = 0.7, above: float = 1.6) -> tuple[float, float]:
    """(low, high): 1, 2 or 5 times a power of ten, around some values above 0 times `below` and `above`.

    They change only when a value comes near them.  ValueError for no values.
    """
    known = [float(value) for value in values]
    return _below(min(known) * below), _above(max(known) * above)


def _power(value: float) -> float:
    return float(10.0 ** math.floor(math.log10(value)))


def _below(value: float) -> float:
    power = _power(value)
    return power * max(first for first in FIRSTS if first * power <= value * (1 + 1e-12))


def _above(value: float) -> float:
    power = _power(value)
    return power * min(first for first in FIRSTS if first * power >= value * (1 - 1e-12))

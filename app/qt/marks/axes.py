"""Scales of a plot: where a value stands, round ticks, numbers in few signs, thinning to pixels.

Pure numpy; positions are shares of an axis (0 at its low end, 1 at its high end).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from app.scene import Array, Scale

UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
HUGE = 1e16  # numbers from which a power of ten says more than a unit
PART = 5  # times its low end: a log axis up to there is zoomed
SUPER = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Tick:
    """One tick: share of the axis, its text ("" for a minor one)."""

    at: float
    text: str


def shares(values: Array, scale: Scale) -> Array:
    """Shares of the axis, NaN where a value has no place (undefined, or not above 0 on a log axis)."""
    values = np.asarray(values, np.float64)
    low, high = scale.low, scale.high
    if scale.log:
        values = np.log10(np.where(values > 0, values, np.nan))
        low, high = math.log10(low), math.log10(high)
    return (values - low) / ((high - low) or 1.0)


def share(value: float, scale: Scale) -> float:
    return float(shares(np.array([value]), scale)[0])


def value_at(at: float, scale: Scale) -> float:
    """The value at a share of the axis."""
    if scale.log:
        low, high = math.log10(scale.low), math.log10(scale.high)
        return float(10 ** (low + at * (high - low)))
    return scale.low + at * (scale.high - scale.low)


def short(value: float, digits: int = 4) -> str:
    """A number as an axis has it: 0.05, 2.5, 40, 1,000, 63 M, 10⁻⁶; in more digits where it is zoomed."""
    size = abs(value)
    if not math.isfinite(value):
        return "–"
    for unit, letter in UNITS:
        if max(unit, 1e4) <= size < HUGE:
            return f"{value / unit:.{digits}g}".replace("-", "−") + f" {letter}"
    if 1000 <= size < HUGE:
        return f"{value:,.{digits - 4}f}".replace("-", "−")
    if 0 < size < 1e-4 or size >= HUGE:
        power = math.floor(math.log10(size) + 1e-9)
        first = value / 10.0**power
        head = "" if abs(first - 1) < 1e-6 else f"{first:.{digits - 1}g}·".replace("-", "−")
        return f"{head}10{str(power).translate(SUPER)}"
    return f"{value:.{digits}g}".replace("-", "−")


def precise(value: float) -> str:
    """A number as a readout has it: five digits; whole numbers whole."""
    if not math.isfinite(value):
        return "–"
    if value == round(value) and abs(value) < 1e15:
        return f"{value:,.0f}".replace("-", "−")
    if 1000 <= abs(value) < HUGE:
        return f"{value:,.1f}".replace("-", "−")
    return short(value) if not 1e-4 <= abs(value) < HUGE else f"{value:.5g}".replace("-", "−")


def ticks(scale: Scale, most: int) -> list[Tick]:
    """At most about `most` named ticks at round numbers, and unnamed ones between on a log axis.

    A part of a decade in which fewer than two would have a name has the ticks of a linear axis.
    """
    most = max(most, 2)
    found = _inside(_log_ticks(scale, most) if scale.log else _linear_ticks(scale, most))
    if scale.log and scale.high < PART * scale.low and sum(bool(tick.text) for tick in found) < 2:
        found = _inside(_linear_ticks(scale, most))
    return found


def _inside(found: list[Tick]) -> list[Tick]:
    return [tick for tick in found if -1e-9 <= tick.at <= 1 + 1e-9]


def _linear_ticks(scale: Scale, most: int) -> list[Tick]:
    wide = scale.high - scale.low
    if wide <= 0 or not math.isfinite(wide):
        return [Tick(0.0, short(scale.low))]
    size = 10.0 ** math.floor(math.log10(wide / most))
    step = next(size * first for first in (1, 2, 2.5, 5, 10, 20) if wide / (size * first) <= most)
    places = range(math.ceil(scale.low / step - 1e-9), math.floor(scale.high / step + 1e-9) + 1)
    values = [float(f"{k * step:.12g}") for k in places]
    digits = max(4, *(len(f"{abs(value):.12g}".replace(".", "").strip("0")) for value in values), 0)
    return [Tick(share(value, scale), short(value, digits)) for value in values]


def _log_ticks(scale: Scale, most: int) -> list[Tick]:
    first, last = math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high))
    decades = max(math.log10(scale.high / scale.low), 1e-9)
    named: tuple[int, ...] = (1,)
    for choice in ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1, 3), (1,)):
        if decades * len(choice) <= most:
            named = choice
            break
    every = max(1, math.ceil((last - first + 1) / most))
    found = []
    for power in range(first, last + 1):
        for digit in range(1, 10):
            value = digit * 10.0**power
            told = digit in named and (power - first) % every == 0
            if told or decades <= 6:
                found.append(Tick(share(value, scale), short(value) if told else ""))
    return found


def thinned(x: Array, y: Array, columns: int) -> tuple[Array, Array]:
    """A line [n] with at most four points a pixel column: first, lowest, highest, last; gaps stay gaps.

    x, y: in pixels, x rising.  Of a line that is not sorted, or short, nothing is left out.
    """
    if len(x) <= 4 * columns or np.any(np.diff(x[np.isfinite(x)]) < 0):
        return x, y
    fine = np.isfinite(x) & np.isfinite(y)
    places = np.flatnonzero(fine)
    if len(places) == 0:
        return x[:0], y[:0]
    column = np.floor(x[places]).astype(np.int64)
    broken = np.r_[True, (np.diff(column) != 0) | (np.diff(places) > 1)]
    starts = np.flatnonzero(broken)
    ends = np.r_[starts[1:], len(places)] - 1
    order = np.lexsort((y[places], np.cumsum(broken)))
    kept = np.unique(
        np.concatenate([places[starts], places[ends], places[order[starts]], places[order[ends]]])
    )
    gaps = np.flatnonzero(~fine)
    after = np.searchsorted(kept, gaps)
    inner = gaps[(after > 0) & (after < len(kept))]
    if len(inner):  # one undefined point for each gap between kept points
        _, once = np.unique(np.searchsorted(kept, inner), return_index=True)
        kept = np.sort(np.concatenate([kept, inner[once]]))
    return x[kept], y[kept]


def dots(x: Array, y: Array, grid: float) -> Array:
    """Places of the points of [n] to be drawn: one of those that fall on one spot of `grid` pixels."""
    places = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if len(places) < 500:
        return places
    spots = np.stack([np.round(x[places] / grid), np.round(y[places] / grid)], axis=1)
    _, first = np.unique(spots, axis=0, return_index=True)
    return places[np.sort(first)]


def apart(rows: list[float], height: float, top: float, bottom: float) -> list[float]:
    """Rising heights moved so that they are `height` apart and stay within top ... bottom."""
    moved: list[float] = []
    for y in rows:
        moved.append(max(y, moved[-1] + height) if moved else max(y, top))
    for k in range(len(moved) - 1, -1, -1):
        most = bottom if k == len(moved) - 1 else moved[k + 1] - height
        moved[k] = min(moved[k], most)
    return moved

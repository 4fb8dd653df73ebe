"""Timing two ways of doing the same thing fairly: alternating, after a warm-up, compared by their medians."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Measurement:
    """One line of a benchmark: ours beside a reference, both medians in `unit`.

    target: the ratio (or, without a reference, the figure) that ours must not exceed; None for "just told".
    reference: None where there is nothing to compare with, then `reference_is` says what the figure is.
    """

    name: str
    case: str
    ours: float
    reference: float | None
    reference_is: str
    unit: str
    runs: int
    target: float | None = None

    @property
    def ratio(self) -> float | None:
        """ours / reference: smaller is better; None without a reference (or one of 0)."""
        return self.ours / self.reference if self.reference else None

    @property
    def met(self) -> bool | None:
        """Is the target reached; None where there is none."""
        if self.target is None:
            return None
        return (self.ours if self.ratio is None else self.ratio) <= self.target

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with the ratio and whether the target is met."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call; its result is let go only after the clock has stopped."""
    started = time.perf_counter()
    kept = work()
    taken = time.perf_counter() - started
    del kept
    return taken


def alternate(ways: Sequence[Callable[[], float]], runs: int, warm_up: int = 1) -> list[list[float]]:
    """Run all ways in turn `runs` times, so that a busy moment meets every one; what each returned.

    Every other round goes backwards: whoever runs after a cache-filling neighbour does so half of the time.
    """
    for _ in range(warm_up):
        for way in ways:
            way()
    found: list[list[float]] = [[] for _ in ways]
    for number in range(runs):
        places = range(len(ways)) if number % 2 == 0 else reversed(range(len(ways)))
        for place in places:
            found[place].append(ways[place]())
    return found


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (0 ... 1) of the values do not exceed."""
    ranked = sorted(values)
    place = max(0, -(-len(ranked) * round(share * 1000) // 1000) - 1)
    return ranked[min(place, len(ranked) - 1)]

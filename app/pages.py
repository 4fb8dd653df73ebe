"""A long column cut into sheets of paper, between its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Part:
    """From where to where it reaches, in pixels from the top.  leads: stays with what follows (a heading)."""

    top: int
    bottom: int
    leads: bool = False


def pages(parts: Sequence[Part], end: int, most: int) -> list[tuple[int, int]]:
    """(top, bottom) of each page, at most so high; the last one reaches to `end`.

    Cut above a part, below one that leads only where there is no other place; a part higher than a page is
    cut where the page ends.
    """
    found, top = [], 0
    cuts = [(not before.leads, part.top) for before, part in pairwise(parts)]
    while end - top > most:
        _, cut = max((one for one in cuts if top < one[1] <= top + most), default=(False, top + most))
        found.append((top, cut))
        top = cut
    return [*found, (top, end)]

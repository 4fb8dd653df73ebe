"""Copy: read a string of digits, then write it again.

One string holds both halves: the digits, a bar, and one blank for every answer.  The copy of the paper's
algorithmic tasks (section 3.4), there written by a decoder after training on 40 symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ut_engine.tasks.symbols import BAR, BLANK, DIGITS, START, Ints, SymbolData


@dataclass(frozen=True)
class CopyData(SymbolData):
    """Random decimal digits; blank j asks for digit j."""

    name = "copy"
    symbols = (*DIGITS, BAR, BLANK, START)
    answers = tuple(DIGITS)
    write = "write digits, a bar and as many blanks, such as 314|___"

    def positions(self, length: int) -> int:
        return 2 * length + 2

    def draw(self, draws: np.random.Generator, length: int, count: int) -> tuple[Ints, Ints]:
        digits = draws.integers(0, len(DIGITS), (count, length))
        return self.with_start(*self.with_blanks(digits, digits))


def solve(text: Sequence[str]) -> list[str]:
    """The right answers of a string "1 2 3 | _ _ _": what stands before the bar."""
    return list(text[: list(text).index(BAR)])

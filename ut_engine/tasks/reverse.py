"""Reverse: read a string of digits, then write it from its end to its beginning.

The same form as `copy`.  The reverse of the paper's algorithmic tasks (section 3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ut_engine.tasks.symbols import BAR, BLANK, DIGITS, START, Ints, SymbolData


@dataclass(frozen=True)
class ReverseData(SymbolData):
    """Random decimal digits; blank j asks for the j-th digit from the end."""

    name = "reverse"
    symbols = (*DIGITS, BAR, BLANK, START)
    answers = tuple(DIGITS)
    write = "write digits, a bar and as many blanks, such as 314|___"

    def positions(self, length: int) -> int:
        return 2 * length + 2

    def draw(self, draws: np.random.Generator, length: int, count: int) -> tuple[Ints, Ints]:
        digits = draws.integers(0, len(DIGITS), (count, length))
        return self.with_start(*self.with_blanks(digits, digits[:, ::-1]))


def solve(text: Sequence[str]) -> list[str]:
    """The right answers of a string "1 2 3 | _ _ _": what stands before the bar, backwards."""
    return list(text[: list(text).index(BAR)])[::-1]

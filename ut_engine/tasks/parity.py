"""Prefix parity: y_i = x_1 xor ... xor x_i, asked at every position of a string of bits.

The example of the paper's appendix B for what a fixed depth cannot do at every length (Dehghani et al. 2019);
as a learned task in Graves 2016 (there: the parity of a whole vector).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ut_engine.tasks.symbols import START, Ints, SymbolData


@dataclass(frozen=True)
class ParityData(SymbolData):
    """Random bits, 0 and 1 equally often; the answer at a bit is the parity of all bits up to it."""

    name = "parity"
    symbols = ("0", "1", START)
    answers = ("0", "1")
    write = "write bits, such as 01101"

    def draw(self, draws: np.random.Generator, length: int, count: int) -> tuple[Ints, Ints]:
        bits = draws.integers(0, 2, (count, length))
        return self.with_start(bits + 1, bits.cumsum(axis=1) % 2)


def solve(text: Sequence[str]) -> list[str]:
    """The right answers of a string of bits, one after another."""
    answers, parity = [], 0
    for bit in text:
        parity ^= int(bit)
        answers.append(str(parity))
    return answers

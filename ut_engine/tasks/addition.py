"""Addition of two decimal numbers, digit under digit, least significant first.

A position holds a pair of digits, one of each number; asked is the digit of the sum at that place.  The paper
(section 3.4) writes the numbers one after the other; here the digits are aligned, so that only the carry has
to travel.  `chains` is the share of strings with long carries (pairs that sum to nine hand a carry on).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ut_engine.tasks.symbols import START, Ints, SymbolData

NINE = 0.9  # in a string with long carries: how often a pair sums to nine


@dataclass(frozen=True)
class AdditionData(SymbolData):
    """`length` random pairs of digits, then the pair 00, where the last carry goes."""

    chains: float = 0.5

    name = "addition"
    symbols = (*(f"{pair:02d}" for pair in range(100)), START)
    answers = tuple("0123456789")
    write = "write a pair of digits for each place, units first, then 00, such as 24 13 00 for 12 + 34"

    @classmethod
    def advice(cls, text: str) -> str:
        """The pairs of two numbers written as a sum, where the text is one."""
        found = re.fullmatch(r"\s*([0-9]{1,9})\s*\+\s*([0-9]{1,9})\s*=?\s*", text)
        if found is None:
            return cls.write
        first, second = found.groups()
        return cls.write.replace("24 13 00 for 12 + 34", f"{pairs(first, second)} for {first} + {second}")

    def positions(self, length: int) -> int:
        return length + 2

    def draw(self, draws: np.random.Generator, length: int, count: int) -> tuple[Ints, Ints]:
        first, second = draws.integers(0, 10, (2, count, length))
        handed_on = (draws.random((count, 1)) < self.chains) & (draws.random((count, length)) < NINE)
        second = np.where(handed_on, 9 - first, second)
        first, second = (np.pad(number, ((0, 0), (0, 1))) for number in (first, second))
        return self.with_start(10 * first + second + 1, _sums(first, second))


def pairs(first: str, second: str) -> str:
    """Two numbers in digits as the text of their sum: "12", "34" gives "24 13 00"."""
    places = max(len(first), len(second))
    written = zip(reversed(first.zfill(places)), reversed(second.zfill(places)), strict=True)
    return " ".join([*(one + other for one, other in written), "00"])


def _sums(first: Ints, second: Ints) -> Ints:
    """Digits of the sums, least significant first; all [count, place]."""
    digits, carry = np.empty_like(first), np.zeros(len(first), dtype=np.int64)
    for place in range(first.shape[1]):
        total = first[:, place] + second[:, place] + carry
        digits[:, place], carry = total % 10, total // 10
    return digits


def solve(text: Sequence[str]) -> list[str]:
    """The right answers of pairs of digits: those of the sum of the two numbers they make."""
    first, second = (int("".join(pair[which] for pair in reversed(text))) for which in (0, 1))
    return list(f"{first + second:0{len(text)}d}"[::-1])

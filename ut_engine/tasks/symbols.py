"""What the algorithmic tasks share: strings of symbols of one length, a curriculum on that length, groups.

A task says which symbols there are, draws strings of a length, and solves one string; the rest is here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ut_engine.tasks.data import Batch, Example, Group
from ut_engine.tokenizer import SymbolTokenizer

Ints = NDArray[np.int64]
START = "^"  # stands before every string: a model without coordinates finds its left end by it
BAR, BLANK = "|", "_"  # between the two halves of a string, and where something is to be written
DIGITS = "0123456789"
SAMPLE_LENGTHS = (8, 16, 20, 40, 64)


@dataclass(frozen=True)
class SymbolData:
    """shortest, longest: lengths trained on.  The curriculum starts at `first` and adds one whenever a share
    `reach` of whole strings of the present length is right (moving average); first = longest: none.
    Half of the batches have the present length, the others any length up to it.

    validation_lengths, validation_sequences: what is evaluated while training, drawn apart (seed + 10,000).
    """

    seed: int = 1
    shortest: int = 1
    longest: int = 20
    first: int = 3
    reach: float = 0.9
    validation_lengths: tuple[int, int, int] = (20, 40, 80)
    validation_sequences: int = 64

    name: ClassVar[str]
    symbols: ClassVar[tuple[str, ...]]
    answers: ClassVar[tuple[str, ...]]
    write: ClassVar[str]
    """What to type, with an example that the model reads: a sentence for window and command line."""

    @classmethod
    def advice(cls, text: str) -> str:
        """What to type instead of a text that the model cannot read."""
        return cls.write

    def draw(self, draws: np.random.Generator, length: int, count: int) -> tuple[Ints, Ints]:
        """`count` strings of `length`: ids [count, position] and targets [count, position], -1 unasked."""
        raise NotImplementedError

    def positions(self, length: int) -> int:
        """Positions of a string of this length, with the start symbol."""
        return length + 1

    @property
    def tokenizer(self) -> SymbolTokenizer:
        return SymbolTokenizer(self.symbols, start=START, answers=self.answers)

    def sizes(self) -> dict[str, Any]:
        return {"vocab": len(self.symbols) + 1, "answers": len(self.answers), "words": 0, "readout": "every"}

    def batch(self, draws: np.random.Generator, step: int, size: int) -> Batch:
        """Strings of one length out of all that are trained on."""
        return self.batch_upto(draws, size, self.longest)

    def batch_upto(self, draws: np.random.Generator, size: int, longest: int) -> Batch:
        """Strings of one length: in every second batch `longest`, else any up to it."""
        length = longest
        if draws.random() < 0.5:
            length = int(draws.integers(self.shortest, longest + 1))
        return Batch(*self.draw(draws, length, size))

    def groups(self, lengths: Sequence[int], count: int, seed: int) -> tuple[Group, ...]:
        """One group a length, the same strings whenever asked."""
        made = []
        for length in lengths:
            ids, targets = self.draw(np.random.default_rng((seed, length)), length, count)
            made.append(Group(str(length), tuple(map(Example, ids, targets))))
        return tuple(made)

    def validation(self) -> tuple[Group, ...]:
        return self.groups(self.validation_lengths, self.validation_sequences, self.seed + 10_000)

    def samples(self) -> list[dict[str, Any]]:
        """Strings of several lengths, with the right answers."""
        made = []
        for length in SAMPLE_LENGTHS:
            ids, targets = self.draw(np.random.default_rng((self.seed + 20_000, length)), length, 1)
            text = self.text_of(ids[0])
            answer = self.joined([self.answers[target] for target in targets[0] if target >= 0])
            made.append({"name": f"{length} symbols", "text": text, "answer": answer, "length": length})
        return made

    def text_of(self, ids: Ints) -> str:
        """The string a model reads, without the start symbol."""
        return self.joined([self.symbols[number - 1] for number in ids if number]).removeprefix(START).strip()

    def joined(self, symbols: Sequence[str]) -> str:
        single = all(len(symbol) == 1 for symbol in self.symbols)
        return ("" if single else " ").join(symbols)

    def with_blanks(self, digits: Ints, answers: Ints) -> tuple[Ints, Ints]:
        """The digits, a bar and as many blanks; asked at the blanks.  All [count, position]."""
        count, length = digits.shape
        bar = np.full((count, 1), self.symbols.index(BAR) + 1, dtype=np.int64)
        blanks = np.full((count, length), self.symbols.index(BLANK) + 1, dtype=np.int64)
        unasked = np.full((count, length + 1), -1, dtype=np.int64)
        return np.hstack((digits + 1, bar, blanks)), np.hstack((unasked, answers))

    def with_start(self, ids: Ints, targets: Ints) -> tuple[Ints, Ints]:
        """The start symbol, at which nothing is asked, before every row."""
        count = len(ids)
        start = np.full((count, 1), self.symbols.index(START) + 1, dtype=np.int64)
        return np.hstack((start, ids)), np.hstack((np.full((count, 1), -1, dtype=np.int64), targets))


def without_start(group: Group) -> Group:
    """The same strings for a model that needs no start symbol."""
    return Group(group.name, tuple(Example(one.ids[1:], one.targets[1:]) for one in group.examples))


def score(given: Sequence[str], right: Sequence[str]) -> tuple[int, bool]:
    """(symbols right, the whole string right), as the paper's character and sequence accuracy."""
    if len(given) != len(right):
        raise ValueError(f"{len(given)} answers for {len(right)} symbols")
    same = sum(one == other for one, other in zip(given, right, strict=True))
    return same, same == len(right)

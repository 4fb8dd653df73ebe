"""What the trainer and the evaluation need from a task: examples, groups of examples, batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ut_engine.tokenizer import SentenceTokenizer, SymbolTokenizer

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Example:
    """ids [position(, word)], 0 = padding; targets [position], -1 where nothing is asked; marks."""

    ids: Ints
    targets: Ints
    marks: tuple[int, ...] = ()
    cropped: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Examples that are reported together: one bAbI task, one length."""

    name: str
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """ids [batch, position(, word)] and targets [batch, position], padded with 0 and -1."""

    ids: Ints
    targets: Ints
    marks: tuple[tuple[int, ...], ...] = ()


class TaskData(Protocol):
    """Training batches and validation groups of one task, generated from a seed."""

    @property
    def tokenizer(self) -> SentenceTokenizer | SymbolTokenizer: ...

    def batch(self, draws: np.random.Generator, step: int, size: int) -> Batch: ...

    def validation(self) -> Sequence[Group]: ...

    def samples(self) -> list[dict[str, Any]]:
        """Inputs that ship with the checkpoint: name, text, answer, facts."""
        ...

    def sizes(self) -> dict[str, Any]:
        """The model options the task decides: vocab, answers, words, readout."""
        ...


def collate(examples: Sequence[Example]) -> Batch:
    """Pad examples to the longest of them."""
    length = max(len(example.ids) for example in examples)
    ids = np.zeros((len(examples), length, *examples[0].ids.shape[1:]), dtype=np.int64)
    targets = np.full((len(examples), length), -1, dtype=np.int64)
    for row, example in enumerate(examples):
        ids[row, : len(example.ids)] = example.ids
        targets[row, : len(example.ids)] = example.targets
    return Batch(ids, targets, tuple(example.marks for example in examples))

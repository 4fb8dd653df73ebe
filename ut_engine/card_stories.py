"""The figures in a model card (`card.md`) of a bAbI checkpoint, read back: one table a set of stories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from ut_engine.card_tables import Lines, read_tables

GENERATED, SAME, OFFICIAL = "Generated stories", "The same stories, other questions", "Official test files"
TITLES = ("task", "n", "accuracy", "N, all positions", "N, question", "cropped")
RUNNING, ENTROPY, MASS, RIGHT = "still running", "entropy", "mass on facts", "accuracy if stopped"


@dataclass(frozen=True, slots=True)
class StoryRow:
    """One task, as rounded in the card.  ponder, question: N of all positions, of the question, (mean, std).

    by_step: of the question's row, by the names above; shorter where no question still ran.
    """

    task: str
    n: int
    accuracy: float
    ponder: tuple[float, float]
    question: tuple[float, float]
    cropped: int
    by_step: dict[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def question_histogram(self) -> tuple[int, ...]:
        """How many questions had N = 0, 1, 2, ...: those that ran in step N and not in the next."""
        running = [*self.by_step.get(RUNNING, ()), 0.0]
        return (0, *(int(now - after) for now, after in pairwise(running)))


def tables(card: str) -> dict[str, tuple[StoryRow, ...]]:
    """Tables by their headings, in the card's order; tables of another kind are left out."""
    return read_tables(card, _rows)


def _rows(lines: Lines) -> Iterator[StoryRow]:
    if not lines or tuple(lines[0]) != TITLES:
        return
    steps: dict[str, dict[str, tuple[float, ...]]] = {}
    for line in lines:
        if len(line) > 2 and line[1] in (RUNNING, ENTROPY, MASS, RIGHT):
            values = tuple(float("nan") if cell == "–" else float(cell) for cell in line[2:] if cell)
            steps.setdefault(line[0], {})[line[1]] = values
    for line in lines[1:]:
        if len(line) != len(TITLES) or line[1:2] == ["by step"] or not line[1].isdigit():
            return
        task, n, accuracy, ponder, question, cropped = line
        yield StoryRow(
            task, int(n), float(accuracy), _pair(ponder), _pair(question), int(cropped), steps.get(task, {})
        )


def _pair(text: str) -> tuple[float, float]:
    mean, _, std = text.partition("±")
    return float(mean), float(std)

"""Figures in a model card (`card.md`) of an algorithmic task, read back: a table a run, a row a length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

OWN = "By length"  # the heading of the checkpoint's own table
COLUMNS = ("length", "strings", "symbols", "whole", "first below .99", "steps")


@dataclass(frozen=True, slots=True)
class CardRow:
    """symbols, whole: shares of symbols and of whole strings that are right, as rounded in the card.

    below: first position (from 1) whose accuracy is below 0.99, None where there is none.
    """

    length: int
    strings: int
    symbols: float
    whole: float
    below: int | None
    steps: int


def tables(card: str) -> dict[str, tuple[CardRow, ...]]:
    """Tables by length, by their headings, in the card's order; tables of another kind are left out."""
    return {title: rows for title, lines in _sections(card) if (rows := tuple(_rows(lines)))}


def _sections(card: str) -> Iterator[tuple[str, list[str]]]:
    for part in card.split("\n## ")[1:]:
        title, _, rest = part.partition("\n")
        yield title.strip(), [line for line in rest.splitlines() if line.startswith("|")]


def _rows(lines: list[str]) -> Iterator[CardRow]:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    if len(cells) < 3 or tuple(cells[0][: len(COLUMNS)]) != COLUMNS:
        return
    for length, strings, symbols, whole, below, steps, *_ in cells[2:]:
        first = int(below) if below.isdigit() else None
        yield CardRow(int(length), int(strings), float(symbols), float(whole), first, int(steps))

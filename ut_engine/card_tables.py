"""Figures in a model card (`card.md`) of an algorithmic task, read back: a table a run, a row a length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

OWN = "By length"  # the heading of the checkpoint's own table
Lines = list[list[str]]
"""The cells of a table's lines, its names first, the line under them left out."""
Row = TypeVar("Row")
RULE = set("|-: ")
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
    return read_tables(card, _rows)


def read_tables(card: str, read: Callable[[Lines], Iterator[Row]]) -> dict[str, tuple[Row, ...]]:
    """What `read` makes of the table under each heading; those it makes nothing of are left out.

    A card may have been edited by hand: a table with a figure that is none is left out as well.
    """
    found = {}
    for part in card.split("\n## ")[1:]:
        title, _, rest = part.partition("\n")
        lines = [line.strip() for line in rest.splitlines() if line.startswith("|")]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if set(line) - RULE]
        with suppress(ValueError):
            if rows := tuple(read(cells)):
                found[title.strip()] = rows
    return found


def _rows(lines: Lines) -> Iterator[CardRow]:
    if not lines or tuple(lines[0][: len(COLUMNS)]) != COLUMNS:
        return
    for length, strings, symbols, whole, below, steps, *_ in lines[1:]:
        first = int(below) if below.isdigit() else None
        yield CardRow(int(length), int(strings), float(symbols), float(whole), first, int(steps))

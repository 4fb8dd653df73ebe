"""A table of halting probabilities as CSV: one row per position, one column per step.

A header row is one with a non-numeric cell, a first column of tokens likewise.  Cells are parted by commas,
semicolons, tabs or, where there is nothing but numbers, by spaces; `0,5` is read where commas part no cells.
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ut_engine.errors import UserError
from ut_engine.spec import MOST_STEPS

MOST_BYTES = 64 * 2**20
Numbered = tuple[int, list[str]]  # the file's row number, from 1, and its cells


@dataclass(frozen=True, slots=True)
class Table:
    """p: [m, T] in [0, 1]; tokens: one per position.  ValueError for another shape or value."""

    tokens: tuple[str, ...]
    p: NDArray[np.floating[Any]]

    def __post_init__(self) -> None:
        if self.p.ndim != 2 or not self.p.size or len(self.tokens) != len(self.p):
            raise ValueError(f"p must be [position, step] with a token each, not {self.p.shape}")
        if not ((self.p >= 0) & (self.p <= 1)).all():
            raise ValueError("a halting probability lies outside [0, 1]")


def read_table(path: str | PathLike[str]) -> Table:
    """Read a CSV file; UserError names the file, or the row and column that is wrong."""
    file = Path(path)
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UserError(f"{file} is larger than a table of p can be", "give a file below 64 MiB")
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{file} is not text", "give a CSV file in UTF-8") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(f"{file} cannot be read ({reason})", "give an existing CSV file") from None
    return parse_table(text, str(file))


def parse_table(text: str, name: str = "the table") -> Table:
    """Read CSV text, [m rows, T columns of values in [0, 1]]; `name` is what messages call it."""
    rows = _rows(text, name)
    tokens_first = _has_tokens(rows)
    if _has_header(rows, tokens_first):
        rows = rows[1:]
    if not rows:
        raise UserError(f"{name} has a header but no rows", "give one row of probabilities per position")
    first = 1 if tokens_first else 0
    width = len(rows[0][1]) - first
    if not 1 <= width <= MOST_STEPS:
        raise UserError(f"{name} has {width} columns of steps", f"give between 1 and {MOST_STEPS} columns")
    p = [
        [_value(cell, name, number, column) for column, cell in enumerate(cells[first:], first + 1)]
        for number, cells in rows
    ]
    tokens = tuple(cells[0] if tokens_first else str(index) for index, (_, cells) in enumerate(rows, 1))
    return Table(tokens, np.array(p))


def _rows(text: str, name: str) -> list[Numbered]:
    lines = text.removeprefix("\ufeff").splitlines()
    separator = _separator(next((line for line in lines if line.strip()), ""))
    if separator == " ":
        lines, separator = ["\t".join(line.split()) for line in lines], "\t"
    rows: list[Numbered] = []
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        raise UserError(f"row {reader.line_num} of {name} is not CSV ({error})", "mend the row") from None
    if not rows:
        raise UserError(f"{name} is empty", "give one row of probabilities per position")
    width = len(rows[0][1])
    for number, cells in rows:
        if len(cells) != width:
            raise UserError(
                f"row {number} of {name} has {len(cells)} cells, row {rows[0][0]} has {width}",
                "give every position the same number of steps",
            )
    return rows


def _separator(head: str) -> str:
    """What parts the cells of the first row; commas within numbers do not where there is another mark."""
    others = [mark for mark in ("\t", ";") if mark in head]
    if others and ("," not in head or "," not in re.sub(r"\d,\d", "", head)):
        return others[0]
    words = head.split()
    spaced = "," not in head and len(words) > 1 and all(_number(word) is not None for word in words)
    return " " if spaced else ","


def _number(cell: str) -> float | None:
    """The finite number in the cell, else None: "nan" and "inf" are words here."""
    try:
        value = float(cell.replace(",", ".", 1))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _has_tokens(rows: list[Numbered]) -> bool:
    """The first column holds words, or counts the positions under a header.

    A column of probabilities with a slip in it must not pass for words, hence the count; whole numbers do
    not speak against words, since digits are symbols too.
    """
    firsts, head = [cells[0] for _, cells in rows], rows[0][1][1:]
    if len(firsts) > 1 and _number(firsts[0]) is None:
        if not firsts[0] or _count_from_1(firsts[1:]):
            return True
        values = [_number(cell) for cell in head]
        if _count_from_1(head) or not all(v is not None and 0 <= v <= 1 for v in values):
            firsts = firsts[1:]  # the first row is a header
    words = sum(_number(cell) is None for cell in firsts)
    return words > 0 and 2 * sum(_is_fraction(cell) for cell in firsts) < len(firsts)


def _count_from_1(cells: list[str]) -> bool:
    """1, 2, ... and at least 2, so that they cannot be probabilities."""
    return len(cells) > 1 and [_number(cell) for cell in cells] == list(range(1, len(cells) + 1))


def _is_fraction(cell: str) -> bool:
    value = _number(cell)
    return value is not None and 0.0 <= value <= 1.0 and not cell.isdigit()


def _has_header(rows: list[Numbered], tokens_first: bool) -> bool:
    """The first row holds words where values belong, an empty corner, or counts the steps from 1.

    A row with a fraction in it is data with a slip, not a header: it must not vanish in silence.
    """
    cells = rows[0][1][1 if tokens_first else 0 :]
    if tokens_first and (len(rows) == 1 or not rows[0][1][0] or _count_from_1(cells)):
        return len(rows) > 1
    return any(_number(cell) is None for cell in cells) and not any(_is_fraction(cell) for cell in cells)


def _value(cell: str, name: str, row: int, column: int) -> float:
    value = _number(cell)
    if value is None or not 0.0 <= value <= 1.0:
        wrong = "is empty" if not cell else f"holds {cell!r}"
        raise UserError(f"row {row}, column {column} of {name} {wrong}", "put a number from 0 to 1 there")
    return value

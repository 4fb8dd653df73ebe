"""Tables sorted by a click on a column's head: ascending, descending, then as they were; pure.

A pane keeps an `Order` for each of its tables, takes the head's event with `heard`, and shows the table by
`sorted_sheet`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any

from app.messages import Text, Translator
from app.scene import Sheet

NUMBER = re.compile(r"[+\-−]?(\d[\d,]*)?\.?\d+(e[+\-]?\d+)?", re.IGNORECASE)
MISSING = ("", "–", "—")


@dataclass(frozen=True, slots=True)
class Order:
    """By which column (from 0, the names are 0), and whether the largest comes first."""

    column: int
    down: bool = False


def turned(order: Order | None, column: int) -> Order | None:
    """After a click on a column's head."""
    if order is None or order.column != column:
        return Order(column)
    return None if order.down else replace(order, down=True)


def heard(order: Order | None, value: Any, columns: int) -> Order | None:
    """The same for an event's value; a column that the table has not got changes nothing."""
    column = int(value)
    return turned(order, column) if 0 <= column < columns else order


def amount(text: Text) -> float:
    """The number a cell begins with ("0.5 ± 0.1": 0.5; "1,024": 1024); NaN where it begins with none."""
    found = NUMBER.match(_said(text))
    return float(found.group().replace(",", "").replace("−", "-")) if found else math.nan


def _said(text: Text) -> str:
    """Names are put in the order of their English letters, whatever language is shown."""
    return Translator("en").text(text).strip()


def places(cells: tuple[Text, ...], down: bool, values: tuple[float | None, ...] = ()) -> tuple[int, ...]:
    """Rows in their new order: by number where the column holds numbers, else by letters; equal ones stay
    as they stood, and what is missing is last both ways.

    values: the numbers themselves where cells are written shorter, None where a cell is text.
    """
    said = [_said(cell) for cell in cells]
    there = [k for k, cell in enumerate(said) if cell not in MISSING]
    amounts = [amount(cell) for cell in cells]
    for k, value in enumerate(values):
        amounts[k] = amounts[k] if value is None else value
    if any(math.isnan(amounts[k]) for k in there):
        there.sort(key=lambda k: said[k].casefold(), reverse=down)
    else:
        there.sort(key=lambda k: amounts[k], reverse=down)
    return (*there, *(k for k, cell in enumerate(said) if cell in MISSING))


def sorted_sheet(sheet: Sheet, order: Order | None, event: str) -> Sheet:
    """The table with heads that tell `event`; a selected row stays the selected one."""
    if order is None or order.column >= len(sheet.columns):
        return replace(sheet, sort=event)
    column = tuple(row[order.column].text if order.column < len(row) else "" for row in sheet.rows)
    new = places(column, order.down)
    return replace(
        sheet,
        rows=tuple(sheet.rows[k] for k in new),
        values=tuple(sheet.values[k] for k in new) if sheet.values else (),
        current=new.index(sheet.current) if sheet.current is not None else None,
        sort=event,
        sorted=(order.column, order.down),
    )

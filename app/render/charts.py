"""Twin tables of plots and amounts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from app.messages import Text, msg
from app.scene import Amounts, Line, Plot

if TYPE_CHECKING:
    from app.render.tables import Row, Twin

SOURCES: dict[str, Text] = {"paper": msg("paper"), "measured": msg("measured here")}
"""Whose figure it is, in words."""


def plot(mark: Plot) -> Twin:
    """One row for each x where lines share it; one for each point where points have words of their own."""
    lines = [line for line in mark.lines if not line.quiet]
    if not lines:
        return (msg("note"),), ((mark.note,),) if mark.note else ()
    once = all(len(np.unique(line.x)) == len(line.x) for line in lines)
    return _by_x(mark, lines) if once and not any(line.labels for line in lines) else _by_point(mark, lines)


def _by_x(mark: Plot, lines: list[Line]) -> Twin:
    titles: list[Text] = [mark.x.name or "x"]
    columns: list[dict[float, float]] = []
    for line in lines:
        name = line.name or mark.y.name or "y"
        parts: list[tuple[Text, object]] = [(name, line.y)]
        if line.low is not None and line.high is not None:
            parts += [(msg("{name}, low", name=name), line.low), (msg("{name}, high", name=name), line.high)]
        for title, values in parts:
            titles.append(title)
            columns.append(dict(zip(_floats(line.x), _floats(values), strict=True)))
    xs = sorted({x for column in columns for x in column if math.isfinite(x)})
    return tuple(titles), tuple((x, *(column.get(x, math.nan) for column in columns)) for x in xs)


def _by_point(mark: Plot, lines: list[Line]) -> Twin:
    rows: list[Row] = []
    for line in lines:
        for k, (x, y) in enumerate(zip(_floats(line.x), _floats(line.y), strict=True)):
            label = line.labels[k] if k < len(line.labels) else ""
            rows.append((line.name, label, x, y))
    return (msg("name"), msg("note"), mark.x.name or "x", mark.y.name or "y"), tuple(rows)


def _floats(values: object) -> list[float]:
    return [float(value) for value in np.asarray(values, np.float64)]


def amounts(mark: Amounts) -> Twin:
    """A row for each bar: its parts, what stands at its end, its error bar, whose figure it is."""
    parts: list[Text] = []
    for row in mark.rows:
        parts += [name for name, _, _ in row.parts if name not in parts]
    ends = any(row.low is not None for row in mark.rows)
    sources = any(row.source for row in mark.rows)
    titles: list[Text] = [msg("name"), *(part or msg("size") for part in parts), msg("value")]
    titles += [msg("low"), msg("high")] if ends else []
    titles += [msg("source")] if sources else []
    found: list[Row] = []
    heads = dict(mark.heads)
    for k, row in enumerate(mark.rows):
        if k in heads:
            found.append((heads[k],))
        sizes = {name: size for name, size, _ in row.parts}
        value = msg("{value} ({note})", value=row.value, note=row.note) if row.note else row.value
        line: list[Text | float] = [row.name, *(sizes.get(part, math.nan) for part in parts), value]
        line += [math.nan if end is None else end for end in (row.low, row.high)] if ends else []
        line += [SOURCES.get(row.source, row.source)] if sources else []
        found.append(tuple(line))
    return tuple(titles), tuple(found)

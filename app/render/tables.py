"""The same numbers as a table: the twin of every drawn mark, for screen readers, copying and CSV."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from app.formulas import latex, spoken
from app.holes import holes
from app.messages import Text, msg
from app.render import charts
from app.scene import (
    Amounts,
    Arcs,
    Axis,
    Cells,
    Code,
    Curve,
    Equation,
    Film,
    Formula,
    Graph,
    Heatmap,
    Lanes,
    Lattice,
    Mark,
    Plot,
    Shares,
    Sheet,
    Stack,
    Table,
)

Row = tuple[Text | float, ...]
Twin = tuple[tuple[Text, ...], tuple[Row, ...]]


def twin(mark: Mark) -> Twin | None:
    """(column titles, rows) of a mark; None for marks that are text already.  NaN where undefined."""
    if isinstance(mark, Heatmap | Arcs):
        return _heatmap(mark)
    if isinstance(mark, Film):
        return _film(mark)
    if isinstance(mark, Curve):
        return _curve(mark)
    if isinstance(mark, Cells):
        return _cells(mark)
    if isinstance(mark, Code):
        return _code(mark)
    if isinstance(mark, Lanes):
        return _lanes(mark)
    if isinstance(mark, Lattice):
        return _lattice(mark)
    if isinstance(mark, Plot):
        return charts.plot(mark)
    if isinstance(mark, Amounts):
        return charts.amounts(mark)
    if isinstance(mark, Stack):
        columns = (mark.threshold_text, msg("before"), msg("added"))
        return columns, tuple((label, base, added) for label, base, added, _ in mark.columns)
    if isinstance(mark, Shares):
        rows = tuple((name, text, share) for name, parts, _ in mark.rows for text, share, _ in parts)
        return (msg("name"), msg("state"), msg("share")), rows
    if isinstance(mark, Sheet):
        return mark.columns, tuple(tuple(span.text for span in row) for row in mark.rows)
    if isinstance(mark, Formula):
        return _formula(mark)
    if isinstance(mark, Graph):
        return _graph(mark)
    if isinstance(mark, Equation):
        return _equation(mark)
    if isinstance(mark, Table):
        return mark.columns or (msg("name"), msg("value")), mark.rows
    return None


def _code(mark: Code) -> Twin:
    rows: list[Row] = []
    for k, (text, line) in enumerate(mark.rows):
        last = line is not None and (k + 1 == len(mark.rows) or mark.rows[k + 1][1] != line)
        found = [value for value in mark.values if last and value.line == line]
        shown = found[0].text if found else ""
        shown = f"{found[0].old} → {shown}" if found and found[0].old else shown
        here = msg("just run") if line is not None and line == mark.current else ""
        here = msg("runs next") if line is not None and line == mark.next else here
        stop = msg("stop") if any(number == line and on for number, on in mark.stops) else ""
        rows.append(("" if line is None else str(line), text, shown, here, stop))
    return (msg("line"), msg("code"), msg("value"), msg("state"), msg("stop")), tuple(rows)


def _lanes(mark: Lanes) -> Twin:
    """The steps first, then the variables; a covered row stays covered."""
    rows: list[Row] = []
    for k, step in enumerate(mark.steps):
        rows.append((f"t = {step}", *(float(value) for value in mark.fills[k]), mark.step_notes[k]))
    for lane in mark.lanes:
        values = (math.nan if lane.hidden else float(value) for value in lane.values)
        rows.append((lane.name, *values, lane.note))
    return (msg("row"), *_names(mark.cols), msg("note")), tuple(rows)


def _lattice(mark: Lattice) -> Twin:
    """A row of the lattice as one row: its numbers where it has some, else what each cell is; then words."""
    names = [*(kind.name for kind in mark.kinds), msg("not computed")]  # -1 is the last
    bad = None if mark.shades is None else holes(mark.shades)
    rows: list[Row] = []
    for k, label in enumerate(mark.rows.labels):
        kinds: list[Text] = [names[tone] for tone in mark.tones[k].tolist()]
        cells: list[Text | float] = [*kinds] if mark.values is None else [float(v) for v in mark.values[k]]
        if bad is not None:
            hidden = bad[k] & (mark.tones[k] >= 0)
            cells = ["NaN" if gone else cell for cell, gone in zip(cells, hidden.tolist(), strict=True)]
        note = (mark.notes[k],) if mark.notes else ()
        rows.append((label, *cells, *note))
        if mark.texts and any(mark.texts[k]):
            rows.append((label, *mark.texts[k], *("" for _ in note)))
    if mark.foot:
        rows.append((mark.foot_name, *mark.foot, *(("",) if mark.notes else ())))
    titles = (mark.rows.name, *_names(mark.cols), *((msg("note"),) if mark.notes else ()))
    return titles, tuple(rows)


def _formula(mark: Formula) -> Twin:
    labels = mark.labels or ("",) * len(mark.lines)
    rows = []
    for label, line in zip(labels, mark.lines, strict=True):
        text = "".join(span.text if isinstance(span.text, str) else span.text.id for span in line)
        rows.append((label, text.replace("_{", "").replace("}", "")))
    return (msg("name"), msg("value")), tuple(rows)


def _graph(mark: Graph) -> Twin:
    """A row for each arrow, and one for a box that no arrow leaves; through junctions without a name."""
    names = {box.id: box.text for box in mark.boxes}

    def ends(start: str) -> list[Text]:
        after = [wire.end for wire in mark.wires if wire.start == start]
        return [text for end in after for text in ([names[end]] if names[end] else ends(end))]

    rows: list[Row] = []
    for box in mark.boxes:
        if box.text and box.style != "frame":
            rows += [(box.text, box.note, end) for end in ends(box.id) or [""]]
    return (msg("part"), msg("note"), msg("leads to")), tuple(rows)


def _equation(mark: Equation) -> Twin:
    sources = latex()
    labels = mark.labels or ("",) * len(mark.formulas)
    rows = tuple(
        (label, spoken(name), sources[name]) for label, name in zip(labels, mark.formulas, strict=True)
    )
    return (msg("name"), msg("in words"), "LaTeX"), rows


def _names(axis: Axis) -> list[str]:
    """Whole labels, with the position's number in front."""
    labels = axis.full or axis.labels
    if not axis.numbers or axis.kind == "step":
        return list(labels)
    return [f"{number} {label}" for number, label in zip(axis.numbers, labels, strict=True)]


def _heatmap(mark: Heatmap | Arcs) -> Twin:
    if mark.values is None:
        return (msg("note"),), ((mark.missing,),)
    rows, cols = _names(mark.rows), _names(mark.cols)
    if mark.values.shape != (len(rows), len(cols)):  # pooled: each value stands for a block
        rows, cols = (
            _blocks(names, size) for names, size in zip((rows, cols), mark.values.shape, strict=True)
        )
    side = mark.side if isinstance(mark, Heatmap) else None
    side = side if side is not None and len(side.labels) == len(rows) else None
    titles: tuple[Text, ...] = (mark.rows.name, *cols, *((side.title,) if side else ()))
    table = []
    for k, name in enumerate(rows):
        gone = bool(mark.absent) and len(mark.absent) == len(rows) and mark.absent[k]
        values = [math.nan if gone else _told(_on_scale(value, mark)) for value in mark.values[k]]
        table.append((name, *values, *((side.labels[k],) if side else ())))
    return titles, tuple(table)


def _on_scale(value: Any, mark: Heatmap | Arcs) -> float:
    """A value of a map whose numbers came as bytes, on its scale again."""
    if not isinstance(value, np.uint8):
        return float(value)
    low, high = (mark.low, mark.high) if isinstance(mark, Heatmap) else (0.0, 1.0)
    return low + float(value) / 255 * (high - low)


def _told(value: float) -> float | str:
    """A value of a map that is NaN is one that a model broke down at, not one that is undefined."""
    return "NaN" if math.isnan(value) else value


def _blocks(names: list[str], size: int) -> list[str]:
    starts = [k * len(names) // size for k in range(size)] + [len(names)]
    return [f"{first + 1}–{last}" for first, last in pairwise(starts)]


def _film(mark: Film) -> Twin:
    rows: list[Row] = []
    for label, spans, step, values in zip(mark.labels, mark.captions, mark.steps, mark.frames, strict=True):
        words = [span.text for span in spans]
        state = msg("computed") if step <= mark.computed else msg("not computed")
        if values is not None and holes(values) is not None:
            state = msg("computed; some values are no numbers (NaN or infinity)")
        rows.append((label, state, *(words[:2] + [""] * (2 - len(words[:2])))))
    return (msg("step"), msg("state"), msg("answer"), msg("probability")), tuple(rows)


def _curve(mark: Curve) -> Twin:
    titles = (mark.x_name, *(one.name for one in mark.series))
    count = max((len(one.y) for one in mark.series), default=0)
    rows = tuple((float(k + 1), *(one.y[k] for one in mark.series)) for k in range(count))
    return titles, rows


def _cells(mark: Cells) -> Twin:
    heads: list[Text] = []
    for k in range(mark.columns):
        heads += [msg("cell {n}", n=k + 1), msg("value {n}", n=k + 1)]
    rows: list[Row] = []
    for label, cells in zip(mark.labels, mark.rows, strict=True):
        flat: list[Text | float] = []
        for cell in cells:
            flat += [cell.tip or cell.text, cell.value]
        rows.append((label, *flat, *([""] * (2 * mark.columns - len(flat)))))
    return ("", *heads), tuple(rows)

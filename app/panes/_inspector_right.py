"""The right rail of the live inspector: sharpening, settling, and the hops of the pinned position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.messages import Text, msg
from app.panes import _inspector_numbers as numbers
from app.panes._inspector_centre import label_of, window
from app.panes._inspector_state import USUAL_STEPS, State, brief, kept, place_of
from app.scene import Card, Cell, Cells, Choice, Column, Curve, Series

Array = NDArray[np.float64]
HOPS = 3
HOP_ROWS = 8
NOT_FINITE = msg("NaN or infinity")
THIN = 64  # thin lines at most; more would be a smear


def right(state: State, pinned: int) -> Column:
    return Column("right", cards(state, pinned), (4, 3, 5))


def cards(state: State, pinned: int) -> tuple[Card, Card, Card]:
    """Sharpening, settling, hops."""
    return _sharpening(state, pinned), _settling(state, pinned), _hops(state, pinned)


# ---- curves ---------------------------------------------------------------------------------------------


def _sharpening(state: State, pinned: int) -> Card:
    names = {
        "entropy": msg("entropy"),
        "effective": msg("positions read"),
        "largest": msg("largest weight"),
        "mass": msg("weight on the facts"),
    }
    tip = msg("1: every position is read alike") if state.measure == "entropy" else ""
    tool = Choice("control.measure", msg("Measure"), "control.measure", tuple(names.items()), state.measure,
                  tip=tip)  # fmt: skip
    values = numbers.sharpness(state)
    high = float(max(len(state.axis), 2)) if state.measure == "effective" else 1.0
    low = 1.0 if state.measure == "effective" else 0.0
    note = _sharp_note(state, values, pinned)
    y_name = msg("entropy (1 = even)") if state.measure == "entropy" else names[state.measure]
    curve = _curve("sharpening", state, values, pinned, (low, high), y_name, note)
    return Card("sharpening.card", msg("Sharpening"), curve, tools=(tool,))


def _sharp_note(state: State, values: Array, pinned: int) -> Text:
    if not state.records:
        return msg("one point a step")
    if np.isfinite(values).any():
        only_one = state.measure == "entropy" and numbers.attendable(state, pinned) == 1
        return msg("undefined here: this row can read one position only") if only_one else ""
    if state.measure == "entropy" and numbers.attendable(state, pinned) == 1:
        return msg("undefined: there is one position to read")
    if numbers.broken(state):
        return NOT_FINITE
    if state.measure == "mass":
        marked = state.info is not None and state.info.marks
        return msg("the maps stayed in the engine") if marked else msg("no position is marked as a fact")
    return msg("this run has no attention")


def _settling(state: State, pinned: int) -> Card:
    values = numbers.settling(state)
    finite = values[np.isfinite(values)]
    high = _nice(float(finite.max())) if finite.size else 1.0
    note: Text = "" if finite.size else msg("one point a step") if not state.records else msg("not recorded")
    note = NOT_FINITE if not finite.size and numbers.broken(state) else note
    curve = _curve("settling", state, values, pinned, (0.0, high), msg("relative update size"), note)
    return Card("settling.card", msg("Settling"), curve, msg("‖hᵗ − hᵗ⁻¹‖ / ‖hᵗ⁻¹‖"))


def _nice(value: float) -> float:
    """The next of 1, 1.5, 2, 3, 5 times a power of ten at or above the value."""
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(step * power for step in (1, 1.5, 2, 3, 5, 10) if step * power >= value * 0.999))


def _curve(
    key: str, state: State, values: Array, pinned: int, y: tuple[float, float], name: Text, note: Text
) -> Curve:
    """Pinned thick, mean thick, the others thin; rows that do not count are left out of mean and thin."""
    steps = max(state.planned or state.steps or USUAL_STEPS, 2)
    series: tuple[Series, ...] = ()
    thin = None
    if state.records and pinned < len(state.axis):
        asked = key, len(state.records), state.head, state.measure, state.count_halted
        mean, thin = kept(state, ("curve", *asked), lambda: _lines(state, values))
        series = (
            Series(msg("mean"), mean, "fg"),
            Series(label_of(state, pinned), tuple(values[:, pinned].tolist()), "accent"),
        )
    return Curve(
        key,
        series,
        steps,
        y,
        state.line.current,
        msg("step"),
        name,
        thin,
        note,
        alt=_curve_alt(state, values, pinned, name),
    )


def _lines(state: State, values: Array) -> tuple[tuple[float, ...], Array]:
    """The mean over the rows that count, and as many single rows [line, step] as can be told apart."""
    mask, count = numbers.counted(state), len(state.axis)
    chosen = np.linspace(0, count - 1, min(count, THIN)).round().astype(int)
    return tuple(numbers.mean_of(values, mask).tolist()), np.where(mask, values, np.nan).T[chosen]


def _curve_alt(state: State, values: Array, pinned: int, name: Text) -> Text:
    line = values[:, pinned] if len(values) and pinned < values.shape[1] else np.empty(0)
    finite = line[np.isfinite(line)]
    if not finite.size:
        return msg("{name} by step: nothing yet", name=name)
    return msg(
        "{name} of “{label}” by step: from {first} to {last}",
        name=name,
        label=label_of(state, pinned),
        first=f"{finite[0]:.2f}",
        last=f"{finite[-1]:.2f}",
    )


# ---- hops -----------------------------------------------------------------------------------------------


def _hops(state: State, pinned: int) -> Card:
    steps = window(max(state.line.current, 1), state.planned or state.steps or USUAL_STEPS, HOP_ROWS)
    rows = tuple(_hop_row(state, step - 1, pinned) for step in steps)
    current = steps.index(state.line.current) if state.line.current in steps else None
    grid = Cells(
        "hops",
        rows,
        tuple(msg("t = {t}", t=step) for step in steps),
        current=current,
        columns=HOPS,
        event="pin",
        row_event="transport.seek",
        row_values=tuple(steps),
        alt=msg("the three positions “{label}” reads most, at every step", label=label_of(state, pinned)),
    )
    title = msg("Hops of “{label}”", label=label_of(state, pinned)) if len(state.axis) else msg("Hops")
    return Card("hops.card", title, grid, msg("top 3 of each step"))


def _hop_row(state: State, index: int, pinned: int) -> tuple[Cell, ...]:
    if not 0 <= index < len(state.records) or pinned >= len(state.axis):
        return ()
    return kept(state, ("hops", index, state.head, pinned), lambda: _hop_cells(state, index, pinned)) or ()


def _hop_cells(state: State, index: int, pinned: int) -> tuple[Cell, ...] | None:
    row = numbers.row_at(state, index, pinned)
    if row is None:
        return None
    cells = []
    for position, weight in numbers.top(row, min(HOPS, len(row))):
        place = place_of(state.axis, position)
        marked = place is not None and place in state.axis.marked
        full = "" if place is None else state.axis.full[place]
        cells.append(
            Cell(
                label_of(state, position),
                f"{weight:.2f}",
                weight,
                marked=marked,
                tip=full,
                place=position,
                brief=brief(full),
                note=f"({position + 1})",
            )
        )
    return tuple(cells)

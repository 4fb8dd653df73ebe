"""The counters under the grids, so far and in all."""

from __future__ import annotations

from app.messages import Text, msg
from app.panes import _grid_state as st
from app.panes._grid_state import Shown, State
from app.scene import Card, Sheet, Span
from app.sorting import sorted_sheet
from ut_engine.schedule import Counters
from ut_engine.schedule import counters as count

COLUMNS: tuple[Text, ...] = (
    msg("model"), msg("ticks"), msg("cells computed"), msg("copied"), msg("not counted"), msg("weight sets"),
    msg("parameters"), msg("work per token"),
)  # fmt: skip


def counters(state: State) -> Card:
    """One row a model; of the schematic all four, so that one can be compared with the others."""
    rows = st.every(state)
    shown = {one.model for one in st.shown(state)}
    names = [one.model for one in rows]
    current = names.index(state.show) if state.show in names and len(shown) == 1 else None
    sheet = Sheet(
        "grid.sheet",
        COLUMNS,
        tuple(_row(state, one) for one in rows),
        current=current if len(rows) > 1 else None,
        event="grid.show" if len(rows) > 1 else "",
        values=tuple(names) if len(rows) > 1 else (),
        alt=msg("counters of every model at this tick"),
    )
    if len(rows) > 1:
        sheet = sorted_sheet(sheet, state.sort, "grid.sort")
    return Card("grid.counters", msg("Counters"), sheet, _about(state))


def _about(state: State) -> Text:
    if state.source != st.SCHEMATIC:
        return msg("parameters: all of the checkpoint; work: multiply-adds of the blocks")
    return msg("encoder blocks of d = {d}, d_ff = {f}; RNN: an LSTM of d = {d}; work in multiply-adds",
               d=st.D_MODEL, f=st.D_FF)  # fmt: skip


def _row(state: State, one: Shown) -> tuple[Span, ...]:
    grid, tick = one.grid, state.line.current
    computed, copied, uncounted = grid.so_far(tick)
    figures = _figures(state, one)
    parameters = one.cells.parameters if one.cells is not None else figures.parameters
    name = st.NAMES[one.model]
    if one.cells is not None:
        name = msg("{model}: {name}", model=name, name=one.cells.name)
    none: Text = "–"
    return (
        Span(name, "fg", bold=one.model == state.show),
        _of(min(tick, grid.ticks), grid.ticks),
        _of(computed, grid.computed),
        _of(copied, grid.copied) if one.model == "act" else Span(none, "dim"),
        _of(uncounted, grid.uncounted) if one.model == "act" else Span(none, "dim"),
        Span(str(grid.weight_sets), "fg", mono=True),
        Span(f"{parameters:,}", "fg", mono=True),
        Span(f"{figures.macs_per_token:,.0f}", "fg", mono=True),
    )


def _figures(state: State, one: Shown) -> Counters:
    if one.cells is None:
        return st.counted(one.model, *st.key(state))
    cells = one.cells
    return count(one.grid, cells.d_model, cells.d_ff, cells.transition, cells.stacked)


def _of(now: int, whole: int) -> Span:
    text = str(whole) if now == whole else f"{now} / {whole}"
    return Span(text, "fg", mono=True)

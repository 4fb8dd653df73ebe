"""The middle of the live inspector: the film of maps, the large map with its bars, the readout line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.depth import is_lstm
from app.engine_texts import said
from app.messages import Text, msg, nmsg
from app.pane import Selection
from app.panes import _inspector_numbers as numbers
from app.panes import _inspector_state as st
from app.panes._inspector_state import State, place_of
from app.scene import (
    Arcs,
    Axis,
    Bars,
    Button,
    Card,
    Choice,
    Column,
    Film,
    Form,
    Heatmap,
    Node,
    Prose,
    Row,
    Span,
)
from ut_engine.records import StepRecord

Array = NDArray[np.generic]
FRAMES = 12  # maps in the film at once
MENU_HEADS = 10  # more heads than this are picked from a menu


def centre(state: State, selection: Selection, pinned: int) -> Column:
    parts: list[Node] = []
    if state.phase == st.FAILED:
        parts.append(_broken(state))
    parts += [_film_card(state, pinned), _map_card(state, selection, pinned)]
    return Column("centre", tuple(parts), (*(0 for _ in parts[2:]), 1, 2))  # a low window takes from both


def _broken(state: State) -> Row:
    text: Text = said(state.what) or msg("The engine stopped.")
    again = Button("failed.again", msg("Start again"), "run.restart", icon="rotate-ccw", style="primary")
    kept = msg("Every step received is kept.") if state.records else ""
    lines: tuple[tuple[Span, ...], ...] = ((Span(text, "error", bold=True),),)
    if kept:
        lines = (*lines, (Span(kept, "dim"),))
    return Row("failed", (Prose("failed.text", lines, "error"), Form("failed.form", ((again,),))), (1, 0))


# ---- film -----------------------------------------------------------------------------------------------


def head_text(state: State) -> Text:
    if state.head is None:
        return nmsg("mean of {n} head", "mean of {n} heads", max(state.heads, 1))
    return msg("head {n}", n=state.head + 1)


def _film_card(state: State, pinned: int) -> Card:
    side = state.records[0].address.side if state.records else "encoder"
    sides = {"encoder": msg("encoder"), "decoder": msg("decoder")}
    subtitle = msg("{side} · {head}", side=sides[side], head=head_text(state)) if state.heads else ""
    tools = (_head_picker(state),) if state.heads else ()
    title = msg("Attention, step by step")
    if is_lstm(state.card.config):
        title, subtitle = msg("Answers, step by step"), msg("of the position read at each step")
    return Card("film.card", title, _film(state, pinned), subtitle, tools)


def _head_picker(state: State) -> Choice:
    options: list[tuple[str, Text]] = [("mean", msg("mean"))]
    options += [(str(k), str(k + 1)) for k in range(state.heads)]
    style = "segments" if state.heads <= MENU_HEADS else "menu"
    value = "mean" if state.head is None else str(state.head)
    return Choice("control.head", msg("Head"), "control.head", tuple(options), value, style)


def window(current: int, total: int, most: int) -> range:
    """At most `most` steps (from 1) of `total` around the current one."""
    first = min(max(1, current - most // 2), max(1, total - most + 1))
    return range(first, min(total, first + most - 1) + 1)


def _film(state: State, pinned: int) -> Film:
    total = state.planned or state.steps or st.USUAL_STEPS
    steps = window(max(state.line.current, 1), total, FRAMES)
    frames = tuple(st.small(state, step - 1) for step in steps)
    labels = tuple(msg("t = {t}", t=step) for step in steps)
    captions = tuple(_kept_caption(state, step - 1, pinned) for step in steps)
    current = steps.index(state.line.current) if state.line.current in steps else -1
    return Film(
        "film",
        frames,
        labels,
        captions,
        tuple(steps),
        current,
        len(state.records),
        alt=nmsg("{n} map of {m} computed", "{n} maps of {m} computed", len(state.records), m=total),
    )


def _kept_caption(state: State, index: int, pinned: int) -> tuple[Span, ...]:
    position = index if is_lstm(state.card.config) else numbers.answering(state, pinned)
    made = st.kept(
        state, ("caption", index, position, state.stopped), lambda: _caption(state, index, position) or None
    )
    return made or ()


def _caption(state: State, index: int, position: int) -> tuple[Span, ...]:
    if not 0 <= index < len(state.records):
        return ()
    found = numbers.answer(state, state.records[index], position)
    if found is None:
        return (Span("NaN", "error", bold=True),) if numbers.broken(state, index) else ()
    expected = None if state.info is None or state.info.readout == "every" else state.info.expected
    role = "dim" if expected is None else ("ok" if found[0] == expected else "fg")
    return Span(found[0], role, bold=True), Span(f"{found[1]:.2f}", "dim", mono=True)


# ---- map ------------------------------------------------------------------------------------------------


def _map_card(state: State, selection: Selection, pinned: int) -> Card:
    title = msg("t = {t}", t=state.line.current) if state.line.current else msg("Map of one step")
    options = (("map", msg("map")), ("arcs", msg("arcs")), ("row", msg("this row over the steps")))
    tools = (Choice("control.layout", msg("Layout"), "control.layout", options, state.layout, "segments"),)
    body: Node = Column(
        "map.column", (_picture(state, selection, pinned), readout(state, selection, pinned)), (1, 0)
    )
    subtitle = msg("rows read ↓   columns are read from →")
    if state.layout == "arcs":
        subtitle = msg("a line is as strong as its weight")
    if state.layout == "row":
        title, subtitle = (
            msg("“{label}” over the steps", label=label_of(state, pinned)),
            msg("columns are read from →"),
        )
    return Card("map.card", title, body, subtitle, tools if state.records else ())


def label_of(state: State, position: int) -> str:
    place = place_of(state.axis, position)
    return "–" if place is None else state.axis.labels[place]


def _picture(state: State, selection: Selection, pinned: int) -> Heatmap | Arcs:
    """The step's weights in the chosen layout."""
    if state.layout == "row" and state.records:
        return _row_map(state, selection, pinned)
    found = _heatmap(state, selection, pinned)
    if state.layout != "arcs" or not state.records:
        return found
    return Arcs(
        "arcs",
        found.values,
        found.rows,
        found.cols,
        found.absent,
        found.pinned,
        found.hovered,
        msg("reads"),
        msg("is read"),
        found.missing,
        alt=found.alt,
    )


def _heatmap(state: State, selection: Selection, pinned: int) -> Heatmap:
    record = state.record
    values = st.shown(state, state.line.current - 1)
    absent: tuple[bool, ...] = ()
    if record is not None and state.info is not None:
        absent = st.kept(state, ("absent", state.line.current), lambda: _absent(state, record))
    return Heatmap(
        "map",
        values,
        state.axis,
        state.axis,
        scale=msg("weight, scale fixed"),
        absent=absent,
        pinned=place_of(state.axis, pinned),
        hovered=_hovered(state, selection),
        side=_ponder(state),
        missing=_missing(state),
        alt=_map_alt(state),
    )


def _absent(state: State, record: StepRecord) -> tuple[bool, ...]:
    """Which rows hold nothing to show, in the order shown: not computed, or NaN where a model broke down."""
    order = np.asarray(() if state.info is None else st.order_of(state.info), np.intp)
    there = record.computed[0] & record.real[0]
    entry = st.attention_of(record)
    if entry is not None and entry.entropy is not None and entry.entropy.shape[2] == len(there):
        there = there & np.isfinite(entry.entropy[0]).all(axis=0)
    return tuple((~there[order]).tolist())


def _hovered(state: State, selection: Selection) -> tuple[int, int] | None:
    if selection.hovered is None or selection.hovered_key is None:
        return None
    row, col = place_of(state.axis, selection.hovered), place_of(state.axis, selection.hovered_key)
    return None if row is None or col is None else (row, col)


def _missing(state: State) -> Text:
    if state.phase == st.NO_CHECKPOINT:
        return msg("Open a checkpoint to watch its attention, step by step")
    if state.phase == st.OPENING:
        return msg("The checkpoint is being opened")
    if state.record is None:
        return msg("Step 1 is being computed") if state.live else msg("Type or pick a story, then press Run")
    entry = st.attention_of(state.record)
    if entry is None and is_lstm(state.card.config):
        return msg("An LSTM has no attention: at step t it reads position t")
    if entry is None:
        return msg("No attention was recorded: this model has none, or it was not kept")
    key = st.tile_key(state, state.line.current - 1)
    if state.lost or state.phase == st.RECORDED or (key in state.tiles and state.tiles[key] is None):
        return msg("This map is lost: it stayed in the engine")
    return msg("The map is on its way from the engine")


def _map_alt(state: State) -> Text:
    if state.record is None:
        return _missing(state)
    return msg(
        "attention weights at step {t}, {head}: {m} rows that read, {m} columns read from",
        t=state.line.current,
        head=head_text(state),
        m=len(state.axis),
    )


def _ponder(state: State) -> Bars | None:
    """Ponder time N of every row, aligned with the map: blue while running, hatched once halted."""
    key = "ponder", state.line.current, max(state.planned, 1)
    bars: Bars | None = st.kept(state, key, lambda: _ponder_bars(state))
    return bars


def _ponder_bars(state: State) -> Bars | None:
    record = state.record
    counts = None if record is None else numbers.n_updates(record)
    if record is None or record.halting is None or counts is None or state.info is None:
        return None
    order = st.order_of(state.info)
    halted = [bool(record.halting.halted[0, position]) for position in order]
    values = tuple(float(counts[position]) for position in order)
    labels = tuple(
        f"{value:.0f}" + ("" if done else " …") for value, done in zip(values, halted, strict=True)
    )
    roles = tuple("hatch" if done else "running" for done in halted)
    most = float(max(state.info.max_steps, state.planned, 1))
    alt = nmsg(
        "ponder time: {n} position still runs", "ponder time: {n} positions still run", halted.count(False)
    )
    return Bars("ponder", msg("ponder time N"), values, labels, roles, tuple(halted), most, alt)


def _row_map(state: State, selection: Selection, pinned: int) -> Heatmap:
    """[step, column]: the pinned row at every step."""
    count, steps = len(state.axis), window(state.line.current, state.planned, 24)
    order = np.asarray(st.order_of(state.info)) if state.info is not None else np.arange(count)
    rows = [numbers.row_at(state, step - 1, pinned) if step <= len(state.records) else None for step in steps]
    values = np.array([np.zeros(count) if row is None else row[order] for row in rows], np.float32)
    labels = tuple(f"t = {step}" for step in steps)
    axis = Axis(msg("step"), labels, (), tuple(steps), kind="step")
    key = None if selection.hovered_key is None else place_of(state.axis, selection.hovered_key)
    current = steps.index(state.line.current) if state.line.current in steps else None
    return Heatmap(
        "map",
        values,
        axis,
        state.axis,
        scale=msg("weight, scale fixed"),
        absent=tuple(row is None for row in rows),
        pinned=current,
        hovered=None if key is None or current is None else (current, key),
        pin="transport.seek",
        alt=msg("what “{label}” reads at every step", label=label_of(state, pinned)),
    )


# ---- readout line ---------------------------------------------------------------------------------------


def readout(state: State, selection: Selection, pinned: int) -> Prose:
    """Fixed place: the cell looked at, its value, the step before, the difference; whole sentences below."""
    cell = _cell(state, selection, pinned)
    row = None if cell is None else numbers.row_at(state, state.line.current - 1, cell[0])
    if cell is None or row is None:
        return Prose(
            "readout",
            ((Span(_no_cell(state, pinned if cell is None else cell[0]), "dim"),), (Span(" ", "dim"),)),
            "readout",
        )
    query, key = cell
    value = float(row[key])
    spans = [
        Span(f"{label_of(state, query)} ({query + 1}) → {label_of(state, key)} ({key + 1})", bold=True),
        Span(f"{value:.4f}", mono=True),
    ]
    old = numbers.row_at(state, state.line.current - 2, query) if state.line.current > 1 else None
    if old is not None:
        spans.append(Span(f"t = {state.line.current - 1}: {old[key]:.4f}", "dim", mono=True))
        spans.append(Span(f"{value - float(old[key]):+.4f}", "dim", mono=True))
    spans.append(Span(msg("row sum {sum}", sum=f"{float(row.sum()):.4f}"), "dim"))
    full = (Span(msg("“{query}” reads “{key}”", query=_full(state, query), key=_full(state, key)), "dim"),)
    return Prose("readout", (tuple(spans), full), "readout")


def _full(state: State, position: int) -> str:
    place = place_of(state.axis, position)
    return "–" if place is None else state.axis.full[place]


def _cell(state: State, selection: Selection, pinned: int) -> tuple[int, int] | None:
    """The cell under the pointer, else what the pinned row reads most."""
    if selection.hovered_key is not None:
        query = pinned if selection.hovered is None or state.layout == "row" else selection.hovered
        if max(query, selection.hovered_key) < len(state.axis):
            return query, selection.hovered_key
    row = numbers.row_at(state, state.line.current - 1, pinned)
    return None if row is None else (pinned, numbers.top(row, 1)[0][0])


def _no_cell(state: State, position: int) -> Text:
    if state.record is None:
        return " "
    values = st.matrix(state, state.line.current - 1)
    if values is None:
        return " "
    if values.shape[0] != len(state.axis):
        block = -(-len(state.axis) // values.shape[0])
        return msg("each dot is the largest weight of {n} × {n} cells", n=block)
    if state.record.computed[0, position]:
        return numbers.breakdown(state) or " "
    return msg("this row was not computed at step {t}", t=state.line.current)

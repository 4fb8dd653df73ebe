"""The lattices of the depth grid: one a model, all on one clock, and the line that says what a cell is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from app.messages import Text, msg, nmsg
from app.pane import Selection
from app.panes import _grid_state as st
from app.panes import _grid_tones as tones
from app.panes._grid_state import Shown, State
from app.scene import Axis, Card, Column, Lattice, Node, Prose, Row, Span, Tone
from ut_engine.schedule import COPIED, UNCOUNTED, Schedule, mixed, reads, receptive_field

OTHERS = msg("the others are no numbers (NaN or infinity)")
NO_NUMBERS = msg("its figures are no numbers (NaN or infinity)")

# ---- lattices ---------------------------------------------------------------------------------------------


def lattice(state: State, one: Shown, selection: Selection, legend: bool, most: int) -> Lattice:
    grid, tick = one.grid, state.line.current
    found, kinds = tones.live_tones(state, one) if one.cells is not None else tones.plan_tones(grid)
    done = np.vstack([np.ones((1, grid.positions), bool), grid.done(tick) & (grid.cells > 0)])
    shades, values = tones.figures(state, one)
    focus = st.look(state, state.cell)
    here = focus if focus is not None and focus[0] == one.model else None
    wide = range(grid.positions)
    return Lattice(
        f"lattice.{one.model}",
        np.where(done, found, -1),
        kinds,
        Axis(msg("depth"), row_labels(grid), numbers=tuple(range(grid.rows + 1)), kind="step"),
        Axis(msg("position"), tuple(str(k + 1) for k in wide), numbers=tuple(k + 1 for k in places(one))),
        shades=shades,
        texts=tones.words(state, one, done),
        values=values,
        scale=tones.SCALES[state.colour] if one.cells is not None else (),
        links=links(grid, here),
        field=receptive_field(grid, here[1], here[2]) if here is not None and here[1] else None,
        focus=here[1:] if here is not None else None,
        current=current_row(grid, tick),
        notes=row_notes(one),
        most=most,
        height=_height(max(grid.rows + 1, most), legend) if state.narrow else 0,
        foot=() if one.model == "rnn" and not legend else st.targets(state, one),
        foot_name=msg("right answer"),
        pinned=column_of(one, selection.pinned),
        column=focus[2] if focus is not None and here is None else column_of(one, selection.hovered),
        hover=f"grid.cell.{one.model}",
        pick=f"grid.hold.{one.model}",
        linked="hover",
        legend=legend,
        alt=told(state, one),
    )


def _height(rows: int, alone: bool) -> int:
    """px where the page may be longer than the window."""
    return min(70 + (34 if alone else 20) * rows, 420 if alone else 300)


def places(one: Shown) -> Iterable[int]:
    """The model's positions of the columns."""
    return range(one.grid.positions) if one.cells is None else one.cells.places.tolist()


def column_of(one: Shown, place: int | None) -> int | None:
    """The column of a position of the linked selection, where it is on screen."""
    if place is None:
        return None
    found = [k for k, other in enumerate(places(one)) if other == place]
    return found[0] if found else None


@lru_cache(maxsize=64)
def _labels(model: str, rows: int) -> tuple[str, ...]:
    if model == "rnn":
        return "x", "h"
    sign = "l" if model == "transformer" else "t"
    return ("x", *(f"{sign} = {row}" for row in range(1, rows + 1)))


def row_labels(grid: Schedule) -> tuple[str, ...]:
    return _labels(grid.model, grid.rows)


def row_notes(one: Shown) -> tuple[str, ...]:
    """Which weights a row uses; nothing at the input."""
    grid = one.grid
    sets = grid.weight_set[:, 0].tolist()
    several = grid.model == "transformer"
    return ("", *(f"W{number + 1}" if several else "W" for number in sets))


def current_row(grid: Schedule, tick: int) -> int | None:
    """The row the last tick computed; None once the grid stands finished."""
    if not 1 <= tick <= grid.ticks:
        return None
    return 1 if grid.model == "rnn" else tick


def links(grid: Schedule, here: st.Cell | None) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
    """What the cell looked at reads; an RNN's chain is always there."""
    found = []
    if grid.model == "rnn":
        found += [((1, k), read) for k in range(grid.positions) for read in reads(grid, 1, k)]
    elif here is not None and here[1]:
        found += [((here[1], here[2]), read) for read in reads(grid, here[1], here[2])]
    return tuple(found)


def told(state: State, one: Shown) -> Text:
    """One grid in a sentence."""
    computed, copied, uncounted = one.grid.so_far(state.line.current)
    about = msg(
        "{model}: {n} of {m} cells computed", model=st.SHORT[one.model], n=computed, m=one.grid.computed
    )
    if one.model != "act":
        return msg("{what}.", what=about)
    return msg("{what}, {n} copied, {k} no longer counted.", what=about, n=copied, k=uncounted)


# ---- cards ------------------------------------------------------------------------------------------------


def figure(state: State, selection: Selection) -> Node:
    """The grids, the RNN's one row above the others, which share a base line."""
    shown = st.shown(state)
    if len(shown) == 1:
        one = shown[0]
        card = _card(state, one, lattice(state, one, selection, legend=True, most=0))
        return Column("grid.all", (Row("grid.deep", (card,)),))
    most = max((one.grid.rows + 1 for one in shown if one.model != "rnn"), default=1)
    cards = {
        one.model: _card(state, one, lattice(state, one, selection, False, 2 if one.model == "rnn" else most))
        for one in shown
    }
    deep = tuple(card for model, card in cards.items() if model != "rnn")
    top = (cards["rnn"],) if "rnn" in cards else ()
    rest: Node = Row("grid.deep", deep, (1,) * len(deep), (190,) * len(deep))
    if state.slim:
        rest = Column("grid.deep", deep, (1,) * len(deep))
    legend = Lattice(
        "grid.legend", np.zeros((0, 0), int), _all_kinds(state, shown), Axis("", ()), Axis("", ()),
        scale=tones.SCALES[state.colour] if shown and shown[0].cells is not None else (),
        alt=msg("what the colours and hatches mean"),
    )  # fmt: skip
    return Column("grid.all", (*top, rest, legend), (*(12 for _ in top), 60, 0))


def _all_kinds(state: State, shown: tuple[Shown, ...]) -> tuple[Tone, ...]:
    """Every kind that has a name, once."""
    found: dict[Text, Tone] = {}
    for one in shown:
        kinds = (tones.live_tones(state, one) if one.cells is not None else tones.plan_tones(one.grid))[1]
        found |= {tone.name: tone for tone in kinds if tone.name and tone.name not in found}
    return tuple(found.values())


def _card(state: State, one: Shown, mark: Lattice) -> Card:
    grid = one.grid
    parts: list[Text] = [nmsg("{n} tick", "{n} ticks", grid.ticks)]
    if one.cells is not None and len(st.shown(state)) == 1:
        parts.insert(0, one.cells.name)
    if state.line.current > grid.ticks:
        parts.append(msg("finished"))
    else:
        parts.append(nmsg("{n} weight set", "{n} weight sets", grid.weight_sets))
    text = parts[0]
    for part in parts[1:]:
        text = msg("{one} · {other}", one=text, other=part)
    return Card(f"grid.card.{one.model}", st.SHORT[one.model], mark, text)


# ---- the line below ---------------------------------------------------------------------------------------


def readout(state: State) -> Prose:
    """What the cell looked at is, how it was computed, what it reads and depends on."""
    cell = st.look(state, state.cell)
    one = next((one for one in st.shown(state) if cell is not None and one.model == cell[0]), None)
    if cell is None or one is None:
        hint = msg("Point at a cell: lines show what it reads, outlines what it depends on. Click to pin it.")
        return Prose("grid.readout", ((Span(hint, "dim"),),), "readout")
    _, row, position = cell
    if row == 0:
        text = msg("input {label}, position {i}", label=_label(state, one, position), i=position + 1)
        return Prose("grid.readout", ((Span(text, "fg"),),), "readout")
    spans = [Span(_where(one, row, position), "fg", bold=True), Span(_how(one.grid, row, position), "fg")]
    near = mixed(one.grid, row, position)
    if one.cells is not None:
        spans += _live(state, one, row - 1, position)
    if one.cells is None or len(near) > 1:
        spans.append(Span(_reads(one.grid, row, position), "dim"))
    if len(near) > 1:
        numbers = tuple(places(one))
        words = msg("its convolutions mix what positions {a} to {b} attended to", a=numbers[near[0]] + 1,
                    b=numbers[near[-1]] + 1)  # fmt: skip
        spans.append(Span(words, "dim"))
    return Prose("grid.readout", (tuple(spans),), "readout")


def _label(state: State, one: Shown, position: int) -> str:
    return one.cells.labels[position] if one.cells is not None else f"x{position + 1}"


def _where(one: Shown, row: int, position: int) -> Text:
    if one.model == "rnn":
        return msg("{model}, position {i}", model=st.SHORT[one.model], i=position + 1)
    step = row_labels(one.grid)[row]
    return msg("{model}, {step}, position {i}", model=st.SHORT[one.model], step=step, i=position + 1)


def _how(grid: Schedule, row: int, position: int) -> Text:
    kind, tick = int(grid.cells[row - 1, position]), int(grid.tick[row - 1, position])
    if kind == COPIED:
        return msg("copied at tick {n}", n=tick)
    if kind == UNCOUNTED:
        return msg("computed at tick {n}, no longer counted", n=tick)
    if grid.model == "transformer":
        return msg("computed at tick {n} with W{k}", n=tick, k=int(grid.weight_set[row - 1, position]) + 1)
    return msg("computed at tick {n} with the shared weights", n=tick)


def _reads(grid: Schedule, row: int, position: int) -> Text:
    count = len(reads(grid, row, position))
    depends = int(receptive_field(grid, row, position).sum()) - 1
    read = nmsg("reads {n} cell", "reads {n} cells", count)
    return msg("{reads}, depends on {k}", reads=read, k=depends)


def _live(state: State, one: Shown, row: int, position: int) -> list[Span]:
    """Update, cosine, answer and p of a cell of a run."""
    cells = one.cells
    assert cells is not None
    spans = []
    for name, value in (
        (msg("relative update"), cells.update[row, position]),
        (msg("cosine"), cells.cosine[row, position]),
        (msg("p"), cells.p[row, position]),
    ):
        if math.isfinite(value):
            spans.append(Span(msg("{name} {value}", name=name, value=f"{value:.2f}"), "fg"))
    every = (cells.update, cells.cosine, cells.p, cells.sure)
    if any(math.isinf(figures[row, position]) for figures in every):
        spans.append(Span(OTHERS if spans else NO_NUMBERS, "error"))
    answer = int(cells.answer[row, position])
    if answer >= 0:
        word = msg("answers {word} ({p})", word=cells.answers[answer], p=f"{cells.sure[row, position]:.2f}")
        target = st.targets(state, one)
        asked = bool(target) and target[position] != ""
        spans.append(Span(word, "fg", bold=True))
        if asked:
            good = target[position] == cells.answers[answer]
            spans.append(Span(msg("right") if good else msg("wrong"), "ok" if good else "error"))
    return spans

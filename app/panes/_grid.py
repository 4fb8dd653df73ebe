"""The depth grid's room: four models by position and depth on one clock, schematic or live."""

from __future__ import annotations

from collections.abc import Mapping

from app.engine_texts import told
from app.messages import Message, Text, msg, nmsg
from app.pane import Effect, Event, Selection
from app.panes import _grid_events as events
from app.panes import _grid_figure as figure
from app.panes import _grid_left as left
from app.panes import _grid_state as st
from app.panes import _grid_table as table
from app.panes import _grid_tones as tones
from app.panes import _grid_view as views
from app.panes._grid_state import State
from app.panes.grid import TITLE
from app.scene import Button, Card, Column, Field, Form, Node, Progress, Prose, Row, Scene, Span
from app.timeline import Timeline

SHOWN = views.SHOWN
LARGEST = views.LARGEST
EMPTY = 620  # px of what is said where there is no grid
RAIL = 286  # px, at 100 % text size, of the controls


def initial() -> State:
    return st.initial()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return events.update(state, event)


def scene(state: State, selection: Selection) -> Scene:
    rail = left.left(state)
    main = _main(state, selection)
    if state.narrow:
        root: Node = Column("grid.narrow", (*rail[:1], *main, *rail[1:]), scroll=True)
        return Scene(root, TITLE, sentence(state))
    side = Column("grid.rail", (*rail, Column("grid.rail.end", ())), (0, 0, 1), scroll=True)
    centre = Column("grid.centre", main, (1, *(0 for _ in main[1:])))
    return Scene(Row("grid", (side, centre), (22, 78), (RAIL, 560)), TITLE, sentence(state))


def _main(state: State, selection: Selection) -> tuple[Node, ...]:
    """The figure, the line about a cell, the counters; instead, what is waited for or missing."""
    waiting = _waiting(state)
    if not st.shown(state):
        top, end = Column("grid.empty.top", ()), Column("grid.empty.end", ())
        middle = Column("grid.empty.middle", waiting, wide=EMPTY)
        body = Column("grid.empty.in", (top, middle, end), (2, 0, 3))
        return (Card("grid.empty", msg("Depth grid"), body),)
    return (figure.figure(state, selection), figure.readout(state), *waiting, table.counters(state))


def _waiting(state: State) -> tuple[Node, ...]:
    """What is being computed, what went wrong, or what to do first."""
    if state.source == st.SCHEMATIC:
        return ()
    found = state.four if state.source == st.FOUR else state.own
    if found.phase == st.WAITING:
        what = msg("The models run on {text}", text=_short(found.asked))
        return (Progress("grid.progress", what, found.done, found.total),)
    if found.phase == st.FAILED:
        said = Prose("grid.failed", ((Span(told(found.what, found.do), "error"),),), "error")
        return said, Form("grid.retry", ((Button("grid.retry", msg("Try again"), "grid.retry"),),))
    return _first(state) if state.source == st.OPEN else ()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"


def _first(state: State) -> tuple[Node, ...]:
    """The open checkpoint: none, none of its runs, or one without states."""
    live = state.live
    buttons: list[Field] = []
    if st.lacks_cosine(state) and state.colour == "cosine" and live.path:
        text = msg("This run was kept without its states, so it has no cosines.")
        buttons = [Button("grid.own", msg("Compute them"), "grid.own")]
    elif st.open_cells(state) is not None:
        return ()
    elif st.too_large(live):
        return (Prose("grid.first", ((Span(msg("This run has more cells than a grid can show."), "fg"),),)),)
    elif not live.path and live.info is None:
        text = msg("No checkpoint is open. Open one of the four shipped ones, or use Open for another.")
        buttons = [Button(f"grid.open.{name}", name, "grid.open", name) for name in st.SHIPPED]
    else:
        text = msg("{name} is open, and nothing has run yet.", name=live.name)
        buttons = [Button("grid.inspect", msg("Run it in the inspector"), "grid.inspect", style="primary")]
        if live.path and live.text:
            buttons.append(Button("grid.own", msg("Run its sample here"), "grid.own"))
    said = Prose("grid.first", ((Span(text, "fg"),),))
    return said, Form("grid.first.form", (tuple(buttons),))


def timeline(state: State) -> Timeline | None:
    """The one clock of all grids; None while there is nothing to show."""
    return state.line if state.line.computed else None


def sentence(state: State) -> Message:
    """The tick on screen in one sentence."""
    shown = st.shown(state)
    if not shown:
        return msg("Nothing has been computed yet.")
    parts: Text = msg("Tick {t} of {n}.", t=state.line.current, n=state.line.computed)
    for one in shown:
        parts = msg("{one} {other}", one=parts, other=figure.told(state, one))
    assert isinstance(parts, Message)
    return parts


def caption(state: State) -> tuple[Text, ...]:
    """What stands under an exported picture: what kind of figure it is, its settings, the tick."""
    where = msg("tick {t} of {n}", t=state.line.current, n=state.line.computed)
    if state.source != st.SCHEMATIC:
        measure = msg("colour: {name}", name=tones.SCALES[state.colour][0])
        read = _bits(state) if state.source == st.FOUR else _short(_text(state))
        return TITLE, msg("live"), *((read,) if read else ()), measure, where
    size = nmsg("{n} position", "{n} positions", state.m)
    depth = msg("N = T = {n}", n=state.depth)
    case = msg("ACT: {name}, halted state {state}", name=dict(left.SCENARIOS)[state.scenario],
               state=dict(left.STATES)[state.state])  # fmt: skip
    return TITLE, msg("schematic"), size, depth, case, where


def _bits(state: State) -> str:
    """Those of the grids on screen, which stay until the next are there."""
    shown = [one.cells.labels for one in st.shown(state) if one.cells is not None]
    return "".join(label for label in shown[0] if label in ("0", "1")) if shown else state.bits


def _text(state: State) -> str:
    return state.live.info.text if state.live.info is not None else state.own.asked


def shows_model(state: State) -> bool:
    """Whether the numbers are the open model's."""
    return state.source == st.OPEN


def to_view(state: State) -> dict[str, str]:
    return views.to_view(state)


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    return views.from_view(state, view)

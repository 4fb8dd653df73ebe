"""Views of the depth grid: what a link sets up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app import timeline
from app import view as views
from app.pane import Effect, Event
from app.panes import _grid_events as events
from app.panes import _grid_state as st
from app.panes._grid_state import State
from ut_engine.schedule import MODELS

SHOWN: tuple[dict[str, str], ...] = (
    {"source": "schematic", "show": "all", "m": "10", "depth": "6", "scenario": "sentence", "state": "frozen",
     "tick": "6", "cell": "act:5:3"},
    {"source": "schematic", "show": "act", "m": "10", "depth": "12", "scenario": "sentence",
     "state": "listing2", "tick": "6"},
    {"source": "schematic", "show": "rnn", "m": "16", "depth": "6", "scenario": "fresh", "state": "listing2",
     "tick": "9", "cell": "rnn:1:8"},
    {"source": "four", "show": "all", "bits": "0110110010", "colour": "update"},
    {"source": "open", "colour": "cosine"},
)  # fmt: skip
LARGEST: tuple[dict[str, str], ...] = (
    {"source": "schematic", "show": "all", "m": "128", "depth": "32", "scenario": "sentence",
     "state": "frozen", "tick": "20", "cell": "ut:20:64"},
    {"source": "schematic", "show": "transformer", "m": "128", "depth": "32", "scenario": "hesitant",
     "state": "listing2", "tick": "32", "cell": "transformer:32:127"},
)  # fmt: skip


def to_view(state: State) -> dict[str, str]:
    """What a view needs; the tick only where there is something to show."""
    view = {"source": state.source}
    if state.source == st.SCHEMATIC:
        view |= {"show": state.show, "m": str(state.m), "depth": str(state.depth)}
        view |= {"scenario": state.scenario, "state": state.state}
    if state.source == st.FOUR:
        view |= {"show": state.show, "bits": state.bits}
    if state.source != st.SCHEMATIC:
        view["colour"] = state.colour
    if state.line.computed or state.go_to:
        view["tick"] = str(state.line.current if state.line.computed else state.go_to)
    if state.held is not None:
        model, row, position = state.held
        view["cell"] = f"{model}:{row}:{position + 1}"
    return view


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """The state a view asks for; what is unknown or out of range is left as it is."""
    state, effects = _chosen(replace(state, what="", do=""), view)
    tick = views.number(view.get("tick"))
    if tick is not None:
        state = replace(state, line=replace(timeline.seek(state.line, tick), playing=0))
        state = replace(state, go_to=0 if state.line.computed else tick)
    return replace(state, held=_cell(state, view.get("cell", "")), hovered=None), effects


def _chosen(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """With the controls of a view, and what has to be measured for them."""
    effects: tuple[Effect, ...] = ()
    names = ("scenario", "state", "colour", "show", "bits")
    values: dict[str, Any] = {name: view.get(name) for name in names}
    values |= {name: views.number(view.get(name)) for name in ("m", "depth")}
    for name, value in (*values.items(), ("source", view.get("source"))):
        if value is None:
            continue
        after, wanted = events.update(state, Event(f"grid.{name}", value))
        if not after.what:  # else bits that are none
            state, effects = after, (*effects, *wanted)
    return state, effects


def _cell(state: State, text: str) -> st.Cell | None:
    """A cell as written: model, row, position from 1."""
    model, _, rest = text.partition(":")
    row, position = (views.number(part) for part in rest.partition(":")[::2])
    if row is None or not position or model not in MODELS:
        return None
    cell = model, row, position - 1
    return st.look(state, cell) if st.shown(state) else cell  # what is still being computed is not known

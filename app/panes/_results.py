"""Every table of the paper, sorted and charted, beside what was measured on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app import paper
from app.messages import Message, Text, msg
from app.pane import Effect, Event, Selection
from app.panes import _results_parts as parts
from app.panes import _results_state as st
from app.panes import _results_tables as data
from app.panes._results_state import State
from app.panes.results import TITLE
from app.scene import Column, Row, Scene
from app.sorting import Order
from app.timeline import Timeline
from app.view import number

SHOWN = (
    {"table": "algorithmic"},
    {"table": "agreement", "attractors": "3", "verb": "are"},
    {"table": "babi", "column": "5", "order": "best"},
    {"table": "ponder"},
    {"table": "translation", "order": "best"},
)
LARGEST = ({"table": "mean", "column": "4", "order": "worst"}, {"table": "lambada", "column": "9"})


def initial() -> State:
    return State()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return st.update(state, event)


def scene(state: State, selection: Selection) -> Scene:
    shown = parts.reading(state), *parts.figures(state), parts.beside(state)
    if state.narrow:
        body = Column("results.narrow", shown, scroll=True)
        return Scene(Column("results", (parts.menu(state), body), (0, 1)), TITLE, sentence(state))
    stretch = *(0 for _ in shown), 1
    right = Column("results.right", (*shown, Column("results.rest", ())), stretch, scroll=True)
    row = Row("results", (parts.contents(state), right), (0, 1), (230, 600), (True,))
    return Scene(row, TITLE, sentence(state))


def timeline(state: State) -> Timeline | None:
    return None


def sentence(state: State) -> Message:
    """The table on screen in one sentence."""
    return msg("{table}: {read}", table=state.shown.title, read=state.shown.read())


def caption(state: State) -> tuple[Text, ...]:
    return state.shown.title, msg("paper: {citation}", citation=paper.CITATION)


def shows_model(state: State) -> bool:
    """The open model is none of these tables' figures."""
    return False


def to_view(state: State) -> dict[str, str]:
    view = {"table": state.table}
    if state.table == "agreement":
        view["attractors"] = str(state.attractors)
        if state.verb:
            view["verb"] = state.verb
    if state.column is not None:
        view["column"] = str(state.column + 1)
    if state.order != st.PRINTED:
        view["order"] = state.order
    if state.beside is not None:
        view["measured"] = f"{state.beside.column + 1}{'-down' if state.beside.down else ''}"
    return view


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """Set up by a view; what is senseless in it is passed over."""
    if view.get("table") in data.KEYS:
        state = replace(
            st.choose(state, view["table"])[0], column=None, verb="", order=st.PRINTED, beside=None
        )
    if (count := number(view.get("attractors"))) is not None and state.table == "agreement":
        state = st.attractors(state, count)[0]
    if (place := number(view.get("column"))) is not None:
        state = st.column(state, place - 1)[0]
    if state.table == "agreement":
        state = st.verb(state, view.get("verb"))[0]
    state = st.order(state, view.get("order"))[0]
    beside, _, down = view.get("measured", "").partition("-")
    if (place := number(beside)) is not None and 1 <= place <= st.MOST_BESIDE:
        state = replace(state, beside=Order(place - 1, down == "down"))
    return state, ()

"""What the article knows: where one reads, what is searched, the figures opened so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app import inset
from app.inset import Insets
from app.messages import LANGUAGES, Text
from app.pane import Effect, Event, Selection, all_panes
from app.panes import _read_text as text
from app.panes._read_insets import SPOTS, WIDTH
from app.scene import Inset

FOLD = 1000  # window width, at 100 % text size, below which the list of contents goes above
BEFORE = 1  # sections before the one that is read whose figures come alive with the scrolling


@dataclass(frozen=True, slots=True)
class State:
    """at: key of the place that is read, "" for the top.  goal: what is scrolled to, once for each `turn`.

    query, hit: what is searched, and which of its places is looked at (counted on without end).
    nodes: figures opened so far, as they were drawn last.
    """

    at: str = ""
    goal: Text = ""
    turn: int = 0
    query: str = ""
    hit: int = 0
    insets: Insets = field(default_factory=lambda: Insets(SPOTS))
    nodes: Mapping[str, Inset] = field(default_factory=dict)
    narrow: bool = False

    @property
    def section(self) -> str:
        return self.at.partition(".")[0] or text.sections()[0][0]


def near(state: State, before: int) -> tuple[str, ...]:
    """The figures of the section read, of the next and of so many before it; those there is a pane for."""
    order = [section for section, _ in text.sections()]
    here = order.index(state.section)
    close = order[max(here - before, 0) : here + 2]
    return tuple(
        place.names[0]
        for place in text.places()
        if place.kind == "inset" and place.section in close and SPOTS[place.names[0]].pane in all_panes()
    )


def opened(state: State, before: int = 0) -> State:
    """With the figures at the place that is read and behind it, and in so many sections before it."""
    missing = [key for key in near(state, before) if key not in state.nodes]
    if not missing:
        return state
    insets = state.insets
    for key in missing:
        insets, _ = inset.update(insets, Event("inset", (key, Event("view.width", WIDTH))))
    return _drawn(replace(state, insets=insets), missing)


def whole(state: State) -> State:
    """With every figure there is a pane for."""
    for section, _ in text.sections():
        state = opened(replace(state, at=section))
    return state


def _drawn(state: State, keys: list[str]) -> State:
    made = {key: inset.figure(state.insets, key, Selection()) for key in keys}
    return replace(state, nodes={**state.nodes, **made})


def to_insets(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    """What happened in a figure, or what the engine says to all of them."""
    insets, effects = inset.update(state.insets, event)
    if insets is state.insets:
        return state, effects
    changed = [
        key for key in state.nodes if insets.states.get(key) is not state.insets.states.get(key)
    ]  # fmt: skip
    return _drawn(replace(state, insets=insets), changed), effects


def moved(state: State, at: str) -> State:
    """Scrolled to a place."""
    return opened(replace(state, at=at, goal=at, turn=state.turn + 1))


def searched(state: State, query: str, by: int = 0) -> State:
    """The first place of new words, the next one of the same."""
    query = query[: text.MOST_QUERY]
    hit = state.hit + (by or 1) if query.strip() and query == state.query else 0
    state = replace(state, query=query, hit=hit)
    if not any(text.hits(query, language) for language in LANGUAGES):
        return state
    goal = text.goal(query, hit)
    at = next(key for _, key in goal.texts if key)  # type: ignore[union-attr]
    return opened(replace(state, at=str(at), goal=goal, turn=state.turn + 1))

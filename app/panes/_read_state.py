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
BEFORE = 1  # sections before the one that is read whose figures come alive
MORE = "read.more"  # told once what is shown has been painted


@dataclass(frozen=True, slots=True)
class State:
    """at: key of the place that is read, "" for the top.  goal: what is scrolled to, once for each `turn`.

    query, hit: what is searched, and which of its places is looked at (counted on without end).
    written: numbers of the sections shown so far, none before the first painting; those near the one that
    is read come to them.
    nodes: figures opened so far, as they were drawn last.
    printed: without what one looks for places by.
    """

    at: str = ""
    goal: Text = ""
    turn: int = 0
    query: str = ""
    hit: int = 0
    written: frozenset[int] = frozenset()
    insets: Insets = field(default_factory=lambda: Insets(SPOTS))
    nodes: Mapping[str, Inset] = field(default_factory=dict)
    narrow: bool = False
    printed: bool = False

    @property
    def section(self) -> str:
        return self.at.partition(".")[0] or text.sections()[0][0]


# ---- what is there already --------------------------------------------------------------------------------


def place_of(state: State) -> int:
    """Number of the section that is read."""
    return text.order().index(state.section)


def written(state: State) -> frozenset[int]:
    """Numbers of the sections shown: at first the one read, the one before it and the next."""
    here, last = place_of(state), len(text.order())
    return state.written | frozenset(range(max(here - 1, 0), min(here + 2, last)))


def missing_section(state: State) -> int | None:
    """The next one to be written: what follows on what is read comes before what leads to it."""
    here, there = place_of(state), written(state)
    order = (*range(here, len(text.order())), *range(here, -1, -1))
    return next((number for number in order if number not in there), None)


def missing_figure(state: State) -> str | None:
    """The next figure to be opened: of the section read, of the next, of the one before it."""
    here = place_of(state)
    near = (here, here + 1, here - BEFORE)
    return next(
        (
            place.names[0]
            for number in near
            for _, place in (text.by_section()[number] if 0 <= number < len(text.order()) else ())
            if place.kind == "inset" and place.names[0] not in state.nodes and there_is(place.names[0])
        ),
        None,
    )


def there_is(figure: str) -> bool:
    """Whether there is a pane for a figure."""
    return SPOTS[figure].pane in all_panes()


def more(state: State) -> State:
    """With a figure near what is read or, when all are open, with another section; each is quickly shown."""
    figure, section = missing_figure(state), missing_section(state)
    if figure is not None:
        return replace(opened(state, figure), written=written(state))
    return state if section is None else replace(state, written=written(state) | {section})


def opened(state: State, key: str) -> State:
    insets, _ = inset.update(state.insets, Event("inset", (key, Event("view.width", WIDTH))))
    return _drawn(replace(state, insets=insets), [key])


def whole(state: State) -> State:
    """With every section, and every figure there is a pane for."""
    for place in text.places():
        key = place.names[0] if place.kind == "inset" else ""
        if key and key not in state.nodes and there_is(key):
            state = opened(state, key)
    return replace(state, written=frozenset(range(len(text.order()))))


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
    return _at(state, at, at)


def searched(state: State, query: str, by: int = 0) -> State:
    """The first place of new words, the next one of the same."""
    query = query[: text.MOST_QUERY]
    hit = state.hit + (by or 1) if query.strip() and query == state.query else 0
    state = replace(state, query=query, hit=hit)
    if not any(text.hits(query, language) for language in LANGUAGES):
        return state
    goal = text.goal(query, hit)
    at = next(key for _, key in goal.texts if key)  # type: ignore[union-attr]
    return _at(state, str(at), goal)


def _at(state: State, at: str, goal: Text) -> State:
    """What has been shown stays."""
    there = written(state) if state.written else frozenset[int]()
    return replace(state, written=there, at=at, goal=goal, turn=state.turn + 1)

"""The story as an article, with figures that can be moved between its sections, a search and guided tours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app import view as views
from app.commands import TOURS
from app.inset import Spot, awaited
from app.messages import Message, Text, msg
from app.pane import Effect, Event, Selection, all_panes
from app.panes import _read_state as st
from app.panes import _read_text as text
from app.panes._read_insets import SPOTS
from app.panes._read_state import State
from app.panes.read import TITLE
from app.scene import (
    Button,
    Card,
    Choice,
    Column,
    Entry,
    Field,
    Form,
    Inset,
    Node,
    Passage,
    Row,
    Scene,
    Span,
)
from app.timeline import Timeline

SHOWN: tuple[Mapping[str, str], ...] = (
    {"at": "signal.0"},
    {"at": "length.0"},
    {"at": "listing.0", "query": "ACT"},
)
LARGEST: tuple[Mapping[str, str], ...] = ({"at": "after.0", "query": "th"}, {"at": "length.0", "query": "in"})
PAPER = True
LEFT, ARTICLE = 262, 780  # px at 100 %
CARD = 56  # px that a card is higher than what is in it


def initial() -> State:
    return State()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    name, value = event.name, event.value
    if name == "view.width":
        narrow = int(value) < st.FOLD
        return (state if narrow == state.narrow else replace(state, narrow=narrow)), ()
    if name == "read.place":
        known = text.known(str(value))
        there = st.written(state)
        return (replace(state, at=known, written=there) if known and known != state.at else state), ()
    if name == st.MORE:
        return st.more(state), ()
    if name == "read.go":
        return st.moved(state, text.known(str(value)) or state.at), ()
    if name == "read.query":
        return st.searched(state, str(value)), ()
    if name in ("read.next", "read.back"):
        return (
            st.searched(state, state.query, 1 if name == "read.next" else -1) if state.query else state
        ), ()
    if name == "read.link":
        return state, (Effect("open.view", str(value)),)
    if name == "read.tour":
        return state, (Effect("open.tour", str(value)),)
    return st.to_insets(state, event)


# ---- scene ------------------------------------------------------------------------------------------------


def scene(state: State, selection: Selection) -> Scene:
    """The contents at the left, the article in a column of its own; in a narrow window the contents above.

    They stay in classroom mode: without them there is nothing to search with, nor to go to a section by.
    Folded or not, the article is in the same place of the scene, so that what is read stays where it is.
    """
    column = _article(state)
    if state.printed:
        root: Node = Column("read", (column,))
    elif state.narrow:
        page = Row("page", (column,), (1,), (0,))
        root = Column("read", (Form("top", (_top(state),)), page), (0, 1))
    else:
        root = Column("read", (Row("page", (_left(state), column), (0, 1), (LEFT, 420)),), (1,))
    unfinished = st.missing_figure(state) is not None or st.missing_section(state) is not None
    return Scene(root, TITLE, sentence(state), st.MORE if unfinished else "")


def _left(state: State) -> Column:
    search = Form("search", (_search(state),))
    found = Passage(
        "found", (Span(text.found_text(state.query, state.hit)),) if state.query else (), "caption"
    )
    here = st.place_of(state)
    contents = _entries("contents.list", "read.go", text.sections(), (2 * here,))
    tours = _entries("tours.list", "read.tour", TOURS)
    cards = (Card("contents", msg("Contents"), contents), Card("tours", msg("Guided tours"), tours))
    rest = Column("left.rest", ())
    return Column("left", (search, found, *cards, rest), (0, 0, 0, 0, 1), scroll=True)


def _search(state: State) -> tuple[Field, ...]:
    """Where one types, and the buttons to the place before and behind."""
    entry = Entry("read.search", "", "read.query", state.query, msg("Search the article"),
                  tip=msg("Enter or F3: next match"), search=True)  # fmt: skip
    any_words = bool(state.query.strip())
    back = Button(
        "read.back",
        msg("Previous match"),
        "read.back",
        icon="chevron-left",
        style="icon",
        enabled=any_words,
    )
    on = Button(
        "read.next", msg("Next match"), "read.next", icon="chevron-right", style="icon", enabled=any_words
    )
    return (entry, back, on)


def _top(state: State) -> tuple[Field, ...]:
    options = tuple(text.sections())
    section = Choice("read.section", msg("Section"), "read.go", options, state.section)
    return (section, *_search(state))


def _entries(
    key: str, event: str, entries: tuple[tuple[str, Text], ...], here: tuple[int, ...] = ()
) -> Passage:
    """Links one below the other."""
    spans: list[Span] = []
    for value, title in entries:
        spans += [Span(title, event=event, value=value), Span("\n")]
    return Passage(key, tuple(spans[:-1]), "entry", here=here)


def _article(state: State) -> Column:
    parts = tuple(
        _figure(place.key, place.names[0], state.nodes, state.printed)
        if place.kind == "inset"
        else text.mark(number, state.query, state.hit)
        for section in sorted(st.written(state))
        for number, place in text.by_section()[section]
    )
    return Column("article", parts, scroll=True, show=state.goal, turn=state.turn, wide=ARTICLE,
                  place="read.place")  # fmt: skip


def _figure(key: str, name: str, nodes: Mapping[str, Inset], printed: bool) -> Card | Inset:
    """A figure of another pane in a card; far from what is read, an empty place of the same height."""
    spot = SPOTS[name]
    pane, body = all_panes().get(spot.pane), nodes.get(name)
    if body is None or pane is None:
        return awaited(key, spot.height + CARD)
    whole = Button(f"{key}.open", msg("Open this figure in its own pane"), "read.link", _view(spot),
                   "chevron-right", "icon")  # fmt: skip
    return Card(key, pane.TITLE, body, tools=() if printed else (whole,))


def _view(spot: Spot) -> str:
    return views.to_text(spot.pane, dict(spot.view))


# ---- the rest of a pane -----------------------------------------------------------------------------------


def exported_whole(state: State) -> State:
    """As it is exported: the text alone, from the top, with all figures."""
    return replace(st.whole(state), at=state.at, goal="", turn=0, printed=True)


def timeline(state: State) -> Timeline | None:
    return None


def sentence(state: State) -> Message:
    """Where one reads."""
    title = dict(text.sections())[state.section]
    return msg("Section {k} of {n}: {title}", k=st.place_of(state) + 1, n=len(text.order()), title=title)


def caption(state: State) -> tuple[Text, ...]:
    return (TITLE, dict(text.sections())[state.section])


def shows_model(state: State) -> bool:
    """The article's numbers are the engine's and the shipped checkpoints', never the open model's."""
    return False


def to_view(state: State) -> dict[str, str]:
    view = {"at": state.at, "query": state.query}
    return {key: value for key, value in view.items() if value}


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """at: a section's id or a place in it; query: searched for; tour: one that is started."""
    state = st.searched(replace(state, query="", hit=0), view.get("query", ""))
    at = text.known(view.get("at", ""))
    if at:
        state = st.moved(state, at)
    return state, ((Effect("open.tour", view["tour"]),) if view.get("tour") in dict(TOURS) else ())

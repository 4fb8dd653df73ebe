"""The summary's room: ten chapters as tiles; on paper two side by side, five below each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from app.messages import Message, Text, msg
from app.pane import Effect, Event, Selection
from app.panes._summary_figures import FIGURES
from app.panes._summary_words import CHAPTERS, Chapter
from app.panes.summary import TITLE
from app.scene import Amounts, Button, Card, Column, Equation, Node, Passage, Row, Scene, Span
from app.timeline import Timeline

PAPER = True
"""The whole pane exports to one A4 sheet."""
SHOWN: tuple[Mapping[str, str], ...] = ()
TILE = 226  # px a tile needs
MOST = 5  # tiles side by side
SIDE = 390  # px of a tile whose figure stands beside its words; two of them fit a sheet of paper
WIDE = MOST * TILE + 80  # px of a window that shows all without scrolling


@dataclass(frozen=True, slots=True)
class State:
    """width: of the window, in px at 100 %."""

    width: int = 1280


def initial() -> State:
    return State()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    if event.name == "view.width":
        return replace(state, width=int(event.value)), ()
    if event.name == "chapter.open" and isinstance(event.value, str):
        return state, (Effect("open.view", event.value),)
    return state, ()


def columns(width: int) -> int:
    """Tiles in a row: 5, 2 or 1, so that ten fill their rows."""
    if width >= WIDE:
        return MOST
    return 2 if width >= 2 * SIDE else 1


def scene(state: State, selection: Selection) -> Scene:
    across = columns(state.width)
    rows = tuple(_row(first, across) for first in range(0, len(CHAPTERS), across))
    head: tuple[Node, ...] = ()
    if across == 2:  # as on paper; in the window the pane's own tab says it
        head = (Passage("head", (Span(msg("The Universal Transformer on one page")),), "title"),)
    stretch = (*(0 for _ in head), *(1 for _ in rows))
    root = Column("summary", (*head, *rows), stretch, scroll=state.width < WIDE)
    return Scene(root, TITLE, sentence(state))


def _row(first: int, across: int) -> Row:
    tiles = tuple(_tile(chapter, across == 2) for chapter in CHAPTERS[first : first + across])
    return Row(f"row.{first}", tiles, (1,) * across, (TILE,) * across)


@cache
def _tile(chapter: Chapter, paper: bool) -> Node:
    """Claim, number and figure; on paper the figure stands beside them."""
    key = chapter.key
    written, what = chapter.number()
    claim = Passage(f"{key}.claim", (Span(chapter.claim),), "compact")
    number = Passage(f"{key}.number", (Span(written, "accent", bold=True),), "number")
    about = Passage(f"{key}.about", (Span(what, "dim"),), "compact")
    figure = FIGURES[key]()
    if paper:
        words = Column(f"{key}.words", (claim, number, about, Column(f"{key}.rest", ())), (0, 0, 0, 1))
        return Card(f"{key}.card", chapter.title, Row(f"{key}.body", (words, figure), (1, 1), (124, 180)))
    tool = Button(
        f"{key}.open", msg("Open this chapter"), "chapter.open", chapter.view, "chevron-right", "icon"
    )
    foot = (Column(f"{key}.foot", ()),) if isinstance(figure, Equation | Amounts) else ()  # these are as high
    below = Column(f"{key}.below", (figure, *foot), (0, 1) if foot else (1,))  # as they want, and no more
    words = Column(f"{key}.words", (claim, number, about))
    body = Column(f"{key}.body", (words, below), (0, 1))
    return Card(f"{key}.card", chapter.title, body, tools=(tool,), large=False)


def timeline(state: State) -> Timeline | None:
    return None


def sentence(state: State) -> Message:
    return msg(
        "The Universal Transformer in {n} claims, each with its number and its figure.", n=len(CHAPTERS)
    )


def caption(state: State) -> tuple[Text, ...]:
    return (TITLE,)


def shows_model(state: State) -> bool:
    return False


def to_view(state: State) -> dict[str, str]:
    return {}


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    return state, ()

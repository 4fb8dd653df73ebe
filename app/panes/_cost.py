"""Parameters and work come apart: a calculator for Transformers with own and with shared layers.

Every number comes from `ut_engine.cost`; the real module is asked through the measurement "cost".
"""

from __future__ import annotations

from collections.abc import Mapping

from app.messages import Text, msg
from app.pane import Effect, Event, Selection
from app.panes import _cost_events as events
from app.panes import _cost_figures as figures
from app.panes import _cost_left as left
from app.panes import _cost_state as st
from app.panes import _cost_view as views
from app.panes import _cost_words as words
from app.panes._cost_left import filled
from app.panes._cost_state import State
from app.panes.cost import TITLE
from app.scene import Card, Column, Prose, Row, Scene, Span, Tabs
from app.timeline import Timeline
from ut_engine.presets import PAPER

SHOWN: tuple[Mapping[str, str], ...] = (
    {},
    {"preset": "transformer-base", "tab": "width"},
    {"preset": "albert-base", "tab": "albert"},
    {"preset": "transformer-base", "d": "976", "dff": "3904", "shared": "1", "softmax": "1", "length": "64"},
)
LARGEST: tuple[Mapping[str, str], ...] = (
    {"d": "8192", "dff": "65536", "heads": "128", "depth": "128", "vocab": "1000000", "length": "16384",
     "softmax": "1", "hoisted": "1"},
)  # fmt: skip


def initial() -> State:
    return State()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return events.update(state, event)


def timeline(state: State) -> Timeline | None:
    return None


def to_view(state: State) -> dict[str, str]:
    return views.to_view(state)


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    return views.from_view(state, view)


def sentence(state: State) -> Text:
    return words.sentence(state, figures.title(state))


def caption(state: State) -> tuple[Text, ...]:
    return (sentence(state),)


def shows_model(state: State) -> bool:
    return False


def scene(state: State, selection: Selection) -> Scene:
    root: Row | Column
    if state.single:
        cards = *left.cards(state), _scatter(state), _table(state), _check(state), _breakdown(state)
        root = Column("cost", (*cards, _tabs(state)), scroll=True)
    elif state.narrow:
        parts = _scatter(state), _table(state), _check(state), _breakdown(state), _tabs(state)
        main = Column("narrow", parts, scroll=True)
        root = Row("cost", (left.controls(state), main), (30, 70), (230, 330))
    else:
        centre = Column("centre", (_scatter(state), _table(state), _check(state)), (1, 0, 0))
        right = Column("right", (_breakdown(state), _tabs(state)), (0, 1), scroll=True)
        columns = (left.controls(state), centre, right)
        root = Row("cost", columns, (21, 45, 34), (250, 420, 380), (True, False, False))
    return Scene(root, TITLE, sentence(state))


def _scatter(state: State) -> Card:
    now = state.cost
    said = msg(
        "{r} × base's parameters, {q} × its work",
        r=figures.times(now.ratio_parameters), q=figures.times(now.ratio_macs),
    )  # fmt: skip
    return Card("scatter.card", figures.title(state), figures.scatter(state), said)


def _table(state: State) -> Card:
    first = Span(msg("BLEU: WMT14 En-De"), "dim"), Span(f"¹ {PAPER}", "dim")
    second = Span(msg("² Vaswani et al. 2017: another paper, another set-up"), "dim")
    note = Prose("table.note", (first, (second,)), "readout")
    inside = Column("table", (figures.table(state), note))
    return Card("table.card", msg("Published models"), inside, msg("click to load one"))


def _breakdown(state: State) -> Card:
    parts = figures.breakdown(state), figures.work(state)
    return Card("breakdown.card", msg("Parameters"), Column("bars", parts))


def _tabs(state: State) -> Tabs:
    panels = {"why": words.why, "width": words.width, "albert": words.albert}
    pages = tuple(filled(f"tab.{name}", panels[name](state) if name == state.tab else ()) for name in st.TABS)
    titles = tuple(words.NAMES[name] for name in st.TABS)
    return Tabs("tabs", pages, titles, st.TABS.index(state.tab), "cost.tab")


def _check(state: State) -> Card:
    return Card("check.card", msg("Is the count right?"), words.check(state), "", words.check_tools(state))

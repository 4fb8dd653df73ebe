"""What ACT learned: the paper's ponder times beside measured ones, a control, and what reading does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app import paper
from app import timeline as times
from app.messages import Message, Text, msg
from app.pane import Effect, Event, Selection
from app.panes import _ponder_babi as babi
from app.panes import _ponder_events as events
from app.panes import _ponder_lambada as lambada
from app.panes import _ponder_parts as parts
from app.panes import _ponder_state as st
from app.panes import _ponder_story as story
from app.panes import _ponder_story_side as story_side
from app.panes import _ponder_swap as swap
from app.panes._ponder_state import State
from app.panes.ponder import TITLE
from app.scene import Card, Choice, Column, Form, Node, Row, Scene
from app.timeline import Timeline
from app.view import number

LOOKS = {
    "babi": msg("bAbI"),
    "lambada": msg("LAMBADA"),
    "swap": msg("Same story, other question"),
    "story": msg("What is read, and what it does"),
}
SIDE = 300  # px of the left column, at 100 % text size
SHOWN = (
    {"look": "babi"},
    {"look": "babi", "positions": "all", "computed": "1"},
    {"look": "lambada"},
    {"look": "swap", "story": "1"},
    {"look": "story", "sample": "2", "hidden": "onwards"},
)
LARGEST = ({"look": "swap", "story": "200"}, {"look": "story", "sample": "9", "hidden": "only"})


def initial() -> State:
    return st.initial()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return events.update(state, event)


def scene(state: State, selection: Selection) -> Scene:
    style = "menu" if state.slim else "segments"
    choice = Choice("look", msg("Figure"), "ponder.look", tuple(LOOKS.items()), state.look, style)
    head = Form("ponder.head", ((choice,),))
    found, centre = _parts(state, selection)
    side = tuple(replace(card, key=f"side.{k}") for k, card in enumerate(found))  # the same widgets for all
    if state.narrow:
        ahead = 1 if state.look in ("swap", "story") else 0  # where the story is chosen
        body: Node = Column("narrow", (*side[:ahead], *centre, *side[ahead:]), scroll=True)
        return Scene(Column("ponder.root", (head, body), (0, 1)), TITLE, sentence(state))
    left = Column("side", (*side, Column("side.rest", ())), (*(0 for _ in side), 1), scroll=True)
    body = Row("wide", (left, *centre), (0, *(1 for _ in centre)), (SIDE, 600), (True,))
    return Scene(Column("ponder.root", (head, body), (0, 1)), TITLE, sentence(state))


def _parts(state: State, selection: Selection) -> tuple[tuple[Card, ...], tuple[Node, ...]]:
    """(what stands left, the figures)."""
    if state.look == "lambada":
        return lambada.side(state), lambada.centre(state)
    if state.look == "swap":
        return swap.side(state), swap.centre(state)
    if state.look == "story":
        return story_side.side(state, selection), story.centre(state, selection)
    return babi.side(state), babi.centre(state)


def timeline(state: State) -> Timeline | None:
    return state.line if state.look == "story" and state.line.computed else None


def sentence(state: State) -> Message:
    """The figure on screen in one sentence."""
    if state.look == "lambada":
        mean, deviation, act = lambada.adaptive()
        return msg(
            "LAMBADA, test perplexity: ACT {act} at {steps} steps; fixed {fixed}.",
            act=f"{act:.0f}",
            steps=parts.plus_minus(mean, deviation, 1),
            fixed=", ".join(f"{value:.0f}" for _, value in lambada.fixed()),
        )
    if state.look == "swap":
        runs = swap.runs(state)
        if not runs:
            return msg("One story, asked questions that need 1, 2 and 3 facts.")
        return msg(
            "One story, three questions: their own N is {n}.",
            n=", ".join(str(run["question_n"]) for run in runs),
        )
    if state.look == "story":
        found = story.value(state)
        if not found:
            return msg("What a question reads step by step, and what hiding a fact changes.")
        step = max(state.line.current, 1)
        return msg(
            "Step {t} of {steps}: the question would answer “{answer}”.",
            t=step,
            steps=found["steps"],
            answer=found["by_step"][step - 1][0],
        )
    values = ", ".join(f"{paper.pondered(facts)[0]:.1f}" for facts in st.HOPS)
    return msg("Ponder time for 1, 2 and 3 supporting facts, in the paper: {values}.", values=values)


def caption(state: State) -> tuple[Text, ...]:
    """What stands under an exported picture: whose figures these are."""
    own = msg("measured here: checkpoint {name}", name=state.name)
    source = msg("paper: {citation}", citation=paper.CITATION)
    if state.look == "lambada":
        return (LOOKS[state.look], source)
    if state.look == "babi":
        return LOOKS[state.look], source, own
    return LOOKS[state.look], own


def to_view(state: State) -> dict[str, str]:
    view = {"look": state.look}
    if state.look == "babi":
        if state.positions != st.POSITIONS[0]:
            view["positions"] = state.positions
        if st.REPORT in state.asked:
            view["computed"] = "1"
    elif state.look == "swap":
        view["story"] = str(state.seed)
        if st.CONTROL in state.asked:
            view["computed"] = "1"
    elif state.look == "story":
        view |= _story_view(state)
    return view


def _story_view(state: State) -> dict[str, str]:
    known = [text for _, text, _ in st.samples()]
    view = {"sample": str(known.index(state.text) + 1)} if state.text in known else {"text": state.text}
    view["hidden"] = state.kind
    if state.head is not None:
        view["head"] = "mean" if state.head < 0 else str(state.head + 1)
    if state.line.current and state.line.current != state.line.computed:
        view["step"] = str(state.line.current)
    return view


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """Set up by a view; what is senseless in it is passed over."""
    known = st.samples()
    look = view.get("look", "")
    state = replace(state, look=look if look in st.LOOKS else state.look)
    if view.get("positions") in st.POSITIONS:
        state = replace(state, positions=view["positions"])
    if view.get("hidden") in st.KINDS:
        state = replace(state, kind=view["hidden"])
    if (found := number(view.get("story"))) is not None:
        state = replace(state, seed=min(max(found, 1), st.MOST_STORIES))
    if (found := number(view.get("sample"))) is not None and 1 <= found <= len(known):
        state = replace(state, text=known[found - 1][1])
    elif view.get("text"):
        state = replace(state, text=view["text"])
    if view.get("head") == "mean":
        state = replace(state, head=-1)
    elif (found := number(view.get("head"))) is not None and found >= 1:
        state = replace(state, head=found - 1)
    typed = state.look == "story" and state.text
    state, effects = events.run(state, None) if typed else events.live(state)
    if (found := number(view.get("step"))) is not None and found >= 1 and state.look == "story":
        line = replace(state.line, current=found) if not state.line.computed else state.line
        state = replace(state, line=times.seek(line, found))
    if view.get("computed") == "1" and state.look in ("babi", "swap"):
        state, more = events.ask(state, st.REPORT if state.look == "babi" else st.CONTROL)
        effects += more
    return state, effects

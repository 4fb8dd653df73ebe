"""Prefix parity: a hand-made layer whose depth must grow with the length, beside what training finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app import timeline as times
from app.messages import Message, Text, msg, nmsg
from app.pane import Effect, Event, Selection
from app.panes import _scan_events as events
from app.panes import _scan_hand as hand
from app.panes import _scan_learned as learned
from app.panes import _scan_state as st
from app.panes._scan_controls import OPERATORS, controls
from app.panes._scan_side import side as hand_side
from app.panes._scan_state import State
from app.panes.scan import TITLE
from app.parts import stacked, taller
from app.scene import Column, Row, Scene, Tabs
from app.timeline import Timeline
from app.view import whole
from ut_engine.errors import UserError
from ut_engine.scan import MOST_POSITIONS, operators

SHOWN: tuple[dict[str, str], ...] = (
    {"step": "6"},
    {"n": "400", "input": "ones", "depth": "6", "step": "6"},
    {"n": "40", "signal": "none", "step": "63"},
    {"operator": "permutation", "n": "8", "step": "2"},
    {"tab": "learned"},
)
LARGEST: tuple[dict[str, str], ...] = (
    {"n": "1024", "step": "10"},
    {"n": "1024", "signal": "none", "step": "1023"},
)


def initial() -> State:
    return st.initial()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return events.update(state, event)


def scene(state: State, selection: Selection) -> Scene:
    """Controls at the left; the two tabs; at the right what holds for one position."""
    by_hand = state.tab == st.HAND
    pages = (
        hand.centre(state, selection) if by_hand else Column("hand", ()),
        learned.centre(state) if not by_hand else Column("learned", ()),
    )
    if state.single:
        pages = taller(pages[0]), taller(pages[1])
    titles = (msg("By hand"), msg("Learned"))
    tabs = Tabs("tabs", pages, titles, 0 if by_hand else 1, "tab.choose")
    side = hand_side(state) if by_hand else learned.side(state)
    root: Row | Column
    if state.single:
        root = Column("scan", (tabs, *controls(state), *side), scroll=True)
    elif state.narrow:
        left = stacked("left", (*controls(state), *side))
        root = Row("scan", (left, tabs), (0, 1), (280, 480), (True, False))
    else:
        parts = (stacked("controls", controls(state)), tabs, stacked("side", side))
        root = Row("scan", parts, (0, 1, 0), (272, 480, 286 if by_hand else 330), (True, False, True))
    return Scene(root, TITLE, sentence(state))


def timeline(state: State) -> Timeline | None:
    """The steps of the scan; what was trained has no steps to walk here."""
    return state.line if state.line.planned and state.tab == st.HAND else None


def sentence(state: State) -> Message:
    """The step on screen in one sentence."""
    frame, n = state.frame, state.n
    settled = nmsg("{k} of {n} position is settled", "{k} of {n} positions are settled", n, k=frame.n_settled)
    right = msg("{k} right for this input", k=frame.n_correct)
    if not frame.step:
        return msg("The input, {settled}, {right}.", settled=settled, right=right)
    return msg(
        "After step {t}, reading {d} back: {settled}, {right}.",
        t=frame.step,
        d=frame.offset,
        settled=settled,
        right=right,
    )


def caption(state: State) -> tuple[Text, ...]:
    """What stands under an exported picture: operation, input, depth, step."""
    source: Message = {
        st.RANDOM: msg("{n} random symbols, seed {s}", n=state.n, s=state.seed),
        st.ONES: msg("{n} ones", n=state.n),
        st.TYPED: msg("{n} symbols", n=state.n),
    }[state.kind]
    depth = msg("fixed depth {n}", n=state.depth) if state.depth else msg("as many steps as needed")
    signal = () if state.signal else (msg("no step signal"),)
    step = (msg("step {t}", t=state.line.current),) if state.tab == st.HAND else ()
    return (OPERATORS[state.operator], source, depth, *signal, *step)


def shows_model(state: State) -> bool:
    """The numbers are never the open checkpoint's."""
    return False


# ---- views ------------------------------------------------------------------------------------------------


def to_view(state: State) -> dict[str, str]:
    """Input, rule, step and place; only what is not usual, but always the step."""
    view: dict[str, str] = {}
    if state.tab != st.HAND:
        view["tab"] = state.tab
    if state.operator != st.XOR:
        view["operator"] = state.operator
    if state.kind == st.TYPED:
        view["bits"] = state.symbols
    else:
        view["n"] = str(state.n)
        view |= {"input": st.ONES} if state.kind == st.ONES else {"seed": str(state.seed)}
    if state.depth:
        view["depth"] = str(state.depth)
    if not state.signal:
        view["signal"] = "none"
    if state.look is not None:
        view["look"] = str(state.look + 1)
    if state.close:
        view["close"] = "1"
    if state.tab == st.HAND:
        view["step"] = str(state.line.current)
    return view


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """The state a view asks for; what is unknown or out of range stays as usual."""
    now = replace(
        state,
        tab=st.HAND,
        operator=st.XOR,
        kind=st.RANDOM,
        n=40,
        seed=1,
        text="",
        depth=0,
        signal=True,
        look=None,
        close=view.get("close") == "1",
        what="",
    )
    if view.get("operator") in {rule.name for rule in operators()}:
        now = replace(now, operator=view["operator"])
    now = replace(
        now, n=whole(view, "n", 1, MOST_POSITIONS, 40), seed=whole(view, "seed", 0, st.MOST_SEED, 1)
    )
    xor = now.operator == st.XOR
    if view.get("input") == st.ONES and xor:
        now = replace(now, kind=st.ONES)
    now = _with_bits(now, view.get("bits", ""))
    now = replace(now, signal=view.get("signal") != "none" or not xor)
    depth = whole(view, "depth", 0, st.most_depth(now), 0)
    look = whole(view, "look", 0, now.n, 0) - 1
    now = replace(now, depth=depth, fixed=depth or now.fixed, look=look if look >= 0 else None)
    now = st.timed(now)
    usual = 3 if "step" not in view else 1
    step = whole(view, "step", 1, max(now.line.computed, 1), usual)
    now = replace(now, line=times.seek(replace(now.line, playing=0), step))
    if view.get("tab") == st.LEARNED and xor:
        return events.update(now, Event("tab.choose", st.LEARNED))
    return now, ()


def _with_bits(state: State, text: str) -> State:
    """Typed symbols, where the operation knows them and they are not too many."""
    if not text.strip():
        return state
    try:
        n = len(st.elements(state.operator, st.TYPED, 0, 0, text))
    except UserError:
        return state
    return replace(state, kind=st.TYPED, text=text.strip(), n=n) if n <= MOST_POSITIONS else state

"""The coordinate embedding: position and step as sinusoids, how long it is, what a checkpoint really adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app import timeline as times
from app.messages import Message, Text, msg
from app.pane import Effect, Event, Selection
from app.panes import _coords_events as events
from app.panes import _coords_numbers as numbers
from app.panes import _coords_state as st
from app.panes._coords_centre import bottom, top
from app.panes._coords_side import PARTS, SOURCES, controls, side
from app.panes._coords_state import State
from app.panes.coords import TITLE
from app.parts import stacked, taller
from app.scene import Column, Row, Scene
from app.timeline import Timeline
from app.view import whole

SHOWN: tuple[dict[str, str], ...] = (
    {"d": "64", "m": "100", "t": "10"},
    {"part": "position", "t": "3"},
    {"picture": "dots", "m": "400", "t": "40"},
    {"source": "table", "t": "3"},
    {"source": "own", "t": "2"},
)
LARGEST: tuple[dict[str, str], ...] = (
    {"d": "1024", "m": "2000", "t": "50"},
    {"d": "1024", "m": "2000", "picture": "dots", "t": "50"},
)


def initial() -> State:
    return st.initial()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return events.update(state, event)


def scene(state: State, selection: Selection) -> Scene:
    """Controls at the left; the signal above its length; numbers at the right."""
    centre = Column(
        "centre", (top(state, selection), bottom(state)), (5, 4), state.narrow and not state.single
    )
    root: Row | Column
    if state.single:
        root = Column("coords", (taller(centre), *controls(state), *side(state)), scroll=True)
    elif state.narrow:
        left = stacked("left", (*controls(state), *side(state)))
        root = Row("coords", (left, centre), (0, 1), (284, 480), (True, False))
    else:
        parts = (stacked("controls", controls(state)), centre, stacked("side", side(state)))
        root = Row("coords", parts, (0, 1, 0), (272, 480, 290), (True, False, True))
    return Scene(root, TITLE, sentence(state))


def timeline(state: State) -> Timeline | None:
    return state.line if state.drawn else None


def sentence(state: State) -> Message:
    """The step on screen in one sentence."""
    if not state.drawn:
        return msg("A checkpoint's own signal, not measured yet or not there.")
    found = numbers.lengths(state)
    return msg(
        "Step {t}, width {d}: the length is {n} at position {i}, over all positions {low} to {high}.",
        t=state.t,
        d=state.width,
        n=f"{found[state.place]:.2f}",
        i=state.place + 1,
        low=f"{found.min():.2f}",
        high=f"{found.max():.2f}",
    )


def caption(state: State) -> tuple[Text, ...]:
    """What stands under an exported picture: whose signal, its part, width, step."""
    if not state.drawn:
        return ()
    source: Text = str(state.own.value.get("name", "")) if state.source == st.OWN else SOURCES[state.source]
    size = msg("d = {d}, {m} positions", d=state.width, m=state.positions)
    return (source, PARTS[state.part], size, msg("step {t}", t=state.t))


def shows_model(state: State) -> bool:
    """Whether the numbers are a checkpoint's."""
    return state.source == st.OWN and bool(state.own.path)


# ---- views ------------------------------------------------------------------------------------------------


def to_view(state: State) -> dict[str, str]:
    """Whose signal, size, step, what is drawn; only what is not usual, but always the step."""
    usual = st.State()
    view = {"t": str(state.t)}
    for name in ("source", "d", "m", "part", "picture"):
        if getattr(state, name) != getattr(usual, name):
            view[name] = str(getattr(state, name))
    if state.look != usual.look:
        view["look"] = str(state.look + 1)
    if state.far:
        view["far"] = "1"
    return view


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """The state a view asks for; what is unknown or out of range stays as usual."""
    usual = st.initial()
    now = replace(usual, own=state.own, narrow=state.narrow, single=state.single)
    d = whole(view, "d", st.WIDTHS[0], st.WIDTHS[-1], usual.d)
    part, picture = view.get("part", ""), view.get("picture", "")
    now = replace(
        now,
        d=d if d in st.WIDTHS else usual.d,
        m=whole(view, "m", st.LEAST_POSITIONS, st.MOST_POSITIONS, usual.m),
        part=part if part in st.PARTS else usual.part,
        picture=picture if picture in (st.SIGNAL, st.DOTS) else usual.picture,
        look=whole(view, "look", 1, st.MOST_POSITIONS, usual.look + 1) - 1,
        far=view.get("far") == "1",
    )
    t = whole(view, "t", 1, st.MOST_STEPS, usual.t)
    now = replace(now, line=times.seek(replace(now.line, playing=0), t))
    if view.get("source") not in st.SOURCES:
        return st.timed(now), ()
    far = now.far
    after, effects = events.update(now, Event("control.source", view["source"]))
    if after.source == st.OWN and after.own.phase != st.DONE:  # how many steps it has is not known yet
        after = replace(after, line=now.line)
    return replace(after, far=far), effects

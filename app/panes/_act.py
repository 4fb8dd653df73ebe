"""The ACT debugger: the paper's halting listing, run line by line in both directions.

Over hand-made tables, over the open checkpoint itself, and over a past that was changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.messages import Message, Text, msg, nmsg
from app.pane import Effect, Event, Selection
from app.panes import _act_change as change
from app.panes import _act_compare as compare
from app.panes import _act_events as events
from app.panes import _act_hunt as hunt
from app.panes import _act_left as left
from app.panes import _act_pinned as pinned_panel
from app.panes import _act_state as st
from app.panes import _act_stops as stops
from app.panes import _act_view as views
from app.panes import _act_why as why
from app.panes._act_centre import centre
from app.panes._act_state import State
from app.panes.act import TITLE
from app.scene import Button, Card, Choice, Column, Field, Form, Node, Number, Real, Row, Scene, Tabs
from app.timeline import Timeline

LISTING, TABLE = 532, 440  # px, at 100 % text size, that the listing and the table need

SOURCE_NAMES = {
    "fresh": msg("fresh: bias 1, p = 0.731"),
    "sentence": msg("sentence: one halts at once"),
    "hesitant": msg("hesitant: p = 0.05"),
    "two-position": msg("two positions: the exact example"),
    "table": msg("a table of your own"),
    "live": msg("live: the open checkpoint"),
}
MIXES = {"basic": msg("Listing 2"), "accumulated": msg("summed"), "graves": msg("Graves")}
TAB_NAMES = {
    "line": msg("Line"), "pinned": msg("Pinned"), "stops": msg("Stops"), "compare": msg("Compare"),
    "change": msg("Edit"), "why": msg("Why"), "hunt": msg("Hunt"),
}  # fmt: skip


def initial() -> State:
    return st.initial()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return events.update(state, event)


def scene(state: State, selection: Selection) -> Scene:
    pinned = st.pinned_of(state, selection.pinned)
    if state.slim:  # all of it is scrolled
        parts = _single(state, selection, pinned).children
        return Scene(Column("act", (_controls(state), *parts), scroll=True), TITLE, sentence(state))
    shape = _single if state.single else _narrow if state.narrow else _wide
    root = Column("act", (_controls(state), shape(state, selection, pinned)), (0, 1))
    return Scene(root, TITLE, sentence(state))


def _controls(state: State) -> Row | Column:
    """Above all, in one line or two: where the numbers come from and under which rules they run."""
    setup = state.setup
    live = setup.states is not None
    source = Choice(
        "control.source", msg("Source"), "control.source", tuple(SOURCE_NAMES.items()), state.source, "bare"
    )
    mixing = Choice("control.mixing", msg("Mixing"), "control.mixing", tuple(MIXES.items()), setup.mixing,
                    enabled=not setup.fault)  # fmt: skip
    states = (("listing2", msg("goes on")), ("frozen", msg("frozen")))
    semantics = Choice("control.state", msg("Halted state"), "control.state", states, setup.state,
                       enabled=not live and not setup.fault,
                       tip=msg("goes on: as the paper's listing; frozen: as its section 2.2"))  # fmt: skip
    epsilon = Real("control.epsilon", "ε", "control.epsilon", setup.epsilon, 0.0, 0.5, 0.01, 3, slider=False)
    most = st.MOST_STEPS if live else setup.p.shape[1]
    cap: Field = Number("control.cap", msg("at most"), "control.cap", setup.cap, 1, most)
    if state.narrow and not state.single:  # no room for a slider
        cap = Real("control.cap", msg("at most"), "control.cap", setup.cap, 1, most, 1, 0, slider=False)
    fields: list[Field] = [source, mixing, semantics, epsilon, cap]
    if state.source == "live":
        fields.append(
            Button(
                "control.run",
                msg("Run"),
                "run.start",
                icon="play",
                style="primary",
                enabled=bool(state.live.path),
            )
        )
    forms = tuple(Form(f"{field.key}.form", ((field,),)) for field in fields)
    if state.slim:
        numbers = Row("controls.numbers", forms[3:], (3, 5, 2)[: len(forms) - 3])
        return Column("controls.three", (forms[0], Row("controls", forms[1:3], (1, 1)), numbers))
    if state.single:
        rest = Row("controls.more", forms[3:], (3, 5, 2)[: len(forms) - 3])
        return Column("controls.two", (Row("controls", forms[:3], (6, 5, 5)), rest))
    return Row("controls", forms, (6, 5, 5, 3, 5, 2)[: len(forms)])


def _wide(state: State, selection: Selection, pinned: int) -> Row:
    what = Card("what.card", left.what_title(state), _filled("what", left.what(state, pinned)))
    one = Column("left", (left.listing(state, pinned), what), (0, 1))
    card = Card("pinned.card", msg("Pinned"), Column("pinned", pinned_panel.panel(state, pinned)[:3]),
                pinned_panel.title(state, pinned))  # fmt: skip
    side = Column("right", (card, _tabs(state, pinned, st.SIDE)), (0, 1))
    return Row(
        "wide",
        (one, centre(state, selection, pinned), side),
        (36, 42, 22),
        (LISTING, TABLE, 300),
        (False, False, True),
    )


def _narrow(state: State, selection: Selection, pinned: int) -> Row:
    one = Column("left", (left.listing(state, pinned), _tabs(state, pinned, st.PANELS)), (0, 1))
    return Row("narrow", (one, centre(state, selection, pinned)), (44, 56), (LISTING, TABLE))


def _single(state: State, selection: Selection, pinned: int) -> Column:
    """Large type in a small window: one below the other, so that only one direction is scrolled."""
    parts = left.listing(state, pinned), centre(state, selection, pinned)
    return Column("single", (*parts, _tabs(state, pinned, st.PANELS, scroll=False)), scroll=True)


def _tabs(state: State, pinned: int, names: tuple[str, ...], scroll: bool = True) -> Tabs:
    """Only the chosen tab is filled."""
    chosen = state.panel if state.panel in names else names[0]  # "": the first
    pages = tuple(
        _filled(f"tab.{name}", _panel(state, name, pinned) if name == chosen else (), scroll)
        for name in names
    )
    return Tabs("side", pages, tuple(TAB_NAMES[name] for name in names), names.index(chosen), "panel.choose")


def _filled(key: str, parts: tuple[Node, ...], scroll: bool = True) -> Column:
    """The parts at the top, whatever room there is."""
    top, rest = Column(f"{key}.top", ()), Column(f"{key}.rest", ())
    return Column(key, (top, *parts, rest), (0, *(0 for _ in parts), 1), scroll=scroll)


def _panel(state: State, name: str, pinned: int) -> tuple[Node, ...]:
    if name == "line":
        return left.what(state, pinned)
    if name == "pinned":
        return pinned_panel.panel(state, pinned)
    if name == "stops":
        return stops.stops(state, pinned)
    if name == "compare":
        return compare.compare(state, pinned)
    if name == "change":
        return change.change(state, pinned)
    return why.panel(state, pinned) if name == "why" else hunt.panel(state)


def timeline(state: State) -> Timeline | None:
    """Lines, and what lies ahead of them; a prediction hides who halts later."""
    line = state.line
    if not state.predict:
        return line
    seen = state.index + int(not state.covered)
    planned = state.setup.cap * state.trace.per_step
    signs = tuple(sign for sign in line.signs if sign[0] <= seen)
    return replace(line, signs=signs, stops=(), planned=planned)


def sentence(state: State) -> Message:
    """The line on screen in one sentence."""
    record = state.record
    if record is None:
        return msg("Nothing has run yet.")
    where = msg("Step {t}, line {n}: {name}.", t=record.step, n=record.line, name=record.variable)
    if state.covered:
        return msg("{where} {what}", where=where, what=msg("Which position halts?"))
    count = int(left.changes(state.trace, state.index).sum())
    changed = nmsg("It changed {n} position.", "It changed {n} positions.", count)
    running = int((st.at_frame(state.trace, state.index, "halting_probability") < 1).sum())
    going = nmsg("{n} position still runs.", "{n} positions still run.", running)
    return msg("{where} {changed} {going}", where=where, changed=changed, going=going)


def caption(state: State) -> tuple[Text, ...]:
    """What stands under an exported picture: source, rules, changes, step and line, the position pinned."""
    setup, record = state.setup, state.record
    if record is None:
        return ()
    rules: list[Text] = [MIXES[setup.mixing]]
    if setup.fault:
        rules = [msg("A listing with a fault")]
    elif setup.state == "frozen":
        rules.append(msg("halted states frozen"))
    changed = (state.branches[state.branch].name,) if state.branch else ()
    where = msg("step {t}, line {n} of {m}", t=record.step, n=record.line, m=state.trace.per_step)
    pinned = msg("pinned: {label}", label=st.label(state, st.pinned_of(state, None)))
    source: tuple[Text, ...] = () if state.source == "live" else (TITLE, SOURCE_NAMES[state.source])
    epsilon = msg("ε = {epsilon}, at most {n} steps", epsilon=f"{setup.epsilon:g}", n=setup.cap)
    return (*source, *rules, epsilon, *changed, where, pinned)


def shows_model(state: State) -> bool:
    """Whether the numbers are the open model's."""
    return state.source == "live"


def to_view(state: State) -> dict[str, str]:
    return views.to_view(state)


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    return views.from_view(state, view)

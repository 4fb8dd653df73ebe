"""The ACT debugger: the paper's halting listing, run line by line in both directions.

Over hand-made tables, over the open checkpoint itself, and over a past that was changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app import timeline as times
from app.messages import Message, msg, nmsg
from app.pane import Effect, Event, Selection
from app.panes import _act_change as change
from app.panes import _act_compare as compare
from app.panes import _act_events as events
from app.panes import _act_hunt as hunt
from app.panes import _act_left as left
from app.panes import _act_pinned as pinned_panel
from app.panes import _act_state as st
from app.panes import _act_stops as stops
from app.panes import _act_why as why
from app.panes._act_centre import centre
from app.panes._act_state import State
from app.scene import Button, Card, Choice, Column, Field, Form, Node, Number, Real, Row, Scene, Tabs
from app.timeline import Timeline
from ut_engine.faults import fault_names
from ut_engine.spec import CHOICES
from ut_engine.stops import Stop

NAME = "act"
TITLE = msg("ACT debugger")
CHAPTER = 6
WORKSPACE = "ACT"

SOURCE_NAMES = {
    "fresh": msg("fresh: bias 1, p = 0.731"),
    "sentence": msg("sentence: one halts at once"),
    "hesitant": msg("hesitant: p = 0.05"),
    "two-position": msg("two positions: the exact example"),
    "table": msg("a table of your own"),
    "live": msg("live: the open checkpoint"),
}
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
    body = _narrow(state, selection, pinned) if state.narrow else _wide(state, selection, pinned)
    root = Column("act", (_controls(state), body), (0, 1))
    return Scene(root, TITLE, sentence(state))


def _controls(state: State) -> Row:
    """One line above all: where the numbers come from and under which rules they run."""
    setup = state.setup
    live = setup.states is not None
    source = Choice(
        "control.source", msg("Source"), "control.source", tuple(SOURCE_NAMES.items()), state.source, "bare"
    )
    mixes = (("basic", msg("Listing 2")), ("accumulated", msg("summed")), ("graves", msg("Graves")))
    mixing = Choice("control.mixing", msg("Mixing"), "control.mixing", mixes, setup.mixing,
                    enabled=not setup.fault)  # fmt: skip
    states = (("listing2", msg("goes on")), ("frozen", msg("frozen")))
    semantics = Choice("control.state", msg("Halted state"), "control.state", states, setup.state,
                       enabled=not live and not setup.fault,
                       tip=msg("goes on: as the paper's listing; frozen: as its section 2.2"))  # fmt: skip
    epsilon = Real("control.epsilon", "ε", "control.epsilon", setup.epsilon, 0.0, 0.5, 0.01, 3, slider=False)
    cap = Number("control.cap", msg("at most"), "control.cap", setup.cap, 1,
                 st.MOST_STEPS if live else setup.p.shape[1])  # fmt: skip
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
    return Row("controls", forms, (6, 5, 5, 3, 5, 2)[: len(forms)])


def _wide(state: State, selection: Selection, pinned: int) -> Row:
    what = Card("what.card", left.what_title(state), _filled("what", left.what(state, pinned)))
    one = Column("left", (left.listing(state, pinned), what), (0, 1))
    card = Card("pinned.card", msg("Pinned"), Column("pinned", pinned_panel.panel(state, pinned)[:3]),
                pinned_panel.title(state, pinned))  # fmt: skip
    side = Column("right", (card, _tabs(state, pinned, st.SIDE)), (0, 1))
    return Row("wide", (one, centre(state, selection, pinned), side), (36, 43, 21), (540, 440, 286))


def _narrow(state: State, selection: Selection, pinned: int) -> Row:
    one = Column("left", (left.listing(state, pinned), _tabs(state, pinned, st.PANELS)), (0, 1))
    return Row("narrow", (one, centre(state, selection, pinned)), (44, 56), (530, 440))


def _tabs(state: State, pinned: int, names: tuple[str, ...]) -> Tabs:
    """Only the chosen tab is filled."""
    chosen = state.panel if state.panel in names else names[0]  # "": the first
    pages = tuple(
        _filled(f"tab.{name}", _panel(state, name, pinned) if name == chosen else ()) for name in names
    )
    return Tabs("side", pages, tuple(TAB_NAMES[name] for name in names), names.index(chosen), "panel.choose")


def _filled(key: str, parts: tuple[Node, ...]) -> Column:
    """The parts at the top, whatever room there is."""
    top, rest = Column(f"{key}.top", ()), Column(f"{key}.rest", ())
    return Column(key, (top, *parts, rest), (0, *(0 for _ in parts), 1), scroll=True)


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
    return why.panel(state) if name == "why" else hunt.panel(state)


def timeline(state: State) -> Timeline | None:
    """Lines, and what lies ahead of them; a prediction hides who halts later."""
    line = state.line
    if not state.predict:
        return line
    seen = state.index + int(not state.covered)
    return replace(line, signs=tuple(sign for sign in line.signs if sign[0] <= seen), stops=())


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


# ---- views ------------------------------------------------------------------------------------------------


def to_view(state: State) -> dict[str, str]:
    """What is needed to come back here: source, rules, line, stops and changes; only what is not usual."""
    view: dict[str, str] = {}
    setup = state.branches[0].trace.setup
    if state.source != "sentence":
        view["source"] = state.source
    if state.source == "table":
        view["table"] = events.as_text(setup)
    if state.source == "live":
        view["open"], view["text"] = state.live.path, state.live.text
    for name, value, usual in (("mixing", setup.mixing, "basic"), ("state", setup.state, "listing2"),
                               ("fault", setup.fault, ""), ("panel", state.panel, "")):  # fmt: skip
        if (
            value != usual
            and (name not in ("mixing", "state") or setup.states is None)
            and not (setup.fault and name in ("mixing", "state"))
        ):
            view[name] = value
    if state.line.current:
        view["line"] = str(state.line.current)
    if state.pinned is not None:
        view["pin"] = str(state.pinned + 1)
    if state.stops != st.USUAL_STOPS:
        view["stops"] = ";".join(map(_stop_text, state.stops)) or "none"
    if state.predict:
        view["predict"] = "1"
    return {key: value for key, value in view.items() if value}


def _stop_text(stop: Stop) -> str:
    text = (
        stop.text.replace(";", ",")
        if stop.kind == "condition"
        else str(stop.number + int(stop.kind == "halts"))
    )
    return f"{'' if stop.on else '-'}{stop.kind}:{stop.hits}:{text}"


def _stop_from(text: str) -> Stop | None:
    kind, _, rest = text.removeprefix("-").partition(":")
    hits, _, tail = rest.partition(":")
    number = int(tail) if tail.isdigit() else 0
    if kind not in ("line", "halts", "all", "cap", "condition") or not hits.isdigit() or not int(hits):
        return None
    if kind == "condition":
        return Stop(kind, text=tail, hits=int(hits), on=not text.startswith("-"))
    return Stop(kind, max(number - int(kind == "halts"), 0), hits=int(hits), on=not text.startswith("-"))


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """The state a view asks for; what is unknown or out of range is left as it is."""
    effects: tuple[Effect, ...] = ()
    source, line = view.get("source", "sentence"), _whole(view.get("line"))
    if source == "table" and view.get("table"):
        state, effects = update(state, Event("table.text", view["table"]))
    elif source == "live":
        return _live_view(state, view, line)
    elif source in st.SOURCES and (source != state.source or state.setup.fault or len(state.branches) > 1):
        state, effects = update(replace(state, source=""), Event("control.source", source))
    if view.get("fault") in fault_names():
        state, _ = update(state, Event("hunt.fault", view["fault"]))
    if view.get("mixing") in CHOICES["mixing"]:
        state, _ = update(state, Event("control.mixing", view["mixing"]))
    if view.get("state") in CHOICES["state"]:
        state, _ = update(state, Event("control.state", view["state"]))
    return _looking(state, view, line), effects


def _looking(state: State, view: Mapping[str, str], line: int) -> State:
    """What does not change the run: panel, pin, stops, the line looked at."""
    pin = _whole(view.get("pin"))
    panel = view.get("panel", "")
    state = replace(
        state,
        panel=panel if panel in st.PANELS else "",
        pinned=pin - 1 if 1 <= pin <= max(state.trace.m, 1) else state.pinned,
        predict=view.get("predict") == "1",
    )
    if "stops" in view:
        found = (_stop_from(text) for text in view["stops"].split(";"))
        good = tuple(stop for stop in found if stop is not None and _usable(state, stop))
        state = st.timed(replace(state, stops=good))
    if line:
        state = replace(state, line=times.seek(state.line, line))
    return replace(state, revealed=state.index - 1 if state.predict else -1)


def _usable(state: State, stop: Stop) -> bool:
    if stop.kind != "condition":
        return True
    _, effects = update(state, Event("stop.condition", stop.text))
    after, _ = update(state, Event("stop.condition", stop.text))
    return not after.what and not effects


def _live_view(state: State, view: Mapping[str, str], line: int) -> tuple[State, tuple[Effect, ...]]:
    """A run of a checkpoint: opened where another (or none) is open, then run to the line."""
    state = _looking(state, view, 0)
    path = view.get("open", state.live.path)
    live = replace(state.live, text=view.get("text", state.live.text), go_to=line, autorun=True)
    state = replace(state, source="live", live=live)
    if not path:
        return state, ()
    if path != state.live.path:
        return state, (Effect("engine.open", path),)
    return events.HANDLERS["run.start"](replace(state, live=replace(live, autorun=False)), None)


def _whole(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() else 0

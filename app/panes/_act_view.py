"""The debugger's view as text, and back: source, rules, line, stops, changes of the past."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app import timeline as times
from app.pane import Effect, Event
from app.panes import _act_events as events
from app.panes import _act_sources as sources
from app.panes import _act_state as st
from app.panes._act_events import update
from app.panes._act_rerun import linked, whole
from app.panes._act_state import State
from ut_engine.faults import fault_names
from ut_engine.spec import CHOICES
from ut_engine.stops import KINDS, Stop

CHANGES = ("edits", "epsilon", "steps")


def to_view(state: State) -> dict[str, str]:
    """What is needed to come back here: source, rules, line, stops and changes; only what is not usual."""
    view: dict[str, str] = {}
    setup = state.branches[0].trace.setup
    if state.source != "sentence":
        view["source"] = state.source
    if state.source == "table":
        view["table"] = sources.as_text(setup)
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
    view |= _changes(state)
    return {key: value for key, value in view.items() if value}


def _changes(state: State) -> dict[str, str]:
    """How the run on screen differs from the one as it was."""
    first, now = state.branches[0].trace.setup, state.setup
    view: dict[str, str] = {}
    if now.edits:
        view["edits"] = ";".join(f"{e.kind}:{e.step}:{e.position + 1}:{e.value:g}" for e in now.edits)
    if now.epsilon != first.epsilon:
        view["epsilon"] = f"{now.epsilon:g}"
    if now.cap != first.cap:
        view["steps"] = str(now.cap)
    return view


def _changed(state: State, view: Mapping[str, str]) -> State:
    """The changes a view asks for, those that make sense here."""
    setup = linked(state.setup, view)
    if setup is state.setup:
        return state
    return update(state, Event("branch.restore", setup))[0]


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
    number, often = whole(tail), whole(hits)
    if kind not in KINDS or not often:
        return None
    if kind == "condition":
        return Stop(kind, text=tail, hits=often, on=not text.startswith("-"))
    return Stop(kind, max(number - int(kind == "halts"), 0), hits=often, on=not text.startswith("-"))


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """The state a view asks for; what is unknown or out of range is left as it is."""
    effects: tuple[Effect, ...] = ()
    source, line = view.get("source", "sentence"), whole(view.get("line"))
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
    return _looking(_changed(state, view), view, line), effects


def _looking(state: State, view: Mapping[str, str], line: int) -> State:
    """What does not change the run: panel, pin, stops, the line looked at."""
    pin = whole(view.get("pin"))
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
    live = replace(state.live, text=view.get("text", state.live.text), go_to=line, autorun=True,
                   link={name: view[name] for name in CHANGES if name in view})  # fmt: skip
    state = replace(state, source="live", live=live)
    if not path:
        return state, ()
    if path != state.live.path:
        return state, (Effect("engine.open", path),)
    return events.HANDLERS["run.start"](replace(state, live=replace(live, autorun=False)), None)

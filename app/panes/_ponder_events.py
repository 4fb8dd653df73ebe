"""What happens in the pane about ponder time: (state, event) -> (state, effects)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app import timeline as times
from app.pane import Effect, Event
from app.panes import _ponder_state as st
from app.panes._ponder_state import State, Waited
from app.sorting import heard
from app.timeline import Timeline
from ut_engine.errors import UserError
from ut_engine.tasks.babi import parse_story

Done = tuple[State, tuple[Effect, ...]]
WHAT = {st.REPORT: "babi", st.CONTROL: "babi", st.SWAP: "swap", st.STORY: "hops"}


def update(state: State, event: Event) -> Done:
    if event.name == "inset":  # from a figure that has room of its own
        return update(state, event.value[1])
    line = times.heard(state.line, event.name, event.value)
    if line is not None:
        return replace(state, line=line), ()
    handler = HANDLERS.get(event.name)
    return handler(state, event.value) if handler is not None else (state, ())


# ---- measurements -----------------------------------------------------------------------------------------


def ask(state: State, key: str) -> Done:
    """Start a measurement, unless that very one is there or on its way."""
    args = _args(state, key)
    about = str(sorted(args.items()))
    known = state.measured(key)
    if not state.path or (known.about == about and not known.what):
        return state, ()
    state = replace(state, asked={**state.asked, key: Waited(about)})
    if key == st.STORY:
        state = replace(state, line=Timeline())
    return state, (Effect("measure.start", {"key": key, "what": WHAT[key], "args": args}),)


def _args(state: State, key: str) -> dict[str, Any]:
    checkpoint = {"checkpoint": state.path}
    if key == st.SWAP:
        return {**checkpoint, "texts": list(st.triple(state.seed))}
    if key == st.STORY:
        return {**checkpoint, "text": state.text}
    return {**checkpoint, "same_story": key == st.CONTROL}


def live(state: State) -> Done:
    """What the figure on screen computes by itself: one story, never a whole set."""
    if state.look == "swap":
        return ask(state, st.SWAP)
    if state.look == "story" and st.read(state.text) is not None:
        return ask(state, st.STORY)
    return state, ()


def recompute(state: State, value: Any) -> Done:
    """value: the key of a whole set."""
    if value not in (st.REPORT, st.CONTROL):
        return state, ()
    kept = {key: one for key, one in state.asked.items() if key != value}
    return ask(replace(state, asked=kept), str(value))


def cancel(state: State, value: Any) -> Done:
    if not state.measured(str(value)).waiting:
        return state, ()
    kept = {key: one for key, one in state.asked.items() if key != value}
    return replace(state, asked=kept), (Effect("measure.cancel", value),)


def _heard(state: State, said: Mapping[str, Any], **changes: Any) -> State:
    key = str(said["key"])
    if not state.measured(key).waiting:
        return state
    return replace(state, asked={**state.asked, key: replace(state.asked[key], **changes)})


def progress(state: State, value: Any) -> Done:
    return _heard(state, value, done=int(value["done"]), total=int(value["total"])), ()


def arrived(state: State, value: Any) -> Done:
    after = _heard(state, value, value=value["value"])
    if after is not state and value["key"] == st.STORY:
        steps = int(value["value"]["steps"])
        current = min(state.line.current or steps, steps)
        after = replace(after, line=Timeline(current, steps, steps, live=current == steps))
    return after, ()


def failed(state: State, value: Any) -> Done:
    return _heard(state, value, what=str(value["what"]), do=str(value["do"])), ()


# ---- controls ---------------------------------------------------------------------------------------------


def look(state: State, value: Any) -> Done:
    return live(replace(state, look=str(value))) if value in st.LOOKS else (state, ())


def seed(state: State, value: Any) -> Done:
    number = min(max(int(value), 1), st.MOST_STORIES)
    return (state, ()) if number == state.seed else live(replace(state, seed=number))


def text(state: State, value: Any) -> Done:
    """The story as it is typed; it runs when asked to."""
    return replace(state, text=str(value), what="", do=""), ()


def sample(state: State, value: Any) -> Done:
    known = st.samples()
    k = int(value)
    if not 0 <= k < len(known):
        return state, ()
    return live(replace(state, text=known[k][1], what="", do=""))


def run(state: State, _: Any) -> Done:
    try:
        parse_story(state.text)
    except UserError as error:
        return replace(state, what=error.what, do=error.do), ()
    return live(replace(state, what="", do=""))


def again(state: State, value: Any) -> Done:
    """After an error: the same measurement once more."""
    return ask(state, str(value)) if value in WHAT else (state, ())


def head(state: State, value: Any) -> Done:
    return replace(state, head=-1 if value == "mean" else int(value)), ()


def model(state: State, value: Any) -> Done:
    if value not in (st.SHIPPED, st.OPEN) or value == state.model:
        return state, ()
    stop = tuple(Effect("measure.cancel", key) for key, one in state.asked.items() if one.waiting)
    after, effects = live(replace(state, model=str(value), asked={}, line=Timeline()))
    return after, (*stop, *effects)


def opened(state: State, value: Any) -> Done:
    """Another checkpoint is open; one that reads stories can be asked as well."""
    card = value.get("card", value)
    stories = card.get("task") == "babi" and str(card.get("path", "")) != _shipped_path()
    found = (str(card.get("path", "")), str(card.get("name", ""))) if stories else ("", "")
    if found == state.opened:
        return state, ()
    state = replace(state, opened=found)
    return (state, ()) if state.model != st.OPEN else model(state, st.SHIPPED)


def changed(state: State, path: Any) -> Done:
    """The files of a checkpoint are others: what was measured with it before is not shown any more."""
    if path != state.path:
        return state, ()
    stop = tuple(Effect("measure.cancel", key) for key, one in state.asked.items() if one.waiting)
    after, effects = live(replace(state, asked={}, line=Timeline()))
    return after, (*stop, *effects)


def _shipped_path() -> str:
    return replace(State(), model=st.SHIPPED).path


def width(state: State, value: Any) -> Done:
    narrow, slim = int(value) < st.FOLD, int(value) < st.SLIM
    same = (narrow, slim) == (state.narrow, state.slim)
    return (state, ()) if same else (replace(state, narrow=narrow, slim=slim), ())


def _choice(name: str, known: tuple[str, ...]) -> Callable[[State, Any], Done]:
    return lambda state, value: (replace(state, **{name: value}) if value in known else state, ())


HANDLERS: Mapping[str, Callable[[State, Any], Done]] = {
    "ponder.look": look,
    "ponder.positions": _choice("positions", st.POSITIONS),
    "ponder.kind": _choice("kind", st.KINDS),
    "ponder.model": model,
    "ponder.seed": seed,
    "ponder.text": text,
    "ponder.sample": sample,
    "ponder.run": run,
    "ponder.head": head,
    "ponder.recompute": recompute,
    "ponder.again": again,
    "ponder.cancel": cancel,
    "ponder.sort": lambda state, value: (replace(state, sets=heard(state.sets, value, 4)), ()),
    "measure.progress": lambda state, value: progress(state, value) if value["key"] in WHAT else (state, ()),
    "measure.done": lambda state, value: arrived(state, value) if value["key"] in WHAT else (state, ()),
    "measure.error": lambda state, value: failed(state, value) if value["key"] in WHAT else (state, ()),
    "engine.opened": opened,
    "engine.changed": changed,
    "view.width": width,
}

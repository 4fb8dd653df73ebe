"""What the block pane does when something happens: (state, event) -> (state, effects), pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app.engine_texts import told
from app.messages import msg
from app.pane import Effect, Event
from app.panes import _block_parts as parts
from app.panes import _block_state as st
from app.panes._block_state import State
from app.paths import shipped
from ut_engine.presets import preset

Done = tuple[State, tuple[Effect, ...]]
PRESETS = {"base": "transformer-base", "ut-base": "ut-base"}


def update(state: State, event: Event) -> Done:
    """One event; one of no concern changes nothing."""
    if event.name.startswith("size."):
        return _size(state, event.name.removeprefix("size."), event.value)
    handler = HANDLERS.get(event.name)
    return handler(state, event.value) if handler is not None else (state, ())


# ---- which block ------------------------------------------------------------------------------------------


def _option(name: str, allowed: tuple[str, ...]) -> Callable[[State, Any], Done]:
    def choose(state: State, value: Any) -> Done:
        if value not in allowed:
            return state, ()
        return settled(changed(state, {name: value})), ()

    return choose


def _side(state: State, value: Any) -> Done:
    """The decoder is first looked at where it differs from the encoder."""
    if value not in st.SIDES or value == state.side:
        return state, ()
    look = f"{state.diagram}.cross" if value == st.DECODER else state.look
    return settled(replace(state, side=value, look=look)), ()


def _feed(state: State, value: Any) -> Done:
    if value not in st.FEEDS or not state.decoder:
        return state, ()
    return replace(state, feed=value, look=f"{state.diagram}.feed"), ()


def changed(state: State, values: Mapping[str, Any]) -> State:
    """The state with other values of some fields."""
    return replace(state, **values)


def settled(state: State) -> State:
    """With something looked at that is drawn."""
    return state if state.look in parts.known(state) else replace(state, look=f"{state.diagram}.self")


def _look(state: State, value: Any) -> Done:
    """A click on a part; a tensor of the open model is measured the first time one is looked at."""
    if value not in parts.known(state):
        return state, ()
    after = replace(state, look=str(value))
    fresh = state.values is None and not state.waiting and not state.what
    if fresh and state.path and parts.PARTS[after.part].shape:
        return _measure(after, None)
    return after, ()


# ---- sizes ------------------------------------------------------------------------------------------------


def _size(state: State, name: str, value: Any) -> Done:
    if name not in st.LIMITS:
        return state, ()
    least, most = st.LIMITS[name]
    number = min(max(round(float(value)), least), most)
    if number == getattr(state, name):
        return state, ()
    kept = state.preset if name in ("m", "batch", "steps") else ""
    return sized(state, preset=kept, **{name: number}), ()


def sized(state: State, **changes: Any) -> State:
    """With other sizes, where heads divide d; else it says so and keeps the old ones."""
    after = replace(state, wrong="", **changes)
    if after.d % after.heads:
        text = msg("{d} channels cannot be split into {k} heads; choose a divisor.", d=after.d, k=after.heads)
        return replace(state, wrong=text)
    return after


def _preset(state: State, value: Any) -> Done:
    if value in PRESETS:
        design = preset(PRESETS[value]).design
        return sized(state, preset=str(value), d=design.d_model, d_ff=design.d_ff, heads=design.heads,
                     steps=design.depth), ()  # fmt: skip
    if value == "open" and state.config:
        return sized(state, preset="open", **_sizes_of(state.config)), ()
    return (replace(state, preset=""), ()) if value == "" else (state, ())


def _sizes_of(config: Mapping[str, Any]) -> dict[str, int]:
    steps = config["layers"] if config["architecture"] == "transformer" else config["max_steps"]
    return {"d": config["d_model"], "d_ff": config["d_ff"], "heads": config["heads"], "steps": steps}


# ---- values -----------------------------------------------------------------------------------------------


def _measure(state: State, _: Any) -> Done:
    path, name = (state.path, state.name) if state.path else (str(shipped().get(st.SHIPPED, "")), st.SHIPPED)
    if not path:
        lost = msg("The shipped checkpoint {name} is missing", name=name)
        return replace(state, what=told(lost, msg("Install the program again"))), ()
    want = {"key": st.KEY, "what": "block", "args": {"checkpoint": path}}
    after = replace(state, waiting=True, done=0, total=0, what="", of=name)
    return after, (Effect("measure.start", want),)


def _cancel(state: State, _: Any) -> Done:
    if not state.waiting:
        return state, ()
    return replace(state, waiting=False), (Effect("measure.cancel", st.KEY),)


def _progress(state: State, value: Any) -> Done:
    if value["key"] != st.KEY or not state.waiting:
        return state, ()
    return replace(state, done=int(value["done"]), total=int(value["total"])), ()


def _found(state: State, value: Any) -> Done:
    if value["key"] != st.KEY or not state.waiting:
        return state, ()
    return replace(state, waiting=False, values=value["value"]), ()


def _failed(state: State, value: Any) -> Done:
    if value["key"] != st.KEY or not state.waiting:
        return state, ()
    return replace(state, waiting=False, what=told(str(value["what"]), str(value["do"]))), ()


def _fit(state: State, _: Any) -> Done:
    """The diagrams as the measured model's block is: order, transition, sizes, positions."""
    if state.values is None:
        return state, ()
    config = state.values["config"]
    side = state.values["sides"].get(state.side) or state.values["sides"][st.ENCODER]
    after = replace(
        state,
        side=state.side if state.side in state.values["sides"] else st.ENCODER,
        norm=config["norm"] if config["norm"] in st.NORMS else st.PRE,
        transition=config["transition"],
        preset="open" if state.config == config else "",
        m=int(side["positions"]),
        batch=1,
    )
    return settled(sized(after, **(_sizes_of(config) | {"steps": int(side["steps"])}))), ()


def _opened(state: State, value: Any) -> Done:
    """A checkpoint is opened, maybe the same one changed: what was measured before is no longer shown."""
    card = value.get("card", value)
    path, config = str(card.get("path", "")), dict(card.get("config", {}))
    usable = config.get("architecture") in ("universal", "transformer")
    effects = (Effect("measure.cancel", st.KEY),) if state.waiting else ()
    after = replace(
        state,
        path=path,
        name=str(card.get("name", "")),
        config=config if usable else {},
        values=None,
        waiting=False,
        what="",
        preset="" if state.preset == "open" and config != state.config else state.preset,
    )
    return after, effects


HANDLERS: Mapping[str, Callable[[State, Any], Done]] = {
    "control.side": _side,
    "control.norm": _option("norm", st.NORMS),
    "control.transition": _option("transition", st.TRANSITIONS),
    "control.feed": _feed,
    "control.preset": _preset,
    "look": _look,
    "values.measure": _measure,
    "values.cancel": _cancel,
    "values.fit": _fit,
    "measure.progress": _progress,
    "measure.done": _found,
    "measure.error": _failed,
    "engine.opened": _opened,
    "view.width": lambda state, px: (replace(state, width=int(px)), ()),
}

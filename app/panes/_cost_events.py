"""What the calculator does when something happens: (state, event) -> (state, effects), pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app.engine_texts import told
from app.pane import Effect, Event
from app.panes import _cost_state as st
from app.panes._cost_figures import pointed
from app.panes._cost_state import Check, State
from app.sorting import heard
from ut_engine.design import Design
from ut_engine.presets import PRESETS

Done = tuple[State, tuple[Effect, ...]]
KEY = "cost.check"
NARROW, SINGLE = 1140, 800  # px


def update(state: State, event: Event) -> Done:
    """One event; an event of no concern changes nothing."""
    name = event.name.removeprefix("cost.")
    if event.name.startswith("cost.") and name in st.RANGES:
        return number(state, name, event.value)
    handler = HANDLERS.get(event.name)
    return (state, ()) if handler is None else handler(state, event.value)


# ---- the design -------------------------------------------------------------------------------------------


def number(state: State, name: str, value: Any) -> Done:
    least, most = st.RANGES[name]
    asked = min(max(int(value), least), most)
    if name == "length":
        return replace(state, length=asked, scores=True), ()
    if name in ("d_model", "heads"):
        return st.with_size(state, name, asked), ()
    change: dict[str, Any] = {name: asked}
    linked = state.linked and name != "d_ff"
    return replace(state, linked=linked, design=replace(state.design, **change)), ()


def preset(state: State, value: Any) -> Done:
    if value not in PRESETS:
        return state, ()
    design = st.preset_of(value, state)
    linked = design.d_ff == 4 * design.d_model
    return st.with_design(replace(state, preset=value, linked=linked), design), ()


def point(state: State, value: Any) -> Done:
    return preset(state, pointed(state, value))


def link(state: State, on: Any) -> Done:
    if not on:
        return replace(state, linked=False), ()
    return st.with_size(replace(state, linked=True), "d_model", state.asked[0]), ()


def shared(state: State, value: Any) -> Done:
    return replace(state, design=replace(state.design, shared=value == "shared")), ()


def sides(state: State, value: Any) -> Done:
    """A decoder leaves BERT's tables and pooler behind: nothing published has both."""
    decoder = value == "both"
    if decoder and not state.checkable:
        plain = {name: getattr(state.design, name) for name in st.ARGS}
        return replace(state, preset=st.START, design=Design(**{**plain, "decoder": True})), ()
    return replace(state, design=replace(state.design, decoder=decoder)), ()


def use_width(state: State, value: Any) -> Done:
    """A width found by the solver, shared; heads as many as divide it, not more than before."""
    width = int(value)
    heads = max(h for h in range(1, state.design.heads + 1) if width % h == 0)
    design = replace(state.design, d_model=width, d_ff=4 * width, heads=heads, shared=True)
    return st.with_design(replace(state, linked=True), design), ()


# ---- what is counted --------------------------------------------------------------------------------------


def biases(state: State, on: Any) -> Done:
    return replace(state, design=replace(state.design, attention_bias=bool(on))), ()


def switch(name: str) -> Callable[[State, Any], Done]:
    def switched(state: State, on: Any) -> Done:
        change: dict[str, Any] = {name: bool(on)}
        return replace(state, **change), ()

    return switched


# ---- the real module --------------------------------------------------------------------------------------


def check(state: State, _: Any) -> Done:
    """Asked anew of another design, a check takes the place of the one that is waited for."""
    known = state.check
    if not state.checkable or (known is not None and known.waits and known.design == state.design):
        return state, ()
    args = {"key": KEY, "what": "cost", "args": st.args_of(state.design)}
    return replace(state, check=Check(state.design)), (Effect("measure.start", args),)


def cancel(state: State, _: Any) -> Done:
    if state.check is None or not state.check.waits:
        return state, ()
    return replace(state, check=None), (Effect("measure.cancel", KEY),)


def progress(state: State, value: Any) -> Done:
    if value.get("key") != KEY or state.check is None:
        return state, ()
    return replace(state, check=replace(state.check, done=(value["done"], value["total"]))), ()


def measured(state: State, value: Any) -> Done:
    if value.get("key") != KEY or state.check is None:
        return state, ()
    return replace(state, check=replace(state.check, value=dict(value["value"]))), ()


def failed(state: State, value: Any) -> Done:
    if value.get("key") != KEY or state.check is None:
        return state, ()
    return replace(state, check=replace(state.check, failed=told(value["what"], value["do"]))), ()


def width(state: State, value: Any) -> Done:
    return replace(state, narrow=int(value) < NARROW, single=int(value) < SINGLE), ()


def tab(state: State, value: Any) -> Done:
    name = st.TABS[value] if isinstance(value, int) and 0 <= value < len(st.TABS) else value
    return (replace(state, tab=name), ()) if name in st.TABS else (state, ())


HANDLERS: dict[str, Callable[[State, Any], Done]] = {
    "cost.preset": preset,
    "cost.point": point,
    "cost.linked": link,
    "cost.shared": shared,
    "cost.sides": sides,
    "cost.use": use_width,
    "cost.biases": biases,
    "cost.softmax": switch("softmax"),
    "cost.hoisted": switch("hoisted"),
    "cost.scores": switch("scores"),
    "cost.check": check,
    "cost.cancel": cancel,
    "cost.tab": tab,
    "cost.sort": lambda state, value: (replace(state, sort=heard(state.sort, value, 6)), ()),
    "view.width": width,
    "measure.progress": progress,
    "measure.done": measured,
    "measure.error": failed,
}

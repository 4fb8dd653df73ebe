"""The calculator's view as text, and back: a preset, what differs from it, and what is counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.pane import Effect, Event
from app.panes import _cost_state as st
from app.panes._cost_events import update
from app.panes._cost_state import State
from app.view import whole

SIZES = {"d": "d_model", "dff": "d_ff", "heads": "heads", "depth": "depth", "vocab": "vocab"}
SWITCHES = ("softmax", "hoisted")


def to_view(state: State) -> dict[str, str]:
    """What is needed to come back here; only what is not usual."""
    design, start = state.design, st.preset_of(state.preset, state)
    view: dict[str, str] = {}
    if state.preset != st.START:
        view["preset"] = state.preset
    for key, name in SIZES.items():
        if getattr(design, name) != getattr(start, name):
            view[key] = str(getattr(design, name))
    if design.shared != start.shared:
        view["shared"] = str(int(design.shared))
    if design.decoder != start.decoder:
        view["decoder"] = str(int(design.decoder))
    if not design.attention_bias:
        view["biases"] = "0"
    view |= {name: "1" for name in SWITCHES if getattr(state, name)}
    if state.scores:
        view["length"] = str(state.length)
    if state.tab != st.TABS[0]:
        view["tab"] = state.tab
    return view


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """The state a view asks for; what is unknown or out of range is left as it is."""
    fresh = State(narrow=state.narrow, single=state.single, check=state.check)
    told: list[tuple[str, Any]] = [("preset", view.get("preset", st.START))]
    told += [("biases", view.get("biases") != "0")]
    told += [(name, view.get(name) == "1") for name in SWITCHES]
    told += [("tab", view.get("tab", st.TABS[0]))]
    if view.get("decoder") in ("0", "1"):
        told += [("sides", "both" if view["decoder"] == "1" else "encoder")]
    if view.get("shared") in ("0", "1"):
        told += [("shared", "shared" if view["shared"] == "1" else "own")]
    for name, value in told:
        fresh, _ = update(fresh, Event(f"cost.{name}", value))
    return _sized(fresh, view), ()


def _sized(state: State, view: Mapping[str, str]) -> State:
    """The sizes a view names: all of them at once, as d and heads must go together."""
    design = state.design
    values: dict[str, Any] = {
        name: whole(view, key, *st.RANGES[name], getattr(design, name)) for key, name in SIZES.items()
    }
    if length := whole(view, "length", *st.RANGES["length"], 0):
        state = replace(state, scores=True, length=length)
    if values["d_model"] % values["heads"]:
        return state
    design = replace(design, **values)
    return st.with_design(replace(state, linked=design.d_ff == 4 * design.d_model), design)

"""Figures of other panes inside one: the same panes in small, each with a state of its own.

A pane that shows some keeps an `Insets`, passes the events named "inset" and those of the engine to `update`,
and puts `figure(...)` into its scene.  It imports no other pane: they are found by name.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from app import timeline as times
from app.messages import msg
from app.pane import Effect, Event, Selection
from app.scene import Button, Column, Form, Inset, Number, Passage, Span, walk
from app.timeline import Timeline

EVERYONE = ("engine.", "open.")


@dataclass(frozen=True, slots=True)
class Spot:
    """What an inset shows: a pane set up by a view; of its scene one part (a card's key, "" for all of it).

    height: px at 100 %, 0 for as high as it wants.  steps: with a row to step through it.  more: keys of what
    else of the scene stands above it (controls).
    """

    pane: str
    view: tuple[tuple[str, str], ...] = ()
    part: str = ""
    height: int = 0
    steps: bool = True
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Insets:
    """spots by key; states: of those shown so far."""

    spots: Mapping[str, Spot]
    states: Mapping[str, Any] = field(default_factory=dict)


def pane_of(spot: Spot) -> Any:
    """The pane of an inset, without a walk over all there are."""
    return importlib.import_module(f"app.panes.{spot.pane}")


def state_of(insets: Insets, key: str) -> Any:
    """The state of an inset; at first its pane's own, set up by the view (without that view's effects)."""
    if key in insets.states:
        return insets.states[key]
    spot = insets.spots[key]
    pane = pane_of(spot)
    return pane.from_view(pane.initial(), dict(spot.view))[0]


def update(insets: Insets, event: Event) -> tuple[Insets, tuple[Effect, ...]]:
    """Event "inset" (value: key, event) goes to one, what the engine says to all that were touched.

    What one measures has its key before the measurement's, so that the pane itself, which measures under the
    same name, neither takes its place nor its answer.
    """
    if event.name == "inset":
        key, inner = event.value
        return _to(insets, key, _stepped(inner, insets, key)) if key in insets.spots else (insets, ())
    if event.name.startswith("measure."):
        key, _, own = str(event.value["key"]).partition("/")
        asked = Event(event.name, {**event.value, "key": own})
        return _to(insets, key, asked) if key in insets.states else (insets, ())
    effects: tuple[Effect, ...] = ()
    if event.name.startswith(EVERYONE):
        for key in insets.states:
            insets, more = _to(insets, key, event)
            effects += more
    return insets, effects


def _to(insets: Insets, key: str, event: Event) -> tuple[Insets, tuple[Effect, ...]]:
    before = state_of(insets, key)
    after, effects = pane_of(insets.spots[key]).update(before, event)
    wanted = tuple(_own_measurement(effect, key) for effect in effects)
    return replace(insets, states={**insets.states, key: after}), wanted


def _own_measurement(effect: Effect, key: str) -> Effect:
    if effect.name == "measure.start":
        return Effect(effect.name, {**effect.value, "key": f"{key}/{effect.value['key']}"})
    return Effect(effect.name, f"{key}/{effect.value}") if effect.name == "measure.cancel" else effect


def _stepped(event: Event, insets: Insets, key: str) -> Event:
    """Steps by the row below a figure."""
    line = pane_of(insets.spots[key]).timeline(state_of(insets, key))
    if event.name != "inset.step" or line is None:
        return event
    return Event("transport.seek", times.moved(line, int(event.value)).current)


def figure(insets: Insets, key: str, selection: Selection) -> Inset:
    """The scene's node of an inset; keys within are prefixed, so that they stay unique."""
    spot, state = insets.spots[key], state_of(insets, key)
    pane = pane_of(spot)
    scene = pane.scene(state, selection)
    nodes = {node.key: node for node in walk(scene.root)}
    body = nodes.get(spot.part, scene.root)
    above = tuple(nodes[key] for key in spot.more if key in nodes)
    if above:
        body = Column("with.more", (*above, body), (*(0 for _ in above), 1))
    line = pane.timeline(state) if spot.steps else None
    if line is not None and line.computed > 1:
        body = Column("with.steps", (body, _steps(line)), (1, 0))
    return Inset(key, renamed(body, f"{key}/"), height=spot.height)  # told with its events


def awaited(key: str, height: int, grows: bool = False) -> Inset:
    """The place of a figure that is not drawn yet."""
    return Inset(key, Passage(f"{key}.far", (Span("…"),), "caption"), height=height, grows=grows)


def tall(node: Any, height: int) -> Inset:
    """A figure with room of its own where a column is scrolled; what is told in it comes as "inset"."""
    return Inset(f"{node.key}.tall", node, height=height)


def _steps(line: Timeline) -> Form:
    back = Button("back", msg("One step back"), "inset.step", -1, "step-back", "icon", line.current > 1)
    on = Button("on", msg("One step forward"), "inset.step", 1, "step-forward", "icon",
                line.current < line.computed)  # fmt: skip
    name = msg("Line") if line.group > 1 else msg("Step")
    place = Number("place", name, "transport.seek", line.current, 1, line.computed)
    return Form("steps", ((back, on, place),))


def renamed(node: Any, prefix: str) -> Any:
    """The node and all within it with a prefix before their keys."""
    changes: dict[str, Any] = {"key": prefix + node.key}
    for item in fields(node):
        value = getattr(node, item.name)
        if item.name == "children":
            changes["children"] = tuple(renamed(child, prefix) for child in value)
        elif item.name == "body" and is_dataclass(value):
            changes["body"] = renamed(value, prefix)
        elif item.name == "show" and isinstance(value, str) and value:
            changes["show"] = prefix + value
    return replace(node, **changes)

"""Every control of a scene, and what a hand on it would tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.pane import Event, Pane
    from app.scene import Field, Node, Scene


def events(pane: Pane, state: Any, scene: Scene) -> list[tuple[str, Event]]:
    """One change of every control there is, by name, and a step where there are steps.

    What only asks for something elsewhere (a link to another pane) changes nothing here and is left out.
    """
    from app.pane import Event

    found = list(used(scene.root))
    if pane.timeline(state) is not None:
        found += [(name, Event(name)) for name in ("transport.forward", "transport.back", "transport.last")]
    return [(name, event) for name, event in found if pane.update(state, event)[0] is not state]


def used(node: Node) -> Iterator[tuple[str, Event]]:
    """What is told by fields, tabs, links and tables within a node; of a pane inside another with its key."""
    from app.pane import Event
    from app.scene import Inset, Passage, Sheet, Tabs, children

    for field in fields_of(node):
        for value in other_values(field):
            yield field.key, Event(field.event, value)
    if isinstance(node, Tabs) and node.event and len(node.titles) > 1:
        yield node.key, Event(node.event, (node.current + 1) % len(node.titles))
    if isinstance(node, Sheet) and node.event and node.values:
        for k in {0, len(node.values) - 1}:
            yield node.key, Event(node.event, node.values[k])
    if isinstance(node, Sheet) and node.sort:
        for k in {0, len(node.columns) - 1}:
            yield node.key, Event(node.sort, k)
    if isinstance(node, Passage) and (links := [span for span in node.spans if span.event]):
        for k in {0, len(links) - 1}:
            yield node.key, Event(links[k].event, links[k].value)
    for child in children(node):
        for name, event in used(child):
            yield name, Event(node.event, (node.key, event)) if isinstance(node, Inset) else event


def fields_of(node: Node) -> list[Field]:
    """The enabled fields of a form, or in a card's title."""
    from app.scene import Card, Form

    rows = node.fields if isinstance(node, Form) else (node.tools,) if isinstance(node, Card) else ()
    return [field for row in rows for field in row if field.enabled]


def fields(scene: Scene) -> list[Field]:
    """Every enabled field, of forms and of cards' titles."""
    from app.scene import walk

    return [field for node in walk(scene.root) for field in fields_of(node)]


def other_values(field: Field) -> list[Any]:
    """What a hand on the control would tell next: a neighbour, every other option, one letter more."""
    from app.scene import Button, Choice, Editor, Entry, Number, Real, Switch

    if isinstance(field, Choice):
        return [value for value, _ in field.options if value != field.value]
    if isinstance(field, Switch):
        return [not field.on]
    if isinstance(field, Number):
        return [value for value in (field.value - 1, field.value + 1) if field.low <= value <= field.high]
    if isinstance(field, Real):
        near = (field.value - field.step, field.value + field.step)
        return [value for value in near if field.low <= value <= field.high]
    if isinstance(field, Entry | Editor):
        return [f"{field.text}e"]
    return [field.value] if isinstance(field, Button) else []

"""What was measured since the window was opened: told to panes that are opened later as well; pure.

A measurement belongs to what it was asked with (its checkpoint, its settings).  It is forgotten once the
files of that checkpoint change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.pane import Effect, Event

MOST = 16  # measurements kept; the oldest goes


@dataclass(frozen=True, slots=True)
class Measured:
    """One that came to its end.  args: what it was asked with."""

    key: str
    args: Mapping[str, Any]
    value: Any


@dataclass(frozen=True, slots=True)
class Measurements:
    """asked: key -> what a measurement still under way was asked with.  found: the oldest first."""

    asked: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    found: tuple[Measured, ...] = ()


def heard(known: Measurements, event: Event) -> Measurements:
    """What an event means for them."""
    if event.name == "engine.changed":
        return _without(known, str(event.value))
    if event.name not in ("measure.done", "measure.error"):
        return known
    key = str(event.value["key"])
    if key not in known.asked:
        return known
    args = known.asked[key]
    known = _ended(known, key)
    if event.name == "measure.error":
        return known
    others = tuple(one for one in known.found if (one.key, one.args) != (key, args))
    return replace(known, found=(*others, Measured(key, args, event.value["value"]))[-MOST:])


def wanted(known: Measurements, effects: tuple[Effect, ...]) -> Measurements:
    """What panes have just asked for, and what they want no more."""
    for effect in effects:
        if effect.name == "measure.start":
            args = effect.value.get("args") or {}
            known = replace(known, asked={**known.asked, str(effect.value["key"]): args})
        elif effect.name == "measure.cancel":
            known = _ended(known, str(effect.value))
    return known


def events(known: Measurements) -> Iterator[Event]:
    """What a pane missed that is opened only now."""
    for one in known.found:
        yield Event("measure.done", {"key": one.key, "value": one.value})


def _ended(known: Measurements, key: str) -> Measurements:
    return replace(known, asked={other: args for other, args in known.asked.items() if other != key})


def _without(known: Measurements, path: str) -> Measurements:
    """The checkpoint of that path is another one now."""
    return Measurements(
        {key: args for key, args in known.asked.items() if not _mentions(args, path)},
        tuple(one for one in known.found if not _mentions(one.args, path)),
    )


def _mentions(value: Any, path: str) -> bool:
    if isinstance(value, Mapping):
        return any(_mentions(inner, path) for inner in value.values())
    if isinstance(value, list | tuple):
        return any(_mentions(inner, path) for inner in value)
    return bool(value == path)

"""What every pane is: a pure state machine whose states become scenes.

A pane is a module in `app/panes/` with the names below; the shell finds it by walking the folder.  Events
come from controls, marks, the transport and the engine; effects ask the outside world for something and
are carried out by `app/qt/pump.py` (or by a test).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import app.panes
from app.messages import Message
from app.scene import Scene
from app.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened: `name` is dotted ("input.text", "transport.seek", "engine.record", "pin")."""

    name: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Effect:
    """Something is wanted: "engine.open", "engine.run", "engine.grant", "engine.tile", "file.save", ..."""

    name: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Selection:
    """The one linked selection of the whole app: 0-based positions, step from 1."""

    pinned: int | None = None
    hovered: int | None = None
    hovered_key: int | None = None
    step: int | None = None


class Pane(Protocol):
    """Names a pane module offers."""

    NAME: str
    TITLE: Message
    CHAPTER: int | None
    WORKSPACE: str

    def initial(self) -> Any: ...

    def update(self, state: Any, event: Event) -> tuple[Any, tuple[Effect, ...]]: ...

    def scene(self, state: Any, selection: Selection) -> Scene: ...

    def timeline(self, state: Any) -> Timeline | None: ...

    def sentence(self, state: Any) -> Message:
        """The step on screen in one sentence (screen readers, alt text)."""
        ...

    def to_view(self, state: Any) -> Mapping[str, str]: ...

    def from_view(self, state: Any, view: Mapping[str, str]) -> tuple[Any, tuple[Effect, ...]]: ...


def all_panes() -> dict[str, Pane]:
    """Every pane by name, in the order of the folder."""
    found: dict[str, Any] = {}
    for info in pkgutil.iter_modules(app.panes.__path__):
        module = importlib.import_module(f"app.panes.{info.name}")
        if hasattr(module, "NAME"):
            found[module.NAME] = module
    return found

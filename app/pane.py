"""What every pane is: a pure state machine whose states become scenes.

A pane is a module in `app/panes/` with the names below; the shell finds it by walking the folder.  The module
is only the pane's name plate (NAME, TITLE, CHAPTER, WORKSPACE); all else stands in its room, `_<name>.py`,
imported when the pane is first used.  Events come from controls, marks, the transport and the engine; effects
ask the outside world for something and are carried out by `app/qt/pump.py` (or by a test).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
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
    """Names a pane module offers.

    CHAPTER: 1 ... 11 of the story, its place within the workspace; None stands first.  Besides, a pane may
    offer `caption(state)`, `shows_model(state)` and `exported_whole(state)` (see `app/exports.py`), and SHOWN
    and LARGEST: views, as `to_view` gives them, of telling states (pictures, contract tests) and of its
    largest sizes (benchmark).
    """

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


MOST_PARTS = 1000


def settled(pane: Pane, state: Any) -> Any:
    """The state once all has come that a pane shows by and by (`Scene.more`); effects are not carried out.

    Raises RuntimeError for a pane that never comes to an end.
    """
    for _ in range(MOST_PARTS):
        more = pane.scene(state, Selection()).more
        if not more:
            return state
        state, _effects = pane.update(state, Event(more))
    raise RuntimeError(f"{pane.NAME} has ever more to show")


def deferred(room: str) -> Callable[[str], Any]:
    """A module's `__getattr__` that takes what it lacks from its room, imported at the first use."""

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(room), name)

    return __getattr__


def all_panes() -> dict[str, Pane]:
    """Every pane by name, in the order of their chapters; their rooms are not opened."""
    return dict(_plates())


@cache  # the folder does not change while the program runs
def _plates() -> tuple[tuple[str, Pane], ...]:
    found: list[Any] = []
    for info in pkgutil.iter_modules(app.panes.__path__):
        if not info.name.startswith("_"):
            found.append(importlib.import_module(f"app.panes.{info.name}"))
    found.sort(key=lambda pane: (pane.CHAPTER or 0, pane.NAME))
    return tuple((pane.NAME, pane) for pane in found)

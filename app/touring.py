"""Guided tours: which step one is at, and what that shows; pure.

A step opens its view like any link.  Where the checkpoint it needs runs already on the same story, only what
is looked at changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from app import view as views
from app.pane import Effect
from app.state import AppState, Panes, Touring
from app.tour_steps import Step, Tour
from app.tours import tour

Done = tuple[AppState, tuple[Effect, ...]]
Open = Callable[[AppState, str, Panes], Done]


@dataclass(frozen=True, slots=True)
class Place:
    """The tour under way: its step, and which one it is (from 1)."""

    tour: Tour
    step: Step
    number: int

    @property
    def first(self) -> bool:
        return self.number == 1

    @property
    def last(self) -> bool:
        return self.number == len(self.tour.steps)


def place_of(state: AppState) -> Place | None:
    """Where the tour under way is; None where there is none."""
    found = tour(state.tour.id) if state.tour is not None else None
    if found is None or state.tour is None:
        return None
    return Place(found, found.steps[state.tour.step], state.tour.step + 1)


def start(state: AppState, name: Any, panes: Panes, open_view: Open) -> Done:
    """value: a tour's id."""
    if tour(str(name)) is None:
        return state, ()
    return _shown(replace(state, tour=Touring(str(name))), panes, open_view)


def move(state: AppState, by: Any, panes: Panes, open_view: Open) -> Done:
    """value: 1 for the next step, -1 for the one before; at its ends a tour stays."""
    place = place_of(state)
    if place is None or state.tour is None:
        return state, ()
    step = min(max(state.tour.step + int(by), 0), len(place.tour.steps) - 1)
    if step == state.tour.step:
        return state, ()
    return _shown(replace(state, tour=replace(state.tour, step=step)), panes, open_view)


def _shown(state: AppState, panes: Panes, open_view: Open) -> Done:
    place = place_of(state)
    return open_view(state, _link(state, place.step), panes) if place is not None else (state, ())


def _link(state: AppState, step: Step) -> str:
    """The step's view, without opening and running again what is there."""
    name, view = views.from_text(step.link)
    pane = state.panes.get(name)
    there = PurePath(str(getattr(pane, "path", "")).replace("\\", "/")).name
    same = there == view.get("open") and getattr(pane, "text", None) == view.get("text")
    if not (same and getattr(pane, "records", ())):
        return step.link
    return views.to_text(name, {key: value for key, value in view.items() if key not in ("open", "run")})

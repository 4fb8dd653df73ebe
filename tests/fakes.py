"""A tiny pane that counts, and an engine that answers at once, for tests of the shell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app import timeline
from app.messages import Message, msg
from app.pane import Effect, Event, Selection
from app.scene import Prose, Scene, Span
from app.timeline import Timeline


@dataclass(frozen=True)
class Counted:
    line: Timeline
    events: tuple[Event, ...] = ()


class Counter:
    """Eight recorded steps; every event is kept, so that tests see what arrived."""

    TITLE = msg("Inspector")
    CHAPTER = None

    def __init__(self, name: str = "inspector", workspace: str = "Inspector") -> None:
        self.NAME, self.WORKSPACE, self.scenes = name, workspace, 0

    def initial(self) -> Counted:
        return Counted(Timeline(8, 8, 8))

    def update(self, state: Counted, event: Event) -> tuple[Counted, tuple[Effect, ...]]:
        line = state.line
        if event.name == "transport.seek":
            line = timeline.seek(line, event.value)
        if event.name in ("transport.back", "transport.forward"):
            line = timeline.moved(line, -1 if event.name.endswith("back") else 1)
        if event.name in ("transport.first", "transport.last"):
            line = timeline.first(line) if event.name.endswith("first") else timeline.last(line)
        if event.name in ("transport.play", "transport.pause", "transport.reverse"):
            line = timeline.played(line, {"play": 1, "pause": 0, "reverse": -1}[event.name[10:]])
        if event.name == "transport.speed":
            line = replace(line, speed=event.value)
        if event.name == "transport.tick":
            line = timeline.ticked(line)
        wanted = {"run.start": "engine.run", "open.path": "engine.open", "run.save": "file.save"}
        effects = (Effect(wanted[event.name], event.value),) if event.name in wanted else ()
        return Counted(line, (*state.events, event)), effects

    def scene(self, state: Counted, selection: Selection) -> Scene:
        self.scenes += 1
        text = msg("step {n}", n=state.line.current)
        return Scene(Prose("text", ((Span(text),),)), self.TITLE, text)

    def timeline(self, state: Counted) -> Timeline | None:
        return state.line

    def sentence(self, state: Counted) -> Message:
        return msg("step {n}", n=state.line.current)

    def to_view(self, state: Counted) -> Mapping[str, str]:
        return {"step": str(state.line.current)}

    def from_view(self, state: Counted, view: Mapping[str, str]) -> tuple[Any, tuple[Effect, ...]]:
        return replace(state, line=timeline.seek(state.line, int(view.get("step", 1)))), ()

"""What the whole program knows, as one frozen value: settings, panes, the linked selection, the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.measured import Measurements
from app.messages import Message, Text, msg
from app.pane import Pane, Selection
from app.settings import Settings
from app.timeline import Timeline

Panes = Mapping[str, Pane]

WORKSPACES: Mapping[str, Message] = {
    "Read": msg("Read"),
    "Models": msg("Models"),
    "Coordinates": msg("Coordinates"),
    "Parity": msg("Parity"),
    "ACT": msg("ACT debugger"),
    "Inspector": msg("Inspector"),
    "Results": msg("Results"),
    "Lab": msg("Lab"),
}
OPENER = "inspector"  # the pane that checkpoints and recorded runs are opened in
NO_LINE = Timeline()
NO_SELECTION = Selection()


@dataclass(frozen=True, slots=True)
class Opened:
    """What stands in the top bar: the checkpoint or recorded run, and where it runs."""

    name: str = ""
    device: str = ""
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class Touring:
    """A guided tour under way: its id, and which step of it is shown, from 0."""

    id: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class AppState:
    """panes: states of the panes opened so far, by name.  current: the visible one.

    language, theme: what is shown ("" in the settings follows the system).  notices: said at the top until
    closed; those in `passing`, which only inform, for some seconds.  seconds: time of the newest steps.
    hint: what dropping the dragged file would do.
    card: what the engine said of the open checkpoint, for panes that are opened later.
    left: workspace -> its pane that was seen last.  tour: the guided tour under way.
    measurements: what was measured so far, for panes that are opened later.
    width: of the window, in px at 100 % text size, for panes that come on screen later; 0 before
    it is known.
    """

    settings: Settings = field(default_factory=Settings)
    language: str = "en"
    theme: str = "light"
    panes: Mapping[str, Any] = field(default_factory=dict)
    current: str = OPENER
    selection: Selection = NO_SELECTION
    opened: Opened = field(default_factory=Opened)
    notices: tuple[Text, ...] = ()
    passing: tuple[Text, ...] = ()
    seconds: tuple[float, ...] = ()
    hint: Text = ""
    card: Any = None
    left: Mapping[str, str] = field(default_factory=dict)
    tour: Touring | None = None
    measurements: Measurements = field(default_factory=Measurements)
    width: int = 0

    @property
    def pane_state(self) -> Any:
        """State of the visible pane."""
        return self.panes[self.current]


def line_of(state: AppState, panes: Panes) -> Timeline | None:
    """The visible pane's timeline; None where there are no steps."""
    return panes[state.current].timeline(state.pane_state)


def selection_of(state: AppState, panes: Panes) -> Selection:
    """The linked selection with the step the visible pane looks at."""
    line = line_of(state, panes)
    chosen = state.selection
    step = line.current if line is not None else None
    return Selection(chosen.pinned, chosen.hovered, chosen.hovered_key, step)


def homes(panes: Panes) -> Mapping[str, str]:
    """The first pane of every pane's workspace."""
    return {name: neighbours(panes, name)[0][0] for name in panes}


def neighbours(panes: Panes, current: str) -> tuple[tuple[str, Message], ...]:
    """(name, title) of the panes of a pane's workspace, itself among them, in their order."""
    space = panes[current].WORKSPACE
    return tuple((name, pane.TITLE) for name, pane in panes.items() if space == pane.WORKSPACE)


def workspaces(panes: Panes) -> tuple[tuple[str, Message], ...]:
    """(first pane, title) of every workspace that has a pane, in the order of the top bar."""
    first: dict[str, str] = {}
    for name, pane in panes.items():
        first.setdefault(pane.WORKSPACE, name)
    known = [space for space in WORKSPACES if space in first]
    others = [space for space in first if space not in WORKSPACES]
    return tuple((first[space], WORKSPACES.get(space, panes[first[space]].TITLE)) for space in known + others)

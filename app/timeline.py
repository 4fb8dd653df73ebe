"""Which step is on screen: a pure value, the same for a live run, a recording and the debugger.

Steps count from 1; 0 means nothing has been computed yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True, slots=True)
class Timeline:
    """current: step looked at.  computed: last step that exists.  planned: last step that may come.

    live: follow the newest step as it arrives.  playing: -1 backwards, 0 paused, 1 forwards.
    group: how many of these make one step of the model (the debugger counts lines); ms: how long one of them
    is shown at speed 1.  signs: (place, how many positions halt there).  stops: places one may run to.
    """

    current: int = 0
    computed: int = 0
    planned: int = 0
    live: bool = True
    playing: int = 0
    speed: float = 1.0
    group: int = 1
    ms: int = 600
    signs: tuple[tuple[int, int], ...] = ()
    stops: tuple[int, ...] = ()


def grown(line: Timeline, computed: int) -> Timeline:
    """A step arrived; looking at the newest one follows it, looking back stays where it is."""
    current = computed if line.live or line.current == 0 else line.current
    return replace(line, computed=computed, planned=max(line.planned, computed), current=current)


def seek(line: Timeline, step: int) -> Timeline:
    """Look at one step (clamped to what is computed); the last computed one rejoins the live end."""
    if line.computed == 0:
        return line
    step = min(max(step, 1), line.computed)
    return replace(line, current=step, live=step == line.computed)


def moved(line: Timeline, by: int) -> Timeline:
    return seek(line, line.current + by)


def grouped(line: Timeline, by: int) -> Timeline:
    """The end of the group before (by -1) or of the next one (1); within a group backwards, its start."""
    here = -(-line.current // line.group)
    if by > 0:
        here += int(line.current % line.group == 0)
        return seek(line, here * line.group)
    return seek(line, (here - 1) * line.group or 1)


def first(line: Timeline) -> Timeline:
    return seek(line, 1)


def last(line: Timeline) -> Timeline:
    return seek(line, line.computed)


def played(line: Timeline, direction: int) -> Timeline:
    """Start playing (+1, -1) or pause (0); playing forwards from the end starts over."""
    if direction > 0 and line.current >= line.computed and line.computed >= line.planned > 0:
        line = first(line)
    return replace(line, playing=direction)


def ticked(line: Timeline) -> Timeline:
    """One tick of the clock while playing; stops at the ends (a live run goes on following)."""
    after = moved(line, line.playing)
    at_end = after.current == (1 if line.playing < 0 else line.computed)
    waiting = line.playing > 0 and line.computed < line.planned
    return replace(after, playing=0) if at_end and not waiting else after


def heard(line: Timeline, name: str, value: Any) -> Timeline | None:
    """The timeline after an event of the transport ("transport.seek", step); None for any other event.

    Whoever goes to a step by hand stops what plays; a speed there is not changes nothing.
    """
    if name in MOVES:
        return MOVES[name](line)
    if name == "transport.seek":
        return _paused(seek(line, round(float(value))))
    if name == "transport.speed":
        return replace(line, speed=float(value)) if value in SPEEDS else line
    return None


def _paused(line: Timeline) -> Timeline:
    return replace(line, playing=0)


MOVES: Mapping[str, Callable[[Timeline], Timeline]] = {
    "transport.first": lambda line: _paused(first(line)),
    "transport.back": lambda line: _paused(moved(line, -1)),
    "transport.forward": lambda line: _paused(moved(line, 1)),
    "transport.last": lambda line: _paused(last(line)),
    "transport.play": lambda line: played(line, 1),
    "transport.pause": lambda line: played(line, 0),
    "transport.reverse": lambda line: played(line, -1),
    "transport.tick": ticked,
}
"""What an event of the transport does by itself."""

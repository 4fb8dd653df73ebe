"""Moving over the lines, both ways: part of the debugger's update, pure.

A live model waits between steps: moving past the last line it computed asks for one more step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app import timeline
from app.pane import Effect
from app.panes import _act_rerun as rerun
from app.panes import _act_state as st
from app.panes._act_state import State
from app.timeline import Timeline
from ut_engine import debug
from ut_engine.stops import next_place

Done = tuple[State, tuple[Effect, ...]]


def moved(state: State, line: Timeline, playing: int = 0) -> State:
    return replace(state, line=replace(line, playing=playing), guess=None)


def can_grow(state: State) -> bool:
    """Whether the model can be asked for the next step."""
    open_ = state.live.phase in (st.WAITING, st.RUNNING, st.DONE)
    return open_ and state.source == "live" and state.setup.states is not None and not state.trace.finished


def more(state: State, wanted: str) -> Done:
    """Ask the model for one step; go on once it is there."""
    if not can_grow(state):
        return state, ()
    if state.live.rerun is None and (state.branch != state.live.fed or state.live.phase == st.DONE):
        return rerun.again(state, wanted)
    asked = state.live.phase == st.WAITING
    live = replace(state.live, phase=st.RUNNING, wanted=wanted)
    return replace(state, live=live), (Effect("engine.grant", 1),) if asked else ()


def back(state: State, _: Any) -> Done:
    return moved(state, timeline.moved(state.line, -1)), ()


def forward(state: State, _: Any) -> Done:
    """One line on; a covered result is uncovered first."""
    if state.covered:
        return reveal(state, None)
    if state.line.current >= state.line.computed:
        return more(state, "line")
    return moved(state, timeline.moved(state.line, 1)), ()


def reveal(state: State, _: Any) -> Done:
    """Uncover the line's result and count the answer, if there was one."""
    if not state.covered:
        return state, ()
    right, asked = state.answers
    if state.guess is not None:
        right, asked = right + int(is_right(state, state.guess)), asked + 1
    return replace(state, revealed=state.index, answers=(right, asked)), ()


def halting_now(state: State) -> tuple[int, ...]:
    """Positions that halt at the line looked at."""
    record = state.record
    if record is None:
        return ()
    return tuple(int(k) for k in (debug.column(record.variables["new_halted"]) > 0).nonzero()[0])


def is_right(state: State, guess: int) -> bool:
    now = halting_now(state)
    return guess in now if guess >= 0 else not now


def group_back(state: State, _: Any) -> Done:
    return moved(state, timeline.grouped(state.line, -1)), ()


def group_forward(state: State, _: Any) -> Done:
    """To the end of this step, or of the next one where this is its end."""
    line = state.line
    if line.current >= line.computed:
        return more(state, "step")
    return moved(state, timeline.grouped(line, 1)), ()


def stop_back(state: State, _: Any) -> Done:
    place = next_place(state.trace, state.stops, state.index, -1)
    line = state.line
    return moved(state, timeline.first(line) if place is None else timeline.seek(line, place + 1)), ()


def stop_forward(state: State, _: Any) -> Done:
    """To the next line that an enabled stop names; without one to the end."""
    place = next_place(state.trace, state.stops, state.index, 1)
    if place is not None:
        return moved(state, timeline.seek(state.line, place + 1)), ()
    if can_grow(state):
        return more(moved(state, timeline.last(state.line)), "stop")
    return moved(state, timeline.last(state.line)), ()


def last(state: State, _: Any) -> Done:
    if can_grow(state):
        return more(moved(state, timeline.last(state.line)), "end")
    return moved(state, timeline.last(state.line)), ()


def run_to(state: State, value: Any) -> Done:
    """On to a line (the cursor's where none is named), to its next turn."""
    line = int(value) if isinstance(value, int) else state.cursor
    ahead = state.trace.records[state.index + 1 :]
    place = next((record.index for record in ahead if record.line == line), None)
    if place is None:
        return more(state, "step")
    return moved(state, timeline.seek(state.line, place + 1)), ()


def seek(state: State, value: Any) -> Done:
    return moved(state, timeline.seek(state.line, int(value))), ()


def seek_step(state: State, value: Any) -> Done:
    """The same line of another step, as far as it is walked."""
    step = int(value)
    if not 1 <= step <= state.trace.steps:
        return state, ()
    line = state.line.current - (state.line.current - 1) // state.line.group * state.line.group
    return seek(state, state.trace.at(step, line) + 1)


def play(state: State, _: Any) -> Done:
    if state.line.current >= state.line.computed and can_grow(state):
        state, effects = more(state, "line")
        return replace(state, line=replace(state.line, playing=1)), effects
    return replace(state, line=timeline.played(state.line, 1)), ()


def pause(state: State, _: Any) -> Done:
    return replace(state, line=timeline.played(state.line, 0)), ()


def reverse(state: State, _: Any) -> Done:
    return replace(state, line=timeline.played(state.line, -1)), ()


def tick(state: State, _: Any) -> Done:
    """One line while playing; a stop pauses, a covered result waits for the answer."""
    line = state.line
    if state.covered:
        return replace(state, line=replace(line, playing=0)), ()
    if line.playing > 0 and line.current >= line.computed:
        if can_grow(state):
            return more(state, "line")
        return replace(state, line=replace(line, playing=0)), ()
    after = timeline.ticked(line)
    if after.current in line.stops and after.current != line.current:
        after = replace(after, playing=0)
    return replace(state, line=after, guess=None), ()


def speed(state: State, value: Any) -> Done:
    good = value in timeline.SPEEDS
    return (replace(state, line=replace(state.line, speed=float(value))), ()) if good else (state, ())


def reset(state: State, _: Any) -> Done:
    return moved(state, timeline.first(state.line)), ()


HANDLERS: dict[str, Callable[[State, Any], Done]] = {
    "transport.first": reset,
    "transport.back": back,
    "transport.forward": forward,
    "transport.last": last,
    "transport.seek": seek,
    "transport.group_back": group_back,
    "transport.group_forward": group_forward,
    "transport.stop_back": stop_back,
    "transport.stop_forward": stop_forward,
    "transport.play": play,
    "transport.pause": pause,
    "transport.reverse": reverse,
    "transport.speed": speed,
    "transport.tick": tick,
    "step.seek": seek_step,
    "line.run_to": run_to,
    "predict.reveal": reveal,
    "run.cancel": reset,
}

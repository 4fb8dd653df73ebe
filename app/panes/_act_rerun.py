"""A changed past of a live model: the engine runs it again from the start, and the old run stays beside it.

The model is deterministic, so the steps before the change come out as they were.  Nothing changes on screen
before the new run has come as far as the line looked at.  Growing a run that is not the engine's present one
runs that one again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app import timeline
from app.messages import Text, msg
from app.pane import Effect
from app.panes import _act_state as st
from app.panes._act_state import MOST_BRANCHES, Branch, Rerun, State
from app.view import number
from ut_engine import debug
from ut_engine.debug import Setup, Trace
from ut_engine.edits import Edit

Done = tuple[State, tuple[Effect, ...]]


def changed(state: State, setup: Setup, name: Text, key: str, place: int = 0) -> Done:
    """Run the model with the changes of a setup; the same change again replaces the one before.

    place: line to stand at then, 0: where one stands.
    """
    waiting, here = state.live.rerun, state.branches[state.branch]
    branch = state.branch if state.branch > 0 and here.key == key else None
    if waiting is not None and waiting.key == key:
        branch = waiting.branch
    line = place or state.line.current
    until = max(1, -(-line // state.trace.per_step))
    return _ask(state, Rerun(setup, name, key, until, branch, place))


def again(state: State, wanted: str) -> Done:
    """The run on screen, one step further than it came: the engine has another run, or none."""
    here = state.branches[state.branch]
    rerun = Rerun(state.setup, here.name, here.key, here.trace.steps + 1, state.branch)
    state, effects = _ask(state, rerun)
    return replace(state, live=replace(state.live, wanted=wanted)), effects


def _ask(state: State, rerun: Rerun) -> Done:
    live, setup = state.live, rerun.setup
    path, text = live.ran
    if not path or path != live.path:
        gone = replace(live, what=msg("The checkpoint of this run is not open any more"),
                       do=msg("Press Run first"))  # fmt: skip
        return replace(state, live=gone), ()
    generation = live.generation + 1
    asked: dict[str, Any] = {"generation": generation, "text": text, "steps": setup.cap, "device": "auto"}
    asked["edits"] = tuple(replace(edit, position=live.places[edit.position]) for edit in setup.edits)
    if setup.epsilon != live.config.get("epsilon"):
        asked["epsilon"] = setup.epsilon
    effects: tuple[Effect, ...] = (Effect("engine.run", asked), Effect("engine.grant", rerun.until))
    if live.phase in (st.RUNNING, st.WAITING):
        effects = (Effect("engine.cancel"), *effects)
    live = replace(live, phase=st.RUNNING, generation=generation, info=None, records=(), rerun=rerun,
                   wanted="", what="", do="")  # fmt: skip
    return replace(state, live=live), effects


def shown(state: State, trace: Trace) -> State:
    """The run that was asked for on screen; a new one has the old one as its ghost."""
    rerun = state.live.rerun
    assert rerun is not None
    known, made = state.branches, Branch(rerun.name, trace, rerun.key)
    if rerun.branch is not None and rerun.branch < len(known):
        index, ghost = rerun.branch, state.ghost
        known = tuple(made if k == index else old for k, old in enumerate(known))
    else:
        kept = (known[0], *known[1:][-(MOST_BRANCHES - 2) :]) if len(known) >= MOST_BRANCHES else known
        ghost = next((k for k, old in enumerate(kept) if old is known[state.branch]), 0)
        known, index = (*kept, made), len(kept)
    live = replace(state.live, rerun=None, fed=index)
    state = replace(state, branches=known, branch=index, ghost=ghost, live=live, what="", do="", where="")
    state = st.timed(state)
    return replace(state, line=timeline.seek(state.line, rerun.place)) if rerun.place else state


def forgotten(state: State) -> Done:
    """No run but the one as it was: one on its way, or the engine's present one, ends."""
    live = state.live
    if state.source != "live" or (live.fed == 0 and live.rerun is None):
        return state, ()
    stop = (Effect("engine.cancel"),) if live.phase in (st.RUNNING, st.WAITING) else ()
    phase = st.DONE if stop else live.phase
    return replace(state, live=replace(live, phase=phase, rerun=None, wanted="", fed=st.NONE)), stop


def linked(setup: Setup, view: Mapping[str, str]) -> Setup:
    """A setup with the changes a link asks for, those that make sense here."""
    for text in filter(None, view.get("edits", "").split(";")):
        kind, _, rest = text.partition(":")
        numbers = [real(part) for part in rest.split(":")]
        if len(numbers) == 3 and numbers[0] >= 1 and 1 <= numbers[1] <= len(setup.tokens):
            try:
                setup = debug.with_edit(setup, Edit(kind, int(numbers[0]), int(numbers[1]) - 1, numbers[2]))
            except ValueError:
                continue
    if "epsilon" in view and 0 <= real(view["epsilon"]) <= 0.5:
        setup = replace(setup, epsilon=real(view["epsilon"]))
    most = setup.p.shape[1] if setup.states is None else st.MOST_STEPS
    if 1 <= whole(view.get("steps")) <= most:
        setup = replace(setup, max_steps=whole(view["steps"]))
    return setup


def real(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return -1.0
    return value if value == value and abs(value) < 1e9 else -1.0


def whole(text: str | None) -> int:
    return number(text) or 0

"""What the live inspector does when something happens: (state, event) -> (state, effects), pure.

Credits: a granted credit computes one step.  Streaming gives `AHEAD` of them and one more for each record;
pausing revokes what is unused; stepping gives one.  Every run has a generation; what comes from another one
is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app import timeline
from app.messages import msg
from app.pane import Effect, Event
from app.panes import _inspector_state as st
from app.panes._inspector_state import State
from app.timeline import Timeline
from ut_engine.records import StepRecord
from ut_engine.run import Run, RunInfo

Done = tuple[State, tuple[Effect, ...]]
FILM = 16  # maps around the step looked at that the film may show
TILE = 512  # largest side of a tile asked for


def update(state: State, event: Event) -> Done:
    """One event; an event of no concern changes nothing."""
    handler = HANDLERS.get(event.name)
    if handler is None:
        return state, ()
    after, effects = handler(state, event.value)
    wanted = needs(after)
    if wanted:
        keys = frozenset(_key(want.value) for want in wanted)
        after = replace(after, asked=after.asked | keys)
    return after, (*effects, *wanted)


def needs(state: State) -> tuple[Effect, ...]:
    """The maps on screen that the engine still keeps to itself, as requests not yet made."""
    if state.phase in (st.FAILED, st.RECORDED) or state.lost or state.info is None:
        return ()
    wanted = []
    first = max(0, state.line.current - 1 - FILM // 2)
    for index in range(first, min(len(state.records), first + FILM)):
        entry, key = st.attention_of(state.records[index]), st.tile_key(state, index)
        if entry is None or entry.weights is not None or key in state.asked:
            continue
        asked: dict[str, Any] = {
            "generation": state.generation,
            "step": key[0],
            "head": "mean" if key[1] < 0 else key[1],
        }
        asked |= {"kind": entry.kind, "side": state.records[index].address.side, "most": (TILE, TILE)}
        wanted.append(Effect("engine.tile", asked))
    return tuple(wanted)


def _key(asked: Mapping[str, Any]) -> tuple[int, int]:
    """The key of a tile from what was asked."""
    return int(asked["step"]), -1 if asked["head"] == "mean" else int(asked["head"])


# ---- opening --------------------------------------------------------------------------------------------


def _open_path(state: State, path: Any) -> Done:
    """Open a file the user named: what was looked at before is over."""
    return opening(replace(state, pinned=None, go_to=None, autorun=False, text="", steps=0), str(path))


def opening(state: State, path: str) -> Done:
    """The state while a path is being opened; controls, and what a view asked for, stay."""
    after = State(
        phase=st.OPENING,
        path=path,
        device=state.device,
        generation=state.generation + 1,
        text=state.text,
        steps=state.steps,
        count_halted=state.count_halted,
        stopped=state.stopped,
        head=state.head,
        measure=state.measure,
        layout=state.layout,
        pinned=state.pinned,
        go_to=state.go_to,
        autorun=state.autorun,
    )
    return after, (*_stop(state), Effect("engine.open", path))


def _stop(state: State) -> tuple[Effect, ...]:
    return (Effect("engine.cancel"),) if state.live else ()


def _opened(state: State, value: Any) -> Done:
    """value: {"card": facts, "samples": [{"name", "text", "answer", "facts"}]}."""
    facts = dict(value.get("card", value))
    names = st.Card.__dataclass_fields__
    card = st.Card(**{name: facts[name] for name in names if facts.get(name) is not None})
    card = replace(card, warnings=tuple(card.warnings), trained=card.trained or _trained(facts))
    samples = tuple(_sample(item) for item in value.get("samples", ()))
    steps = state.steps or int(card.config.get("max_steps", 8) or 8)
    phase = st.DONE if state.records else st.READY  # the records of a lost engine stay on screen
    after = replace(state, phase=phase, card=card, samples=samples, steps=steps, what="", do="", where="")
    if not after.text and samples:
        groups = sorted({sample.facts for sample in samples})
        after = _picked(replace(after, facts=groups[len(groups) // 2]), None)
    if after.autorun:
        return _start(replace(after, autorun=False), None)
    return after, ()


def _trained(facts: Mapping[str, Any]) -> str:
    """How long the checkpoint was trained, where its training notes say so."""
    training = facts.get("training") or {}
    steps = training.get("steps", training.get("step"))
    return f"{int(steps):,}" if isinstance(steps, int | float) else ""


def _sample(item: Any) -> st.Sample:
    if isinstance(item, st.Sample):
        return item
    facts = item.get("facts", len(item.get("supports", ())))
    name, text = str(item.get("name", "")), str(item.get("text", ""))
    return st.Sample(
        name, text, str(item.get("answer") or ""), facts if isinstance(facts, int) else len(facts)
    )


def _picked(state: State, index: int | None) -> State:
    """The sample taken: the first of the group when none is named."""
    if index is None:
        found = [k for k, sample in enumerate(state.samples) if sample.facts == state.facts]
        index = found[0] if found else 0
    sample = state.samples[index]
    return replace(state, sample=index, facts=sample.facts, text=sample.text)


def _open_run(state: State, run: Run) -> Done:
    after = State(
        phase=st.RECORDED,
        generation=state.generation + 1,
        device=state.device,
        head=state.head,
        measure=state.measure,
        layout=state.layout,
        count_halted=state.count_halted,
        stopped=state.stopped,
        pinned=state.pinned,
        path=state.path,
        text=run.info.text or "\n".join(_told(run.info)),
        steps=run.info.max_steps,
        info=run.info,
        axis=st.axis_of(run.info, msg("position")),
        card=st.Card(
            run.info.checkpoint,
            "",
            run.info.family,
            run.info.config,
            run.info.parameters,
            run.info.task,
            "",
            run.info.device,
        ),
    )
    for record in run.records:
        after = st.with_record(after, record)
    count = len(run.records)
    where = min(max(state.go_to or count, 1), count) if count else 0
    return replace(after, line=Timeline(where, count, count, live=where == count)), _stop(state)


def _told(info: RunInfo) -> tuple[str, ...]:
    return tuple(info.labels[position] for position in st.order_of(info))


# ---- input and controls ---------------------------------------------------------------------------------


def _text(state: State, text: Any) -> Done:
    if text == state.text:
        return state, ()
    after = replace(state, text=str(text), sample=None, what="", do="", where="")
    return after, ()


def _pick(state: State, value: Any) -> Done:
    index = int(value)
    if not 0 <= index < len(state.samples):
        return state, ()
    after = _picked(replace(state, what="", do="", where=""), index)
    return after, ()


def _group(state: State, value: Any) -> Done:
    after = _picked(replace(state, facts=int(value), what="", do="", where=""), None)
    return after, ()


def _steps(state: State, value: Any) -> Done:
    after = replace(state, steps=min(max(int(value), 1), st.MOST_STEPS))
    return after, ()


def _device(state: State, value: Any) -> Done:
    after = replace(state, device=value if value in st.DEVICES else "auto")
    return after, ()


def _set(name: str, allowed: Callable[[Any], bool] = lambda value: True) -> Callable[[State, Any], Done]:
    def handler(state: State, value: Any) -> Done:
        return (replace(state, **{name: value}), ()) if allowed(value) else (state, ())

    return handler


def _head(state: State, value: Any) -> Done:
    head = None if value in (None, "", "mean") else int(value)
    good = head is None or 0 <= head < max(state.heads, 1)
    return (replace(state, head=head), ()) if good else (state, ())


# ---- running --------------------------------------------------------------------------------------------


def _start(state: State, _: Any, credits: int = st.AHEAD) -> Done:
    if state.phase in (st.NO_CHECKPOINT, st.OPENING, st.RECORDED, st.FAILED):
        return state, ()
    generation = state.generation + 1
    streaming = credits > 1
    after = replace(
        state,
        phase=st.RUNNING if streaming else st.PAUSED,
        generation=generation,
        granted=credits,
        info=None,
        records=(),
        means=(),
        masses=(),
        axis=st.NO_AXIS,
        tiles={},
        memo={},
        asked=frozenset(),
        lost=False,
        what="",
        do="",
        where="",
        line=Timeline(planned=state.steps, playing=int(streaming), speed=state.line.speed),
    )
    request = {"generation": generation, "text": state.text, "steps": state.steps, "device": state.device}
    return after, (*_stop(state), Effect("engine.run", request), Effect("engine.grant", credits))


def _info(state: State, value: Any) -> Done:
    """value: RunInfo of the run asked for, or (generation, RunInfo)."""
    generation, info = value if isinstance(value, tuple) else (state.generation, value)
    if generation != state.generation or not state.live:
        return state, ()
    planned = info.max_steps or state.steps
    axis = st.axis_of(info, msg("position"))
    return replace(state, info=info, axis=axis, line=replace(state.line, planned=planned)), ()


def _record(state: State, value: Any) -> Done:
    """value: StepRecord of the run asked for, or (generation, StepRecord)."""
    generation, record = value if isinstance(value, tuple) else (state.generation, value)
    if generation != state.generation or not state.live or state.info is None:
        return state, ()
    assert isinstance(record, StepRecord)
    after = st.with_record(state, record)
    line = timeline.grown(after.line, len(after.records))
    if state.go_to is not None:
        line = timeline.seek(line, min(state.go_to, line.computed))
    streaming = state.phase == st.RUNNING
    granted = max(state.granted - 1, 0) + int(streaming)
    after = replace(after, line=line, granted=granted)
    return after, (Effect("engine.grant", 1),) if streaming else ()


def _done(state: State, value: Any) -> Done:
    """The run ended; value: generation, or a mapping with "generation", "finished" and "dropped"."""
    facts = value if isinstance(value, Mapping) else {"generation": value}
    if facts.get("generation") not in (None, state.generation) or not state.live:
        return state, ()
    return _ended(state, str(facts.get("finished") or "done"), tuple(facts.get("dropped") or ())), ()


def _ended(state: State, finished: str, dropped: tuple[str, ...] = ()) -> State:
    info = state.info
    if info is not None:
        info = replace(info, finished=finished, dropped=(*info.dropped, *dropped))
    count = len(state.records)
    at_end = state.line.current >= count
    line = replace(state.line, computed=count, planned=count or state.line.planned)
    line = replace(line, playing=0 if at_end else line.playing)
    return replace(state, phase=st.DONE if count else st.READY, info=info, line=line, granted=0, go_to=None)


def _pause(state: State, _: Any) -> Done:
    if state.phase != st.RUNNING:
        return state, ()
    line = replace(state.line, playing=0)
    return replace(state, phase=st.PAUSED, granted=0, line=line), (Effect("engine.revoke"),)


def _resume(state: State, _: Any) -> Done:
    if state.phase != st.PAUSED:
        return state, ()
    line = replace(timeline.last(state.line), playing=1)
    return replace(state, phase=st.RUNNING, granted=st.AHEAD, line=line), (Effect("engine.grant", st.AHEAD),)


def _step(state: State, _: Any) -> Done:
    """One step: the first of a new run, or one more of a paused one."""
    if state.phase == st.RUNNING:
        state, effects = _pause(state, None)
        return state, effects
    if state.phase == st.PAUSED:
        line = timeline.last(state.line)
        return replace(state, granted=state.granted + 1, line=line), (Effect("engine.grant", 1),)
    return _start(state, None, credits=1)


def _cancel(state: State, _: Any) -> Done:
    if state.phase == st.OPENING:
        return State(device=state.device, generation=state.generation + 1), (Effect("engine.cancel"),)
    if not state.live:
        return state, ()
    after = replace(_ended(state, "cancelled"), generation=state.generation + 1)
    return after, (Effect("engine.cancel"),)


# ---- what goes wrong ------------------------------------------------------------------------------------


def _error(state: State, value: Any) -> Done:
    """value: {"what", "do", "for"?, "generation"?} or (what, do): said where the user looks."""
    facts = value if isinstance(value, Mapping) else dict(zip(("what", "do"), value, strict=False))
    if facts.get("generation") not in (None, 0, state.generation):
        return state, ()
    if facts.get("for") == "tile":
        key = _key(facts) if "step" in facts else st.tile_key(state, state.line.current - 1)
        return replace(state, tiles={**state.tiles, key: None}), ()
    said = replace(state, what=str(facts.get("what", "")), do=str(facts.get("do", "")))
    if state.phase in (st.NO_CHECKPOINT, st.OPENING):
        return replace(said, phase=st.NO_CHECKPOINT, where="checkpoint", autorun=False), ()
    after = _ended(said, "failed") if state.live else said
    return replace(after, where="run"), ()


def _lost(state: State, value: Any) -> Done:
    """The engine died; value: a sentence or {"what", "do"}.  What came is kept, maps not fetched are lost."""
    if state.phase == st.RECORDED:
        return state, ()
    facts = value if isinstance(value, Mapping) else {"what": value}
    after = _ended(state, "lost") if state.live else state
    after = replace(after, what=str(facts.get("what", "")), do=str(facts.get("do", "")))
    return replace(after, phase=st.FAILED, lost=True, where="engine", granted=0), ()


def _restart(state: State, _: Any) -> Done:
    """A new engine, and the same checkpoint in it; the records stay until a new run starts."""
    again = replace(state, phase=st.OPENING if state.path else st.NO_CHECKPOINT, what="", do="", where="")
    reopen = (Effect("engine.open", state.path),) if state.path else ()
    return again, (Effect("engine.restart"), *reopen)


def _tile(state: State, value: Any) -> Done:
    """value: what was asked and "values": [query, key] in the model's order, None when lost."""
    if value.get("generation") != state.generation:
        return state, ()
    return replace(state, tiles={**state.tiles, _key(value): value.get("values")}), ()


# ---- time -----------------------------------------------------------------------------------------------


def _moves(move: Callable[[Timeline], Timeline]) -> Callable[[State, Any], Done]:
    return lambda state, _: (replace(state, line=move(state.line)), ())


def _seek(state: State, value: Any) -> Done:
    return replace(state, line=replace(timeline.seek(state.line, int(value)), playing=0)), ()


def _forward(state: State, _: Any) -> Done:
    """One step on; at the end of a paused run, the engine computes it."""
    if state.phase == st.PAUSED and state.line.current >= state.line.computed:
        return _step(state, None)
    return replace(state, line=timeline.moved(state.line, 1)), ()


def _play(state: State, _: Any) -> Done:
    """Start what is ready, resume what is paused at its end, else play what is there."""
    if state.phase == st.READY and not state.records:
        return _start(state, None)
    if state.phase == st.PAUSED and state.line.current >= state.line.computed:
        return _resume(state, None)
    return replace(state, line=timeline.played(state.line, 1)), ()


def _pause_time(state: State, _: Any) -> Done:
    """Pause the picture; at the live end that pauses the engine between steps too."""
    if state.phase == st.RUNNING and state.line.live:
        return _pause(state, None)
    return replace(state, line=timeline.played(state.line, 0)), ()


def _speed(state: State, value: Any) -> Done:
    good = value in timeline.SPEEDS
    return (replace(state, line=replace(state.line, speed=float(value))), ()) if good else (state, ())


def _save(state: State, _: Any) -> Done:
    return state, (Effect("file.save"),) if state.records else ()


HANDLERS: Mapping[str, Callable[[State, Any], Done]] = {
    "open.path": _open_path,
    "open.run": _open_run,
    "open.choose": lambda state, _: (state, (Effect("file.choose"),)),
    "engine.opened": _opened,
    "engine.info": _info,
    "engine.record": _record,
    "engine.done": _done,
    "engine.error": _error,
    "engine.lost": _lost,
    "engine.tile": _tile,
    "engine.forecast": _set("forecast"),
    "input.text": _text,
    "input.sample": _pick,
    "input.facts": _group,
    "control.steps": _steps,
    "control.device": _device,
    "control.halted": lambda state, on: (replace(state, count_halted=bool(on)), ()),
    "control.readout": lambda state, value: (replace(state, stopped=value == "stopped"), ()),
    "control.head": _head,
    "control.measure": _set("measure", st.MEASURES.__contains__),
    "control.layout": _set("layout", ("map", "row").__contains__),
    "pin": _set("pinned"),
    "run.start": _start,
    "run.pause": _pause,
    "run.resume": _resume,
    "run.step": _step,
    "run.cancel": _cancel,
    "run.restart": _restart,
    "run.save": _save,
    "transport.first": _moves(timeline.first),
    "transport.back": _moves(lambda line: replace(timeline.moved(line, -1), playing=0)),
    "transport.forward": _forward,
    "transport.last": _moves(timeline.last),
    "transport.seek": _seek,
    "transport.play": _play,
    "transport.pause": _pause_time,
    "transport.reverse": _moves(lambda line: timeline.played(line, -1)),
    "transport.speed": _speed,
    "transport.tick": _moves(timeline.ticked),
}

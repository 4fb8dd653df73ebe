"""What the live inspector does when something happens: (state, event) -> (state, effects), pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app import depth, timeline
from app.pane import Effect, Event
from app.panes import _inspector_recorded as recorded
from app.panes import _inspector_run as runs
from app.panes import _inspector_state as st
from app.panes._inspector_state import State
from app.timeline import Timeline

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
        keys = frozenset(key_of(want.value) for want in wanted)
        after = replace(after, asked=after.asked | keys)
    return after, (*effects, *wanted)


def needs(state: State) -> tuple[Effect, ...]:
    """The maps on screen that the engine still keeps to itself, as requests not yet made.

    Each asks for {"generation", "step", "head" (-1: mean), "kind", "order" (positions as shown), "most"}; of
    a map that only comes pooled, the pinned row too ("rows": half-open range).
    """
    if state.phase in (st.FAILED, st.RECORDED) or state.lost or state.waiting or state.info is None:
        return ()
    wanted = []
    order, pinned = st.order_of(state.info), state.pinned or 0
    first = max(0, state.line.current - 1 - FILM // 2)
    for index in range(first, min(len(state.records), first + FILM)):
        entry, (step, head) = st.attention_of(state.records[index]), st.tile_key(state, index)
        if entry is None or entry.weights is not None:
            continue
        asked = {"generation": state.generation, "step": step, "head": head, "kind": entry.kind}
        asked |= {"order": order, "most": TILE}
        wanted.append(asked)
        if len(order) > TILE and pinned < len(order):
            wanted.append({**asked, "rows": (pinned, pinned + 1), "most": len(order)})
    return tuple(Effect("engine.tile", asked) for asked in wanted if key_of(asked) not in state.asked)


def key_of(asked: Mapping[str, Any]) -> tuple[int, ...]:
    """Under which a tile is kept: step, head and, of a row alone, its position."""
    return (asked["step"], asked["head"], *(asked["rows"][:1] if "rows" in asked else ()))


# ---- opening --------------------------------------------------------------------------------------------


def _open_path(state: State, path: Any) -> Done:
    """Open a file the user named: what was looked at before is over."""
    fresh = replace(state, pinned=None, go_to=None, autorun=False, text="", steps=0)
    return opening(fresh, str(path), state)


def opening(state: State, path: str, former: State) -> Done:
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
        former=_kept(former),
        narrow=state.narrow,
        single=state.single,
        panel=state.panel,
    )
    return after, (*runs.stop(state), Effect("engine.open", path))


def _changed(state: State, path: Any) -> Done:
    """The files of the open checkpoint changed on disk: that is said, and loading them is offered."""
    if path != state.card.path or state.phase == st.OPENING:
        return state, ()
    if state.where == "checkpoint":  # another file that could not be opened: said long enough
        state = replace(state, what="", do="", where="")
    return replace(state, changed=True), ()


def _reload(state: State, _: Any) -> Done:
    """Load the checkpoint again for the same input; what had been run is run again."""
    if not state.path or state.phase == st.OPENING:
        return state, ()
    asked = replace(state, go_to=state.line.current or None, autorun=bool(state.records))
    return opening(asked, state.path, state)


def _kept(state: State) -> State | None:
    """What to come back to where another file cannot be opened; None where there is nothing to lose."""
    if state.phase == st.OPENING:
        return state.former
    if state.phase == st.NO_CHECKPOINT:
        return None
    return runs.ended(state, "cancelled") if state.live else state


def _error(state: State, value: Any) -> Done:
    """A file that cannot be opened leaves everything as it was, and says so."""
    failed, effects = runs.error(state, value)
    if state.phase != st.OPENING or state.former is None or failed is state:
        return failed, effects
    kept = replace(state.former, narrow=state.narrow, single=state.single, panel=state.panel)
    return replace(kept, what=failed.what, do=failed.do, where=failed.where), ()


def _opened(state: State, value: Any) -> Done:
    """value: {"card": facts, "samples": [{"name", "text", "answer", "facts"}]}."""
    facts = dict(value.get("card", value))
    names = st.Card.__dataclass_fields__
    card = st.Card(**{name: facts[name] for name in names if facts.get(name) is not None})
    card = replace(card, warnings=tuple(card.warnings), trained=card.trained or _trained(facts))
    samples = tuple(_sample(item) for item in value.get("samples", ()))
    steps = depth.asked_steps(card.config, state.steps)
    phase = st.DONE if state.records else st.READY  # the records of a lost engine stay on screen
    after = replace(state, phase=phase, card=card, samples=samples, steps=steps, former=None)
    after = replace(after, what="", do="", where="")
    known = [k for k, sample in enumerate(samples) if sample.text == after.text]
    if known:
        after = _picked(after, known[0])
    if not after.text and samples:
        groups = sorted({sample.facts for sample in samples})
        after = _picked(replace(after, facts=groups[len(groups) // 2]), None)
    if after.autorun:
        return runs.start(replace(after, autorun=False), None)
    return after, _ask_forecast(after)


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


def _live(state: State, _: Any) -> Done:
    """The model of the recorded run, run on the same input up to the step looked at."""
    if state.phase != st.RECORDED or not state.model:
        return state, ()
    asked = replace(state, go_to=state.line.current or None, autorun=True)
    return opening(asked, state.model, state)


# ---- input and controls ---------------------------------------------------------------------------------


def _text(state: State, text: Any) -> Done:
    if text == state.text:
        return state, ()
    after = replace(state, text=str(text), sample=None, what="", do="", where="")
    return after, _ask_forecast(after)


def _pick(state: State, value: Any) -> Done:
    index = int(value)
    if not 0 <= index < len(state.samples):
        return state, ()
    after = _picked(replace(state, what="", do="", where=""), index)
    return after, _ask_forecast(after)


def _group(state: State, value: Any) -> Done:
    after = _picked(replace(state, facts=int(value), what="", do="", where=""), None)
    return after, _ask_forecast(after)


def _steps(state: State, value: Any) -> Done:
    after = replace(state, steps=min(max(int(value), 1), depth.most_steps(state.card.config)))
    return after, _ask_forecast(after)


def _follow(state: State, on: Any) -> Done:
    """Whether the steps follow from the input, or are the number that was last run."""
    own = min(state.planned or st.USUAL_STEPS, depth.most_steps(state.card.config))
    after = replace(state, steps=0 if on else own)
    return after, _ask_forecast(after)


def _device(state: State, value: Any) -> Done:
    after = replace(state, device=value if value in st.DEVICES else "auto")
    return after, ()


def _ask_forecast(state: State) -> tuple[Effect, ...]:
    """How much memory the next run takes is asked whenever the answer may have changed."""
    closed = state.phase in (st.NO_CHECKPOINT, st.OPENING, st.RECORDED, st.FAILED)
    if closed or not state.text.strip():
        return ()
    return (Effect("engine.forecast", {"text": state.text, "steps": state.steps}),)


def _set(name: str, allowed: Callable[[Any], bool] = lambda value: True) -> Callable[[State, Any], Done]:
    def handler(state: State, value: Any) -> Done:
        return (replace(state, **{name: value}), ()) if allowed(value) else (state, ())

    return handler


def _panel(state: State, index: Any) -> Done:
    """value: place of a tab."""
    good = isinstance(index, int) and 0 <= index < len(st.PANELS)
    return (replace(state, panel=st.PANELS[index]), ()) if good else (state, ())


def _head(state: State, value: Any) -> Done:
    head = None if value in (None, "", "mean") else int(value)
    good = head is None or 0 <= head < max(state.heads, 1)
    return (replace(state, head=head), ()) if good else (state, ())


# ---- time -----------------------------------------------------------------------------------------------


def _moves(move: Callable[[Timeline], Timeline]) -> Callable[[State, Any], Done]:
    return lambda state, _: (replace(state, line=move(state.line)), ())


def _seek(state: State, value: Any) -> Done:
    return replace(state, line=replace(timeline.seek(state.line, int(value)), playing=0)), ()


def _forward(state: State, _: Any) -> Done:
    """One step on; at the end of a paused run, the engine computes it."""
    if state.phase == st.PAUSED and state.line.current >= state.line.computed:
        return runs.step(state, None)
    return replace(state, line=timeline.moved(state.line, 1)), ()


def _play(state: State, _: Any) -> Done:
    """Start what is ready, resume what is paused at its end, else play what is there."""
    if state.phase == st.READY and not state.records:
        return runs.start(state, None)
    if state.phase == st.PAUSED and state.line.current >= state.line.computed:
        return runs.resume(state, None)
    return replace(state, line=timeline.played(state.line, 1)), ()


def _pause_time(state: State, _: Any) -> Done:
    """Pause the picture; at the live end that pauses the engine between steps too."""
    if state.phase == st.RUNNING and state.line.live:
        return runs.pause(state, None)
    return replace(state, line=timeline.played(state.line, 0)), ()


def _speed(state: State, value: Any) -> Done:
    good = value in timeline.SPEEDS
    return (replace(state, line=replace(state.line, speed=float(value))), ()) if good else (state, ())


def _save(state: State, _: Any) -> Done:
    return state, (Effect("file.save"),) if state.records else ()


def _width(state: State, px: Any) -> Done:
    narrow, single = int(px) < st.NARROW, int(px) < st.SINGLE
    same = (narrow, single) == (state.narrow, state.single)
    return (state, ()) if same else (replace(state, narrow=narrow, single=single), ())


HANDLERS: Mapping[str, Callable[[State, Any], Done]] = {
    "open.path": _open_path,
    "open.run": recorded.open_run,
    "open.reload": _reload,
    "open.model": recorded.found,
    "open.live": _live,
    "open.choose": lambda state, _: (state, (Effect("file.choose"),)),
    "engine.opened": _opened,
    "engine.changed": _changed,
    "engine.info": runs.info,
    "engine.record": runs.record,
    "engine.done": runs.done,
    "engine.error": _error,
    "engine.lost": runs.lost,
    "engine.tile": runs.tile,
    "engine.forecast": _set("forecast"),
    "input.text": _text,
    "input.sample": _pick,
    "input.facts": _group,
    "control.steps": _steps,
    "control.follow": _follow,
    "control.device": _device,
    "control.halted": lambda state, on: (replace(state, count_halted=bool(on)), ()),
    "control.readout": lambda state, value: (replace(state, stopped=value == "stopped"), ()),
    "control.head": _head,
    "control.measure": _set("measure", st.MEASURES.__contains__),
    "control.layout": _set("layout", st.LAYOUTS.__contains__),
    "panel.choose": _panel,
    "view.width": _width,
    "pin": _set("pinned"),
    "run.start": runs.start,
    "run.pause": runs.pause,
    "run.resume": runs.resume,
    "run.step": runs.step,
    "run.cancel": runs.cancel,
    "run.restart": runs.restart,
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

"""The live inspector: a checkpoint reads a story, step by step, while one watches its attention sharpen.

A pure state machine (`State`, `update`) whose states become scenes; the engine is reached by effects only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.messages import Message, Text, msg, nmsg
from app.pane import Effect, Event, Selection
from app.panes import _inspector_events as events
from app.panes import _inspector_numbers as numbers
from app.panes import _inspector_state as st
from app.panes._inspector_centre import centre, head_text, label_of
from app.panes._inspector_left import head, left, only_rail, tabs
from app.panes._inspector_right import right
from app.panes._inspector_state import State
from app.panes.inspector import TITLE
from app.scene import Column, Row, Scene
from app.timeline import Timeline
from app.view import number
from ut_engine.spec import MOST_POSITIONS


def initial() -> State:
    return State()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return events.update(state, event)


def needs(state: State) -> tuple[Effect, ...]:
    """Maps on screen that the engine keeps and that were not asked for yet (update asks by itself)."""
    return events.needs(state)


def pinned_of(state: State, selection: Selection) -> int:
    """The pinned position: the selection's, the view's, else the question (position 1), or where every
    position answers the last."""
    for pinned in (selection.pinned, state.pinned):
        if pinned is not None and (not len(state.axis) or 0 <= pinned < len(state.axis)):
            return pinned
    every = state.info is not None and state.info.readout == "every"
    return max(len(state.axis) - 1, 0) if every else 0


def scene(state: State, selection: Selection) -> Scene:
    pinned = pinned_of(state, selection)
    middle = centre(state, selection, pinned)
    root: Row | Column
    if state.single:
        first = Row("single.first", (Column("left", head(state, pinned)),), (1,), aside=(True,))
        last = Row("single.last", (tabs(state, pinned, scroll=False),), (1,), aside=(True,))
        root = Column("single", (first, *middle.children, last), scroll=True)
    elif state.narrow:
        root = Row("inspector", (only_rail(state, pinned), middle), (36, 64), (336, 480), (True, False))
    else:
        columns = (left(state, pinned), middle, right(state, pinned))
        root = Row("inspector", columns, (17, 60, 23), (254, 480, 312), (True, False, True))
    return Scene(root, TITLE, sentence(state))


def timeline(state: State) -> Timeline | None:
    return state.line if state.line.planned or state.records else None


def sentence(state: State) -> Message:
    """The step on screen in one sentence."""
    record = state.record
    if record is None:
        waiting = {
            st.NO_CHECKPOINT: msg("No checkpoint is open."),
            st.OPENING: msg("A checkpoint is being opened."),
            st.FAILED: msg("The engine stopped."),
        }
        return waiting.get(state.phase, msg("Nothing has been computed yet."))
    pinned = pinned_of(state, Selection())
    row = numbers.row_at(state, state.line.current - 1, pinned)
    parts = [msg("Step {t} of {n}.", t=state.line.current, n=state.planned)]
    if row is not None:
        position, weight = numbers.top(row, 1)[0]
        parts.append(msg("“{query}” reads most from “{key}”, weight {w}.", query=label_of(state, pinned),
                         key=label_of(state, position), w=f"{weight:.2f}"))  # fmt: skip
    found = numbers.answer(state, record, numbers.answering(state, pinned))
    if found is not None:
        parts.append(msg("Answer {word}, probability {p}.", word=found[0], p=f"{found[1]:.2f}"))
    if record.halting is not None:
        running = int((~record.halting.halted[0] & record.real[0]).sum())
        parts.append(nmsg("{n} position still runs.", "{n} positions still run.", running))
    return joined(parts)


def caption(state: State) -> tuple[Text, ...]:
    """What stands under an exported picture: task, step, head, scale."""
    if state.record is None:
        return ()
    step = msg("step {t} of {n}", t=state.line.current, n=state.planned)
    task = (state.info.task,) if state.info is not None and state.info.task else ()
    return (*task, step, head_text(state), msg("weights on a fixed scale from 0 to 1"))


def joined(parts: list[Message]) -> Message:
    """Sentences one after the other, as one message."""
    places = " ".join(f"{{s{k}}}" for k in range(len(parts)))
    return Message(places, tuple((f"s{k}", part) for k, part in enumerate(parts)))


def to_view(state: State) -> dict[str, str]:
    """The view as text: what to open, what to run, what to look at; only what is not the default."""
    view: dict[str, str] = {}
    if state.path:
        view["open"] = state.path
    if state.records and state.phase != st.RECORDED:
        view["run"] = "1"
    if state.text and state.phase != st.RECORDED:
        view["text"] = state.text
    if state.steps and state.phase != st.RECORDED:
        view["steps"] = str(state.steps)
    if state.line.current:
        view["step"] = str(state.line.current)
    if state.head is not None:
        view["head"] = str(state.head + 1)
    if state.pinned is not None:
        view["pin"] = str(state.pinned + 1)
    for name, value, usual in (
        ("panel", state.panel, st.PANELS[0]),
        ("measure", state.measure, "entropy"), ("layout", state.layout, "map"),
        ("device", state.device, "auto"),
        ("readout", "stopped" if state.stopped else "state", "stopped"),
        ("halted", "count" if state.count_halted else "leave", "count"),
    ):  # fmt: skip
        if value != usual:
            view[name] = value
    return view


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """The state a view asks for; what is unknown or out of range is left as it is."""
    opens = bool(view.get("open"))  # another model: neither the text nor the steps of this one
    after = replace(
        state,
        text=view.get("text", "" if opens else state.text),
        steps=_whole(view.get("steps"), 0 if opens else state.steps, 1, st.MOST_STEPS),
        go_to=_whole(view.get("step"), 0, 1, MOST_POSITIONS) or None,  # as many where T follows the length
        head=None if "head" not in view else _whole(view["head"], 1, 1, 10_000) - 1,
        pinned=None if "pin" not in view else _whole(view["pin"], 1, 1, 1_000_000) - 1,
        measure=_one_of(view.get("measure"), st.MEASURES, "entropy"),
        panel=_one_of(view.get("panel"), st.PANELS, st.PANELS[0]),
        layout=_one_of(view.get("layout"), st.LAYOUTS, "map"),
        device=_one_of(view.get("device"), st.DEVICES, "auto"),
        stopped=view.get("readout") != "state",
        count_halted=view.get("halted") != "leave",
        autorun=view.get("run") == "1",
    )
    if view.get("open"):
        return events.opening(after, view["open"], state)
    if after.go_to and after.records:
        return update(after, Event("transport.seek", after.go_to))
    return after, ()


def _whole(text: str | None, usual: int, low: int, high: int) -> int:
    found = number(text)
    return usual if found is None else min(max(found, low), high)


def _one_of(text: str | None, allowed: tuple[str, ...], usual: str) -> str:
    return text if text in allowed else usual

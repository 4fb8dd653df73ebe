"""Where the debugger stops, and what is wrong with what was typed."""

from __future__ import annotations

from app.engine_texts import told
from app.messages import Message, msg, nmsg
from app.panes import _act_state as st
from app.panes._act_state import State
from app.scene import Button, Entry, Field, Form, Node, Prose, Span, Switch
from ut_engine.stops import Stop, hits_before, places

STOPS_SHOWN = 12
CONDITION_TIP = msg(
    "Variables of the listing, h R N w p for short, h[3] for position 3, any all min max sum mean count; "
    "x3 at the end: from its third hit on. Press Enter."
)

OTHERS = {"any": msg("any position halts"), "all": msg("all halted"), "cap": msg("max steps reached")}


def complaint(state: State, *names: str) -> tuple[Node, ...]:
    """What is wrong with what was typed, where it was typed."""
    if not state.what or state.where not in names:
        return ()
    text = told(state.what, state.do)
    return (Prose(f"complaint.{names[0]}", ((Span(text, "error"),),), "error"),)


def stops(state: State, pinned: int) -> tuple[Node, ...]:
    rows: list[tuple[Field, ...]] = []
    for k, stop in enumerate(state.stops[:STOPS_SHOWN]):
        switch = Switch(f"stop.{k}", _with_hits(state, stop), f"stop.on.{k}", stop.on)
        remove = Button(f"stop.{k}.remove", msg("Take this stop away"), "stop.remove", k, "x", "icon")
        rows.append((switch, remove))
    add: list[tuple[Field, ...]] = [
        (
            Button(
                "stop.add.halts",
                msg("{label} halts", label=st.label(state, pinned)),
                "stop.add",
                ("halts", pinned),
            ),
            Button("stop.add.any", msg("any halts"), "stop.add", "any"),
        ),
        (
            Button("stop.add.all", msg("all halted"), "stop.add", "all"),
            Button("stop.add.cap", msg("at the cap"), "stop.add", "cap"),
        ),
        (
            Entry(
                "stop.condition",
                "",
                "stop.condition",
                "",
                msg("such as R < 0.05 and step > 1"),
                tip=CONDITION_TIP,
            ),
        ),
    ]
    head = Prose("stops.add", ((Span(msg("Add a stop"), "dim"),),))
    form, listed = Form("stops.form", tuple(add)), Form("stops.list", tuple(rows))
    return head, form, *complaint(state, "stop.condition"), listed


def stop_text(state: State, stop: Stop) -> Message:
    if stop.kind == "line":
        return msg("line {n} runs", n=stop.number)
    if stop.kind == "halts":
        return msg("{label} halts", label=st.label(state, min(stop.number, state.trace.m - 1)))
    if stop.kind == "condition":
        return msg("{condition}", condition=stop.text)
    return OTHERS[stop.kind]


def _with_hits(state: State, stop: Stop) -> Message:
    """The stop, how often it was hit, and where it comes next."""
    found = places(state.trace, stop)
    passed = hits_before(found, state.index)
    ahead = [place for place in found if place > state.index]
    text = stop_text(state, stop)
    if stop.hits > 1:
        text = msg("{stop}, from hit {n} on", stop=text, n=stop.hits)
    if state.predict:
        return nmsg("{stop} · {n} hit", "{stop} · {n} hits", passed, stop=text)
    if not found and state.trace.finished:
        return msg("{stop} · never", stop=text)
    if not found:
        return msg("{stop} · not yet", stop=text)
    if not ahead:
        return nmsg("{stop} · {n} hit", "{stop} · {n} hits", passed, stop=text)
    step, line = divmod(ahead[0], state.trace.per_step)
    where = msg("t = {t}, line {n}", t=step + 1, n=line + 1)
    return msg("{stop} · {where}", stop=text, where=where)

"""The signal beside the states it is added to, as measured on a checkpoint, and what stands there before."""

from __future__ import annotations

import numpy as np

from app.engine_texts import told
from app.messages import Text, msg
from app.panes import _coords_state as st
from app.panes._coords_state import State
from app.scene import Button, Card, Column, Form, Line, Node, Plot, Progress, Prose, Scale, Span


def beside(state: State) -> Card:
    """Does it disturb learning?  The signal's length beside the states' it is added to."""
    own = state.own
    title = msg("Beside the states")
    if own.phase != st.DONE:
        body = waiting(state, "beside") if state.drawn else Prose("beside.none", ((Span("–", "dim"),),))
        return Card("beside.card", title, body)
    steps = np.arange(1.0, own.value["steps"] + 1)
    p, h = np.array(own.value["p"]), np.array(own.value["h"])
    style = "points" if len(steps) < 2 else "line"
    lines = (
        Line(msg("‖H‖ before it"), steps, h, "fg", style),
        Line(msg("‖P‖ added"), steps, p, "accent", style if p.any() else "dashed"),
    )
    lengths = np.concatenate([h, p])
    high = float(lengths[np.isfinite(lengths)].max(initial=0)) * 1.1  # a model may break down on the way
    here = float(state.t) if state.source == st.OWN else None
    plot = Plot(
        "beside",
        lines,
        Scale(msg("step"), 1.0, max(float(len(steps)), 2.0)),
        Scale(msg("mean length"), 0.0, high or 1.0),
        here=here,
        alt=msg("mean length of signal and states by step"),
    )
    whose = msg("{name} on its first sample", name=own.value["name"])
    broken = own.value.get("not_finite_from")
    if broken is None:
        return Card("beside.card", title, plot, whose)
    said = msg("No numbers (NaN or infinity) after step {t}.", t=broken)
    body = Column("beside.body", (plot, Prose("beside.said", ((Span(said, "error"),),))), (1, 0))
    return Card("beside.card", title, body, whose)


def waiting(state: State, key: str) -> Column:
    """What is awaited, wrong or to be asked for."""
    own = state.own
    name: Text = own.name or st.USUAL
    parts: tuple[Node, ...]
    if own.phase == st.WAITING:
        cancel = Button(f"{key}.cancel", msg("Cancel"), "own.cancel")
        parts = (
            Progress(f"{key}.wait", msg("{name} is measured", name=name), own.done, own.total),
            Form(f"{key}.form", ((cancel,),)),
        )
    elif own.phase == st.DONE:
        bias = str(own.value.get("bias", "none"))
        said = msg("{name} adds no coordinate signal.", name=name)
        if bias != "none":
            said = msg(
                "{name} adds no coordinate signal: its attention tells positions apart by a bias ({bias}).",
                name=name,
                bias=bias,
            )
        parts = (Prose(f"{key}.said", ((Span(said),),), "notice"),)
    else:
        again = Button(f"{key}.again", msg("Measure {name}", name=name), "own.measure", style="primary")
        form = Form(f"{key}.form", ((again,),))
        if own.phase == st.FAILED:
            said = told(own.what, own.do)
            parts = (Prose(f"{key}.said", ((Span(said, "error"),),), "error"), form)
        else:
            return Column(f"{key}.state", (_empty(key), form), (1, 0))
    return Column(f"{key}.state", (*parts, Column(f"{key}.rest", ())), (*(0 for _ in parts), 1))


def _empty(key: str) -> Plot:
    """The figure before it was measured: its axes, and what it will answer."""
    note = msg("Does the signal drown the states? Not measured yet.")
    scales = Scale(msg("step"), 1.0, 6.0), Scale(msg("mean length"), 0.0, 1.0, ticks=((0.0, "0"),))
    return Plot(f"{key}.empty", (), *scales, note=note, alt=note)

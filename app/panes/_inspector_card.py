"""The card at the top of the live inspector: which checkpoint or recorded run is open, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app import depth
from app.engine_texts import reason, said
from app.messages import Text, msg
from app.panes import _inspector_state as st
from app.panes._inspector_state import State
from app.scene import Button, Card, Column, Form, Node, Progress, Prose, Span, Table

OPEN = msg("Open a checkpoint or a trace")
LIVE = msg("Open the model that was recorded and run it on the same input")
ASKED = "asked for"
"""The engine's reason for a device that was named."""


def checkpoint(state: State) -> Card:
    tools = (Button("open", OPEN, "open.choose", icon="folder-open", style="icon"),)
    recorded = state.phase == st.RECORDED
    title = msg("Recorded run") if recorded else msg("Checkpoint")
    return Card("checkpoint", title, _body(state), tools=tools)


def _body(state: State) -> Node:
    if state.phase == st.OPENING:
        waiting = Progress(
            "opening", msg("Opening {name}", name=st.file_name(state.path)), alt=msg("opening the checkpoint")
        )
        stop = Button("opening.cancel", msg("Cancel"), "run.cancel")
        return Column("opening.column", (waiting, Form("opening.form", ((stop,),))))
    if state.phase == st.NO_CHECKPOINT or not state.card.name:
        return Column("no.column", (_nothing_open(state), Form("no.form", ((_open_button(),),))))
    facts = Table("facts", _facts(state), alt=msg("facts of the checkpoint {name}", name=state.card.name))
    parts: list[Node] = [facts]
    if state.card.warnings:
        lines = tuple((Span(said(text), "warning"),) for text in state.card.warnings)
        parts.append(Prose("facts.warnings", lines, "notice"))
    if state.where == "checkpoint" and state.what:  # another file that could not be opened
        parts.append(Prose("facts.error", sentence(state), "error"))
    if state.changed and state.phase != st.RECORDED:
        parts.append(
            Prose("facts.changed", ((Span(msg("Its files changed on disk."), "warning"),),), "notice")
        )
        again = Button("facts.reload", msg("Load it again"), "open.reload", icon="refresh-cw")
        parts.append(Form("facts.form", ((again,),)))
    if state.phase == st.RECORDED and state.model:
        live = Button("facts.live", msg("Run it live"), "open.live", icon="play", tip=LIVE)
        parts.append(Form("facts.form", ((live,),)))
    return Column("facts.column", tuple(parts)) if len(parts) > 1 else facts


def _open_button() -> Button:
    return Button("no.open", msg("Open…"), "open.choose", icon="folder-open", style="primary")


def _nothing_open(state: State) -> Prose:
    if state.what:
        return Prose("no.error", sentence(state), "error")
    lines = (
        (Span(msg("No checkpoint is open."), bold=True),),
        (Span(msg("Open one, or drop a file or folder anywhere in the window."), "dim"),),
    )
    return Prose("no.text", lines)


def _facts(state: State) -> tuple[tuple[Text | float, ...], ...]:
    card, config = state.card, state.card.config
    widths = ("d_model", "layers") if depth.is_lstm(config) else ("d_model", "heads", "d_ff")
    sizes = " · ".join(str(config[name]) for name in widths if name in config)
    rows: list[tuple[Text | float, ...]] = [(msg("file"), st.file_name(state.path) or card.name)]
    if state.phase == st.RECORDED and state.path:
        rows.append((msg("model"), card.name))
    elif state.phase != st.RECORDED:
        rows = [(msg("file"), card.name)]
    if sizes:
        rows.append((msg("d · cells") if depth.is_lstm(config) else msg("d · heads · d_ff"), sizes))
    rows.append((msg("parameters"), f"{card.parameters:,}"))
    if (steps := _steps(config)) is not None:
        rows.append(steps)
    rows.append((msg("device"), _device(state)))
    if card.trained:
        rows.append((msg("trained"), msg("{n} steps", n=card.trained)))
    elif card.task:
        rows.append((msg("task"), card.task))
    return tuple(rows)


def _steps(config: Mapping[str, Any]) -> tuple[Text, Text] | None:
    """How deep it is, and whether that is fixed."""
    if depth.is_lstm(config):
        return msg("steps"), msg("one a position")
    if config.get("architecture") == "transformer":
        return msg("layers"), str(depth.own_steps(config))
    act = config.get("halting") == "act"
    if depth.follow_length(config):
        if config["steps_from"] == "log2":
            return msg("max steps"), "⌈log₂ n⌉ + 1"
        followed = msg("n positions, halts by itself") if act else msg("as many as positions")
        return msg("max steps"), followed
    if not config.get("max_steps"):
        return None
    cap = config["max_steps"]
    return msg("max steps"), msg("{n}, halts by itself", n=cap) if act else str(cap)


def _device(state: State) -> Text:
    """Where it runs and in which numbers; where that is only a fallback, why."""
    card, info = state.card, state.info
    name = info.device if info is not None else card.device
    short = {"float32": "fp32", "float64": "fp64", "bfloat16": "bf16", "float16": "fp16"}
    kind = short.get(info.dtype, info.dtype) if info is not None else ""
    text = " · ".join(part for part in (name, kind) if part)
    fell_back = name == "cpu" and state.device == "auto" and card.device_reason not in ("", ASKED)
    return (
        msg("{device} — {reason}", device=text, reason=reason(card.device_reason))
        if fell_back
        else text or "–"
    )


def sentence(state: State) -> tuple[tuple[Span, ...], ...]:
    """What is wrong, and under it what to do."""
    what = (Span(said(state.what), "error", bold=True),)
    return (what, (Span(said(state.do), "dim"),)) if state.do else (what,)

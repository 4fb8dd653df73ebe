"""What training finds: the shipped parity checkpoints on the same bits, and their figures by length."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from app.engine_texts import told
from app.messages import Message, Text, msg, nmsg
from app.panes import _scan_state as st
from app.panes._scan_state import CHECKPOINTS, State
from app.paths import shipped, shipped_card
from app.scene import (
    Axis,
    Button,
    Card,
    Choice,
    Column,
    Form,
    Lattice,
    Line,
    Node,
    Passage,
    Plot,
    Progress,
    Prose,
    Rule,
    Scale,
    Sheet,
    Span,
    Tone,
)
from ut_engine.card_tables import OWN, CardRow, tables
from ut_engine.checkpoint import peek

NAMES = {
    "hand": msg("scan, by hand"),
    "parity-ut": msg("UT, T = n + 1"),
    "parity-act": msg("UT with ACT"),
    "parity-transformer": msg("Transformer, 6 layers"),
    "parity-lstm": msg("LSTM"),
}
ROLES = {"hand": "ok", "parity-ut": "c1", "parity-act": "c4", "parity-transformer": "c2", "parity-lstm": "c5"}
KINDS = (Tone(msg("wrong"), "error", True), Tone(msg("right"), "ok"))
VIEWS = {
    "front": msg("leading right, by step"),
    "by_step": msg("right, by step"),
    "by_position": msg("right, by position"),
}
STEPS_21 = "The same weights, always 21 steps"


# ---- the same bits ----------------------------------------------------------------------------------------


def centre(state: State) -> Column:
    """Figures where they are there; what is awaited, missing or wrong in their place else."""
    now = state.learned
    if state.n > st.MOST_LEARNED:
        return _notice(
            msg(
                "The trained models run on up to {n} bits here, because those that take one step "
                "per position need a while.",
                n=st.MOST_LEARNED,
            ),
            Button("learned.short", msg("40 random bits"), "control.preset", 40),
        )
    if now.phase == st.WAITING:
        label = msg("Four trained models read these bits")
        cancel = Button("learned.cancel", msg("Cancel"), "learned.cancel")
        wait: tuple[Node, ...] = (
            Progress("learned.wait", label, now.done, now.total),
            Form("learned.form", ((cancel,),)),
        )
        return Column("learned", (*wait, Column("learned.rest", ())), (0, 0, 1))
    if now.phase == st.FAILED:
        return _notice(
            told(now.what, now.do), Button("learned.again", msg("Try again"), "learned.again"), "error"
        )
    if now.phase != st.DONE:
        return _notice(
            msg("The trained models have not read these bits yet."),
            Button("learned.again", msg("Run the trained models"), "learned.again", style="primary"),
        )
    grid = Card(
        "right.card",
        msg("The same bits, right or wrong by position"),
        _grid(state),
        msg("the length trained on ends at {n}", n=trained()),
    )
    return Column("learned", (grid, _plot(state)), (2, 3), state.narrow and not state.single)


def _notice(text: Text, button: Button, role: str = "fg") -> Column:
    prose = Prose("learned.notice", ((Span(text, role),),), "error" if role == "error" else "notice")
    return Column(
        "learned", (prose, Form("learned.form", ((button,),)), Column("learned.rest", ())), (0, 0, 1)
    )


def _models(state: State) -> list[dict[str, Any]]:
    return list(state.learned.value.get("models", ()))


def _grid(state: State) -> Lattice:
    """One row a model, the hand-made rule on top: it is right everywhere once it ran as often as needed."""
    found = _models(state)
    frame = state.scan.frames[-1]
    rows = [("hand", frame.correct.astype(int).tolist()), *((one["name"], one["right"]) for one in found)]
    labels = tuple(LABELS[name] for name, _ in rows)
    n = state.n
    numbers = tuple(range(1, n + 1))
    notes = tuple(f"{sum(right)}/{n}" for _, right in rows)
    return Lattice(
        "right",
        np.array([right for _, right in rows]),
        KINDS,
        Axis(msg("model"), labels),
        Axis(msg("position"), tuple(map(str, numbers)), numbers=numbers),
        upward=False,
        notes=notes,
        linked="hover",
        alt=msg("right or wrong by position, one row per model"),
    )


LABELS = {
    "hand": "scan",
    "parity-ut": "UT",
    "parity-act": "UT + ACT",
    "parity-transformer": "Transformer",
    "parity-lstm": "LSTM",
}


def _plot(state: State) -> Card:
    view = state.learned.view
    lines = tuple(_line(one, view) for one in _models(state))
    lines = (_hand_line(state, view), *lines)
    n, longest = state.n, max(float(line.x[-1]) for line in lines)
    rules: tuple[Rule, ...] = ()
    if view == "by_position":
        x, y = Scale(msg("position"), 1.0, float(max(n, 2))), Scale(msg("share right"), 0.0, 1.05)
    else:
        x = Scale(msg("steps (LSTM: positions read)"), 0.0, longest)
        share = view == "by_step"
        y = Scale(msg("share right") if share else msg("positions"), 0.0, 1.05 if share else n * 1.15)
    if view != "front":
        rules = (Rule(msg("guessing"), 0.5),)
    elif longest > n:
        rules = (Rule(msg("n = {n}", n=n), float(n)),)
    if view == "by_position" and n > trained():
        rules = (*rules, Rule(msg("trained to {n}", n=trained()), float(trained()), upright=True))
    plot = Plot("learned.plot", lines, x, y, rules, alt=VIEWS[view])
    choice = Choice("figure", msg("Figure"), "learned.view", tuple(VIEWS.items()), view, "segments")
    body = Column("learned.body", (Form("figure.form", ((choice,),)), plot), (0, 1))
    title = msg("By position") if view == "by_position" else msg("If stopped after each step")
    count = int(state.learned.value.get("strings", 1))
    said = msg("mean of {n} strings of this length", n=count)
    return Card("learned.card", title, body, said)


def _line(one: dict[str, Any], view: str) -> Line:
    values = np.array(one[view], dtype=float)
    name = one["name"]
    x = np.arange(1.0, len(values) + 1)
    style = "points" if len(values) < 2 else "line"
    return Line(NAMES[name], x, values, ROLES[name], style)


def _hand_line(state: State, view: str) -> Line:
    """The hand-made rule on the same bits: what is guaranteed, or right."""
    frames = state.scan.frames
    if view == "by_position":
        y = frames[-1].correct.astype(float)
        return Line(NAMES["hand"], np.arange(1.0, len(y) + 1), y, ROLES["hand"], "dashed")
    counts = [f.n_settled if view == "front" else f.n_correct / state.n for f in frames]
    return Line(
        NAMES["hand"], np.arange(float(len(frames))), np.array(counts, dtype=float), ROLES["hand"], "dashed"
    )


# ---- by length, from the cards ----------------------------------------------------------------------------


@lru_cache(maxsize=8)
def card_tables(name: str) -> dict[str, tuple[CardRow, ...]]:
    """The tables of a shipped checkpoint's card; {} where the card is not there."""
    try:
        return tables(shipped_card(name))
    except OSError:
        return {}


@lru_cache(maxsize=1)
def trained() -> int:
    """Bits of the longest strings the checkpoints were trained on, 0 where none is there."""
    there = [peek(folder) for name, folder in shipped().items() if name in CHECKPOINTS]
    return max((int(header.config["training"]["longest"]) for header in there), default=0)


def rows_of(name: str, title: str = OWN) -> dict[int, CardRow]:
    return {row.length: row for row in card_tables(name).get(title, ())}


def others(name: str) -> list[dict[int, CardRow]]:
    """The same checkpoint trained with other seeds."""
    own = (OWN, STEPS_21)
    return [
        {row.length: row for row in rows} for title, rows in card_tables(name).items() if title not in own
    ]


def side(state: State) -> tuple[Node, ...]:
    card = Card("cards.card", msg("By length, as shipped"), Column("cards", (_sheet(), *_open(state))))
    act = findings()[3:4]
    more = tuple(
        Card("depth.card", msg("No short depth was learned"), Passage("depth", (Span(one),), "caption"))
        for one in act
    )
    return card, *more


def findings_card() -> Card:
    """All but what is said beside the table."""
    lines = (*findings()[:3], *findings()[4:])
    parts = tuple(Passage(f"said.{k}", (Span(one),), "caption") for k, one in enumerate(lines))
    return Card("said.card", msg("What training finds"), Column("said", parts))


def _sheet() -> Sheet:
    """Symbols right, in percent; other seeds below each checkpoint."""
    lengths = tuple(rows_of("parity-ut"))
    rows: list[tuple[Span, ...]] = []
    for name in CHECKPOINTS:
        rows.append((Span(LABELS[name], bold=True), *_cells(rows_of(name), lengths)))
        if name == "parity-ut":
            rows.append((Span(msg("UT, 21 steps")), *_cells(rows_of(name, STEPS_21), lengths)))
        rows += [(Span(msg("another seed"), "dim"), *_cells(other, lengths, "dim")) for other in others(name)]
    columns: tuple[Text, ...] = (msg("% right at n ="), *(str(length) for length in lengths))
    return Sheet("cards.sheet", columns, tuple(rows), alt=msg("share of symbols answered right, by length"))


def _cells(rows: dict[int, CardRow], lengths: tuple[int, ...], role: str = "fg") -> tuple[Span, ...]:
    return tuple(Span(percent(rows[n].symbols) if n in rows else "–", role, mono=True) for n in lengths)


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _open(state: State) -> tuple[Node, ...]:
    options = tuple((name, NAMES[name]) for name in CHECKPOINTS)
    choice = Choice("model", msg("Model"), "model.choose", options, state.learned.model, "bare")
    button = Button("model.open", msg("Open"), "model.open", tip=msg("Open the checkpoint in the inspector"))
    return (Form("model.form", ((choice, button),)),)


@lru_cache(maxsize=1)
def findings() -> tuple[Message, ...]:
    """What the cards show, in sentences with their figures."""
    ut, short, act = rows_of("parity-ut"), rows_of("parity-ut", STEPS_21), rows_of("parity-act")
    layers, lstm = rows_of("parity-transformer"), rows_of("parity-lstm")
    if not (ut and short and act and layers and lstm):
        return (msg("The cards of the shipped checkpoints are missing."),)
    far = max(ut)
    seeds = " / ".join(percent(other[far].whole) for other in others("parity-ut") if far in other)
    first = min(row.below for row in layers.values() if row.below)
    return (
        msg(
            "The UT trained on {n} bits has no step signal and attends to near neighbours only. "
            "So it needs more steps the longer the input: its front of right positions advances "
            "a position or two per step, and with T = n + 1 it stays right. Held at 21 steps, "
            "{p} % of the symbols are right at 40.",
            n=trained(),
            p=percent(short[40].symbols),
        ),
        msg(
            "Not with every seed: of whole strings of {n}, {p} % are right, with other seeds {q} %.",
            n=far,
            p=percent(ut[far].whole),
            q=seeds,
        ),
        msg(
            "The six-layer Transformer learns parity up to the length trained on and collapses "
            "past it: {p} % at 40, {q} % at {n}; the first uncertain position is {i}.",
            p=percent(layers[40].symbols),
            q=percent(layers[far].symbols),
            n=far,
            i=first,
        ),
        msg(
            "With ACT the depth grows with the position, and stops growing past what was "
            "trained: {p} % at 40, {q} % at {n}. A learned short depth did not carry over to "
            "longer inputs; the scan's log₂ n steps have to be set by hand.",
            p=percent(act[40].symbols),
            q=percent(act[far].symbols),
            n=far,
        ),
        _of_the_lstm(lstm),
    )


def _of_the_lstm(rows: dict[int, CardRow]) -> Message:
    if all(row.symbols == 1 for run in (rows, *others("parity-lstm")) for row in run.values()):
        return msg(
            "The LSTM is right at every length, with every seed: parity does not show that the "
            "UT beats everything."
        )
    return nmsg("The LSTM is right up to {n} bit.", "The LSTM is right up to {n} bits.", max(rows))

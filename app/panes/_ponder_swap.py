"""The control: one story, three questions; what changes is then the question's and not the story's length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from app import paper
from app.messages import Text, msg
from app.panes import _ponder_babi as babi
from app.panes import _ponder_parts as parts
from app.panes import _ponder_state as st
from app.panes._ponder_parts import plus_minus
from app.panes._ponder_state import State
from app.scene import (
    Amount,
    Amounts,
    Button,
    Card,
    Column,
    Form,
    Line,
    Node,
    Number,
    Plot,
    Row,
    Scale,
    Sheet,
    Span,
)
from ut_engine.tasks.babi import sentence_text

SIGNS = ("dot", "ring", "square")


def runs(state: State) -> list[Mapping[str, Any]]:
    """The three runs, [] while there are none."""
    return list(state.measured(st.SWAP).value.get("runs", ()))


def questions(state: State) -> list[str]:
    return [
        sentence_text(story.question, "?")
        for text in st.triple(state.seed)
        if (story := st.read(text)) is not None
    ]


def centre(state: State) -> tuple[Node, ...]:
    story = Card(
        "swap.story",
        msg("One story"),
        parts.filled("swap.story.column", _story(state)),
        msg("● a fact that the question needs"),
    )
    live = Card(
        "swap.card", msg("Updates of every position under each question"), _live(state), msg("this story, N")
    )
    control = Card(
        "control.card",
        _many(state),
        _amounts(state),
        babi.whose(state, st.CONTROL),
    )
    if state.narrow:
        return live, story, control
    row = Row("swap.row", (story, live), (4, 5), (360, 420))
    return (Column("swap.centre", (row, control), (1, 0)),)


def _many(state: State) -> Text:
    found = babi.figures(state, st.CONTROL)
    if not found:
        return msg("Many stories, each asked all three")
    return msg("{n} stories, each asked all three", n=found[0].n)


def _story(state: State) -> Sheet:
    texts = [st.read(text) for text in st.triple(state.seed)]
    facts = texts[0].facts if texts[0] is not None else ()
    found = runs(state)
    needed = [set(run["supports"]) for run in found]
    rows = []
    for k, fact in enumerate(facts):
        marks = [Span("●" if k in one else "", "ok") for one in needed] or [Span("")] * 3
        rows.append((Span(f"{k + 1}  {sentence_text(fact)}"), *marks))
    titles: tuple[Text, ...] = (msg("fact"), *map(parts.few, st.HOPS))
    return Sheet("swap.facts", titles, tuple(rows), alt=msg("the story, and which facts each question needs"))


def _live(state: State) -> Node:
    waiting = parts.slot(state, st.SWAP, msg("Asking the three questions"))
    found = runs(state)
    if not found and waiting:
        return Column("swap.waiting", waiting)
    count = len(found[0]["facts"]) if found else len(st.read(st.triple(state.seed)[0]).facts)  # type: ignore[union-attr]
    cap = int(found[0]["cap"]) if found else 8
    lines = []
    for k, run in enumerate(found):
        x = np.arange(1.0, count + 2) + (k - 1) * 0.22  # side by side, so that equal ones are all seen
        y = np.array([*run["n"], run["question_n"]], dtype=float)
        tips = tuple(
            msg("{where}: N = {n}, ρ = {rho}", where=where, n=int(n), rho=f"{rho:.2f}")
            for where, n, rho in zip(
                (*run["facts"], run["question"]), y.tolist(), (*run["rho"], run["question_rho"]), strict=True
            )
        )
        name = msg("{question} ({facts})", question=run["question"], facts=parts.many(k + 1))
        lines.append(Line(name, x, y, babi.ROLES[k], "points", tips=tips, sign=SIGNS[k]))
    ticks: tuple[tuple[float, Text], ...] = (
        *((float(k), str(k)) for k in range(1, count + 1)),
        (count + 1.0, msg("question")),
    )
    note = "" if found else parts.NO_CHECKPOINT if not state.path else parts.NOT_YET
    alt = msg("N of the question: {n}", n=", ".join(str(run["question_n"]) for run in found) or "–")
    plot = Plot(
        "swap",
        tuple(lines),
        Scale(msg("fact, in the order told"), 0.5, count + 1.6, ticks=ticks),
        Scale(msg("updates N"), 0.0, cap + 0.5),
        note=note,
        alt=alt,
    )
    return parts.roomy(state, plot)


def _amounts(state: State) -> Amounts:
    """Averages over many stories: of all positions it stays, of the question it rises."""
    found = babi.figures(state, st.CONTROL)
    rows: list[Amount] = []
    heads: list[tuple[int, Text]] = []
    for title, role, pick in (
        (msg("all positions"), "running", "ponder"),
        (msg("the question"), "halts", "question"),
    ):
        heads.append((len(rows), title))
        for k, one in enumerate(found):
            mean, deviation = getattr(one, pick)
            rows.append(
                Amount(
                    parts.many(k + 1),
                    (("N", mean, role),),
                    plus_minus(mean, deviation),
                    mean - deviation,
                    mean + deviation,
                    "measured",
                )
            )
    alt = msg(
        "over many stories: all positions {all}; the question {own}",
        all=", ".join(f"{one.ponder[0]:.2f}" for one in found) or "–",
        own=", ".join(f"{one.question[0]:.2f}" for one in found) or "–",
    )
    return Amounts("control", tuple(rows), heads=tuple(heads) if rows else (), legend=False, alt=alt)


def side(state: State) -> tuple[Card, ...]:
    one, two, three = (f"{paper.facts_told()[facts]:.1f}" for facts in st.HOPS)
    why = parts.prose(
        "read.text",
        msg(
            "The paper’s figures cannot tell two causes apart: official stories with 1, 2 and 3 "
            "supporting facts are also "
            "longer and longer, {one}, {two} and {three} sentences on average.",
            one=one,
            two=two,
            three=three,
        ),
        msg("So hold the story and swap the question. What changes now is the question’s alone."),
    )
    number = Number("seed", msg("Story"), "ponder.seed", state.seed, 1, st.MOST_STORIES)
    ask = _asked(state)
    controls = (*parts.chooser(state), number)
    found = parts.prose("swap.found", *ask)
    form = Form("swap.form", tuple((one,) for one in controls))
    return (
        Card("swap.controls", msg("Story"), Column("swap.controls.column", (form, found)), state.name),
        Card("swap.why.card", msg("Same story, other question"), why),
        Card("control.source", msg("Over many stories"), Column("control.column", _control(state))),
    )


def _asked(state: State) -> tuple[Text, ...]:
    """What each question got, or that it is waited for."""
    if not state.path:
        return (parts.NO_CHECKPOINT,)
    found = runs(state)
    if not found:
        return tuple(questions(state))
    said: list[Text] = []
    for run in found:
        said.append(
            msg(
                "{question} {answer}: N = {n}, ρ = {rho}; over all positions N = {mean}.",
                question=run["question"],
                answer=run["answer"],
                n=run["question_n"],
                rho=f"{run['question_rho']:.2f}",
                mean=f"{mean(run):.2f}",
            )
        )
    if any(run["capped"] for run in found):
        said.append(msg("A position that reached the cap has no remainder: its ρ is N."))
    return tuple(said)


def mean(run: Mapping[str, Any]) -> float:
    """N over all positions, the question included."""
    return float(np.mean([*run["n"], run["question_n"]]))


def _control(state: State) -> tuple[Node, ...]:
    if not state.path:
        return (parts.prose("control.none", parts.NO_CHECKPOINT, role="dim"),)
    found = babi.figures(state, st.CONTROL)
    said: Text = parts.NOT_YET
    if state.measured(st.CONTROL).value:
        said = msg("Recomputed just now on {n} generated stories.", n=found[0].n)
    elif found:
        said = msg("Figures of the checkpoint’s card, {n} stories.", n=found[0].n)
    button = Button(
        "recompute",
        msg("Recompute"),
        "ponder.recompute",
        st.CONTROL,
        icon="play",
        style="primary",
        enabled=not state.measured(st.CONTROL).waiting,
    )
    first = found[0].question[0] < found[1].question[0] < found[2].question[0] if len(found) == 3 else False
    lesson = (
        msg("The average over all positions stays; the question’s own N rises with the facts it needs.")
        if first
        else ""
    )
    return (
        parts.prose("control.said", said, lesson),
        Form("control.button", ((button,),)),
        *parts.slot(state, st.CONTROL, msg("Running the stories")),
        parts.prose(
            "control.more",
            msg(
                "On the card’s generated stories the question’s N rises in the two finished training "
                "runs, and "
                "not in the third, which was stopped early."
            ),
            parts.N_AND_RHO,
            role="dim",
        ),
    )

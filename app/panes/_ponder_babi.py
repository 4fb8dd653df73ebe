"""bAbI: ponder time by supporting facts, the paper's beside that of a checkpoint that is measured here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from app import paper
from app.messages import Text, msg, nmsg
from app.panes import _ponder_parts as parts
from app.panes import _ponder_state as st
from app.panes._ponder_parts import plus_minus
from app.panes._ponder_state import State
from app.scene import (
    Amount,
    Amounts,
    Button,
    Card,
    Choice,
    Column,
    Field,
    Form,
    Line,
    Node,
    Plot,
    Row,
    Scale,
    Sheet,
    Span,
)
from ut_engine.card_stories import GENERATED, SAME, StoryRow

ROLES = ("c1", "c2", "c3")


@dataclass(frozen=True, slots=True)
class Figures:
    """One number of supporting facts.  ponder, question: N (mean, deviation).  rho: None where unknown.

    histograms: counts of N = 0, 1, 2, ... of the question and of all positions, () where unknown.
    """

    n: int
    accuracy: float
    ponder: tuple[float, float]
    question: tuple[float, float]
    rho: tuple[float, float] | None = None
    question_rho: tuple[float, float] | None = None
    question_histogram: tuple[int, ...] = ()
    histogram: tuple[int, ...] = ()


def figures(state: State, key: str) -> tuple[Figures, ...]:
    """Of a whole set: as measured, else as the shipped card has them; () where neither is there."""
    value = state.measured(key).value
    if value:
        return tuple(map(_measured, value["per_task"]))
    if state.model != st.SHIPPED:
        return ()
    return tuple(map(_from_card, st.card().get(GENERATED if key == st.REPORT else SAME, ())))


def _measured(task: Mapping[str, Any]) -> Figures:
    pair = {
        name: (float(task[f"{name}_mean"]), float(task[f"{name}_std"]))
        for name in ("ponder", "question_ponder", "rho", "question_rho")
    }
    return Figures(
        int(task["n"]),
        float(task["accuracy"]),
        pair["ponder"],
        pair["question_ponder"],
        pair["rho"],
        pair["question_rho"],
        tuple(task["question_ponder_histogram"]),
        tuple(task["ponder_histogram"]),
    )


def _from_card(row: StoryRow) -> Figures:
    return Figures(row.n, row.accuracy, row.ponder, row.question, question_histogram=row.question_histogram)


def centre(state: State) -> tuple[Node, ...]:
    found = figures(state, st.REPORT)
    chart = Card(
        "ponder.card",
        msg("Ponder time by supporting facts"),
        _amounts(state, found),
        msg("mean ± deviation of N"),
    )
    histogram = Card(
        "histogram.card",
        msg("How many stop when"),
        parts.roomy(state, _histogram(state, st.REPORT, "histogram")),
        whose(state, st.REPORT),
        (_positions(state),),
    )
    table = Card(
        "figures.card",
        msg("The figures"),
        parts.filled(
            "figures.column", _table(found), parts.prose("figures.rule", parts.N_AND_RHO, role="dim")
        ),
    )
    if state.narrow:
        return chart, histogram, table
    low = Row("babi.low", (histogram, table), (1, 1), (400, 430))
    return (Column("babi.centre", (chart, low), (0, 1)),)


def _amounts(state: State, found: tuple[Figures, ...]) -> Amounts:
    rows: list[Amount] = []
    heads: list[tuple[int, Text]] = []
    for facts in st.HOPS:
        heads.append((len(rows), parts.many(facts)))
        rows.append(_bar(msg("all positions"), paper.pondered(facts), "paper", "accent", 1))
        if found:
            rows.append(_bar(msg("all positions"), found[facts - 1].ponder, "measured", "running", 2))
            rows.append(_bar(msg("the question"), found[facts - 1].question, "measured", "halts", 2))
    alt = msg(
        "ponder time by supporting facts: in the paper {paper}; measured here, the question's own: {own}",
        paper=", ".join(f"{paper.pondered(facts)[0]:.1f}" for facts in st.HOPS),
        own=", ".join(f"{one.question[0]:.2f}" for one in found) or "–",
    )
    return Amounts("ponder", tuple(rows), heads=tuple(heads), legend=False, alt=alt)


def _bar(name: Text, value: tuple[float, float], source: str, role: str, digits: int) -> Amount:
    mean, deviation = value
    return Amount(
        name,
        (("N", mean, role),),
        plus_minus(mean, deviation, digits),
        mean - deviation,
        mean + deviation,
        source,
    )


def _positions(state: State) -> Choice:
    names = (("question", msg("question")), ("all", msg("all positions")))
    return Choice("positions", msg("Whose N"), "ponder.positions", names, state.positions, "segments")


def whose(state: State, key: str) -> Text:
    """Where the figures are from, "" where there are none."""
    if state.measured(key).value:
        return msg("recomputed just now")
    return msg("from the shipped card") if figures(state, key) else ""


def _histogram(state: State, key: str, name: str) -> Plot:
    """Share of positions by N, one group of bars a number of supporting facts."""
    found = figures(state, key)
    counts = [one.question_histogram if state.positions == "question" else one.histogram for one in found]
    longest = max((len(one) for one in counts), default=0)
    lines: list[Line] = []
    for k, one in enumerate(counts):
        total = sum(one)
        if total:
            share = np.zeros(longest)
            share[: len(one)] = np.array(one) / total
            x = np.arange(1.0, longest)
            tips = tuple(f"N = {n}: {one[n] if n < len(one) else 0}" for n in range(1, longest))
            lines.append(Line(parts.many(k + 1), x, share[1:], ROLES[k], "bars", tips=tips))
    none = (
        parts.NOT_YET if not found else msg("The card holds no histogram over all positions: press Recompute")
    )
    ticks = tuple((float(n), str(n)) for n in range(1, max(longest, 2)))
    return Plot(
        name,
        tuple(lines),
        Scale(msg("updates N"), 0.5, max(longest, 2) - 0.5, ticks=ticks),
        Scale(msg("share"), 0.0, 1.0),
        note="" if lines else none,
        alt=_histogram_alt(state, counts),
    )


def _histogram_alt(state: State, counts: list[tuple[int, ...]]) -> Text:
    if not any(map(sum, counts)):
        return msg("no histogram yet")
    most = ", ".join(str(int(np.argmax(one))) for one in counts if sum(one))
    return msg("the most frequent N for one, two and three supporting facts: {most}", most=most)


def _table(found: tuple[Figures, ...]) -> Sheet:
    """Every figure in one place; the paper's first."""
    rows: list[tuple[Text, list[str]]] = [
        (msg("paper: N, all positions"), [plus_minus(*paper.pondered(facts), 1) for facts in st.HOPS])
    ]
    if found:
        rows += [
            (msg("here: N, all positions"), [plus_minus(*one.ponder) for one in found]),
            (msg("here: ρ, all positions"), [_maybe(one.rho) for one in found]),
            (msg("here: N of the question"), [plus_minus(*one.question) for one in found]),
            (msg("here: ρ of the question"), [_maybe(one.question_rho) for one in found]),
            (msg("here: answered right"), [f"{one.accuracy:.3f}" for one in found]),
        ]
    titles: tuple[Text, ...] = ("", *map(parts.few, st.HOPS))
    cells = tuple((Span(name), *(Span(one) for one in values)) for name, values in rows)
    return Sheet(
        "figures", titles, cells, alt=msg("ponder time as a table: the paper's and what was measured here")
    )


def _maybe(pair: tuple[float, float] | None) -> str:
    return "–" if pair is None else plus_minus(*pair)


def side(state: State) -> tuple[Card, ...]:
    """Left: what one sees, where the figures are from, and a button that computes them again."""
    read = parts.prose(
        "read.text",
        msg(
            "The paper: ponder time grows with the supporting facts a question needs, averaged over all "
            "positions "
            "of all test stories. It prints ± without saying what; the deviation is the natural reading."
        ),
        msg(
            "Here the average over all positions hardly moves: most facts halt at once, at N = 1 or 2. "
            "The question's "
            "own N is what grows."
        ),
    )
    return Card("babi.read.card", msg("How to read it"), read), Card(
        "source.card", msg("Measured here"), Column("source", _source(state, st.REPORT)), state.name
    )


def _source(state: State, key: str) -> tuple[Node, ...]:
    """Whose figures these are, and the button."""
    if not state.path:
        return (parts.prose("source.none", parts.NO_CHECKPOINT, role="dim"),)
    button: Field = Button(
        "recompute",
        msg("Recompute"),
        "ponder.recompute",
        key,
        icon="play",
        style="primary",
        enabled=not state.measured(key).waiting,
    )
    return (
        *((Form("model.form", (parts.chooser(state),)),) if parts.chooser(state) else ()),
        parts.prose(f"{key}.said", *_told(state, key)),
        Form(f"{key}.button", ((button,),)),
        *parts.slot(state, key, msg("Running the stories")),
        *(
            (parts.prose("source.rule", parts.STATES["listing2"], role="dim"),)
            if state.model == st.SHIPPED
            else ()
        ),
    )


def _told(state: State, key: str) -> list[Text]:
    """Where the figures are from and over how many stories."""
    found = figures(state, key)
    count = sum(one.n for one in found)
    if state.measured(key).value:
        said = msg("Recomputed just now on {n} generated stories.", n=count)
        return [said, _broken(state.measured(key).value) or _agrees(state, key)]
    if not found:
        return [parts.NOT_YET]
    return [
        msg(
            "Figures of the checkpoint's card: {n} generated stories, in the language of "
            "training but with other seeds.",
            n=count,
        )
    ]


def _broken(value: Mapping[str, Any]) -> Text:
    """What is said of a model whose numbers overflowed; "" of a sound one."""
    count = sum(int(task.get("not_finite", 0)) for task in value["per_task"])
    if not count:
        return ""
    return nmsg(
        "{n} answer is no number (NaN or infinity) and counts as wrong.",
        "{n} answers are no numbers (NaN or infinity) and count as wrong.",
        count,
    )


def _agrees(state: State, key: str) -> Text:
    """Whether what was computed is what the card says."""
    if state.model != st.SHIPPED:
        return ""
    card = tuple(map(_from_card, st.card().get(GENERATED if key == st.REPORT else SAME, ())))
    now = figures(state, key)
    same = len(card) == len(now) and all(
        np.allclose(one.ponder + one.question, other.ponder + other.question, atol=0.00501)
        for one, other in zip(card, now, strict=True)
    )
    return (
        msg("They agree with the card’s.")
        if same
        else msg("They differ from the card’s, perhaps because this computer rounds differently.")
    )

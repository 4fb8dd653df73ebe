"""Subject-verb agreement: a sentence to finish, and who gets its verb right as it grows."""

from __future__ import annotations

import math

import numpy as np

from app.ends import round_ends
from app.messages import Text, msg, nmsg
from app.panes import _results_read as read
from app.panes import _results_tables as data
from app.panes._results_state import VERBS, State
from app.scene import Button, Card, Column, Form, Line, Number, Passage, Plot, Row, Rule, Scale, Span

ASIDE = 0.2  # nouns left free at both ends of the axis
TALL = 300  # px of a plot in a scrolled column
PHRASES = ("to the cabinet", "in the room", "of the house", "by the lake", "near the town")
LINES = (
    "UT w/ ACT",
    "Universal Transformer",
    "Transformer",
    "Best Stack-RNN (Yogatama et al., 2018)",
    "Best LSTM (Yogatama et al., 2018)",
    "Best Attention (Yogatama et al., 2018)",
)
SIGNS = ("dot", "ring", "square", "diamond", "dot", "ring")


def differences(table: data.Table) -> list[tuple[Span, ...]]:
    """Two more rows: UT with ACT less the best earlier model, as printed and from the rows."""
    keys = [column.path[0] for column in table.columns]
    printed = [read.printed_difference(key) for key in keys]
    again = [read.difference(key) for key in keys]
    found = []
    for name, values in (
        (msg("UT w/ ACT minus the best earlier model, printed"), printed),
        (msg("the same, from the rows"), again),
    ):
        cells = []
        for value, one, other in zip(values, printed, again, strict=True):
            wrong = not math.isnan(one) and abs(one - other) > 5e-4
            cells.append(Span("–" if math.isnan(value) else f"{value:+.3f}", "changed" if wrong else "dim"))
        found.append((Span(name, "dim"), *cells))
    return found


def sentence_of(attractors: int) -> str:
    return " ".join(("The keys", *PHRASES[:attractors]))


def agreement(state: State) -> Card:
    """A sentence to finish, longer and longer, and how often each model gets its verb right."""
    verbs = tuple(
        Button(f"verb.{verb}", verb, "results.verb", verb, style="primary" if verb == state.verb else "plain")
        for verb in VERBS
    )
    number = Number(
        "attractors", msg("nouns between"), "results.attractors", state.attractors, 0, len(PHRASES)
    )
    shown = Passage(
        "keys",
        (
            Span(sentence_of(state.attractors), bold=True),
            Span(" "),
            Span(state.verb or "___", "accent", bold=True),
        ),
        "section",
    )
    words = Column(
        "keys.words",
        (
            shown,
            Form("keys.verbs", (verbs,)),
            Form("keys.number", ((number,),)),
            Passage("verdict", (Span(verdict(state)),), "compact"),
            Column("keys.rest", ()),
        ),
        (0, 0, 0, 0, 1),
    )
    parts = words, _lines(state)
    body = Column("keys.one", parts) if state.narrow else Row("keys.row", parts, (2, 3), (320, 400))
    subtitle = msg("accuracy by the number of nouns between")
    return Card("keys.card", msg("Finish the sentence"), body, subtitle)


def verdict(state: State) -> Text:
    n = state.attractors
    best = read.value("table2_subject_verb", "UT w/ ACT", str(n))
    rate = msg("UT w/ ACT gets {rate} of such sentences right.", rate=f"{best:.3f}")
    if not state.verb:
        return msg("Which verb? {rate}", rate=rate)
    between = nmsg(
        "{n} noun of the other number stands between.", "{n} nouns of the other number stand between.", n
    )
    if state.verb == "are":
        return msg("Right: “keys” is the subject. {between} {rate}", between=between, rate=rate)
    return msg(
        "“is” agrees with the nearest noun, not with the subject “keys”. {between} {rate}",
        between=between,
        rate=rate,
    )


def _lines(state: State) -> Plot:
    rows = dict(state.shown.rows)
    x = np.arange(len(data.ATTRACTORS), dtype=float)
    lines = tuple(
        Line(
            name,
            x,
            np.array([figure.value for figure in rows[name][: len(x)]]),
            f"c{k + 1}",
            "dashed" if k > 2 else "line",
            sign=SIGNS[k],
            width=2.6 if k == 0 else 1.6,
        )
        for k, name in enumerate(LINES)
    )
    ticks = tuple((float(n), n) for n in data.ATTRACTORS)
    low, _ = round_ends((y for line in lines for y in line.y), room=0.0)
    here = (Rule("", float(state.attractors), upright=True),)
    alt = msg(
        "accuracy falls with the nouns between; at five, UT w/ ACT is at {ut}",
        ut=f"{read.value('table2_subject_verb', 'UT w/ ACT', '5'):.3f}",
    )
    return Plot(
        "attractors.plot",
        lines,
        Scale(msg("nouns between"), x[0] - ASIDE, x[-1] + ASIDE, ticks=ticks),
        Scale(msg("accuracy"), low, 1.0),
        here,
        here=float(state.attractors),
        event="results.attractors",
        alt=alt,
        height=TALL,
    )

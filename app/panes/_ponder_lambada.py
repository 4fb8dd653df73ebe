"""LAMBADA: fixed numbers of steps against ACT, as the paper has them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from app import paper
from app.ends import round_ends
from app.messages import Text, msg
from app.panes import _ponder_parts as parts
from app.panes._ponder_state import State
from app.scene import Card, Column, Line, Node, Plot, Scale, Sheet, Span
from app.sorting import sorted_sheet

FIXED = re.compile(r"UT base, (\d+) steps \(fixed\)")
ACT = "UT w/ dynamic halting"
SETS = ("control", "dev", "test")
OTHERS = ("LSTM", "Transformer")


def rows() -> dict[str, Any]:
    found: dict[str, Any] = paper.tables()["table3_lambada"]["rows"]
    return found


def fixed() -> list[tuple[int, float]]:
    """(steps, test perplexity) of the fixed models, by steps."""
    found = [(FIXED.fullmatch(name), row) for name, row in rows().items()]
    return sorted((int(match[1]), float(row["LM"]["test"]["perplexity"])) for match, row in found if match)


def whole(value: float) -> str:
    return f"{value:.0f}"


def adaptive() -> tuple[float, float, float]:
    """Mean steps, their deviation, test perplexity of ACT."""
    return *paper.lambada_steps(), float(rows()[ACT]["LM"]["test"]["perplexity"])


def centre(state: State) -> tuple[Node, ...]:
    chart = Card(
        "lambada.card",
        msg("Test perplexity by number of steps"),
        parts.roomy(state, _plot()),
        msg("lower is better · the paper’s"),
    )
    table = Card(
        "sets.card",
        msg("Perplexity on the three sets"),
        Column("sets.column", (_table(state),)),
        msg("the paper’s"),
    )
    if state.narrow:
        return chart, table
    return (Column("lambada.centre", (chart, table), (1, 0)),)


def _plot() -> Plot:
    alt = msg(
        "fixed 6, 8 and 9 steps give {fixed}; ACT, {steps} steps on average, gives {act}",
        fixed=", ".join(whole(value) for _, value in fixed()),
        steps=parts.plus_minus(*adaptive()[:2], 1),
        act=whole(adaptive()[2]),
    )
    lines = _lines()
    return Plot(
        "lambada",
        lines,
        Scale(msg("steps"), *round_ends(float(x) for line in lines for x in line.x)),
        Scale(msg("perplexity"), *round_ends((float(y) for line in lines for y in line.y), zero=True)),
        alt=alt,
    )


def _lines() -> tuple[Line, ...]:
    """The fixed numbers of steps as points; ACT as one, with its deviation."""
    mean, deviation, act = adaptive()
    steps, values = (np.array(one, float) for one in zip(*fixed(), strict=True))
    about = msg(
        "ACT, {steps} steps on average: {value}", steps=parts.plus_minus(mean, deviation, 1), value=whole(act)
    )
    told = tuple(msg("{n} steps for every position: {value}", n=n, value=whole(one)) for n, one in fixed())
    labels = tuple(map(whole, values.tolist()))
    ends, level = np.array([mean - deviation, mean + deviation]), np.array([act, act])
    name = msg("ACT, ± its deviation")
    return (
        Line(msg("fixed number of steps"), steps, values, "c1", "points", labels=labels, tips=told),
        Line(msg("ACT"), np.array([mean]), np.array([act]), "c2", "points", sign="diamond", tips=(about,)),
        Line(name, ends, level, "c2", "line", labels=("", whole(act)), tips=(about, about)),
    )


def _table(state: State) -> Sheet:
    """The Universal Transformers' rows and the two that fail, on all three sets."""
    names = [*OTHERS, *(name for name in rows() if FIXED.fullmatch(name)), ACT]
    found = []
    for name in names:
        sets = rows()[name]["LM"]
        cells = [sets[one]["perplexity"] for one in SETS]
        failed = cells[-1] > 1000
        found.append(
            (
                Span(name),
                *(
                    Span(f"{value:,}", "error" if failed and k else "fg", bold=failed and k > 0, mono=True)
                    for k, value in enumerate(cells)
                ),
            )
        )
    titles: tuple[Text, ...] = (msg("model"), msg("control"), msg("dev"), msg("test"))
    made = Sheet("sets", titles, tuple(found), alt=msg("perplexity on control, dev and test"))
    return sorted_sheet(made, state.sets, "ponder.sort")


def side(state: State) -> tuple[Card, ...]:
    mean, deviation, act = adaptive()
    steps = parts.plus_minus(mean, deviation, 1)
    read = parts.prose(
        "read.text",
        msg(
            "The last word of a passage, guessable only from the whole of it. With ACT the model takes "
            "{steps} steps on "
            "average and reaches {act}; a model fixed at 8 or at 9 steps is worse.",
            steps=steps,
            act=f"{act:.0f}",
        ),
        msg(
            "So it is not the number of steps alone. The authors read it as ACT being a regulariser: "
            "fewer steps where "
            "fewer do, more where more are needed. That is their reading; the paper tests no other."
        ),
    )
    fail = parts.prose(
        "lambada.fail",
        msg(
            "LSTM and Transformer do well on the control set and fail on dev and test (bold, red): control "
            "passages need no "
            "wide context."
        ),
        msg("The paper says its best fixed model used 6 steps; by its own table 8 and 9 are better."),
    )
    here = parts.prose(
        "lambada.here",
        msg(
            "No shipped checkpoint was trained on LAMBADA, so there are no measurements to set "
            "beside these figures."
        ),
        role="dim",
    )
    return (
        Card("lambada.read.card", msg("How to read it"), read),
        Card("lambada.fail.card", msg("What else the table shows"), fail),
        Card("lambada.here.card", msg("Measured here"), here),
    )

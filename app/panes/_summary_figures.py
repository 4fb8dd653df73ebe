"""The figures of the summary, drawn from the engine's numbers as small as they go."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from app import paper
from app.ends import log_ends, round_ends
from app.messages import Text, msg
from app.panes import _summary_words as words
from app.scene import (
    Amount,
    Amounts,
    Axis,
    Equation,
    Lattice,
    Line,
    Node,
    Plot,
    Rule,
    Scale,
    Stack,
    Tone,
)
from ut_engine import card_stories, coordinates, halting, schedule
from ut_engine import scan as scans
from ut_engine.presets import counted, preset

POSITIONS, ROUNDS, BITS = 8, 6, 16
OFFSETS, WIDTH = 1000, 512
NEAR = 0.8, 1.5  # times the least and the largest value: where a small chart may end
MODELS = ("transformer-base", "ut-small", "ut-base", "transformer-big")
SHOWN = {"LSTM": "LSTM", "Transformer": "Transformer", "Universal Transformer": "UT"}


def _axis(name: Text, count: int) -> Axis:
    return Axis(name, tuple(str(k + 1) for k in range(count)), numbers=tuple(range(1, count + 1)))


def grid() -> Node:
    """Six layers of their own, and beside them one layer six times."""
    made = (schedule.transformer(POSITIONS, ROUNDS), schedule.universal(POSITIONS, ROUNDS))
    blocks = [
        np.broadcast_to(np.arange(ROUNDS)[:, None] % schedule.counters(one).weight_sets, (ROUNDS, POSITIONS))
        for one in made
    ]
    gap = np.full((ROUNDS, 1), ROUNDS)
    kinds = (*(Tone("", f"c{k + 1}") for k in range(ROUNDS)), Tone("", "panel"))
    names = [""] * (2 * POSITIONS + 1)
    names[POSITIONS // 2], names[POSITIONS + 1 + POSITIONS // 2] = "Transformer", "UT"
    cols = Axis("", ("",) * len(names))
    alt = msg("a Transformer of {n} layers, a colour each; a Universal Transformer, one colour", n=ROUNDS)
    return Lattice("grid.figure", np.hstack((blocks[0], gap, blocks[1])), kinds, _axis("", ROUNDS), cols,
                   foot=tuple(names), legend=False, alt=alt)  # fmt: skip


def block() -> Node:
    alt = msg("what a step adds, and what it ends with")
    return Equation("block.figure", ("ut-input", "ut-transition"), alt=alt)


def cost() -> Node:
    found = [counted(name) for name in MODELS]
    x, y = (np.array([getattr(one, name) for one in found], float) / 1e6
            for name in ("parameters", "macs_per_token"))  # fmt: skip
    labels = tuple(preset(name).title for name in MODELS)
    line = Line("", x, y, "accent", "points", labels=labels)
    return Plot(
        "cost.figure", (line,), Scale(msg("parameters, millions"), *log_ends(x, *NEAR), log=True),
        Scale(msg("multiply-adds, millions"), *log_ends(y, *NEAR), log=True), legend=False,
        alt=msg("parameters against work of four models"),
    )  # fmt: skip


def coords() -> Node:
    offsets = np.arange(OFFSETS)
    line = Line("|P|", offsets.astype(float), coordinates.norm_at_offset(offsets, WIDTH), "accent")
    code = Rule(msg("a position code alone"), float(np.sqrt(WIDTH / 2)))
    return Plot(
        "coords.figure", (line,), Scale("i − t", 0, OFFSETS),
        Scale(msg("length"), *round_ends((*line.y, code.at))), (code,),
        legend=False, alt=msg("length of the coordinate signal by the distance of position and step"),
    )  # fmt: skip


def scan() -> Node:
    """Settled positions by step; the arcs of the last one."""
    made = scans.scan(np.ones(BITS, int))
    tones = np.array([frame.settled.astype(int) for frame in made.frames])
    kinds = (Tone(msg("not settled"), "faint", True), Tone(msg("settled"), "ok"))
    links = tuple(
        ((row, column), (row - 1, int(read)))
        for row, frame in enumerate(made.frames)
        for column, read in enumerate(frame.reads)
        if column == BITS - 1 and read >= 0
    )
    rows = Axis(msg("step"), tuple(str(k) for k in range(len(made.frames))), kind="step")
    alt = msg("{n} positions are settled after {t} steps", n=BITS, t=made.steps_needed)
    return Lattice("scan.figure", tones, kinds, rows, _axis(msg("position"), BITS), links=links,
                   legend=False, alt=alt)  # fmt: skip


def act() -> Node:
    """Accumulated probability of a sentence's tokens when they halt: what was there, and the remainder."""
    result = halting.run_table(halting.scenario("sentence"))
    rest = np.ravel(result.remainders)
    columns = tuple(("", 1.0 - float(r), float(r), "remainder") for r in rest)
    return Stack("act.figure", columns, 1 - halting.EPSILON, "1 − ε",
                 alt=msg("accumulated probability and remainder of each token"))  # fmt: skip


def ponder() -> Node:
    rows = tuple(
        Amount(
            str(k), (("N", row.question[0], "accent"),), f"{row.question[0]:.2f}",
            row.question[0] - row.question[1], row.question[0] + row.question[1], "measured",
        )
        for k, row in enumerate(words.swapped(), start=1)
    )  # fmt: skip
    return Amounts("ponder.figure", rows, heads=((0, msg("supporting facts")),), legend=False,
                   alt=msg("steps of the question by supporting facts"))  # fmt: skip


def results() -> Node:
    table = paper.tables()[words.COPY]["rows"]
    rows = tuple(
        Amount(shown, (("", float(table[name]["copy"]["char_acc"]), "accent"),),
               f"{table[name]['copy']['char_acc']:.2f}", source="paper", strong=shown == "UT")
        for name, shown in SHOWN.items()
    )  # fmt: skip
    return Amounts("results.figure", rows, 1.0, ((0, msg("copy, 400 symbols")),), legend=False,
                   alt=msg("share of symbols copied right, by model"))  # fmt: skip


def lineage() -> Node:
    rows = []
    for name in ("bert-base", "albert-base"):
        size = counted(name).parameters / 1e6
        rows.append(Amount(preset(name).title, (("", size, "accent"),), f"{size:.1f} M"))
    return Amounts("lineage.figure", tuple(rows), heads=((0, msg("parameters")),), legend=False,
                   alt=msg("parameters of BERT base and ALBERT base"))  # fmt: skip


def inspector() -> Node:
    lines = []
    for k, row in enumerate(words.official(), start=1):
        curve = np.array(row.by_step[card_stories.ENTROPY])
        name = msg("{n} facts", n=k) if k > 1 else msg("1 fact")
        lines.append(Line(name, np.arange(1.0, len(curve) + 1), curve, f"c{k}"))
    last = max(len(line.x) for line in lines)
    x = Scale(msg("step"), 1, last, ticks=tuple((float(t), str(t)) for t in range(1, last + 1)))
    return Plot("inspector.figure", tuple(lines), x, Scale(msg("entropy"), 0, 1),
                legend=False, alt=msg("entropy of the question's attention by step"))  # fmt: skip


FIGURES: Mapping[str, Callable[[], Node]] = {
    made.__name__: made
    for made in (grid, block, cost, coords, scan, act, ponder, results, lineage, inspector)
}

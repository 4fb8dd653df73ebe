"""What the summary says: per chapter a claim, and a number out of the engine, a card or a cited table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from app import paper
from app.messages import Message, Text, msg
from app.paths import shipped_card
from ut_engine import card_stories, coordinates, halting, schedule
from ut_engine import scan as scans
from ut_engine.card_stories import StoryRow
from ut_engine.cost import cost
from ut_engine.presets import counted, preset

Number = tuple[Text, Message]  # as written, and what it is
COPY = "table4_algorithmic"
LONG = 400  # bits of the scan's example


@dataclass(frozen=True, slots=True)
class Chapter:
    """key: the pane's name.  view: what its title opens."""

    key: str
    title: Message
    claim: Message
    number: Callable[[], Number]
    view: str


@cache
def told() -> Mapping[str, tuple[StoryRow, ...]]:
    """The figures in the card of the shipped bAbI model."""
    return card_stories.tables(shipped_card("babi"))


def official() -> tuple[StoryRow, ...]:
    return told()[card_stories.OFFICIAL]


def swapped() -> tuple[StoryRow, ...]:
    """The control: one story, questions that need 1, 2, 3 facts, so that lengths do not differ."""
    return told()[card_stories.SAME]


def _grid() -> Number:
    layers = schedule.counters(schedule.transformer(8, 6))
    shared = schedule.counters(schedule.universal(8, 6))
    return f"{layers.weight_sets} → {shared.weight_sets}", msg("sets of weights in six steps")


def _block() -> Number:
    one = cost(replace(preset("ut-small").design, decoder=False)).block_parameters
    return f"{one:,}", msg("parameters of one encoder layer")


def _cost() -> Number:
    ut = counted("ut-base")
    number = f"{ut.ratio_parameters:.3f} × / {ut.ratio_macs:g} ×"
    return number, msg("UT base: parameters / work of base")


def _coords() -> Number:
    peak = float(coordinates.norm_at_offset(0, 512))
    away = float(coordinates.norm_at_offset(np.arange(1000), 512).min())
    return f"{away:.1f} … {peak:g}", msg("its length over 1,000 offsets")


def _scan() -> Number:
    frame = scans.scan(np.ones(LONG, int)).frames[6]
    needed = scans.steps_needed(LONG)
    what = msg("of {n} wrong after 6 of {t} steps", n=LONG, t=needed)
    return str(LONG - frame.n_correct), what


def _act() -> Number:
    counts = np.ravel(halting.run_table(halting.scenario("sentence")).n_updates)
    return f"{counts.min():g} … {counts.max():g}", msg("steps within one sentence")


def _ponder() -> Number:
    steps = " · ".join(f"{row.question[0]:.1f}" for row in swapped())
    return steps, msg("steps for 1–3 facts, same stories")


def _results() -> Number:
    rows = paper.tables()[COPY]["rows"]
    pair = (rows[name]["copy"]["char_acc"] for name in ("Transformer", "Universal Transformer"))
    return " → ".join(f"{value:.2f}" for value in pair), msg("symbols copied right, paper")


def _lineage() -> Number:
    bert, albert = counted("bert-base"), counted("albert-base")
    return f"{bert.parameters / albert.parameters:.1f} ×", msg("fewer parameters: ALBERT")


def _inspector() -> Number:
    curve = official()[1].by_step[card_stories.ENTROPY]
    least = min(value for value in curve if not math.isnan(value))
    number = f"{curve[0]:.2f} → {least:.2f}"
    return number, msg("entropy, two facts, measured")


CHAPTERS = (
    Chapter("grid", msg("Same layer, T times"),
            msg("One set of weights is applied again and again: depth costs steps, not weights."),
            _grid, "grid"),
    Chapter("block", msg("The block"),
            msg("A Transformer layer with three changes: which weights, where the coordinates go, "
                "what follows attention."),
            _block, "block"),
    Chapter("cost", msg("Parameters and work"),
            msg("Sharing divides the layers' parameters by the depth, not the work: at equal "
                "size a UT works more."),
            _cost, "cost"),
    Chapter("coords", msg("Coordinates"),
            msg("Position and step are added as sinusoids; the length shows how far they are apart."),
            _coords, "coords"),
    Chapter("scan", msg("Depth and length"),
            msg("Longer inputs need more steps, even if each doubles the reach: a fixed depth "
                "ends somewhere."),
            _scan, "scan"),
    Chapter("act", msg("Halting"),
            msg("Each position adds up its halting probabilities and stops when they pass 1 − ε."),
            _act, "act"),
    Chapter("ponder", msg("What it learned"),
            msg("Our checkpoint runs longer on questions that need more facts."),
            _ponder, "ponder"),
    Chapter("results", msg("Results"),
            msg("It copies longer strings far better than a Transformer, yet not perfectly."),
            _results, "results"),
    Chapter("lineage", msg("What came of it"),
            msg("Sharing pays when parameters are scarce and work is cheap; most large models still stack."),
            _lineage, "lineage"),
    Chapter("inspector", msg("Attention sharpens"),
            msg("Step by step attention narrows onto the facts, and broadens once the answer is there."),
            _inspector, "inspector"),
)  # fmt: skip

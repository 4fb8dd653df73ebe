"""The numbers of the article: from the engine, from the cards of what ships, from the paper's tables.

Each has a name the text asks for; only what is asked for is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from app import paper
from app.messages import LANGUAGES
from app.paths import shipped, shipped_card
from ut_engine import card_stories, card_tables, coordinates, halting
from ut_engine import scan as scans
from ut_engine.checkpoint import peek
from ut_engine.cost import Switches, cost, solve_width
from ut_engine.design import Design, parameters
from ut_engine.halting import ActResult
from ut_engine.presets import preset

Number = Callable[[str], str]
SPACE = "\N{NO-BREAK SPACE}"
HESITANT, FRESH, TOY = "hesitant", "fresh", "two-position"
STILL = 50  # questions that must run still for a mean over them to be told
SURE = 0.995  # "practically all"


def figures(names: Iterable[str], language: str) -> Mapping[str, str]:
    """The numbers of these names, as they are written in a language; KeyError for one there is not."""
    known = table()
    return {name: known[name](language) for name in names}


@lru_cache(maxsize=len(LANGUAGES))
def table() -> Mapping[str, Number]:
    """Every number by its name."""
    return {**_costs(), **_coordinates(), **_scans(), **_acts(), **_paper(), **_stories(), **_parity()}


# ---- how numbers are written ----------------------------------------------------------------------------


def whole(value: float) -> str:
    return f"{round(value):,}"


def share(value: float, decimals: int = 0) -> str:
    return f"{100 * value:.{decimals}f}{SPACE}%"


def large(value: float, language: str) -> str:
    """Rounded to three figures: "31.5 million", "3,150만"."""
    if language == "ko":
        return f"{value / 1e4:,.0f}만"
    return f"{value / 1e6:.1f}{SPACE}million"


def _plain(make: Callable[[], str]) -> Number:
    """A number written alike in every language, reckoned once."""
    once = cache(make)
    return lambda language: once()


# ---- engine ---------------------------------------------------------------------------------------------


def _design(name: str) -> Design:
    return preset(name).design


def _ratio(switches: Switches | None = None) -> str:
    return f"{cost(_design('ut-base'), switches).ratio_macs:.4g}"


def _without_bias() -> str:
    return whole(parameters(replace(_design("transformer-base"), attention_bias=False)))


def albert_sharing() -> float:
    """BERT base's parameters with one layer instead of twelve, nothing else changed."""
    return float(parameters(replace(_design("bert-base"), shared=True)))


def _costs() -> dict[str, Number]:
    def count(name: str) -> Number:
        return _plain(lambda: whole(parameters(_design(name))))

    def bleu(name: str) -> Number:
        return _plain(lambda: f"{preset(name).bleu:.1f}")

    def blocks() -> str:
        one, base = (cost(_design(name)).block_parameters for name in ("ut-base", "transformer-base"))
        return f"{one / base:.3f}"

    def big() -> str:
        return f"{parameters(_design('transformer-big')) / parameters(_design('ut-base')):.2f}"

    return {
        "cost.base.parameters": count("transformer-base"),
        "cost.small.parameters": count("ut-small"),
        "cost.base.plain": _plain(_without_bias),
        "cost.blocks": _plain(blocks),
        "cost.ut.ratio": _plain(lambda: f"{cost(_design('ut-base')).ratio_parameters:.3f}"),
        "cost.ut.work": _plain(_ratio),
        "cost.ut.softmax": _plain(lambda: _ratio(Switches(softmax=True))),
        "cost.ut.hoisted": _plain(lambda: _ratio(Switches(hoisted=True))),
        "cost.big.ratio": _plain(big),
        "cost.width": _plain(lambda: f"{solve_width(_design('ut-base')).root:.2f}"),
        "cost.width.whole": _plain(lambda: f"{solve_width(_design('ut-base')).width}"),
        "albert.parameters": count("albert-base"),
        "bert.parameters": count("bert-base"),
        "albert.shared": lambda language: large(albert_sharing(), language),
        "bleu.small": bleu("ut-small"),
        "bleu.base": bleu("transformer-base"),
        "bleu.ut": bleu("ut-base"),
    }


def _coordinates() -> dict[str, Number]:
    d, thousand = 512, np.arange(1000)

    def near(make: Callable[[], float]) -> Number:
        return _plain(lambda: f"{make():.3g}")

    return {
        "coords.d": _plain(lambda: str(d)),
        "coords.peak": near(lambda: float(coordinates.norm_at_offset(0, d))),
        "coords.least": near(lambda: float(coordinates.norm_at_offset(thousand, d).min())),
        "coords.alone": near(lambda: float(coordinates.closed_form(d, 1, 1, part="position")[0])),
    }


def _scans() -> dict[str, Number]:
    long, layers = 400, 6

    @lru_cache(maxsize=1)
    def frame() -> scans.ScanFrame:
        return scans.scan(np.ones(long, dtype=int)).frames[layers]

    found: dict[str, Number] = {
        "scan.long": _plain(lambda: str(long)),
        "scan.six": _plain(lambda: str(scans.settled_prefix(layers))),
        "scan.wrong": _plain(lambda: str(long - frame().n_correct)),
        "scan.first": _plain(lambda: str(frame().first_wrong)),
    }
    for n in (40, 400):
        found[f"scan.steps.{n}"] = _plain(lambda n=n: str(scans.steps_needed(n)))  # type: ignore[misc]
        found[f"scan.plain.{n}"] = _plain(lambda n=n: str(scans.steps_needed(n, False)))  # type: ignore[misc]
    return found


@lru_cache(maxsize=8)
def act_run(name: str, mixing: str = "basic", state: str = "listing2") -> ActResult:
    """A scenario of the debugger."""
    return halting.run_table(halting.scenario(name), mixing=mixing, state=state)


def _acts() -> dict[str, Number]:
    def of(run: str, make: Callable[[ActResult], str], **rules: str) -> Number:
        return _plain(lambda: make(act_run(run, **rules)))

    def mix(result: ActResult) -> float:
        return float(result.effective_weights[0].sum())

    def output(result: ActResult) -> str:
        return f"{float(result.output[1, 0]):.4f}"

    def least() -> str:
        at_once = halting.run_table(np.array([[1.0]]))
        return f"{float(at_once.ponder[0]):g}"

    return {
        "act.epsilon": _plain(lambda: f"{halting.EPSILON:g}"),
        "act.least": _plain(least),
        "act.fresh.p": of(FRESH, lambda run: f"{run.p[0, 0]:.3f}"),
        "act.fresh.n": of(FRESH, lambda run: f"{run.n_updates[0]}"),
        "act.fresh.r": of(FRESH, lambda run: f"{run.remainders[0]:.3f}"),
        "act.fresh.mix": of(FRESH, lambda run: f"{mix(run):.3f}"),
        "act.fresh.zero": of(FRESH, lambda run: share(1 - mix(run))),
        "act.hesitant.p": of(HESITANT, lambda run: f"{run.p[0, 0]:g}"),
        "act.hesitant.n": of(HESITANT, lambda run: f"{run.n_updates[0]}"),
        "act.hesitant.sum": of(HESITANT, lambda run: f"{run.weights[0].sum():.2f}"),
        "act.hesitant.mix": of(HESITANT, lambda run: f"{mix(run):.4f}"),
        "toy.listing": of(TOY, output),
        "toy.frozen": of(TOY, output, state="frozen"),
        "toy.accumulated": of(TOY, output, mixing="accumulated"),
    }


# ---- the paper ------------------------------------------------------------------------------------------


def _paper() -> dict[str, Number]:
    def of(*path: str) -> Any:
        found: Any = paper.tables()
        for name in path:
            found = found[name]
        return found

    def right(model: str, kind: str = "char_acc") -> Number:
        return _plain(lambda: share(of("table4_algorithmic", "rows", model, "copy", kind)))

    def perplexity(row: str) -> Number:
        return _plain(lambda: str(of("table3_lambada", "rows", row, "LM", "test", "perplexity")))

    found = {
        "paper.length.train": _plain(lambda: _lengths()[0]),
        "paper.length.test": _plain(lambda: _lengths()[1]),
        "paper.copy.transformer": right("Transformer"),
        "paper.copy.transformer.seq": right("Transformer", "seq_acc"),
        "paper.copy.ut": right("Universal Transformer"),
        "paper.copy.neural-gpu": right("Neural GPU (special curriculum)"),
        "paper.lambada.act": perplexity("UT w/ dynamic halting"),
        "paper.lambada.steps": _plain(lambda: f"{paper.lambada_steps()[0]:.1f}"),
    }
    for n in (6, 8, 9):
        found[f"paper.lambada.{n}"] = perplexity(f"UT base, {n} steps (fixed)")
    for n in (1, 2, 3):
        found[f"paper.ponder.{n}"] = _plain(lambda n=n: f"{paper.pondered(n)[0]:.1f}")  # type: ignore[misc]
    return found


def _lengths() -> tuple[str, str]:
    """Trained on, evaluated on: as the caption of the table says."""
    words = paper.tables()["table4_algorithmic"]["caption"].replace(",", " ").split()
    numbers = [word for word in words if word.isdigit()]
    return numbers[0], numbers[1]


# ---- cards of what ships --------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _story_rows() -> Mapping[str, tuple[card_stories.StoryRow, ...]]:
    return card_stories.tables(shipped_card("babi"))


def two_facts() -> card_stories.StoryRow:
    """The questions that need two facts, as the card has them."""
    return _story_rows()[card_stories.GENERATED][1]


def _stories() -> dict[str, Number]:
    def row(n: int, title: str = card_stories.GENERATED) -> card_stories.StoryRow:
        return _story_rows()[title][n - 1]

    def by_step(kind: str) -> tuple[float, ...]:
        return two_facts().by_step[kind]

    def sharpest() -> int:
        entropy = by_step(card_stories.ENTROPY)
        return entropy.index(min(entropy)) + 1

    def last() -> int:
        return sum(running >= STILL for running in by_step(card_stories.RUNNING))

    def right() -> int:
        return 1 + next(k for k, value in enumerate(by_step(card_stories.RIGHT)) if value >= SURE)

    def at(kind: str, step: Callable[[], int]) -> float:
        return by_step(kind)[step() - 1]

    found: dict[str, Number] = {
        "babi.parameters": _plain(lambda: whole(peek(shipped()["babi"]).parameters)),
        "babi.cap": _plain(lambda: str(peek(shipped()["babi"]).config["model"]["max_steps"])),
        "babi.stories": _plain(lambda: str(two_facts().n)),
        "babi.entropy.first": _plain(lambda: f"{by_step(card_stories.ENTROPY)[0]:.2f}"),
        "babi.entropy.least": _plain(lambda: f"{at(card_stories.ENTROPY, sharpest):.2f}"),
        "babi.entropy.last": _plain(lambda: f"{at(card_stories.ENTROPY, last):.2f}"),
        "babi.sharpest": _plain(lambda: str(sharpest())),
        "babi.last": _plain(lambda: str(last())),
        "babi.mass": _plain(lambda: share(at(card_stories.MASS, sharpest))),
        "babi.stopped.first": _plain(lambda: share(by_step(card_stories.RIGHT)[0])),
        "babi.right": _plain(lambda: str(right())),
    }
    for n in (1, 2, 3):
        found[f"babi.all.{n}"] = _plain(lambda n=n: f"{row(n).ponder[0]:.2f}")  # type: ignore[misc]
        found[f"babi.question.{n}"] = _plain(lambda n=n: f"{row(n).question[0]:.2f}")  # type: ignore[misc]
        found[f"babi.swap.{n}"] = _plain(lambda n=n: f"{row(n, card_stories.SAME).question[0]:.2f}")  # type: ignore[misc]
        found[f"babi.swap.all.{n}"] = _plain(lambda n=n: f"{row(n, card_stories.SAME).ponder[0]:.2f}")  # type: ignore[misc]
    return found


def _parity() -> dict[str, Number]:
    long, longer = 80, 200

    def own(name: str, length: int) -> card_tables.CardRow:
        rows = card_tables.tables(shipped_card(name))[card_tables.OWN]
        return next(row for row in rows if row.length == length)

    def held() -> card_tables.CardRow:
        """The same weights at as many rounds as the longest string of training needs."""
        found = card_tables.tables(shipped_card("parity-ut"))
        title = next(title for title in found if title.startswith("The same weights"))
        return next(row for row in found[title] if row.length == long)

    def longest() -> str:
        return str(peek(shipped()["parity-ut"]).config["training"]["longest"])

    return {
        "parity.long": _plain(lambda: str(long)),
        "parity.longer": _plain(lambda: str(longer)),
        "parity.longest": _plain(longest),
        "parity.ut.80": _plain(lambda: share(own("parity-ut", long).symbols, 1)),
        "parity.fixed.80": _plain(lambda: share(held().symbols, 1)),
        "parity.fixed.steps": _plain(lambda: str(held().steps)),
        "parity.transformer.80": _plain(lambda: share(own("parity-transformer", long).symbols, 1)),
        "parity.lstm.200": _plain(lambda: share(own("parity-lstm", longer).symbols, 1)),
    }

"""What was measured on this machine, beside a table of the paper and never in its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from app import paper
from app.holes import spread
from app.messages import Text, msg
from app.panes import _results_tables as data
from app.panes._results_state import State
from app.paths import shipped, shipped_card
from app.scene import Amount, Span
from ut_engine import card_stories, card_tables

ALGORITHMIC = ("copy", "reverse", "addition")


@dataclass(frozen=True, slots=True)
class Measured:
    """titles and rows of a small table, notes below it, bars for the chart: (column of the paper, bar)."""

    titles: tuple[Text, ...] = ()
    rows: tuple[tuple[Span, ...], ...] = ()
    notes: tuple[Text, ...] = ()
    bars: tuple[tuple[int, Amount], ...] = ()


@lru_cache(maxsize=16)
def card_of(name: str) -> str:
    """The card of a shipped checkpoint, "" where there is none."""
    try:
        return shipped_card(name)
    except OSError:
        return ""


def found(state: State) -> Measured:
    """What stands beside the table on screen."""
    if state.table == "algorithmic":
        return _by_length(state)
    if state.table in ("best", "mean"):
        return _by_task(state)
    if state.table == "ponder":
        return _pondered(state)
    return Measured(notes=(state.shown.none,) if state.shown.none else ())


def _cards(state: State, tasks: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """(name, task, card) of the shipped checkpoints and of the user's own that do one of these tasks."""
    for name in tasks:
        if card_of(name):
            yield name, name, card_of(name)
    if state.filed.task in tasks and state.filed.card:
        yield state.filed.name, state.filed.task, state.filed.card


def _by_length(state: State) -> Measured:
    inline = paper.tables()["other_inline_numbers"]
    test = int(inline["algorithmic_test_length"])
    rows, bars = [], []
    for name, task, card in _cards(state, ALGORITHMIC):
        for row in card_tables.tables(card).get(card_tables.OWN, ()):
            shares = f"{row.symbols:.3f}", f"{row.whole:.3f}"
            rows.append(tuple(map(Span, (name, task, str(row.length), str(row.strings), *shares))))
            if row.length == test:
                place = 2 * ALGORITHMIC.index(task)
                for k, share in ((place, row.symbols), (place + 1, row.whole)):
                    bars.append((k, _bar(name, share, data.TABLES[0].columns[k].digits)))
    titles: tuple[Text, ...] = (
        msg("checkpoint"),
        msg("task"),
        msg("length"),
        msg("strings"),
        msg("symbols"),
        msg("whole"),
    )
    notes: tuple[Text, ...] = (
        msg(
            "Another set-up: trained on at most 20 digits instead of {train} symbols, and it takes as "
            "many steps as there are "
            "positions.",
            train=int(inline["algorithmic_train_length"]),
        ),
        msg("Copy and reverse have a training plan, but no recipe that solves them was found here."),
    )
    return Measured(titles, tuple(rows), notes, tuple(bars))


def _bar(name: str, share: float, digits: int) -> Amount:
    return Amount(name, ((msg("share"), share, "running"),), f"{share:.{digits}f}", source="measured")


def _by_task(state: State) -> Measured:
    """Official test files of the tasks that the checkpoint knows."""
    rows = []
    for name, _, card in _cards(state, ("babi",)):
        for row in card_stories.tables(card).get(card_stories.OFFICIAL, ()):
            error = (1 - row.accuracy) * 100
            rows.append(
                (
                    Span(name),
                    *(
                        Span(cell)
                        for cell in (
                            row.task.removeprefix("qa"),
                            str(row.n),
                            f"{error:.1f}",
                            str(row.cropped),
                        )
                    ),
                )
            )
    titles: tuple[Text, ...] = (
        msg("checkpoint"),
        msg("task"),
        msg("questions"),
        msg("error in %"),
        msg("cropped stories"),
    )
    notes = (
        msg(
            "Official test files, but trained on generated stories only, so neither 10K nor 1K, neither "
            "single nor joint. Stories "
            "longer than 40 facts are cropped to the newest."
        ),
    )
    return Measured(titles, tuple(rows), notes if rows else ())


def _pondered(state: State) -> Measured:
    rows: list[tuple[Span, ...]] = []
    bars: list[tuple[int, Amount]] = []
    for name, _, card in _cards(state, ("babi",)):
        for place, row in enumerate(card_stories.tables(card).get(card_stories.GENERATED, ()), 1):
            rows.append(_ponder_row(name, str(place), row.n, row.ponder, row.question))
            bars.append((0, _ponder_bar(f"{place} · {name}", row.ponder)))
    for path, name in ((str(shipped().get("babi", "")), "babi"), (state.filed.path, state.filed.name)):
        for place, task in enumerate(state.reports.get(path, {}).get("per_task", ()), 1):
            whole, own = (
                (float(task[f"{one}_mean"]), float(task[f"{one}_std"]))
                for one in ("ponder", "question_ponder")
            )
            named = msg("{name}, recomputed", name=name)
            rows.append(_ponder_row(named, str(place), int(task["n"]), whole, own))
    titles: tuple[Text, ...] = (
        msg("checkpoint"),
        msg("facts"),
        msg("stories"),
        msg("N, all positions"),
        msg("N, question"),
    )
    notes = (
        msg(
            "N is the number of updates; halted states go on, as in Listing 2. Other stories, "
            "another size, another ponder weight."
        ),
    )
    return Measured(titles, tuple(rows), notes if rows else (), tuple(bars))


def _ponder_row(
    name: Text, place: str, n: int, whole: tuple[float, float], own: tuple[float, float]
) -> tuple[Span, ...]:
    cells = (place, str(n), spread(*whole), spread(*own))
    return (Span(name), *(Span(cell) for cell in cells))


def _ponder_bar(name: str, pair: tuple[float, float]) -> Amount:
    mean, deviation = pair
    return Amount(
        name,
        (("N", mean, "running"),),
        spread(mean, deviation),
        mean - deviation,
        mean + deviation,
        "measured",
    )

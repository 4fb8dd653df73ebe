"""Figures by length are read back from the cards of the shipped checkpoints."""

from __future__ import annotations

import pytest

from app.paths import shipped
from ut_engine import card_stories
from ut_engine.card_tables import OWN, CardRow, tables


def card(name: str) -> str:
    return (shipped()[name] / "card.md").read_text("utf-8")


def test_the_rows_of_a_card_are_read() -> None:
    found = tables(card("parity-transformer"))
    assert [row.length for row in found[OWN]] == [20, 40, 80, 200]
    assert found[OWN][0].below is None
    assert found[OWN][1].below is not None
    assert all(0 <= row.symbols <= 1 and 0 <= row.whole <= 1 for row in found[OWN])
    assert len(found) > 1  # other seeds


@pytest.mark.parametrize("name", ["parity-ut", "parity-lstm", "parity-act", "scan"])
def test_every_parity_card_has_its_own_table(name: str) -> None:
    assert tables(card(name))[OWN]


def test_other_tables_are_left_out() -> None:
    text = (
        "# x\n\n## Facts\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## By length\n\n"
        "| length | strings | symbols | whole | first below .99 | steps | N |\n|--|--|--|--|--|--|--|\n"
        "| 20 | 5 | 0.500 | 0.000 | – | 6 | 6 |\n"
    )
    assert tables(text) == {OWN: (CardRow(20, 5, 0.5, 0.0, None, 6),)}
    assert tables("") == {}


@pytest.mark.parametrize("figure", ["many", "", "²"])
def test_a_table_with_a_figure_that_is_none_is_left_out(figure: str) -> None:
    good = card("parity-lstm")
    line = next(line for line in good.splitlines() if line.startswith("| 20 |"))
    wrong = good.replace(line, line.replace("| 20 |", f"| {figure} |", 1), 1)
    assert tables(wrong) == {title: rows for title, rows in tables(good).items() if title != OWN}


def test_a_table_of_stories_edited_by_hand_is_left_out_too() -> None:
    good = card("babi")
    found = card_stories.tables(good)
    line = next(line for line in good.splitlines() if line.startswith("| 1 fact |"))
    wrong = card_stories.tables(good.replace(line, line.replace(line.split("|")[3], " most "), 1))
    assert wrong == {title: rows for title, rows in found.items() if title != card_stories.GENERATED}

"""The figures of a bAbI checkpoint's card, read back."""

from __future__ import annotations

import math

import pytest

from app.paths import shipped
from ut_engine.card_stories import ENTROPY, GENERATED, OFFICIAL, RUNNING, SAME, tables

CARD = (shipped()["babi"] / "card.md").read_text("utf-8")


def test_every_set_of_stories_is_read() -> None:
    found = tables(CARD)
    assert list(found)[:3] == [GENERATED, SAME, OFFICIAL]
    assert [row.task for row in found[GENERATED]] == ["1 fact", "2 facts", "3 facts"]
    assert [row.task for row in found[OFFICIAL]] == ["qa1", "qa2", "qa3"]
    assert found[OFFICIAL][2].cropped == 527


def test_every_figure_read_stands_in_the_card() -> None:
    for row in tables(CARD)[GENERATED]:
        line = f"| {row.task} | {row.n} | {row.accuracy:.3f} | {row.ponder[0]:.2f} ± {row.ponder[1]:.2f} "
        assert line + f"| {row.question[0]:.2f} ± {row.question[1]:.2f} | {row.cropped} |" in CARD
        assert len(row.by_step[ENTROPY]) == len(row.by_step[RUNNING])


def test_the_histogram_of_the_question_s_n_follows_from_who_still_ran() -> None:
    for rows in tables(CARD).values():
        for row in rows:
            counts = row.question_histogram
            assert sum(counts) == row.n
            mean = sum(n * count for n, count in enumerate(counts)) / row.n
            assert mean == pytest.approx(row.question[0], abs=0.006)


def test_other_cards_and_gaps_are_passed_over() -> None:
    assert tables((shipped()["addition"] / "card.md").read_text("utf-8")) == {}
    assert tables("") == {}
    step = CARD.replace("| 1 fact | entropy | 0.32 |", "| 1 fact | entropy | – |", 1)
    assert math.isnan(tables(step)[GENERATED][0].by_step[ENTROPY][0])

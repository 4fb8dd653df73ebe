"""Sorting by a column's head: by value, what is missing last both ways, selections kept."""

from __future__ import annotations

import pytest

from app.messages import msg
from app.scene import Sheet, Span
from app.sorting import Order, amount, heard, places, sorted_sheet, turned


def test_a_head_turns_up_down_and_back() -> None:
    assert turned(None, 2) == Order(2)
    assert turned(Order(2), 2) == Order(2, True)
    assert turned(Order(2, True), 2) is None
    assert turned(Order(2, True), 1) == Order(1)
    assert heard(Order(1), 9, 3) == Order(1)
    assert heard(None, 0, 3) == Order(0)


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1,024", 1024), ("0.5 ± 0.1", 0.5), ("−3 %", -3), ("28.0 ¹", 28), (".5", 0.5), ("6 / 10", 6)],
)
def test_the_number_of_a_cell(cell: str, value: float) -> None:
    assert amount(cell) == value


def test_numbers_sort_as_numbers_and_what_is_missing_is_last() -> None:
    cells = ("10", "–", "9", "1,000", "", "9")
    assert places(cells, False) == (2, 5, 0, 3, 1, 4)
    assert places(cells, True) == (3, 0, 2, 5, 1, 4)


def test_words_sort_as_words_and_messages_by_their_text() -> None:
    assert places(("b2", msg("A {n}", n=1), "–", "10"), False) == (3, 1, 0, 2)


def test_a_number_written_short_is_sorted_by_itself() -> None:
    assert places(("1", "1"), False, (1.04, 1.01)) == (1, 0)


def test_a_sorted_table_keeps_its_selection_and_what_its_rows_tell() -> None:
    rows = tuple((Span(name), Span(cell)) for name, cell in (("a", "3"), ("b", "–"), ("c", "20")))
    sheet = Sheet("s", ("name", "n"), rows, 2, "go", ("A", "B", "C"))
    shown = sorted_sheet(sheet, Order(1, True), "sort")
    assert [row[0].text for row in shown.rows] == ["c", "a", "b"]
    assert (shown.current, shown.values, shown.sort, shown.sorted) == (0, ("C", "A", "B"), "sort", (1, True))
    assert sorted_sheet(sheet, None, "sort").rows == rows
    assert sorted_sheet(sheet, Order(7), "sort").sorted is None

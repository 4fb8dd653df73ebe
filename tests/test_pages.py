"""A column on sheets of paper: cut between its parts, all of it once, headings with what they are over."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.pages import Part, pages

HIGH = 100


def column(heights: list[tuple[int, bool]]) -> list[Part]:
    parts, top = [], 0
    for high, leads in heights:
        parts.append(Part(top, top + high, leads))
        top += high + 10
    return parts


def test_it_is_cut_above_the_part_that_does_not_fit() -> None:
    parts = column([(40, False), (40, False), (40, False)])
    assert pages(parts, 140, HIGH) == [(0, 100), (100, 140)]


def test_a_heading_goes_with_what_follows() -> None:
    parts = column([(40, False), (20, True), (40, False)])
    assert pages(parts, 120, HIGH) == [(0, 50), (50, 120)]


def test_what_is_higher_than_a_page_goes_on_on_the_next() -> None:
    assert pages(column([(250, False)]), 250, HIGH) == [(0, 100), (100, 200), (200, 250)]


def test_one_page_is_enough_for_little() -> None:
    assert pages(column([(40, False)]), 60, HIGH) == [(0, 60)]
    assert pages([], 0, HIGH) == [(0, 0)]


@given(st.lists(st.tuples(st.integers(1, 150), st.booleans()), min_size=1, max_size=30))
def test_every_line_is_on_one_page_and_no_page_is_too_high(heights: list[tuple[int, bool]]) -> None:
    parts = column(heights)
    end = parts[-1].bottom
    found = pages(parts, end, HIGH)
    assert found[0][0] == 0
    assert found[-1][1] == end
    assert all(before[1] == after[0] for before, after in pairwise(found))
    assert all(0 < bottom - top <= HIGH for top, bottom in found)
    for top, cut in found[:-1]:  # only what is higher than a page is cut within
        assert all(part.top <= top for part in parts if part.top < cut < part.bottom)

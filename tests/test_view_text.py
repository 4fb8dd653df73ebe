"""Whole numbers in view states: what is read as one, what is left as usual."""

from __future__ import annotations

import pytest

from app.view import number, whole


@pytest.mark.parametrize("text", [None, "", "-1", "1.5", "²", "٣", " 3", "9" * 10, "9" * 5000])
def test_other_texts_are_no_numbers(text: str | None) -> None:
    assert number(text) is None


def test_numbers_are_kept_within_what_is_allowed() -> None:
    assert number("007") == 7
    assert [whole({"n": text}, "n", 1, 9, 5) for text in ("0", "1", "9", "10", "x")] == [5, 1, 9, 5, 5]
    assert whole({}, "n", 1, 9, 5) == 5

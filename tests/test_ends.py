"""Ends of axes: round, around what is drawn, and steady."""

from __future__ import annotations

import pytest

from app.ends import log_ends, round_ends


@pytest.mark.parametrize(
    ("values", "zero", "ends"),
    [
        ((6.0, 6.1, 10.3), False, (5, 11)),
        ((142, 319), True, (0, 350)),
        ((16, 32), False, (15, 35)),
        ((-0.4, 0.31), False, (-0.5, 0.4)),
        ((5, 5), False, (4.7, 5.3)),
        ((0, 0), True, (0, 0.05)),
    ],
)
def test_round_ends_lie_around_the_values(
    values: tuple[float, ...], zero: bool, ends: tuple[float, float]
) -> None:
    low, high = round_ends(values, zero)
    assert (low, high) == pytest.approx(ends)
    assert low <= min(values)
    assert high >= max(values)


def test_without_room_an_end_may_be_a_value() -> None:
    assert round_ends((0.842, 0.994), room=0.0) == (0.84, 1.0)


def test_log_ends_are_one_two_or_five_times_a_power_of_ten() -> None:
    assert log_ends((26.3, 214.2)) == pytest.approx((10, 500))
    assert log_ends((26.3, 214.2), 1.0, 1.0) == pytest.approx((20, 500))
    assert log_ends((100.0,), 1.0, 1.0) == pytest.approx((100, 100))

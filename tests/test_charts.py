"""Plots and amounts without a window: scales, ticks, thinning, twin tables."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF

from app.qt.marks.axes import apart, dots, precise, share, shares, short, thinned, ticks, value_at
from app.qt.marks.chart_lines import inside
from app.render.tables import twin
from app.scene import Amount, Amounts, Line, Plot, Scale

BOX = QRectF(0, 0, 100, 50)


# ---- scales -----------------------------------------------------------------------------------------------


@given(st.booleans(), st.floats(0.001, 1e6), st.floats(1.01, 1e6), st.floats(0, 1))
def test_a_share_and_its_value_are_each_others_reverse(log: bool, low: float, wide: float, at: float) -> None:
    scale = Scale("", low, low * wide, log)
    assert share(value_at(at, scale), scale) == pytest.approx(at, abs=1e-6)


def test_what_has_no_place_on_a_log_axis_is_undefined() -> None:
    found = shares(np.array([0.0, -1.0, math.nan, 10.0]), Scale("", 1, 100, True))
    assert np.isnan(found[:3]).all()
    assert found[3] == 0.5


@pytest.mark.parametrize(
    ("scale", "most", "texts"),
    [
        (Scale("", 0, 1), 6, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (Scale("", 1, 40), 8, ["5", "10", "15", "20", "25", "30", "35", "40"]),
        (Scale("", -2, 2), 4, ["−2", "−1", "0", "1", "2"]),
        (Scale("", 0, 2000), 4, ["0", "500", "1,000", "1,500", "2,000"]),
        (Scale("", 1e7, 1e9, True), 4, ["10 M", "30 M", "100 M", "300 M", "1 G"]),
        (Scale("", 1e7, 1e9, True), 3, ["10 M", "100 M", "1 G"]),
        (Scale("", 1, 1000, True), 9, ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1,000"]),
        (Scale("", 3, 3), 5, ["3"]),
        (Scale("", 2.1e7, 2.9e7, True), 4, ["22 M", "24 M", "26 M", "28 M"]),  # zoomed
        (Scale("", 24.5, 24.5008, False), 5, ["24.5", "24.5002", "24.5004", "24.5006", "24.5008"]),
        (Scale("", 1000, 1001, False), 2, ["1,000.0", "1,000.5", "1,001.0"]),
    ],
)
def test_ticks_are_round(scale: Scale, most: int, texts: list[str]) -> None:
    assert [tick.text for tick in ticks(scale, most) if tick.text] == texts


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 12))
def test_ticks_lie_on_the_axis_rise_and_are_not_too_many(low: float, wide: float, most: int) -> None:
    found = [tick.at for tick in ticks(Scale("", low, low + wide), most)]
    assert all(-1e-6 <= at <= 1 + 1e-6 for at in found)
    assert found == sorted(found)
    assert len(found) <= most + 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.05, "0.05"),
        (67_280_896, "67.28 M"),
        (12_000, "12 k"),
        (1e-6, "10⁻⁶"),
        (-2.5e-5, "−2.5·10⁻⁵"),
        (-1.5e38, "−1.5·10³⁸"),
        (9e15, "9000 T"),
        (0, "0"),
    ],
)
def test_numbers_of_an_axis_are_short(value: float, text: str) -> None:
    assert short(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (67_280_896, "67,280,896"),
        (0.123456789, "0.12346"),
        (1234.56, "1,234.6"),
        (math.nan, "–"),
        (-3, "−3"),
        (2e38, "2·10³⁸"),
    ],
)
def test_numbers_of_a_readout_are_exact_enough(value: float, text: str) -> None:
    assert precise(value) == text


# ---- thinning ---------------------------------------------------------------------------------------------


def test_a_thinned_line_keeps_every_columns_ends_and_extremes() -> None:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 300, 20_000))
    y = rng.normal(size=20_000)
    fine_x, fine_y = thinned(x, y, 300)
    assert len(fine_x) <= 4 * 301
    assert (np.diff(fine_x) >= 0).all()
    for column in range(300):
        here, kept = y[np.floor(x) == column], fine_y[np.floor(fine_x) == column]
        assert (here.min(), here.max(), here[0], here[-1]) == (kept.min(), kept.max(), kept[0], kept[-1])


def test_gaps_stay_gaps() -> None:
    x = np.linspace(0, 10, 5000)
    y = np.ones(5000)
    y[2000:3000] = math.nan
    fine_x, fine_y = thinned(x, y, 10)
    assert np.isnan(fine_y).sum() == 1
    assert len(list(inside(fine_x, fine_y, BOX))) == 2


def test_short_and_unsorted_lines_are_left_alone() -> None:
    x = np.array([3.0, 1.0] * 4000)
    assert thinned(x, x, 10)[0] is x
    assert thinned(x[:8], x[:8], 10)[0] is not None
    assert len(dots(np.zeros(3), np.zeros(3), 1.0)) == 3
    assert dots(np.zeros(900), np.zeros(900), 1.0).tolist() == [0]


def test_a_line_is_cut_at_the_edges_of_its_box() -> None:
    x, y = np.array([-50.0, 50.0, 150.0]), np.array([25.0, 25.0, 25.0])
    (piece,) = inside(x, y, BOX)
    assert piece.tolist() == [[0.0, 25.0], [50.0, 25.0], [100.0, 25.0]]
    assert list(inside(x, y + 100, BOX)) == []
    high = np.array([25.0, -25.0, 25.0])
    assert [piece[0].tolist() for piece in inside(np.array([0.0, 50.0, 100.0]), high, BOX)] == [
        [0, 25],
        [75, 0],
    ]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=6))
def test_names_move_apart_and_stay_in_order(ys: list[float]) -> None:
    rows = apart(sorted(ys), 14, 0, 100)
    assert all(b - a >= 14 - 1e-9 for a, b in pairwise(rows))
    assert rows[-1] <= 100 + 1e-9


# ---- twins ------------------------------------------------------------------------------------------------


def test_lines_over_one_x_make_one_table_with_error_bars() -> None:
    one = Line(
        "a", np.array([1, 2]), np.array([0.5, 0.25]), low=np.array([0.4, 0.2]), high=np.array([0.6, 0.3])
    )
    other = Line("b", np.array([2, 3]), np.array([7, 8]))
    guide = Line("guide", np.array([0, 9]), np.array([0, 9]), quiet=True)
    found = twin(Plot("p", (one, other, guide), Scale("x", 0, 3), Scale("y", 0, 8)))
    assert found is not None
    titles, rows = found
    assert len(titles) == 5
    assert rows[1] == (2.0, 0.25, 0.2, 0.3, 7.0)
    assert math.isnan(float(str(rows[0][4])))


def test_points_with_words_make_a_row_each() -> None:
    line = Line("models", np.array([4.0, 4.0]), np.array([1.0, 2.0]), style="points", labels=("base", "big"))
    found = twin(Plot("p", (line,), Scale("work", 1, 9), Scale("parameters", 0, 3)))
    assert found is not None
    assert found[0][2:] == ("work", "parameters")
    assert found[1] == (("models", "base", 4.0, 1.0), ("models", "big", 4.0, 2.0))


def test_an_empty_plot_says_why() -> None:
    found = twin(Plot("p", (), Scale("x", 0, 1), Scale("y", 0, 1), note="not run yet"))
    assert found is not None
    assert found[1] == (("not run yet",),)


def test_amounts_make_a_row_each_with_whose_figure_it_is() -> None:
    rows = (
        Amount("one", (("a", 1.0, "c1"), ("b", 2.0, "c2")), "3"),
        Amount("two", (("a", 4.0, "c1"),), "4", 3.5, 4.5, "paper", note="± 0.5"),
    )
    found = twin(Amounts("m", rows, heads=((1, "later"),)))
    assert found is not None
    titles, table = found
    assert all(len(row) <= len(titles) for row in table)
    assert table[0][:3] == ("one", 1.0, 2.0)
    assert table[1] == ("later",)
    assert table[2][-3:-1] == (3.5, 4.5)
    assert getattr(table[2][-1], "id", "") == "paper"

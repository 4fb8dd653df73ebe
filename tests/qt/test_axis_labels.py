"""Labels of axes: round numbers, not cut off at an edge, not on a line."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.qt.marks.base import Look
from app.qt.marks.chart import PlotView
from app.qt.marks.lattice import LatticeView
from app.qt.marks.places import counted_from, labelled
from app.qt.theme import Theme
from app.scene import Axis, Lattice, Line, Plot, Rule, Scale, Tone
from tests.qt.drawn import shown

LIGHT = Look(Theme("light"), Translator("en"))


@pytest.mark.parametrize(
    ("count", "every", "always", "first", "numbers"),
    [
        (1000, 76, (999,), 1, [1, *range(100, 901, 100), 1000]),
        (1024, 69, (), 1, [1, *range(100, 1001, 100)]),
        (16, 3, (), 1, [1, 5, 10, 15]),
        (12, 2, (), 1, [1, 3, 5, 7, 9, 11]),
        (40, 4, (6,), 1, [1, 7, 15, 20, 25, 30, 35, 40]),
        (11, 2, (), 0, [0, 2, 4, 6, 8, 10]),
        (5, 1, (), 1, [1, 2, 3, 4, 5]),
        (300, 30, (), 201, [201, 250, 300, 350, 400, 450, 500]),
    ],
)
def test_places_that_are_counted_are_named_by_round_numbers(
    count: int, every: int, always: tuple[int, ...], first: int, numbers: list[int]
) -> None:
    found = labelled(count, every, always, first)
    assert [first + k for k in found] == numbers
    assert all(b - a >= 0.75 * every for a, b in pairwise(found))


def test_counted_are_places_with_numbers_one_after_the_other() -> None:
    assert counted_from(Axis("", ("a", "b"), numbers=(4, 5))) == 4
    assert counted_from(Axis("", ("0", "1", "2"))) == 0
    assert counted_from(Axis("", ("1", "5", "9"), numbers=(1, 5, 9))) is None
    assert counted_from(Axis("", ("the", "cat"))) is None
    assert counted_from(Axis("", ())) is None


@pytest.mark.parametrize("wide", [300, 411, 640])
def test_no_label_of_a_lattice_is_cut_off_at_its_edge(qtbot: QtBot, wide: int) -> None:
    view = LatticeView(LIGHT)
    n = 1024
    axis = Axis("position", tuple(str(k + 1) for k in range(n)), numbers=tuple(range(1, n + 1)))
    rows = Axis("step", ("0", "1"), kind="step")
    mark = Lattice("l", np.zeros((2, n), int), (Tone("a", "ok"),), rows, axis, pinned=n - 1)
    shown(qtbot, view, mark, (wide, 200))
    said: list[tuple[str, QRectF]] = []
    view.write = lambda painter, rect, text, *more, **_: said.append((text, rect))  # type: ignore[method-assign]
    view.grab()
    placed = {text: rect for text, rect in said if text in axis.labels and rect.top() > view.area().bottom()}
    assert "1024" in placed
    for text, rect in placed.items():
        half = view.width_of(text, "small", bold=text == "1024") / 2
        assert rect.center().x() + half <= view.width() + 0.5
    edges = sorted((rect.center().x(), text) for text, rect in placed.items())
    assert all(b[0] - a[0] >= view.px(14) for a, b in pairwise(edges))


# ---- words in a chart -------------------------------------------------------------------------------------


def chart(qtbot: QtBot, plot: Plot, size: tuple[int, int] = (240, 160)) -> tuple[PlotView, dict[str, QRectF]]:
    """A plot on screen, and where its words were written last."""
    view = PlotView(LIGHT)
    shown(qtbot, view, plot, size)
    said: dict[str, QRectF] = {}
    view.write = lambda painter, rect, text, *_, **__: said.update({text: rect})  # type: ignore[method-assign]
    view.grab()
    return view, said


def line(name: str, *y: float, **more: object) -> Line:
    return Line(name, np.arange(1.0, len(y) + 1), np.array(y), "c1", **more)  # type: ignore[arg-type]


X, Y = Scale("x", 1, 8), Scale("y", 0, 1)


def test_the_name_of_a_line_that_ends_before_another_keeps_off_that(qtbot: QtBot) -> None:
    short = line("1 fact", 0.34, 0.29, 0.13, 0.18)
    long = line("2 facts", 0.71, 0.58, 0.38, 0.23, 0.22, 0.3, 0.38, 0.44)
    view, said = chart(qtbot, Plot("p", (short, long), X, Y, legend=False))
    assert not view.crossed(said["1 fact"], view.area())
    assert said["2 facts"].left() >= view.area().right()
    assert view.area().adjusted(-1, -1, 1, 1).contains(said["1 fact"])


def test_a_name_stays_at_its_line_s_end_where_nothing_is_in_the_way(qtbot: QtBot) -> None:
    short, long = line("short", 0.9, 0.9, 0.9), line("long", *(0.1,) * 8)
    view, said = chart(qtbot, Plot("p", (short, long), X, Y, legend=False))
    x, y = view.spots(view.area())[0]
    assert said["short"].left() == pytest.approx(x[-1] + view.px(7))
    assert said["short"].center().y() == pytest.approx(y[-1], abs=1)


def test_a_point_s_label_stands_beside_lines_and_rules(qtbot: QtBot) -> None:
    point = Line("", np.array([4.0]), np.array([0.5]), "c2", "points", labels=("here",))
    rules = Rule("", 0.5), Rule("", 4.0, upright=True)
    view, said = chart(qtbot, Plot("p", (point,), X, Y, rules))
    assert not view.crossed(said["here"], view.area())


def test_where_lines_are_everywhere_a_label_is_written_all_the_same(qtbot: QtBot) -> None:
    many = [line("", *(level / 20,) * 8) for level in range(21)]
    point = Line("", np.array([4.0]), np.array([0.5]), "c2", "points", labels=("here",))
    _, said = chart(qtbot, Plot("p", (*many, point), X, Y))
    assert "here" in said


@pytest.mark.parametrize("below", [False, True])
def test_a_rule_s_words_keep_off_lines_and_the_x_looked_at(qtbot: QtBot, below: bool) -> None:
    rule = Rule("run: 10", 0.5, below=below)
    end = line("", 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.45, 0.55)
    view, said = chart(qtbot, Plot("p", (end,), X, Y, (rule,), here=8.0))
    rect, box = said["run: 10"], view.area()
    assert not view.crossed(rect, box)
    assert rect.right() < box.right() - 1
    level = box.center().y()
    assert min(abs(rect.top() - level), abs(rect.bottom() - level)) <= view.px(2)

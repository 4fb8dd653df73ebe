"""Labels of axes: round numbers, not cut off at an edge, not on a line."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.qt.marks.base import Look, counted_from, labelled
from app.qt.marks.lattice import LatticeView
from app.qt.theme import Theme
from app.scene import Axis, Lattice, Tone
from tests.qt.drawn import shown

LIGHT = Look(Theme("light"), Translator("en"))


@pytest.mark.parametrize(
    ("count", "every", "always", "first", "numbers"),
    [
        (1000, 76, (999,), 1, [1, *range(100, 901, 100), 1000]),
        (1024, 69, (), 1, [1, *range(100, 1001, 100)]),
        (16, 3, (), 1, [1, 5, 10, 15]),
        (12, 2, (), 1, [1, 4, 6, 8, 10, 12]),
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

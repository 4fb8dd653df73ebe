"""Values that are no numbers: hatched in every map, said under the pointer, written in table and file."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.holes import figure, holes, largest
from app.messages import Translator
from app.qt import twin as twins
from app.qt.marks.arcs import ArcsView
from app.qt.marks.base import Look, Painted, map_image, quantised
from app.qt.marks.cells import CellsView
from app.qt.marks.film import FilmView
from app.qt.marks.heatmap import HeatmapView
from app.qt.marks.holed import Holed, hole_rects
from app.qt.marks.lattice import LatticeView
from app.qt.theme import Theme
from app.render.csv import to_csv
from app.render.tables import twin
from app.scene import Arcs, Axis, Cell, Cells, Film, Heatmap, Lattice, Scene, Tone
from tests import svgs
from tests.qt.drawn import picture, shown

LIGHT = Look(Theme("light"), Translator("en"))
KOREAN = Look(Theme("light"), Translator("ko"))
SIZE = 8
AXIS = Axis("position", tuple("abcdefgh"), numbers=tuple(range(1, 9)))
SOUND = np.linspace(0.0, 1.0, SIZE * SIZE, dtype=np.float32).reshape(SIZE, SIZE)


def with_hole(value: float = math.nan, row: int = 2, col: int = 3) -> np.ndarray:
    values = SOUND.copy()
    values[row, col] = value
    return values


def film(values: np.ndarray) -> Film:
    return Film("film", (values, None), ("t = 1", "t = 2"), ((), ()), (1, 2), 0, 1)


def lattice(shades: np.ndarray) -> Lattice:
    tones = np.zeros((SIZE, SIZE), int)
    return Lattice("lattice", tones, (Tone("kind", "running"),), AXIS, AXIS, shades=shades, values=shades)


MARKS: dict[type[Holed], Any] = {
    HeatmapView: lambda values: Heatmap("map", values, AXIS, AXIS),
    FilmView: film,
    ArcsView: lambda values: Arcs("arcs", values, AXIS, AXIS),
    LatticeView: lattice,
}


def middle(view: Any) -> QPointF:
    """Of what is hatched for the value in row 2, column 3."""
    if isinstance(view, HeatmapView):
        return view.cell_rect(2, 3, view.geometry_of()).center()
    if isinstance(view, FilmView):
        rect = view.frames()[0]
        return QPointF(rect.left() + 3.5 / SIZE * rect.width(), rect.top() + 2.5 / SIZE * rect.height())
    if isinstance(view, ArcsView):
        box = view.area()
        return QPointF(box.left() + 10, view.y_of(AXIS, 2, box))
    return QRectF(view.cell_rect(2, 3)).center()


def hatched(view: Painted, spot: QPointF) -> bool:
    """Whether the ground of the hatch and a stroke over it are near a point."""
    image, wanted = picture(view), view.color("hatch_bg").name()
    near = [
        image.pixelColor(spot.toPoint() + QPoint(x, y)).name() for x in range(-4, 5) for y in range(-4, 5)
    ]
    return wanted in near and len(set(near)) > 1


@pytest.mark.parametrize("view", MARKS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_it_is_hatched_and_said_under_the_pointer(
    qtbot: QtBot, view: type[Holed], value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda where, text, *_: told.append(text))
    one = view(LIGHT)
    shown(qtbot, one, MARKS[view](with_hole(value)))
    spot = middle(one)
    assert hatched(one, spot)
    one.show_mark(MARKS[view](SOUND))
    assert not hatched(one, spot)
    for mark in (MARKS[view](SOUND), MARKS[view](with_hole(value))):
        one.show_mark(mark)
        where = spot.toPoint()
        QApplication.sendEvent(one, QHelpEvent(QHelpEvent.Type.ToolTip, where, one.mapToGlobal(where)))
    sign = {math.inf: "∞", -math.inf: "−∞"}.get(value, "NaN")
    assert told == [f"not a number ({sign})"]
    one.restyle(KOREAN)
    QApplication.sendEvent(one, QHelpEvent(QHelpEvent.Type.ToolTip, where, one.mapToGlobal(where)))
    assert told[1] == f"수가 아님({sign})"


@pytest.mark.parametrize("view", MARKS)
def test_a_map_without_any_number_is_drawn_and_can_be_walked(qtbot: QtBot, view: type[Holed]) -> None:
    one = view(LIGHT)
    shown(qtbot, one, MARKS[view](np.full((SIZE, SIZE), np.nan, np.float32)))
    one.grab()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(one, key)
    assert one.hole_at(middle(one)) is not None
    assert one.hole_at(QPointF(-5, -5)) is None


def test_what_was_not_computed_is_not_called_a_number_that_is_none(qtbot: QtBot) -> None:
    absent = tuple(row == 2 for row in range(SIZE))
    for view in (HeatmapView, ArcsView):
        one = view(LIGHT)
        shown(qtbot, one, replace(MARKS[view](with_hole()), absent=absent))
        assert one.hole_at(middle(one)) is None
    below = lattice(with_hole())
    tones = below.tones.copy()
    tones[2, 3] = -1
    two = LatticeView(LIGHT)
    shown(qtbot, two, replace(below, tones=tones))
    assert two.hole_at(middle(two)) is None


def test_a_cell_wide_enough_says_it_in_letters(qtbot: QtBot) -> None:
    view = HeatmapView(LIGHT)
    shown(qtbot, view, MARKS[HeatmapView](with_hole()), (900, 600))
    assert "NaN" in {text.text for text in svgs.texts(svgs.drawn(view))}


def test_a_large_map_is_hatched_in_blocks_that_can_be_seen() -> None:
    flags = np.zeros((2000, 2000), bool)
    flags[::2, ::2] = True
    assert len(hole_rects(flags, QRectF(0, 0, 500, 400), 6.0)) == 1  # every block has one: they join
    flags[:] = False
    flags[7, 1990] = True
    rects = hole_rects(flags, QRectF(0, 0, 500, 400), 6.0)
    assert len(rects) == 1
    assert min(rects[0].width(), rects[0].height()) >= 6
    assert rects[0].contains(QPointF(1990.5 / 4, 7.5 / 5))


def test_a_cell_whose_weight_is_no_number(qtbot: QtBot) -> None:
    view = CellsView(LIGHT)
    made = [Cells("cells", ((Cell("a", "NaN", fill),),), ("t = 1",)) for fill in (0.0, math.nan)]
    shown(qtbot, view, made[0])
    plain = picture(view)
    view.show_mark(made[1])
    assert picture(view) != plain


def test_tables_and_files_say_it() -> None:
    values = with_hole()
    values[2, 4] = math.inf
    heat = MARKS[HeatmapView](values)
    table = twin(heat)
    assert table is not None
    row = table[1][2]
    assert [twins.said(cell, LIGHT) for cell in row[4:6]] == ["NaN", "∞"]
    line = to_csv(Scene(heat, "t", "alt"), Translator("en")).decode().split("\r\n")[3]
    assert line.split(",")[4:6] == ["NaN", "inf"]
    cells = twin(lattice(with_hole()))
    assert cells is not None
    assert cells[1][2][4] == "NaN"
    frames = twin(film(with_hole()))
    assert frames is not None
    assert "no numbers" in twins.said(frames[1][0][1], LIGHT)
    sound = twin(film(SOUND))
    assert sound is not None
    assert twins.said(sound[1][0][1], LIGHT) == "computed"


def test_numbers_cost_one_look() -> None:
    assert holes(SOUND) is None
    assert holes(np.zeros((2, 2), np.uint8)) is None
    assert np.argwhere(holes(with_hole())).tolist() == [[2, 3]]  # type: ignore[arg-type]
    assert largest(np.array([math.nan, 0.5, math.inf, 0.7])) == 3
    assert largest(np.array([math.nan])) == 0
    assert (figure(1.25, ".1f"), figure(math.nan, ".1f"), figure(-math.inf, ",.0f")) == ("1.2", "NaN", "−∞")


def test_colours_of_what_float32_cannot_hold() -> None:
    """No warning (they are errors here), and finite maps come out as before."""
    wild = np.array([[1e300, -1e300, math.nan, math.inf, -math.inf, 3e38]])
    assert quantised(wild).tolist() == [[255, 0, 0, 255, 0, 255]]
    table = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    assert map_image(quantised(SOUND), table).size().toTuple() == (SIZE, SIZE)
    assert (quantised(SOUND) == np.rint(SOUND * np.float32(255))).all()

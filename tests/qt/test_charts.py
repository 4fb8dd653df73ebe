"""Plots and amounts on screen: where things are, what pointer and keys tell, what is painted, how fast."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QByteArray, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.palette import CATEGORIES
from app.pane import Event
from app.qt.marks.amounts import AmountsView
from app.qt.marks.base import Look
from app.qt.marks.chart import PlotView
from app.qt.theme import Theme
from app.scene import Amount, Amounts, Line, Plot, Rule, Scale
from tests.qt.drawn import picture, shown

LIGHT, DARK, LARGE = (
    Look(Theme(name, scale), Translator("en"))
    for name, scale in (("light", 1.0), ("dark", 1.0), ("light", 2.0))
)
LEFT = Qt.MouseButton.LeftButton
X = np.arange(1.0, 41.0)
PLOT = Plot(
    "plot", (Line("up", X, X / 40, "c1"), Line("down", X, 1 - X / 40, "c2", "dashed")), Scale("x", 1, 40),
    Scale("y", 0, 1), here=12.0, event="look", hover="over", alt="two lines",
)  # fmt: skip
POINTS = Plot(
    "points", (Line("models", np.array([1e7, 1e8, 1e8]), np.array([3e7, 3e7, 3e8]), "c1", "points",
                    labels=("base", "small", "big")),), Scale("work", 5e6, 5e8, True),
    Scale("parameters", 1e7, 1e9, True), ids=("m",), point_event="take", alt="three points",
)  # fmt: skip


def at(view: PlotView, line: int, point: int) -> QPoint:
    x, y = view.spots(view.area())[line]
    return QPointF(float(x[point]), float(y[point])).toPoint()


# ---- plots ------------------------------------------------------------------------------------------------


def test_the_pointer_reads_the_nearest_point_and_tells_its_x_once(qtbot: QtBot) -> None:
    view = PlotView(LIGHT)
    told = shown(qtbot, view, PLOT, (520, 300))
    spot = at(view, 0, 20)
    for dx in (0, 1, 2):
        qtbot.mouseMove(view, spot + QPoint(dx, 0))
    assert told == [Event("over", 21.0)]
    assert view.readout(view._cursor or (9, 9)) == [  # type: ignore[comparison-overlap]
        ("dim", "x", "21"), ("c1", "up", "0.525"), ("c2", "down", "0.475"),
    ]  # fmt: skip
    before = picture(view)
    view._look_at(None)
    assert told[-1] == Event("over", None)
    assert picture(view) != before


def test_a_click_and_the_arrows_tell_an_x_of_the_data(qtbot: QtBot) -> None:
    view = PlotView(LIGHT)
    told = shown(qtbot, view, replace(PLOT, hover=""), (520, 300))
    qtbot.mouseClick(view, LEFT, pos=at(view, 1, 4) + QPoint(2, 9))
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
        qtbot.keyClick(view, key)
    assert [event.value for event in told] == [5.0, 11.0, 13.0, 1.0, 40.0]
    view.show_mark(replace(view.mark, here=12.5))
    told.clear()
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert [event.value for event in told] == [12.0, 13.0]


def test_points_are_chosen_by_click_and_by_keyboard(qtbot: QtBot) -> None:
    view = PlotView(LIGHT)
    told = shown(qtbot, view, POINTS, (520, 320))
    qtbot.mouseClick(view, LEFT, pos=at(view, 0, 2))
    assert told == [Event("take", ("m", 2))]
    qtbot.mouseClick(view, LEFT, pos=at(view, 0, 0) + QPoint(150, -90))  # nothing is near
    assert len(told) == 1
    view._look_at(None)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Return):
        qtbot.keyClick(view, key)
    assert told[-1] == Event("take", ("m", 1))


@pytest.mark.parametrize("look", [LIGHT, DARK, LARGE])
def test_words_beside_points_never_meet(qtbot: QtBot, look: Look) -> None:
    view = PlotView(look)
    rng = np.random.default_rng(3)
    x, y = rng.uniform(1, 9, 12), rng.uniform(1, 9, 12)
    line = Line("", x, y, "c3", "points", labels=tuple(f"model {k}" for k in range(12)))
    shown(qtbot, view, Plot("p", (line,), Scale("x", 0, 10), Scale("y", 0, 10), alt="p"), (560, 380))
    box = view.area()
    taken: list[QRectF] = [view._around(*one) for one in zip(*view.spots(box)[0], strict=True)]
    for label, px, py in [(text, a, b) for _, text, a, b in view._labelled(box)]:
        rect = view._free(label, px, py, box, taken)
        if rect is not None:
            assert not any(rect.intersects(other) for other in taken)
            assert QRectF(view.rect()).contains(rect)
            taken.append(rect)
    assert len(taken) > 12 + 6


@pytest.mark.parametrize("look", [LIGHT, LARGE])
@pytest.mark.parametrize("legend", [True, False])
def test_nothing_stands_outside_the_widget(qtbot: QtBot, look: Look, legend: bool) -> None:
    view = PlotView(look)
    shown(
        qtbot,
        view,
        replace(PLOT, legend=legend, rules=(Rule("chance", 0.1), Rule("here", 20, True))),
        (420, 300),
    )
    box = view.area()
    assert QRectF(view.rect()).contains(box)
    assert box.width() > 100
    assert box.height() > 100
    here = view._here_rect(box)
    assert here is not None
    assert QRectF(view.rect()).contains(here)


@pytest.mark.parametrize("style", ["line", "dashed", "points", "bars", "steps"])
@pytest.mark.parametrize("sign", ["dot", "ring", "square", "diamond"])
def test_every_style_and_sign_is_painted_with_and_without_numbers(
    qtbot: QtBot, style: str, sign: str
) -> None:
    view = PlotView(DARK)
    y = X / 40
    y[5:9] = np.nan
    line = Line("a", X, y, "c4", style, y - 0.1, y + 0.1, sign=sign)
    shown(qtbot, view, replace(PLOT, lines=(line,), here=None), (400, 240))
    drawn = picture(view)
    view.show_mark(replace(view.mark, lines=(replace(line, y=np.full(40, np.nan)),)))
    assert picture(view) != drawn
    view.show_mark(replace(view.mark, lines=(), note="nothing yet"))
    assert view.nearest(QPointF(200, 120)) is None
    picture(view)
    qtbot.keyClick(view, Qt.Key.Key_Right)


def test_lines_of_many_points_are_painted_as_fast_as_the_screen(qtbot: QtBot) -> None:
    """20,000 points take no longer than the pixels they fall on."""
    view = PlotView(LIGHT)
    x = np.arange(20_000.0)
    many = replace(
        PLOT, x=Scale("x", 0, 20_000), here=None, lines=(Line("a", x, np.sin(x / 900) / 2 + 0.5, "c1"),)
    )
    shown(qtbot, view, many, (900, 400))
    picture(view)
    best = min(_seconds(view) for _ in range(5))
    few = replace(many, lines=(replace(many.lines[0], x=x[::20], y=many.lines[0].y[::20]),))
    view.show_mark(few)
    picture(view)
    assert best < 0.033 + 4 * min(_seconds(view) for _ in range(5))


def _seconds(view: PlotView) -> float:
    started = time.perf_counter()
    view.grab()
    return time.perf_counter() - started


def test_an_exported_plot_keeps_its_words_and_stays_in_its_box(qtbot: QtBot) -> None:
    view = PlotView(LIGHT)
    shown(qtbot, view, replace(PLOT, x=Scale("x", 5, 30), rules=(Rule("chance", 0.1),)), (420, 260))
    data = QByteArray()
    buffer = QBuffer(data)
    made = QSvgGenerator()
    made.setOutputDevice(buffer)
    painter = QPainter(made)
    view.render(painter, QPoint(0, 0))
    painter.end()
    svg = bytes(data.data()).decode()
    assert "chance" in svg
    assert ">12<" in svg


# ---- amounts ----------------------------------------------------------------------------------------------

ROWS = (
    Amount("Transformer base", (("embedding", 2.0, "c1"), ("blocks", 4.0, "c2")), "6.00", note="× 1"),
    Amount("ACT", (("", 3.0, "c1"),), "3.00", 2.0, 4.0, "paper", strong=True),
    Amount("ACT", (("", 3.0, "c1"),), "3.00", 2.0, 4.0, "measured"),
    Amount("unknown", (("", float("nan"), "c1"),), "–"),
)
AMOUNTS = Amounts("amounts", ROWS, event="take", values=(5, 6, 7, 8), heads=((1, "ponder time"),), alt="bars")


def test_bars_stand_on_one_scale_and_values_right(qtbot: QtBot) -> None:
    view = AmountsView(LIGHT)
    shown(qtbot, view, AMOUNTS, (560, 240))
    assert view.most() == 6.0
    lefts = {view.bar_rect(row).left() for row in range(4)}
    assert len(lefts) == 1
    assert not view.places().folded
    assert view.row_rect(3).bottom() < view.height()
    assert view.row_rect(1).top() - view.row_rect(0).bottom() >= view.px(20)  # its title


def test_a_figure_of_the_paper_is_drawn_apart_from_ones_own(qtbot: QtBot) -> None:
    view = AmountsView(LIGHT)
    shown(qtbot, view, replace(AMOUNTS, rows=tuple(replace(row, strong=False) for row in ROWS)), (560, 240))
    image = picture(view)
    inside = []
    for row in (1, 2):
        bar = view.bar_rect(row)
        inside.append(image.pixelColor(round(bar.left() + bar.width() * 0.1), round(bar.center().y())).name())
    assert inside[1] == LIGHT.theme.color("c1").name()
    assert inside[0] != inside[1]
    assert "paper" in view.tip(1)
    assert "measured here" in view.tip(2)


def test_rows_are_chosen_by_click_and_by_keyboard(qtbot: QtBot) -> None:
    view = AmountsView(LIGHT)
    told = shown(qtbot, view, AMOUNTS, (560, 240))
    qtbot.mouseClick(view, LEFT, pos=view.row_rect(2).center().toPoint())
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert told == [Event("take", 7), Event("take", 5)]


@pytest.mark.parametrize("look", [LIGHT, DARK, LARGE])
@pytest.mark.parametrize("width", [240, 400, 800])
def test_words_above_the_bars_where_there_is_no_room_beside_them(
    qtbot: QtBot, look: Look, width: int
) -> None:
    view = AmountsView(look)
    shown(qtbot, view, replace(AMOUNTS, mark=(3.0, "half")), (width, 600))
    assert view.bar_rect(0).width() >= view.px(80)
    assert view.places().folded == (width < view.px(400))
    assert view.row_rect(3).bottom() <= view.minimumHeight()
    for row in range(4):
        assert QRectF(view.rect()).contains(view.bar_rect(row))
    picture(view)


def test_another_number_of_rows_asks_for_another_height(qtbot: QtBot) -> None:
    view = AmountsView(LIGHT)
    shown(qtbot, view, AMOUNTS, (560, 240))
    high = view.minimumHeight()
    view.show_mark(replace(AMOUNTS, rows=(*ROWS, *ROWS)))
    assert view.minimumHeight() == high + 4 * view.px(24)


def test_the_legend_names_every_part_once(qtbot: QtBot) -> None:
    view = AmountsView(LIGHT)
    shown(qtbot, view, AMOUNTS, (560, 240))
    assert [[name for name, _ in row] for row in view._legend_rows()] == [["embedding", "blocks"]]
    parts = tuple((f"a rather long name {k}", 1.0, role) for k, role in enumerate(CATEGORIES))
    view.show_mark(replace(AMOUNTS, rows=(Amount("all", parts, "6"),), heads=()))
    assert len(view._legend_rows()) > 1
    assert sum(map(len, view._legend_rows())) == 6

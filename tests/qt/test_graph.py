"""Block diagrams on screen: places, arrows, what a click and the keys tell, raised and lowered letters."""

from __future__ import annotations

import math
from typing import Any

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from pytestqt.qtbot import QtBot

from app.messages import Translator, msg
from app.pane import Event
from app.qt.marks.base import Look
from app.qt.marks.graph import GraphView
from app.qt.marks.graph_shapes import corners, edge, head, pieces
from app.qt.theme import Theme
from app.render.tables import twin
from app.scene import Box, Graph, Wire
from tests.qt import drawn

LOOK = Look(Theme("light"), Translator("en"))
BOXES = (
    Box("loop", "repeated", 150, 150, 280, 280, "frame"),
    Box("in", "H^{t-1}", 150, 260, 80, 30, "tensor", value="in"),
    Box("sum", "+", 150, 200, 24, 24, "sum"),
    Box("left", "Attention", 80, 120, 100, 40, badge="1", value="left", tip=msg("in words")),
    Box("right", "Norm", 220, 120, 100, 40, value="right"),
    Box("word", "said", 150, 60, 60, 20, "text"),
)
WIRES = (
    Wire("in", "sum"),
    Wire("sum", "left", "to the left", through=((80, 200),)),
    Wire("sum", "right", dashed=True, through=((220, 200),)),
)


def graph(**more: Any) -> Graph:
    return Graph("g", BOXES, WIRES, 300, 300, event="chosen", **more)


def shown(qtbot: QtBot, mark: Graph, size: tuple[int, int] = (300, 300)) -> tuple[GraphView, list[Event]]:
    view = GraphView(LOOK)
    return view, drawn.shown(qtbot, view, mark, size)


@pytest.mark.parametrize("size", [(300, 300), (600, 300), (300, 900), (2000, 1600)])
def test_a_graph_keeps_its_proportions_and_stands_in_the_middle(qtbot: QtBot, size: tuple[int, int]) -> None:
    view, _ = shown(qtbot, graph(), size)
    rect = view.box_rect("loop")
    assert math.isclose(rect.width(), rect.height(), rel_tol=1e-9)
    assert math.isclose(rect.center().x(), size[0] / 2, abs_tol=1e-6)
    assert math.isclose(rect.center().y(), size[1] / 2, abs_tol=1e-6)
    assert rect.width() <= 280 * 1.45 + 1e-6


def test_arrows_end_at_the_edges_of_their_boxes(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, graph())
    boxes = {box.id: box for box in BOXES}
    points = corners(WIRES[1], boxes, view.frame_of())
    assert points[0].toTuple() == pytest.approx((138, 200))  # a circle of radius 12
    assert points[-1].toTuple() == pytest.approx((80, 140))  # the lower edge of the box
    tip, one, other = head(points, 8)
    assert tip == points[-1]
    assert one.y() > tip.y() < other.y()
    assert edge(QRectF(0, 0, 10, 10), QPointF(5, 5), QPointF(5, 5), False) == QPointF(5, 5)


def test_a_click_tells_the_box_s_value_and_a_box_without_one_tells_nothing(qtbot: QtBot) -> None:
    view, told = shown(qtbot, graph())
    for name in ("left", "word", "loop", "in"):
        where = view.box_rect(name).center().toPoint()
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=where)
    assert told == [Event("chosen", "left"), Event("chosen", "in")]


def test_arrows_move_to_the_next_box_and_enter_chooses(qtbot: QtBot) -> None:
    view, told = shown(qtbot, graph())
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Return, Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Right,
                Qt.Key.Key_Space, Qt.Key.Key_Down, Qt.Key.Key_Enter):  # fmt: skip
        qtbot.keyClick(view, key)
    values = [event.value for event in told]
    assert values[0] in ("left", "right")
    assert values[1:] == ["right", "right", "in"]


def test_a_graph_that_offers_nothing_is_not_a_stop_of_the_keyboard(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, Graph("g", BOXES, WIRES, 300, 300))
    assert view.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_current_box_and_badge_are_seen(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, graph())
    plain = view.grab().toImage()
    view.show_mark(graph(current="left"))
    strong = view.grab().toImage()
    rect = view.box_rect("left")
    inside = rect.bottomLeft() + QPointF(12, -6)
    assert plain.pixelColor(inside.toPoint()) != strong.pixelColor(inside.toPoint())
    badge = (rect.topRight() + QPointF(3, -5)).toPoint()
    assert strong.pixelColor(badge) == LOOK.theme.color("accent")


def test_raised_and_lowered_parts_are_read_apart() -> None:
    assert pieces("H^{t-1}") == [("H", 0), ("t-1", 1)]
    assert pieces("m × d_{ff} wide") == [("m × d", 0), ("ff", -1), (" wide", 0)]
    assert pieces("plain") == [("plain", 0)]
    assert pieces("") == []


def test_the_table_of_a_graph_follows_its_arrows() -> None:
    found = twin(graph())
    assert found is not None
    _, rows = found
    assert ("+", "", "Attention") in rows
    assert ("+", "", "Norm") in rows
    assert ("Attention", "", "") in rows
    assert len(rows) == 6  # the frame around them is no part


def test_the_table_goes_through_junctions_without_a_name() -> None:
    boxes = (Box("a", "A", 0, 0, 9, 9), Box("j", "", 0, 0, 2, 2, "sum"), Box("b", "B", 0, 0, 9, 9))
    found = twin(Graph("g", boxes, (Wire("a", "j"), Wire("j", "b"), Wire("j", "a")), 9, 9))
    assert found is not None
    assert found[1] == (("A", "", "B"), ("A", "", "A"), ("B", "", ""))

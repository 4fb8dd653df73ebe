"""Where the parts of a graph stand: boxes, arrows cut at their edges, raised and lowered letters."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from app.scene import Box, Graph, Wire

RAISED = re.compile(r"([_^])\{([^}]*)\}")
ROUND = 8.0  # of an arrow's corners
LARGEST = 1.45  # as which a graph is drawn at most


class Frame:
    """A graph on a widget: scale: pixels of a unit; the drawing stands in the middle."""

    def __init__(self, graph: Graph, width: float, height: float, most: float) -> None:
        self.scale = min(width / graph.width, height / graph.height, most * LARGEST)
        self.left = (width - graph.width * self.scale) / 2
        self.top = (height - graph.height * self.scale) / 2

    def point(self, x: float, y: float) -> QPointF:
        return QPointF(self.left + x * self.scale, self.top + y * self.scale)

    def rect(self, box: Box) -> QRectF:
        corner = self.point(box.x - box.width / 2, box.y - box.height / 2)
        return QRectF(corner.x(), corner.y(), box.width * self.scale, box.height * self.scale)


def corners(wire: Wire, boxes: Mapping[str, Box], frame: Frame) -> list[QPointF]:
    """The corners of an arrow, from the edge of one box to that of the other."""
    start, end = boxes[wire.start], boxes[wire.end]
    points = [frame.point(start.x, start.y), *(frame.point(x, y) for x, y in wire.through)]
    points.append(frame.point(end.x, end.y))
    points[0] = edge(frame.rect(start), points[0], points[1], start.style == "sum")
    points[-1] = edge(frame.rect(end), points[-1], points[-2], end.style == "sum")
    return points


def edge(rect: QRectF, middle: QPointF, toward: QPointF, round_: bool) -> QPointF:
    """Where the line from a box's middle towards a point leaves the box."""
    x, y = toward.x() - middle.x(), toward.y() - middle.y()
    length = math.hypot(x, y)
    if length == 0:
        return middle
    if round_:
        share = rect.width() / 2 / length
    else:
        share = min(
            rect.width() / 2 / abs(x) if x else math.inf, rect.height() / 2 / abs(y) if y else math.inf
        )
    share = min(share, 1.0)
    return QPointF(middle.x() + x * share, middle.y() + y * share)


def line_through(points: Sequence[QPointF], radius: float) -> QPainterPath:
    """A line through corners, rounded at each."""
    path = QPainterPath(points[0])
    for k in range(1, len(points) - 1):
        path.lineTo(_towards(points[k], points[k - 1], radius))
        path.quadTo(points[k], _towards(points[k], points[k + 1], radius))
    path.lineTo(points[-1])
    return path


def _towards(start: QPointF, end: QPointF, far: float) -> QPointF:
    """A point at most `far`, and at most half way, from the start to the end."""
    x, y = end.x() - start.x(), end.y() - start.y()
    length = math.hypot(x, y)
    share = min(far / length, 0.5) if length else 0.0
    return QPointF(start.x() + x * share, start.y() + y * share)


def head(points: Sequence[QPointF], size: float) -> list[QPointF]:
    """The three corners of the arrow's head."""
    tip, before = points[-1], points[-2]
    angle = math.atan2(tip.y() - before.y(), tip.x() - before.x())
    sides = [
        QPointF(tip.x() - size * math.cos(angle + turn), tip.y() - size * math.sin(angle + turn))
        for turn in (-0.45, 0.45)
    ]
    return [tip, *sides]


def middle(points: Sequence[QPointF]) -> tuple[QPointF, bool]:
    """The middle of the longest piece of a line, and whether that piece is upright."""
    start, end = max(pairwise(points), key=lambda pair: math.dist(pair[0].toTuple(), pair[1].toTuple()))
    upright = abs(end.x() - start.x()) < abs(end.y() - start.y())
    return QPointF((start.x() + end.x()) / 2, (start.y() + end.y()) / 2), upright


def pieces(text: str) -> list[tuple[str, int]]:
    """(text, 0 on the line, 1 raised, -1 lowered): `H^{t-1}` has a raised part, `d_{ff}` a lowered one."""
    found, place = [], 0
    for match in RAISED.finditer(text):
        if match.start() > place:
            found.append((text[place : match.start()], 0))
        found.append((match[2], 1 if match[1] == "^" else -1))
        place = match.end()
    if place < len(text):
        found.append((text[place:], 0))
    return found

"""Boxes joined by arrows: a block diagram whose parts can be chosen."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip

from app.qt.marks.base import Painted, mixed
from app.qt.marks.equation import draw_badge
from app.qt.marks.graph_shapes import ROUND, Frame, corners, head, line_through, middle, pieces
from app.scene import Box, Graph

TINT = 0.16  # share of a box's role in its ground
LINES = {"math": 20, "body": 17, "small": 16, "tiny": 14}  # px of a line in each size, largest first
READABLE = 0.7  # share of its wanted size below which a graph is not drawn
MOVES = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class GraphView(Painted):
    """Shows a Graph.  Arrows go to the next box that can be chosen, Enter does what a click does."""

    mark: Graph
    _focused = ""
    _hovered = ""

    # ---- places -----------------------------------------------------------------------------------------

    def minimumSizeHint(self) -> QSize:
        if self.mark is None:
            return super().minimumSizeHint()
        return QSize(self.px(self.mark.width * READABLE), self.px(self.mark.height * READABLE))

    def sizeHint(self) -> QSize:
        if self.mark is None:
            return super().sizeHint()
        return QSize(self.px(self.mark.width), self.px(self.mark.height))

    def frame_of(self) -> Frame:
        return Frame(self.mark, self.width(), self.height(), self.look.theme.scale)

    def box_rect(self, name: str) -> QRectF:
        """Where a box stands on the widget; KeyError for one there is not."""
        return self.frame_of().rect({box.id: box for box in self.mark.boxes}[name])

    def box_at(self, point: QPointF) -> Box | None:
        """The box under a point: the last drawn."""
        frame = self.frame_of()
        for box in reversed(self.mark.boxes):
            if (box.value is not None or box.tip) and frame.rect(box).contains(point):
                return box
        return None

    def chosen_from(self) -> list[Box]:
        return [box for box in self.mark.boxes if box.value is not None] if self.mark.event else []

    def refresh(self) -> None:
        there = {box.id for box in self.mark.boxes}
        self._hovered = self._hovered if self._hovered in there else ""
        if self.mark.current:
            self._focused = self.mark.current
        elif self._focused not in there:
            self._focused = next((box.id for box in self.chosen_from()), "")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if self.chosen_from() else Qt.FocusPolicy.NoFocus)
        super().refresh()

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        frame = self.frame_of()
        boxes = {box.id: box for box in self.mark.boxes}
        for box in self.mark.boxes:
            if box.style == "frame":
                self._draw_frame(painter, box, frame.rect(box))
        lines = [(wire, corners(wire, boxes, frame)) for wire in self.mark.wires]
        for wire, points in lines:
            self._draw_wire(painter, points, wire.role, wire.dashed, wire.arrow, frame.scale)
        for box in self.mark.boxes:
            if box.style != "frame":
                self._draw_box(painter, box, frame.rect(box))
        for wire, points in lines:
            if wire.text:
                self._draw_word(painter, points, self.look.text(wire.text), wire.role)
        for box in self.mark.boxes:
            if box.badge:
                corner = frame.rect(box).topRight()
                centre = QPointF(corner.x() - self.px(2), corner.y() + self.px(1))
                draw_badge(self, painter, centre, box.badge, box.id == self.mark.current)

    def _draw_frame(self, painter: QPainter, box: Box, rect: QRectF) -> None:
        """A dashed frame around what belongs together, its name at the top left."""
        pen = QPen(self.color(box.role), self.px(1.5))
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect, self.px(10), self.px(10))
        where = rect.adjusted(self.px(10), self.px(4), -self.px(10), 0)
        where.setHeight(self.px(18))
        text = self.look.text(box.text)
        self._write(painter, where, text, box.role, "small", True, Qt.AlignmentFlag.AlignLeft)
        note = self.look.text(box.note)
        used = self._wide(text, "small", True) + self.px(8)
        self._write(painter, where.adjusted(used, 0, 0, 0), note, "dim", "small", False,
                    Qt.AlignmentFlag.AlignLeft)  # fmt: skip

    def _draw_wire(
        self, painter: QPainter, points: list[QPointF], role: str, dashed: bool, arrow: bool, scale: float
    ) -> None:
        color = self.color(role)
        pen = QPen(color, self.px(1.6))
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        if dashed:
            pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(line_through(points, ROUND * scale))
        if arrow:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawPolygon(QPolygonF(head(points, self.px(8))))

    def _draw_word(self, painter: QPainter, points: list[QPointF], text: str, role: str) -> None:
        where, upright = middle(points)
        wide, high = self._wide(text, "tiny", False) + self.px(6), self.px(16)
        rect = QRectF(where.x() - wide / 2, where.y() - high / 2, wide, high)
        if not upright:
            rect.translate(0, -high * 0.55)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color("panel"))
        painter.drawRoundedRect(rect, self.px(3), self.px(3))
        role = "dim" if role == "faint" else role
        self._write(painter, rect, text, role, "tiny", False, Qt.AlignmentFlag.AlignHCenter)

    def _draw_box(self, painter: QPainter, box: Box, rect: QRectF) -> None:
        current, focused = box.id == self.mark.current, self.hasFocus() and box.id == self._focused
        if box.style != "text":
            painter.setBrush(self._ground(box, current))
            strong = current or focused
            painter.setPen(
                QPen(self.color("accent" if strong else self._border(box)), self.px(2.4 if strong else 1.3))
            )
            radius = rect.height() / 2 if box.style in ("tensor", "sum") else self.px(6)
            painter.drawRoundedRect(rect, radius, radius)
        elif focused or current:
            painter.setBrush(self.color("accent_soft") if current else Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.color("accent"), self.px(2)))
            painter.drawRoundedRect(rect, self.px(6), self.px(6))
        self._draw_text(painter, box, rect)

    def _ground(self, box: Box, current: bool) -> QColor:
        if current:
            return self.color("accent_soft")
        if box.id == self._hovered and box.value is not None:
            return self.color("hover")
        if box.style == "box":
            return mixed(self.color("panel"), self.color(box.role), TINT)
        return self.color("raised" if box.style == "tensor" else "panel")

    @staticmethod
    def _border(box: Box) -> str:
        return box.role if box.style == "box" else "outline"

    def _draw_text(self, painter: QPainter, box: Box, rect: QRectF) -> None:
        """The name in the largest letters that fit, the note below it."""
        lines = self.look.text(box.text).split("\n")
        note = self.look.text(box.note)
        family = "math" if box.style in ("tensor", "sum") else "text"
        bold = box.style == "box"
        room = rect.width() - self.px(6 if box.style != "sum" else 0)
        sizes = [one for one in LINES if family == "math" or one != "math"]
        size = next((one for one in sizes if self._fits(lines, one, bold, family, room, rect)), "tiny")
        high = self.px(LINES[size])
        under = self.px(15) if note and high * len(lines) + self.px(15) <= rect.height() else 0
        top = rect.center().y() - (high * len(lines) + under) / 2
        role = "dim" if box.style == "text" and not bold else "fg"
        centre = Qt.AlignmentFlag.AlignHCenter
        for k, line in enumerate(lines):
            where = QRectF(rect.left() + (rect.width() - room) / 2, top + k * high, room, high)
            self._write(painter, where, line, role, size, bold, centre, family)
        if under:
            where = QRectF(
                rect.left() + self.px(3), top + high * len(lines), rect.width() - self.px(6), under
            )
            quiet = "fg" if box.style == "box" else "dim"  # dim is too weak on a tinted ground
            self._write(painter, where, note, quiet, "tiny", False, centre)

    def _fits(self, lines: list[str], size: str, bold: bool, family: str, room: float, rect: QRectF) -> bool:
        wide = max(self._wide(line, size, bold, family) for line in lines)
        return wide <= room and self.px(LINES[size]) * len(lines) <= rect.height() + self.px(2)

    def _wide(self, text: str, size: str, bold: bool, family: str = "text") -> float:
        return sum(
            self.width_of(part, "tiny" if shift else size, bold, family) for part, shift in pieces(text)
        )

    def _write(
        self, painter: QPainter, rect: QRectF, text: str, role: str, size: str, bold: bool,
        align: Qt.AlignmentFlag, family: str = "text",
    ) -> None:  # fmt: skip
        """One line with raised and lowered parts."""
        parts = pieces(text)
        if all(shift == 0 for _, shift in parts):
            self.write(painter, rect, text, role, size, bold, align, family)
            return
        x = rect.left()
        if align == Qt.AlignmentFlag.AlignHCenter:
            x += max(rect.width() - self._wide(text, size, bold, family), 0.0) / 2
        for part, shift in parts:
            kind = "tiny" if shift else size
            wide = self.width_of(part, kind, bold, family)
            lift = {1: -self.px(5), 0: 0, -1: self.px(4)}[shift]
            where = QRectF(x, rect.top() + lift, min(wide, rect.right() - x) + 1, rect.height())
            self.write(painter, where, part, role, kind, bold, family=family)
            x += wide

    # ---- what the user does -----------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        box = self.box_at(event.position())
        name = "" if box is None or box.value is None or not self.mark.event else box.id
        if name != self._hovered:
            self._hovered = name
            self.setCursor(Qt.CursorShape.PointingHandCursor if name else Qt.CursorShape.ArrowCursor)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = ""
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        box = self.box_at(event.position())
        if box is not None and box.value is not None and event.button() == Qt.MouseButton.LeftButton:
            self._focused = box.id
            self.tell(self.mark.event, box.value)
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, boxes = Qt.Key(event.key()), {box.id: box for box in self.chosen_from()}
        if key in MOVES and boxes:
            self._focused = self._next(boxes, MOVES[key])
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._focused in boxes:
            self.tell(self.mark.event, boxes[self._focused].value)
        else:
            super().keyPressEvent(event)

    def _next(self, boxes: dict[str, Box], way: tuple[int, int]) -> str:
        """The nearest box in a direction, with a dislike of those far aside; the same one at the end."""
        here = boxes.get(self._focused)
        if here is None:
            return next(iter(boxes))
        found, best = here.id, math.inf
        for box in boxes.values():
            x, y = box.x - here.x, box.y - here.y
            along, aside = x * way[0] + y * way[1], abs(x * way[1]) + abs(y * way[0])
            if along > 1 and along + 2 * aside < best and along >= aside * 0.35:
                found, best = box.id, along + 2 * aside
        return found

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.mark is not None:
            box = self.box_at(QPointF(event.pos()))
            if box is not None and box.tip:
                QToolTip.showText(event.globalPos(), self.look.text(box.tip), self)
            return True
        return super().event(event)

"""Attention as lines: who reads on the left, who is read on the right, a line as strong as its weight."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPen

from app.holes import holes, largest
from app.qt.marks.holed import Holed
from app.qt.marks.places import counted_from, event_value, labelled
from app.scene import Arcs, Array, Axis

ROW_AT = 13  # px of a row from which every row has its label
FAINTEST = 0.02  # weights below are not drawn
MOST = 1500  # lines at most, the strongest
STUB = 28  # px of the hatch where the lines of a row would start


class ArcsView(Holed):
    """Shows Arcs; Up / Down move the reading row, Enter pins it, Esc unpins."""

    least = (320, 170)
    wanted = (640, 420)
    roomy = 300
    mark: Arcs

    # ---- geometry ---------------------------------------------------------------------------------------

    def _gutter(self, axis: Axis) -> tuple[float, tuple[str, ...]]:
        """Width of a label column, and the labels that fit it: whole ones, or all shortened."""
        most = self.width() * 0.36
        whole = axis.full or axis.labels
        texts = whole if self.longest(whole) + self.px(46) <= most else axis.labels
        return min(self.longest(texts) + self.px(46), most), texts

    def area(self) -> QRectF:
        """Between the two columns of labels."""
        left, right = self._gutter(self.mark.rows)[0], self._gutter(self.mark.cols)[0]
        wide = min(self.width() - left - right, self.px(420))
        shift = max((self.width() - left - right - wide) / 2, 0.0)
        top = self.px(24)
        return QRectF(left + shift, top, max(wide, 20.0), self.height() - top - self.px(6))

    def y_of(self, axis: Axis, place: float, box: QRectF) -> float:
        return box.top() + (place + 0.5) * box.height() / max(len(axis), 1)

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        mark, box = self.mark, self.area()
        if mark.values is None or not len(mark.rows):
            painter.setFont(self.font_of("title"))
            painter.setPen(self.color("dim"))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect(), flags, self.look.text(mark.missing))
            return
        self._draw_lines(painter, mark.values, box)
        bad = self._holed_rows(mark.values)
        stub = QRectF(box.left(), box.top(), self.px(STUB), box.height())
        self.hatch_holes(painter, None if bad is None else bad[:, None], stub)
        right = Qt.AlignmentFlag.AlignRight
        head = QRectF(box.left() - self.px(206), 0, self.px(200), self.px(18))
        self.write(painter, head, self.look.text(mark.left), "dim", align=right)
        head = QRectF(box.right() + self.px(6), 0, self.px(200), self.px(18))
        self.write(painter, head, self.look.text(mark.right), "dim")
        self._draw_labels(painter, mark.rows, box, left=True)
        self._draw_labels(painter, mark.cols, box, left=False)

    def focus(self) -> int | None:
        """The row whose lines are strong: the one pointed at, else the pinned one."""
        return self.mark.hovered[0] if self.mark.hovered is not None else self.mark.pinned

    def lines(self, values: Array) -> list[tuple[int, int, float]]:
        """(row, column, weight) of what is drawn, weakest first; hidden rows left out."""
        shown = np.where(np.isfinite(values), values, 0.0)
        if len(self.mark.absent) == len(values):
            shown[np.asarray(self.mark.absent)] = 0.0
        rows, cols = np.nonzero(shown >= FAINTEST)
        weights = shown[rows, cols]
        order = np.argsort(weights, kind="stable")[-MOST:]
        return [(int(rows[k]), int(cols[k]), float(weights[k])) for k in order]

    def _holed_rows(self, values: Array) -> Array | None:
        """Which rows have a weight that is no number, hidden ones left out; None where none has."""
        bad = holes(values)
        if bad is None:
            return None
        rows = np.asarray(bad.any(axis=1))
        return rows & ~np.asarray(self.mark.absent) if len(self.mark.absent) == len(rows) else rows

    def _draw_lines(self, painter: QPainter, values: Array, box: QRectF) -> None:
        focus = self.focus()
        scale = len(self.mark.rows) / len(values), len(self.mark.cols) / values.shape[1]
        block = None if focus is None else int(focus / scale[0])
        strong = []
        for row, col, weight in self.lines(values):
            if row == block:
                strong.append((row, col, weight))
                continue
            path = self._path(row * scale[0], col * scale[1], box)
            painter.strokePath(path, QPen(self.color("dim", 0.05 + 0.45 * weight), self.px(1)))
        for row, col, weight in strong:
            path = self._path(row * scale[0], col * scale[1], box)
            pen = QPen(self.color("accent", 0.25 + 0.75 * weight), self.px(1 + 4 * weight))
            painter.strokePath(path, pen)

    def _path(self, row: float, col: float, box: QRectF) -> QPainterPath:
        start = QPointF(box.left(), self.y_of(self.mark.rows, row, box))
        end = QPointF(box.right(), self.y_of(self.mark.cols, col, box))
        bend = QPointF(box.width() * 0.4, 0)
        path = QPainterPath(start)
        path.cubicTo(start + bend, end - bend, end)
        return path

    def _draw_labels(self, painter: QPainter, axis: Axis, box: QRectF, left: bool) -> None:
        texts = self._gutter(axis)[1]
        every = max(1, math.ceil(self.px(ROW_AT) * len(axis) / max(box.height(), 1.0)))
        focus, hovered = self.focus(), self.mark.hovered
        named = focus if left else (hovered[1] if hovered is not None else None)
        for place in labelled(len(axis), every, (named,), counted_from(axis)):
            self._draw_label(painter, axis, place, texts[place], box, left, bold=place == named)

    def _draw_label(
        self, painter: QPainter, axis: Axis, place: int, text: str, box: QRectF, left: bool, bold: bool
    ) -> None:
        px, y = self.px, self.y_of(axis, place, box)
        gone = left and len(self.mark.absent) == len(axis) and self.mark.absent[place]
        role = "fg" if bold else "ok" if place in axis.marked else "faint" if gone else "dim"
        wide = self._gutter(axis)[0] - px(40)
        side = Qt.AlignmentFlag.AlignRight if left else Qt.AlignmentFlag.AlignLeft
        number = str(axis.numbers[place]) if axis.numbers and axis.kind == "position" else ""
        inner = QRectF(box.left() - px(26), y - px(8), px(20), px(16))
        room = QRectF(box.left() - px(30) - wide, y - px(8), wide, px(16))
        if not left:
            inner.moveLeft(box.right() + px(6))
            room.moveLeft(box.right() + px(30))
        self.write(painter, inner, number, "dim", "tiny", align=side)
        self.write(painter, room, text, role, bold=bold, align=side)
        if place in axis.marked:
            shift = min(self.width_of(text, bold=bold), wide) + px(8)
            self.diamond(painter, QPointF(room.right() - shift if left else room.left() + shift, y), px(3))

    # ---- what the user does -----------------------------------------------------------------------------

    def hole_at(self, point: QPointF) -> float | None:
        values, row = self.mark.values, self.row_at(point)
        if values is None or row is None or not len(values):
            return None
        block = row * len(values) // len(self.mark.rows)
        bad = self._holed_rows(values)
        if bad is None or not bad[block]:
            return None
        found = values[block]
        return float(found[~np.isfinite(found)][0])

    def row_at(self, point: QPointF) -> int | None:
        box = self.area()
        row = math.floor((point.y() - box.top()) * len(self.mark.rows) / max(box.height(), 1.0))
        return row if 0 <= row < len(self.mark.rows) else None

    def _look_at(self, row: int | None, col: int | None = None) -> None:
        mark = self.mark
        if row is None or mark.values is None:
            if mark.hovered is not None:
                self.tell(mark.hover, (None, None))
            return
        if col is None:
            block = row * len(mark.values) // len(mark.rows)
            col = largest(mark.values[block]) * len(mark.cols) // mark.values.shape[1]
        if mark.hovered != (row, col):
            self.tell(mark.hover, (event_value(mark.rows, row), event_value(mark.cols, col)))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Left and middle look at the row under the pointer; the right column at what the row reads there."""
        place = self.row_at(event.position())
        if event.position().x() > self.area().right() and place is not None:
            row = self.mark.pinned
            self._look_at(
                row, min(place * len(self.mark.cols) // len(self.mark.rows), len(self.mark.cols) - 1)
            )
        else:
            self._look_at(place)

    def leaveEvent(self, event: QEvent) -> None:
        if self.mark is not None:
            self._look_at(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.row_at(event.position())
        if place is not None and event.position().x() <= self.area().right():
            self.tell(self.mark.pin, event_value(self.mark.rows, place))
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        focus = self.focus()
        if by is not None and len(self.mark.rows):
            self._look_at(min(max((focus or 0) + by, 0), len(self.mark.rows) - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and focus is not None:
            self.tell(self.mark.pin, event_value(self.mark.rows, focus))
        elif event.key() == Qt.Key.Key_Escape and self.mark.hovered is not None:
            self._look_at(None)
            self.tell(self.mark.pin, None)
        else:
            super().keyPressEvent(event)

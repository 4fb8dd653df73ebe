"""Lines over steps: pinned and mean thick and named at their ends, the others thin.

Drawn by QPainter rather than pyqtgraph: a handful of short lines needs no view box, first paint needs no
import of 250 ms, labels at the line's end and gaps where a number is undefined are ours to place, and the
same code draws in every theme.  Shown large (app/qt/curve_dialog.py), it is pyqtgraph's.
"""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QByteArray, QDataStream, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF

from app.qt.marks.base import Painted, mixed
from app.qt.marks.places import stretches
from app.scene import Array, Curve, Series


class CurveView(Painted):
    """Shows a Curve; a click or Left / Right looks at another step.

    enlarged: its key, when Enter or a double click asks for it large.
    """

    enlarged = Signal(str)
    least = (200, 96)
    wanted = (300, 150)
    mark: Curve

    def area(self) -> QRectF:
        """Where the lines are; the names stand at its right."""
        px = self.px
        names = [self.width_of(self.look.text(one.name), "tiny", bold=True) for one in self.mark.series]
        right = min(max(names, default=0.0) + px(14), self.width() * 0.34)
        left = max(self.width_of(text, "tiny") for text in self._ticks()) + px(12)
        box = QRectF(left, px(10), self.width() - left - right, self.height() - px(10) - px(24))
        return box.normalized()

    def _ticks(self) -> tuple[str, str, str]:
        low, high = self.mark.y
        return tuple(f"{value:.3g}" for value in (low, (low + high) / 2, high))  # type: ignore[return-value]

    @staticmethod
    def round_up(every: float) -> int:
        """The next of 1, 2, 5, 10, 20, 50, …: numbers on an axis are round."""
        size = int(10 ** max(0, math.ceil(math.log10(max(every, 1.0))) - 1))
        return next(size * first for first in (1, 2, 5, 10) if size * first >= every)

    def at(self, step: float, value: float, box: QRectF) -> QPointF:
        low, high = self.mark.y
        share = (step - 1) / max(self.mark.steps - 1, 1)
        up = (value - low) / (high - low or 1.0)
        return QPointF(box.left() + share * box.width(), box.bottom() - min(max(up, 0.0), 1.0) * box.height())

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        box = self.area()
        self._draw_axes(painter, box)
        if self.mark.thin is not None:
            # Not translucent: Qt draws opaque hairlines ten times as fast.
            painter.setPen(QPen(mixed(self.color("panel"), self.color("dim"), 0.35), 1))
            self._draw_lines(painter, self.mark.thin, box)
        for one in self.mark.series:
            pen = QPen(self.color(one.role), self.px(one.width))
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            if one.dashed:
                pen.setDashPattern([3, 2])
            painter.setPen(pen)
            self._draw_lines(painter, np.asarray([one.y], np.float64), box)
        self._draw_points(painter, box)
        self._draw_names(painter, box)
        if self.mark.note:
            self._draw_note(painter, box, self.look.text(self.mark.note))

    def _draw_note(self, painter: QPainter, box: QRectF, text: str) -> None:
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.setFont(self.font_of("small"))
        painter.setPen(self.color("dim"))  # without a pen a text has no bounds either
        x, y = self.px(8), self.px(3)
        rect = painter.boundingRect(box, flags, text).adjusted(-x, -y, x, y)
        painter.fillRect(rect, self.color("panel"))
        painter.drawText(rect, flags, text)

    def _draw_axes(self, painter: QPainter, box: QRectF) -> None:
        px, mark = self.px, self.mark
        for text, share in zip(self._ticks(), (0.0, 0.5, 1.0), strict=True):
            y = box.bottom() - share * box.height()
            painter.setPen(QPen(self.color("grid"), 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            row = QRectF(0, y - px(8), box.left() - px(6), px(16))
            self.write(painter, row, text, "dim", "tiny", align=Qt.AlignmentFlag.AlignRight)
        wide = max(px(20), self.width_of(str(mark.steps), "tiny", bold=True) + px(8))
        every = self.round_up(mark.steps * wide / max(box.width(), 1.0))
        shown = {1, mark.steps, *range(every, mark.steps + 1, every)}
        shown = {step for step in shown if step in (1, mark.steps) or every <= min(step, mark.steps - step)}
        if 1 <= mark.current <= mark.steps:
            shown = {step for step in shown if step == mark.current or abs(step - mark.current) >= every}
            shown.add(mark.current)
            painter.setPen(QPen(self.color("border"), px(1)))
            x = self.at(mark.current, 0, box).x()
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        for step in shown:
            current = step == mark.current
            spot = self.at(step, 0, box).x()
            label = QRectF(spot - px(16), box.bottom() + px(5), px(32), px(16))
            self.write(painter, label, str(step), "fg" if current else "dim", "tiny", current,
                       Qt.AlignmentFlag.AlignHCenter)  # fmt: skip

    def _draw_lines(self, painter: QPainter, y: Array, box: QRectF) -> None:
        """[line, step] with gaps where a value is undefined; a point alone is a dot."""
        low, high = self.mark.y
        points = np.empty((*y.shape, 2), ">f8")  # as Qt reads them from a stream
        points[..., 0] = box.left() + np.arange(y.shape[1]) / max(self.mark.steps - 1, 1) * box.width()
        points[..., 1] = box.bottom() - np.clip((y - low) / (high - low or 1.0), 0.0, 1.0) * box.height()
        for line, flags in zip(points, np.isfinite(y).tolist(), strict=True):
            for first, last in stretches(flags):
                painter.drawPolyline(polygon(line[first:last]))

    def _draw_points(self, painter: QPainter, box: QRectF) -> None:
        index = self.mark.current - 1
        painter.setPen(Qt.PenStyle.NoPen)
        for one in self.mark.series:
            if 0 <= index < len(one.y) and math.isfinite(one.y[index]):
                painter.setBrush(self.color(one.role))
                painter.drawEllipse(self.at(index + 1, one.y[index], box), self.px(3.5), self.px(3.5))

    def _draw_names(self, painter: QPainter, box: QRectF) -> None:
        """Each name beside its line's end, moved apart where they would meet."""
        ends = [(self._end(one, box), one) for one in self.mark.series]
        spots = sorted(((end, one) for end, one in ends if end is not None), key=lambda item: item[0].y())
        height = self.px(14)
        rows: list[float] = []
        for end, _ in spots:
            rows.append(max(end.y(), rows[-1] + height) if rows else end.y())
        over = max(rows[-1] - box.bottom(), 0.0) if rows else 0.0  # the names stay above the axis
        for k in range(len(rows) - 1, -1, -1):
            most = box.bottom() if k == len(rows) - 1 else rows[k + 1] - height
            rows[k] = min(rows[k], most) if over else rows[k]
        for y, (end, one) in zip(rows, spots, strict=True):
            row = QRectF(end.x() + self.px(7), y - height / 2, self.width() - end.x() - self.px(8), height)
            self.write(painter, row, self.look.text(one.name), one.role, "tiny", bold=True)

    def _end(self, one: Series, box: QRectF) -> QPointF | None:
        last = [k for k, value in enumerate(one.y) if math.isfinite(value)]
        return self.at(last[-1] + 1, one.y[last[-1]], box) if last else None

    # ---- what the user does -----------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        box = self.area()
        share = (event.position().x() - box.left()) / max(box.width(), 1.0)
        step = round(1 + share * (self.mark.steps - 1))
        if self.mark.series and 1 <= step <= self.mark.steps:
            self.tell(self.mark.event, step)
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.enlarged.emit(self.mark.key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.enlarged.emit(self.mark.key)
            return
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is None or not self.mark.series:
            super().keyPressEvent(event)
        else:
            self.tell(self.mark.event, self.mark.current + by)


def polygon(points: Array) -> QPolygonF:
    """big-endian float64 [point, 2] as Qt's points, without a Python object for each; one point is a dot."""
    if len(points) == 1:
        points = np.repeat(points, 2, axis=0)
        points[1, 0] += 0.01
    made = QPolygonF()
    QDataStream(QByteArray(len(points).to_bytes(4, "big") + points.tobytes())) >> made
    return made

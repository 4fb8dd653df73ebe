"""What a plot draws inside its axes: lines, points, bars, error bars."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.qt.marks.axes import dots, shares, thinned
from app.qt.marks.base import Painted, mixed
from app.qt.marks.curve import polygon
from app.qt.marks.places import stretches
from app.scene import Array, Line, Plot

FEW = 24  # points of a line up to which each wears its sign
DENSE = 300  # points from which they are small


class PlotLines(Painted):
    """The drawing of a Plot's lines in a box; the axes are the subclass's."""

    mark: Plot
    _laid: tuple[Plot, QRectF, list[tuple[Array, Array]]] | None = None

    def spots(self, box: QRectF) -> list[tuple[Array, Array]]:
        """Pixels (x[n], y[n]) of every line's points; reckoned once for a mark and a size."""
        known = self._laid
        if known is None or known[0] is not self.mark or known[1] != box:
            mark = self.mark
            made = [(self._x(line.x, box), self._y(line.y, box)) for line in mark.lines]
            known = self._laid = mark, box, made
        return known[2]

    def _x(self, values: Array, box: QRectF) -> Array:
        return box.left() + shares(values, self.mark.x) * box.width()

    def _y(self, values: Array, box: QRectF) -> Array:
        return box.bottom() - shares(values, self.mark.y) * box.height()

    def named(self) -> list[Line]:
        return [line for line in self.mark.lines if not line.quiet and self.look.text(line.name)]

    # ---- lines ------------------------------------------------------------------------------------------

    def draw_lines(self, painter: QPainter, box: QRectF) -> None:
        spots = self.spots(box)
        bars = [k for k, line in enumerate(self.mark.lines) if line.style == "bars"]
        order = sorted(range(len(spots)), key=lambda k: not self.mark.lines[k].quiet)
        for k in order:
            line, (x, y) = self.mark.lines[k], spots[k]
            if line.style == "bars":
                self._draw_bars(painter, box, line, x, y, (bars.index(k), len(bars)))
            elif line.style == "points":
                self._draw_points(painter, box, line, x, y)
            else:
                self._draw_line(painter, box, line, x, y)
            if line.low is not None and line.high is not None:
                shift = 0.0
                if line.style == "bars":
                    shift = bar_width(x, box) * ((bars.index(k) + 0.5) / len(bars) - 0.5)
                self._draw_errors(painter, box, line, x + shift)

    def _pen(self, line: Line) -> QPen:
        color = mixed(self.color("panel"), self.color(line.role), 0.5 if line.quiet else 1.0)
        pen = QPen(color, self.px(line.width))
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        if line.style == "dashed":
            pen.setDashPattern([3, 2.5])
        return pen

    def _draw_line(self, painter: QPainter, box: QRectF, line: Line, x: Array, y: Array) -> None:
        painter.setPen(self._pen(line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for piece in inside(*path(line, x, y, box), box):
            painter.drawPolyline(polygon(piece.astype(">f8")))
        if len(x) <= FEW and line.style == "line" and not line.quiet:
            self._draw_points(painter, box, line, x, y, 2.6)

    def _draw_points(
        self, painter: QPainter, box: QRectF, line: Line, x: Array, y: Array, size: float = 4.0
    ) -> None:
        kept = dots(x, y, 1.0)
        edge = self.px(1)
        kept = kept[(x[kept] >= box.left() - edge) & (x[kept] <= box.right() + edge)
                    & (y[kept] >= box.top() - edge) & (y[kept] <= box.bottom() + edge)]  # fmt: skip
        if len(kept) > DENSE:
            pen = QPen(self.color(line.role), self.px(3))
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawPoints(polygon(np.stack([x[kept], y[kept]], axis=1).astype(">f8")))
            return
        for k in kept:
            self.sign(painter, QPointF(x[k], y[k]), line, size)

    def sign(self, painter: QPainter, at: QPointF, line: Line, size: float = 4.0) -> None:
        """One point's sign."""
        ring = line.sign == "ring"
        painter.setPen(QPen(self.color(line.role), self.px(1.8)) if ring else Qt.PenStyle.NoPen)
        painter.setBrush(self.color("panel") if ring else self.color(line.role))
        r = size * self.look.theme.scale
        if line.sign == "square":
            painter.drawRect(QRectF(at.x() - r * 0.9, at.y() - r * 0.9, 1.8 * r, 1.8 * r))
        elif line.sign == "diamond":
            corners = ((0, -1.3 * r), (1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0))
            painter.drawPolygon(QPolygonF([QPointF(at.x() + dx, at.y() + dy) for dx, dy in corners]))
        else:
            painter.drawEllipse(at, r, r)

    def _draw_bars(
        self, painter: QPainter, box: QRectF, line: Line, x: Array, y: Array, place: tuple[int, int]
    ) -> None:
        """Bars from zero (from the foot of a log axis); neighbours of other lines side by side."""
        zero = 0.0 if not self.mark.y.log else self.mark.y.low
        foot = min(max(float(self._y(np.array([zero]), box)[0]), box.top()), box.bottom())
        wide = bar_width(x, box) / place[1]
        kept = dots(x, y, 1.0)
        painter.setPen(Qt.PenStyle.NoPen)
        for k in kept:
            left = x[k] - wide * place[1] / 2 + wide * place[0]
            left, right = max(left, box.left()), min(left + max(wide * 0.94, 1.0), box.right())
            top = min(max(y[k], box.top()), box.bottom())
            if right > left:
                rect = QRectF(left, min(top, foot), right - left, abs(foot - top))
                painter.fillRect(rect, self.color(line.role))
                if place[0] % 2 and rect.width() >= self.px(6):
                    self.hatch(painter, rect, back=False)

    def _draw_errors(self, painter: QPainter, box: QRectF, line: Line, x: Array) -> None:
        assert line.low is not None
        assert line.high is not None
        ends = [self._y(values, box) for values in (line.low, line.high)]
        low, high = (np.clip(values, box.top(), box.bottom()) for values in ends)
        seen = (x >= box.left() - 1) & (x <= box.right() + 1) & ((low != high) | (ends[0] == ends[1]))
        painter.setPen(QPen(self.color("fg" if line.style == "bars" else line.role), self.px(1.4)))
        cap = self.px(3)
        for k in np.flatnonzero(np.isfinite(low) & np.isfinite(high) & seen).tolist():
            painter.drawLine(QPointF(x[k], low[k]), QPointF(x[k], high[k]))
            for y in (values[k] for values in ends if box.top() - 1 <= values[k] <= box.bottom() + 1):
                painter.drawLine(QPointF(x[k] - cap, y), QPointF(x[k] + cap, y))


def path(line: Line, x: Array, y: Array, box: QRectF) -> tuple[Array, Array]:
    """Pixels of a line as it is drawn: no more than can be told apart, with its steps."""
    x, y = thinned(x, y, max(int(box.width()), 1))
    if line.style == "steps" and len(x) > 1:
        return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    return x, y


def bar_width(x: Array, box: QRectF) -> float:
    """Of a group of bars, in pixels: most of the smallest distance between two."""
    fine = np.unique(x[np.isfinite(x)])
    gap = float(np.diff(fine).min()) if len(fine) > 1 else box.width() / 3
    return max(gap * 0.82, 1.0)


def inside(x: Array, y: Array, box: QRectF) -> Iterator[Array]:
    """Pieces [n, 2] of a line that lie in the box, cut at its edges; gaps where a point is undefined.

    Cut by reckoning: many programs that show an exported SVG do not clip.
    """
    flags = np.isfinite(x) & np.isfinite(y)
    for first, last in stretches(flags.tolist()):
        px, py = x[first:last], y[first:last]
        within = (px >= box.left() - 0.5) & (px <= box.right() + 0.5) & (py >= box.top() - 0.5) & (
            py <= box.bottom() + 0.5)  # fmt: skip
        if within.all():
            yield np.stack([px, py], axis=1)
        elif len(px) > 1:
            yield from _cut(px, py, box)


def _cut(x: Array, y: Array, box: QRectF) -> Iterator[Array]:
    """Liang and Barsky's clipping, every segment at once."""
    dx, dy = np.diff(x), np.diff(y)
    start, end, out = np.zeros_like(dx), np.ones_like(dx), np.zeros(len(dx), bool)
    for p, q in (
        (-dx, x[:-1] - box.left()), (dx, box.right() - x[:-1]),
        (-dy, y[:-1] - box.top()), (dy, box.bottom() - y[:-1]),
    ):  # fmt: skip
        ratio = np.divide(q, p, out=np.zeros_like(q), where=p != 0)
        start = np.where(p < 0, np.maximum(start, ratio), start)
        end = np.where(p > 0, np.minimum(end, ratio), end)
        out |= (p == 0) & (q < 0)
    piece: list[tuple[float, float]] = []
    for k in np.flatnonzero((start <= end) & ~out):
        one = x[k] + start[k] * dx[k], y[k] + start[k] * dy[k]
        other = x[k] + end[k] * dx[k], y[k] + end[k] * dy[k]
        if not piece or piece[-1] != one:
            if piece:
                yield np.array(piece)
            piece = [one]
        piece.append(other)
    if piece:
        yield np.array(piece)

"""Words of a plot inside its axes: at points and at the ends of lines, off the lines and apart."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.qt.marks.axes import apart
from app.qt.marks.chart_lines import FEW, PlotLines, inside, path
from app.scene import Array, Line, Plot

READ = {"halts": "halts_text", "faint": "dim", "hatch": "dim", "accent_mid": "accent", "changed": "warning"}
"""Roles of graphics whose words need another one to be read."""
LABELS = 120  # words placed at most
SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
NAME = 14  # px of a name's line


class PlotWords(PlotLines):
    """The words at a Plot's lines in a box; the axes are the subclass's."""

    _paths: tuple[Plot, QRectF, list[tuple[Array, Array]]] | None = None

    # ---- what words keep off ----------------------------------------------------------------------------

    def paths(self, box: QRectF) -> list[tuple[Array, Array]]:
        """Pixels of every line drawn, with the rules and the x looked at; of quiet ones none."""
        known = self._paths
        if known is None or known[0] is not self.mark or known[1] != box:
            mark, found = self.mark, []
            for line, (x, y) in zip(mark.lines, self.spots(box), strict=True):
                if line.style not in ("points", "bars") and not line.quiet and len(x) > 1:
                    found.append(path(line, x, y, box))
            upright = [rule.at for rule in mark.rules if rule.upright]
            upright += [mark.here] if mark.here is not None else []
            level = [rule.at for rule in mark.rules if not rule.upright]
            ends = np.array([box.top(), box.bottom()]), np.array([box.left(), box.right()])
            found += [(np.full(2, x), ends[0]) for x in self._x(np.array(upright), box)]
            found += [(ends[1], np.full(2, y)) for y in self._y(np.array(level), box)]
            known = self._paths = mark, box, found
        return known[2]

    def crossed(self, rect: QRectF, box: QRectF) -> bool:
        """Whether a line runs through it."""
        inner = rect.adjusted(1, 2, -1, -2)
        return any(next(inside(x, y, inner), None) is not None for x, y in self.paths(box))

    # ---- words ------------------------------------------------------------------------------------------

    def draw_labels(self, painter: QPainter, box: QRectF, taken: list[QRectF]) -> None:
        """Words beside their points, on the first free side; what finds no place is said on hover only."""
        taken = taken + [self._around(x, y) for _, _, x, y in self._labelled(box)]
        for line, text, x, y in self._labelled(box):
            rect = self._free(text, x, y, box, taken)
            if rect is None:
                continue
            taken.append(rect)
            if abs(rect.center().x() - x) > rect.width() / 2 + self.px(12) or (
                abs(rect.center().y() - y) > self.px(20)
            ):
                painter.setPen(QPen(self.color("border"), self.px(1)))
                painter.drawLine(QPointF(x, y), _nearest(rect, x, y))
            painter.fillRect(rect, self.color("panel", 0.75))
            self.write(painter, rect, text, "dim" if line.quiet else READ.get(line.role, line.role), "tiny",
                       bold=not line.quiet, align=Qt.AlignmentFlag.AlignHCenter)  # fmt: skip

    def _labelled(self, box: QRectF) -> Iterator[tuple[Line, str, float, float]]:
        count = 0
        edge = self.px(1)
        for line, (x, y) in zip(self.mark.lines, self.spots(box), strict=True):
            for k, label in enumerate(line.labels):
                if k >= len(x) or not label or count >= LABELS:
                    continue
                if not (math.isfinite(x[k]) and math.isfinite(y[k])):
                    continue
                if box.adjusted(-edge, -edge, edge, edge).contains(float(x[k]), float(y[k])):
                    count += 1
                    yield line, self.look.text(label), float(x[k]), float(y[k])

    def _around(self, x: float, y: float) -> QRectF:
        r = self.px(5)
        return QRectF(x - r, y - r, 2 * r, 2 * r)

    def _free(self, text: str, x: float, y: float, box: QRectF, taken: list[QRectF]) -> QRectF | None:
        wide, high = self.width_of(text, "tiny", bold=True) + self.px(2), self.px(NAME)
        bounds = QRectF(box.left(), box.top(), self.width() - box.left(), box.height())
        crossing = None
        for far in (7, 18, 32):
            gap = self.px(far)
            for right, down in SIDES:
                left = x + right * gap - (wide if right < 0 else wide / 2 if right == 0 else 0)
                drop = gap if right == 0 else gap * 0.8
                top = y + down * drop - (high if down < 0 else high / 2 if down == 0 else 0)
                rect = QRectF(left, top, wide, high)
                if not bounds.contains(rect) or any(rect.intersects(other) for other in taken):
                    continue
                if not self.crossed(rect, box):
                    return rect
                crossing = crossing or rect
            if crossing is not None and far > 7:
                break  # on a line, but close by
        return crossing

    def draw_names(self, painter: QPainter, box: QRectF) -> list[QRectF]:
        """Each name beside its line's end, moved apart where they would meet; where they stand.

        Where other lines go on there, beside a point of it that leaves room.
        """
        found: list[tuple[float, float, Line]] = []
        for line, (x, y) in zip(self.mark.lines, self.spots(box), strict=True):
            last = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
            if not line.quiet and len(last) and self.look.text(line.name):
                found.append(
                    (min(max(float(y[last[-1]]), box.top()), box.bottom()), float(x[last[-1]]), line)
                )
        found.sort(key=lambda item: item[0])
        rows = apart([y for y, _, _ in found], self.px(NAME), self.px(NAME) / 2, box.bottom())
        rects: list[QRectF] = []
        for middle, (_, end, line) in zip(rows, found, strict=True):
            left = min(end, box.right()) + self.px(7)
            rect = QRectF(left, middle - self.px(NAME) / 2, self.width() - left - self.px(1), self.px(NAME))
            text = self.look.text(line.name)
            if end < box.right() - 1:
                rect.setWidth(min(rect.width(), self.width_of(text, "tiny", bold=True) + self.px(2)))
                rect = self._along(text, line, rect, box, rects)
            self.write(painter, rect, text, READ.get(line.role, line.role), "tiny", bold=True)
            rects.append(rect)
        return rects

    def _along(self, text: str, line: Line, rect: QRectF, box: QRectF, taken: list[QRectF]) -> QRectF:
        """Where the name of a line stands free that ends before the others do: by a point, the last first."""
        if not self.crossed(rect, box):
            return rect
        x, y = self.spots(box)[self.mark.lines.index(line)]
        places = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[::-1]
        for k in places[:: max(1, len(places) // FEW)].tolist():
            found = self._free(text, float(x[k]), float(y[k]), box, taken)
            if found is not None and not self.crossed(found, box):
                return found
        return rect


def _nearest(rect: QRectF, x: float, y: float) -> QPointF:
    """The point of a rectangle's edge nearest to (x, y)."""
    return QPointF(min(max(x, rect.left()), rect.right()), min(max(y, rect.top()), rect.bottom()))

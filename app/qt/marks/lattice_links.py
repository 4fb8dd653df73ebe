"""Lines of a lattice: what a cell reads, over the cells or between their rows."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from app.qt.marks.base import Array
from app.qt.marks.lattice_legend import LatticeLegend

LINES = 700  # drawn at most between all rows; more would be one grey
DOTTED = 48  # links of the cell looked at up to which each ends in a dot


class LatticeLinks(LatticeLegend):
    """Straight lines between rows and between neighbours, arcs within a row."""

    def draw_links(self, painter: QPainter) -> None:
        """Lines from what is read to what reads; the cell's looked at over the others."""
        links = np.asarray(self.mark.links, dtype=int).reshape(-1, 2, 2)
        if not len(links):
            return
        focus = self.mark.focus
        own = np.zeros(len(links), bool) if focus is None else (links[:, 0] == focus).all(axis=1)
        every = max(1, math.ceil((~own).sum() / LINES))
        # Half transparent lines are drawn one by one, else crossings of a single stroke would not darken.
        self._draw_lines(painter, links[~own][::every], "faint" if own.any() else "dim", False)
        self._draw_lines(painter, links[own], "accent", True)

    def _draw_lines(self, painter: QPainter, links: Array, role: str, strong: bool) -> None:
        count = len(links)
        if not count:
            return
        px = self.px
        width = px(1.5) if strong and count <= DOTTED else max(px(1) * 0.75, 0.75)
        alpha = 1.0 if count <= DOTTED else 0.6
        painter.setPen(QPen(self.color(role, alpha), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ends = [self._ends(*reader, *read) for reader, read in links.tolist()]
        flat = [QLineF(*pair) for (reader, read), pair in zip(links.tolist(), ends, strict=True)
                if reader[0] != read[0] or abs(reader[1] - read[1]) == 1]  # fmt: skip
        painter.drawLines(flat)
        for (reader, read), (start, end) in zip(links.tolist(), ends, strict=True):
            if reader[0] == read[0] and abs(reader[1] - read[1]) != 1:
                painter.drawPath(self._arc(start, end))
        if strong and count <= DOTTED:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.color(role))
            for start, _ in ends:
                painter.drawEllipse(start, px(2.5), px(2.5))

    def _ends(self, row: int, col: int, read_row: int, read_col: int) -> tuple[QPointF, QPointF]:
        """Where a line starts, at what is read, and ends, at what reads."""
        one, other = self.cell_rect(read_row, read_col), self.cell_rect(row, col)
        if row == read_row:
            if abs(col - read_col) == 1:
                left = read_col < col
                return (QPointF(one.right() if left else one.left(), one.center().y()),
                        QPointF(other.left() if left else other.right(), other.center().y()))  # fmt: skip
            return QPointF(one.center().x(), one.top()), QPointF(other.center().x(), other.top())
        above = one.center().y() > other.center().y()
        return (QPointF(one.center().x(), one.top() if above else one.bottom()),
                QPointF(other.center().x(), other.bottom() if above else other.top()))  # fmt: skip

    def _arc(self, start: QPointF, end: QPointF) -> QPainterPath:
        """Over the cells between two of one row."""
        rise = min(self.gaps()[1] * 2, abs(end.x() - start.x()) / 2)
        path = QPainterPath(start)
        path.cubicTo(start - QPointF(0, rise), end - QPointF(0, rise), end)
        return path

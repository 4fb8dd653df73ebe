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
        starts, ends = self._ends(links)
        pairs = list(zip(starts.tolist(), ends.tolist(), strict=True))
        apart = (links[:, 0, 0] == links[:, 1, 0]) & (np.abs(links[:, 0, 1] - links[:, 1, 1]) != 1)
        painter.drawLines([QLineF(*pairs[k][0], *pairs[k][1]) for k in np.flatnonzero(~apart).tolist()])
        for k in np.flatnonzero(apart).tolist():
            painter.drawPath(self._arc(QPointF(*pairs[k][0]), QPointF(*pairs[k][1])))
        if strong and count <= DOTTED:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.color(role))
            for start, _ in pairs:
                painter.drawEllipse(QPointF(*start), px(2.5), px(2.5))

    def _ends(self, links: Array) -> tuple[Array, Array]:
        """[n, 2] where the lines start, at what is read, and [n, 2] where they end, at what reads."""
        area, (wide, high), (across, down) = self.area(), self.pitch(), self.gaps()
        rows = len(self.mark.rows) - 1 - links[..., 0] if self.mark.upward else links[..., 0]
        x = area.left() + (links[..., 1] + 0.5) * wide  # [n, (reads, read)]
        y = area.top() + (rows + 0.5) * high
        half_w, half_h = wide / 2 - across, high / 2 - down
        same, beside = rows[:, 0] == rows[:, 1], np.abs(links[:, 0, 1] - links[:, 1, 1]) == 1
        side = np.where(same & beside, np.sign(x[:, 0] - x[:, 1]) * half_w, 0.0)
        up = np.where(same, np.where(beside, 0.0, 1.0), np.sign(y[:, 1] - y[:, 0])) * half_h
        down_ = np.where(same & ~beside, -up, up)
        return (
            np.stack([x[:, 1] + side, y[:, 1] - up], axis=1),
            np.stack([x[:, 0] - side, y[:, 0] + down_], axis=1),
        )

    def _arc(self, start: QPointF, end: QPointF) -> QPainterPath:
        """Over the cells between two of one row."""
        rise = min(self.gaps()[1] * 2, abs(end.x() - start.x()) / 2)
        path = QPainterPath(start)
        path.cubicTo(start - QPointF(0, rise), end - QPointF(0, rise), end)
        return path

"""What a lattice's cells can be, in words below it."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QLinearGradient, QPainter, QPen

from app.qt.marks.lattice_cells import LEGEND, LatticeCells


class LatticeLegend(LatticeCells):
    """Names of the kinds and the scale of the shades, in as many lines as they need."""

    def _entries(self) -> list[tuple[int, str, float]]:
        """(kind, name, width) of what is on screen or may come; -1: the scale of the shades."""
        px, text = self.px, self.look.text
        found = [(k, text(kind.name)) for k, kind in enumerate(self.mark.kinds) if text(kind.name)]
        entries = [(k, name, self.width_of(name, "tiny") + px(34)) for k, name in found]
        if self.mark.scale:
            name, low, high = (text(part) for part in self.mark.scale)
            words = sum(self.width_of(part, "tiny") for part in (name, low, high))
            entries.append((-1, name, words + px(112)))
        return entries

    def _lines(self) -> list[list[tuple[int, str, float]]]:
        """The entries in lines that fit."""
        lines: list[list[tuple[int, str, float]]] = []
        if not self.mark.legend:
            return lines
        room = 0.0
        for entry in self._entries():
            if not lines or room + entry[2] > self.width() - self.px(12):
                lines.append([])
                room = 0.0
            lines[-1].append(entry)
            room += entry[2]
        return lines

    def legend_lines(self) -> int:
        return len(self._lines())

    def draw_legend(self, painter: QPainter) -> None:
        px, lines = self.px, self._lines()
        top = self.height() - px(LEGEND) * len(lines) - px(2)
        for place, line in enumerate(lines):
            x = max((self.width() - sum(entry[2] for entry in line)) / 2, px(6))
            for kind, name, wide in line:
                rect = QRectF(x, top + place * px(LEGEND), wide, px(LEGEND))
                self._draw_scale(painter, rect) if kind < 0 else self._draw_entry(painter, rect, kind, name)
                x += wide

    def _draw_entry(self, painter: QPainter, rect: QRectF, kind: int, name: str) -> None:
        px = self.px
        sign = QRectF(rect.left(), rect.center().y() - px(6), px(16), px(12))
        painter.setPen(QPen(self.ink(kind), 1))
        painter.setBrush(self.colour(kind))
        painter.drawRoundedRect(sign, px(3), px(3))
        if self.mark.kinds[kind].hatched:
            self.strokes(painter, [sign], kind)
        self.write(painter, rect.adjusted(px(21), 0, 0, 0), name, "dim", "tiny")

    def _draw_scale(self, painter: QPainter, rect: QRectF) -> None:
        """The shades of the first kind that is named from 0 to 1, with the words of both ends."""
        px, x = self.px, rect.left()
        kind = next((k for k, tone in enumerate(self.mark.kinds) if self.look.text(tone.name)), 0)
        name, low, high = (self.look.text(part) for part in self.mark.scale)
        for part, gap in ((name, 12), (low, 5)):
            self.write(painter, QRectF(x, rect.top(), rect.width(), rect.height()), part, "dim", "tiny")
            x += self.width_of(part, "tiny") + px(gap)
        bar = QRectF(x, rect.center().y() - px(5), px(60), px(10))
        ramp = QLinearGradient(bar.topLeft(), bar.topRight())
        ramp.setColorAt(0, self.colour(kind, 0.0))
        ramp.setColorAt(1, self.colour(kind, 1.0))
        painter.setPen(QPen(self.color("border"), 1))
        painter.setBrush(ramp)
        painter.drawRoundedRect(bar, px(2), px(2))
        self.write(
            painter, QRectF(bar.right() + px(5), rect.top(), rect.width(), rect.height()), high, "dim", "tiny"
        )

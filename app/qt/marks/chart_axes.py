"""What stands around and behind a plot's lines: scales, grid, legend, rules and the x looked at."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.qt.marks.axes import Tick, precise, share, ticks
from app.qt.marks.chart_words import NAME, READ, PlotWords
from app.scene import Line, Scale

ALONG = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)  # where a rule's words may stand, from its right end


class PlotAxes(PlotWords):
    """The place of the lines in the widget, and all that is drawn around them."""

    named_from = 2  # lines from which a legend names them

    # ---- places -----------------------------------------------------------------------------------------

    def area(self) -> QRectF:
        """Where the lines are: names of the scales, ticks and legend stand around it."""
        px = self.px
        head = self._head_rows()
        top = px(6) if not head else px(4) + len(head) * px(NAME + 2) + px(4)
        bottom = px(20) + (px(NAME) if self.look.text(self.mark.x.name) else 0)
        high = max(self.height() - top - bottom, 1)
        texts = [tick.text for tick in self._ticks(self.mark.y, high, px(26))]
        left = max((self.width_of(text, "tiny") for text in texts), default=0.0) + px(10)
        right = float(px(10))
        if not self.mark.legend:
            names = [self.width_of(self.look.text(line.name), "tiny", bold=True) for line in self.named()]
            right = max(right, min(max(names, default=0.0) + px(12), self.width() * 0.36))
        return QRectF(left, top, max(self.width() - left - right, 1.0), high)

    def _ticks(self, scale: Scale, length: float, room: float) -> list[Tick]:
        most = max(int(length / max(room, 1)), 1)
        if not scale.ticks:
            return ticks(scale, min(most, 8))
        found = [(share(value, scale), text) for value, text in scale.ticks]
        found = [(at, text) for at, text in found if -1e-9 <= at <= 1 + 1e-9]
        every = max(1, math.ceil(len(found) / max(most, 1)))
        return [Tick(at, self.look.text(text)) for at, text in found[::every]]

    def _head_rows(self) -> list[list[tuple[str, Line | None]]]:
        """What stands above: the name of y, then the legend, in as many rows as they need."""
        parts: list[tuple[str, Line | None]] = [(self.look.text(self.mark.y.name), None)]
        named = self.named()
        if self.mark.legend and len(named) >= self.named_from:
            parts += [(self.look.text(line.name), line) for line in named]
        rows: list[list[tuple[str, Line | None]]] = [[]]
        used = 0.0
        for text, line in parts:
            if not text:
                continue
            wide = self._entry_width(text, line)
            if rows[-1] and used + wide > self.width() - self.px(8):
                rows.append([])
                used = 0.0
            rows[-1].append((text, line))
            used += wide
        return [row for row in rows if row]

    def _entry_width(self, text: str, line: Line | None) -> float:
        return self.width_of(text, "tiny") + self.px(14 if line is None else 40)

    # ---- drawing -------------------------------------------------------------------------------------------

    def draw_head(self, painter: QPainter) -> None:
        px = self.px
        for row, entries in enumerate(self._head_rows()):
            x, y = float(px(4)), px(2) + row * px(NAME + 2)
            for text, line in entries:
                wide = self._entry_width(text, line)
                if line is not None:
                    self._draw_swatch(painter, QRectF(x, y, px(20), px(NAME)), line)
                    self.write(painter, QRectF(x + px(25), y, wide - px(25), px(NAME)), text, "fg", "tiny")
                else:
                    self.write(painter, QRectF(x, y, wide, px(NAME)), text, "dim", "tiny")
                x += wide

    def _draw_swatch(self, painter: QPainter, rect: QRectF, line: Line) -> None:
        middle = rect.center()
        if line.style == "bars":
            bar = QRectF(rect.left() + self.px(5), rect.top() + self.px(2), self.px(10), self.px(10))
            painter.fillRect(bar, self.color(line.role))
            bars = [one for one in self.mark.lines if one.style == "bars"]
            if bars.index(line) % 2:
                self.hatch(painter, bar, back=False)
            return
        if line.style != "points":
            painter.setPen(self._pen(line))
            painter.drawLine(QPointF(rect.left(), middle.y()), QPointF(rect.right(), middle.y()))
        if line.style == "points" or (line.style == "line" and line.sign != "dot"):
            self.sign(painter, middle, line, 3.4)

    def draw_axis_x(self, painter: QPainter, box: QRectF) -> None:
        px, mark = self.px, self.mark
        room = max((self.width_of(self.look.text(text), "tiny") for _, text in mark.x.ticks), default=px(34))
        here = self._here_rect(box)
        free = -math.inf
        for tick in self._ticks(mark.x, box.width(), room + px(10)):
            x = box.left() + tick.at * box.width()
            painter.setPen(QPen(self.color("grid"), 1))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            wide = self.width_of(tick.text, "tiny")
            left = min(max(x - wide / 2, 0.0), self.width() - wide - px(4))
            rect = QRectF(left, box.bottom() + px(4), wide + 1, px(NAME))
            if tick.text and left > free and (here is None or not here.intersects(rect)):
                self.write(painter, rect, tick.text, "dim", "tiny")
                free = left + wide + px(6)
        name = QRectF(box.left(), box.bottom() + px(4 + NAME), box.width(), px(NAME))
        self.write(painter, name, self.look.text(mark.x.name), "dim", "tiny",
                   align=Qt.AlignmentFlag.AlignHCenter)  # fmt: skip

    def draw_axis_y(self, painter: QPainter, box: QRectF) -> None:
        px = self.px
        for tick in self._ticks(self.mark.y, box.height(), px(26)):
            y = box.bottom() - tick.at * box.height()
            painter.setPen(QPen(self.color("grid"), 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            if tick.text:
                row = QRectF(0, y - px(NAME) / 2, box.left() - px(6), px(NAME))
                self.write(painter, row, tick.text, "dim", "tiny", align=Qt.AlignmentFlag.AlignRight)
        painter.setPen(QPen(self.color("outline"), px(1)))
        painter.drawLine(box.topLeft(), box.bottomLeft())
        painter.drawLine(box.bottomLeft(), box.bottomRight())

    def _here_rect(self, box: QRectF) -> QRectF | None:
        """Where the number of the x looked at stands below the axis."""
        here = self.mark.here
        at = math.nan if here is None else share(here, self.mark.x)
        if here is None or not -0.001 <= at <= 1.001:
            return None
        wide = self.width_of(precise(here), "tiny", bold=True) + self.px(4)
        left = min(max(box.left() + at * box.width() - wide / 2, 0.0), self.width() - wide)
        return QRectF(left, box.bottom() + self.px(4), wide, self.px(NAME))

    def draw_here(self, painter: QPainter, box: QRectF) -> None:
        rect, here = self._here_rect(box), self.mark.here
        if rect is None or here is None:
            return
        x = box.left() + share(here, self.mark.x) * box.width()
        painter.setPen(QPen(self.color("accent"), self.px(1.5)))
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        self.write(painter, rect, precise(here), "fg", "tiny", True, Qt.AlignmentFlag.AlignHCenter)

    def draw_here_dots(self, painter: QPainter, box: QRectF) -> None:
        """On every line that has a point at the x looked at."""
        if self._here_rect(box) is None:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        for line, (x, y) in zip(self.mark.lines, self.spots(box), strict=True):
            if line.quiet or line.style == "bars":
                continue
            painter.setBrush(self.color(line.role))
            for k in np.flatnonzero((np.asarray(line.x) == self.mark.here) & np.isfinite(y))[:4]:
                if box.top() - 1 <= y[k] <= box.bottom() + 1:
                    painter.drawEllipse(QPointF(float(x[k]), float(y[k])), self.px(3.5), self.px(3.5))

    def draw_rules(self, painter: QPainter, box: QRectF) -> list[QRectF]:
        """Straight lines with their words; where the words stand."""
        taken: list[QRectF] = []
        for rule in self.mark.rules:
            at = share(rule.at, self.mark.x if rule.upright else self.mark.y)
            if not -0.001 <= at <= 1.001:
                continue
            painter.setPen(QPen(self.color(rule.role), self.px(1), Qt.PenStyle.DashLine))
            text = self.look.text(rule.text)
            wide, high = self.width_of(text, "tiny") + self.px(4), self.px(NAME)
            if rule.upright:
                x = box.left() + at * box.width()
                painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
                sides = x + self.px(4), x - wide - self.px(2)
                rects = [QRectF(left, box.top(), wide, high) for left in sides]
            else:
                y = box.bottom() - at * box.height()
                painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
                tops = (y + self.px(1), y - high) if rule.below else (y - high, y + self.px(1))
                lefts = [box.right() - wide - part * (box.width() - wide) for part in ALONG]
                rects = [QRectF(left, top, wide, high) for left in lefts for top in tops]
            rect = self._rule_rect(rects, box, taken)
            for _ in range(6):
                if any(rect.intersects(other) for other in taken):
                    rect.translate(*((0, high) if rule.upright else (-wide - self.px(8), 0)))
            painter.fillRect(rect, self.color("panel", 0.8))
            self.write(painter, rect, text, READ.get(rule.role, rule.role), "tiny")
            taken.append(rect)
        return taken

    def _rule_rect(self, rects: list[QRectF], box: QRectF, taken: list[QRectF]) -> QRectF:
        """The first place off all lines and other words, else the first there is room for."""
        fitting = [rect for rect in rects if box.adjusted(-1, -1, 1, 1).contains(rect)] or rects
        free = (rect for rect in fitting if not any(rect.intersects(other) for other in taken))
        beside = self.px(3)  # the x looked at may be at the edge itself
        clear = (rect for rect in free if not self.crossed(rect.adjusted(-beside, 0, beside, 0), box))
        return next(clear, fitting[0])

    def draw_note(self, painter: QPainter, box: QRectF, text: str) -> None:
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.setFont(self.font_of("small"))
        painter.setPen(self.color("dim"))
        rect = painter.boundingRect(box, flags, text).adjusted(
            -self.px(8), -self.px(3), self.px(8), self.px(3)
        )
        painter.fillRect(rect, self.color("panel"))
        painter.drawText(rect, flags, text)

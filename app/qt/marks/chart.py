"""Lines and points over two scales, with axes, rules and a readout under the pointer."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen

from app.qt.marks.axes import Tick, precise, share, ticks
from app.qt.marks.chart_lines import NAME, READ, PlotLines
from app.scene import Line, Plot, Scale

NEAR = 28  # px from a point within which the pointer means it
KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Home: -(10**9), Qt.Key.Key_End: 10**9}
SAID = 7  # lines in a readout

Place = tuple[int, int]  # line, point


class PlotView(PlotLines):
    """Shows a Plot.  Left / Right, Home / End go from point to point, Enter does what a click does."""

    least = (200, 110)
    wanted = (420, 260)
    mark: Plot
    _cursor: Place | None = None  # under the pointer, or where the keyboard is

    def refresh(self) -> None:
        if self._cursor is not None and not self._there(self._cursor):
            self._cursor = None
        super().refresh()

    def _there(self, place: Place) -> bool:
        return place[0] < len(self.mark.lines) and place[1] < len(self.mark.lines[place[0]].x)

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
        every = max(1, math.ceil(len(scale.ticks) / max(most, 1)))
        return [Tick(share(value, scale), self.look.text(text)) for value, text in scale.ticks[::every]]

    def _head_rows(self) -> list[list[tuple[str, Line | None]]]:
        """What stands above: the name of y, then the legend, in as many rows as they need."""
        parts: list[tuple[str, Line | None]] = [(self.look.text(self.mark.y.name), None)]
        named = self.named()
        if self.mark.legend and len(named) > 1:
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

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        box = self.area()
        self._draw_head(painter)
        self._draw_axis_x(painter, box)
        self._draw_axis_y(painter, box)
        self._draw_here(painter, box)
        self.draw_lines(painter, box)
        self._draw_here_dots(painter, box)
        taken = self._draw_rules(painter, box)
        if not self.mark.legend:
            taken += self.draw_names(painter, box)
        self.draw_labels(painter, box, taken)
        if self.mark.note:
            self._draw_note(painter, box, self.look.text(self.mark.note))
        if self._cursor is not None:
            self._draw_readout(painter, box, self._cursor)

    def _draw_head(self, painter: QPainter) -> None:
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

    def _draw_axis_x(self, painter: QPainter, box: QRectF) -> None:
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

    def _draw_axis_y(self, painter: QPainter, box: QRectF) -> None:
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

    def _draw_here(self, painter: QPainter, box: QRectF) -> None:
        rect, here = self._here_rect(box), self.mark.here
        if rect is None or here is None:
            return
        x = box.left() + share(here, self.mark.x) * box.width()
        painter.setPen(QPen(self.color("accent"), self.px(1.5)))
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        self.write(painter, rect, precise(here), "fg", "tiny", True, Qt.AlignmentFlag.AlignHCenter)

    def _draw_here_dots(self, painter: QPainter, box: QRectF) -> None:
        """On every line that has a point at the x looked at."""
        if self.mark.here is None:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        for line, (x, y) in zip(self.mark.lines, self.spots(box), strict=True):
            if line.quiet or line.style == "bars":
                continue
            painter.setBrush(self.color(line.role))
            for k in np.flatnonzero((np.asarray(line.x) == self.mark.here) & np.isfinite(y))[:4]:
                if box.top() - 1 <= y[k] <= box.bottom() + 1:
                    painter.drawEllipse(QPointF(float(x[k]), float(y[k])), self.px(3.5), self.px(3.5))

    def _draw_rules(self, painter: QPainter, box: QRectF) -> list[QRectF]:
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
                left = x + self.px(4) if x + self.px(4) + wide <= box.right() else x - wide - self.px(2)
                rect = QRectF(left, box.top(), wide, high)
            else:
                y = box.bottom() - at * box.height()
                painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
                top = y - high if y - high >= box.top() else y + self.px(1)
                rect = QRectF(box.right() - wide, top, wide, high)
            for _ in range(6):
                if any(rect.intersects(other) for other in taken):
                    rect.translate(*((0, high) if rule.upright else (-wide - self.px(8), 0)))
            painter.fillRect(rect, self.color("panel", 0.8))
            self.write(painter, rect, text, READ.get(rule.role, rule.role), "tiny")
            taken.append(rect)
        return taken

    def _draw_note(self, painter: QPainter, box: QRectF, text: str) -> None:
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.setFont(self.font_of("small"))
        painter.setPen(self.color("dim"))
        rect = painter.boundingRect(box, flags, text).adjusted(
            -self.px(8), -self.px(3), self.px(8), self.px(3)
        )
        painter.fillRect(rect, self.color("panel"))
        painter.drawText(rect, flags, text)

    # ---- the readout ------------------------------------------------------------------------------------

    def readout(self, place: Place) -> list[tuple[str, str, str]]:
        """(role, name, value) of the point meant, and of the other lines at the same x."""
        mark, (row, k) = self.mark, place
        line, look = mark.lines[row], self.look
        x = float(line.x[k])
        if line.tips and k < len(line.tips) and line.tips[k]:
            title = look.text(line.labels[k]) if k < len(line.labels) else look.text(line.name)
            return [
                (line.role, title, ""),
                *(("fg", part, "") for part in look.text(line.tips[k]).split("\n")),
            ]
        said = [("dim", look.text(mark.x.name) or "x", precise(x))]
        for other in mark.lines:
            same = np.flatnonzero(np.asarray(other.x) == x)
            if other.quiet or (other is not line and len(same) != 1):
                continue
            at = k if other is line else int(same[0])
            name = look.text(other.labels[at]) if at < len(other.labels) else ""
            name = name or look.text(other.name) or look.text(mark.y.name) or "y"
            value = precise(float(other.y[at]))
            if other.low is not None and other.high is not None and math.isfinite(other.low[at]):
                value += f" ({precise(float(other.low[at]))} … {precise(float(other.high[at]))})"
            said.append((other.role, name, value))
        return said[: SAID + 1]

    def _draw_readout(self, painter: QPainter, box: QRectF, place: Place) -> None:
        px = self.px
        line, (x, y) = self.mark.lines[place[0]], self.spots(box)[place[0]]
        at = QPointF(float(x[place[1]]), float(y[place[1]]))
        if not (math.isfinite(at.x()) and math.isfinite(at.y())):
            return
        painter.setPen(QPen(self.color("fg"), px(1.5)))
        painter.setBrush(self.color(line.role))
        painter.drawEllipse(at, px(5), px(5))
        rows = self.readout(place)
        names = max(self.width_of(name, "tiny", bold=True) for _, name, _ in rows)
        values = max(self.width_of(value, "tiny", family="mono") for _, _, value in rows)
        wide = min(names + values + px(34 if values else 24), float(self.width() - px(4)))
        high = len(rows) * px(NAME + 2) + px(8)
        left = at.x() + px(12) if at.x() + px(12) + wide <= self.width() else at.x() - px(12) - wide
        left = min(max(left, px(2)), self.width() - wide - px(2))
        top = min(max(at.y() - high / 2, px(2)), max(self.height() - high - px(2), px(2)))
        painter.setPen(QPen(self.color("outline"), px(1)))
        painter.setBrush(self.color("raised"))
        painter.drawRoundedRect(QRectF(left, top, wide, high), px(4), px(4))
        for k, (role, name, value) in enumerate(rows):
            row = QRectF(left + px(14), top + px(4) + k * px(NAME + 2), wide - px(20), px(NAME + 2))
            if role not in ("dim", "fg"):
                painter.fillRect(
                    QRectF(left + px(6), row.center().y() - px(3), px(5), px(6)), self.color(role)
                )
            self.write(
                painter, row, name, "dim" if role == "dim" else "fg", "tiny", bold=k == 0 and not value
            )
            self.write(painter, row, value, "fg", "tiny", family="mono", align=Qt.AlignmentFlag.AlignRight)

    # ---- what the user does -----------------------------------------------------------------------------

    def nearest(self, at: QPointF) -> Place | None:
        """The point meant by the pointer: the nearest, or the one at the nearest x."""
        box = self.area()
        if not box.adjusted(-self.px(8), -self.px(8), self.px(8), self.px(8)).contains(at):
            return None
        best: tuple[float, Place] | None = None
        for row, (line, (x, y)) in enumerate(zip(self.mark.lines, self.spots(box), strict=True)):
            if line.quiet or not len(x):
                continue
            far = np.abs(x - at.x()) * (1.0 if not self._by_x() else 1e3) + np.abs(y - at.y())
            far = np.where(np.isfinite(far), far, np.inf)
            k = int(np.argmin(far))
            if math.isfinite(far[k]) and (best is None or far[k] < best[0]):
                best = float(far[k]), (row, k)
        if best is None or self._by_x():
            return None if best is None else best[1]
        return best[1] if best[0] <= self.px(NEAR) * 1.4 else None

    def _by_x(self) -> bool:
        """Whether the whole width answers, not only what is near a point."""
        return bool(self.mark.event or self.mark.hover) or all(
            line.style != "points" for line in self.mark.lines if not line.quiet
        )

    def x_of(self, place: Place) -> float:
        return float(self.mark.lines[place[0]].x[place[1]])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._look_at(self.nearest(event.position()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._look_at(None)
        super().leaveEvent(event)

    def _look_at(self, place: Place | None) -> None:
        before, self._cursor = self._cursor, place
        if before == place:
            return
        self.update()
        was, now = (
            None if one is None or not self._there(one) else self.x_of(one) for one in (before, place)
        )
        if was != now:
            self.tell(self.mark.hover, now)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.nearest(event.position())
        if place is not None:
            self._choose(place)
        super().mousePressEvent(event)

    def _choose(self, place: Place) -> None:
        if self.mark.point_event and place[0] < len(self.mark.ids):
            self.tell(self.mark.point_event, (self.mark.ids[place[0]], place[1]))
        self.tell(self.mark.event, self.x_of(place))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        by = KEYS.get(key)
        if by is not None and event.modifiers() == Qt.KeyboardModifier.NoModifier and self._walk(by):
            return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._cursor is not None:
            self._choose(self._cursor)
        elif key == Qt.Key.Key_Escape and self._cursor is not None:
            self._look_at(None)
        else:
            super().keyPressEvent(event)

    def _walk(self, by: int) -> bool:
        """To the next point by x: tells the x looked at, or shows the point's readout."""
        places = sorted(
            (float(line.x[k]), row, k)
            for row, line in enumerate(self.mark.lines) if not line.quiet
            for k in np.flatnonzero(np.isfinite(line.x) & np.isfinite(line.y)).tolist()
        )  # fmt: skip
        if not places:
            return False
        if self.mark.event:
            xs = sorted({x for x, _, _ in places})
            here = self.mark.here
            before = [k for k, x in enumerate(xs) if here is not None and x <= here]
            place = (before[-1] if before else -1 if by > 0 else 0) + by
            if here is not None and before and by < 0 and xs[before[-1]] < here:
                place += 1  # it stood between two points
            self.tell(self.mark.event, xs[min(max(place, 0), len(xs) - 1)])
            return True
        order = [(row, k) for _, row, k in places]
        now = order.index(self._cursor) if self._cursor in order else (-1 if by > 0 else len(order))
        self._look_at(order[min(max(now + by, 0), len(order) - 1)])
        return True

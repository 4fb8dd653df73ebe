"""Lines and points over two scales, with axes, rules and a readout under the pointer."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from app.qt.marks.axes import precise
from app.qt.marks.chart_axes import PlotAxes
from app.qt.marks.chart_words import NAME
from app.scene import Plot

NEAR = 28  # px from a point within which the pointer means it
KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Home: -(10**9), Qt.Key.Key_End: 10**9}
SAID = 7  # lines in a readout

Place = tuple[int, int]  # line, point


class PlotView(PlotAxes):
    """Shows a Plot.  Left / Right, Home / End go from point to point, Enter takes the point gone to.

    enlarged: its key, when Enter (where no point is to be taken) or a double click asks for it large.
    """

    enlarged = Signal(str)

    least = (200, 110)
    wanted = (420, 260)
    mark: Plot
    _cursor: Place | None = None  # under the pointer, or where the keyboard is

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        high = self.px(self.mark.height) if self.mark is not None and self.mark.height else hint.height()
        return QSize(hint.width(), high)

    def sizeHint(self) -> QSize:
        high = self.minimumSizeHint().height() if self.mark is not None and self.mark.height else 0
        return QSize(super().sizeHint().width(), high) if high else super().sizeHint()

    def refresh(self) -> None:
        down = QSizePolicy.Policy.Fixed if self.mark.height else QSizePolicy.Policy.Expanding
        self.setSizePolicy(QSizePolicy.Policy.Expanding, down)
        if self.minimumHeight() != (high := self.px(self.mark.height) if self.mark.height else 0):
            self.setMinimumHeight(high)
            self.updateGeometry()
        if self._cursor is not None and not self._there(self._cursor):
            self._cursor = None
        super().refresh()

    def _there(self, place: Place) -> bool:
        return place[0] < len(self.mark.lines) and place[1] < len(self.mark.lines[place[0]].x)

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        box = self.area()
        self.draw_head(painter)
        self.draw_axis_x(painter, box)
        self.draw_axis_y(painter, box)
        self.draw_here(painter, box)
        self.draw_lines(painter, box)
        self.draw_here_dots(painter, box)
        taken = self.draw_rules(painter, box)
        if not self.mark.legend:
            taken += self.draw_names(painter, box)
        self.draw_labels(painter, box, taken)
        if self.mark.note:
            self.draw_note(painter, box, self.look.text(self.mark.note))
        if self._cursor is not None:
            self._draw_readout(painter, box, self._cursor)

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

    @property
    def chooses(self) -> bool:
        """Whether Enter takes a point now."""
        return bool(self.mark.point_event) and self._cursor is not None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if not self.mark.point_event or self.nearest(event.position()) is None:
            self._enlarge()

    def _enlarge(self) -> None:
        if self.mark.lines:
            self.enlarged.emit(self.mark.key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        by = KEYS.get(key)
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        if by is not None and plain and self._walk(by):
            return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._cursor is not None and self.chooses:
                self._choose(self._cursor)
            else:
                self._enlarge()
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

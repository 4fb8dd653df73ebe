"""Steps over positions, and the watch table below, on one column axis; one frame runs through both.

Wide columns show numbers, narrow ones bars, and below four pixels a bar stands for a block of positions.
Painted rows are kept, since a line changes one or two of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEngine, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from app.qt.marks.base import Look, Pieces
from app.qt.marks.lane_rows import HEAD, NUMBERS_AT, TITLE, LaneRows
from app.qt.marks.places import counted_from, labelled
from app.scene import Lane

MOST_STRIPS = 400  # painted rows kept


class LanesView(LaneRows):
    """Shows Lanes.  Arrows move the column, Enter pins it, Esc unpins."""

    least = (420, 380)
    wanted = (640, 640)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._strips: dict[Any, QPixmap] = {}

    def restyle(self, look: Look) -> None:
        self._strips.clear()
        super().restyle(look)

    # ---- places -----------------------------------------------------------------------------------------

    def column_at(self, point: QPointF) -> int | None:
        col = math.floor((point.x() - self.left()) / max(self.cell_w(), 0.01))
        return col if 0 <= col < len(self.mark.cols) else None

    def step_at(self, point: QPointF) -> int | None:
        for row in range(len(self.mark.steps)):
            if self.step_rect(row).contains(point):
                return row
        return None

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        self.fill(painter)
        blocks = self.blocks()
        numbers = self.cell_w() >= self.px(NUMBERS_AT)
        if self.touched(QRectF(0, 0, self.width(), self.px(HEAD))):
            self._draw_heads(painter)
        for row in range(len(self.mark.steps)):
            rect = self.step_rect(row)
            draw = partial(self._draw_step, row=row, blocks=blocks, numbers=numbers)
            if self.touched(rect):
                self._strip(painter, rect, self._row_key(row), draw)
        for row, lane in enumerate(self.mark.lanes):
            rect = self.lane_rect(row)
            draw = partial(self._draw_lane, rect=rect, lane=lane, blocks=blocks, numbers=numbers)
            if self.touched(rect):
                self._strip(painter, rect, _lane_key(lane), draw)
        self._draw_frames(painter)
        if self.touched(self.title_rect()):
            self._draw_title(painter)

    def title_rect(self) -> QRectF:
        return QRectF(0, self.lane_rect(0).top() - self.px(TITLE), self.width(), self.px(TITLE))

    def _draw_title(self, painter: QPainter) -> None:
        """The watch table's heading, clear of the frame that runs through both tables."""
        rect = self.title_rect()
        name, note = self.look.text(self.mark.watch_title), self.look.text(self.mark.watch_note)
        start = self.width_of(name, "title", bold=True) + self.px(12)
        clear = QRectF(0, rect.top() + self.px(6), start + self.width_of(note) + self.px(4), self.px(18))
        painter.fillRect(clear, self.color("panel"))
        self.write(painter, rect, name, "fg", "title", bold=True)
        self.write(painter, rect.adjusted(start, 0, 0, 0), note, "dim")

    def pieces(self) -> Pieces:
        """Its rows and the heading between them; names of columns and frames are of the whole."""
        mark = self.mark
        whole = mark.cols, mark.pinned, mark.hovered, len(mark.steps), self.look, self.size().toTuple()
        title = self.title_rect(), (mark.watch_title, mark.watch_note)
        steps = [(self.step_rect(row), self._row_key(row)) for row in range(len(mark.steps))]
        lanes = [(self.lane_rect(row), _lane_key(lane)) for row, lane in enumerate(mark.lanes)]
        return Pieces(whole, (title, *steps, *lanes))

    def _row_key(self, row: int) -> tuple[Any, ...]:
        mark = self.mark
        ghost = b"" if mark.ghost is None or row >= len(mark.ghost) else mark.ghost[row].tobytes()
        seen = mark.kinds[row].tobytes(), mark.fills[row].tobytes(), ghost
        return mark.steps[row], row == mark.current, mark.step_notes[row], *seen

    def _strip(
        self, painter: QPainter, rect: QRectF, key: tuple[Any, ...], draw: Callable[[QPainter], None]
    ) -> None:
        """A row as it was painted the last time it looked like this: a line changes one row or two.

        Only on pixels: a drawing that keeps its text (SVG, PDF) is drawn anew.
        """
        engine = painter.paintEngine()
        if engine is None or engine.type() != QPaintEngine.Type.Raster:
            draw(painter)
            return
        ratio = painter.device().devicePixelRatio()
        top, high = math.floor(rect.top()), math.ceil(rect.bottom()) - math.floor(rect.top()) + 1
        whole = (*key, top, high, self.width(), ratio)
        if whole not in self._strips:
            while len(self._strips) >= MOST_STRIPS:
                self._strips.pop(next(iter(self._strips)))  # the one not looked at for longest
            made = QPixmap(round(self.width() * ratio), round(high * ratio))
            made.setDevicePixelRatio(ratio)
            made.fill(Qt.GlobalColor.transparent)
            with QPainter(made) as inner:
                inner.setRenderHint(QPainter.RenderHint.Antialiasing)
                inner.translate(0, -top)
                draw(inner)
            self._strips[whole] = made
        self._strips[whole] = self._strips.pop(whole)
        painter.drawPixmap(QPointF(0, top), self._strips[whole])

    def _draw_heads(self, painter: QPainter) -> None:
        """Tokens where they fit, else numbers of positions; a narrow pinned column wears a flag."""
        mark, px = self.mark, self.px
        wide = self.cell_w()
        full = wide >= px(NUMBERS_AT)
        every = 1 if full else max(1, math.ceil(px(30) / max(wide, 0.1)))
        flag = None if full or mark.pinned is None else self.flag_rect(mark.pinned)
        for col in labelled(len(mark.cols), every, (mark.pinned,), counted_from(mark.cols)):
            bold = col == mark.pinned
            if bold and flag is not None:
                continue
            text = mark.cols.labels[col] if full else str(mark.cols.numbers[col])
            room = wide if full else px(30)
            rect = QRectF(self.left() + (col + 0.5) * wide - room / 2, px(3), room, px(HEAD - 4))
            if flag is not None and flag.intersects(rect.adjusted(px(6), 0, -px(6), 0)):
                continue
            role = "fg" if bold or col == mark.hovered else "dim"
            self.write(painter, rect, text, role, bold=bold, align=Qt.AlignmentFlag.AlignHCenter)
        if flag is not None and mark.pinned is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.color("accent"))
            painter.drawRoundedRect(flag, px(4), px(4))
            self.write(painter, flag, self.flag_text(mark.pinned), "on_accent", bold=True,
                       align=Qt.AlignmentFlag.AlignHCenter)  # fmt: skip

    def flag_text(self, col: int) -> str:
        token = self.mark.cols.labels[col]
        return f"{self.mark.cols.numbers[col]} {token if len(token) <= 10 else token[:9] + '…'}"

    def flag_rect(self, col: int) -> QRectF:
        """The flag over a narrow column, inside the widget."""
        wide = self.width_of(self.flag_text(col), bold=True) + self.px(12)
        middle = self.left() + (col + 0.5) * self.cell_w()
        left = min(max(middle - wide / 2, self.left() - self.px(10)), self.width() - wide)
        return QRectF(left, self.px(2), wide, self.px(HEAD - 5))

    def _draw_frames(self, painter: QPainter) -> None:
        mark, px = self.mark, self.px
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if mark.hovered is not None and mark.hovered < len(mark.cols):
            painter.setPen(QPen(self.color("outline"), 1, Qt.PenStyle.DashLine))
            painter.drawRect(self.column_rect(mark.hovered))
        if mark.pinned is not None and mark.pinned < len(mark.cols):
            rect = self.column_rect(mark.pinned)
            if self.cell_w() < px(NUMBERS_AT):
                rect.setTop(px(HEAD - 3))
            if rect.width() < px(6):
                rect = QRectF(rect.center().x() - px(3), rect.top(), px(6), rect.height())
            painter.setPen(QPen(self.color("accent"), px(2)))
            painter.drawRoundedRect(rect, px(6), px(6))

    # ---- what the user does -----------------------------------------------------------------------------

    def _value(self, col: int) -> int:
        return self.mark.cols.numbers[col] - 1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        col = self.column_at(event.position())
        if col != self.mark.hovered:
            self.tell(self.mark.hover, (None, None) if col is None else (self._value(col), self._value(col)))

    def leaveEvent(self, event: QEvent) -> None:
        if self.mark is not None and self.mark.hovered is not None:
            self.tell(self.mark.hover, (None, None))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        col, row = self.column_at(event.position()), self.step_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton:
            if col is not None:
                self.tell(self.mark.pin, self._value(col))
            elif row is not None:
                self.tell(self.mark.step_event, self.mark.steps[row])
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, mark = Qt.Key(event.key()), self.mark
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(key)
        if by is not None and len(mark.cols):
            start = mark.hovered if mark.hovered is not None else mark.pinned or 0
            value = self._value(min(max(start + by, 0), len(mark.cols) - 1))
            self.tell(mark.hover, (value, value))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and mark.hovered is not None:
            self.tell(mark.pin, self._value(mark.hovered))
        elif key == Qt.Key.Key_Escape and mark.hovered is not None:  # else it is the program's
            self.tell(mark.hover, (None, None))
            self.tell(mark.pin, None)
        else:
            super().keyPressEvent(event)


def _lane_key(lane: Lane) -> tuple[Any, ...]:
    before = b"" if lane.before is None else lane.before.tobytes()
    flags = (lane.whole, lane.stale, lane.current, lane.hidden)
    return lane.name, lane.note, lane.scale, flags, lane.values.tobytes(), before

"""Steps over positions, and the watch table below, on one column axis; one frame runs through both.

Wide columns show numbers, narrow ones bars, and below four pixels a bar stands for a block of positions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEngine, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QWidget

from app.qt.marks.base import Array, Look, Painted, labelled, mixed
from app.scene import Lane, Lanes

GUTTER, GRID_ROW, LANE_ROW = 140, 31, 46
NUMBERS_AT, BLOCK_AT = 35, 4
HEAD, TITLE = 24, 30
MOST_STRIPS = 240  # painted rows kept
RUNNING, HALTS, HALTED = 1, 2, 3


class LanesView(Painted):
    """Shows Lanes.  Arrows move the column, Enter pins it, Esc unpins."""

    least = (420, 380)
    wanted = (640, 640)
    mark: Lanes

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._strips: dict[Any, QPixmap] = {}

    def restyle(self, look: Look) -> None:
        self._strips.clear()
        super().restyle(look)

    # ---- places -----------------------------------------------------------------------------------------

    def left(self) -> float:
        return float(self.px(GUTTER))

    def cell_w(self) -> float:
        return (self.width() - self.left() - self.px(6)) / max(len(self.mark.cols), 1)

    def split(self) -> tuple[float, float]:
        """Heights of a step's row and of a variable's."""
        free = self.height() - self.px(HEAD + TITLE + 6)
        steps, lanes = max(len(self.mark.steps), 1), max(len(self.mark.lanes), 1)
        grid = min(self.px(GRID_ROW), 0.42 * free / steps)
        return grid, min((free - grid * steps) / lanes, self.px(LANE_ROW + 8))

    def step_rect(self, row: int) -> QRectF:
        high = self.split()[0]
        return QRectF(0, self.px(HEAD) + row * high, self.width(), high)

    def lane_rect(self, row: int) -> QRectF:
        grid, high = self.split()
        top = self.px(HEAD + TITLE) + grid * len(self.mark.steps)
        return QRectF(0, top + row * high, self.width(), high)

    def column_rect(self, col: int) -> QRectF:
        """One position through both tables."""
        bottom = self.lane_rect(len(self.mark.lanes)).top()
        return QRectF(self.left() + col * self.cell_w(), self.px(2), self.cell_w(), bottom - self.px(4))

    def cell(self, row: QRectF, first: int, last: int | None = None) -> QRectF:
        wide = self.cell_w()
        last = first + 1 if last is None else last
        return QRectF(self.left() + first * wide, row.top(), (last - first) * wide, row.height())

    def blocks(self) -> list[tuple[int, int]]:
        """Half-open ranges of positions that share a bar."""
        count = len(self.mark.cols)
        each = 1 if self.cell_w() >= BLOCK_AT else math.ceil(BLOCK_AT / max(self.cell_w(), 0.01))
        return [(first, min(first + each, count)) for first in range(0, count, each)]

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
        blocks = self.blocks()
        numbers = self.cell_w() >= self.px(NUMBERS_AT)
        self._draw_heads(painter)
        for row, step in enumerate(self.mark.steps):
            key = (step, row == self.mark.current, self.mark.step_notes[row], *self._row_key(row))
            self._strip(
                painter,
                self.step_rect(row),
                key,
                partial(self._draw_step, row=row, blocks=blocks, numbers=numbers),
            )
        title = self.lane_rect(0)
        rect = QRectF(0, title.top() - self.px(TITLE), self.width(), self.px(TITLE))
        name = self.look.text(self.mark.watch_title)
        self.write(painter, rect, name, "fg", "title", bold=True)
        note = rect.adjusted(self.width_of(name, "title", bold=True) + self.px(12), 0, 0, 0)
        self.write(painter, note, self.look.text(self.mark.watch_note), "dim")
        for row, lane in enumerate(self.mark.lanes):
            rect = self.lane_rect(row)
            draw = partial(self._draw_lane, rect=rect, lane=lane, blocks=blocks, numbers=numbers)
            self._strip(painter, rect, _lane_key(lane), draw)
        self._draw_frames(painter)

    def _row_key(self, row: int) -> tuple[Any, ...]:
        mark = self.mark
        ghost = b"" if mark.ghost is None or row >= len(mark.ghost) else mark.ghost[row].tobytes()
        return mark.kinds[row].tobytes(), mark.fills[row].tobytes(), ghost

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
            if len(self._strips) >= MOST_STRIPS:
                self._strips.clear()
            made = QPixmap(round(self.width() * ratio), round(high * ratio))
            made.setDevicePixelRatio(ratio)
            made.fill(Qt.GlobalColor.transparent)
            inner = QPainter(made)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            inner.translate(0, -top)
            draw(inner)
            inner.end()
            self._strips[whole] = made
        painter.drawPixmap(QPointF(0, top), self._strips[whole])

    def _draw_heads(self, painter: QPainter) -> None:
        """Tokens where they fit, else numbers of positions; a narrow pinned column wears a flag."""
        mark, px = self.mark, self.px
        wide = self.cell_w()
        full = wide >= px(NUMBERS_AT)
        every = 1 if full else max(1, math.ceil(px(30) / max(wide, 0.1)))
        flag = None if full or mark.pinned is None else self.flag_rect(mark.pinned)
        for col in labelled(len(mark.cols), every, (mark.pinned,)):
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

    def _draw_step(self, painter: QPainter, row: int, blocks: list[tuple[int, int]], numbers: bool) -> None:
        mark, px, rect = self.mark, self.px, self.step_rect(row)
        here = row == mark.current
        text_size = "small" if rect.height() >= px(14) else "tiny"
        label = QRectF(px(14), rect.top(), px(54), rect.height())
        self.write(painter, label, f"t = {mark.steps[row]}", "fg" if here else "dim", text_size, bold=here)
        note = QRectF(px(60), rect.top(), self.left() - px(70), rect.height())
        self.write(painter, note, self.look.text(mark.step_notes[row]), "fg" if here else "dim", text_size,
                   align=Qt.AlignmentFlag.AlignRight)  # fmt: skip
        if here:
            x, y, size = px(3), rect.center().y(), px(4)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.color("accent"))
            painter.drawPolygon(
                QPolygonF([QPointF(x, y - size), QPointF(x + size * 1.5, y), QPointF(x, y + size)])
            )
        gap = px(2) if self.cell_w() >= px(12) else min(0.5, self.cell_w() / 8)
        for first, last in blocks:
            box = self.cell(rect, first, last).adjusted(gap, px(1.5), -gap, -px(1.5))
            self._draw_cell(painter, box, row, first, last, numbers)

    def _draw_cell(
        self, painter: QPainter, box: QRectF, row: int, first: int, last: int, numbers: bool
    ) -> None:
        mark, px = self.mark, self.px
        kinds = mark.kinds[row, first:last]
        kind = int(kinds[0]) if last - first == 1 else int(_of_block(kinds))
        round_ = px(4) if box.width() > px(16) else px(2) if box.width() > px(6) else 0
        if kind == 0:
            painter.setPen(QPen(self.color("grid"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if box.width() >= 3:
                painter.drawRoundedRect(box, round_, round_)
            return
        if kind == HALTED:
            self.hatch(painter, box)
        else:
            value = float(np.nanmax(mark.fills[row, first:last]))
            back, ink = self.color("raised"), self.color("halts" if kind == HALTS else "running")
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(back)
            painter.drawRoundedRect(box, round_, round_)
            share = min(max(value, 0.0), 1.0)
            fill = QRectF(box.left(), box.bottom() - share * box.height(), box.width(), share * box.height())
            painter.setBrush(mixed(back, ink, 0.5))
            painter.drawRoundedRect(fill, min(round_, fill.height() / 2), min(round_, fill.height() / 2))
            if kind == HALTS:
                painter.setPen(QPen(self.color("halts"), px(1.5) if box.width() > px(6) else 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(box, round_, round_)
            if numbers and box.height() >= px(11):
                self.write(painter, box, f"{value:.2f}", "fg", "small" if box.height() >= px(15) else "tiny",
                           align=Qt.AlignmentFlag.AlignHCenter, family="mono")  # fmt: skip
        if mark.ghost is not None and row < len(mark.ghost):
            self._draw_ghost(painter, box, mark.ghost[row, first:last], mark.fills[row, first:last])

    def _draw_ghost(self, painter: QPainter, box: QRectF, ghost: Array, now: Array) -> None:
        """The other run's height as a dashed line, where it differs."""
        differs = ~np.isclose(ghost, now, equal_nan=True) & np.isfinite(ghost)
        if not differs.any():
            return
        y = box.bottom() - min(float(ghost[differs].max()), 1.0) * box.height()
        for role, width, style in (
            ("halo", 3, Qt.PenStyle.SolidLine),
            ("remainder", 2, Qt.PenStyle.DashLine),
        ):
            painter.setPen(QPen(self.color(role), self.px(width), style))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))

    # ---- the watch table --------------------------------------------------------------------------------

    def _draw_lane(
        self, painter: QPainter, rect: QRectF, lane: Lane, blocks: list[tuple[int, int]], numbers: bool
    ) -> None:
        px = self.px
        painter.setPen(QPen(self.color("grid"), 1))
        painter.drawLine(QPointF(0, rect.top()), QPointF(rect.right(), rect.top()))
        if lane.current:
            painter.fillRect(
                QRectF(0, rect.top() + px(4), px(3), rect.height() - px(8)), self.color("accent")
            )
        role = "fg" if lane.current else "dim"
        room = self.left() - px(14)
        if lane.note and rect.height() >= px(32):
            half = rect.height() / 2
            above = QRectF(px(10), rect.top() + px(3), room, half - px(2))
            below = QRectF(px(10), rect.top() + half, room, half - px(4))
            self.write(painter, above, lane.name, role, "tiny", bold=lane.current, family="mono")
            self.write(painter, below, lane.note, "dim", "tiny", family="mono")
        else:
            name = QRectF(px(10), rect.top(), room, rect.height())
            self.write(painter, name, lane.name, role, "tiny", bold=lane.current, family="mono")
        if numbers and rect.height() >= px(13):
            for col in range(len(self.mark.cols)):
                self._draw_number(painter, self.cell(rect, col), lane, col)
        else:
            for first, last in blocks:
                self._draw_bar(painter, self.cell(rect, first, last), lane, first, last)

    def _draw_number(self, painter: QPainter, box: QRectF, lane: Lane, col: int) -> None:
        px = self.px
        value = float(lane.values[col])
        centre = Qt.AlignmentFlag.AlignHCenter
        if lane.hidden:
            self.write(painter, box, "?", "accent", "small", bold=True, align=centre, family="mono")
            return
        old = math.nan if lane.before is None else float(lane.before[col])
        if not math.isfinite(value):
            self.write(painter, box, "–" if math.isnan(value) else "∞", "faint", align=centre, family="mono")
            return
        if not math.isfinite(old):
            role = "faint" if lane.stale else "dim" if value == 0 else "fg"
            self.write(painter, box, number(value, lane.whole), role, align=centre, family="mono")
            return
        chip = box.adjusted(px(2), px(2), -px(2), -px(2))
        painter.setPen(QPen(self.color("changed"), px(1)))
        painter.setBrush(self.color("changed_bg"))
        painter.drawRoundedRect(chip, px(4), px(4))
        self._draw_corner(painter, chip)
        if chip.height() < px(26):
            self.write(
                painter, chip, number(value, lane.whole), "changed", bold=True, align=centre, family="mono"
            )
            return
        half = chip.height() / 2
        above = QRectF(chip.left(), chip.top() + px(1), chip.width(), half)
        below = QRectF(chip.left(), chip.top() + half - px(1), chip.width(), half)
        self.write(
            painter, above, number(value, lane.whole), "changed", bold=True, align=centre, family="mono"
        )
        self.write(painter, below, number(old, lane.whole), "changed", "tiny", align=centre, family="mono")

    def _draw_corner(self, painter: QPainter, chip: QRectF) -> None:
        """The mark of a change that does not need colour."""
        size, x, y = self.px(3), chip.left() + self.px(3), chip.top() + self.px(3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color("changed"))
        painter.drawPolygon(
            QPolygonF([QPointF(x, y + size), QPointF(x + size / 2, y), QPointF(x + size, y + size)])
        )

    def _draw_bar(self, painter: QPainter, box: QRectF, lane: Lane, first: int, last: int) -> None:
        px = self.px
        values = lane.values[first:last]
        finite = np.abs(values[np.isfinite(values)])
        if lane.hidden or not finite.size:
            return
        gap = px(1.5) if self.cell_w() >= px(6) else min(0.5, self.cell_w() / 8)
        share = min(float(finite.max()) / (lane.scale or 1.0), 1.0)
        inner = box.adjusted(gap, px(5), -gap, -px(3))
        high = share * inner.height()
        changed = lane.before is not None and bool(np.isfinite(lane.before[first:last]).any())
        painter.setPen(Qt.PenStyle.NoPen)
        role = "changed" if changed else "faint" if lane.stale else "running"
        painter.fillRect(
            QRectF(inner.left(), inner.bottom() - max(high, 1.0 if changed else 0.0), inner.width(),
                   max(high, 1.0 if changed else 0.0)),
            self.color(role, 1.0 if changed else 0.55),
        )  # fmt: skip

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
        elif key == Qt.Key.Key_Escape:
            self.tell(mark.hover, (None, None))
            self.tell(mark.pin, None)
        else:
            super().keyPressEvent(event)


def _lane_key(lane: Lane) -> tuple[Any, ...]:
    before = b"" if lane.before is None else lane.before.tobytes()
    flags = (lane.whole, lane.stale, lane.current, lane.hidden)
    return lane.name, lane.note, lane.scale, flags, lane.values.tobytes(), before


def _of_block(kinds: Array) -> int:
    """What a block of positions shows: that some halt now, else that some run, else that all have halted."""
    for kind in (HALTS, RUNNING, HALTED):
        if (kinds == kind).any():
            return kind
    return 0


def number(value: float, whole: bool = False) -> str:
    """Two decimals; counts without; large ones shorter."""
    if whole and value == round(value):
        return f"{value:.0f}"
    size = abs(value)
    return f"{value:.2f}" if size < 9.995 else f"{value:.1f}" if size < 99.95 else f"{value:.0f}"

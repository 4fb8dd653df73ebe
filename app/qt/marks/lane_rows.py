"""The rows of the debugger's table: steps over positions, variables over positions, numbers or bars."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.palette import FILL
from app.qt.marks.base import Array, Painted, mixed
from app.qt.marks.places import stretches
from app.scene import Lane, Lanes

GUTTER, GRID_ROW, LANE_ROW = 142, 31, 46
NUMBERS_AT, BLOCK_AT = 34, 4
HEAD, TITLE = 24, 30
ROUND_AT = 16  # px of a cell from which its corners are round
RUNNING, HALTS, HALTED = 1, 2, 3
RANK, OF_RANK = np.array([0, 2, 3, 1], np.uint8), np.array([0, HALTED, RUNNING, HALTS], np.uint8)
"""What a block of positions shows: that some halt now, else that some run, else that all have halted."""


class LaneRows(Painted):
    """Places of rows and columns, and how a row is painted."""

    mark: Lanes
    _split_of: object = None
    _split = (0.0, 0.0)
    _rows_of: object = None
    _steps: tuple[QRectF, ...] = ()
    _lanes: tuple[QRectF, ...] = ()

    def left(self) -> float:
        return float(self.px(GUTTER))

    def cell_w(self) -> float:
        return (self.width() - self.left() - self.px(6)) / max(len(self.mark.cols), 1)

    def split(self) -> tuple[float, float]:
        """Heights of a step's row and of a variable's; reckoned once for a size and a number of rows."""
        known = self.height(), len(self.mark.steps), len(self.mark.lanes), self.look
        if known != self._split_of:
            self._split_of, self._split = known, self._reckoned_split()
        return self._split

    def _reckoned_split(self) -> tuple[float, float]:
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
        if self.cell_w() < px(ROUND_AT):
            self._draw_narrow(painter, row, rect, blocks)
            return
        gap = px(2)
        for first, last in blocks:
            box = self.cell(rect, first, last).adjusted(gap, px(1.5), -gap, -px(1.5))
            self._draw_cell(painter, box, row, first, last, numbers)

    def _draw_cell(
        self, painter: QPainter, box: QRectF, row: int, first: int, last: int, numbers: bool
    ) -> None:
        mark, px = self.mark, self.px
        kinds = mark.kinds[row, first:last]
        kind = int(OF_RANK[RANK[kinds].max()])
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
            painter.setBrush(mixed(back, ink, FILL))
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

    def _draw_narrow(self, painter: QPainter, row: int, rect: QRectF, blocks: list[tuple[int, int]]) -> None:
        """All cells of a row at once, by kind; neighbours that have halted share one hatch."""
        mark, px = self.mark, self.px
        starts = np.array([first for first, _ in blocks])
        kinds = OF_RANK[np.maximum.reduceat(RANK[mark.kinds[row]], starts)]
        fills = np.clip(np.fmax.reduceat(mark.fills[row], starts), 0.0, 1.0)
        gap = min(px(1), self.cell_w() * (blocks[0][1] - blocks[0][0]) / 8)
        top, high = rect.top() + px(1.5), rect.height() - px(3)
        wide, left = self.cell_w(), self.left() + gap
        boxes = [
            QRectF(left + first * wide, top, (last - first) * wide - 2 * gap, high) for first, last in blocks
        ]

        def rects(kind: int, filled: bool) -> list[QRectF]:
            places = np.flatnonzero(kinds == kind)
            if not filled:
                return [boxes[k] for k in places.tolist()]
            levels = fills[places] * high
            each = zip(places.tolist(), (top + high - levels).tolist(), levels.tolist(), strict=True)
            return [QRectF(boxes[k].left(), y, boxes[k].width(), level) for k, y, level in each]

        painter.setPen(QPen(self.color("grid"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if boxes[0].width() >= 3:
            painter.drawRects(rects(0, filled=False))
        painter.setPen(Qt.PenStyle.NoPen)
        back = self.color("raised")
        for kind, role in ((RUNNING, "running"), (HALTS, "halts")):
            painter.setBrush(back)
            painter.drawRects(rects(kind, filled=False))
            painter.setBrush(mixed(back, self.color(role), FILL))
            painter.drawRects(rects(kind, filled=True))
        for first, last in stretches(tuple(bool(kind == HALTED) for kind in kinds)):
            self.hatch(painter, boxes[first].united(boxes[last - 1]))
        painter.setPen(QPen(self.color("halts"), px(1.5) if boxes[0].width() > px(6) else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRects(rects(HALTS, filled=False))
        if mark.ghost is not None and row < len(mark.ghost):
            for box, (first, last) in zip(boxes, blocks, strict=True):
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
            self._draw_bars(painter, rect, lane, blocks)

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
            role = "dim" if lane.stale or value == 0 else "fg"
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
        size, x, y = self.px(6), chip.left() + 1, chip.top() + 1
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color("changed"))
        painter.drawPolygon(QPolygonF([QPointF(x, y), QPointF(x + size, y), QPointF(x, y + size)]))

    def _draw_bars(self, painter: QPainter, rect: QRectF, lane: Lane, blocks: list[tuple[int, int]]) -> None:
        """The largest value of each block as a bar; changed ones in their own colour."""
        px = self.px
        if lane.hidden:
            return
        starts = np.array([first for first, _ in blocks])
        sizes = np.fmax.reduceat(np.abs(np.where(np.isfinite(lane.values), lane.values, np.nan)), starts)
        changed = np.zeros(len(blocks), bool)
        if lane.before is not None:
            changed = np.maximum.reduceat(np.isfinite(lane.before), starts)
        wide = self.cell_w() * (blocks[0][1] - blocks[0][0])
        gap = px(1.5) if wide >= px(6) else min(0.5, wide / 8)
        cell, left = self.cell_w(), self.left() + gap
        top, high = rect.top() + px(5), rect.height() - px(8)
        levels = np.minimum(np.nan_to_num(sizes) / (lane.scale or 1.0), 1.0) * high
        levels = np.where(changed, np.maximum(levels, 1.0), levels)
        painter.setPen(Qt.PenStyle.NoPen)
        tops, sizes = (top + high - levels).tolist(), levels.tolist()  # one by one they take long
        for flag, role, alpha in (
            (False, "faint" if lane.stale else "running", 0.55),
            (True, "changed", 1.0),
        ):
            bars = []
            for k in np.flatnonzero((changed == flag) & (levels > 0)).tolist():
                first, last = blocks[k]
                bars.append(QRectF(left + first * cell, tops[k], (last - first) * cell - 2 * gap, sizes[k]))
            painter.setBrush(self.color(role, alpha))
            painter.drawRects(bars)


def number(value: float, whole: bool = False) -> str:
    """Two decimals; counts without; large ones shorter."""
    if whole and value == round(value):
        return f"{value:.0f}"
    size = abs(value)
    return f"{value:.2f}" if size < 9.995 else f"{value:.1f}" if size < 99.95 else f"{value:.0f}"

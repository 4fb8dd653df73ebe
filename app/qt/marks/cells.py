"""A small grid of cells: text left, value right, filled by weight; a label before each row."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip

from app.holes import no_number
from app.qt.marks.base import Painted, mixed
from app.scene import Cell, Cells

ROW = 42
TWO_LINES = 28  # px of a row from which a cell has two lines


class CellsView(Painted):
    """Shows Cells; arrows move, Enter does what a click does."""

    least = (200, 120)
    wanted = (300, 260)
    mark: Cells
    _focused = (0, 0)
    _gutter = 0.0

    def refresh(self) -> None:
        """The labels before the rows are whole: "t = 1", "t = 999"."""
        widths = [self.width_of(self.look.text(label), bold=True) for label in self.mark.labels]
        self._gutter = max([*widths, float(self.px(30))]) + self.px(10)
        super().refresh()

    def row_rect(self, row: int) -> QRectF:
        px = self.px
        height = min((self.height() - px(4)) / max(len(self.mark.rows), 1), px(ROW))
        return QRectF(0, px(2) + row * height, self.width(), height)

    def cell_rect(self, row: int, col: int) -> QRectF:
        px, line = self.px, self.row_rect(row)
        left = self._gutter
        wide = (line.width() - left) / max(self.mark.columns, 1)
        return QRectF(left + col * wide, line.top() + px(2), wide - px(4), line.height() - px(4))

    def draw(self, painter: QPainter) -> None:
        px = self.px
        for row, cells in enumerate(self.mark.rows):
            line = self.row_rect(row)
            current = row == self.mark.current
            label = QRectF(px(4), line.top(), self._gutter - px(4), line.height())
            self.write(painter, label, self.look.text(self.mark.labels[row]), "fg" if current else "dim",
                       bold=current)  # fmt: skip
            if not cells:
                self._draw_empty(painter, row)
            for col, cell in enumerate(cells):
                self._draw_cell(painter, cell, self.cell_rect(row, col), current)
        if self.hasFocus() and self._cell(*self._focused) is not None:
            painter.setPen(QPen(self.color("accent"), px(2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.cell_rect(*self._focused), px(4), px(4))

    def _draw_empty(self, painter: QPainter, row: int) -> None:
        pen = QPen(self.color("border"), 1)
        pen.setDashPattern([1, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for col in range(self.mark.columns):
            painter.drawRoundedRect(self.cell_rect(row, col), self.px(4), self.px(4))

    def _draw_cell(self, painter: QPainter, cell: Cell, rect: QRectF, current: bool) -> None:
        px = self.px
        painter.setPen(Qt.PenStyle.NoPen)
        sound = math.isfinite(cell.fill)
        painter.setBrush(mixed(self.color("raised"), self.color("accent_mid"), cell.fill if sound else 0.0))
        painter.drawRoundedRect(rect, px(4), px(4))
        inner = rect.adjusted(px(6), px(1), -px(5), -px(1))
        if cell.marked:
            high = min(inner.height(), px(14)) / 2 if self._tall() else inner.height() / 2
            self.diamond(painter, QPointF(inner.left() + px(1), inner.top() + high), px(3))
        if self._tall():
            self._draw_two_lines(painter, cell, inner)
        else:
            self._draw_one_line(painter, cell, inner)
        if cell.hatched or not sound:
            self.hatch(painter, rect, back=False)

    def _tall(self) -> bool:
        return self.row_rect(0).height() >= self.px(TWO_LINES)

    def _draw_one_line(self, painter: QPainter, cell: Cell, inner: QRectF) -> None:
        value = self.look.text(cell.value).removeprefix("0")  # ".45": the cells are narrow
        wide = self.width_of(value, "tiny", family="mono")
        shift = self.px(7) if cell.marked else 0
        room = QRectF(
            inner.left() + shift, inner.top(), inner.width() - shift - wide - self.px(3), inner.height()
        )
        text = self.look.text(cell.text)
        if cell.brief and self.width_of(text, "tiny", cell.fill >= 0.5) > room.width():
            text = self.look.text(cell.brief)
        self.write(painter, room, text, "fg", "tiny", bold=cell.fill >= 0.5)
        self.write(painter, inner, value, "fg", "tiny", align=Qt.AlignmentFlag.AlignRight, family="mono")

    def _draw_two_lines(self, painter: QPainter, cell: Cell, inner: QRectF) -> None:
        """The text above, its note and the value below."""
        half, shift = inner.height() / 2, self.px(7) if cell.marked else 0
        above = QRectF(inner.left() + shift, inner.top(), inner.width() - shift, half)
        below = QRectF(inner.left(), inner.top() + half, inner.width(), half)
        bold = cell.fill >= 0.5
        text = self.look.text(cell.text)
        if cell.brief and self.width_of(text, "tiny", bold) > above.width():
            text = self.look.text(cell.brief)
        self.write(painter, above, text, "fg", "tiny", bold=bold)
        self.write(painter, below, self.look.text(cell.note), "fg", "tiny")
        value = self.look.text(cell.value)
        self.write(painter, below, value, "fg", "tiny", align=Qt.AlignmentFlag.AlignRight, family="mono")

    # ---- what the user does -----------------------------------------------------------------------------

    def _cell(self, row: int, col: int) -> Cell | None:
        rows = self.mark.rows
        return rows[row][col] if 0 <= row < len(rows) and 0 <= col < len(rows[row]) else None

    def _under(self, point: QPointF) -> tuple[int, int] | None:
        """(row, column) under a point, column -1 over the label."""
        for row in range(len(self.mark.rows)):
            if self.row_rect(row).contains(point):
                for col in range(self.mark.columns):
                    if self.cell_rect(row, col).contains(point):
                        return row, col
                return row, -1
        return None

    def _choose(self, row: int, col: int) -> None:
        cell = self._cell(row, col)
        if cell is not None and cell.place is not None:
            self.tell(self.mark.event, cell.place)
        elif row < len(self.mark.row_values):
            self.tell(self.mark.row_event, self.mark.row_values[row])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self._under(event.position())
        if found is not None:
            self._focused = (found[0], max(found[1], 0))
            self._choose(*found)
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
        }
        key = Qt.Key(event.key())
        if key in moves and self.mark.rows:
            row = min(max(self._focused[0] + moves[key][0], 0), len(self.mark.rows) - 1)
            col = min(max(self._focused[1] + moves[key][1], 0), self.mark.columns - 1)
            self._focused = (row, col)
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(*self._focused)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """The whole sentence of a shortened cell on hover."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.mark is not None:
            found = self._under(QPointF(event.pos()))
            cell = None if found is None else self._cell(*found)
            if cell is not None and not math.isfinite(cell.fill):
                QToolTip.showText(event.globalPos(), self.look.text(no_number(cell.fill)), self)
            elif cell is not None and cell.tip:
                QToolTip.showText(event.globalPos(), self.look.text(cell.tip), self)
            return True
        return super().event(event)

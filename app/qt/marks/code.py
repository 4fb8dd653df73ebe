"""A listing as a debugger shows it: the line just run, the one that is next, stops, values at the right end.

Values stand in a column of their own, never over code.  Arrows move a cursor, Enter or F9 sets a stop there,
Ctrl+F10 (or a double click) runs to it.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF

from app.qt.marks.base import Painted, Pieces
from app.scene import Code, CodeValue

GUTTER, VALUES = 52, 96
ROW, USUAL_ROW, LEAST_ROW = 22, 15, 13


class CodeView(Painted):
    """Shows a Code."""

    least = (400, 24 * USUAL_ROW)
    wanted = (560, 24 * 17)
    mark: Code

    def minimumSizeHint(self) -> QSize:
        return QSize(self.px(self.least[0]), self._high(LEAST_ROW))

    def sizeHint(self) -> QSize:
        return QSize(self.px(self.wanted[0]), self._high(USUAL_ROW))

    def _high(self, row: int) -> int:
        rows = len(self.mark.rows) if self.mark is not None else 24
        return self.px(row) * rows + self.px(26)

    # ---- places -----------------------------------------------------------------------------------------

    def row_height(self) -> float:
        note = self.px(20) if self.mark.note else 0
        return min((self.height() - note - self.px(4)) / max(len(self.mark.rows), 1), self.px(ROW))

    def row_rect(self, row: int) -> QRectF:
        high = self.row_height()
        return QRectF(0, self.px(2) + row * high, self.width(), high)

    def rows_of(self, line: int) -> list[int]:
        """Rows of text a line of code takes."""
        return [row for row, (_, number) in enumerate(self.mark.rows) if number == line]

    def line_rect(self, line: int) -> QRectF:
        """All rows of a line of code."""
        rows = self.rows_of(line)
        return self.row_rect(rows[0]).united(self.row_rect(rows[-1])) if rows else QRectF()

    def line_at(self, point: QPointF) -> int | None:
        """The line of code under a point."""
        row = int((point.y() - self.px(2)) // max(self.row_height(), 1.0))
        return self.mark.rows[row][1] if 0 <= row < len(self.mark.rows) else None

    def lines(self) -> list[int]:
        return sorted({number for _, number in self.mark.rows if number is not None})

    def pieces(self) -> Pieces:
        """Its rows: running a line changes that one and the last one."""
        mark = self.mark
        whole = mark.rows, mark.note, self.look, self.size().toTuple()
        high, top, wide = self.row_height(), self.px(2), self.width()
        said: dict[int, list[object]] = {}
        for stop in mark.stops:
            said.setdefault(stop[0], []).append(stop)
        for value in mark.values:
            said.setdefault(value.line, []).append(value)
        places = []
        for row, (_, line) in enumerate(mark.rows):
            done = line is not None and (mark.current is None or line <= mark.current)
            signs = line == mark.current, line == mark.next, line == mark.cursor
            rect = QRectF(0, top + row * high, wide, high)
            places.append((rect, (done, *signs, tuple(said.get(line or 0, ())))))
        return Pieces(whole, tuple(places))

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        mark, px = self.mark, self.px
        self.fill(painter)
        if mark.current is not None:
            band = self.line_rect(mark.current)
            painter.fillRect(band, self.color("accent_soft"))
            painter.fillRect(QRectF(0, band.top(), px(3), band.height()), self.color("accent"))
        if self.hasFocus() and mark.cursor is not None:
            painter.setPen(QPen(self.color("accent"), px(1), Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.line_rect(mark.cursor).adjusted(px(4), 0, -px(4), 0))
        edge, high, top = self.width() - px(VALUES), self.row_height(), px(2)
        painter.setPen(QPen(self.color("grid"), 1))
        painter.drawLine(QPointF(edge, 0), QPointF(edge, self.row_rect(len(mark.rows)).top()))
        seen: set[int] = set()
        for row, (text, line) in enumerate(mark.rows):
            if self.touched(QRectF(0, top + row * high, self.width(), high)):
                self._draw_row(painter, row, text, line, first=line is not None and line not in seen)
            seen.add(line or 0)
        for value in mark.values:
            self._draw_value(painter, value)
        if mark.note:
            rect = QRectF(px(8), self.height() - px(20), self.width() - px(12), px(20))
            self.write(painter, rect, self.look.text(mark.note), "dim", "tiny")

    def _draw_row(self, painter: QPainter, row: int, text: str, line: int | None, first: bool) -> None:
        mark, px, rect = self.mark, self.px, self.row_rect(row)
        size = "mono" if rect.height() >= px(LEAST_ROW) else "tiny"
        current = line is not None and line == mark.current
        done = line is not None and (mark.current is None or line <= mark.current)
        role = "fg" if done else "dim"
        code = QRectF(px(GUTTER), rect.top(), self.width() - px(GUTTER) - px(VALUES), rect.height())
        self.write(painter, code, text, "dim" if line is None else role, size, family="mono")
        if line is None or not first:
            return
        number = QRectF(px(26), rect.top(), px(20), rect.height())
        self.write(painter, number, str(line), "fg" if current else "dim", size, bold=current,
                   align=Qt.AlignmentFlag.AlignRight, family="mono")  # fmt: skip
        middle = rect.center().y()
        for stop, on in mark.stops:
            if stop == line:
                self._draw_stop(painter, QPointF(px(13), middle), on)
        if line == mark.next:
            self._draw_chevron(painter, QPointF(px(25), middle))

    def _draw_stop(self, painter: QPainter, centre: QPointF, on: bool) -> None:
        painter.setPen(QPen(self.color("breakpoint"), self.px(1.5)))
        painter.setBrush(self.color("breakpoint") if on else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(centre, self.px(4), self.px(4))

    def _draw_chevron(self, painter: QPainter, centre: QPointF) -> None:
        pen = QPen(self.color("accent"), self.px(2))
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        size, x, y = self.px(3.5), centre.x(), centre.y()
        painter.drawPolyline(
            QPolygonF(
                [QPointF(x - size / 2, y - size), QPointF(x + size / 2, y), QPointF(x - size / 2, y + size)]
            )
        )

    def _draw_value(self, painter: QPainter, value: CodeValue) -> None:
        """Old and new where the line really changed it, on its last row."""
        rows, px = self.rows_of(value.line), self.px
        if not rows:
            return
        rect = self.row_rect(rows[-1])
        text = f"{value.old} → {value.text}" if value.old else value.text
        wide = min(self.width_of(text, "tiny", family="mono") + px(12), px(VALUES) - px(6))
        chip = QRectF(self.width() - wide - px(4), rect.top() + px(1), wide, rect.height() - px(2))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color("changed_bg" if value.old else "raised"))
        painter.drawRoundedRect(chip, px(4), px(4))
        role = "changed" if value.old else "fg"
        self.write(painter, chip, text, role, "tiny", align=Qt.AlignmentFlag.AlignHCenter, family="mono")

    # ---- what the user does -----------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        line = self.line_at(event.position())
        if line is not None and event.button() == Qt.MouseButton.LeftButton:
            gutter = event.position().x() < self.px(GUTTER)
            self.tell(self.mark.stop_event if gutter else self.mark.cursor_event, line)
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        line = self.line_at(event.position())
        if line is not None and event.position().x() >= self.px(GUTTER):
            self.tell(self.mark.run_event, line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, lines = Qt.Key(event.key()), self.lines()
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(key)
        if by is not None and lines:
            here = self.mark.cursor or self.mark.current or lines[0]
            place = lines.index(here) if here in lines else 0
            self.tell(self.mark.cursor_event, lines[min(max(place + by, 0), len(lines) - 1)])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.mark.cursor is not None:
            self.tell(self.mark.stop_event, self.mark.cursor)
        else:
            super().keyPressEvent(event)

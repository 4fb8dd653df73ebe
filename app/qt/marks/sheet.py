"""A ruled table of short cells, and typeset lines of a formula with its numbers."""

from __future__ import annotations

import re

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from app.qt.marks.base import Painted
from app.scene import Formula, Sheet, Span

ROW, LINE = 23, 24
LOWER = re.compile(r"_\{([^}]*)\}")


def _sized(view: Painted) -> None:
    """As high as its rows; the layout is asked again only where that changed."""
    if view.minimumHeight() != (high := view.minimumSizeHint().height()):
        view.setMinimumHeight(high)
        view.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        view.updateGeometry()


class SheetView(Painted):
    """Shows a Sheet; Up and Down move, Enter does what a click does."""

    least = (200, 60)
    wanted = (300, 200)
    mark: Sheet

    def minimumSizeHint(self) -> QSize:
        rows = 1 + (len(self.mark.rows) if self.mark is not None else 2)
        return QSize(self.px(self.least[0]), self.px(ROW) * rows + self.px(4))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def refresh(self) -> None:
        _sized(self)
        super().refresh()

    def widths(self) -> list[float]:
        """The name column as wide as it needs, the others by what they hold."""
        mark, px = self.mark, self.px
        count = max((len(row) for row in mark.rows), default=len(mark.columns))
        need = []
        for k in range(max(count, len(mark.columns))):
            texts = [(self.look.text(row[k].text), row[k].bold) for row in mark.rows if k < len(row)]
            texts += [(self.look.text(mark.columns[k]), False)] if k < len(mark.columns) else []
            need.append(max((self.width_of(text, bold=bold) for text, bold in texts), default=0) + px(14))
        free = self.width() - sum(need)
        if free >= 0:
            return [wide + free / max(len(need), 1) for wide in need]
        return [wide * self.width() / max(sum(need), 1) for wide in need]

    def row_rect(self, row: int) -> QRectF:
        return QRectF(0, self.px(ROW) * (row + 1), self.width(), self.px(ROW))

    def draw(self, painter: QPainter) -> None:
        widths = self.widths()
        x = 0.0
        for k, title in enumerate(self.mark.columns):
            rect = QRectF(x, 0, widths[k], self.px(ROW))
            self.write(painter, self._inner(rect), self.look.text(title), "dim", align=self._side(k))
            x += widths[k]
        for row, cells in enumerate(self.mark.rows):
            line = self.row_rect(row)
            if row == self.mark.current:
                painter.fillRect(line, self.color("accent_soft"))
            painter.setPen(QPen(self.color("grid"), 1))
            painter.drawLine(line.topLeft(), line.topRight())
            x = 0.0
            for k, span in enumerate(cells):
                self._draw_cell(painter, QRectF(x, line.top(), widths[k], line.height()), span, k)
                x += widths[k]

    def _draw_cell(self, painter: QPainter, rect: QRectF, span: Span, k: int) -> None:
        px = self.px
        text = self.look.text(span.text)
        if span.role == "changed" and text:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.color("changed_bg"))
            painter.drawRoundedRect(rect.adjusted(px(2), px(2), -px(2), -px(2)), px(4), px(4))
        self.write(painter, self._inner(rect), text, span.role, "small", span.bold, self._side(k),
                   "mono" if span.mono else "text")  # fmt: skip

    def _inner(self, rect: QRectF) -> QRectF:
        return rect.adjusted(self.px(6), 0, -self.px(6), 0)

    @staticmethod
    def _side(k: int) -> Qt.AlignmentFlag:
        return Qt.AlignmentFlag.AlignRight if k else Qt.AlignmentFlag.AlignLeft

    def row_at(self, point: QPointF) -> int | None:
        row = int(point.y() // self.px(ROW)) - 1
        return row if 0 <= row < len(self.mark.rows) else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        if row is not None and row < len(self.mark.values):
            self.tell(self.mark.event, self.mark.values[row])
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if by is None or not self.mark.values or not self.mark.event:
            super().keyPressEvent(event)
            return
        row = min(max((self.mark.current or 0) + by, 0), len(self.mark.values) - 1)
        self.tell(self.mark.event, self.mark.values[row])


class FormulaView(Painted):
    """Shows a Formula in the mathematical font, a label before each line; too long lines are set smaller."""

    least = (200, 24)
    wanted = (320, 60)
    mark: Formula

    def minimumSizeHint(self) -> QSize:
        lines = len(self.mark.lines) if self.mark is not None else 1
        return QSize(self.px(self.least[0]), self.px(LINE) * max(lines, 1))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def refresh(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # nothing to do in it
        _sized(self)
        super().refresh()

    def parts(self, spans: tuple[Span, ...]) -> list[tuple[str, str, bool]]:
        """(text, role, lower) of a line: what `_{...}` holds is set lower."""
        found = []
        for span in spans:
            for k, text in enumerate(LOWER.split(self.look.text(span.text))):
                if text:
                    found.append((text, span.role, k % 2 == 1))
        return found

    def line_width(self, spans: tuple[Span, ...], size: str = "math") -> float:
        return sum(
            self.width_of(text, "tiny" if lower else size, family="math")
            for text, _, lower in self.parts(spans)
        )

    def draw(self, painter: QPainter) -> None:
        px = self.px
        names = [self.look.text(label) for label in self.mark.labels]
        left = max((self.width_of(name, bold=True) for name in names), default=0.0)
        left = min(left, self.width() * 0.32) + px(14) if names else px(2)
        for k, spans in enumerate(self.mark.lines):
            row = QRectF(0, k * px(LINE), self.width(), px(LINE))
            if k < len(names):
                name = QRectF(px(2), row.top(), left - px(10), row.height())
                self.write(painter, name, names[k], "halts_text", bold=True)
            size = "math" if self.line_width(spans) <= self.width() - left else "body"
            self._draw_line(painter, spans, left, row.center().y() + px(5), size)

    def _draw_line(self, painter: QPainter, spans: tuple[Span, ...], x: float, y: float, size: str) -> None:
        for text, role, lower in self.parts(spans):
            kind = "tiny" if lower else size
            painter.setFont(self.font_of(kind, family="math"))
            painter.setPen(self.color(role))
            painter.drawText(QPointF(x, y + (self.px(4) if lower else 0)), text)
            x += self.width_of(text, kind, family="math")

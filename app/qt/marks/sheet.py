"""A ruled table of short cells, and typeset lines of a formula with its numbers."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from app.palette import FAMILIES
from app.qt.marks.base import Look, MarkView, Painted
from app.scene import Formula, Sheet, Span

ROW = 23
LOWER = re.compile(r"_\{([^}]*)\}")


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
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.updateGeometry()
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


class FormulaView(MarkView):
    """Shows a Formula in the mathematical font; lines wrap nowhere, the widget is as high as they need."""

    mark: Formula

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._labels: list[tuple[QLabel, QLabel]] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def refresh(self) -> None:
        theme = self.look.theme
        self._grid.setHorizontalSpacing(theme.px(14))
        self._grid.setVerticalSpacing(theme.px(2))
        while len(self._labels) < len(self.mark.lines):
            row = len(self._labels)
            pair = QLabel(self), QLabel(self)
            for column, label in enumerate(pair):
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                self._grid.addWidget(label, row, column)
            self._grid.setColumnStretch(1, 1)
            self._labels.append(pair)
        for row, (name, body) in enumerate(self._labels):
            there = row < len(self.mark.lines)
            name.setVisible(there and bool(self.mark.labels))
            body.setVisible(there)
            if there:
                self._fill(row, name, body)
        super().refresh()
        self._fit()

    def _fill(self, row: int, name: QLabel, body: QLabel) -> None:
        theme = self.look.theme
        spans = self.mark.lines[row]
        body.setFont(theme.font("math", "math"))
        body.setText("".join(self._span(span) for span in spans))
        if row < len(self.mark.labels):
            name.setFont(theme.font("small", bold=True))
            name.setStyleSheet(f"color: {theme.tokens['halts_text']};")
            text = self.look.text(self.mark.labels[row])
            metrics = QFontMetrics(name.font())
            name.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, theme.px(110)))

    def _span(self, span: Span) -> str:
        style = f"color:{self.look.theme.tokens[span.role]};"
        style += "font-weight:600;" if span.bold else ""
        text = LOWER.sub(r"<sub>\1</sub>", html.escape(self.look.text(span.text)))
        family = FAMILIES["text" if span.mono else "math"][0]
        size = self.look.theme.px(12) if span.mono else self.look.theme.px(16)
        return f"<span style=\"{style}font-family:'{family}';font-size:{size}px\">{text}</span>"

    def _fit(self) -> None:
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)

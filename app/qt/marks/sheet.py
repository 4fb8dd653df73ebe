"""A ruled table of short cells, and typeset lines of a formula with its numbers."""

from __future__ import annotations

import re
from itertools import accumulate

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.messages import Text, msg
from app.qt.marks.base import Look, Painted
from app.scene import Formula, Sheet, Span

ROW, LINE = 23, 24
NAMES = 110  # px that the names keep at the least where a table is too wide
ARROW = 13  # px beside a title for the arrow of a sorted column
LOWER = re.compile(r"_\{([^}]*)\}")


def _sized(view: Painted) -> None:
    """As high as its rows; the layout is asked again only where that changed."""
    if view.minimumHeight() != (high := view.minimumSizeHint().height()):
        view.setMinimumHeight(high)
        view.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        view.updateGeometry()


class SheetView(Painted):
    """Shows a Sheet; Up and Down move along its rows.

    Where it is sorted by its heads, a click on one sorts, or Left and Right to one and Enter or Space.
    """

    least = (200, 60)
    wanted = (300, 200)
    mark: Sheet

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.at = 0  # the head that Enter sorts by
        self.over: int | None = None  # the head below the pointer

    def show_mark(self, mark: Sheet) -> None:
        if mark.sorted is not None and (self.mark is None or mark.sorted != self.mark.sorted):
            self.at = mark.sorted[0]
        self.at = min(self.at, max(len(mark.columns) - 1, 0))
        super().show_mark(mark)

    def minimumSizeHint(self) -> QSize:
        rows = 1 + (len(self.mark.rows) if self.mark is not None else 2)
        return QSize(self.px(self.least[0]), self.px(ROW) * rows + self.px(4))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def refresh(self) -> None:
        _sized(self)
        self._describe()
        super().refresh()

    def _describe(self) -> None:
        """Said besides: how it is sorted, and with the focus on it the head one is at."""
        mark = self.mark
        if not mark.sort:
            return
        said: list[Text] = [mark.alt]
        if mark.sorted is not None:
            column, down = mark.sorted
            title = mark.columns[column]
            said.append(
                msg("Sorted by {column}, descending.", column=title)
                if down
                else msg("Sorted by {column}, ascending.", column=title)
            )
        if self.hasFocus():
            said.append(msg("At the head of {column}: Enter sorts.", column=mark.columns[self.at]))
        self.setAccessibleDescription(" ".join(filter(None, map(self.look.text, said))))

    def widths(self) -> list[float]:
        """The name column as wide as it needs, the others by what they hold, each with room for an arrow.

        Where that is too much, the arrow alone gets room, and the names give way first.
        """
        mark, px = self.mark, self.px
        arrows = {*range(len(mark.columns))} if mark.sort else set()
        need = self._needs(arrows)
        if mark.sort and sum(need) > self.width():
            need = self._needs({mark.sorted[0]} if mark.sorted is not None else set())
            need[0] = max(need[0] + min(self.width() - sum(need), 0), min(need[0], px(NAMES)))
        free = self.width() - sum(need)
        if free >= 0:
            return [wide + free / max(len(need), 1) for wide in need]
        return [wide * self.width() / max(sum(need), 1) for wide in need]

    def _needs(self, arrows: set[int]) -> list[float]:
        mark, px = self.mark, self.px
        count = max((len(row) for row in mark.rows), default=len(mark.columns))
        need = []
        for k in range(max(count, len(mark.columns))):
            texts = [(self.look.text(row[k].text), row[k].bold) for row in mark.rows if k < len(row)]
            wide = max((self.width_of(text, bold=bold) for text, bold in texts), default=0)
            if k < len(mark.columns):
                title = self.look.text(mark.columns[k])
                wide = max(wide, self.width_of(title, bold=k in arrows) + (px(ARROW) if k in arrows else 0))
            need.append(wide + px(14))
        return need

    def row_rect(self, row: int) -> QRectF:
        return QRectF(0, self.px(ROW) * (row + 1), self.width(), self.px(ROW))

    def draw(self, painter: QPainter) -> None:
        widths = self.widths()
        for k in range(len(self.mark.columns)):
            self._draw_head(painter, QRectF(sum(widths[:k]), 0, widths[k], self.px(ROW)), k)
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

    def _draw_head(self, painter: QPainter, rect: QRectF, k: int) -> None:
        """A title; with an arrow where the table is sorted by it, in a frame where Enter would sort."""
        mark, px, inner = self.mark, self.px, self._inner(rect)
        title, by = self.look.text(mark.columns[k]), mark.sorted
        here = by is not None and by[0] == k
        if mark.sort and self.hasFocus() and k == self.at:
            painter.setPen(QPen(self.color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(px(2), px(3), -px(2), -px(3)), px(3), px(3))
        if here and by is not None:
            wide = min(self.width_of(title, bold=True), inner.width() - px(ARROW))
            x = inner.left() + wide + px(ARROW - 4) if not k else inner.right() - wide - px(ARROW - 4)
            self._arrow(painter, QPointF(x, inner.center().y()), by[1])
            inner = inner.adjusted(px(ARROW), 0, 0, 0) if k else inner.adjusted(0, 0, -px(ARROW), 0)
        role = "fg" if here or (mark.sort and k == self.over) else "dim"
        self.write(painter, inner, title, role, bold=here, align=self._side(k))

    def _arrow(self, painter: QPainter, at: QPointF, down: bool) -> None:
        """Up: the smallest first."""
        wide, high = self.px(4), self.px(3) * (-1 if down else 1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color("fg"))
        corners = [QPointF(at.x() - wide, at.y() + high), QPointF(at.x() + wide, at.y() + high)]
        painter.drawPolygon(QPolygonF([*corners, QPointF(at.x(), at.y() - high)]))

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

    def head_rect(self, column: int) -> QRectF:
        widths = self.widths()
        return QRectF(sum(widths[:column]), 0, widths[column], self.px(ROW))

    def head_at(self, point: QPointF) -> int | None:
        """The column whose head is there, of a table that is sorted by them."""
        if not self.mark.sort or not 0 <= point.y() < self.px(ROW):
            return None
        ends = list(accumulate(self.widths()[: len(self.mark.columns)]))
        return next((k for k, end in enumerate(ends) if 0 <= point.x() < end), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(None if self.mark is None else self.head_at(event.position()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._point(None)
        super().leaveEvent(event)

    def _point(self, column: int | None) -> None:
        if column == self.over:
            return
        self.over = column
        shape = Qt.CursorShape.ArrowCursor if column is None else Qt.CursorShape.PointingHandCursor
        self.setCursor(shape)
        tip = "" if column is None else msg("Sort by {column}", column=self.mark.columns[column])
        self.setToolTip(self.look.text(tip))
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.mark is not None:
            self._describe()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.mark is not None:
            self._describe()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self.head_at(event.position())
        if head is not None:
            self.at = head
            self.tell(self.mark.sort, head)
        row = self.row_at(event.position())
        if row is not None and row < len(self.mark.values):
            self.tell(self.mark.event, self.mark.values[row])
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.mark.sort and self._head_key(Qt.Key(event.key())):
            return
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if by is None or not self.mark.values or not self.mark.event:
            super().keyPressEvent(event)
            return
        row = min(max((self.mark.current or 0) + by, 0), len(self.mark.values) - 1)
        self.tell(self.mark.event, self.mark.values[row])

    def _head_key(self, key: Qt.Key) -> bool:
        """Along the heads, and sorting by one; whether it was such a key."""
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(key)
        if by is not None:
            self.at = min(max(self.at + by, 0), len(self.mark.columns) - 1)
            self._describe()
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.tell(self.mark.sort, self.at)
        return by is not None or key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


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

"""Horizontal bars cut into parts, with names left and values right; the paper's apart from one's own."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip

from app.messages import Text
from app.qt.marks.axes import precise
from app.qt.marks.base import Painted, mixed
from app.render.charts import SOURCES
from app.scene import Amount, Amounts

ROW, HEAD, LINE, BAR = 24, 24, 16, 13  # px: a row, a title between rows, a line of words, a bar
EDGE, GAP = 4, 10  # px beside the row, between its columns
SHORT = 90  # px of a bar below which its words stand above it


@dataclass(frozen=True, slots=True)
class Places:
    """Widths of the columns in pixels: name, bar, value, note, source; folded: words above the bars."""

    name: float
    bar: float
    value: float
    note: float
    source: float
    folded: bool


class AmountsView(Painted):
    """Shows Amounts; Up / Down go from row to row, a click or Enter tells its value."""

    least = (180, 40)
    wanted = (360, 120)
    mark: Amounts
    _row: int | None = None  # where the keyboard is
    _places: Places | None = None

    def refresh(self) -> None:
        self._places = None
        if self._row is not None and self._row >= len(self.mark.rows):
            self._row = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.fit()
        super().refresh()

    def fit(self) -> None:
        """As high as its rows; the layout is asked again only where that changed."""
        if self.minimumHeight() != (high := math.ceil(self.whole_height())):
            self.setMinimumHeight(high)
            self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._places = None
        super().resizeEvent(event)
        if self.mark is not None:
            self.fit()

    def minimumSizeHint(self) -> QSize:
        high = self.whole_height() if self.mark is not None else self.px(self.least[1])
        return QSize(self.px(self.least[0]), math.ceil(high))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint().expandedTo(QSize(self.px(self.wanted[0]), 0))

    # ---- places -----------------------------------------------------------------------------------------

    def places(self) -> Places:
        if self._places is None:
            self._places = self._reckoned()
        return self._places

    def _reckoned(self) -> Places:
        say, rows = self.look.text, self.mark.rows

        def widest(texts: list[str], bold: bool = False) -> float:
            return max((self.width_of(text, bold=bold) for text in texts), default=0.0)

        name = widest([say(row.name) for row in rows], bold=True)
        value = widest([say(row.value) for row in rows], bold=True)
        note = widest([say(row.note) for row in rows])
        source = widest([say(SOURCES.get(row.source, "")) for row in rows])
        room = self.width() - 2 * self.px(EDGE)
        gaps = self.px(GAP) * sum(wide > 0 for wide in (name, value, note, source))
        bar = room - name - value - note - source - gaps
        folded = bar < self.px(SHORT)
        return Places(name, room if folded else bar, value, note, source, folded)

    def _row_height(self) -> float:
        return self.px(ROW + LINE) if self.places().folded else self.px(ROW)

    def _legend_rows(self) -> list[list[tuple[str, str]]]:
        """(name, role) of the parts, in as many rows as they need."""
        if not self.mark.legend:
            return []
        known: dict[str, str] = {}
        for row in self.mark.rows:
            for name, _, role in row.parts:
                if text := self.look.text(name):
                    known.setdefault(text, role)
        rows: list[list[tuple[str, str]]] = []
        used = math.inf
        for text, role in known.items() if len(known) > 1 else ():
            wide = self.width_of(text, "tiny") + self.px(30)
            if used + wide > self.width():
                rows.append([])
                used = 0.0
            rows[-1].append((text, role))
            used += wide
        return rows

    def whole_height(self) -> float:
        mark_line = self.px(LINE) if self.mark.mark is not None else 0
        heads = len({row for row, _ in self.mark.heads if row <= len(self.mark.rows)})
        below = len(self._legend_rows()) * self.px(LINE)
        return (
            mark_line + heads * self.px(HEAD) + len(self.mark.rows) * self._row_height() + below
            + (self.px(4) if below else 0) + self.px(2)
        )  # fmt: skip

    def row_rect(self, row: int) -> QRectF:
        heads = len({place for place, _ in self.mark.heads if place <= row})
        top = (self.px(LINE) if self.mark.mark is not None else 0) + heads * self.px(HEAD)
        return QRectF(0, top + row * self._row_height(), self.width(), self._row_height())

    def bar_rect(self, row: int) -> QRectF:
        """Where a bar of the scale's whole length stands."""
        line, places, high = self.row_rect(row), self.places(), self.px(BAR)
        if places.folded:
            return QRectF(self.px(EDGE), line.top() + self.px(LINE + 3), places.bar, high)
        top = line.top() + (line.height() - high) / 2
        return QRectF(self.px(EDGE) + places.name + self.px(GAP), top, places.bar, high)

    def most(self) -> float:
        """The size at the right end of the bars."""
        if self.mark.most is not None:
            return self.mark.most or 1.0
        ends = [_length(row) for row in self.mark.rows] + [
            row.high for row in self.mark.rows if row.high is not None
        ]
        if self.mark.mark is not None:
            ends.append(self.mark.mark[0])
        return max((end for end in ends if math.isfinite(end)), default=1.0) or 1.0

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        most = self.most()
        for row, text in self.mark.heads:
            if row < len(self.mark.rows):
                top = self.row_rect(row).top() - self.px(HEAD)
                rect = QRectF(self.px(2), top + self.px(4), self.width() - self.px(4), self.px(HEAD - 4))
                self.write(painter, rect, self.look.text(text), "dim", bold=True)
        for row, amount in enumerate(self.mark.rows):
            self._draw_row(painter, row, amount, most)
        if self.mark.mark is not None and self.mark.rows:
            self._draw_mark(painter, *self.mark.mark, most)
        self._draw_legend(painter)

    def _draw_row(self, painter: QPainter, row: int, amount: Amount, most: float) -> None:
        line, places, px = self.row_rect(row), self.places(), self.px
        if amount.strong or row == self._row:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.color("accent_soft" if amount.strong else "hover"))
            painter.drawRoundedRect(line.adjusted(0, px(1), 0, -px(1)), px(4), px(4))
        high = px(LINE + 2) if places.folded else line.height()
        words = QRectF(line.left(), line.top(), line.width(), high)
        self._draw_words(painter, words, amount)
        self._draw_bar(painter, self.bar_rect(row), amount, most)

    def _draw_words(self, painter: QPainter, words: QRectF, amount: Amount) -> None:
        places, px, say = self.places(), self.px, self.look.text
        x, quiet = words.right() - px(EDGE), "fg" if amount.strong else "dim"
        right, left = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignLeft
        for text, column, role, bold, align in (
            (say(SOURCES.get(amount.source, "")), places.source, quiet, False, right),
            (say(amount.note), places.note, quiet, False, left),
            (say(amount.value), places.value, "fg", amount.strong, right),
        ):
            room = self.width_of(text, bold=bold) if places.folded else column  # folded: each row for itself
            if room > 0:
                rect = QRectF(x - room, words.top(), room, words.height())
                self.write(painter, rect, text, role, bold=bold, align=align)
                x -= room + px(GAP)
        room = x - px(EDGE) if places.folded else places.name
        rect = QRectF(px(EDGE), words.top(), room, words.height())
        self.write(painter, rect, say(amount.name), "fg", bold=amount.strong)

    def _draw_bar(self, painter: QPainter, bar: QRectF, amount: Amount, most: float) -> None:
        px, x = self.px, bar.left()
        for _, size, role in amount.parts:
            if not math.isfinite(size) or size <= 0:
                continue
            end = min(x + size / most * bar.width(), bar.right())
            rect = QRectF(x, bar.top(), max(end - x, 1.0), bar.height())
            self._draw_part(painter, rect, role, amount.source)
            x = end
        if amount.low is not None and amount.high is not None and math.isfinite(amount.low + amount.high):
            ends = [
                bar.left() + min(max(one / most, 0.0), 1.0) * bar.width() for one in (amount.low, amount.high)
            ]
            painter.setPen(QPen(self.color("fg"), px(1.4)))
            y = bar.center().y()
            painter.drawLine(QPointF(ends[0], y), QPointF(ends[1], y))
            for end in ends:
                painter.drawLine(QPointF(end, y - px(4)), QPointF(end, y + px(4)))

    def _draw_part(self, painter: QPainter, rect: QRectF, role: str, source: str) -> None:
        """Solid; a figure of the paper is an outline with a tint."""
        color = self.color(role)
        if source != "paper":
            painter.fillRect(rect, color)
            if rect.width() > 3:  # a gap between the parts
                painter.fillRect(QRectF(rect.right() - 1, rect.top(), 1, rect.height()), self.color("panel"))
            return
        edge = self.px(1.5)
        painter.fillRect(rect, mixed(self.color("panel"), color, 0.18))
        pen = QPen(color, edge)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inner = rect.adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2)
        if inner.width() > 0:
            painter.drawRect(inner)

    def _draw_mark(self, painter: QPainter, size: float, text: Text, most: float) -> None:
        """One size through all bars."""
        bars = [self.bar_rect(row) for row in range(len(self.mark.rows))]
        x = bars[0].left() + min(size / most, 1.0) * bars[0].width()
        painter.setPen(QPen(self.color("fg"), self.px(1.2), Qt.PenStyle.DashLine))
        spans = [(bar.top() - self.px(3), bar.bottom() + self.px(3)) for bar in bars]
        if not self.places().folded:  # no words in its way
            spans = [(float(self.px(LINE)), spans[-1][1])]
        for top, bottom in spans:
            painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        said = self.look.text(text)
        wide = self.width_of(said, "tiny") + self.px(2)
        left = min(max(x - wide / 2, 0.0), self.width() - wide)
        self.write(painter, QRectF(left, 0, wide, self.px(LINE)), said, "dim", "tiny")

    def _draw_legend(self, painter: QPainter) -> None:
        px = self.px
        rows = self._legend_rows()
        if not rows:
            return
        top = self.row_rect(len(self.mark.rows) - 1).bottom() + px(4)
        for row, entries in enumerate(rows):
            x, y = float(px(2)), top + row * px(LINE)
            for text, role in entries:
                painter.fillRect(QRectF(x, y + px(3), px(10), px(10)), self.color(role))
                wide = self.width_of(text, "tiny")
                self.write(painter, QRectF(x + px(15), y, wide + 1, px(LINE)), text, "fg", "tiny")
                x += wide + px(30)

    # ---- what the user does -----------------------------------------------------------------------------

    def row_at(self, point: QPointF) -> int | None:
        found = (row for row in range(len(self.mark.rows)) if self.row_rect(row).contains(point))
        return next(found, None)

    def tip(self, row: int) -> str:
        """All a row says: its name, value, parts and whose figure it is."""
        amount, say = self.mark.rows[row], self.look.text
        lines = [" · ".join(part for part in (say(amount.name), say(amount.value), say(amount.note)) if part)]
        if len(amount.parts) > 1:
            sized = [part for part in amount.parts if math.isfinite(part[1]) and say(part[0])]
            lines += [f"{say(name)}: {precise(size)}" for name, size, _ in sized]
        if amount.low is not None and amount.high is not None:
            lines.append(f"{precise(amount.low)} … {precise(amount.high)}")
        if amount.source in SOURCES:
            lines.append(say(SOURCES[amount.source]))
        return "\n".join(lines)

    def _choose(self, row: int) -> None:
        if row < len(self.mark.values):
            self.tell(self.mark.event, self.mark.values[row])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        if row is not None and self.mark.event:
            self._row = row
            self.update()
            self._choose(row)
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(key)
        if by is not None and self.mark.rows:
            strong = next((k for k, row in enumerate(self.mark.rows) if row.strong), -1 if by > 0 else 0)
            start = strong if self._row is None else self._row
            self._row = min(max(start + by, 0), len(self.mark.rows) - 1)
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._row is not None:
            self._choose(self._row)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.mark is not None:
            row = self.row_at(QPointF(event.pos()))
            if row is not None:
                QToolTip.showText(event.globalPos(), self.tip(row), self)
            return True
        return super().event(event)


def _length(amount: Amount) -> float:
    return sum(size for _, size, _ in amount.parts if math.isfinite(size) and size > 0)

"""Depth by position: cells of a few kinds, what a cell reads as lines, what it depends on as a field.

The cells are painted once and kept as a picture while one only moves over them.
"""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPaintEngine,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from app.qt.marks.base import Array, Look, resized
from app.qt.marks.lattice_cells import LABEL
from app.qt.marks.lattice_links import LatticeLinks
from app.qt.marks.places import counted_from, event_value, labelled, stretches
from app.scene import Lattice, same

WIDGET_MOST = (1 << 24) - 1  # Qt's largest size of a widget
LEAST_ROWS = 12  # of which each gets some room at the smallest height
STEPS = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (1, 0), Qt.Key.Key_Down: (-1, 0)}
CELLS = ("tones", "kinds", "shades", "texts", "upward", "most")  # what the kept picture depends on


class LatticeView(LatticeLinks):
    """Shows a Lattice.  Arrows move the cell looked at, Enter picks it, Esc leaves it."""

    wanted = (420, 240)
    usual = 0.004

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._kept: tuple[Any, QPixmap] | None = None

    def show_mark(self, mark: Lattice) -> None:
        before = self.mark
        if before is None or not all(same(getattr(before, name), getattr(mark, name)) for name in CELLS):
            self._kept = None
        super().show_mark(mark)

    def restyle(self, look: Look) -> None:
        self._kept = None
        super().restyle(look)

    def minimumSizeHint(self) -> QSize:
        """Rows and labels that can still be told apart, or the height it is given."""
        if self.mark is None:
            return QSize(self.px(180), self.px(60))
        if not self.mark.tones.size:
            return QSize(self.px(180), math.ceil(self.legend_height()))
        rows = min(max(len(self.mark.rows), self.mark.most), LEAST_ROWS)
        need = self.px(7 * rows + 46 + LABEL * bool(self.mark.foot))
        return QSize(self.px(180), max(need, self.px(self.mark.height) if self.mark.height else 0))

    def refresh(self) -> None:
        self.placed()
        self._fit()
        super().refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.placed()
        self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        """Without cells, as high as the legend."""
        if self.mark is None:
            return
        bare = not self.mark.tones.size
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus if bare else Qt.FocusPolicy.StrongFocus)
        low, high = (math.ceil(self.legend_height()),) * 2 if bare else (0, WIDGET_MOST)
        if (self.minimumHeight(), self.maximumHeight()) != (low, high):
            self.setMinimumHeight(low)
            self.setMaximumHeight(high)
            resized(self)

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        if not self.mark.tones.size:
            self.draw_legend(painter)
            return
        self._draw_current(painter)
        self._draw_kept(painter)
        self._draw_outside(painter)
        self.draw_links(painter)
        self._draw_field(painter)
        self._draw_columns(painter)
        self._draw_labels(painter)
        self.draw_legend(painter)

    def _draw_kept(self, painter: QPainter) -> None:
        """The cells; on pixels as they were painted the last time."""
        engine = painter.paintEngine()
        if engine is None or engine.type() != QPaintEngine.Type.Raster:
            self.draw_cells(painter)
            return
        ratio = painter.device().devicePixelRatio()
        key = self.size(), ratio, self.area()
        if self._kept is None or self._kept[0] != key:
            made = QPixmap(math.ceil(self.width() * ratio), math.ceil(self.height() * ratio))
            made.setDevicePixelRatio(ratio)
            made.fill(Qt.GlobalColor.transparent)
            with QPainter(made) as inner:
                inner.setRenderHint(QPainter.RenderHint.Antialiasing)
                self.draw_cells(inner)
            self._kept = key, made
        painter.drawPixmap(QPointF(0, 0), self._kept[1])

    def _draw_current(self, painter: QPainter) -> None:
        """The row looked at: a band behind it, a sign before its name."""
        row = self.mark.current
        if row is None or not 0 <= row < len(self.mark.rows):
            return
        rect, px = self.row_rect(row), self.px
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color("accent", 0.12))
        painter.drawRoundedRect(rect.adjusted(-px(3), 0, px(3), 0), px(4), px(4))
        room = self.width_of(self.mark.rows.labels[row], bold=True)
        x, y, size = rect.left() - px(9) - room - px(9), rect.center().y(), px(4)
        painter.setBrush(self.color("accent"))
        painter.drawPolygon(
            QPolygonF([QPointF(x, y - size), QPointF(x + 1.5 * size, y), QPointF(x, y + size)])
        )

    def _draw_outside(self, painter: QPainter) -> None:
        """What the cell looked at does not depend on steps back."""
        field = self.mark.field
        if field is None or not field.any():
            return
        veil = self.color("panel", 0.62)
        for row in range(len(self.mark.rows)):
            for first, last in stretches((~field[row]).tolist()):
                painter.fillRect(self.cell_rect(row, first, last).adjusted(-1, -1, 1, 1), veil)

    def _draw_field(self, painter: QPainter) -> None:
        mark, px = self.mark, self.px
        if mark.field is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.color("accent"), px(1.5)))
            for rect in self._blocks(mark.field):
                painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), px(4), px(4))
        if mark.focus is not None and self._inside(*mark.focus):
            rect = self.cell_rect(*mark.focus)
            if rect.width() < px(5):
                rect = QRectF(rect.center().x() - px(2.5), rect.top(), px(5), rect.height())
            self.outline(painter, rect.adjusted(-1, -1, 1, 1))

    def _blocks(self, field: Array) -> list[QRectF]:
        """The field's parts row by row; low rows that are alike share an outline."""
        low = self.pitch()[1] < self.px(20)
        found: list[QRectF] = []
        before: list[tuple[int, int]] = []
        for row in range(len(field)):
            runs = stretches(field[row].tolist())
            rects = [self.cell_rect(row, *run) for run in runs]
            if low and runs and runs == before:
                found[-len(runs) :] = [a.united(b) for a, b in zip(found[-len(runs) :], rects, strict=True)]
            else:
                found += rects
            before = runs
        return found

    def _inside(self, row: int, col: int) -> bool:
        return 0 <= row < len(self.mark.rows) and 0 <= col < len(self.mark.cols)

    def _draw_columns(self, painter: QPainter) -> None:
        mark, area, px = self.mark, self.area(), self.px
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for col, role, style in (
            (mark.column, "outline", Qt.PenStyle.DashLine),
            (mark.pinned, "accent", Qt.PenStyle.SolidLine),
        ):
            if col is None or not 0 <= col < len(mark.cols):
                continue
            wide = self.pitch()[0]
            middle, room = area.left() + (col + 0.5) * wide, max(wide, px(6))
            painter.setPen(QPen(self.color(role), px(1.5), style))
            painter.drawRoundedRect(QRectF(middle - room / 2, area.top(), room, area.height()), px(5), px(5))

    # ---- labels -----------------------------------------------------------------------------------------

    def _draw_labels(self, painter: QPainter) -> None:
        mark, px, area, high = self.mark, self.px, self.area(), self.pitch()[1]
        focus = mark.focus or (None, None)
        right = Qt.AlignmentFlag.AlignRight
        size = "small" if high >= px(15) else "tiny"
        for row in labelled(
            len(mark.rows),
            max(1, math.ceil(px(13) / max(high, 0.1))),
            (mark.current, focus[0]),
            counted_from(mark.rows),
        ):
            rect, here = self.row_rect(row), row in (mark.current, focus[0])
            label = QRectF(0, rect.top(), area.left() - px(8), rect.height())
            middle = QRectF(label.left(), label.center().y() - px(8), label.width(), px(16))
            self.write(painter, middle, mark.rows.labels[row], "fg" if here else "dim", size, here, right)
            if row < len(mark.notes):
                note = QRectF(area.right() + px(8), middle.top(), self.width() - area.right() - px(8), px(16))
                self.write(painter, note, mark.notes[row], "fg" if here else "dim", size, here)
        top = area.bottom() + px(3)
        name = QRectF(0, top, area.left() - px(8), px(LABEL))
        self.write(painter, name, self._axis(), "dim", "tiny", align=right)
        self._draw_line(painter, mark.cols.labels, top, focus[1], "dim")
        if mark.foot:
            name.translate(0, px(LABEL))
            self.write(painter, name, self.look.text(mark.foot_name), "dim", "tiny", align=right)
            self._draw_line(painter, mark.foot, top + px(LABEL), focus[1], "fg")

    def _draw_line(
        self, painter: QPainter, words: tuple[str, ...], top: float, focus: int | None, role: str
    ) -> None:
        """One word a column, those that fit; the pinned column and the one looked at never go."""
        mark, px, wide = self.mark, self.px, self.pitch()[0]
        room = self.widest(words) + px(6)
        every = max(1, math.ceil(room / max(wide, 0.01)))
        first = counted_from(mark.cols) if words is mark.cols.labels else None
        always, room = (mark.pinned, mark.column, focus), max(room, wide)
        shown = labelled(len(words), every, always, first)
        spots = {col: self._word_rect(col, room, top) for col in shown}
        kept = [rect for col, rect in spots.items() if col in always]
        for col, rect in spots.items():
            if col not in always and any(rect.adjusted(px(3), 0, -px(3), 0).intersects(one) for one in kept):
                continue  # one at the edge has moved inwards
            bold = col in (mark.pinned, focus)
            size = "tiny" if wide < px(26) else "small"
            self.write(painter, rect, words[col], "fg" if bold else role, size,
                       bold, Qt.AlignmentFlag.AlignHCenter)  # fmt: skip

    def _word_rect(self, col: int, room: float, top: float) -> QRectF:
        """Below its column, and inside the widget."""
        area, wide = self.area(), self.pitch()[0]
        left = min(area.left() + (col + 0.5) * wide - room / 2, self.width() + self.px(3) - room)
        return QRectF(left, top, room, self.px(LABEL))  # which is 6 px wider than its word

    # ---- what the user does -----------------------------------------------------------------------------

    def _look_at(self, cell: tuple[int, int] | None) -> None:
        if cell == self.mark.focus:
            return
        self.tell(self.mark.hover, cell)
        value = None if cell is None else event_value(self.mark.cols, cell[1])
        self.tell(self.mark.linked, (value, value))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.mark.hover:
            self._look_at(self.cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        if self.mark is not None and self.mark.hover:
            self._look_at(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            self.tell(self.mark.pick, cell)
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, mark = Qt.Key(event.key()), self.mark
        by = STEPS.get(key)
        if by is not None and mark.hover and mark.tones.size:
            self._look_at(self._moved(by))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and mark.focus is not None:
            self.tell(mark.pick, mark.focus)
        elif key == Qt.Key.Key_Escape and mark.focus is not None:
            self._look_at(None)
        else:
            super().keyPressEvent(event)

    def _moved(self, by: tuple[int, int]) -> tuple[int, int]:
        """The neighbour of the cell looked at; without one, the cell at the row looked at."""
        mark = self.mark
        if mark.focus is None:
            row = mark.current if mark.current is not None else len(mark.rows) - 1
            return row, mark.pinned or 0
        up = by[0] if mark.upward else -by[0]
        row, col = mark.focus[0] + up, mark.focus[1] + by[1]
        return min(max(row, 0), len(mark.rows) - 1), min(max(col, 0), len(mark.cols) - 1)

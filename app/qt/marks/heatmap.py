"""The large map: cells on a fixed scale, labels on both sides, bars in line with its rows.

Semantic zoom: numbers in cells of 38 px and more, fewer labels where rows get thin, blocks of cells (their
largest value) below one pixel.  The map is one image; the cell looked at is drawn over it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPen

from app.holes import holes, largest, sign
from app.qt.marks.base import Look, Pieces, map_image, quantised, shrunk
from app.qt.marks.holed import Holed
from app.qt.marks.places import counted_from, event_value, labelled, stretches
from app.scene import Array, Axis, Bars, Heatmap, same

NUMBERS_AT = 38  # px of a cell's width from which its value is written into it
ROW_AT = 13  # px of a row from which every row has its label
WIDE_AT = 34  # px of columns from which each has its label, where cells have any proportions
ANGLE = 52.0  # of column labels, degrees
STEEPEST = 2.0  # a cell is at most this much wider than high


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where things are: the map, the gutter of row labels, the bars."""

    map: QRectF
    gutter: float
    bars: QRectF
    cell_w: float
    cell_h: float


class HeatmapView(Holed):
    """Shows a Heatmap; arrows move the cell looked at, Enter pins its row, Esc unpins."""

    least = (320, 170)
    wanted = (640, 420)
    roomy = 300
    usual = 0.005
    mark: Heatmap

    def __init__(self, look: Look, parent: object = None) -> None:
        super().__init__(look, parent)  # type: ignore[arg-type]
        self._image: QImage | None = None
        self._holes: Array | None = None  # of the values that the image is of
        self._shape = (0, 0)

    def show_mark(self, mark: Heatmap) -> None:
        if self.mark is None or not same(self.mark.values, mark.values):
            self._image = None  # moving over the map changes outlines only
        super().show_mark(mark)

    def restyle(self, look: Look) -> None:
        self._image = None
        super().restyle(look)

    # ---- geometry ---------------------------------------------------------------------------------------

    def geometry_of(self) -> Geometry:
        mark, px = self.mark, self.px
        rows, cols = max(len(mark.rows), 1), max(len(mark.cols), 1)
        gutter, _ = self._gutter()
        top = self._header(mark.cols)
        side = px(168) if mark.side is not None else px(24)
        wide = max(self.width() - gutter - side - px(8), px(40))
        high = max(self.height() - top - px(6), px(40))
        cell_h = high / rows
        cell_w = wide / cols if mark.fill else min(wide / cols, cell_h * STEEPEST)
        cell_h = cell_h if mark.fill else min(cell_h, cell_w * STEEPEST)
        if cell_w >= 4 and cell_h >= 4:
            cell_w, cell_h = math.floor(cell_w * 2) / 2, math.floor(cell_h * 2) / 2
        area = QRectF(gutter, top, cell_w * cols, cell_h * rows)
        bars = QRectF(area.right() + px(18), top, self.width() - area.right() - px(18) - px(8), area.height())
        if bars.width() > px(220):
            bars.setWidth(px(220))
        return Geometry(area, gutter, bars, cell_w, cell_h)

    def _gutter(self) -> tuple[float, bool]:
        """Width of the row labels, and whether whole sentences fit: all of them, or none is written whole."""
        axis = self.mark.rows
        most = self.width() * 0.36
        for texts in (axis.full, axis.labels):
            longest = self.longest(texts) + self.px(26) + self._numbers(axis)
            if texts and longest <= most:
                return longest, texts is axis.full
        return most, False

    def _numbers(self, axis: Axis) -> int:
        """Width of the column of position numbers."""
        if not axis.numbers or axis.kind != "position":
            return 0
        return self.px(10 + 7 * len(str(max(axis.numbers))))

    def _header(self, axis: Axis) -> float:
        longest = self.longest(axis.labels)
        high = min(longest * math.sin(math.radians(ANGLE)) + self.px(22), self.height() * 0.34, self.px(128))
        least = 76 if self.mark.fill else 60  # the colour bar and the title of the bars stand there too
        return max(high, self.px(least))

    def cell_rect(self, row: int, col: int, at: Geometry) -> QRectF:
        return QRectF(at.map.left() + col * at.cell_w, at.map.top() + row * at.cell_h, at.cell_w, at.cell_h)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """(row, column) under a point; column -1 over the row's label or its bar."""
        at = self.geometry_of()
        row = math.floor((point.y() - at.map.top()) / at.cell_h)
        if not 0 <= row < len(self.mark.rows):
            return None
        col = math.floor((point.x() - at.map.left()) / at.cell_w)
        return row, col if 0 <= col < len(self.mark.cols) else -1

    def pieces(self) -> Pieces | None:
        """The map and the bars: a step changes them, not the names around them."""
        mark = self.mark
        if mark.values is None or not len(mark.rows):
            return None
        at, side = self.geometry_of(), mark.side
        kept = replace(mark, key="", values=None, absent=(), side=None, alt="")
        whole = kept, side is not None and side.title, self.look, self.size().toTuple()
        bars = QRectF(at.bars.left(), at.bars.top() + 1, self.width() - at.bars.left(), at.bars.height() + 1)
        inside = at.map.adjusted(1, 1, -1, -1)  # the names of columns begin two pixels above
        # One rectangle: cut into several, an image is drawn with other roundings.
        return Pieces(whole, ((inside.united(bars), (mark.values, mark.absent, side)),))

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        at = self.geometry_of()
        if self.mark.values is None or not len(self.mark.rows):
            self._draw_missing(painter)
            return
        if self.touched(QRectF(0, 0, self.width(), at.map.top() - 2)):
            self._draw_scale(painter)
        self._draw_map(painter, at)
        self._draw_labels(painter, at)
        if self.mark.side is not None:
            self._draw_bars(painter, self.mark.side, at)
        self._draw_outlines(painter, at)

    def _draw_missing(self, painter: QPainter) -> None:
        box = QRectF(self.rect()).adjusted(self.px(12), self.px(12), -self.px(12), -self.px(12))
        pen = QPen(self.color("border"), self.px(1), Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, self.px(8), self.px(8))
        painter.setFont(self.font_of("title"))
        painter.setPen(self.color("dim"))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(box.adjusted(24, 24, -24, -24), flags, self.look.text(self.mark.missing))

    def scale_rect(self) -> QRectF:
        """The colour bar, at the upper right corner."""
        return QRectF(self.width() - self.px(8) - self.px(130), self.px(22), self.px(112), self.px(8))

    def _draw_scale(self, painter: QPainter) -> None:
        """The colour bar with the ends of the scale."""
        px, mark, bar = self.px, self.mark, self.scale_rect()
        table = self.look.theme.colormap(mark.colours)
        painter.drawImage(bar, map_image(np.arange(256, dtype=np.uint8)[None], table))
        painter.setPen(QPen(self.color("border"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(bar)
        right = Qt.AlignmentFlag.AlignRight
        above = QRectF(bar.left() - px(90), px(2), bar.width() + px(90), px(16))
        self.write(painter, above, self.look.text(mark.scale), "dim", "tiny", align=right)
        low = QRectF(bar.left() - px(46), bar.center().y() - px(8), px(40), px(16))
        self.write(painter, low, f"{mark.low:g}", "dim", "tiny", align=right)
        high = QRectF(bar.right() + px(6), low.top(), px(20), px(16))
        self.write(painter, high, f"{mark.high:g}", "dim", "tiny")

    def _draw_map(self, painter: QPainter, at: Geometry) -> None:
        mark = self.mark
        assert mark.values is not None
        ratio = self.devicePixelRatioF()
        shape = (math.ceil(at.map.height() * ratio), math.ceil(at.map.width() * ratio))
        if self._image is None or self._shape != shape:
            cells = shrunk(quantised(mark.values, mark.low, mark.high), *shape)
            self._image, self._shape = map_image(cells, self.look.theme.colormap(mark.colours)), shape
            self._holes = holes(mark.values)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(at.map, self._image)
        self.hatch_holes(painter, self._holes, at.map)
        for first, last in stretches(mark.absent):
            top, high = at.map.top() + first * at.cell_h, (last - first) * at.cell_h
            self.hatch(painter, QRectF(at.map.left(), top, at.map.width(), high))
        if at.cell_w >= self.px(NUMBERS_AT) and at.cell_h >= self.px(15):
            self._draw_numbers(painter, at)
        painter.setPen(QPen(self.color("border"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(at.map)

    def _draw_numbers(self, painter: QPainter, at: Geometry) -> None:
        mark, values = self.mark, self.mark.values
        if values is None or values.shape != (len(mark.rows), len(mark.cols)):
            return
        table = self.look.theme.colormap(mark.colours)
        light = (table.astype(float) @ (0.299, 0.587, 0.114) > 140)[quantised(values, mark.low, mark.high)]
        centre = Qt.AlignmentFlag.AlignHCenter
        zero, least = max(mark.low, 0.0), 0.02 * (mark.high - mark.low)
        on_scale = values
        if values.dtype == np.uint8:  # 0 ... 255 for low ... high
            on_scale = mark.low + values.astype(float) / 255 * (mark.high - mark.low)
        written = abs(on_scale - zero) >= least * (0.5 if mark.low < 0 else 1.0)
        for row, col in np.argwhere(written if self._holes is None else written | self._holes).tolist():
            if mark.absent and mark.absent[row]:
                continue
            if self._holes is not None and self._holes[row, col]:
                self._draw_sign(painter, self.cell_rect(row, col, at), float(on_scale[row, col]))
                continue
            painter.setPen(self.color("map_dark" if light[row, col] else "map_light"))
            text = re.sub(r"^(-?)0\.", r"\1.", f"{float(on_scale[row, col]):.2f}")  # ".25", but "10.25"
            self._letters.draw(painter, self.cell_rect(row, col, at), text, ("tiny", False, "mono"), centre)

    def _draw_sign(self, painter: QPainter, rect: QRectF, value: float) -> None:
        """What is no number, clear of the hatch behind it."""
        text, style = sign(value), ("tiny", False, "mono")
        box = QRectF(0, 0, self._letters.width(text, style) + self.px(6), self.px(14))
        box.moveCenter(rect.center())
        painter.fillRect(box, self.color("hatch_bg"))
        painter.setPen(self.color("fg"))
        self._letters.draw(painter, box, text, style, Qt.AlignmentFlag.AlignHCenter)

    def _draw_labels(self, painter: QPainter, at: Geometry) -> None:
        mark = self.mark
        every = max(1, math.ceil(self.px(ROW_AT) / at.cell_h))
        hovered_row = mark.hovered[0] if mark.hovered else None
        if self.touched(QRectF(0, 0, at.gutter - self.px(7), self.height())):
            for row in labelled(len(mark.rows), every, (mark.pinned, hovered_row), counted_from(mark.rows)):
                self._row_label(painter, row, at, every)
        if not self.touched(QRectF(0, 0, self.width(), at.map.top() - 2)):
            return
        every = max(1, math.ceil(self.px(WIDE_AT if mark.fill else ROW_AT + 3) / at.cell_w))
        every = 1 << (every - 1).bit_length() if mark.fill else every  # dimensions come in powers of two
        hovered_col = mark.hovered[1] if mark.hovered else None
        first = None if mark.fill else counted_from(mark.cols)
        for col in labelled(len(mark.cols), every, (hovered_col,), first):
            self._col_label(painter, col, at)

    def _row_label(self, painter: QPainter, row: int, at: Geometry, every: int) -> None:
        mark, px = self.mark, self.px
        axis = mark.rows
        middle = at.map.top() + (row + 0.5) * at.cell_h
        height = max(at.cell_h, px(ROW_AT))
        number = self._numbers(axis)
        space = QRectF(px(14), middle - height / 2, at.gutter - px(14) - px(8) - number, height)
        bold = row == mark.pinned
        role = "fg" if bold or (mark.hovered and mark.hovered[0] == row) else "dim"
        role = "ok" if row in axis.marked and not bold else role
        text = axis.full[row] if self._gutter()[1] else axis.labels[row]
        right = Qt.AlignmentFlag.AlignRight
        self.write(painter, space, text, role, bold=bold, align=right)
        if number:
            box = QRectF(at.gutter - px(8) - number, middle - height / 2, number, height)
            self.write(painter, box, str(axis.numbers[row]), "dim", "tiny", align=right)
        if row in axis.marked:
            width = min(self.width_of(text, bold=bold), space.width())
            self.diamond(painter, QPointF(space.right() - width - px(8), middle), px(3))

    def _col_label(self, painter: QPainter, col: int, at: Geometry) -> None:
        mark, px = self.mark, self.px
        axis = mark.cols
        hovered = mark.hovered is not None and mark.hovered[1] == col
        role = "fg" if hovered else "ok" if col in axis.marked else "dim"
        foot = QPointF(at.map.left() + (col + 0.5) * at.cell_w, at.map.top() - px(6))
        space = self._col_space(foot)
        painter.save()
        painter.translate(foot)
        painter.rotate(-ANGLE)
        shift = 0
        if col in axis.marked:
            self.diamond(painter, QPointF(px(3), 0), px(3))
            shift = px(9)
        box = QRectF(shift, -px(8), max(space - shift, px(10)), px(16))
        self.write(painter, box, axis.labels[col], role, bold=hovered)
        painter.restore()

    def _col_space(self, foot: QPointF) -> float:
        """Length of a slanted label that starts at a foot: up to the top, or below the colour bar."""
        slope = math.radians(ANGLE)
        space = (foot.y() - self.px(16)) / math.sin(slope)
        if foot.x() + space * math.cos(slope) > self.scale_rect().left() - self.px(16):
            space = min(space, (foot.y() - self.scale_rect().bottom() - self.px(12)) / math.sin(slope))
        return min(space, (self.width() - self.px(8) - foot.x()) / math.cos(slope))  # shortened, not cut off

    def _draw_bars(self, painter: QPainter, bars: Bars, at: Geometry) -> None:
        px, area = self.px, at.bars
        title = QRectF(area.left(), area.top() - px(24), area.width() + px(8), px(18))
        self.write(painter, title, self.look.text(bars.title), "dim")
        number = px(34)
        height = min(at.cell_h * 0.72, px(24))
        scale = max(area.width() - number, px(20)) / bars.most
        for row, value in enumerate(bars.values):
            if not math.isfinite(value):
                continue
            y = area.top() + (row + 0.5) * at.cell_h
            bar = QRectF(area.left(), y - height / 2, max(value * scale, 1.0), height)
            if bars.hatched[row] and height >= 3:
                self.hatch(painter, bar)
            else:
                painter.fillRect(bar, self.color(bars.roles[row]))
            if at.cell_h >= px(11):
                box = QRectF(bar.right() + px(6), y - px(8), number, px(16))
                self.write(painter, box, bars.labels[row], "fg" if not bars.hatched[row] else "dim")

    def _draw_outlines(self, painter: QPainter, at: Geometry) -> None:
        mark = self.mark
        if mark.hovered is not None:
            row, col = mark.hovered
            column = QRectF(at.map.left() + col * at.cell_w, at.map.top(), at.cell_w, at.map.height())
            self.outline(painter, column, dashed=True, width=1.0)
        if mark.pinned is not None and mark.pinned < len(mark.rows):
            top = at.map.top() + mark.pinned * at.cell_h
            self.outline(painter, QRectF(at.map.left(), top, at.map.width(), max(at.cell_h, 3.0)))
        if mark.hovered is not None:
            self.outline(painter, self.cell_rect(row, col, at), width=1.5)

    # ---- what the user does -----------------------------------------------------------------------------

    def hole_at(self, point: QPointF) -> float | None:
        mark, cell = self.mark, None if self.mark.values is None else self.cell_at(point)
        if mark.values is None or cell is None or cell[1] < 0 or (mark.absent and mark.absent[cell[0]]):
            return None
        row, col = (
            place * size // len(axis)
            for place, size, axis in zip(cell, mark.values.shape, (mark.rows, mark.cols), strict=True)
        )
        value = float(mark.values[row, col])
        return None if math.isfinite(value) else value

    def _tell_hover(self, cell: tuple[int, int] | None) -> None:
        if cell is None or cell[1] < 0:
            if self.mark.hovered is not None:
                self.tell(self.mark.hover, (None, None))
        elif cell != self.mark.hovered:
            row = None if self.mark.rows.kind == "step" else event_value(self.mark.rows, cell[0])
            self.tell(self.mark.hover, (row, event_value(self.mark.cols, cell[1])))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.mark.values is not None:
            self._tell_hover(self.cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        if self.mark is not None:
            self._tell_hover(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position()) if self.mark.values is not None else None
        if cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self.tell(self.mark.pin, event_value(self.mark.rows, cell[0]))
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
        }
        key = Qt.Key(event.key())
        if key in moves and self.mark.values is not None:
            self._move(*moves[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.mark.hovered is not None:
            self.tell(self.mark.pin, event_value(self.mark.rows, self.mark.hovered[0]))
        elif key == Qt.Key.Key_Escape and self.mark.hovered is not None:
            self._tell_hover(None)
            if self.mark.pin == "pin":
                self.tell("pin", None)
        else:
            super().keyPressEvent(event)

    def _move(self, down: int, right: int) -> None:
        """From the cell looked at; at first the largest of the pinned row."""
        mark, values = self.mark, self.mark.values
        assert values is not None
        if mark.hovered is None:
            row = min(mark.pinned or 0, len(mark.rows) - 1)
            index = row * len(values) // max(len(mark.rows), 1)
            col = largest(values[index]) * len(mark.cols) // values.shape[1]
        else:
            row = min(max(mark.hovered[0] + down, 0), len(mark.rows) - 1)
            col = min(max(mark.hovered[1] + right, 0), len(mark.cols) - 1)
        self._tell_hover((row, col))

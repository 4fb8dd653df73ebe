"""Columns that grow to a threshold, and bars cut into shares of one."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.qt.marks.base import Painted, mixed
from app.scene import Shares, Stack

BAR, CAPTION = 18, 15


class StackView(Painted):
    """Shows a Stack: what was there is darker, what the step added is bright."""

    least = (180, 110)
    wanted = (260, 170)
    mark: Stack

    def area(self) -> QRectF:
        px = self.px
        return QRectF(px(30), px(17), self.width() - px(36), self.height() - px(39))

    def height_of(self, value: float) -> float:
        return min(max(value, 0.0), 1.0) * self.area().height()

    def draw(self, painter: QPainter) -> None:
        mark, px, area = self.mark, self.px, self.area()
        for share, text in ((0.0, "0"), (0.5, "0.5"), (1.0, "1")):
            y = area.bottom() - share * area.height()
            painter.setPen(QPen(self.color("grid"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            self.write(painter, QRectF(0, y - px(8), area.left() - px(6), px(16)), text, "dim", "tiny",
                       align=Qt.AlignmentFlag.AlignRight)  # fmt: skip
        wide = area.width() / max(len(mark.columns), 1)
        for k in range(len(mark.columns)):
            self._draw_column(painter, k, wide)
        y = area.bottom() - self.height_of(mark.threshold)
        painter.setPen(QPen(self.color("halts"), px(1.5), Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        text = self.look.text(mark.threshold_text)
        label = QRectF(area.left(), y - px(16), area.width(), px(15))  # above it columns are rare
        if label.bottom() > area.top():
            wide = self.width_of(text, "tiny") + px(4)
            painter.fillRect(label.adjusted(label.width() - wide, 0, 0, 0), self.color("panel"))
        self.write(painter, label, text, "halts_text", "tiny", align=Qt.AlignmentFlag.AlignRight)

    def _draw_column(self, painter: QPainter, k: int, wide: float) -> None:
        mark, px, area = self.mark, self.px, self.area()
        label, base, added, role = mark.columns[k]
        here = k == mark.current
        bar = min(wide * 0.8, px(34))
        left = area.left() + (k + 0.5) * wide - bar / 2
        low, top = self.height_of(base), self.height_of(base + added)
        painter.fillRect(QRectF(left, area.bottom() - low, bar, low),
                         mixed(self.color("panel"), self.color("running"), 0.4))  # fmt: skip
        if added > 0:
            painter.fillRect(QRectF(left, area.bottom() - top, bar, top - low), self.color(role))
        if k < len(mark.ghost) and abs(mark.ghost[k] - base - added) > 1e-9:
            y = area.bottom() - self.height_of(mark.ghost[k])
            painter.setPen(QPen(self.color("remainder"), px(2), Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(left - px(2), y), QPointF(left + bar + px(2), y))
        every = max(1, round(px(18) / max(wide, 1.0)))
        if here or k % every == 0:
            rect = QRectF(left - px(10), area.bottom() + px(3), bar + px(20), px(16))
            self.write(painter, rect, label, "fg" if here else "dim", "tiny", bold=here,
                       align=Qt.AlignmentFlag.AlignHCenter)  # fmt: skip


class SharesView(Painted):
    """Shows Shares: one bar a row, the missing part hatched, a caption below each."""

    least = (180, 40)
    wanted = (260, 80)
    mark: Shares

    def minimumSizeHint(self):  # type: ignore[no-untyped-def]
        size = super().minimumSizeHint()
        rows = len(self.mark.rows) if self.mark is not None else 1
        size.setHeight(self.px((BAR + CAPTION + 6) * rows))
        return size

    def draw(self, painter: QPainter) -> None:
        px, mark = self.px, self.mark
        names = [self.look.text(name) for name, _, _ in mark.rows]
        left = min(max((self.width_of(name) for name in names), default=0) + px(10), self.width() * 0.4)
        high = min(self.height() / max(len(mark.rows), 1), px(BAR + CAPTION + 8))
        for k, (_, segments, caption) in enumerate(mark.rows):
            top = k * high
            self.write(painter, QRectF(px(2), top, left - px(6), px(BAR)), names[k], "fg")
            bar = QRectF(left, top, self.width() - left - px(4), px(BAR))
            self.hatch(painter, bar)
            self._draw_segments(painter, bar, segments)
            rect = QRectF(left, bar.bottom() + px(1), bar.width(), px(CAPTION))
            self.write(painter, rect, self.look.text(caption), "dim", "tiny")

    def _draw_segments(
        self, painter: QPainter, bar: QRectF, segments: tuple[tuple[str, float, str], ...]
    ) -> None:
        x, px = bar.left(), self.px
        for text, share, role in segments:
            wide = min(max(share, 0.0), 1.0) * bar.width()
            rect = QRectF(x, bar.top(), max(wide - 1, 0), bar.height())
            back = mixed(self.color("panel"), self.color(role), 0.55)
            painter.fillRect(rect, back)
            painter.fillRect(QRectF(x, bar.bottom() - px(3), max(wide - 1, 0), px(3)), self.color(role))
            if self.width_of(text, "tiny", bold=True) < wide - px(3):
                self.write(painter, rect, text, "fg", "tiny", bold=True, align=Qt.AlignmentFlag.AlignHCenter)
            x += wide

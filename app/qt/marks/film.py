"""The film strip: one small map a step, the answer under it; what is not computed is a dotted frame."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen

from app.qt.marks.base import Painted, map_image, quantised, shrunk
from app.scene import Array, Film

LARGEST = 92


class FilmView(Painted):
    """Shows a Film; a click or Left / Right looks at another computed step."""

    least = (320, 118)
    wanted = (640, 160)
    mark: Film

    def sizeHint(self) -> QSize:
        return QSize(self.px(640), self.px(LARGEST + 62))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.px(320), self.px(124))

    def frames(self) -> list[QRectF]:
        """The frame of every map."""
        px, count = self.px, max(len(self.mark.steps), 1)
        gap = px(14) if count <= 9 else px(8)
        room = self.width() - px(8) - gap * (count - 1)
        side = max(min(room / count, self.height() - px(58), px(LARGEST)), px(12))
        pitch = min((self.width() - px(8) - side) / max(count - 1, 1), side + px(26))
        pitch = max(pitch, side + 2)
        return [QRectF(px(4) + k * pitch, px(4), side, side) for k in range(count)]

    def draw(self, painter: QPainter) -> None:
        for place, rect in enumerate(self.frames()):
            step = self.mark.steps[place]
            self._draw_frame(painter, self.mark.frames[place], rect, step <= self.mark.computed)
            self._draw_words(painter, place, rect)
        if 0 <= self.mark.current < len(self.mark.steps):
            rect = self.frames()[self.mark.current].adjusted(-3, -3, 3, 3)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.color("accent"), self.px(2)))
            painter.drawRoundedRect(rect, self.px(4), self.px(4))

    def _draw_frame(self, painter: QPainter, values: Array | None, rect: QRectF, computed: bool) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if not computed:
            pen = QPen(self.color("hatch"), 1, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([1, 3])
            painter.setPen(pen)
            painter.drawRoundedRect(rect, self.px(3), self.px(3))
            return
        if values is None:
            self.hatch(painter, rect)
        else:
            most = math.ceil(rect.width() * self.devicePixelRatioF())
            cells = shrunk(quantised(values), most, most)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
            painter.drawImage(rect, map_image(cells, self.look.theme.colormap(self.mark.colours)))
        painter.setPen(QPen(self.color("border"), 1))
        painter.drawRect(rect)

    def _draw_words(self, painter: QPainter, place: int, rect: QRectF) -> None:
        px, mark = self.px, self.mark
        current = place == mark.current
        centre = Qt.AlignmentFlag.AlignHCenter
        wide = rect.adjusted(-px(6), 0, px(6), 0)
        label = QRectF(wide.left(), rect.bottom() + px(5), wide.width(), px(15))
        role = "fg" if current else "dim"
        self.write(painter, label, self.look.text(mark.labels[place]), role, bold=current, align=centre)
        spans = mark.captions[place]
        texts = [self.look.text(span.text) for span in spans]
        if not spans:
            return
        sizes = [
            self.width_of(text, "tiny", span.bold, "mono" if span.mono else "text")
            for text, span in zip(texts, spans, strict=True)
        ]
        box = QRectF(wide.left(), label.bottom() + px(1), wide.width(), px(14))
        if sum(sizes) + px(4) * (len(sizes) - 1) <= box.width():  # side by side
            x = box.center().x() - (sum(sizes) + px(4) * (len(sizes) - 1)) / 2
            for text, span, size in zip(texts, spans, sizes, strict=True):
                family = "mono" if span.mono else "text"
                self.write(painter, QRectF(x, box.top(), size + 1, box.height()), text, span.role, "tiny",
                           span.bold, family=family)  # fmt: skip
                x += size + px(4)
            return
        for text, span in zip(texts, spans, strict=True):  # one below the other
            family = "mono" if span.mono else "text"
            self.write(painter, box, text, span.role, "tiny", span.bold, centre, family)
            box.translate(0, px(14))

    # ---- what the user does -----------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for place, rect in enumerate(self.frames()):
            if rect.adjusted(-4, -4, 4, self.px(48)).contains(event.position()):
                self._look_at(self.mark.steps[place])
                break
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is None or not 0 <= self.mark.current < len(self.mark.steps):
            super().keyPressEvent(event)
            return
        self._look_at(self.mark.steps[self.mark.current] + by)

    def _look_at(self, step: int) -> None:
        if 1 <= step <= self.mark.computed:
            self.tell(self.mark.event, step)

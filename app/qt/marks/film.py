"""The film strip: one small map a step, the answer under it; what is not computed is a dotted frame."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.holes import holes
from app.qt.marks.base import Look, Pieces, map_image, quantised, resized, shrunk
from app.qt.marks.holed import Holed
from app.scene import Array, Film, Span

LARGEST, SMALLEST = 92, 36
WORDS, STACKED = 46, 60  # px below the top of a frame's square: its step and its answer, in one line or two
MOST_IMAGES = 64  # pictures of maps kept


class FilmView(Holed):
    """Shows a Film; a click or Left / Right looks at another computed step.

    As high as frames of its width need; in a low window the frames are smaller.
    """

    least = (320, 60)
    wanted = (640, 138)
    usual = 0.0045
    mark: Film

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._high = self._low = 0  # wanted, and the least
        self._images: dict[tuple[int, int], tuple[Array, QImage, Array | None]] = {}

    def restyle(self, look: Look) -> None:
        self._images.clear()
        super().restyle(look)

    def refresh(self) -> None:
        self._fit()
        super().refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        """As high as frames of this width need."""
        if self.mark is None:
            return
        side = self._share(self.width(), len(self.mark.steps))
        words = self._words()
        high, low = math.ceil(side) + words, math.ceil(min(side, self.px(SMALLEST))) + words
        if (high, low) != (self._high, self._low):
            self._high, self._low = high, low
            self.updateGeometry()
            resized(self)

    def _words(self) -> int:
        """Height of the words under the frames, with the gaps around them."""
        return self.px(STACKED if self._stacked(self._share(self.width(), len(self.mark.steps))) else WORDS)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.px(self.least[0]), self._low or self.px(self.least[1]))

    def sizeHint(self) -> QSize:
        return QSize(self.px(self.wanted[0]), self._high or self.px(self.wanted[1]))

    def _gap(self, count: int) -> int:
        return self.px(14 if count <= 9 else 8)

    def _share(self, width: float, count: int) -> float:
        """The side of a frame where `count` of them share a width and there is height enough."""
        room = width - self.px(8) - self._gap(count) * (count - 1)
        return max(min(room / max(count, 1), self.px(LARGEST)), self.px(12))

    def _wide(self, share: float) -> float:
        """The room of the words under a frame: neighbours' do not touch."""
        return share + self._gap(len(self.mark.steps)) - self.px(2)

    def _stacked(self, share: float) -> bool:
        """Whether an answer and its probability need two lines."""
        wide = self._wide(share)
        return any(sum(self._sizes(spans)) + self.px(4) > wide for spans in self.mark.captions if spans)

    def _room(self) -> float:
        """Width of the words under a frame."""
        return self._wide(self._share(self.width(), len(self.mark.steps)))

    def _sizes(self, spans: tuple[Span, ...]) -> list[float]:
        text = self.look.text
        return [
            self.width_of(text(span.text), "tiny", span.bold, "mono" if span.mono else "text")
            for span in spans
        ]

    def frames(self) -> list[QRectF]:
        """The frame of every map, in the middle of its share of the width."""
        px, count = self.px, max(len(self.mark.steps), 1)
        share = self._share(self.width(), count)
        side = min(share, max(self.height() - self._words(), px(12)))
        pitch = max(min((self.width() - px(8) - share) / max(count - 1, 1), share + px(26)), share + 2)
        left = px(4) + (share - side) / 2
        return [QRectF(left + k * pitch, px(4), side, side) for k in range(count)]

    def pieces(self) -> Pieces:
        """Its frames: a step adds one and is looked at instead of the last."""
        mark, rects = self.mark, self.frames()
        whole = mark.steps, mark.colours, self._words(), self.look, self.size().toTuple()
        places = []
        for k, (rect, step) in enumerate(zip(rects, mark.steps, strict=False)):
            looks = mark.frames[k], mark.labels[k], mark.captions[k], k == mark.current, step <= mark.computed
            places.append((self._around(rect), looks))
        return Pieces(whole, tuple(places))

    def _around(self, rect: QRectF) -> QRectF:
        """A frame with its outline and its words."""
        side = max((self._room() - rect.width()) / 2, 5.0)
        return rect.adjusted(-side, -5, side, self.px(50))

    def draw(self, painter: QPainter) -> None:
        rects = self.frames()
        stacked = self._words() == self.px(STACKED)
        for place, (rect, step) in enumerate(zip(rects, self.mark.steps, strict=False)):
            if not self.touched(self._around(rect)):
                continue
            self._draw_frame(painter, self.mark.frames[place], rect, step <= self.mark.computed)
            self._draw_words(painter, place, rect, stacked)
        if 0 <= self.mark.current < len(self.mark.steps):
            rect = rects[self.mark.current].adjusted(-3, -3, 3, 3)
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
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
            image, bad = self._image(values, most)
            painter.drawImage(rect, image)
            self.hatch_holes(painter, bad, rect)
        painter.setPen(QPen(self.color("border"), 1))
        painter.drawRect(rect)

    def _image(self, values: Array, most: int) -> tuple[QImage, Array | None]:
        """A map of so many pixels a side at most, its holes, made once: a record's array never changes."""
        known = self._images.get((id(values), most))
        if known is None or known[0] is not values:
            if len(self._images) >= MOST_IMAGES:
                self._images.clear()
            cells = shrunk(quantised(values), most, most)
            known = values, map_image(cells, self.look.theme.colormap(self.mark.colours)), holes(values)
            self._images[id(values), most] = known
        return known[1:]

    def _draw_words(self, painter: QPainter, place: int, rect: QRectF, stacked: bool) -> None:
        px, mark = self.px, self.mark
        current = place == mark.current
        centre = Qt.AlignmentFlag.AlignHCenter
        more = (self._room() - rect.width()) / 2
        wide = rect.adjusted(-more, 0, more, 0)
        label = QRectF(wide.left(), rect.bottom() + px(5), wide.width(), px(15))
        role = "fg" if current else "dim"
        text = self.look.text(mark.labels[place])
        if self.width_of(text, bold=True) > label.width():
            text = str(mark.steps[place])
        self.write(painter, label, text, role, bold=current, align=centre)
        spans = mark.captions[place]
        if not spans:
            return
        texts, sizes = [self.look.text(span.text) for span in spans], self._sizes(spans)
        box = QRectF(wide.left(), label.bottom() + px(1), wide.width(), px(14))
        if not stacked:
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

    def hole_at(self, point: QPointF) -> float | None:
        for values, rect in zip(self.mark.frames, self.frames(), strict=False):
            if values is not None and rect.contains(point):
                bad = holes(values)
                return None if bad is None else float(values[bad][0])
        return None

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

"""Places of a lattice's rows and columns, and how its cells are painted.

Wide cells are rounded boxes with a word, narrow ones plain stripes, and below two pixels a stripe mixes the
colours of the columns it stands for: never more shapes than the screen can show.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen

from app.holes import holes
from app.palette import FILL
from app.qt.marks.base import Array, mixed
from app.qt.marks.holed import Holed
from app.qt.marks.places import stretches
from app.qt.marks.strokes import pattern, slanted
from app.scene import Lattice

CELL_W, CELL_H = 76, 64  # px, the largest pitch of columns and rows
ROUND_AT = 14  # px of a column from which cells are round and apart
IMAGE_AT = 3  # px of a column below which no ground shows between them
TEXT_AT = 11  # px of a cell's height from which it can carry a word
MEASURED = 6  # words that are measured to find the widest
FIT = 0.75  # share of a row's words that must fit for any to be written
SHORTEN_AT = 44  # px of a cell from which words are shortened where most do not fit
LABEL, LEGEND = 18, 20  # px, lines of labels and of the legend
PALE, PLAIN = 0.10, 0.80  # share of a colour at shade 0, and at shade 1 where no word is written over it
HATCHED, LIGHTLY = 0.18, 0.6  # share of its colour that a kind with strokes keeps
GAP, WIDE_GAP = 5, 9  # px between strokes
LEVELS = 24  # shades told apart


class LatticeCells(Holed):
    """A lattice's geometry and its cells."""

    mark: Lattice

    _known: tuple[QRectF, tuple[float, float]] | None = None

    # ---- places -----------------------------------------------------------------------------------------

    def widest(self, words: tuple[str, ...]) -> float:
        """Width of the widest of some words, in bold: of the longest by letters, which are measured."""
        return self.longest(_longest(words))

    def gutter(self) -> float:
        """Room of the row labels."""
        below = (self._axis(), self.look.text(self.mark.foot_name))
        names = max(self.widest(self.mark.rows.labels), *(self.width_of(text, "tiny") for text in below))
        return min(names + self.px(22), max(self.width() * 0.3, self.px(30)))

    def _axis(self) -> str:
        return self.look.text(self.mark.cols.name)

    def margin(self) -> float:
        """Room of the words at the end of the rows."""
        return self.widest(self.mark.notes) + self.px(14) if self.mark.notes else float(self.px(8))

    def foot_height(self) -> float:
        lines = 1 + bool(self.mark.foot)
        return float(self.px(LABEL) * lines + self.px(4))

    def pitch(self) -> tuple[float, float]:
        """Width of a column and height of a row."""
        return self._places()[1]

    def area(self) -> QRectF:
        """Where the cells stand: at the base line beside others, in the middle alone."""
        return self._places()[0]

    def _places(self) -> tuple[QRectF, tuple[float, float]]:
        """Found once for a mark, a look and a size: `placed` forgets it."""
        if self._known is None:
            pitch = self._pitch()
            self._known = self._area(pitch), pitch
        return self._known

    def placed(self) -> None:
        """Something changed that moves rows and columns."""
        self._known = None

    def _pitch(self) -> tuple[float, float]:
        mark, px = self.mark, self.px
        rows, cols = max(len(mark.rows), mark.most, 1), max(len(mark.cols), 1)
        wide = max(self.width() - self.gutter() - self.margin(), px(20)) / cols
        high = max(self.height() - self.foot_height() - self.legend_height() - px(8), px(10)) / rows
        return min(wide, float(px(CELL_W))), min(high, float(px(CELL_H)))

    def _area(self, pitch: tuple[float, float]) -> QRectF:
        mark, (wide, high) = self.mark, pitch
        width, height = wide * len(mark.cols), high * len(mark.rows)
        left = self.gutter()
        left += max(self.width() - left - self.margin() - width, 0) / 2
        room = self.height() - self.foot_height() - self.legend_height()
        top = room - height if mark.most else max((room - height) / 2, self.px(4))
        return QRectF(left, top, width, height)

    def row_rect(self, row: int) -> QRectF:
        area, high = self.area(), self.pitch()[1]
        place = len(self.mark.rows) - 1 - row if self.mark.upward else row
        return QRectF(area.left(), area.top() + place * high, area.width(), high)

    def gaps(self) -> tuple[float, float]:
        """Free room at each side of a cell: lines between the rows need some."""
        wide, high = self.pitch()
        across = min(wide * 0.1, self.px(4)) if wide >= self.px(ROUND_AT) else min(0.5, wide / 8)
        return across, min(high * (0.2 if high >= self.px(24) else 0.11), self.px(13))

    def cell_rect(self, row: int, first: int, last: int | None = None) -> QRectF:
        """A cell, or the cells first ... last - 1 of a row."""
        rect, wide, (across, down) = self.row_rect(row), self.pitch()[0], self.gaps()
        last = first + 1 if last is None else last
        left, right = rect.left() + first * wide + across, rect.left() + last * wide - across
        return QRectF(left, rect.top() + down, max(right - left, 0.5), rect.height() - 2 * down)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        area, (wide, high) = self.area(), self.pitch()
        if not area.contains(point):
            return None
        col = min(int((point.x() - area.left()) / wide), len(self.mark.cols) - 1)
        place = min(int((point.y() - area.top()) / high), len(self.mark.rows) - 1)
        return (len(self.mark.rows) - 1 - place if self.mark.upward else place), col

    def legend_height(self) -> float:
        lines = self.legend_lines()
        return self.px(LEGEND) * lines + self.px(6) if lines else 0.0

    def legend_lines(self) -> int:
        raise NotImplementedError

    # ---- colours ----------------------------------------------------------------------------------------

    def share(self, kind: int, shades: Any) -> Any:
        """How much of its kind's colour a cell has, of any number of shades; less where words stand on it."""
        tone, most = self.mark.kinds[kind], FILL if self.mark.texts else PLAIN
        kept = (LIGHTLY if tone.light else HATCHED) if tone.hatched else 1.0
        return (PALE + (most - PALE) * np.clip(shades, 0.0, 1.0)) * kept

    def colour(self, kind: int, shade: float = 1.0) -> QColor:
        role = self.mark.kinds[kind].role
        return mixed(self.color("panel"), self.color(role), float(self.share(kind, shade)))

    def ink(self, kind: int) -> QColor:
        """Of a cell's edge and of its strokes."""
        return mixed(self.color("panel"), self.color(self.mark.kinds[kind].role), 0.85)

    def _table(self) -> Array:
        """uint8 [kind, level, 3]; one kind more, at the end, is the empty cell."""
        ground, shades = _rgb(self.color("panel")), np.linspace(0.0, 1.0, LEVELS)
        rows = [
            ground + (_rgb(self.color(tone.role)) - ground) * self.share(kind, shades)[:, None]
            for kind, tone in enumerate(self.mark.kinds)
        ]
        empty = ground + (_rgb(self.color("grid")) - ground) * 0.6
        return np.rint([*rows, np.tile(empty, (LEVELS, 1))]).astype(np.uint8)

    def levels(self) -> Array:
        """int [row, column]: shades in LEVELS steps."""
        if self.mark.shades is None:
            return np.full(self.mark.tones.shape, LEVELS - 1)
        shades = np.nan_to_num(np.clip(self.mark.shades, 0.0, 1.0))
        return np.asarray(np.rint(shades * (LEVELS - 1)).astype(int))

    # ---- cells ------------------------------------------------------------------------------------------

    def draw_cells(self, painter: QPainter) -> None:
        if not self.mark.tones.size:
            return
        if self.pitch()[0] < self.px(ROUND_AT):
            self._draw_stripes(painter)
        else:
            self._draw_boxes(painter)
        self._draw_hatches(painter)
        if self.mark.texts:
            self._draw_texts(painter)

    def _draw_stripes(self, painter: QPainter) -> None:
        """Every row as a picture of one pixel's height; a pixel mixes the columns it stands for."""
        tones, levels, table = self.mark.tones, self.levels(), self._table()
        colours = table[tones, levels].astype(np.float32)  # [row, column, 3]; -1 is the last: empty
        cols, area, (wide, _), (across, down) = colours.shape[1], self.area(), self.pitch(), self.gaps()
        pixels = max(min(cols, math.ceil(area.width() * self.devicePixelRatioF())), 1)
        starts = np.arange(pixels) * cols // pixels
        counts = np.diff(np.append(starts, cols)).astype(np.float32)
        means = np.add.reduceat(colours, starts, axis=1) / counts[None, :, None]
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        lines = np.full((len(tones), pixels, 4), 255, np.uint8)
        lines[..., :3] = np.rint(means[..., ::-1])
        image = QImage(lines.data, pixels, len(tones), 4 * pixels, QImage.Format.Format_RGB32)
        for row in range(len(tones)):
            place = self.row_rect(row).adjusted(0, down, 0, -down)
            painter.drawImage(place, image, QRectF(0, row, pixels, 1))
        if wide >= self.px(IMAGE_AT):  # the ground shows between the cells
            painter.setPen(QPen(self.color("panel"), 2 * across))
            places = (area.left() + col * wide for col in range(cols + 1))
            painter.drawLines([QLineF(x, area.top(), x, area.bottom()) for x in places])

    def _draw_boxes(self, painter: QPainter) -> None:
        """Round cells; those of one colour one after the other."""
        keys = np.where(self.mark.tones < 0, -1, self.mark.tones * LEVELS + self.levels())
        round_ = min(self.px(4), self.pitch()[1] / 5)
        for key in sorted(set(keys.ravel().tolist())):
            if key < 0:
                painter.setPen(QPen(self.color("faint", 0.55), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
            else:
                kind, level = divmod(key, LEVELS)
                painter.setPen(QPen(self.ink(kind), 1))
                painter.setBrush(self.colour(kind, level / (LEVELS - 1)))
            for rect in self._rects(np.argwhere(keys == key)):
                painter.drawRoundedRect(rect, round_, round_)

    def _rects(self, places: Array) -> list[QRectF]:
        """The cells at [n, 2] places."""
        area, (wide, high), (across, down) = self.area(), self.pitch(), self.gaps()
        rows = len(self.mark.rows) - 1 - places[:, 0] if self.mark.upward else places[:, 0]
        lefts = (area.left() + places[:, 1] * wide + across).tolist()
        tops = (area.top() + rows * high + down).tolist()
        box_w, box_h = wide - 2 * across, high - 2 * down
        return [QRectF(left, top, box_w, box_h) for left, top in zip(lefts, tops, strict=True)]

    def _draw_hatches(self, painter: QPainter) -> None:
        """Strokes over the cells whose kind has them, and over those whose shade is no number."""
        for kind, tone in enumerate(self.mark.kinds):
            if tone.hatched:
                self.strokes(painter, self._joined(self.mark.tones == kind, np.logical_and), kind)
        bad = None if self.mark.shades is None else holes(self.mark.shades)
        if bad is not None:
            for rect in self._joined(bad & (self.mark.tones >= 0), np.logical_or):
                self.hatch(painter, rect)

    def _joined(self, found: Array, many: np.ufunc) -> list[QRectF]:
        """Rectangles over bool [row, column], neighbours in one where they touch.

        many: whether all or any of the columns count that the narrowest hatch is over.
        """
        wide, rects = self.pitch()[0], []
        each = 1 if wide >= 2 else math.ceil(2 / max(wide, 0.01))
        if each > 1:
            whole = many.reduceat(found, np.arange(0, found.shape[1], each), axis=1)
            found = np.repeat(whole, each, axis=1)[:, : found.shape[1]]
        for row in np.flatnonzero(found.any(axis=1)).tolist():
            runs = stretches(found[row].tolist())
            if wide >= self.px(ROUND_AT):  # they stand apart
                runs = [(col, col + 1) for first, last in runs for col in range(first, last)]
            rects += [self.cell_rect(row, first, last) for first, last in runs]
        return rects

    def hole_at(self, point: QPointF) -> float | None:
        cell, mark = self.cell_at(point), self.mark
        if cell is None or mark.shades is None or mark.tones[cell] < 0 or np.isfinite(mark.shades[cell]):
            return None
        return float(mark.shades[cell])

    def strokes(self, painter: QPainter, rects: list[QRectF], kind: int) -> None:
        """A kind's hatch: a pattern on pixels, lines of their own in a drawing that keeps them."""
        gap, ink = self.px(WIDE_GAP if self.mark.kinds[kind].light else GAP), self.ink(kind)
        if self._letters.raster:
            painter.save()  # at a ratio other than 1, Qt puts static text in the wrong place after a texture
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QBrush(pattern(gap, max(1.0, self.px(1)), ink, self.devicePixelRatioF())))
            painter.drawRects(rects)
            painter.restore()
            return
        pen = QPen(ink, max(1.0, self.px(1)))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        for rect in rects:
            painter.drawLines(slanted(rect, gap))

    def _draw_texts(self, painter: QPainter) -> None:
        """Words that fit, shortened ones where most do not; behind one, a hatched cell is clear."""
        mark, px = self.mark, self.px
        rect = self.cell_rect(0, 0)
        if rect.height() < px(TEXT_AT) or rect.width() < px(9):
            return
        size, levels = "small" if rect.height() >= px(15) else "tiny", self.levels()
        for row, words in enumerate(mark.texts):
            wide = {word: self.width_of(word, size) for word in words if word}
            fitting = [word for word in words if word and wide[word] <= rect.width() - px(2)]
            short = len(fitting) < FIT * sum(map(bool, words))
            if short and rect.width() < px(SHORTEN_AT):
                continue
            for col, word in enumerate(words):
                room = min(wide.get(word, math.inf), rect.width() - px(6) if short else math.inf)
                if not word or room > rect.width() - px(2):
                    continue
                box, kind = self.cell_rect(row, col), int(mark.tones[row, col])
                if kind >= 0 and mark.kinds[kind].hatched:
                    middle = QRectF(box.center().x() - room / 2 - px(2), box.center().y() - px(8),
                                    room + px(4), px(16))  # fmt: skip
                    painter.fillRect(
                        middle.intersected(box), self.colour(kind, levels[row, col] / (LEVELS - 1))
                    )
                role = "dim" if kind < 0 else "fg"
                inner = box.adjusted(px(3), 0, -px(3), 0) if short else box
                self.write(painter, inner, word, role, size, align=Qt.AlignmentFlag.AlignHCenter)


@lru_cache(maxsize=64)
def _longest(words: tuple[str, ...]) -> tuple[str, ...]:
    """The few words with most letters, the same tuple for the same words."""
    return tuple(sorted(set(words), key=len)[-MEASURED:])


def _rgb(colour: QColor) -> Array:
    return np.array([colour.red(), colour.green(), colour.blue()], float)

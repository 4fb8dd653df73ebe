"""Maps whose values may be no numbers: such cells are hatched, and said when pointed at."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QToolTip

from app.holes import no_number
from app.qt.marks.base import Array, Painted, shrunk
from app.qt.marks.places import stretches

LEAST = 6  # px of a hatch that can still be seen as one


class Holed(Painted):
    """A mark that knows where in it a value is no number."""

    def hole_at(self, point: QPointF) -> float | None:
        """The value under a point where it is NaN or infinite; None where it is a number, or nothing is."""
        raise NotImplementedError

    def hatch_holes(self, painter: QPainter, holes: Array | None, area: QRectF) -> None:
        """Hatch the cells of a map over an area, [row, column] where there is no number."""
        for rect in () if holes is None else hole_rects(holes, area, self.px(LEAST)):
            self.hatch(painter, rect)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.mark is not None:
            value = self.hole_at(QPointF(event.pos()))
            if value is not None:
                QToolTip.showText(event.globalPos(), self.look.text(no_number(value)), self)
                return True
            QToolTip.hideText()
        return super().event(event)


def hole_rects(holes: Array, area: QRectF, least: float) -> list[QRectF]:
    """Rectangles over bool [row, column], neighbours in one; over blocks where cells are below `least`."""
    holes = shrunk(holes, *(max(int(side // least), 1) for side in (area.height(), area.width())))
    high, wide = area.height() / holes.shape[0], area.width() / holes.shape[1]
    found: list[tuple[int, int, int, int]] = []
    before: list[tuple[int, int]] = []
    for row, flags in enumerate(holes.tolist()):
        runs = stretches(flags)
        if runs and runs == before:
            found[-len(runs) :] = [(*one[:3], row + 1) for one in found[-len(runs) :]]
        else:
            found += [(first, last, row, row + 1) for first, last in runs]
        before = runs
    return [
        QRectF(area.left() + left * wide, area.top() + top * high, (right - left) * wide, (end - top) * high)
        for left, right, top, end in found
    ]

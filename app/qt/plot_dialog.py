"""A plot on its own, large: zoom and shift, its numbers, copying them.

It is the item of the card once more with a part of its scales: signs, hatches, error bars, rules and words
are the same ones, and nothing has to be imported first.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QVBoxLayout, QWidget

from app.messages import Text, msg
from app.qt.keys import chord_of
from app.qt.large import LargeDialog
from app.qt.marks.axes import share, value_at
from app.qt.marks.base import Look
from app.qt.marks.chart import Place, PlotView
from app.scene import Plot, Scale

TYPE = 1.2  # times the size of the card's letters and signs
CLOSE = 1.5  # one press of a key or one notch of the wheel zooms by it
NOTCH = 120  # of a wheel, in Qt's units
FAR = 0.1  # of what is shown, by which a key shifts
LEAST = 1e-3  # of a scale, shown at least
ALL = (0.0, 1.0)
ZOOMS = {"+": 1 / CLOSE, "=": 1 / CLOSE, "-": CLOSE}
SHIFTS = {"Shift+Left": (-1, 0), "Shift+Right": (1, 0), "Shift+Up": (0, 1), "Shift+Down": (0, -1)}

Part = tuple[float, float]  # ends of what is shown of a scale, as shares of it


class ZoomView(PlotView):
    """A part of a Plot.  Dragging shifts, the wheel zooms (beside an axis: that one); + and −, Shift with the
    arrows, 0 for all of it.  looked: what the readout says may be another.
    """

    looked = Signal()
    wanted = (900, 460)
    named_from = 1
    whole: Plot
    part: tuple[Part, Part] = (ALL, ALL)  # of x, of y
    _held: tuple[QPointF, QRectF, tuple[Part, Part]] | None = None  # where the button went down, on what
    _moving = False

    def show_mark(self, mark: Plot) -> None:
        """What is zoomed to stays in its place, unless the scales are of something else now."""
        before, self.whole = self.whole if self.mark is not None else None, mark
        if before is None or _meant(before) != _meant(mark):
            self.part = ALL, ALL
        else:
            self.part = _moved(self.part[0], before.x, mark.x), _moved(self.part[1], before.y, mark.y)
            if mark.here is not None and mark.here != before.here:
                self.part = _with(self.part[0], share(mark.here, mark.x)), self.part[1]
        super().show_mark(self._cut())
        self.looked.emit()

    def _cut(self) -> Plot:
        x, y = (_scale(one, part) for one, part in zip((self.whole.x, self.whole.y), self.part, strict=True))
        return replace(self.whole, x=x, y=y, legend=True, height=0)

    def show_part(self, x: Part, y: Part) -> None:
        """Shares of the whole scales; what is too small or outside of them is not shown."""
        part = _within(x), _within(y)
        if part != self.part:
            self.part = part
            self.mark = self._cut()
            self.update()

    def show_whole(self) -> None:
        self.show_part(ALL, ALL)

    def zoom(self, by: tuple[float, float], at: tuple[float, float] = (0.5, 0.5)) -> None:
        """Show so many times as much of x and of y; what is at these shares of what is shown stays there."""
        (x, y), (by_x, by_y) = self.part, by
        self.show_part(_zoomed(x, by_x, at[0]), _zoomed(y, by_y, at[1]))

    # ---- the readout ------------------------------------------------------------------------------------

    def said(self) -> str:
        """The point meant, or those at the x looked at, in one line."""
        rows = self.readout(place) if (place := self._cursor or self._place_here()) is not None else ()
        return "    ".join(f"{name} {value}".strip() for _, name, value in rows)

    def _place_here(self) -> Place | None:
        here = self.mark.here
        for row, line in enumerate(self.mark.lines if here is not None else ()):
            if not line.quiet and here in (xs := np.asarray(line.x).tolist()):
                return row, xs.index(here)
        return None

    def _look_at(self, place: Place | None) -> None:
        super()._look_at(place)
        self.looked.emit()

    def _draw_readout(self, painter: QPainter, box: QRectF, place: Place) -> None:
        x, y = self.spots(box)[place[0]]
        if box.adjusted(-1, -1, 1, 1).contains(float(x[place[1]]), float(y[place[1]])):
            super()._draw_readout(painter, box, place)

    # ---- what the user does -----------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        box, at = self.area(), event.position()
        x, y = (at.x() - box.left()) / box.width(), (box.bottom() - at.y()) / box.height()
        by = CLOSE ** (-(event.angleDelta().y() or event.angleDelta().x()) / NOTCH)
        beside, below = x < 0 <= y, y < 0 <= x
        self.zoom((1.0 if beside else by, 1.0 if below else by), (_in(x), _in(y)))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Whether it is a click or a drag shows later."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held, self._moving = (event.position(), self.area(), self.part), False
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None:
            super().mouseMoveEvent(event)
            return
        start, box, (x, y) = self._held
        way = event.position() - start
        self._moving |= way.manhattanLength() >= QApplication.startDragDistance()
        if self._moving:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.show_part(_shifted(x, -way.x() / box.width()), _shifted(y, way.y() / box.height()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked = self._held is not None and not self._moving
        self._held, self._moving = None, False
        self.unsetCursor()
        place = self.nearest(event.position()) if clicked else None
        if place is not None:
            self._choose(place)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.show_whole()

    def leaveEvent(self, event: QEvent) -> None:
        self._held, self._moving = None, False
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """+, − and 0 by the sign that is written, as keyboards have them in different places."""
        chord = chord_of(event)
        if chord in ZOOMS:
            self.zoom((ZOOMS[chord], ZOOMS[chord]), self._middle())
        elif chord in SHIFTS:
            (x, y), (right, up) = self.part, SHIFTS[chord]
            self.show_part(_shifted(x, FAR * right), _shifted(y, FAR * up))
        elif chord == "0":
            self.show_whole()
        elif chord == "Esc" or (chord == "Return" and not self.chooses):
            event.ignore()  # the dialog closes
        else:
            super().keyPressEvent(event)

    def _middle(self) -> tuple[float, float]:
        """What is zoomed about by key: the place looked at where it is shown, else the middle."""
        place = self._cursor or self._place_here()
        at = (math.nan, math.nan) if place is None else self._shares(place, self.mark)
        return at if all(0 <= one <= 1 for one in at) else (0.5, 0.5)

    @staticmethod
    def _shares(place: Place, plot: Plot) -> tuple[float, float]:
        line, k = plot.lines[place[0]], place[1]
        return share(float(line.x[k]), plot.x), share(float(line.y[k]), plot.y)

    def _walk(self, by: int) -> bool:
        """What is walked to is shown."""
        walked = super()._walk(by)
        if walked and self._cursor is not None:
            x, y = self._shares(self._cursor, self.whole)
            self.show_part(_with(self.part[0], x), _with(self.part[1], y))
        return walked


class PlotDialog(LargeDialog):
    """A Plot large; its numbers at the place looked at below it."""

    mark: Plot

    def __init__(self, title: Text, plot: Plot, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(title, plot, look, parent)
        theme, say = look.theme, look.text
        self.chart = ZoomView(Look(replace(theme, scale=theme.scale * TYPE), look.translator))
        self.chart.happened.connect(self.happened)
        self.chart.looked.connect(self._read)
        card = QFrame()
        card.setObjectName("card")
        inside = QVBoxLayout(card)
        inside.setContentsMargins(*[theme.space("s")] * 4)
        inside.addWidget(self.chart)
        self.readout = QLabel()
        self.readout.setTextFormat(Qt.TextFormat.PlainText)
        self.readout.setFont(theme.font("small", "mono"))
        self.readout.setFixedHeight(theme.px(22))  # a place of its own: nothing jumps
        self.readout.setMinimumWidth(1)  # a long one makes the window no wider
        hint = QLabel(say(msg(
            "Drag to shift, turn the wheel to zoom. Keys: arrows go from point to point, Shift and arrows "
            "shift, + and − zoom, 0 shows all."
        )))  # fmt: skip
        hint.setProperty("tone", "small")
        hint.setWordWrap(True)
        for widget in (card, self.readout, hint):
            self.body.addWidget(widget, int(widget is card))
        self.buttons(
            (say(msg("Copy values")), self.copy), (say(msg("Whole chart")), self.chart.show_whole),
            (say(msg("Close")), self.close),
        )  # fmt: skip
        self.show_mark(title, plot)
        self.chart.setFocus()

    def show_mark(self, title: Text, mark: Plot) -> None:
        self.setWindowTitle(self.look.text(title))
        self.mark = mark
        self.chart.setAccessibleName(self.look.text(title))
        self.chart.show_mark(mark)

    def _read(self) -> None:
        self.readout.setText(self.chart.said())


def _meant(plot: Plot) -> tuple[object, ...]:
    return plot.x.name, plot.x.log, plot.y.name, plot.y.log


def _scale(scale: Scale, part: Part) -> Scale:
    if part == ALL:
        return scale
    return replace(scale, low=value_at(part[0], scale), high=value_at(part[1], scale))


def _in(at: float) -> float:
    return min(max(at, 0.0), 1.0)


def _within(part: Part) -> Part:
    """The part moved into the scale, and made no smaller than can be told apart."""
    size = min(max(part[1] - part[0], LEAST), 1.0)
    low = min(max(part[0], 0.0), 1.0 - size)
    return (low, low + size) if size < 1.0 else ALL


def _zoomed(part: Part, by: float, at: float) -> Part:
    size = min(max((part[1] - part[0]) * by, LEAST), 1.0)
    low = part[0] + at * (part[1] - part[0] - size)
    return low, low + size


def _shifted(part: Part, by: float) -> Part:
    """By a share of what is shown."""
    way = by * (part[1] - part[0])
    return part[0] + way, part[1] + way


def _moved(part: Part, before: Scale, now: Scale) -> Part:
    """The same values on another scale."""
    if part == ALL or (before.low, before.high) == (now.low, now.high):
        return part
    low, high = (share(value_at(end, before), now) for end in part)
    return _within((low, high))


def _with(part: Part, at: float) -> Part:
    """The part shifted so far that a place of the scale is in it; undefined places change nothing."""
    low, high = part
    edge = 0.05 * (high - low)
    way = min(at - low - edge, 0.0) + max(at - high + edge, 0.0) if at == at else 0.0
    return _within((low + way, high + way)) if not low <= at <= high else part

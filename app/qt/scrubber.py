"""The scrubber: which step is looked at and how far the run is computed, on one line of steps."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from app.qt.marks.letters import Letters
from app.qt.painting import painting
from app.qt.theme import Theme
from app.timeline import Timeline

NICE = (1, 2, 5)
USUAL, BOLD, COUNT = ("small", False, "text"), ("small", True, "text"), ("tiny", True, "text")
LEAST, DENSE = 160, 60  # px of its width, usual and where there is little room


class Scrubber(QAbstractSlider):
    """Steps 1 ... planned; dragging, clicking, arrows and the wheel ask for a step.

    wanted: the step asked for (1 ... computed); nothing moves until `show_line` says so.
    """

    wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = Timeline()
        self.theme = Theme()
        self._letters = Letters(self.theme)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.dense = False

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(400), self.theme.px(56))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.theme.px(DENSE if self.dense else LEAST), self.theme.px(48))

    def show_line(self, line: Timeline) -> None:
        if line == self.line:
            return
        self.line = line
        self.blockSignals(True)  # told from outside: not a wish of the user
        self.setRange(min(1, line.planned), line.planned)
        self.setValue(line.current)
        self.blockSignals(False)
        self.setEnabled(line.computed > 0)
        self.update()

    def restyle(self, theme: Theme) -> None:
        self.theme = theme
        self._letters = Letters(theme)
        self.updateGeometry()
        self.update()

    # ---- places -----------------------------------------------------------------------------------------

    def place(self, step: float) -> float:
        """x of a step, in logical pixels."""
        margin = self._margin()
        free = self.width() - 2 * margin
        if self.line.group > 1:  # a line stands at its end, so that a step's lines fill the step
            return margin + free * step / max(1, self.line.planned)
        return margin + free * (step - 1) / max(1, self.line.planned - 1)

    def step_at(self, x: float) -> int:
        """The computed step nearest to x."""
        margin = self._margin()
        free = max(1.0, self.width() - 2 * margin)
        share = (x - margin) / free
        if self.line.group > 1:
            step = round(share * max(1, self.line.planned))
        else:
            step = round(1 + share * max(1, self.line.planned - 1))
        return min(max(step, 1), max(1, self.line.computed))

    def _margin(self) -> float:
        return self.theme.px(24)

    def stride(self) -> int:
        """Every how many steps a label fits."""
        widest = self._letters.width(f"t = {self.line.planned}", USUAL)
        fits = max(1.0, (self.width() - 2 * self._margin()) / (widest + self.theme.px(16)))
        least = self.line.planned / fits
        ten = 1
        while True:
            for nice in NICE:
                if nice * ten >= least:
                    return nice * ten
            ten *= 10

    # ---- events -----------------------------------------------------------------------------------------

    def _ask(self, step: int) -> None:
        step = min(max(step, 1), self.line.computed)
        if self.line.computed and step != self.line.current:
            self.wanted.emit(step)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._ask(self.step_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._ask(self.step_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or -event.angleDelta().x()
        if turned:
            self._ask(self.line.current + (-1 if turned > 0 else 1))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}.get(
            Qt.Key(event.key())
        )
        if by is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()  # the window's keys
        else:
            self._ask(self.line.current + by)

    # ---- painting ---------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            y = self.height() / 2 - self.theme.px(9)
            self._paint_track(painter, y)
            if self.line.planned and self.line.group > 1:
                self._paint_lines(painter, y)
                self._paint_signs(painter, y)
            elif self.line.planned:
                self._paint_ticks(painter, y)
            if self.line.computed:
                self._paint_knob(painter, y)

    def _paint_track(self, painter: QPainter, y: float) -> None:
        thick = self.theme.px(4)
        parts = [("hover", self.width() - self._margin())]
        if self.line.computed:
            parts += [
                ("accent_mid", self.place(self.line.computed)),
                ("accent", self.place(self.line.current)),
            ]
        painter.setPen(Qt.PenStyle.NoPen)
        for role, end in parts:
            painter.setBrush(self.theme.color(role))
            rect = QRectF(self._margin(), y - thick / 2, max(0.0, end - self._margin()), thick)
            painter.drawRoundedRect(rect, thick / 2, thick / 2)

    def _paint_ticks(self, painter: QPainter, y: float) -> None:
        theme, stride = self.theme, self.stride()
        long, short = theme.px(8), theme.px(4)
        dense = (self.width() - 2 * self._margin()) / max(1, self.line.planned) < theme.px(5)
        current, last, outline = self.place(self.line.current), -1e9, QPen(theme.color("outline"), 1)
        for step in range(1, self.line.planned + 1):
            here = step == self.line.current
            named = here or step == 1 or step % stride == 0
            if dense and not named:
                continue
            x, half = self.place(step), long if named else short
            painter.setPen(outline)
            painter.drawLine(QPointF(x, y - half), QPointF(x, y + half))
            if not named:
                continue
            style, text = BOLD if here else USUAL, f"t = {step}"
            wide = self._letters.width(text, style)
            near = abs(current - x) < wide + theme.px(10)
            if (near and not here) or (x - last < wide + theme.px(8) and not here):
                continue
            last = x
            painter.setPen(self._letters.color("fg" if here else "dim"))
            box = QRectF(x - wide, y + theme.px(12), 2 * wide, theme.px(20))
            self._letters.draw(painter, box, text, style, Qt.AlignmentFlag.AlignHCenter)

    def _paint_lines(self, painter: QPainter, y: float) -> None:
        """A short tick for each line, a tall one where a step ends, the step's name between them."""
        theme, line = self.theme, self.line
        steps, here = -(-line.planned // line.group), -(-line.current // line.group)
        wide = self.place(line.group) - self.place(0)
        painter.setPen(QPen(theme.color("outline"), 1))
        every = line.group if wide / line.group < theme.px(4) else 1
        start, each, long, short = self.place(0), wide / line.group, theme.px(9), theme.px(3)
        ticks = []
        for k in range(0, line.planned + 1, every):
            x, half = start + k * each, long if k % line.group == 0 else short
            ticks.append(QLineF(x, y - half, x, y + half))
        painter.drawLines(ticks)
        label = self._letters.width(f"t = {steps}", USUAL) + theme.px(10)
        every = max(1, math.ceil(label / max(wide, 1.0)))
        for step in range(1, steps + 1):
            if step != here and (step % every or 0 < abs(step - here) < every):
                continue
            middle = self.place((step - 0.5) * line.group)
            painter.setPen(self._letters.color("fg" if step == here else "dim"))
            box = QRectF(middle - label, y + theme.px(12), 2 * label, theme.px(20))
            style = BOLD if step == here else USUAL
            self._letters.draw(painter, box, f"t = {step}", style, Qt.AlignmentFlag.AlignHCenter)

    def _paint_signs(self, painter: QPainter, y: float) -> None:
        """Triangles with a count where positions halt, dots where one may run to."""
        theme, line = self.theme, self.line
        high = y - theme.px(17)
        wide = self.place(line.group) - self.place(0)
        for place in line.stops:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("breakpoint"))
            beside = theme.px(9) if any(sign == place for sign, _ in line.signs) else 0
            painter.drawEllipse(QPointF(self.place(place) - beside, high), theme.px(3), theme.px(3))
        for place, count in line.signs:
            x, half = self.place(place), theme.px(4)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("halts"))
            painter.drawPolygon(
                QPolygonF([QPointF(x - half, high - half), QPointF(x + half, high - half),
                           QPointF(x, high + half)])
            )  # fmt: skip
            if wide >= theme.px(30):
                painter.setPen(self._letters.color("halts_text"))
                box = QRectF(x + half + theme.px(2), high - theme.px(8), theme.px(26), theme.px(16))
                self._letters.draw(painter, box, str(count), COUNT, Qt.AlignmentFlag.AlignLeft)

    def _paint_knob(self, painter: QPainter, y: float) -> None:
        radius = self.theme.px(7)
        centre = QPointF(self.place(self.line.current), y)
        painter.setPen(QPen(self.theme.color("panel"), 2))
        painter.setBrush(self.theme.color("fg"))
        painter.drawEllipse(centre, radius, radius)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.theme.color("accent"), 2))
            painter.drawEllipse(centre, radius + self.theme.px(3), radius + self.theme.px(3))

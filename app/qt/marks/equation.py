"""Typeset formulas: outlines made beforehand, drawn in the text's colour; in an export they stay outlines."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.formulas import EM, outline, spoken
from app.palette import TYPE
from app.qt.marks.base import Look, Painted
from app.scene import Equation

GAP = 8  # px between formulas
ROW = 30  # px of a line of one formula at least, so that equal ones stand in line across cards
LABELS_MOST = 0.3  # share of the width that labels may take
BADGE = 18
MOST = 40  # formulas kept as pixels


@cache
def path_of(name: str) -> QPainterPath:
    """The outline of a formula, its baseline at y = 0, EM units an em.  Not to be changed."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    for letter, at in outline(name).strokes:
        if letter == "M":
            path.moveTo(at[0], at[1])
        elif letter == "L":
            path.lineTo(at[0], at[1])
        elif letter == "Q":
            path.quadTo(at[0], at[1], at[2], at[3])
        elif letter == "C":
            path.cubicTo(at[0], at[1], at[2], at[3], at[4], at[5])
        else:
            path.closeSubpath()
    return path


def draw_badge(view: Painted, painter: QPainter, centre: QPointF, text: str, strong: bool = False) -> None:
    """A difference's number in a small disc."""
    px = view.px
    radius = px(BADGE) / 2
    painter.setPen(view.color("accent"))
    painter.setBrush(view.color("accent") if strong else view.color("panel"))
    rect = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
    painter.drawRoundedRect(rect, radius, radius)
    role = "on_accent" if strong else "accent"
    view.write(painter, rect, text, role, "tiny", bold=True, align=Qt.AlignmentFlag.AlignHCenter)


class EquationView(Painted):
    """Shows an Equation.  Where one can be chosen, Up and Down move and Enter does what a click does."""

    least = (180, 24)
    wanted = (300, 40)
    mark: Equation
    _focused = 0
    _hovered: int | None = None
    _tall = -1
    _width = -1

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._highs: list[float] = []
        self._drawn: dict[Any, QPixmap] = {}

    def _scale(self, name: str | None = None) -> float:
        """Pixels of a unit; smaller for a formula that would be too wide."""
        most = self.look.theme.px(TYPE["display" if self.mark.display else "math"]) / EM
        if name is None:
            return most
        return min(most, max(self._room() / outline(name).wide, 0.2))

    def _left(self) -> float:
        names = [self.look.text(label) for label in self.mark.labels]
        if not any(names):
            return float(self.px(8))
        wide = max(self.width_of(name, bold=True) for name in names)
        return min(wide + self.px(22), self.width() * LABELS_MOST)

    def _room(self) -> float:
        right = self.px(BADGE + 12) if any(self.mark.badges) else self.px(8)
        return max(self.width() - self._left() - right, 1.0)

    def heights(self) -> list[float]:
        """Of each formula's band at the width there is; reckoned once for a width."""
        if self._width != self.width():
            least, gap = self.px(ROW), self.px(GAP)
            self._width = self.width()
            self._highs = [
                max(outline(name).high * self._scale(name) + gap, least) for name in self.mark.formulas
            ]
        return self._highs

    def row_rect(self, row: int) -> QRectF:
        highs = self.heights()
        spare = max(self.height() - sum(highs), 0.0) / 2
        return QRectF(0, spare + sum(highs[:row]), self.width(), highs[row])

    def row_at(self, point: QPointF) -> int | None:
        for row in range(len(self.mark.formulas)):
            if self.row_rect(row).contains(point):
                return row
        return None

    # ---- sizes ------------------------------------------------------------------------------------------

    def minimumSizeHint(self) -> QSize:
        if self.mark is None:
            return super().minimumSizeHint()
        return QSize(self.px(self.least[0]), int(sum(self.heights())) + self.px(4))

    def sizeHint(self) -> QSize:
        if self.mark is None:
            return super().sizeHint()
        return QSize(self.px(self.wanted[0]), self.minimumSizeHint().height())

    def refresh(self) -> None:
        self._width = -1
        self._hovered = None
        self._focused = min(self._focused, max(len(self.mark.formulas) - 1, 0))
        if self.mark.current is not None:
            self._focused = self.mark.current
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if self.mark.event else Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fit()
        self._describe()
        super().refresh()

    def restyle(self, look: Look) -> None:
        self._drawn.clear()
        super().restyle(look)
        if self.mark is not None:
            self._describe()

    def _describe(self) -> None:
        """What the scene says of them, and how they are read."""
        text = self.look.text
        words = "; ".join(text(spoken(name)) for name in self.mark.formulas)
        said = text(self.mark.alt)
        self.setAccessibleDescription(f"{said}: {words}" if said else words)

    def _fit(self) -> None:
        """As high as the formulas are at this width."""
        tall = self.minimumSizeHint().height()
        if tall != self._tall:
            self._tall = tall
            self.setFixedHeight(tall)
            self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.mark is not None:
            self._fit()

    # ---- drawing ----------------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        left, room = self._left(), self._room()
        for row, name in enumerate(self.mark.formulas):
            rect = self.row_rect(row)
            self._draw_ground(painter, row, rect)
            self._draw_formula(painter, name, rect, left, room)
            if row < len(self.mark.labels):
                where = QRectF(self.px(8), rect.top(), left - self.px(12), rect.height())
                self.write(painter, where, self.look.text(self.mark.labels[row]), "dim", bold=True)
            if row < len(self.mark.badges) and self.mark.badges[row]:
                centre = QPointF(self.width() - self.px(BADGE) / 2 - self.px(4), rect.center().y())
                draw_badge(self, painter, centre, self.mark.badges[row], row == self.mark.current)

    def _draw_ground(self, painter: QPainter, row: int, rect: QRectF) -> None:
        focused = self.hasFocus() and row == self._focused and bool(self.mark.event)
        role = "accent_soft" if row == self.mark.current else "hover" if row == self._hovered else ""
        if role or focused:
            painter.setPen(self.color("accent") if focused else Qt.PenStyle.NoPen)
            painter.setBrush(self.color(role) if role else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), self.px(4), self.px(4))

    def _draw_formula(self, painter: QPainter, name: str, rect: QRectF, left: float, room: float) -> None:
        shape, scale = outline(name), self._scale(name)
        x = left + (room - shape.wide * scale) / 2 if self.mark.display else left
        y = rect.top() + (rect.height() - shape.high * scale) / 2
        if not self._letters.raster:  # in an export it stays an outline
            painter.save()
            painter.translate(x - shape.left * scale, y - shape.top * scale)
            painter.scale(scale, scale)
            painter.fillPath(path_of(name), self.color("fg"))
            painter.restore()
            return
        ratio = painter.device().devicePixelRatio()
        where = QPointF(round(x * ratio) / ratio, round(y * ratio) / ratio)
        painter.drawPixmap(where, self._picture(name, scale, ratio))

    def _picture(self, name: str, scale: float, ratio: float) -> QPixmap:
        """A formula in pixels: filling its outlines takes longer than all else in a frame."""
        key = name, scale, ratio
        if key not in self._drawn:
            if len(self._drawn) >= MOST:
                self._drawn.clear()
            shape, edge = outline(name), 1.0
            wide, high = (math.ceil((side * scale + 2 * edge) * ratio) for side in (shape.wide, shape.high))
            made = QPixmap(wide, high)
            made.setDevicePixelRatio(ratio)
            made.fill(Qt.GlobalColor.transparent)
            with QPainter(made) as inner:
                inner.setRenderHint(QPainter.RenderHint.Antialiasing)
                inner.scale(scale, scale)
                inner.translate(-shape.left, -shape.top)
                inner.fillPath(path_of(name), self.color("fg"))
            self._drawn[key] = made
        return self._drawn[key]

    # ---- what the user does -----------------------------------------------------------------------------

    def _choose(self, row: int) -> None:
        if self.mark.event and row < len(self.mark.values):
            self.tell(self.mark.event, self.mark.values[row])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position()) if self.mark.event else None
        if row != self._hovered:
            self._hovered = row
            self.setCursor(Qt.CursorShape.ArrowCursor if row is None else Qt.CursorShape.PointingHandCursor)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self._focused = row
            self._choose(row)
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(key)
        if by is not None and self.mark.event:
            self._focused = min(max(self._focused + by, 0), len(self.mark.formulas) - 1)
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(self._focused)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """A formula under the pointer, in words."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.mark is not None:
            row = self.row_at(QPointF(event.pos()))
            if row is not None:
                QToolTip.showText(event.globalPos(), self.look.text(spoken(self.mark.formulas[row])), self)
            return True
        return super().event(event)

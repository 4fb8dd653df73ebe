"""Diagonal strokes: as lines of a drawing that keeps them, and as a tile for pixels."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap


def slanted(rect: QRectF, gap: float) -> list[QLineF]:
    """Diagonals through a rectangle, cut at its sides; they start on a grid, so that neighbours join."""
    lines, height = [], rect.height()
    x = rect.left() - height - (rect.left() - rect.bottom()) % gap
    while x < rect.right():
        left, right = max(x, rect.left()), min(x + height, rect.right())
        if left < right:
            lines.append(QLineF(left, rect.bottom() - (left - x), right, rect.bottom() - (right - x)))
        x += gap
    return lines


def pattern(gap: int, width: float, ink: QColor, ratio: float) -> QPixmap:
    """One tile of a hatch, of whole pixels: strokes of one tile go on in the next."""
    side = round(gap * ratio)
    tile = QPixmap(side, side)
    tile.setDevicePixelRatio(ratio)
    tile.fill(Qt.GlobalColor.transparent)
    with QPainter(tile) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(ink, width))
        wide = side / ratio
        for shift in (-wide, 0, wide):
            painter.drawLine(QLineF(shift - 1, wide + 1, shift + wide + 1, -1))
    return tile

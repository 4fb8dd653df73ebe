"""The bare window of the first paint: its place, colours and outlines, before anything heavy is imported.

It imports Qt and colours only; `shell` (app/qt/window.py) is set once the rest has come, and takes the
window's events from then on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QMainWindow

from app.qt.painting import painting
from app.qt.theme import Theme

if TYPE_CHECKING:
    from app.qt.window import Shell

SIZE, LEAST = (1440, 900), (1024, 640)
TOP, BOTTOM = 48, 80  # heights of the bars at 100 %
COLUMNS = (0.17, 0.59, 0.24)  # as the inspector's


class Frame(QMainWindow):
    """painted: once, after the first paint.  closing: once, before the window goes."""

    painted = Signal()
    closing = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.shell: Shell | None = None
        self._first = True
        self.setAcceptDrops(True)
        self.setMinimumSize(QSize(*LEAST))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setWindowTitle("Depthscope")

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.shell is None:
            with painting(self) as painter:
                self._paint_outlines(painter)
        if self._first:
            self._first = False
            self.painted.emit()

    def _paint_outlines(self, painter: QPainter) -> None:
        """Bars and cards where they will be, empty."""
        theme, width, height = self.theme, self.width(), self.height()
        top, bottom, gap = theme.px(TOP), theme.px(BOTTOM), theme.space("m")
        painter.fillRect(self.rect(), theme.color("bg"))
        painter.fillRect(QRectF(0, 0, width, top), theme.color("panel"))
        painter.fillRect(QRectF(0, height - bottom, width, bottom), theme.color("panel"))
        painter.setPen(QPen(theme.color("border"), 1))
        painter.setBrush(theme.color("panel"))
        left = float(gap)
        for share in COLUMNS:
            wide = share * (width - 4 * gap)
            card = QRectF(left, top + gap, wide, height - top - bottom - 2 * gap)
            painter.drawRoundedRect(card, theme.px(8), theme.px(8))
            left += wide + gap

    # ---- events of the window, for the shell ------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.shell is None or not self.shell.key(event):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.shell is not None:
            self.shell.drag(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        if self.shell is not None:
            self.shell.drag_left()

    def dropEvent(self, event: QDropEvent) -> None:
        if self.shell is not None:
            self.shell.dropped(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.shell is not None:
            self.shell.place_drop()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.shell is not None:
            self.shell.keep_geometry()
        self.hide()  # gone at once, whatever the engine still does
        self.closing.emit()
        event.accept()

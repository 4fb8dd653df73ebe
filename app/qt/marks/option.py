"""An answer that can be chosen: a letter in front, its text from the left, in as many lines as needed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy

from app.qt.marks.base import Look, resized
from app.qt.painting import painting

WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
GAP, BADGE = 9, 24  # px: around the text and above it, of the letter's square
MOST = 1 << 14


class OptionButton(QPushButton):
    """letter: what stands in front; the text wraps at the width there is."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look, self.letter = look, ""
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_option(self, letter: str, text: str, look: Look) -> None:
        changed = (letter, text, look) != (self.letter, self.text(), self.look)
        self.letter, self.look = letter, look
        self.setText(text)
        self.setFont(look.theme.font("math"))
        if changed:
            resized(self)
            self.update()

    # ---- size -------------------------------------------------------------------------------------------

    def _place(self, width: int) -> QRect:
        """Where the text stands, however high it is."""
        px = self.look.theme.px
        left = px(GAP + BADGE + GAP)
        return QRect(left, px(GAP), max(width - left - px(GAP), 1), MOST)

    def heightForWidth(self, width: int) -> int:
        px = self.look.theme.px
        metrics = QFontMetrics(self.look.theme.font("math"))
        high = metrics.boundingRect(self._place(width), int(WRAPPED), self.text()).height()
        return max(high, px(BADGE)) + 2 * px(GAP)

    def sizeHint(self) -> QSize:
        px = self.look.theme.px
        return QSize(px(300), self.heightForWidth(self.width() or px(300)))

    def minimumSizeHint(self) -> QSize:
        px = self.look.theme.px
        return QSize(px(160), px(BADGE) + 2 * px(GAP))

    # ---- drawing ----------------------------------------------------------------------------------------

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.update()
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            self._draw(painter)

    def _draw(self, painter: QPainter) -> None:
        theme = self.look.theme
        over, focus = self.underMouse() and self.isEnabled(), self.hasFocus()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide = theme.px(2) if focus else theme.px(1)
        painter.setPen(QPen(theme.color("accent" if focus or over else "border"), wide))
        painter.setBrush(theme.color("border" if self.isDown() else "hover" if over else "raised"))
        half = wide / 2
        round_ = theme.px(8)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(half, half, -half, -half), round_, round_)
        self._draw_letter(painter)
        painter.setFont(self.font())
        painter.setPen(theme.color("fg" if self.isEnabled() else "faint"))
        place = self._place(self.width())
        place.setHeight(self.height() - 2 * place.top())
        painter.drawText(place, int(WRAPPED), self.text())

    def _draw_letter(self, painter: QPainter) -> None:
        theme = self.look.theme
        side, left = theme.px(BADGE), theme.px(GAP)
        square = QRectF(left, (self.height() - side) / 2, side, side)
        painter.setPen(QPen(theme.color("outline"), theme.px(1)))
        painter.setBrush(theme.color("panel"))
        painter.drawRoundedRect(square, theme.px(6), theme.px(6))
        painter.setFont(theme.font("body", bold=True))
        painter.setPen(theme.color("accent" if self.isEnabled() else "faint"))
        painter.drawText(square, int(Qt.AlignmentFlag.AlignCenter), self.letter)

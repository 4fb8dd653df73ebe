"""Running text that wraps: headings, paragraphs, quotations; links by mouse and keyboard, text to copy."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QTextCursor,
)

from app.qt.marks.passage_text import PassageText
from app.qt.painting import painting

BULLET = "•"


class PassageView(PassageText):
    """Shows a Passage.  Tab goes from link to link, Enter follows one.

    What is selected by dragging is copied by Ctrl+C.
    """

    # ---- drawing ----------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.mark is None:
            return
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._lay()
            self._draw_sign(painter)
            painter.translate(self.left(), self.top())
            context = QAbstractTextDocumentLayout.PaintContext()
            context.clip = QRectF(event.rect()).translated(-self.left(), -self.top())
            context.palette.setColor(QPalette.ColorRole.Text, self.look.theme.color("fg"))
            context.selections = self.painted()
            self.document.documentLayout().draw(painter, context)
            if self.hasFocus() and self.link is not None:
                self._ring(painter, self.link)
            for span in self.mark.here if self.mark.style != "entry" else ():
                self._ring(painter, span)

    def _draw_sign(self, painter: QPainter) -> None:
        """A bar beside what is quoted, a dot before an item."""
        px, theme = self.look.theme.px, self.look.theme
        if self.mark.style in ("quote", "entry"):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent"))
            for top, high in self._bars():
                painter.drawRoundedRect(QRectF(self.margin(), top, px(3), high), px(1), px(1))
        elif self.mark.style == "item":
            line = self.document.firstBlock().layout().lineAt(0)
            painter.setFont(theme.font(self.font_size()))
            painter.setPen(theme.color("dim"))
            painter.drawText(QPointF(self.margin() + px(4), self.top() + line.y() + line.ascent()), BULLET)

    def _bars(self) -> list[tuple[float, float]]:
        """(top, height) of the bars at the left: beside all that is quoted, beside the entry that is read."""
        if self.mark.style == "quote":
            return [(0.0, float(self.height()))]
        return [(rect.top() + self.top(), rect.height()) for k in self.mark.here for rect in self.rects(k)]

    def _ring(self, painter: QPainter, span: int) -> None:
        pen = QPen(self.look.theme.color("accent"), self.look.theme.px(2))
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = self.look.theme.px(3)
        for rect in self.rects(span):
            painter.drawRoundedRect(rect.adjusted(-2, -1, 2, 1), radius, radius)

    # ---- links and selection ----------------------------------------------------------------------------

    def span_at(self, point: QPointF) -> int | None:
        """The link at a point of the widget."""
        self._lay()
        inside = point - QPointF(self.left(), self.top())
        place = self.document.documentLayout().hitTest(inside, Qt.HitTestAccuracy.ExactHit)
        for first, last, k in self.ranges:
            if first <= place < last and self.mark.spans[k].event:
                return k
        return None

    def _place(self, point: QPointF) -> int:
        self._lay()
        inside = point - QPointF(self.left(), self.top())
        return self.document.documentLayout().hitTest(inside, Qt.HitTestAccuracy.FuzzyHit)

    def follow(self, span: int) -> None:
        link = self.mark.spans[span]
        self.tell(link.event, link.value)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.cursor_.setPosition(self._place(event.position()), QTextCursor.MoveMode.KeepAnchor)
            self.update()
            return
        self._point(self.span_at(event.position()))

    def _point(self, over: int | None) -> None:
        shape = Qt.CursorShape.IBeamCursor if over is None else Qt.CursorShape.PointingHandCursor
        self.setCursor(shape)
        if over != self.over:
            self.over = over
            self.update()

    def leaveEvent(self, event: Any) -> None:
        self._point(None)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.cursor_.setPosition(self._place(event.position()))
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        span = self.span_at(event.position())
        left = event.button() == Qt.MouseButton.LeftButton
        if left and span is not None and not self.cursor_.hasSelection():
            self.link = span
            self.follow(span)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.cursor_.setPosition(self._place(event.position()))
        self.cursor_.select(QTextCursor.SelectionType.WordUnderCursor)
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        links = self.links()
        reason = event.reason()
        if links and reason == Qt.FocusReason.TabFocusReason:
            self.link = links[0]
        elif links and reason == Qt.FocusReason.BacktabFocusReason:
            self.link = links[-1]
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.link = None
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.cursor_.clearSelection()
        super().focusOutEvent(event)
        self.update()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Within the passage from link to link, then out of it."""
        links = self.links()
        if self.link in links:
            place = links.index(self.link) + (1 if forward else -1)
            if 0 <= place < len(links):
                self.link = links[place]
                self.update()
                return True
        return super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.cursor_.hasSelection():
            words = self.cursor_.selectedText().replace("\u2029", "\n")
            QGuiApplication.clipboard().setText(words.replace("\N{NO-BREAK SPACE}", " "))
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.cursor_.select(QTextCursor.SelectionType.Document)
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.link is not None:
            self.follow(self.link)
        else:
            super().keyPressEvent(event)

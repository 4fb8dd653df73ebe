"""Running text that wraps: headings, paragraphs, quotations; links by mouse and keyboard, text to copy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.palette import FAMILIES
from app.qt.marks.base import Look, MarkView, resized
from app.scene import Passage, Span


@dataclass(frozen=True, slots=True)
class Dress:
    """How a style looks: a size of the type scale, height of a line in %, gaps above and below in px."""

    size: str
    line: int = 145
    bold: bool = False
    role: str = ""
    above: int = 0
    below: int = 0
    inset: int = 0


DRESSES = {
    "title": Dress("headline", 125, True, below=4),
    "heading": Dress("display", 130, True, above=14, below=2),
    "section": Dress("title", 135, True, above=4),
    "text": Dress("body"),
    "lead": Dress("math", 150, role="dim", below=4),
    "quote": Dress("body", inset=14),
    "caption": Dress("small", role="dim"),
    "compact": Dress("body", 120),
    "number": Dress("display", 120, True),
    "item": Dress("body", inset=18),
    "entry": Dress("body", 160, role="dim", inset=10),
}
LARGE = {"body": "reading", "small": "body"}
"""Sizes of a text that is read at length."""
BULLET = "•"
SIGNS = 70  # in a line whose width is not known yet
ORDINARY = "signs as they come in an ordinary line of text, some of them narrow and some wide"
"""What the width of a sign is taken from; a font's own average counts its Hangul too."""


class PassageView(MarkView):
    """Shows a Passage, as high as its lines at the width it has.

    Tab goes from link to link, Enter follows one; what is selected by dragging is copied by Ctrl+C.
    """

    mark: Passage

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.document = QTextDocument()
        self.document.setDocumentMargin(0)
        self.document.setUndoRedoEnabled(False)
        self.ranges: tuple[tuple[int, int, int], ...] = ()  # first and last place of each span, its number
        self.link: int | None = None  # the span that has the keyboard
        self.over: int | None = None  # the span under the pointer
        self._heights: dict[int, int] = {}  # by width, of what is written now
        self._hints: dict[int, QSize] = {}
        self.cursor_ = QTextCursor(self.document)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    # ---- size -------------------------------------------------------------------------------------------

    @property
    def dress(self) -> Dress:
        return DRESSES[self.mark.style]

    def font_size(self) -> str:
        size = self.dress.size
        return LARGE.get(size, size) if self.mark.large else size

    def inset(self) -> int:
        """Room for a bar or a dot before the text."""
        return self.look.theme.px(self.dress.inset) if self.dress.inset else 0

    def margin(self) -> int:
        """What is left free at the left of a text in the middle."""
        if not self.mark.centred:
            return 0
        return max(int(self.width() - self.inset() - self.measure(self.width())) // 2, 0)

    def left(self) -> int:
        return self.margin() + self.inset()

    def top(self) -> int:
        above = self.dress.above
        return self.look.theme.px(above) if above else 0

    def measure(self, room: float) -> float:
        """Width of a line: at most `wide` signs of the font."""
        room = max(room - self.inset(), 1.0)
        if not self.mark.wide:
            return room
        size = "reading" if self.mark.centred else self.font_size()  # headings begin where their text does
        letters = QFontMetricsF(self.look.theme.font(size))
        return min(room, self.mark.wide * letters.horizontalAdvance(ORDINARY) / len(ORDINARY))

    def height_at(self, width: float) -> int:
        known = self._heights.get(int(width))
        if known is None:
            known = self._heights[int(width)] = self._measured(width)
        return known

    def _measured(self, width: float) -> int:
        if self.document.isEmpty():
            return 0
        self.document.setTextWidth(self.measure(width))
        below = self.look.theme.px(self.dress.below) if self.dress.below else 0
        return int(self.document.size().height() + 0.999) + self.top() + below

    def _lay(self) -> None:
        """The document in lines of the width there is; it may have been measured at another."""
        width = self.measure(self.width())
        if self.document.textWidth() != width:
            self.document.setTextWidth(width)

    def sizeHint(self) -> QSize:
        if self.mark is None:
            return QSize(0, 0)
        width = self.width() if self.testAttribute(Qt.WidgetAttribute.WA_Resized) else 0
        known = self._hints.get(width)
        if known is None:
            high = self.height_at(width) if width else self._guessed()
            known = self._hints[width] = QSize(self.look.theme.px(200), high)
        return known

    def _guessed(self) -> int:
        """About how high, before there is a width: nothing is laid out for it."""
        if self.document.isEmpty():
            return 0
        line = self.document.defaultFont().pixelSize() * self.dress.line / 100 * 1.2
        return round(line * (1 + self.document.characterCount() // SIGNS))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.look.theme.px(120), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        size = event.size()
        turned = self.mark is not None and size.width() != event.oldSize().width()
        if turned and self.height_at(size.width()) != size.height():
            resized(self)

    # ---- contents ---------------------------------------------------------------------------------------

    def refresh(self) -> None:
        self._write()
        links = self.links()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus)
        if self.link not in links:
            self.link = None
        self.setAccessibleName(self.document.toPlainText())
        resized(self)
        super().refresh()

    def _write(self) -> None:
        """The document anew: formats hold colours, so a theme, too, is a new document."""
        self._heights.clear()
        self._hints.clear()
        self.document.clear()
        self.document.setDefaultFont(self.look.theme.font(self.font_size(), bold=self.dress.bold))
        cursor = QTextCursor(self.document)
        cursor.beginEditBlock()  # laid out once, not after every span
        block = QTextBlockFormat()
        block.setLineHeight(self.dress.line, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.setBlockFormat(block)
        places = []
        formats: dict[object, QTextCharFormat] = {}
        for k, span in enumerate(self.mark.spans):
            first, words = cursor.position(), self.look.text(span.text)
            if words:
                look = replace(span, text="", value=None), k == self.over, k in self.mark.here
                if look not in formats:
                    formats[look] = self._format(span, k)
                cursor.insertText(words, formats[look])
            places.append((first, cursor.position(), k))
        cursor.endEditBlock()
        self.ranges = tuple(places)
        self.cursor_ = QTextCursor(self.document)

    def _format(self, span: Span, k: int) -> QTextCharFormat:
        theme, made = self.look.theme, QTextCharFormat()
        made.setFont(theme.font(self.font_size(), bold=self.dress.bold))
        entry, here = self.mark.style == "entry", k in self.mark.here
        role = span.role if span.role != "fg" or (entry and here) else self.dress.role or "fg"
        made.setForeground(theme.color("accent" if span.event and not entry else role))
        if span.bold or (entry and here):
            made.setFontWeight(QFont.Weight.DemiBold)
        if span.mono:
            made.setFontFamilies(list(FAMILIES["mono"]))
        if span.slanted:
            made.setFontItalic(True)
        if span.event:
            made.setFontUnderline(not entry)
            if k == self.over:
                made.setBackground(theme.color("accent_soft"))
                made.setForeground(theme.color("fg"))
        if span.found:
            made.setBackground(theme.color("changed_bg"))
            made.setForeground(theme.color("changed"))
            made.setFontUnderline(True)
        return made

    # ---- drawing ----------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.mark is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._lay()
        self._draw_sign(painter)
        painter.translate(self.left(), self.top())
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = QRectF(event.rect()).translated(-self.left(), -self.top())
        context.palette.setColor(QPalette.ColorRole.Text, self.look.theme.color("fg"))
        if self.cursor_.hasSelection():
            chosen = QAbstractTextDocumentLayout.Selection()
            chosen.cursor = self.cursor_
            chosen.format.setBackground(self.look.theme.color("accent"))
            chosen.format.setForeground(self.look.theme.color("on_accent"))
            context.selections = [chosen]
        self.document.documentLayout().draw(painter, context)
        if self.hasFocus() and self.link is not None:
            self._ring(painter, self.link)
        for span in self.mark.here if self.mark.style != "entry" else ():
            self._ring(painter, span)
        painter.end()

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

    def rects(self, span: int) -> list[QRectF]:
        """Where a span stands in the text, a rectangle for each line; of a span that is not there, none."""
        self._lay()
        found = []
        for first, last, k in self.ranges:
            if k != span or first == last:
                continue
            block = self.document.findBlock(first)
            layout, start = block.layout(), block.position()
            corner = self.document.documentLayout().blockBoundingRect(block).topLeft()
            for n in range(layout.lineCount()):
                line = layout.lineAt(n)
                low = max(first - start, line.textStart())
                high = min(last - start, line.textStart() + line.textLength())
                if low < high:
                    left, right = (self._x(line, place) for place in (low, high))
                    height = QFontMetricsF(self.document.defaultFont()).height()
                    found.append(QRectF(corner.x() + left, corner.y() + line.y(), right - left, height))
        return found

    @staticmethod
    def _x(line: Any, place: int) -> float:
        """PySide gives (x, place moved to) for some versions, x for others."""
        found = line.cursorToX(place)
        return float(found[0] if isinstance(found, tuple) else found)

    def links(self) -> list[int]:
        """The spans that can be followed, in the language shown."""
        return [k for first, last, k in self.ranges if first < last and self.mark.spans[k].event]

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
            anchor, place = self.cursor_.anchor(), self.cursor_.position()
            self._write()
            self._select(anchor, place)
            self.update()

    def _select(self, anchor: int, place: int) -> None:
        self.cursor_.setPosition(anchor)
        self.cursor_.setPosition(place, QTextCursor.MoveMode.KeepAnchor)

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
            QGuiApplication.clipboard().setText(self.cursor_.selectedText().replace("\u2029", "\n"))
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.cursor_.select(QTextCursor.SelectionType.Document)
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.link is not None:
            self.follow(self.link)
        else:
            super().keyPressEvent(event)

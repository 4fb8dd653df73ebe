"""The document of a passage: how its styles look, its lines at a width, where each span stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
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


@dataclass(frozen=True, slots=True)
class Face:
    """How the letters of a run look: what its lines depend on, and its colour."""

    role: str
    bold: bool
    mono: bool
    slanted: bool
    underlined: bool


Selection = QAbstractTextDocumentLayout.Selection
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
SIGN, KEPT = re.compile(" ([−+=<>≤≥×·]) "), "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}"
"""A formula in a line is not broken at its signs."""
SIGNS = 70  # in a line whose width is not known yet
ORDINARY = "signs as they come in an ordinary line of text, some of them narrow and some wide"
"""What the width of a sign is taken from; a font's own average counts its Hangul too."""


class PassageText(MarkView):
    """A Passage's text, as high as its lines at the width it has."""

    mark: Passage

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.document = QTextDocument()
        self.document.setDocumentMargin(0)
        self.document.setUndoRedoEnabled(False)
        self.ranges: tuple[tuple[int, int, int], ...] = ()  # first and last place of each span, its number
        self.link: int | None = None  # the span that has the keyboard
        self.over: int | None = None  # the span under the pointer
        self._written: object = None  # what the document holds, and how
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
        super().refresh()

    def _write(self) -> None:
        """The document anew where words or letters differ; what is found is only painted otherwise."""
        texts = [SIGN.sub(KEPT, self.look.text(span.text)) for span in self.mark.spans]
        ends = [0, *accumulate(len(words.encode("utf-16-le")) // 2 for words in texts)]  # as Qt counts
        self.ranges = tuple((first, last, k) for k, (first, last) in enumerate(pairwise(ends)))
        faces = [self._face(span, k) for k, span in enumerate(self.mark.spans)]
        runs = [
            ("".join(words for _, words in run), face)
            for face, run in groupby(zip(faces, texts, strict=True), key=lambda one: one[0])
        ]
        written = self.mark.style, self.mark.large, self.look.theme, [run for run in runs if run[0]]
        if written != self._written:
            self._written = written
            self._fill(written[-1])
            self.setAccessibleName(self.document.toPlainText())
            resized(self)

    def _fill(self, runs: list[tuple[str, Face]]) -> None:
        """Formats hold colours, so a theme, too, is a new document."""
        self._heights.clear()
        self._hints.clear()
        self.document.clear()
        self.document.setDefaultFont(self.look.theme.font(self.font_size(), bold=self.dress.bold))
        cursor = QTextCursor(self.document)
        cursor.beginEditBlock()  # laid out once, not after every run
        block = QTextBlockFormat()
        block.setLineHeight(self.dress.line, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.setBlockFormat(block)
        for words, face in runs:
            cursor.insertText(words, self._format(face))
        cursor.endEditBlock()
        self.cursor_ = QTextCursor(self.document)

    def _face(self, span: Span, k: int) -> Face:
        entry, here = self.mark.style == "entry", k in self.mark.here
        role = span.role if span.role != "fg" or (entry and here) else self.dress.role or "fg"
        link = bool(span.event)
        return Face(
            "accent" if link and not entry else role,
            span.bold or (entry and here), span.mono, span.slanted, link and not entry,
        )  # fmt: skip

    def _format(self, face: Face) -> QTextCharFormat:
        theme, made = self.look.theme, QTextCharFormat()
        made.setFont(theme.font(self.font_size(), bold=self.dress.bold))
        made.setForeground(theme.color(face.role))
        if face.bold:
            made.setFontWeight(QFont.Weight.DemiBold)
        if face.mono:
            made.setFontFamilies(list(FAMILIES["mono"]))
        if face.slanted:
            made.setFontItalic(True)
        made.setFontUnderline(face.underlined)
        return made

    def painted(self) -> list[Selection]:
        """What is painted over the letters: the link under the pointer, what is found, what is selected."""
        theme, made = self.look.theme, []
        for first, last, k in self.ranges:
            if first < last and (k == self.over or self.mark.spans[k].found):
                found = self.mark.spans[k].found
                ground, ink = ("changed_bg", "changed") if found else ("accent_soft", "fg")
                one = self._selection(first, last, theme.color(ground), theme.color(ink))
                if found:
                    one.format.setFontUnderline(True)
                made.append(one)
        if self.cursor_.hasSelection():
            ends = self.cursor_.selectionStart(), self.cursor_.selectionEnd()
            made.append(self._selection(*ends, theme.color("accent"), theme.color("on_accent")))
        return made

    def _selection(self, first: int, last: int, ground: QColor, ink: QColor) -> Selection:
        made = Selection()
        made.cursor = QTextCursor(self.document)
        made.cursor.setPosition(first)
        made.cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        made.format.setBackground(ground)
        made.format.setForeground(ink)
        return made

    # ---- places -----------------------------------------------------------------------------------------

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

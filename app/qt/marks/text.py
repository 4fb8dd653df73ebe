"""Marks made of text: prose, tables of facts, progress."""

from __future__ import annotations

import html
from dataclasses import replace

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from app.palette import FAMILIES
from app.qt.marks.base import Look, MarkView, discard, resized
from app.qt.theme import Theme
from app.scene import Progress, Prose, Span, Table

REASON = " — "  # before what may be left out of a value first; of others, a name say, the middle is
BOXED = ("error", "notice")
MOST_HEIGHTS = 200  # of texts, kept by a label
LINES = {"answer": 2, "readout": 2}  # places kept free, so that nothing below jumps


def no_margins(layout: QVBoxLayout | QGridLayout) -> None:
    layout.setContentsMargins(0, 0, 0, 0)


class Short(QLabel):
    """One line, shortened where it does not fit, whole on hover."""

    def __init__(
        self, parent: QWidget | None = None, mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle
    ) -> None:
        super().__init__(parent)
        self._whole, self._mode = "", mode
        self._looks: object = None  # what it was fitted for
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_whole(self, text: str) -> None:
        looks = text, self.width(), self.font().key(), self._mode
        if looks != self._looks:
            self._looks, self._whole = looks, text
            self._fit()

    def set_mode(self, mode: Qt.TextElideMode) -> None:
        self._mode = mode

    def _fit(self) -> None:
        shown = QFontMetrics(self.font()).elidedText(self._whole, self._mode, self.width())
        self.setText(shown)
        self.setToolTip(self._whole if shown != self._whole else "")
        self.setAccessibleName(self._whole)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        super().resizeEvent(event)


class Words(QLabel):
    """A label that remembers how high a text is at a width: laying rich text out takes long."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[tuple[str, int], int] = {}

    def heightForWidth(self, width: int) -> int:
        key = self.text(), width
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MOST_HEIGHTS:
                self._known.clear()
            known = self._known[key] = super().heightForWidth(width)
        return known

    def changeEvent(self, event: QEvent) -> None:
        self._known.clear()  # another font, or what a style sheet says of it
        super().changeEvent(event)


class ProseView(MarkView):
    """Shows Prose in one label; its text can be selected and copied."""

    mark: Prose

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._lines, self._placed = 0, False
        self.frame = QFrame()
        self.label = Words()
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        inner = QVBoxLayout(self.frame)
        inner.addWidget(self.label)
        self._inner = inner
        outer = QVBoxLayout(self)
        no_margins(outer)
        outer.addWidget(self.frame)

    def show_mark(self, mark: Prose) -> None:
        if self.mark is None or mark.style != self.mark.style:
            self._dress(mark.style)
        super().show_mark(mark)

    def restyle(self, look: Look) -> None:
        self.look = look
        if self.mark is not None:
            self._dress(self.mark.style)
        super().restyle(look)

    def refresh(self) -> None:
        self._fit()
        super().refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._placed = True
        if self.mark is not None and self.mark.style == "readout":
            self._fit()
        elif event.size().width() != event.oldSize().width():
            resized(self)

    def sizeHint(self) -> QSize:
        """As high as its lines at the width it has; a label alone guesses for one it would like."""
        hint = super().sizeHint()
        if self.mark is None or self.mark.style == "readout" or not self._placed:
            return hint
        high = self.heightForWidth(self.width())
        return QSize(hint.width(), high if self.mark.style in BOXED else max(high, hint.height()))

    def _fit(self) -> None:
        """A readout too long for its place takes one more line, and keeps the room for it from then on."""
        lines = list(self.mark.lines)
        if self.mark.style == "readout" and self.isVisible() and self._too_wide(*lines):
            lines = [part for line in lines for part in self._broken(line)]
            if len(lines) > self._lines:
                self._lines = len(lines)
                self._keep_free(self._lines)
                resized(self)
        self.label.setText("<br>".join(map(self._line, lines)))
        if (
            self.mark.style == "readout"
            and (high := self.label.sizeHint().height()) > self.label.minimumHeight()
        ):
            self.label.setMinimumHeight(high)  # for good: lines of other fonts would shift all that is around

    def _too_wide(self, *lines: tuple[Span, ...]) -> bool:
        if self._about(lines) < self.width():
            return False  # for most of them; laying a text out costs as much as drawing it
        measure = QTextDocument()
        measure.setDefaultFont(self.label.font())
        measure.setDocumentMargin(0)
        measure.setHtml("<br>".join(map(self._line, lines)))
        return measure.idealWidth() > self.width()

    def _about(self, lines: tuple[tuple[Span, ...], ...]) -> float:
        """About how wide the widest line is, rather too much."""
        gap = self._letters.width(" ", ("body", True, "text")) * 4
        text, letters = self.look.text, self._letters
        wide = [
            sum(
                letters.width(text(one.text), ("body", one.bold, "mono" if one.mono else "text")) + gap
                for one in line
            )
            for line in lines
        ]
        return 1.02 * max(wide, default=0.0)

    def _broken(self, line: tuple[Span, ...]) -> list[tuple[Span, ...]]:
        """The spans of a line on as many lines as they need; a span stays whole where it fits into one."""
        parts: list[tuple[Span, ...]] = [()]
        for span in (piece for whole in line for piece in self._pieces(whole)):
            if parts[-1] and self._too_wide((*parts[-1], span)):
                parts.append(())
            parts[-1] = (*parts[-1], span)
        return parts

    def _pieces(self, span: Span) -> list[Span]:
        """A span, in as many pieces as its words need lines."""
        if not self._too_wide((span,)):
            return [span]
        found = [""]
        for word in self.look.text(span.text).split(" "):
            longer = f"{found[-1]} {word}" if found[-1] else word
            fits = not found[-1] or not self._too_wide((replace(span, text=longer),))
            found = [*found[:-1], longer] if fits else [*found, word]
        return [replace(span, text=text) for text in found]

    def _keep_free(self, lines: int) -> None:
        space = QFontMetrics(self.label.font()).lineSpacing()
        self.label.setMinimumHeight(lines * space + self.look.theme.px(2) if lines else 0)

    def _dress(self, style: str) -> None:
        """Fonts, frame and free lines of a style."""
        theme, label = self.look.theme, self.label
        self._letters = self.look.letters
        label.setFont(theme.font("small" if style == "notice" else "body"))
        label.setWordWrap(style != "readout")
        wide = QSizePolicy.Policy.Ignored if style == "readout" else QSizePolicy.Policy.Preferred
        self.setSizePolicy(wide, QSizePolicy.Policy.Fixed)
        self._lines = LINES.get(style, 0)
        self._keep_free(self._lines)
        boxed = style in BOXED
        color = theme.tokens["error" if style == "error" else "warning"]
        edge, back = f"border-left: {theme.px(3)}px solid {color};", theme.tokens["raised"]
        sheet = f"QFrame {{ background: {back}; {edge} }} QLabel {{ border: none; }}" if boxed else ""
        if self.frame.styleSheet() != sheet:  # read and matched anew each time it is set
            self.frame.setStyleSheet(sheet)
        side = theme.px(8) if boxed else 0
        self._inner.setContentsMargins(side, side // 2, side, side // 2)

    def _line(self, spans: tuple[Span, ...]) -> str:
        gap = "&nbsp;&nbsp;&nbsp; " if self.mark.style == "readout" else " "
        return gap.join(self._span(span) for span in spans)

    def _span(self, span: Span) -> str:
        style = f"color:{self.look.theme.tokens[span.role]};"
        if span.bold:
            style += "font-weight:600;"
        if span.mono:
            style += f"font-family:'{FAMILIES['mono'][0]}';"
        return f'<span style="{style}">{html.escape(self.look.text(span.text))}</span>'


class TableView(MarkView):
    """Shows a Table: facts as name and value, or a grid with titles."""

    mark: Table

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._grid = QGridLayout(self)
        no_margins(self._grid)
        self._labels: dict[tuple[int, int], QLabel] = {}
        self._dressed: dict[QLabel, tuple[Theme, bool]] = {}
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def refresh(self) -> None:
        theme, head = self.look.theme, int(bool(self.mark.columns))
        self._font = theme.font("small")
        if self._grid.verticalSpacing() != theme.px(3):  # setting it lays the card out anew
            self._grid.setVerticalSpacing(theme.px(3))
            self._grid.setHorizontalSpacing(theme.px(12))
        rows = ((self.mark.columns, *self.mark.rows)) if head else self.mark.rows
        seen = set()
        self.unfinished = False
        for y, row in enumerate(rows):
            made = len(self._labels)
            for x, value in enumerate(row):
                seen.add((y, x))
                self._put(y, x, value if not isinstance(value, float) else f"{value:.4g}", head and y == 0)
            if len(self._labels) > made and y + 1 < len(rows) and self.halted():
                self.unfinished = True  # a label takes as long to make as a row of a map to paint
                break
        for place in set(self._labels) - seen:
            gone = self._labels.pop(place)
            self._dressed.pop(gone, None)
            discard(gone)
        super().refresh()

    def _put(self, y: int, x: int, value: object, title: object) -> None:
        facts = self.mark.style == "facts"
        label = self._labels.get((y, x))
        if label is None:
            label = Short(self) if facts and x else QLabel(self)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._labels[y, x] = label
            self._grid.addWidget(label, y, x)
            self._grid.setColumnStretch(x, int(bool(x)))
        dim = title or (facts and x == 0)
        dress = self.look.theme, bool(dim)
        if self._dressed.get(label) != dress:
            self._dressed[label] = dress
            label.setFont(self._font)
            tone = "dim" if dim else ""
            if (label.property("tone") or "") != tone:  # of the style sheet: in a figure it outdoes a palette
                label.setProperty("tone", tone)
                if label.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
                    label.style().polish(label)
        side = Qt.AlignmentFlag.AlignRight if x else Qt.AlignmentFlag.AlignLeft
        label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        text = self.look.text(value)  # type: ignore[arg-type]
        if isinstance(label, Short):
            modes = Qt.TextElideMode
            label.set_mode(modes.ElideRight if REASON in text else modes.ElideMiddle)
            label.set_whole(text)
        else:
            label.setText(text)


class ProgressView(MarkView):
    """Shows Progress: what is waited for, and how far it is where that is known."""

    mark: Progress

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        layout = QVBoxLayout(self)
        no_margins(layout)
        layout.addWidget(self.label)
        layout.addWidget(self.bar)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(self.look.theme.px(200), self.look.theme.px(44))

    def refresh(self) -> None:
        text = self.look.text(self.mark.label)
        self.label.setText(text)
        self.bar.setAccessibleName(text)
        self.bar.setRange(0, self.mark.total)
        self.bar.setValue(min(self.mark.done, self.mark.total))
        super().refresh()

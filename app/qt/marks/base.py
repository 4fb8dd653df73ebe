"""What every mark's widget is: shows one mark, is restyled at once, tells what the user did.

`Painted` marks are drawn by QPainter in one widget each (never an object per cell); every length goes through
the theme's scale.  Outlines over maps are two strokes, ink in a halo, so they show on any colour.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QPaintEngine,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QRegion,
    QShowEvent,
)
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from app.messages import Text, Translator
from app.pane import Event
from app.qt.marks.letters import Letters
from app.qt.painting import painting
from app.qt.scrolled import Scrolled
from app.qt.theme import Theme
from app.scene import same

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Look:
    """How a scene is rendered: colours, sizes and language.

    letters: fonts and laid-out texts of all that is drawn in it.
    """

    theme: Theme
    translator: Translator
    letters: Letters = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "letters", Letters(self.theme))

    def text(self, text: Text) -> str:
        return self.translator.text(text)


def discard(widget: QWidget) -> None:
    """Out of sight now, gone with the next turn of the event loop (which a picture does not wait for)."""
    widget.hide()
    widget.deleteLater()


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a drawing is made of.

    whole: what all of it depends on.  places: (rectangle, what is drawn there depends on), each of which can
    be painted again alone; rectangles may overlap.
    """

    whole: tuple[Any, ...]
    places: tuple[tuple[QRectF, tuple[Any, ...]], ...]


class MarkView(QWidget):
    """A widget that shows one mark.  happened: an `Event` the user caused."""

    happened = Signal(object)
    usual = 0.001  # seconds that painting takes at least, once there is something to paint
    unfinished = False  # whether the rest of the mark is to be shown in the next turn

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self.mark: Any = None
        self.halted: Callable[[], bool] = bool  # told that a part was made; whether the rest must wait
        self.seconds = self.usual  # that the next painting is likely to take

    def show_mark(self, mark: Any) -> None:
        """Show the mark; called only when it differs from the one shown."""
        self.mark = mark
        self.setAccessibleDescription(self.look.text(mark.alt))
        self.refresh()

    def restyle(self, look: Look) -> None:
        """Another theme, scale or language: same data."""
        self.look = look
        if self.mark is not None:
            self.setAccessibleDescription(look.text(self.mark.alt))
            self.refresh()
            self.updateGeometry()

    def refresh(self) -> None:
        """Take over `self.mark` and `self.look`."""
        self.update()

    def tell(self, name: str, value: Any = None) -> None:
        if name:
            self.happened.emit(Event(name, value))


class Painted(MarkView):
    """A mark in one painted widget that can have the keyboard focus."""

    least = (120, 60)
    wanted = (300, 160)
    roomy = 0  # px of height at least in a column that is scrolled, where height costs nothing

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._letters = look.letters
        self._lengths: dict[float, int] = {}
        self._longest: dict[int, tuple[tuple[str, ...], float]] = {}
        self._pieces: Pieces | None = None  # as painted last
        self._dirty: QRegion | None = None  # what is being painted; None: all
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def minimumSizeHint(self) -> QSize:
        high = self.least[1]
        if self.roomy > high and scrolled(self):
            high = self.roomy
        return QSize(self.px(self.least[0]), self.px(high))

    def sizeHint(self) -> QSize:
        return QSize(self.px(self.wanted[0]), self.px(self.wanted[1]))

    def restyle(self, look: Look) -> None:
        self._letters = look.letters
        self._lengths.clear()
        self._longest.clear()
        super().restyle(look)

    def refresh(self) -> None:
        """Paint again what looks different now, all of it where that is not known."""
        before, self._pieces = self._pieces, self.pieces()
        places = changed(before, self._pieces)
        if places is None:
            self.update()
        for rect in places or ():
            self.update(rect)

    def pieces(self) -> Pieces | None:
        """What is in it and what each piece depends on; None: one piece."""
        return None

    def touched(self, rect: QRectF) -> bool:
        """Whether some of a rectangle is being painted."""
        return self._dirty is None or self._dirty.intersects(rect.toAlignedRect())

    def px(self, length: float) -> int:
        known = self._lengths.get(length)
        if known is None:
            known = self._lengths[length] = self.look.theme.px(length)
        return known

    def color(self, role: str, alpha: float = 1.0) -> QColor:
        """Not to be changed: it is handed out again."""
        return self._letters.color(role, alpha)

    def font_of(self, size: str = "small", bold: bool = False, family: str = "text") -> QFont:
        return self._letters.font((size, bold, family))[0]

    def showEvent(self, event: QShowEvent) -> None:
        """On a card it paints the card's colour itself: what lies below is not painted again with it."""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, on_card(self))
        super().showEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        opaque = self.testAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        if self.mark is None and not opaque:
            return
        started = time.perf_counter()
        with painting(self) as painter:
            self._paint(painter, event, opaque)
        self.seconds = max(time.perf_counter() - started, self.usual)

    def _paint(self, painter: QPainter, event: QPaintEvent, opaque: bool) -> None:
        self._letters.raster = painter.paintEngine().type() == QPaintEngine.Type.Raster
        if opaque and self._letters.raster:
            painter.fillRect(event.rect(), self.color("panel"))
        if self.mark is None:
            return
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.LosslessImageRendering  # maps in a PDF
        )
        self._dirty = event.region() if self._letters.raster else None
        self.draw(painter)
        if self.hasFocus():
            painter.setPen(QPen(self.color("accent"), self.px(2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inset = self.px(2) / 2
            painter.drawRoundedRect(
                QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), self.px(6), self.px(6)
            )

    def draw(self, painter: QPainter) -> None:
        raise NotImplementedError

    # ---- drawing ----------------------------------------------------------------------------------------

    def fill(self, painter: QPainter) -> None:
        """The card's colour below a drawing that hides it; on a screen it is there already."""
        if not (self._letters.raster and self.testAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)):
            painter.fillRect(self.rect(), self.color("panel"))

    def write(
        self, painter: QPainter, rect: QRectF, text: str, role: str = "fg", size: str = "small",
        bold: bool = False, align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft, family: str = "text",
    ) -> None:  # fmt: skip
        """One line in the rectangle, vertically centred, shortened at its end where it does not fit."""
        style = size, bold, family
        text = self._letters.fitting(text, style, rect.width() + 0.5)
        painter.setPen(self.color(role))
        self._letters.draw(painter, rect, text, style, align)

    def width_of(self, text: str, size: str = "small", bold: bool = False, family: str = "text") -> float:
        return self._letters.width(text, (size, bold, family))

    def longest(self, texts: tuple[str, ...]) -> float:
        """Width of the widest of some labels, in bold; measured once for a tuple."""
        known = self._longest.get(id(texts))
        if known is None or known[0] is not texts:
            known = texts, max((self.width_of(text, bold=True) for text in texts), default=0.0)
            self._longest[id(texts)] = known
        return known[1]

    def hatch(self, painter: QPainter, rect: QRectF, back: bool = True) -> None:
        """What is absent, halted or copied: diagonal strokes, recognisable without colour."""
        if back:
            painter.fillRect(rect, self.color("hatch_bg"))
        pen = QPen(self.color("hatch"), max(1.0, self.px(1)))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        gap, height = self.px(5), rect.height()
        # Strokes start on a grid of the widget, so that neighbouring rows join; they are cut at the sides by
        # reckoning, as many programs that show an exported SVG do not clip.
        x = rect.left() - height - (rect.left() - rect.bottom()) % gap
        while x < rect.right():
            left, right = max(x, rect.left()), min(x + height, rect.right())
            if left < right:
                painter.drawLine(
                    QPointF(left, rect.bottom() - (left - x)), QPointF(right, rect.bottom() - (right - x))
                )
            x += gap

    def outline(self, painter: QPainter, rect: QRectF, dashed: bool = False, width: float = 2.0) -> None:
        """Ink inside a halo."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for role, stroke in (("halo", width + 2), ("ink", width)):
            pen = QPen(self.color(role), self.px(stroke))
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            if dashed and role == "ink":
                pen.setDashPattern([3, 2])
            painter.setPen(pen)
            painter.drawRoundedRect(rect, self.px(2), self.px(2))

    def diamond(self, painter: QPainter, centre: QPointF, size: float, role: str = "ok") -> None:
        """The sign of a marked position (a supporting fact)."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color(role))
        x, y = centre.x(), centre.y()
        corners = [QPointF(x, y - size), QPointF(x + size, y), QPointF(x, y + size), QPointF(x - size, y)]
        painter.drawPolygon(QPolygonF(corners))


def changed(before: Pieces | None, after: Pieces | None) -> list[QRect] | None:
    """Where to paint again; None: everywhere."""
    if before is None or after is None or len(before.places) != len(after.places):
        return None
    if not same(before.whole, after.whole):
        return None
    found = []
    for (old_rect, old), (rect, new) in zip(before.places, after.places, strict=True):
        if rect != old_rect or not same(old, new):
            found += [one.toAlignedRect().adjusted(-2, -2, 2, 2) for one in (old_rect, rect)]
    return found


def on_card(widget: QWidget) -> bool:
    """Whether a card is what it stands on."""
    above = widget.parentWidget()
    while above is not None and above.objectName() != "card":
        above = above.parentWidget()
    return above is not None


def scrolled(widget: QWidget) -> bool:
    """Whether it stands in a column that is scrolled, and nothing around it has a height of its own."""
    above: QWidget | None = widget.parentWidget()
    while above is not None and not isinstance(above, Scrolled):
        if above.minimumHeight() == above.maximumHeight():
            return False
        above = above.parentWidget()
    return above is not None


def spaced(layout: QBoxLayout, gap: int) -> None:
    """Set the gap; Qt lays everything out anew even where it is the same."""
    if layout.property("gap") != gap:  # not its spacing, which is the style's until it is set
        layout.setProperty("gap", gap)
        layout.setSpacing(gap)


def resized(widget: QWidget) -> None:
    """Tell every layout above that a widget wants another size; one of them may hold an old one back."""
    above: QWidget | None = widget
    while above is not None and not above.isWindow():
        above.updateGeometry()
        above = above.parentWidget()


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """`share` of the other colour in the one."""
    share = min(max(share, 0.0), 1.0)
    pairs = zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(a + (b - a) * share) for a, b in pairs))


def quantised(values: Array, low: float = 0.0, high: float = 1.0) -> Array:
    """uint8 of a matrix on the scale low ... high; NaN becomes 0 (a `Holed` hatches it), infinities ends."""
    if values.dtype == np.uint8:
        return np.ascontiguousarray(values)
    with np.errstate(over="ignore"):  # beyond what float32 holds is an end of the scale
        scaled = np.subtract(values, low, dtype=np.float32) * np.float32(255.0 / (high - low))
    if not np.isfinite(scaled).all():
        scaled = np.nan_to_num(scaled, nan=0.0, posinf=255.0, neginf=0.0)
    return scaled.clip(0, 255).round().astype(np.uint8)


def shrunk(values: Array, rows: int, cols: int) -> Array:
    """At most rows x cols values, each the largest of its block: one hot cell is never lost."""
    for axis, most in enumerate((rows, cols)):
        size = values.shape[axis]
        if size > most > 0:
            values = np.maximum.reduceat(values, np.arange(most) * size // most, axis=axis)
    return values


def map_image(values: Array, table: Array) -> QImage:
    """uint8 [row, column] through a colour table [256, 3] into an image of as many pixels."""
    pixels = np.empty((*values.shape, 4), np.uint8)
    pixels[..., :3] = np.take(table, values, axis=0)[..., ::-1]
    pixels[..., 3] = 255
    height, width = values.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()

"""Paints figures off screen: the widgets of the window, in a theme, size and scale of their own.

One way for every format: the same widgets paint into an image, an SVG or a PDF.  Text stays text (fonts
without special digits, which PDF readers could not copy), maps stay images of their own size, all else is
vectors.
"""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace

from PySide6.QtCore import QBuffer, QEvent, QIODevice, QMarginsF, QPoint, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.messages import Text, Translator
from app.pages import Part, pages
from app.palette import FAMILIES
from app.qt import theme as themes
from app.qt.boxes import BoxNode
from app.qt.cards import CardNode
from app.qt.marks.base import MarkView
from app.qt.nodes import MarkNode
from app.qt.scene_view import SceneView
from app.qt.theme import Theme
from app.scene import Passage, Scene

DPI = 96
PDF_SCALE = 16  # PDF units in a logical pixel: places are exact to a sixteenth
A4 = (595.276 * DPI / 72, 841.89 * DPI / 72)  # in logical pixels
MARGIN = 44  # logical pixels around a printed text
MAP_PIXELS = 1024  # sides of a map's picture in an SVG, about
STYLE = 'text[font-family="JetBrains Mono"]{font-variant-ligatures:none}' + "".join(
    f'text[font-family="{names[0]}"]{{font-family:{",".join(repr(name) for name in names)},{generic}}}'
    for names, generic in (
        (FAMILIES["text"], "sans-serif"), (FAMILIES["mono"], "monospace"), (FAMILIES["math"], "serif"),
    )
)  # fmt: skip
MOST_GROWTH = 16_000  # logical pixels a figure grows so that nothing is behind a scroll bar
MOST_TURNS = 12
PLAIN = "QLabel, QCheckBox, QRadioButton { color: $fg; background: transparent; }"


class Studio(QWidget):
    """A scene and a caption, never on screen.  Use `close_down` when done.

    size: logical pixels at 100 %; the figure grows where its scene needs more.
    """

    def __init__(self, theme: Theme, language: str, size: tuple[int, int]) -> None:
        super().__init__()
        self.theme = replace(theme, plain=True)
        self.translator = Translator(language)
        self.wanted = QSize(*size)
        self.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self.setObjectName("studio")
        self.setPalette(themes.qt_palette(self.theme))
        self.setFont(self.theme.font())
        plain = PLAIN.replace("$fg", self.theme.tokens["fg"])
        self.setStyleSheet(plain + themes.style_sheet(self.theme))
        self.view = SceneView(self.theme, self.translator)
        self.view.silent = True
        self.caption = QLabel()
        self.caption.setProperty("tone", "small")
        self.caption.setWordWrap(True)
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        box = QVBoxLayout(self)
        box.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)  # `_unroll` grows it
        gap = self.theme.space("m")
        box.setContentsMargins(gap, gap, gap, gap)
        box.setSpacing(self.theme.space("s"))
        box.addWidget(self.view, 1)
        box.addWidget(self.caption)
        self.title = ""
        self.said = ""

    def show_scene(self, scene: Scene, caption: Text = "") -> None:
        """Lay a scene out, ready to be painted."""
        self.view.show_scene(scene)
        self.title, self.said = self.translator.text(scene.title), self.translator.text(scene.alt)
        text = self.translator.text(caption)
        self.caption.setText(text)
        self.caption.setVisible(bool(text))
        if not self.isVisible():
            self.resize(self.wanted)
            self.show()
        for card in self.findChildren(CardNode):
            card.turn.hide()  # controls of the window, not part of a figure
            card.large.hide()
        self._plain_fonts()
        self._settle()
        self._unroll()

    def _plain_fonts(self) -> None:
        """Nothing of the application's look: new widgets took its font where they have none of their own,

        special digits and all, and some keep the size they wished under its style sheet.
        """
        for widget in self.findChildren(QWidget):
            if widget.property("plain"):
                continue
            widget.setProperty("plain", True)
            font = widget.font()
            if any(font.featureValue(tag) for tag in font.featureTags()):
                widget.setFont(self.theme.font())
            QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))

    def _settle(self) -> None:
        """Layouts settle in steps; only what is posted is done, so that nothing else happens meanwhile."""
        places: list[object] = []
        for _ in range(MOST_TURNS):
            QApplication.sendPostedEvents(None, 0)
            box = self.layout()
            if box is not None:
                box.activate()
            now: list[object] = [widget.geometry().getRect() for widget in self.findChildren(QWidget)]
            if now == places:
                return
            places = now

    def _unroll(self) -> None:
        """Grow until everything has its place; frames of one film never shrink again."""
        least = self.minimumSizeHint()
        if least.width() > self.width() or least.height() > self.height():
            self.resize(self.size().expandedTo(least))
            self._settle()
        for _ in range(3):
            areas = self.findChildren(QScrollArea)
            hidden = max((area.verticalScrollBar().maximum() for area in areas), default=0)
            if not hidden or self.height() > MOST_GROWTH:
                return
            self.resize(self.width(), min(self.height() + hidden, MOST_GROWTH))
            self._settle()

    def image(self, scale: float = 1.0) -> QImage:
        """The figure with `scale` picture pixels for a logical one."""
        picture = QImage(self.size() * scale, QImage.Format.Format_RGB32)
        picture.setDevicePixelRatio(scale)
        picture.setDotsPerMeterX(round(DPI * scale / 0.0254))
        picture.setDotsPerMeterY(round(DPI * scale / 0.0254))
        picture.fill(self.theme.color("bg"))
        with QPainter(picture) as painter:
            self.render(painter, QPoint())
        picture.setText("Title", self.title)
        picture.setText("Description", self.description())
        picture.setText("Software", "Depthscope")
        return picture

    def description(self) -> str:
        """Caption and the scene in a sentence, for those who cannot see the picture."""
        return " — ".join(part for part in (self.caption.text(), self.said) if part)

    def png(self, scale: float = 1.0) -> bytes:
        """The figure as a PNG file."""
        buffer = opened()
        self.image(scale).save(buffer, "PNG")  # type: ignore[call-overload]
        return bytes(buffer.data().data())

    def svg(self) -> bytes:
        """The figure as an SVG 1.1 file: texts are text, with a title and a description."""
        buffer = opened()
        generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
        generator.setOutputDevice(buffer)
        generator.setSize(self.size())
        generator.setViewBox(QRect(QPoint(), self.size()))
        generator.setResolution(DPI)
        generator.setTitle(self.title)
        generator.setDescription(self.description())
        with QPainter(generator) as painter:
            self._render(painter, 1, self.rect())
        return tidy(bytes(buffer.data().data()).decode("utf-8"), self.width(), self.height()).encode("utf-8")

    def pdf(self, paper: bool = False) -> bytes:
        """The figure as a PDF file, fonts embedded: one page of its own size; on paper one A4 sheet, a text
        that is read as many as it needs.
        """
        buffer = opened()
        writer = QPdfWriter(buffer)
        points = 72 / DPI
        size = QSizeF(self.width() * points, self.height() * points)
        page = QPageSize(size, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
        writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4) if paper else page)
        writer.setPageMargins(QMarginsF(0, 0, 0, 0))
        writer.setResolution(DPI * PDF_SCALE)
        writer.setTitle(self.title)
        writer.setCreator("Depthscope")
        with QPainter(writer) as painter:
            painter.scale(PDF_SCALE, PDF_SCALE)
            if paper:
                self._print(writer, painter)
            else:
                self._render(painter, 1, self.rect())
        return bytes(buffer.data().data())

    def _print(self, writer: QPdfWriter, painter: QPainter) -> None:
        """A sheet, made smaller where it would not fit; a text on several, cut between its parts."""
        text = next((box for box in self.findChildren(BoxNode) if box.place), None)
        if text is None:
            scale = min(1.0, A4[0] / self.width(), A4[1] / self.height())
            painter.fillRect(QRectF(0, 0, *A4), self.theme.color("bg"))
            painter.translate((A4[0] - self.width() * scale) / 2, 0)
            self._render(painter, scale, self.rect())
            return
        scale = min(1.0, (A4[0] - 2 * MARGIN) / self.width())
        cuts = pages(parts_of(text, self), self.height(), int((A4[1] - 2 * MARGIN) / scale))
        for number, (top, bottom) in enumerate(cuts, start=1):
            if number > 1:
                writer.newPage()
            painter.fillRect(QRectF(0, 0, *A4), self.theme.color("bg"))
            painter.setFont(self.theme.font("small"))
            painter.setPen(self.theme.color("dim"))
            foot = QRectF(0, A4[1] - MARGIN, A4[0], MARGIN * 0.6)
            painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, f"{number} / {len(cuts)}")
            painter.save()
            painter.translate((A4[0] - self.width() * scale) / 2, MARGIN)
            self._render(painter, scale, QRect(0, top, self.width(), bottom - top))
            painter.restore()

    def _render(self, painter: QPainter, scale: float, part: QRect) -> None:
        """A part of the figure, its corner where the painter stands."""
        painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
        painter.scale(scale, scale)
        painter.fillRect(QRect(QPoint(), part.size()), self.theme.color("bg"))
        for mark in self.findChildren(MarkView):  # else the card is left out below them, on paper as well
            mark.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, False)
        self.render(painter, QPoint(), QRegion(part))

    def close_down(self) -> None:
        """Gone with the next turn of the event loop."""
        self.hide()
        self.deleteLater()


def parts_of(text: BoxNode, whole: QWidget) -> list[Part]:
    """Where the parts of a text stand.  A heading leads, and so does what a caption follows."""
    marks = [part.mark_view.mark if isinstance(part, MarkNode) else None for part in text.parts]
    styles = [mark.style if isinstance(mark, Passage) else "" for mark in marks]
    found = []
    for part, style, after in zip(text.parts, styles, [*styles[1:], ""], strict=True):
        top = part.mapTo(whole, QPoint()).y()
        found.append(Part(top, top + part.height(), style in ("title", "heading") or after == "caption"))
    return found


def opened() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


def tidy(svg: str, width: int, height: int) -> str:
    """Qt's SVG for other programs: sizes in px, sharp maps, generic fonts where ours are not installed."""
    head = f'<svg width="{width}" height="{height}"'
    svg = re.sub(r'<svg width="[\d.]+mm" height="[\d.]+mm"', head, svg, count=1)
    svg = placed_clips(svg.replace(' vector-effect="none"', ""))
    for _ in range(2):  # groups in groups, left by a pen that drew nothing
        svg = re.sub(r"<g [^>]*>\s*</g>\s*", "", svg)
    svg = re.sub(r'image-rendering="optimizeSpeed"([^>]*?base64,)([^"]+)"', sharpened, svg)
    svg = re.sub(r'font-family="([^",]+)[^"]*"', r'font-family="\1"', svg)
    return svg.replace("<defs>", f"<style>{STYLE}</style>\n<defs>", 1)


def sharpened(match: re.Match[str]) -> str:
    """A map of few cells with many pixels a cell: programs that smooth every picture leave it sharp."""
    image = QImage.fromData(b64decode(match[2]))
    times = MAP_PIXELS // max(image.width(), image.height(), 1)
    data = match[2]
    if times > 1:
        buffer = opened()
        image.scaled(image.size() * times).save(buffer, "PNG")  # type: ignore[call-overload]
        data = bytes(buffer.data().toBase64().data()).decode("ascii")
    return f'style="image-rendering:pixelated"{match[1]}{data}"'


def placed_clips(svg: str) -> str:
    """Qt writes a clip in the coordinates of what it clips first, but hangs it outside of them.

    Each clip gets the transformation of the first group that it stands around.
    """
    places: dict[str, str] = {}
    group = re.compile(r'<g clip-path="url\(#(\w+)\)"><g [^>]*?transform="([^"]+)"')
    for name, matrix in group.findall(svg):
        places.setdefault(name, matrix)

    def placed(match: re.Match[str]) -> str:
        matrix = places.get(match[1])
        return match[0] + (f'transform="{matrix}" ' if matrix else "")

    return re.sub(r'<clipPath id="(\w+)">\s*<path ', placed, svg)

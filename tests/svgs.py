"""Reads an exported SVG back: its texts with the places they cover, and a plain form to compare."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from PySide6.QtCore import QPoint, QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPolygonF, QTransform
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from app.palette import FAMILIES
from app.qt.studio import opened, tidy

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Placed:
    """A text and the four corners of the room its signs take, in pixels of the figure."""

    text: str
    corners: QPolygonF

    @property
    def box(self) -> QRectF:
        return self.corners.boundingRect()


def texts(svg: str) -> list[Placed]:
    """Every text of a figure, in painting order."""
    return list(_walk(ElementTree.fromstring(svg), QTransform()))


def _walk(node: ElementTree.Element, place: QTransform) -> Iterator[Placed]:
    if match := re.fullmatch(r"matrix\(([^)]*)\)", node.get("transform", "")):
        a, b, c, d, e, f = map(float, match[1].split(","))
        place = QTransform(a, b, c, d, e, f) * place
    if node.tag == f"{SVG}text" and (node.text or "").strip():
        yield Placed(node.text or "", place.map(_room(node)))
    for child in node:
        yield from _walk(child, place)


def _room(node: ElementTree.Element) -> QPolygonF:
    """From the height of a small letter to the baseline: what two texts must not share."""
    font = QFont()
    first = node.get("font-family", "")
    font.setFamilies(list(next(names for names in FAMILIES.values() if names[0] == first)))
    font.setPixelSize(round(float(node.get("font-size", "13"))))
    font.setWeight(QFont.Weight(int(node.get("font-weight", "400"))))
    font.setFeature(QFont.Tag("calt"), 0)
    metrics = QFontMetricsF(font)
    x, y = float(node.get("x", "0")), float(node.get("y", "0"))
    text = node.text or ""
    left = x + metrics.horizontalAdvance(text[: len(text) - len(text.lstrip())])
    width = metrics.horizontalAdvance(text.strip())
    high = metrics.xHeight()
    return QPolygonF(
        [QPointF(left, y - high), QPointF(left + width, y - high), QPointF(left + width, y), QPointF(left, y)]
    )


def overlaps(found: list[Placed], slack: float = 1.0) -> list[tuple[str, str]]:
    """Pairs of texts that cover each other by more than `slack` pixels either way."""
    pairs = []
    for k, one in enumerate(found):
        for other in found[k + 1 :]:
            if not one.box.intersects(other.box):
                continue
            shared = one.corners.intersected(other.corners).boundingRect()
            if shared.width() > slack and shared.height() > slack:
                pairs.append((one.text, other.text))
    return pairs


def drawn(widget: QWidget) -> str:
    """A widget as it is now, as an SVG whose clips are where they belong."""
    buffer = opened()
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setOutputDevice(buffer)
    generator.setSize(widget.size())
    generator.setViewBox(widget.rect())
    generator.setResolution(96)
    painter = QPainter(generator)
    widget.render(painter, QPoint())
    painter.end()
    return tidy(bytes(buffer.data().data()).decode("utf-8"), widget.width(), widget.height())


def clip_box(node: ElementTree.Element) -> QRectF:
    """What a clip lets through, as far as it is a box."""
    path = node[0]
    pairs = re.findall(r"(-?[\d.]+),(-?[\d.]+)", path.get("d", ""))
    polygon = QPolygonF([QPointF(float(x), float(y)) for x, y in pairs])
    numbers = map(float, re.findall(r"-?[\d.]+", path.get("transform", "matrix(1,0,0,1,0,0)")))
    return QTransform(*numbers).map(polygon).boundingRect()

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

EVERYWHERE = QRectF(-1e6, -1e6, 2e6, 2e6)
SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Placed:
    """A text and the four corners of the room its signs take, in pixels of the figure."""

    text: str
    corners: QPolygonF
    clip: QRectF

    @property
    def hidden(self) -> bool:
        """Whether some of it is clipped away (behind a scroll bar, say)."""
        return not self.clip.adjusted(-1, -1, 1, 1).contains(self.box)

    @property
    def box(self) -> QRectF:
        return self.corners.boundingRect()


def texts(svg: str) -> list[Placed]:
    """Every text of a figure, in painting order."""
    root = ElementTree.fromstring(svg)
    clips = {node.get("id", ""): clip_box(node) for node in root.iter(f"{SVG}clipPath")}
    return list(_walk(root, QTransform(), EVERYWHERE, clips))


def _walk(
    node: ElementTree.Element, place: QTransform, clip: QRectF, clips: dict[str, QRectF]
) -> Iterator[Placed]:
    if match := re.fullmatch(r"matrix\(([^)]*)\)", node.get("transform", "")):
        place = QTransform(*map(float, match[1].split(","))) * place
    if match := re.fullmatch(r"url\(#(\w+)\)", node.get("clip-path", "")):
        clip = clip.intersected(clips.get(match[1], EVERYWHERE))
    if node.tag == f"{SVG}text" and (node.text or "").strip():
        yield Placed(node.text or "", place.map(_room(node)), clip)
    for child in node:
        yield from _walk(child, place, clip, clips)


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


def on_grounds(svg: str) -> list[tuple[str, str, str]]:
    """(text, its colour, the colour painted under its middle); "" under it where that is a picture."""
    found: list[tuple[str, str, str]] = []
    _paint(ElementTree.fromstring(svg), QTransform(), {}, [], found)
    return found


Ground = tuple[QRectF, str]


def _paint(
    node: ElementTree.Element,
    place: QTransform,
    look: dict[str, str],
    grounds: list[Ground],
    found: list[tuple[str, str, str]],
) -> None:
    if match := re.fullmatch(r"matrix\(([^)]*)\)", node.get("transform", "")):
        place = QTransform(*map(float, match[1].split(","))) * place
    look = {**look, **{name: node.get(name, "") for name in ("fill", "fill-opacity") if node.get(name)}}
    tag = node.tag.removeprefix(SVG)
    if tag == "defs":
        return
    if tag == "text" and (node.text or "").strip():
        middle = place.map(_room(node)).boundingRect().center()
        under = [colour for box, colour in grounds if box.contains(middle)]
        found.append((node.text or "", look["fill"], under[-1] if under else "#ffffff"))
    elif (box := _box(node, tag)) is not None:
        box = place.mapRect(box)
        shade = 1.0 if tag == "image" else float(look.get("fill-opacity", "1"))
        if tag == "image":
            grounds.append((box, ""))
        elif look.get("fill", "none") != "none" and shade > 0:
            below = [colour for other, colour in grounds if other.contains(box.center())]
            grounds.append((box, _mixed(below[-1] if below else "#ffffff", look["fill"], shade)))
    for child in node:
        _paint(child, place, look, grounds, found)


def _box(node: ElementTree.Element, tag: str) -> QRectF | None:
    if tag in ("rect", "image"):
        return QRectF(*(float(node.get(name, "0")) for name in ("x", "y", "width", "height")))
    if tag in ("path", "polygon"):
        pairs = re.findall(r"(-?[\d.]+),(-?[\d.]+)", node.get("d", "") or node.get("points", ""))
        return QPolygonF([QPointF(float(x), float(y)) for x, y in pairs]).boundingRect()
    return None


def _mixed(below: str, above: str, share: float) -> str:
    """The colour seen where one lies over the other; over a picture nobody knows."""
    if not below or share >= 1:
        return above if share >= 1 else ""
    pairs = [(int(below[k : k + 2], 16), int(above[k : k + 2], 16)) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)

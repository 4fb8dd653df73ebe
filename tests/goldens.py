"""Golden files: scenes as rounded JSON, figures as plain SVG with one shape a line; compared with tolerance.

`pytest --golden-update` writes them anew; look at `git diff tests/golden` before it is kept.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from app.messages import Message
from app.pane import Event, Pane, Selection, settled
from app.scene import Scene
from tests.panes import made

FOLDER = Path(__file__).parent / "golden"
PLACES = ("first", "middle", "last")
WHOLE = 256  # values of an array that are kept; of a larger one its shape, sum and ends
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
GROUND = re.compile(r'fill="(#[0-9a-f]{6})"')
SVG = "{http://www.w3.org/2000/svg}"
USUAL = "Pretendard"
KEPT = ("d", "x", "y", "width", "height", "cx", "cy", "r", "rx", "ry", "x1", "y1", "x2", "y2", "points")
INHERITED = ("fill", "stroke", "stroke-width", "fill-opacity", "stroke-opacity")


# ---- states ---------------------------------------------------------------------------------------------


def state_at(pane: Pane, place: str) -> Any:
    """The pane with a made-up run where it takes one, at its first, middle or last step."""
    state = pane.update(pane.initial(), Event("open.run", made.run()))[0]
    line = pane.timeline(state)
    if line is None or not line.computed:
        return state
    step = {"first": 1, "middle": (line.computed + 1) // 2, "last": line.computed}[place]
    return pane.update(state, Event("transport.seek", step))[0]


def scene_at(pane: Pane, place: str, width: int | None = None) -> Scene:
    """width: of the window, for panes that fold."""
    state = state_at(pane, place)
    if width is not None:
        state = pane.update(state, Event("view.width", width))[0]
    state = settled(pane, state)
    line = pane.timeline(state)
    return pane.scene(state, Selection(step=None if line is None else line.current))


# ---- scenes ---------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A scene as JSON: numbers to four figures, fields at their defaults left out, texts as message ids."""
    if isinstance(value, Message):
        said = value.id if value.n is None else f"{value.id} | {value.plural}"
        return [said, {name: plain(inner) for name, inner in value.args}] if value.args else said
    if is_dataclass(value):
        shown = {field.name: getattr(value, field.name) for field in fields(value)}
        usual = {field.name: field.default for field in fields(value) if field.default is not MISSING}
        kept = {name: plain(one) for name, one in shown.items() if not _usual(one, usual.get(name, MISSING))}
        return {"is": type(value).__name__, **kept}
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float | np.floating):
        return None if math.isnan(value) else float(f"{value:.4g}")
    return value


def _usual(value: Any, default: Any) -> bool:
    return not isinstance(value, np.ndarray) and default is not MISSING and bool(value == default)


def _array(array: np.ndarray[Any, Any]) -> Any:
    if array.size <= WHOLE:
        return plain(array.tolist())
    flat = array.astype(float).ravel()
    ends = {"first": plain(flat[:8].tolist()), "last": plain(flat[-8:].tolist())}
    return {"shape": list(array.shape), "sum": plain(float(np.nansum(flat))), **ends}


def scene_text(scene: Scene) -> str:
    return json.dumps(plain(scene), ensure_ascii=False, indent=1) + "\n"


# ---- figures --------------------------------------------------------------------------------------------


def figure_text(svg: str) -> str:
    """An SVG with one shape a line, rounded to pixels: groups undone, what is not seen left out.

    A map is its picture's place and the sum of its pixels; corners of frames (drawn apart) and pieces of the
    ground are left out.
    """
    root = ElementTree.fromstring(svg)
    size = f'width="{root.get("width")}" height="{root.get("height")}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" font-family="{USUAL}" fill="none" {size}>'
    shapes = list(_shapes(root, {}))
    ground = f'fill="{GROUND.findall(shapes[0])[0]}"/>'  # Qt paints it in pieces around what covers it
    seen = [shape for shape in shapes if not (shape.startswith("<rect") and shape.endswith(ground))]
    return "\n".join([head, shapes[0], *_joined(seen), "</svg>"]) + "\n"


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Strokes of one look in a row are one path: a hatch is one line."""
    stroke = re.compile(r'<polyline points="([^"]*)"(.*)/>')
    for look, group in groupby(lines, lambda line: match[2] if (match := stroke.fullmatch(line)) else ""):
        if not look:
            yield from group
            continue
        parts = (stroke.fullmatch(line) for line in group)
        yield f'<path d="{"".join(f"M{part[1].strip()}" for part in parts if part)}"{look}/>'


def _shapes(node: ElementTree.Element, above: dict[str, str]) -> Iterator[str]:
    if node.tag in (f"{SVG}defs", f"{SVG}title", f"{SVG}desc", f"{SVG}style"):
        return
    look = {**above, **{name: node.get(name, "") for name in (*INHERITED, "transform") if node.get(name)}}
    if node.tag not in (f"{SVG}svg", f"{SVG}g"):
        line = _shape(node, look)
        if line:
            yield line
    for child in node:
        yield from _shapes(child, look)


def _shape(node: ElementTree.Element, look: dict[str, str]) -> str:
    tag = node.tag.removeprefix(SVG)
    seen = {name: look[name] for name in ("fill", "stroke") if _seen(look, name)}
    corner = tag == "path" and "fill" not in seen and "L" not in node.get("d", "")
    if corner or not (seen or tag == "image") or (tag == "text" and not (node.text or "").strip()):
        return ""
    move, turned = _place(look.get("transform", ""))
    parts = {name: _moved(name, node.get(name, ""), move) for name in KEPT if node.get(name)}
    if "stroke" in seen and look.get("stroke-width", "1") != "1":
        parts["stroke-width"] = look["stroke-width"]
    if tag == "image":
        tag, seen = "rect", {"fill": "#808080"}
        parts["data-sum"] = _sum(node)
    if tag == "text":
        usual = {"font-family": USUAL, "font-weight": "400"}
        names = ("font-family", "font-size", "font-weight")
        parts |= {name: node.get(name, "") for name in names if node.get(name) != usual.get(name)}
    attributes = " ".join(f"{name}={quoteattr(value)}" for name, value in {**parts, **seen, **turned}.items())
    return f"<{tag} {attributes}" + (f">{escape(node.text or '')}</text>" if tag == "text" else "/>")


def _seen(look: dict[str, str], name: str) -> bool:
    return look.get(name, "none") != "none" and float(look.get(f"{name}-opacity", "1")) > 0


def _place(transform: str) -> tuple[tuple[float, float], dict[str, str]]:
    """(shift, {}) of a plain shift, else (no shift, the rounded matrix)."""
    numbers = [float(number) for number in NUMBER.findall(transform)] or [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    if numbers[:4] == [1.0, 0.0, 0.0, 1.0]:
        return (numbers[4], numbers[5]), {}
    rounded = ",".join(f"{round(number, 2) + 0:g}" for number in numbers[:4])
    return (0.0, 0.0), {"transform": f"matrix({rounded},{numbers[4]:.0f},{numbers[5]:.0f})"}


def _moved(name: str, text: str, move: tuple[float, float]) -> str:
    if name in ("d", "points"):
        pair = re.compile(rf"({NUMBER.pattern}),({NUMBER.pattern})")
        return pair.sub(lambda m: f"{float(m[1]) + move[0]:.0f},{float(m[2]) + move[1]:.0f}", text).strip()
    shift = move[0] if name in ("x", "cx", "x1", "x2") else move[1] if name in ("y", "cy", "y1", "y2") else 0
    return f"{float(text) + shift:.0f}"


def _sum(node: ElementTree.Element) -> str:
    """Of a map's pixels as they are; icons are only there."""
    from PySide6.QtGui import QImage

    if "pixelated" not in node.get("style", ""):
        return ""
    href = node.get("{http://www.w3.org/1999/xlink}href", "")
    image = QImage.fromData(base64.b64decode(href.partition(",")[2]))
    pixels = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = (bytes(pixels.constScanLine(y))[: 3 * pixels.width()] for y in range(pixels.height()))
    return hashlib.sha256(b"".join(rows)).hexdigest()[:8]


# ---- comparing ------------------------------------------------------------------------------------------


def check(name: str, text: str, update: bool, slack: float) -> None:
    """Compare with the golden file, numbers within `slack`; write it when told to.

    Fails where the file is missing (a new pane: run once with --golden-update) and shows what differs.
    """
    file = FOLDER / name
    if update:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return
    assert file.is_file(), f"{name} is not golden yet: run pytest --golden-update and look at the result"
    found = differences(file.read_text("utf-8"), text, slack)
    shown = "\n".join(found[:12])
    assert not found, f"{name}: {len(found)} lines differ (--golden-update if that is meant)\n{shown}"


def differences(golden: str, text: str, slack: float) -> list[str]:
    """The lines that differ by more than `slack` in a number, or in anything else."""
    found = []
    for k, (one, other) in enumerate(zip_longest(golden.splitlines(), text.splitlines()), start=1):
        if one != other and not _close(one or "", other or "", slack):
            found.append(f"line {k}:\n  - {(one or '')[:160]}\n  + {(other or '')[:160]}")
    return found


def _close(one: str, other: str, slack: float) -> bool:
    """The same but for lengths near each other; words, colours and sums of maps are exact."""
    exact = re.compile(r'>[^<]*<|#[0-9a-f]{6}|data-sum="\w*"')
    if exact.findall(one) != exact.findall(other):
        return False
    here, there = exact.sub("", one), exact.sub("", other)
    if NUMBER.sub("", here) != NUMBER.sub("", there):
        return False
    pairs = zip(NUMBER.findall(here), NUMBER.findall(there), strict=True)
    return all(abs(float(a) - float(b)) <= slack for a, b in pairs)

"""Typesets the formulas of the story as outlines: neither a font nor a library is needed to show them.

    python packaging/formulas.py           says which drawings are missing, stale or without a source
    python packaging/formulas.py compile   writes resources/formulas/ID.svg from formulas.toml beside them

A drawing is one path in `currentColor`; its view box has the baseline at y = 0 and an em of 20 units.  Glyphs
are those of STIX Two Math (SIL Open Font License, which leaves drawings made with a font free).
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "formulas"
FONT = FOLDER.parent / "fonts" / "STIXTwoMath-Regular.ttf"
EM = 20.0
NAMESPACE = "{http://www.w3.org/2000/svg}"
COUNTS = {"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}  # those that `app/formulas.py` reads


def sources() -> dict[str, str]:
    """LaTeX by id."""
    return dict(tomllib.loads((FOLDER / "formulas.toml").read_text("utf-8")))


def drawing(latex: str) -> str:
    """The SVG of a formula; ValueError for what the library leaves undrawn."""
    import ziamath

    ziamath.config.svg2 = False  # a path for each glyph: no references to resolve
    ziamath.config.precision = 3
    made = ziamath.Latex(latex, size=EM, font=str(FONT))
    root = ElementTree.fromstring(made.svg())
    parts = [part for node in root.iter() for part in _parts(node)]
    left, top, wide, high = (_short(float(number)) for number in root.attrib["viewBox"].split())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {wide} {high}" '
        f'width="{wide}" height="{high}"><path fill="currentColor" d="{"".join(parts)}"/></svg>\n'
    )


def _parts(node: ElementTree.Element) -> list[str]:
    """The outlines of one element of the library's drawing."""
    kind = node.tag.removeprefix(NAMESPACE)
    if kind == "path":
        return [_path(node.attrib["d"])]
    if kind == "rect":
        x, y, wide, high = (float(node.attrib[name]) for name in ("x", "y", "width", "height"))
        corners = ((x, y), (x + wide, y), (x + wide, y + high), (x, y + high))
        return ["M" + "L".join(f"{_short(a)} {_short(b)}" for a, b in corners) + "Z"]
    if kind not in ("svg", "g"):
        raise ValueError(f"a drawing holds <{kind}>, which is not handled")
    return []


def _path(data: str) -> str:
    """The same outline, shorter: two decimals, no line of no length."""
    found: list[str] = []
    last: tuple[str, ...] = ()
    for command, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", data):
        values = tuple(_short(float(number)) for number in numbers.replace(",", " ").split())
        if len(values) != COUNTS.get(command):
            raise ValueError(f"an outline holds {command!r} with {len(values)} numbers, which is not handled")
        if command == "L" and values == last:
            continue
        found.append(command + " ".join(values))
        last = values[-2:]
    return "".join(found)


def _short(number: float) -> str:
    return f"{round(number, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def faults() -> list[str]:
    """What is wrong with the committed drawings, a line each."""
    wanted, lines = sources(), []
    there = {path.stem for path in FOLDER.glob("*.svg")}
    lines += [f"{name}: there is no source for it" for name in sorted(there - wanted.keys())]
    for name, latex in wanted.items():
        path = FOLDER / f"{name}.svg"
        if name not in there:
            lines.append(f"{name}: not compiled")
        elif path.read_text("utf-8") != drawing(latex):
            lines.append(f"{name}: its source has changed")
    return lines


def compiled() -> None:
    """Writes every drawing, and takes away those without a source."""
    wanted = sources()
    for path in FOLDER.glob("*.svg"):
        if path.stem not in wanted:
            path.unlink()
    for name, latex in wanted.items():
        (FOLDER / f"{name}.svg").write_text(drawing(latex), "utf-8")


def main(command: str = "check") -> int:
    if command == "compile":
        compiled()
        return 0
    found = faults()
    print("\n".join(found) or "every formula is in step with its source")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""One place for colours and sizes: nothing else names one, and every role and pair in use is held to WCAG."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app import palette
from app.paths import resource
from app.scene import ROLES

ROOT = Path(__file__).resolve().parent.parent
HEX = re.compile(r"#[0-9a-fA-F]{3,8}\b")
PLACES = {"app/palette.py"}  # colours
FONT_PLACES = {"app/qt/theme.py"}  # sizes of type
PAIRED = {role for pair in (*palette.TEXT_PAIRS, *palette.GRAPHIC_PAIRS) for role in pair}
SHEET = re.sub(r"/\*.*?\*/", "", resource("theme", "window.qss").read_text("utf-8"), flags=re.DOTALL)
OFF = ":disabled"  # what cannot be used may be fainter (WCAG 2.2, 1.4.3)


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "app").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))


def strings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            yield (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")), node


def documents(tree: ast.Module) -> set[int]:
    """Lines of docstrings: they may speak of a colour."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def test_no_colour_stands_outside_the_palette() -> None:
    found = []
    for name, tree in sources():
        told = documents(tree)
        found += [
            f"{name}:{node.lineno} {node.value}"
            for node in strings(tree)
            if name not in PLACES and node.lineno not in told and HEX.search(node.value)
        ]
        for function, node in calls(tree):
            numbers = [argument for argument in node.args if isinstance(argument, ast.Constant)]
            if function in ("QColor", "fromRgb", "rgb") and any(isinstance(n.value, int) for n in numbers):
                found.append(f"{name}:{node.lineno} {function}")
        found += [
            f"{name}:{node.lineno} GlobalColor.{node.attr}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "GlobalColor"
            and node.attr != "transparent"
        ]
    assert found == []


def test_no_size_of_type_stands_outside_the_scale() -> None:
    found = []
    for name, tree in sources():
        for function, node in calls(tree):
            if function in ("setPixelSize", "setPointSize", "setPointSizeF") and name not in FONT_PLACES:
                found.append(f"{name}:{node.lineno} {function}")
        found += [
            f"{name}:{node.lineno}" for node in strings(tree) if re.search(r"font-size:\s*\d", node.value)
        ]
    assert found == []


def test_the_style_sheet_names_tokens_only() -> None:
    assert HEX.findall(SHEET) == []
    assert set(re.findall(r"(?<![\w$])\d+px", SHEET)) <= {
        "1px",
        "2px",
        "4px",  # a double line: ring, gap, ring
    }  # edges, which do not grow with the text
    assert re.findall(r"font-size:(?!\s*\$type_)", SHEET) == []
    assert re.findall(r"\b(?:rgb|hsv|red|white|black|gray|grey)\b", SHEET) == []


def test_every_role_has_its_contrast_checked_or_a_reason_not_to() -> None:
    known = set(palette.LIGHT)
    assert known >= PAIRED
    assert known - PAIRED - palette.DECORATION.keys() - {"map_dark", "map_light"} == set()
    assert not PAIRED & palette.DECORATION.keys()


def test_every_role_that_is_asked_for_exists() -> None:
    asked: set[str] = set(ROLES)
    for _, tree in sources():
        for function, node in calls(tree):
            place = {"color": 0, "write": 3}.get(function)
            if place is not None and len(node.args) > place:
                asked |= words(node.args[place])
            asked |= {word for one in node.keywords if one.arg == "role" for word in words(one.value)}
    assert {role for role in asked if role.isidentifier()} - set(palette.LIGHT) == set()


def words(node: ast.expr) -> set[str]:
    """The texts an expression may come out as."""
    kept = ast.IfExp, ast.BoolOp, ast.Constant
    if not isinstance(node, kept):
        return set()
    inner = ast.iter_child_nodes(node) if isinstance(node, ast.BoolOp) else ()
    if isinstance(node, ast.IfExp):
        inner = iter((node.body, node.orelse))
    found = {word for one in inner if isinstance(one, ast.expr) for word in words(one)}
    return found | ({node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set())


def rules() -> Iterator[tuple[str, dict[str, str]]]:
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", SHEET):
        yield selector.strip(), dict(re.findall(r"([\w-]+)\s*:\s*([^;]+);", body))


def role_of(rule: dict[str, str], *names: str) -> str:
    found = (re.search(r"\$(\w+)", rule.get(name, "")) for name in names)
    return next((match[1] for match in found if match and match[1] in palette.LIGHT), "")


def test_every_pair_of_the_style_sheet_is_among_the_checked() -> None:
    pairs = set()
    for selector, rule in rules():
        if all(OFF in part for part in selector.split(",")):
            continue
        pairs.add((role_of(rule, "color"), role_of(rule, "background", "background-color")))
        pairs.add((role_of(rule, "selection-color"), role_of(rule, "selection-background-color")))
    assert {pair for pair in pairs if all(pair)} - set(palette.TEXT_PAIRS) == set()
    assert len(pairs) > 8


def test_what_can_have_the_focus_shows_it_in_the_style_sheet() -> None:
    shown = {kind for selector, _ in rules() for kind in re.findall(r"(Q\w+)[^,]*:focus", selector)}
    assert {"QPushButton", "QToolButton", "QLineEdit", "QPlainTextEdit", "QSpinBox", "QComboBox", "QCheckBox",
            "QSlider", "QTableView", "QTreeView", "QTabBar"} <= shown  # fmt: skip


@pytest.mark.parametrize("theme", palette.THEMES)
@pytest.mark.parametrize("kind", ["attention", "diverging"])
def test_outlines_and_numbers_are_seen_on_every_colour_of_a_map(theme: str, kind: str) -> None:
    tokens = palette.THEMES[theme]
    for row in palette.colormap(theme, kind).tolist():
        colour = "#{:02x}{:02x}{:02x}".format(*row)
        assert max(palette.contrast(tokens[role], colour) for role in ("ink", "halo")) >= 3
        assert max(palette.contrast(tokens[role], colour) for role in ("map_dark", "map_light")) >= 4.5


@pytest.mark.parametrize("theme", palette.THEMES)
@pytest.mark.parametrize("role", ["running", "halts"])
def test_text_in_a_filled_cell_can_be_read(theme: str, role: str) -> None:
    tokens = palette.THEMES[theme]
    one, other = (
        np.array([int(tokens[name][k : k + 2], 16) for k in (1, 3, 5)]) for name in ("raised", role)
    )
    filled = "#{:02x}{:02x}{:02x}".format(*np.round(one + (other - one) * palette.FILL).astype(int))
    assert palette.contrast(tokens["fg"], filled) >= 4.5


def test_scales_go_up() -> None:
    assert list(palette.SPACE.values()) == sorted(palette.SPACE.values())
    assert [palette.TYPE[name] for name in ("tiny", "small", "body", "title", "display")] == sorted(
        palette.TYPE[name] for name in ("tiny", "small", "body", "title", "display")
    )
    assert min(palette.TYPE.values()) >= 11

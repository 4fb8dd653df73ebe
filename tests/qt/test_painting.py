"""A drawing that fails costs itself, not the program: Qt ends the process where an exception leaves it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.pane import Event, Selection
from app.panes import inspector
from app.qt import application
from app.qt import theme as themes
from app.qt.frame import Frame
from app.qt.marks.base import Look, Painted
from app.qt.marks.equation import EquationView
from app.qt.marks.fields import _Menu
from app.qt.marks.lanes import LanesView
from app.qt.marks.lattice import LatticeView
from app.qt.marks.option import OptionButton
from app.qt.scene_view import SceneView
from app.qt.scrubber import Scrubber
from app.qt.theme import Theme
from app.scene import Axis, Cells, Equation, Lattice, Tone
from tests.panes import made
from ut_engine.run import Run

Faults = list[type[BaseException]]
SOURCES = sorted((Path(__file__).parents[2] / "app/qt").rglob("*.py"))
PAINTERS = ("QPainter", "QStylePainter")


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> Faults:
    """What came to the hook."""
    themes.apply(application.make_application(), Theme("light"))
    caught: Faults = []

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        caught.append(kind)

    monkeypatch.setattr(sys, "excepthook", hook)
    return caught


LATTICE = Lattice(
    "lattice",
    np.zeros((1, 2), int),
    (Tone("kind", "running"),),
    Axis("row", ("1",)),
    Axis("column", ("1", "2")),
)


class Failing(Painted):
    """Fails in the middle of its drawing."""

    def draw(self, painter: QPainter) -> None:
        painter.drawLine(0, 0, 9, 9)
        raise ZeroDivisionError


def test_a_mark_that_fails_is_reported_and_its_painter_ended(qtbot: QtBot, faults: Faults) -> None:
    view = Failing(Look(Theme("light"), Translator("en")))
    qtbot.addWidget(view)
    view.mark = Cells("cells", (), ())
    view.grab()
    view.grab()
    assert set(faults) == {ZeroDivisionError}
    assert not view.paintingActive()


def test_so_does_the_scrubber(qtbot: QtBot, faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    scrubber = Scrubber()
    qtbot.addWidget(scrubber)
    monkeypatch.setattr(Scrubber, "_paint_track", lambda *_: 1 / 0)
    scrubber.grab()
    assert set(faults) == {ZeroDivisionError}
    assert not scrubber.paintingActive()


@pytest.mark.parametrize("layout", ["map", "arcs", "row"])
def test_a_run_without_numbers_is_drawn(qtbot: QtBot, faults: Faults, layout: str) -> None:
    """A recorded run of a model that broke down used to end the program when it was opened."""
    sound = made.records(steps=4)
    run = Run(made.info(), (*sound[:2], *map(made.broken, sound[2:])))
    state, _ = inspector.update(inspector.initial(), Event("open.run", run))
    state, _ = inspector.update(state, Event("control.layout", layout))
    view = SceneView(Theme("light"), Translator("en"))
    qtbot.addWidget(view)
    view.resize(1256, 660)
    for step in (4, 1):
        state, _ = inspector.update(state, Event("transport.seek", step))
        view.show_scene(inspector.scene(state, Selection()))
        image = view.grab().toImage()
        assert np.unique(np.frombuffer(image.constBits(), np.uint8)).size > 50
    assert faults == []


def _fail(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError


def test_an_option_and_a_menu_and_the_first_window(
    qtbot: QtBot, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    option, menu, frame = OptionButton(Look(Theme("light"), Translator("en"))), _Menu(), Frame(Theme("light"))
    monkeypatch.setattr(OptionButton, "_draw_letter", _fail)
    monkeypatch.setattr(_Menu, "room", _fail)
    monkeypatch.setattr(Frame, "_paint_outlines", _fail)
    for widget in (option, menu, frame):
        qtbot.addWidget(widget)
        faults.clear()
        widget.grab()
        assert set(faults) == {ZeroDivisionError}, widget
        assert not widget.paintingActive()


@pytest.mark.parametrize("view", [LatticeView, LanesView, EquationView])
def test_no_picture_is_kept_of_a_drawing_that_failed(
    qtbot: QtBot, faults: Faults, monkeypatch: pytest.MonkeyPatch, view: type[Painted]
) -> None:
    """Its painter is ended as well: a picture that goes while it is painted on ends the process."""
    made_of: dict[type[Painted], tuple[Any, str]] = {
        LatticeView: (LATTICE, "draw_cells"),
        LanesView: (None, ""),
        EquationView: (Equation("equation", ("attention",)), ""),
    }
    one = view(Look(Theme("light"), Translator("en")))
    qtbot.addWidget(one)
    one.resize(300, 200)
    mark, part = made_of[view]
    begun: list[QPainter] = []

    def draw(painter: QPainter, *_: Any) -> None:
        begun.append(painter)
        raise ZeroDivisionError

    if view is LanesView:
        one.mark = LATTICE  # not read: its rows are one strip here
        monkeypatch.setattr(
            view, "draw", lambda self, painter: self._strip(painter, one.rect().toRectF(), (), draw)
        )
    else:
        one.show_mark(mark)
    if part:
        monkeypatch.setattr(view, part, lambda self, painter: draw(painter))
    if view is EquationView:
        monkeypatch.setattr("app.qt.marks.equation.path_of", _fail)
    one.grab()
    assert set(faults) == {ZeroDivisionError}
    assert not any(painter.isActive() for painter in begun)
    kept = {LatticeView: "_kept", LanesView: "_strips", EquationView: "_drawn"}[view]
    assert not getattr(one, kept)
    assert not one.paintingActive()


# ---- the rule, held against the source ------------------------------------------------------------------


def _guard(node: ast.AST) -> bool:
    """`with painting(self) as ...`"""
    if not isinstance(node, ast.With):
        return False
    return any(ast.unparse(item.context_expr) == "painting(self)" for item in node.items)


def _outside(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a function and not below a guard."""
    for child in ast.iter_child_nodes(node):
        if not _guard(child):
            yield child
            yield from _outside(child)


def unguarded(tree: ast.AST) -> list[str]:
    """Paint events that call something of their own outside a guard, and painters nobody ends."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "paintEvent":
            own = [
                ast.unparse(call.func)
                for call in _outside(node)
                if isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and ast.unparse(call.func.value) == "self"
                and not hasattr(QWidget, call.func.attr)
            ]
            guarded = any(map(_guard, ast.walk(node)))
            found += [f"line {node.lineno}: {name}" for name in own or ([] if guarded else ["paintEvent"])]
    managed = {
        id(item.context_expr) for node in ast.walk(tree) if isinstance(node, ast.With) for item in node.items
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in PAINTERS and id(node) not in managed:
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_every_paint_event_is_guarded_and_every_painter_ended(path: Path) -> None:
    assert unguarded(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "body",
    [
        "painter = QPainter(self)\n  painter.end()",
        "self._paint()",
        "with painting(self) as painter:\n   pass\n  self._paint()",
        "with QPainter(self) as painter:\n   painter.drawLine(0, 0, 1, 1)",
    ],
)
def test_the_rule_finds_one_that_is_not(body: str) -> None:
    assert unguarded(ast.parse(f"class One(QWidget):\n def paintEvent(self, event):\n  {body}"))


def test_the_rule_looks_at_something() -> None:
    assert sum("def paintEvent" in path.read_text(encoding="utf-8") for path in SOURCES) >= 7

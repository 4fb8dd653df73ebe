"""A drawing that fails costs itself, not the program: Qt ends the process where an exception leaves it."""

from __future__ import annotations

import sys
from types import TracebackType

import numpy as np
import pytest
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.pane import Event, Selection
from app.panes import inspector
from app.qt import application
from app.qt import theme as themes
from app.qt.marks.base import Look, Painted
from app.qt.scene_view import SceneView
from app.qt.scrubber import Scrubber
from app.qt.theme import Theme
from app.scene import Cells
from tests.panes import made
from ut_engine.run import Run

Faults = list[type[BaseException]]


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> Faults:
    """What came to the hook."""
    themes.apply(application.make_application(), Theme("light"))
    caught: Faults = []

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        caught.append(kind)

    monkeypatch.setattr(sys, "excepthook", hook)
    return caught


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

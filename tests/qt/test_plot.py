"""A curve shown large: opens from the card and the curve, shows the same numbers, follows, closes."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.pane import Event
from app.qt.cards import CardNode
from app.qt.curve_dialog import CurveDialog
from app.qt.marks.base import Look
from app.qt.marks.curve import CurveView
from app.qt.plots import Plots
from app.qt.scene_view import SceneView
from app.qt.theme import Theme
from app.scene import Card, Curve, Scene, Series

LINE = (0.5, 0.25, float("nan"), 0.125)


def scene(line: tuple[float, ...] = LINE, current: int = 2) -> Scene:
    curve = Curve("curve", (Series("one", line),), 4, (0.0, 1.0), current, "step", "entropy",
                  np.array([[0.1, 0.2, 0.3, 0.4]]))  # fmt: skip
    return Scene(Card("card", "Sharpening", curve), "title", "alt")


class Shown:
    """A view and its plots, wired as in the window."""

    def __init__(self, qtbot: QtBot) -> None:
        self.look = Look(Theme("light"), Translator("en"))
        self.view = SceneView(self.look.theme, self.look.translator)
        self.view.resize(400, 300)
        qtbot.addWidget(self.view)
        self.plots = Plots(self.view, lambda: self.look)
        self.view.enlarged.connect(self.plots.open)
        self.show(scene())

    def show(self, wanted: Scene) -> None:
        self.view.show_scene(wanted)
        self.plots.follow(wanted)

    def opened(self, qtbot: QtBot) -> CurveDialog:
        qtbot.waitUntil(lambda: "curve" in self.plots.open_ones, timeout=20_000)
        return self.plots.open_ones["curve"]


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    made.view.show()
    yield made
    made.plots.close()


def test_the_button_opens_the_same_numbers(shown: Shown, qtbot: QtBot) -> None:
    card = shown.view.findChildren(CardNode)[0]
    assert card.large.isVisible()
    assert card.large.accessibleName() == "Sharpening: show large"
    card.large.click()
    dialog = shown.opened(qtbot)
    assert dialog.windowTitle() == "Sharpening"
    lines = dialog.plot.getPlotItem().listDataItems()
    assert [line.name() for line in lines] == [None, "one"]
    x, y = lines[1].getOriginalDataset()
    assert x.tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(y, LINE)
    assert dialog.readout.text() == "t = 2    one 0.25"


@pytest.mark.parametrize("how", ["enter", "double click"])
def test_the_curve_opens_by_key_and_mouse(shown: Shown, qtbot: QtBot, how: str) -> None:
    curve = shown.view.findChildren(CurveView)[0]
    if how == "enter":
        QTest.keyClick(curve, Qt.Key.Key_Return)
    else:
        QTest.mouseDClick(curve, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    assert shown.opened(qtbot).isVisible()


def test_keys_read_and_copy(shown: Shown, qtbot: QtBot) -> None:
    shown.plots.open("curve")
    dialog = shown.opened(qtbot)
    QTest.keyClick(dialog, Qt.Key.Key_Left)
    assert dialog.readout.text() == "t = 1    one 0.5"
    for _ in range(9):
        QTest.keyClick(dialog, Qt.Key.Key_Right)
    assert dialog.readout.text() == "t = 4    one 0.125"
    dialog.copy()
    copied = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert copied[0][:2] == ["step", "one"]
    assert [row[0] for row in copied[1:]] == ["1", "2", "3", "4"]
    assert float(copied[1][1]) == 0.5
    assert float(copied[4][1]) == 0.125


def test_a_logarithm_leaves_out_what_has_none(shown: Shown, qtbot: QtBot) -> None:
    shown.show(scene((0.5, 0.0, -1.0, 0.125)))
    shown.plots.open("curve")
    dialog = shown.opened(qtbot)
    dialog.log.setChecked(True)
    np.testing.assert_array_equal(dialog.values(), [[0.5, np.nan, np.nan, 0.125]])
    shown.show(scene((0.0, -1.0)))
    assert not dialog.log.isEnabled()


def test_it_follows_the_scene_and_goes_with_its_curve(shown: Shown, qtbot: QtBot) -> None:
    shown.plots.open("curve")
    dialog = shown.opened(qtbot)
    shown.show(scene((*LINE[:3], 0.75), current=4))
    assert dialog.readout.text() == "t = 4    one 0.75"
    shown.look = Look(Theme("dark"), Translator("ko"))
    shown.plots.follow(scene())
    assert shown.plots.open_ones["curve"] is not dialog
    shown.plots.follow(Scene(Card("card", "t", Curve("other", (), 4, (0, 1), 1, "x", "y")), "t", "a"))
    assert not shown.plots.open_ones


def test_a_click_looks_at_a_step(shown: Shown, qtbot: QtBot) -> None:
    shown.plots.open("curve")
    dialog = shown.opened(qtbot)
    told: list[Event] = []
    shown.plots.happened.connect(told.append)
    QTest.keyClick(dialog, Qt.Key.Key_Right)
    dialog.plot.scene().sigMouseClicked.emit(None)
    assert told == [Event("transport.seek", 3)]


def test_escape_closes_and_nothing_is_left(shown: Shown, qtbot: QtBot) -> None:
    before = set(map(id, QApplication.allWidgets()))
    shown.plots.open("curve")
    dialog = shown.opened(qtbot)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not shown.plots.open_ones
    del dialog

    def left() -> bool:
        gc.collect()
        return {type(w).__name__ for w in QApplication.allWidgets() if id(w) not in before} == set()

    qtbot.waitUntil(left)


def test_it_is_imported_only_when_asked_for_or_at_rest(qtbot: QtBot) -> None:
    shown = Shown(qtbot)
    assert shown.plots._thread is None
    shown.plots.later()
    assert shown.plots._thread is None  # not yet: the window may be playing
    shown.plots.close()
    assert shown.plots._thread is None


def test_it_may_be_closed_twice_and_opens_nothing_later(qtbot: QtBot) -> None:
    shown = Shown(qtbot)
    shown.plots.open("curve")
    shown.plots.close()
    shown.plots.close()
    QApplication.processEvents()
    assert not shown.plots.open_ones

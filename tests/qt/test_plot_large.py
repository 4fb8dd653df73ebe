"""A plot shown large: opened by button and keys, zoomed and shifted, drawn as the small one; it follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.pane import Event
from app.qt.cards import CardNode
from app.qt.marks.axes import value_at
from app.qt.marks.base import Look
from app.qt.marks.chart import PlotView
from app.qt.plot_dialog import ALL, PlotDialog, ZoomView
from app.qt.plots import Plots, find
from app.qt.scene_view import SceneView
from app.qt.session import Session
from app.qt.theme import Theme
from app.scene import (
    Axis,
    Card,
    Column,
    Curve,
    Heatmap,
    Inset,
    Line,
    Node,
    Plot,
    Rule,
    Scale,
    Scene,
    Series,
    Tabs,
)
from app.settings import Settings
from tests.qt import whole
from tests.qt.drawn import picture
from tests.qt.whole import press

KEY, SHIFT, NONE = Qt.Key, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton
X = np.arange(1.0, 41.0)
LINES = Plot(
    "lines", (Line("up", X, X / 40, "c1", low=X / 40 - 0.1, high=X / 40 + 0.1),
              Line("down", X, 1 - X / 40, "c2", "dashed")), Scale("x", 1, 40), Scale("y", 0, 1),
    (Rule("half", 0.5),), here=12.0, event="look", alt="two lines",
)  # fmt: skip
POINTS = Plot(
    "points", (Line("models", np.array([1e7, 1e8, 1e8]), np.array([3e7, 3e7, 3e8]), "c1", "points",
                    labels=("base", "small", "big"), sign="ring"),), Scale("work", 5e6, 5e8, True),
    Scale("parameters", 1e7, 1e9, True), ids=("m",), point_event="take", legend=False, alt="three points",
)  # fmt: skip
LINES_2 = replace(LINES, key="lines2")
CURVE = Curve("curve", (Series("one", (0.5, 0.25)),), 2, (0.0, 1.0), 1, "step", "entropy")


def scene(*bodies: Node) -> Scene:
    cards = tuple(Card(f"card{k}", f"Card {k}", body) for k, body in enumerate(bodies))
    return Scene(Column("all", cards), "title", "alt")


class Shown:
    """A view and its plots, wired as in the window."""

    def __init__(self, qtbot: QtBot, *bodies: Node) -> None:
        self.look = Look(Theme("light"), Translator("en"))
        self.view = SceneView(self.look.theme, self.look.translator)
        self.view.resize(500, 600)
        qtbot.addWidget(self.view)
        self.plots = Plots(self.view, lambda: self.look)
        self.told: list[Event] = []
        self.plots.happened.connect(self.told.append)
        self.view.enlarged.connect(self.plots.open)
        self.show(scene(*bodies))
        self.view.show()

    def show(self, wanted: Scene) -> None:
        self.view.show_scene(wanted)
        self.plots.follow(wanted)

    def opened(self, key: str) -> PlotDialog:
        self.plots.open(key)
        found = self.plots.open_ones[key]
        assert isinstance(found, PlotDialog)
        return found


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot, LINES, POINTS)
    yield made
    made.plots.close()


def shares(view: ZoomView) -> tuple[float, ...]:
    return tuple(round(end, 6) for part in view.part for end in part)


# ---- how it opens -----------------------------------------------------------------------------------------


def test_the_button_opens_it_at_once_without_pyqtgraph(shown: Shown) -> None:
    card = shown.view.findChildren(CardNode)[1]
    assert card.large.isVisible()
    assert (card.large.accessibleName(), card.large.toolTip()) == (
        "Card 1: show large", "Show this chart large",
    )  # fmt: skip
    card.large.click()
    dialog = shown.plots.open_ones["points"]
    assert isinstance(dialog, PlotDialog)
    assert dialog.isVisible()
    assert (dialog.windowTitle(), dialog.chart.accessibleName()) == ("Card 1", "Card 1")
    assert dialog.chart.accessibleDescription() == "three points"
    assert shown.plots._thread is None


def test_enter_and_a_double_click_open_it(shown: Shown) -> None:
    for key in ("lines", "points"):
        view = shown.view.mark_view(key)
        assert isinstance(view, PlotView)
        QTest.keyClick(view, KEY.Key_Enter)
        assert shown.plots.open_ones[key].close()
        QTest.mouseDClick(view, LEFT, pos=view.area().topLeft().toPoint() + QPoint(9, 9))
        assert key in shown.plots.open_ones


def test_enter_on_a_point_gone_to_takes_it(shown: Shown) -> None:
    view = shown.view.mark_view("points")
    assert view is not None
    told: list[Event] = []
    shown.view.happened.connect(told.append)
    QTest.keyClick(view, KEY.Key_Right)
    QTest.keyClick(view, KEY.Key_Return)
    assert told[-1] == Event("take", ("m", 0))
    assert not shown.plots.open_ones
    QTest.keyClick(view, KEY.Key_Escape)
    QTest.keyClick(view, KEY.Key_Return)
    assert "points" in shown.plots.open_ones


def test_a_plot_that_waits_for_its_numbers_has_no_button(shown: Shown) -> None:
    empty = replace(LINES, lines=(), note="not yet")
    shown.show(scene(empty, POINTS))
    card = shown.view.findChildren(CardNode)[0]
    assert not card.large.isVisible()
    view = shown.view.mark_view("lines")
    assert view is not None
    QTest.keyClick(view, KEY.Key_Return)
    assert not shown.plots.open_ones
    shown.show(scene(LINES, POINTS))
    assert card.large.isVisible()


def test_of_several_drawings_the_button_asks_which(qtbot: QtBot) -> None:
    picture_first = Heatmap("map", np.zeros((2, 2)), Axis("r", ("1", "2")), Axis("c", ("1", "2")))
    shown = Shown(qtbot, Column("c", (picture_first, LINES)), Column("d", (LINES_2, replace(CURVE, key="k"))))
    first, second = shown.view.findChildren(CardNode)
    first.large.click()
    assert set(shown.plots.open_ones) == {"lines"}  # not the map, though it comes first
    second.large.click()
    menu = second.findChild(QMenu)
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == ["y by x", "entropy by step"]
    QTest.keyClick(menu, KEY.Key_Down)
    QTest.keyClick(menu, KEY.Key_Return)
    assert set(shown.plots.open_ones) == {"lines", "lines2"}
    menu.actions()[1].trigger()
    qtbot.waitUntil(lambda: "k" in shown.plots.open_ones, timeout=20_000)
    shown.plots.close()


def test_outside_of_cards_and_within_insets_it_is_found_and_told_as_there(qtbot: QtBot) -> None:
    tabs = Tabs("tabs", (Column("a", ()), LINES), ("One", "Two"), 1, "turn")
    inner = Inset("fig", Column("in", (replace(POINTS, key="fig/points"),)))
    shown = Shown(qtbot, tabs, inner)
    found = find(shown.plots.scene, "lines")
    assert found is not None
    assert found.title == "Two"
    QTest.mouseClick(shown.opened("lines").chart, LEFT, pos=QPoint(200, 200))
    assert shown.told[-1].name == "look"
    chart = shown.opened("fig/points").chart
    QTest.keyClick(chart, KEY.Key_Right)
    QTest.keyClick(chart, KEY.Key_Return)
    assert shown.told[-1] == Event("inset", ("fig", Event("take", ("m", 0))))
    shown.plots.close()


# ---- what it shows ----------------------------------------------------------------------------------------


def test_every_line_is_named_and_the_scales_are_the_small_ones(shown: Shown) -> None:
    for mark in (LINES, POINTS):
        chart = shown.opened(mark.key).chart
        names = [text for row in chart._head_rows() for text, line in row if line is not None]
        assert names == [line.name for line in mark.lines]
        assert (chart.mark.x, chart.mark.y) == (mark.x, mark.y)
        assert chart.mark.lines is mark.lines
        assert chart.mark.rules is mark.rules


def test_the_values_are_copied_as_the_table_has_them(shown: Shown) -> None:
    dialog = shown.opened("lines")
    buttons = {one.text(): one for one in dialog.findChildren(QPushButton)}
    buttons["Copy values"].click()
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert rows[0] == ["x", "up", "up, low", "up, high", "down"]
    assert len(rows) == 41
    assert rows[20] == ["20", "0.5", "0.4", "0.6", "0.5"]


def test_the_readout_says_the_place_looked_at(shown: Shown) -> None:
    assert shown.opened("lines").readout.text() == "x 12    up 0.3 (0.2 … 0.4)    down 0.7"
    dialog = shown.opened("points")
    assert dialog.readout.text() == ""
    QTest.keyClick(dialog.chart, KEY.Key_Right)
    assert dialog.readout.text() == "work 10,000,000    base 30,000,000"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_it_is_painted_in_every_look_and_says_its_keys(qtbot: QtBot, theme: str, language: str) -> None:
    dialog = PlotDialog("t", POINTS, Look(Theme(theme), Translator(language)))
    qtbot.addWidget(dialog)
    dialog.show()
    before = picture(dialog.chart)
    dialog.chart.zoom((0.5, 0.5))
    assert picture(dialog.chart) != before
    colors = {before.pixelColor(x, y).name() for x in range(before.width()) for y in range(before.height())}
    assert Theme(theme).color("c1").name() in colors
    assert Theme(theme).color("panel").name() in colors
    texts = {one.text() for one in dialog.findChildren(QPushButton)}
    assert ("그래프 전체 보기" in texts) == (language == "ko")


# ---- zoom and shift ---------------------------------------------------------------------------------------


def test_keys_zoom_about_the_place_looked_at_and_show_all_again(shown: Shown) -> None:
    chart = shown.opened("lines").chart
    assert chart.part == (ALL, ALL)
    QTest.keyClicks(chart, "+")
    (x0, x1), (y0, y1) = chart.part
    assert x1 - x0 == pytest.approx(1 / 1.5)
    assert y1 - y0 == pytest.approx(1 / 1.5)
    at = (12 - 1) / 39
    assert (at - x0) / (x1 - x0) == pytest.approx(at)  # x = 12 stands where it stood
    QTest.keyClicks(chart, "-")
    assert shares(chart) == (0, 1, 0, 1)
    for _ in range(3):
        QTest.keyClicks(chart, "=")
    QTest.keyClicks(chart, "0")
    assert chart.part == (ALL, ALL)


def test_shifted_arrows_shift_up_to_the_ends(shown: Shown) -> None:
    chart = shown.opened("points").chart
    chart.show_part((0.4, 0.6), (0.4, 0.6))
    QTest.keyClick(chart, KEY.Key_Right, SHIFT)
    QTest.keyClick(chart, KEY.Key_Up, SHIFT)
    assert shares(chart) == (0.42, 0.62, 0.42, 0.62)
    for _ in range(40):
        QTest.keyClick(chart, KEY.Key_Left, SHIFT)
        QTest.keyClick(chart, KEY.Key_Down, SHIFT)
    assert shares(chart) == (0, 0.2, 0, 0.2)
    assert chart.mark.x.high == pytest.approx(value_at(0.2, POINTS.x))
    assert not shown.told


def test_no_key_depends_on_the_input_source(shown: Shown) -> None:
    """A Hangul input source writes the same signs with other key codes; full-width ones are the same too."""
    chart = shown.opened("lines").chart
    for text in ("+", "＋"):
        chart.show_whole()
        QApplication.sendEvent(chart, QKeyEvent(QKeyEvent.Type.KeyPress, KEY.Key_unknown, NONE, text))
        assert chart.part != (ALL, ALL)
        QApplication.sendEvent(chart, QKeyEvent(QKeyEvent.Type.KeyPress, KEY.Key_unknown, NONE, "0"))
        assert chart.part == (ALL, ALL)


def wheel(view: ZoomView, at: QPointF, turned: int) -> None:
    event = QWheelEvent(at, view.mapToGlobal(at), QPoint(), QPoint(0, turned), Qt.MouseButton.NoButton, NONE,
                        Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
    QApplication.sendEvent(view, event)


def test_the_wheel_zooms_about_the_pointer_beside_an_axis_only_that(shown: Shown) -> None:
    chart = shown.opened("lines").chart
    box = chart.area()
    wheel(chart, QPointF(box.left(), box.bottom()), 120)
    assert shares(chart) == (0, 0.666667, 0, 0.666667)
    wheel(chart, QPointF(box.left(), box.bottom()), -240)
    assert chart.part == (ALL, ALL)
    wheel(chart, QPointF(box.left() - 9, box.center().y()), 120)
    assert chart.part[0] == ALL
    assert shares(chart)[2:] == (0.166667, 0.833333)
    chart.show_whole()
    wheel(chart, QPointF(box.center().x(), box.bottom() + 9), 120)
    assert chart.part[1] == ALL
    assert shares(chart)[:2] == (0.166667, 0.833333)
    for _ in range(60):
        wheel(chart, QPointF(box.center().x(), box.center().y()), 120)
    assert chart.part[0][1] - chart.part[0][0] == pytest.approx(1e-3)
    picture(chart)


def test_a_drag_shifts_and_a_click_does_what_it_does_in_the_small_one(shown: Shown) -> None:
    chart = shown.opened("lines").chart
    chart.show_part((0.4, 0.8), (0.4, 0.8))
    box = chart.area()
    start = box.center().toPoint() - QPoint(5, 0)  # the middle itself is as near to 21
    QTest.mousePress(chart, LEFT, pos=start)
    QTest.mouseMove(chart, start + QPoint(round(box.width() / 4), round(box.height() / 4)))
    QTest.mouseRelease(chart, LEFT, pos=start + QPoint(round(box.width() / 4), round(box.height() / 4)))
    assert chart.part[0] == pytest.approx((0.3, 0.7), abs=2e-3)
    assert chart.part[1] == pytest.approx((0.5, 0.9), abs=2e-3)
    assert not shown.told
    QTest.mouseClick(chart, LEFT, pos=start)
    assert shown.told == [Event("look", 20.0)]  # 1 + 39 / 2 less a little, to the nearest point
    QTest.mouseDClick(chart, LEFT, pos=start)
    assert chart.part == (ALL, ALL)
    assert len(shown.told) == 1


def test_walking_by_keys_shows_what_is_walked_to(shown: Shown) -> None:
    chart = shown.opened("points").chart
    chart.show_part((0.0, 0.3), (0.0, 0.3))
    QTest.keyClick(chart, KEY.Key_End)
    x, y = chart.spots(chart.area())[0]
    assert chart._cursor is not None
    k = chart._cursor[1]
    assert chart.area().contains(float(x[k]), float(y[k]))
    assert chart.part[0][1] - chart.part[0][0] == pytest.approx(0.3)


# ---- it goes with the scene -------------------------------------------------------------------------------


def test_other_numbers_keep_the_part_other_scales_do_not(shown: Shown) -> None:
    dialog = shown.opened("lines")
    dialog.chart.show_part((0.0, 0.5), (0.0, 0.5))
    x, y = LINES.x, LINES.y
    shown.show(scene(replace(LINES, x=replace(x, high=79), y=replace(y, high=2.0)), POINTS))
    assert shares(dialog.chart) == (0, 0.25, 0, 0.25)
    assert (dialog.chart.mark.x.high, dialog.chart.mark.y.high) == (20.5, 0.5)
    shown.show(scene(replace(LINES, here=70.0, x=replace(x, high=79)), POINTS))
    assert dialog.chart.mark.x.low < 70 < dialog.chart.mark.x.high  # what is looked at is shown
    shown.show(scene(replace(LINES, x=replace(x, name="steps")), POINTS))
    assert dialog.chart.part == (ALL, ALL)


def test_it_is_made_anew_in_another_look_and_closes_with_its_plot(shown: Shown) -> None:
    dialog = shown.opened("lines")
    shown.look = Look(Theme("dark"), Translator("ko"))
    shown.plots.follow(scene(LINES, POINTS))
    assert shown.plots.open_ones["lines"] is not dialog
    shown.plots.follow(scene(POINTS))
    assert not shown.plots.open_ones


@pytest.mark.parametrize("key", [KEY.Key_Escape, KEY.Key_Return])
def test_escape_and_enter_close_it(shown: Shown, key: Qt.Key) -> None:
    chart = shown.opened("lines").chart
    QTest.keyClick(chart, key)
    assert not shown.plots.open_ones


# ---- in the window ----------------------------------------------------------------------------------------


def in_window(session: Session, key: str) -> PlotView:
    view = next(one for one in session.window.findChildren(PlotView)
                if one.isVisible() and one.mark is not None and one.mark.key == key)  # fmt: skip
    view.setFocus()
    return view


@pytest.mark.parametrize(("pane", "key"), [("cost", "scatter"), ("coords", "lengths")])
def test_the_panes_charts_open_large_by_keyboard(qapp: QApplication, pane: str, key: str) -> None:
    with whole.session(Settings(workspace=pane, language="ko", theme="dark")) as session:
        whole.show(session, pane, "first")
        small = in_window(session, key)
        press(session.shell, KEY.Key_Return)
        dialog = session.shell.plots.open_ones[key]
        assert isinstance(dialog, PlotDialog)
        assert dialog.isVisible()
        large = dialog.chart.mark
        assert (large.x, large.y) == (small.mark.x, small.mark.y)
        assert [large.x.log, large.y.log] == [pane == "cost"] * 2
        assert [line.name for line in large.lines] == [line.name for line in small.mark.lines]
        QTest.keyClicks(dialog.chart, "+")
        QTest.keyClick(dialog.chart, KEY.Key_Right)
        if pane == "cost":
            QTest.keyClick(dialog.chart, KEY.Key_Return)
            whole.settle(session)
            assert session.store.state.pane_state.current in ("transformer-base", "ut-small")
        else:
            whole.settle(session)
            assert dialog.chart.mark.here == session.store.state.pane_state.place + 1
        assert session.shell.plots.open_ones == {key: dialog}
        QTest.keyClick(dialog.chart, KEY.Key_Escape)
        assert not session.shell.plots.open_ones


def test_the_program_s_chords_work_in_it(qapp: QApplication) -> None:
    """It is a window of its own, but the user is still in the program."""
    with whole.session(Settings(workspace="cost")) as session:
        whole.show(session, "cost", "first")
        in_window(session, "scatter")
        press(session.shell, KEY.Key_Return)
        first = session.shell.plots.open_ones["scatter"]
        QTest.keyClick(first.chart, KEY.Key_D, CTRL | SHIFT)  # type: ignore[attr-defined]
        whole.settle(session)
        assert session.store.state.theme == "dark"
        second = session.shell.plots.open_ones["scatter"]
        assert second is not first
        assert second.look.theme.dark
        closed: list[bool] = []
        session.window.closing.connect(lambda: closed.append(True))
        QTest.keyClick(second.chart, KEY.Key_Q, CTRL)  # type: ignore[attr-defined]
        assert closed == [True]

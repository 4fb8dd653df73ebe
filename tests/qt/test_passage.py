"""Running text: as high as its lines, links by mouse and keyboard, a column scrolled to a part."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QSlider
from pytestqt.qtbot import QtBot

from app.messages import ByLanguage, Translator, msg
from app.pane import Event
from app.qt.boxes import BoxNode
from app.qt.marks.base import Look
from app.qt.marks.passage import PassageView
from app.qt.marks.passage_text import DRESSES
from app.qt.scene_view import SceneView
from app.qt.theme import Theme
from app.scene import Card, Column, Form, Number, Passage, Scene, Span

LIGHT = Look(Theme("light"), Translator("en"))
WORDS = "Attention reads every position at once, and a layer that is run again reads what it has written. "
LINKED = (
    Span("The "), Span("grid", event="open", value="grid"), Span(" and the "),
    Span("scan", event="open", value="scan"), Span(" show it."),
)  # fmt: skip


def shown(qtbot: QtBot, mark: Passage, width: int = 500) -> tuple[PassageView, list[Event]]:
    view = PassageView(LIGHT)
    qtbot.addWidget(view)
    told: list[Event] = []
    view.happened.connect(told.append)
    view.resize(width, 300)
    view.show_mark(mark)
    view.show()
    return view, told


def middle(view: PassageView, span: int) -> QPoint:
    return (view.rects(span)[0].center() + QPointF(view.left(), view.top())).toPoint()


@pytest.mark.parametrize("style", DRESSES)
def test_every_style_is_as_high_as_its_lines(qtbot: QtBot, style: str) -> None:
    view, _ = shown(qtbot, Passage("p", (Span(WORDS * 4),), style))
    narrow, wide = view.height_at(300), view.height_at(900)
    assert narrow > wide
    view.resize(300, 300)
    assert view.sizeHint().height() == narrow
    view.grab()
    assert view.document.firstBlock().layout().lineCount() > 4


def test_a_formula_is_not_broken_at_its_signs_and_copied_with_usual_spaces(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, Passage("p", (Span("It stops where the sum passes 1 − ε at last."),)))
    text = view.document.toPlainText()
    for width in range(120, 400, 4):
        view.resize(width, 300)
        view.grab()
        layout = view.document.firstBlock().layout()
        starts = {layout.lineAt(k).textStart() for k in range(layout.lineCount())}
        assert not starts & {text.index("−"), text.index("ε")}
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "It stops where the sum passes 1 − ε at last."


def test_a_line_holds_no_more_than_so_many_signs(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, Passage("p", (Span(WORDS * 4),), wide=40), 1200)
    view.grab()
    text, layout = view.document.toPlainText(), view.document.firstBlock().layout()
    lines = [layout.lineAt(k).textLength() for k in range(layout.lineCount())]
    assert 25 < max(lines) < 60
    assert sum(lines) == len(text)


def test_a_click_follows_a_link_and_a_drag_selects(qtbot: QtBot) -> None:
    view, told = shown(qtbot, Passage("p", LINKED))
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=middle(view, 3))
    assert told == [Event("open", "scan")]
    qtbot.mouseMove(view, middle(view, 1))
    assert view.over == 1
    assert view.cursor().shape() == Qt.CursorShape.PointingHandCursor
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(0, 5))
    view.cursor_.setPosition(8, view.cursor_.MoveMode.KeepAnchor)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "The grid"
    assert told == [Event("open", "scan")]


def test_tab_goes_from_link_to_link_and_enter_follows(qtbot: QtBot) -> None:
    view, told = shown(qtbot, Passage("p", LINKED))
    with qtbot.waitActive(view):
        view.activateWindow()
    view.clearFocus()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.link == 1
    qtbot.keyClick(view, Qt.Key.Key_Return)
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert view.link == 3
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert [event.value for event in told] == ["grid", "scan"]
    plain, _ = shown(qtbot, Passage("q", (Span("nothing to follow"),)))
    assert plain.focusPolicy() == Qt.FocusPolicy.ClickFocus


def test_what_is_found_is_painted_without_laying_out_the_text_anew(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, Passage("p", (Span("one \N{MATHEMATICAL ITALIC SMALL D} word"),)))
    before, written = view.grab().toImage(), view.document.revision()
    view.show_mark(Passage("p", (Span("one \N{MATHEMATICAL ITALIC SMALL D} "), Span("word", found=True))))
    assert view.document.revision() == written
    assert view.ranges == ((0, 7, 0), (7, 11, 1))
    ground = view.look.theme.color("changed_bg").rgb()
    point = (view.rects(1)[0].topLeft() + QPointF(1, 2)).toPoint()
    assert view.grab().toImage().pixelColor(point).rgb() == ground != before.pixelColor(point).rgb()
    view.show_mark(Passage("p", (Span("one \N{MATHEMATICAL ITALIC SMALL D} word"),)))
    assert view.grab().toImage() == before
    view.show_mark(Passage("p", (Span("one \N{MATHEMATICAL ITALIC SMALL D} "), Span("word", bold=True))))
    assert view.document.revision() != written


def test_a_found_word_and_a_hovered_link_stand_out(qtbot: QtBot) -> None:
    plain, _ = shown(qtbot, Passage("p", (Span("one "), Span("word"))))
    found, _ = shown(qtbot, Passage("p", (Span("one "), Span("word", found=True))))
    here, _ = shown(qtbot, Passage("p", (Span("one "), Span("word", found=True)), here=(1,)))
    pictures = [view.grab().toImage() for view in (plain, found, here)]
    assert pictures[0] != pictures[1] != pictures[2]
    point = (found.rects(1)[0].topLeft() + QPointF(1, 2)).toPoint()
    assert pictures[1].pixelColor(point) == LIGHT.theme.color("changed_bg")


def test_words_follow_language_and_theme(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, Passage("p", (Span(msg("Read")),)))
    assert view.document.toPlainText() == "Read"
    view.restyle(Look(Theme("dark", 2.0), Translator("ko")))
    assert view.document.toPlainText() == Translator("ko").text(msg("Read")) != "Read"
    assert view.accessibleName() == view.document.toPlainText()


def test_a_text_written_in_each_language_shows_one(qtbot: QtBot) -> None:
    both = tuple(
        Span(ByLanguage(((code, text),)), event="go", value=code)
        for code, text in (("en", "a link"), ("ko", "이음"))
    )
    view, _ = shown(qtbot, Passage("p", both))
    assert (view.document.toPlainText(), view.links()) == ("a link", [0])
    view.restyle(Look(Theme("light"), Translator("ko")))
    assert (view.document.toPlainText(), view.links()) == ("이음", [1])
    alone, _ = shown(qtbot, Passage("p", both[1:]))
    assert alone.sizeHint().height() == 0


def long_scene(turn: int = 0, show: str = "", wide: int = 0, place: str = "") -> Scene:
    parts = tuple(Passage(f"p{k}", (Span(f"{k} {WORDS * 3}"),), large=True) for k in range(30))
    return Scene(Column("c", parts, scroll=True, show=show, turn=turn, wide=wide, place=place), "t", "t")


def scrolled(qtbot: QtBot, scene: Scene) -> tuple[SceneView, Any, list[Event]]:
    view = SceneView(Theme("light"), Translator("en"))
    qtbot.addWidget(view)
    told: list[Event] = []
    view.happened.connect(told.append)
    view.resize(900, 500)
    view.show_scene(scene)
    with qtbot.waitExposed(view):
        view.show()
    assert isinstance(view.root, BoxNode)
    assert view.root.area is not None
    return view, view.root.area, told


def top_of(view: SceneView, key: str) -> int:
    mark = view.mark_view(key)
    assert mark is not None
    return mark.mapTo(view, QPoint(0, 0)).y()


def test_a_column_is_scrolled_to_a_part_once_for_each_turn(qtbot: QtBot) -> None:
    view, area, _ = scrolled(qtbot, long_scene(1, "p20"))
    qtbot.waitUntil(lambda: abs(top_of(view, "p20")) <= 12)
    area.verticalScrollBar().triggerAction(area.verticalScrollBar().SliderAction.SliderToMinimum)
    assert area.verticalScrollBar().value() == 0
    view.show_scene(long_scene(1, "p5"))  # the same turn
    assert area.verticalScrollBar().value() == 0
    view.show_scene(long_scene(2, "p5"))
    assert abs(top_of(view, "p5")) <= 12


def test_a_column_tells_what_is_read(qtbot: QtBot) -> None:
    view, area, told = scrolled(qtbot, long_scene(place="read.place"))
    bar = area.verticalScrollBar()
    bar.setSliderPosition(area.top_of(view.mark_view("p7")))
    bar.setSliderPosition(area.top_of(view.mark_view("p7")) + 3)
    assert [event for event in told if event.name == "read.place"] == [Event("read.place", "p7")]
    qtbot.keyClick(area, Qt.Key.Key_End)
    assert bar.value() == bar.maximum()


def test_a_column_is_no_wider_than_it_may_be_and_stands_in_the_middle(qtbot: QtBot) -> None:
    view, area, _ = scrolled(qtbot, long_scene(wide=400))
    mark = view.mark_view("p0")
    assert mark is not None
    qtbot.waitUntil(lambda: mark.width() == 400)
    left = mark.mapTo(area.viewport(), QPoint(0, 0)).x()
    right = area.viewport().width() - left - mark.width()
    assert abs(left - right) <= 6
    view.resize(360, 500)
    qtbot.waitUntil(lambda: mark.width() < 360)


def test_the_wheel_over_a_slider_scrolls_on_unless_it_has_the_keyboard(qtbot: QtBot) -> None:
    form = Form("form", ((Number("n", "n", "n", 5, 1, 9),),))
    texts = tuple(Passage(f"p{k}", (Span(WORDS * 3),)) for k in range(20))
    view, area, _ = scrolled(qtbot, Scene(Column("c", (form, *texts), scroll=True), "t", "t"))
    slider = view.findChild(QSlider)
    assert slider is not None
    qtbot.waitUntil(lambda: bool(slider.property("wheel")))

    def turn() -> None:
        point = QPointF(slider.rect().center())
        place, none = QPointF(slider.mapToGlobal(point.toPoint())), Qt.MouseButton.NoButton
        event = QWheelEvent(point, place, QPoint(), QPoint(0, -120), none,
                            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
        QApplication.sendEvent(slider, event)

    slider.clearFocus()  # the first field gets it when a window opens
    before = area.verticalScrollBar().value()
    turn()
    assert area.verticalScrollBar().value() > before
    assert slider.value() == 5
    view.activateWindow()
    slider.setFocus()
    qtbot.waitUntil(slider.hasFocus)
    turn()
    assert slider.value() != 5


def test_no_text_is_cut_or_overlaps_the_next(qtbot: QtBot) -> None:
    card = Card("card", "Title", Column("inner", (Passage("a", LINKED), Passage("b", (Span(WORDS * 5),)))))
    column = Column("c", (card, Passage("z", (Span("last"),))), scroll=True)
    view, _, _ = scrolled(qtbot, Scene(column, "t", "t"))
    for width in (900, 400):
        view.resize(width, 500)
        for key in ("a", "b", "z"):
            mark = view.mark_view(key)
            assert isinstance(mark, PassageView)
            qtbot.waitUntil(lambda mark=mark: mark.height() == mark.height_at(mark.width()))

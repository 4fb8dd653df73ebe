"""Scenes on screen: only what changed is touched, focus and typed text stay, every drawing has its table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from app.messages import LANGUAGES, Translator
from app.pane import Event, Selection
from app.panes import inspector
from app.qt import application, nodes
from app.qt import theme as themes
from app.qt.cards import CardNode
from app.qt.marks.base import MarkView, Painted
from app.qt.marks.fields import EditorView
from app.qt.scene_view import SceneView
from app.qt.theme import Theme
from app.scene import Card, Column, Prose, Row, Scene, Span, Table, Tabs
from tests.panes import made


@pytest.fixture(autouse=True)
def dressed(plain_application: None, qapp: QApplication) -> None:
    """As in the window: widgets without a font of their own take the application's."""
    themes.apply(application.make_application(), Theme("dark"))


@pytest.fixture
def view(qtbot: QtBot) -> SceneView:
    made_view = SceneView(Theme("dark"), Translator("en"))
    qtbot.addWidget(made_view)
    made_view.resize(1256, 648)
    made_view.show()
    return made_view


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of the marks shown, in order."""
    keys: list[str] = []
    for kind in set(nodes.VIEWS.values()):
        original = kind.show_mark

        def counted(self: MarkView, mark: Any, original: Any = original) -> None:
            keys.append(mark.key)
            original(self, mark)

        monkeypatch.setattr(kind, "show_mark", counted)
    return keys


def opened() -> Any:
    return inspector.update(inspector.initial(), Event("open.run", made.run()))[0]


def prose(key: str, text: str) -> Prose:
    return Prose(key, ((Span(text),),))


def test_every_mark_is_drawn_once_and_again_only_when_it_changed(view: SceneView, drawn: list[str]) -> None:
    state = opened()
    view.show_scene(inspector.scene(state, Selection()))
    assert len(drawn) == len(set(drawn))
    drawn.clear()
    view.show_scene(inspector.scene(state, Selection()))
    assert drawn == []
    view.show_scene(inspector.scene(state, Selection(hovered=3, hovered_key=2)))
    assert drawn == ["map", "readout"]


def test_the_settled_widgets_stay_when_a_notice_comes_and_goes(view: SceneView) -> None:
    state = opened()
    view.show_scene(inspector.scene(state, Selection()))
    before = view.mark_view("map")
    assert before is not None
    failed = replace(state, phase="failed", what="the engine stopped", where="engine")
    view.show_scene(inspector.scene(failed, Selection()))
    assert view.mark_view("failed.text") is not None
    assert view.mark_view("map") is before
    view.show_scene(inspector.scene(state, Selection()))
    assert view.mark_view("map") is before


def test_focus_and_typed_text_stay_and_are_told_before_a_button(view: SceneView, qtbot: QtBot) -> None:
    state = replace(opened(), phase="ready", text="old")
    told: list[Event] = []
    view.happened.connect(told.append)
    view.show_scene(inspector.scene(state, Selection()))
    editor = view.findChild(EditorView)
    assert isinstance(editor, EditorView)
    view.activateWindow()
    editor.edit.setFocus()
    qtbot.waitUntil(editor.edit.hasFocus)
    editor.edit.setPlainText("new")
    view.show_scene(inspector.scene(state, Selection(hovered=1, hovered_key=1)))
    assert editor.edit.hasFocus()
    assert editor.edit.toPlainText() == "new"
    run = next(one for one in view.findChildren(QAbstractButton) if one.accessibleName() == "Run")
    run.click()
    assert told == [Event("input.text", "new"), Event("run.start", None)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_theme_and_language_change_at_once(view: SceneView, language: str) -> None:
    view.show_scene(inspector.scene(opened(), Selection()))
    before = view.grab().toImage()
    view.restyle(Theme("light", 1.25), Translator(language))
    assert view.grab().toImage() != before
    titles = {card.title.text() for card in view.findChildren(CardNode)}
    assert Translator(language).text(inspector.scene(opened(), Selection()).title) == view.accessibleName()
    assert ("Settling" in titles) is (language == "en")


def test_every_drawing_turns_over_to_a_table_of_its_numbers(view: SceneView) -> None:
    view.show_scene(inspector.scene(opened(), Selection()))
    cards = [card for card in view.findChildren(CardNode) if card.turn.isVisibleTo(view)]
    assert {card.key for card in cards} == {
        "film.card", "map.card", "sharpening.card", "settling.card", "hops.card"
    }  # fmt: skip
    for card in cards:
        card.turn.click()
        assert card.table is not None
        assert card.stack.currentWidget() is card.table
        model = card.table.model()
        assert model.rowCount() > 0
        assert model.data(model.index(0, 0))
        assert card.turn.accessibleName()
    table = next(card for card in cards if card.key == "map.card").table
    assert table is not None
    values = table.model()
    assert values.headerData(12, Qt.Orientation.Horizontal) == "1 Where is the milk?"
    row = [float(values.data(values.index(11, k))) for k in range(1, 13)]
    assert sum(row) == pytest.approx(1.0, abs=1e-3)


def test_a_turned_table_follows_the_steps(view: SceneView) -> None:
    state = opened()
    view.show_scene(inspector.scene(state, Selection()))
    card = next(one for one in view.findChildren(CardNode) if one.key == "map.card")
    card.turn.click()
    assert card.table is not None
    last = card.table.model().data(card.table.model().index(0, 1))
    first, _ = inspector.update(state, Event("transport.first"))
    view.show_scene(inspector.scene(first, Selection()))
    assert card.table.model().data(card.table.model().index(0, 1)) != last


def test_a_turned_table_keeps_its_place_and_selection_and_is_copied(view: SceneView, qtbot: QtBot) -> None:
    state = opened()
    view.show_scene(inspector.scene(state, Selection()))
    card = next(one for one in view.findChildren(CardNode) if one.key == "map.card")
    card.turn.click()
    table = card.table
    assert table is not None
    model = table.model()
    table.setCurrentIndex(model.index(5, 2))
    table.scrollToBottom()
    place = table.verticalScrollBar().value()
    state, _ = inspector.update(state, Event("transport.back"))
    view.show_scene(inspector.scene(state, Selection()))
    assert table.model() is model  # not one more for every step
    assert (table.currentIndex().row(), table.currentIndex().column()) == (5, 2)
    assert table.verticalScrollBar().value() == place
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().split("\n")
    assert len(lines) == 1 + model.rowCount()
    assert lines[6].split("\t")[2] == model.index(5, 2).data()
    table.clearSelection()
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "\t".join(
        str(model.index(1, k).data()) for k in range(model.columnCount())
    )


def test_everything_that_can_be_used_is_named_and_reached_by_tab(view: SceneView) -> None:
    view.show_scene(inspector.scene(opened(), Selection()))
    assert view.accessibleDescription().startswith("Step 8 of 8.")
    usable = [one for one in view.findChildren(QWidget) if one.isVisibleTo(view) and one.isEnabledTo(view)]
    buttons = [one for one in usable if isinstance(one, QAbstractButton)]
    assert len(buttons) > 10
    assert all(one.accessibleName() and one.focusPolicy() & Qt.FocusPolicy.TabFocus for one in buttons)
    drawings = [one for one in usable if isinstance(one, Painted)]
    assert len(drawings) == 5
    assert all(one.accessibleDescription() for one in drawings)


@pytest.mark.parametrize("size", [(1256, 568), (1256, 648), (1416, 748)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_wider_than_its_place(view: SceneView, size: tuple[int, int], language: str) -> None:
    view.restyle(Theme("light"), Translator(language))
    view.resize(*size)
    view.show_scene(inspector.scene(opened(), Selection()))
    view.grab()
    assert view.minimumSizeHint().width() <= size[0]
    for card in view.findChildren(CardNode):
        corner = card.mapTo(view, card.rect().bottomRight())
        assert corner.x() <= view.width(), card.key
        parent = card.parentWidget()
        assert parent is not None
        assert card.geometry().right() <= parent.width(), card.key


def test_the_film_has_its_height_when_its_frames_grow(view: SceneView, qtbot: QtBot) -> None:
    """Eight planned steps become the three that were needed: frames grow, and so does their card."""
    state = opened()
    view.show_scene(inspector.scene(state, Selection()))
    film = view.mark_view("film")
    assert film is not None
    small = film.height()
    few = replace(
        state, records=state.records[:3], line=replace(state.line, computed=3, planned=3, current=3)
    )
    view.show_scene(inspector.scene(few, Selection()))
    place = film.parentWidget()
    assert place is not None
    qtbot.waitUntil(lambda: place.height() >= film.height() > small)
    assert film.height() == film.sizeHint().height() > film.minimumSizeHint().height()


def test_a_scene_with_a_notice_still_fits_a_window_it_is_not_too_large_for(qtbot: QtBot) -> None:
    area, inside = QScrollArea(), SceneView(Theme("dark"), Translator("en"))
    area.setWidgetResizable(True)
    area.setWidget(inside)
    qtbot.addWidget(area)
    area.resize(1260, 660)
    area.show()
    failed = replace(opened(), phase="failed", what="the engine stopped", where="engine")
    inside.show_scene(inspector.scene(failed, Selection()))
    area.grab()
    qtbot.waitUntil(lambda: inside.mark_view("map").height() > 0)  # type: ignore[union-attr]
    assert inside.height() <= area.viewport().height()


def test_tabs_show_their_pages_and_tell_the_choice(view: SceneView, qtbot: QtBot) -> None:
    told: list[Event] = []
    view.happened.connect(told.append)
    pages = (prose("one", "1"), Card("card", "T", prose("two", "2")))
    view.show_scene(Scene(Tabs("tabs", pages, ("One", "Two"), 0, "tab"), "t", "a"))
    tabs = view.root.tabs  # type: ignore[union-attr]
    assert [tabs.tabText(k) for k in range(2)] == ["One", "Two"]
    tabs.setCurrentIndex(1)
    assert told == [Event("tab", 1)]


def test_children_that_go_are_gone(view: SceneView, qtbot: QtBot) -> None:
    both = Column("col", (prose("a", "1"), Table("b", (("name", "value"),))))
    view.show_scene(Scene(Row("row", (both,)), "t", "a"))
    view.show_scene(Scene(Row("row", (Column("col", both.children[1:]),)), "t", "a"))
    qtbot.waitUntil(lambda: view.mark_view("a") is None)
    assert view.mark_view("b") is not None


def test_what_takes_too_long_for_one_turn_follows_in_the_next(qtbot: QtBot) -> None:
    view = SceneView(Theme("light"), Translator("en"))
    qtbot.addWidget(view)

    def scene(text: str) -> Scene:
        cards = [Card(f"card {k}", text, Prose(f"text {k}", ((Span(text),),))) for k in range(3)]
        return Scene(Column("all", tuple(cards)), "title", text)

    def titles() -> list[str]:
        return [card.title.text() for card in view.findChildren(CardNode)]

    view.show_scene(scene("old"))
    view.show_scene(scene("new"), seconds=0.0)
    assert titles() == ["old"] * 3
    qtbot.waitUntil(lambda: titles() == ["new"] * 3)
    view.show_scene(scene("newer"), seconds=0.0)
    view.show_scene(scene("newest"), seconds=0.0)
    assert titles() == ["newest", "new", "new"]  # the one that waits longest never waits for nothing
    view.show_scene(scene("last"), seconds=0.0)
    assert titles() == ["newest", "last", "new"]
    qtbot.waitUntil(lambda: titles() == ["last"] * 3)


def test_what_fits_into_a_turn_is_shown_at_once(qtbot: QtBot) -> None:
    view = SceneView(Theme("light"), Translator("en"))
    qtbot.addWidget(view)

    def scene(text: str) -> Scene:
        return Scene(Column("all", (Card("card", text, prose("text", text)),)), "title", text)

    def title() -> str:
        return view.findChildren(CardNode)[0].title.text()

    view.show_scene(scene("old"))
    view.show_scene(scene("new"), seconds=60.0)
    assert title() == "new"
    view.show_scene(scene("newer"), seconds=60.0)
    view.show_scene(scene("newer"), seconds=0.0)  # nothing is owed
    assert title() == "newer"


@pytest.mark.parametrize("style", ["notice", "error"])
@pytest.mark.parametrize("width", [180, 260, 420])
def test_a_box_of_text_is_as_high_as_its_lines(view: SceneView, qtbot: QtBot, style: str, width: int) -> None:
    short, long = "Its files changed on disk.", "The file was written by a version older than this one. " * 3
    boxes = tuple(Prose(f"box.{n}", ((Span(text),),), style) for n, text in enumerate((short, long)))
    rest = Table("facts", (("file", "babi"),))
    left = Column(
        "left", (Card("card", "Checkpoint", Column("inside", (rest, *boxes))), prose("end", "")), (0, 1)
    )
    view.resize(width, 600)
    view.show_scene(Scene(left, "t", "a"))
    labels = [view.mark_view(box.key).label for box in boxes]  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: all(one.height() == one.heightForWidth(one.width()) for one in labels))

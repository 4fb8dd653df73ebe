"""What is painted again, and what is laid out again: as little as changed, never less."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.pane import Event, Selection
from app.panes import act, inspector
from app.qt import application
from app.qt import theme as themes
from app.qt.boxes import BoxNode
from app.qt.cards import CardNode
from app.qt.marks.base import Painted, Pieces, changed
from app.qt.marks.form import FormView
from app.qt.marks.text import ProseView
from app.qt.scene_view import SceneView
from app.qt.theme import Theme
from app.scene import Button, Card, Column, Form, Node, Prose, Row, Scene, Span, Table
from tests.panes import made

SIZE = (1256, 660)


@pytest.fixture(autouse=True)
def dressed(plain_application: None, qapp: QApplication) -> None:
    themes.apply(application.make_application(), Theme("light"))


@pytest.fixture
def view(qtbot: QtBot) -> SceneView:
    """Without a frame a window of its own, so that what is on the screen can be asked for."""
    made_view = SceneView(Theme("light"), Translator("en"))
    qtbot.addWidget(made_view)
    made_view.resize(*SIZE)
    with qtbot.waitExposed(made_view):
        made_view.show()
    return made_view


def settle() -> None:
    for _ in range(4):  # a layout may ask for another one
        QApplication.processEvents()


def on_screen(view: QWidget) -> QImage:
    """What its window holds, painted piece by piece."""
    settle()
    return view.screen().grabWindow(view.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)


def painted_anew(view: QWidget) -> QImage:
    view.update()
    for child in view.findChildren(QWidget):
        child.update()
    return on_screen(view)


def act_states(positions: int) -> Any:
    """A run over a table, forwards line by line, then back."""
    rng = np.random.default_rng(positions)
    rows = (f"w{k}," + ",".join(f"{p:.2f}" for p in rng.random(6) * 0.6) for k in range(positions))
    state, _ = act.update(act.initial(), Event("table.text", "\n".join(rows)))
    for name in ["transport.forward"] * 14 + ["transport.back"] * 5 + ["transport.group_forward"] * 2:
        state, _ = act.update(state, Event(name))
        yield act.scene(state, Selection())


def inspector_states() -> Any:
    """A recorded run step by step, a cell looked at, a row pinned."""
    state, _ = inspector.update(inspector.initial(), Event("open.run", made.run()))
    for name in ("transport.first", *["transport.forward"] * 3):
        state, _ = inspector.update(state, Event(name))
        yield inspector.scene(state, Selection())
    for chosen in (
        Selection(hovered=1, hovered_key=1), Selection(hovered=2, hovered_key=0), Selection(pinned=1),
        Selection(),
    ):  # fmt: skip
        yield inspector.scene(state, chosen)


STATES = {"act, 6": lambda: act_states(6), "act, 64": lambda: act_states(64), "inspector": inspector_states}


@pytest.mark.parametrize("case", STATES)
def test_pieces_painted_alone_look_as_if_all_were_painted(view: SceneView, case: str) -> None:
    for k, scene in enumerate(STATES[case]()):
        view.show_scene(scene)
        before, after = on_screen(view), painted_anew(view)
        for mark in view.findChildren(Painted):  # of scroll bars Qt paints more than it must
            place = QRect(mark.mapTo(view, QPoint()), mark.size())
            if mark.isVisible():
                assert before.copy(place) == after.copy(place), f"scene {k}: {mark.mark.key} keeps old pixels"


def test_a_line_paints_its_own_rows_only(view: SceneView) -> None:
    scenes = act_states(64)
    for _ in range(3):
        view.show_scene(next(scenes))
    QApplication.processEvents()
    areas = {key: Area(view.mark_view(key)) for key in ("code", "lanes")}
    view.show_scene(next(scenes))
    QApplication.processEvents()
    for key, area in areas.items():
        assert 0.0 < area.share < 0.5, key


class Area(QObject):
    """How much of a widget is painted from now on."""

    def __init__(self, widget: Any) -> None:
        super().__init__(widget)
        self.share = 0.0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            size = sum(rect.width() * rect.height() for rect in event.region())  # type: ignore[attr-defined]
            self.share += size / (watched.width() * watched.height())
        return False


class Layouts(QObject):
    """Boxes of the tree that were laid out anew."""

    def __init__(self, view: SceneView) -> None:
        super().__init__(view)
        self.keys: list[str] = []
        for box in view.findChildren(BoxNode):
            box.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and isinstance(watched, BoxNode):
            self.keys.append(watched.key)
        return False


def sentence(text: str, *more: Node) -> Scene:
    body = Column("inside", (Prose("said", ((Span(text),),)), *more))
    return Scene(Row("all", (Card("card", "Card", body),), least=(200,)), "title", text)


def test_another_text_of_the_same_size_lays_nothing_out(view: SceneView) -> None:
    for text in ("t = 0", "t = 1"):
        view.show_scene(sentence(text))
        settle()
    layouts = Layouts(view)
    view.show_scene(sentence("t = 2"))
    settle()
    label = view.findChild(QWidget, "card").findChildren(QLabel)[-1]  # type: ignore[union-attr]
    assert "t = 2" in label.text()
    assert layouts.keys == []
    view.show_scene(sentence("A sentence of more lines than one. " * 12))
    settle()
    assert "inside" in layouts.keys


def test_a_sentence_that_returns_is_the_same_widget_with_new_words(view: SceneView) -> None:
    more = Prose("more", ((Span("first"),),))
    view.show_scene(sentence("one", more))
    before = view.mark_view("more")
    view.show_scene(sentence("one"))
    assert view.mark_view("more") is None
    assert before is not None
    assert not before.isVisible()
    view.show_scene(sentence("one", Prose("more", ((Span("second"),),))))
    again = view.mark_view("more")
    assert again is before
    assert again.isVisible()
    assert "second" in again.label.text()  # type: ignore[attr-defined]


def test_pieces_differ_by_what_they_depend_on() -> None:
    def pieces(whole: object, *places: object) -> Pieces:
        return Pieces((whole,), tuple((QRectF(0, 10 * k, 50, 10), (one,)) for k, one in enumerate(places)))

    assert changed(None, pieces("a", 1)) is None
    assert changed(pieces("a", 1), pieces("b", 1)) is None
    assert changed(pieces("a", 1), pieces("a", 1, 2)) is None
    assert changed(pieces("a", 1, 2), pieces("a", 1, 2)) == []
    found = changed(pieces("a", 1, 2), pieces("a", 1, 3))
    assert found
    assert all(rect.top() <= 10 and rect.bottom() >= 19 and rect.top() > 0 for rect in found)


def shown_keys(view: SceneView) -> list[str]:
    return [mark.mark.key for mark in view.findChildren(ProseView) if mark.mark is not None]


def test_a_long_card_comes_in_parts_and_comes_whole(
    view: SceneView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = ProseView.show_mark

    def slow(self: ProseView, mark: Any) -> None:
        until = time.perf_counter() + 0.01
        while time.perf_counter() < until:  # as on a slow machine
            pass
        original(self, mark)

    monkeypatch.setattr(ProseView, "show_mark", slow)
    view.show_scene(sentence("one"))
    more = [Prose(f"more.{k}", ((Span(str(k)),),)) for k in range(5)]
    view.show_scene(sentence("two", *more), seconds=0.01)
    view.show_rest()
    first = len(shown_keys(view))
    assert first < 6
    qtbot.waitUntil(lambda: len(shown_keys(view)) == 6)
    assert [part.key for part in view.findChildren(CardNode)[0].body.parts] == [  # type: ignore[union-attr]
        "said", *(one.key for one in more)
    ]  # fmt: skip


def test_new_cards_are_filled_one_after_the_other(view: SceneView, qtbot: QtBot) -> None:
    view.show_scene(sentence("one"))

    def scene(words: str) -> Scene:
        cards = [Card(f"card {k}", f"Card {k}", Prose(f"text {k}", ((Span(words),),))) for k in range(3)]
        return Scene(Column("others", tuple(cards)), "title", words)

    view.show_scene(scene("two"), seconds=0.0)
    cards = [card for card in view.findChildren(CardNode) if card.key != "card"]
    assert len(cards) == 3
    assert any(card.body is None for card in cards)  # each in its place, most of them still empty
    view.show_scene(scene("three"), seconds=0.0)
    qtbot.waitUntil(lambda: shown_keys(view)[-3:] == ["text 0", "text 1", "text 2"])
    qtbot.waitUntil(lambda: all("three" in view.mark_view(f"text {k}").label.text() for k in range(3)))  # type: ignore[union-attr]
    assert [card for card in view.findChildren(CardNode) if card.key != "card"] == cards


def test_a_table_gets_its_first_rows_in_parts_and_all_of_them(
    view: SceneView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.qt.scene_view.LEAST_SECONDS", 0.0)
    rows = tuple((f"name {k}", f"value {k}") for k in range(6))
    view.show_scene(sentence("one"))
    view.show_scene(sentence("one", Table("facts", rows)), seconds=1e-6)
    while (table := view.mark_view("facts")) is None:
        view.show_rest()
    assert table.unfinished
    assert len(table.findChildren(QLabel)) == 2
    qtbot.waitUntil(lambda: not table.unfinished)
    assert [label.text() for label in table.findChildren(QLabel)] == [text for row in rows for text in row]
    view.show_scene(sentence("one", Table("facts", tuple((f"other {k}", "x") for k in range(6)))))
    assert not table.unfinished


def test_a_turn_counts_what_was_really_used_until_it_is_painted(view: SceneView, qtbot: QtBot) -> None:
    view.show_scene(sentence("one"))
    settle()
    assert not view.unseen
    view.show_scene(sentence("two"), seconds=60.0)
    assert view.unseen
    told = []
    view.painted.connect(lambda: told.append(view.unseen))
    qtbot.waitUntil(lambda: bool(told))
    assert told == [False]


def test_a_scene_waits_for_a_turn_that_others_leave_it(view: SceneView, qtbot: QtBot) -> None:
    view.show_scene(sentence("one"))
    view.show_scene(sentence("two"), seconds=60.0, taken=50.0)
    label = view.mark_view("said").label  # type: ignore[union-attr]
    assert "one" in label.text()
    qtbot.waitUntil(lambda: "two" in label.text())


def test_a_row_that_goes_leaves_the_others_where_they_are(view: SceneView) -> None:
    rows = tuple((Button(f"b{k}", f"Button {k}", "press"),) for k in range(3))
    view.show_scene(sentence("one", Form("form", rows)))
    form = view.mark_view("form")
    assert isinstance(form, FormView)
    lines, views = list(form.fields.lines), dict(form.fields.views)
    view.show_scene(sentence("one", Form("form", (rows[0], rows[2]))))
    assert form.fields.lines == [lines[0], lines[2]]
    view.show_scene(sentence("one", Form("form", (rows[2], (*rows[0], *rows[1])))))
    assert form.fields.lines[0] is lines[2]
    kept = {place: one for place, one in form.fields.views.items() if place[0] != "b1"}
    assert all(views[place] is one for place, one in kept.items())
    places = [form.fields.column.itemAt(k).widget() for k in range(2)]  # type: ignore[union-attr]
    assert places == form.fields.lines

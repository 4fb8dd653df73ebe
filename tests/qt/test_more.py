"""A pane that shows the nearest first: more is asked for once it has been painted, and only then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.pane import Event
from app.qt.scene_view import SceneView
from app.qt.theme import Theme
from app.scene import Column, Passage, Scene, Span

MORE = Event("more")


def scene(count: int, more: str = "more") -> Scene:
    parts = tuple(Passage(f"p{k}", (Span(f"Paragraph {k}"),)) for k in range(count))
    return Scene(Column("text", parts, scroll=True, place="place"), "T", "alt", more)


@pytest.fixture
def view(qtbot: QtBot) -> SceneView:
    made = SceneView(Theme("light"), Translator("en"))
    qtbot.addWidget(made)
    made.resize(400, 300)
    return made


def told_by(view: SceneView) -> list[Any]:
    found: list[Any] = []
    view.happened.connect(lambda event: found.append(event) if event.name == "more" else None)
    return found


def turns() -> None:
    for _ in range(10):
        QApplication.processEvents()


def test_more_is_asked_for_once_for_each_scene_after_it_was_painted(view: SceneView) -> None:
    told = told_by(view)
    first = scene(2)
    view.show_scene(first)
    turns()
    assert told == []  # nobody has seen it yet
    view.show()
    turns()
    assert told == [MORE]
    view.update()
    turns()
    assert told == [MORE]
    view.show_scene(scene(3))
    turns()
    assert told == [MORE, MORE]
    view.show_scene(scene(4, ""))
    turns()
    assert told == [MORE, MORE]


def test_a_scene_that_is_complete_by_then_asks_for_nothing(view: SceneView) -> None:
    told: list[Any] = []
    view.happened.connect(told.append)
    view.show_scene(scene(2))
    view.show()
    QApplication.processEvents()
    told.clear()
    view.show_scene(scene(3))
    view.show_scene(scene(3, ""))  # before the turn in which more would have been asked for
    view._after.timeout.emit()
    assert told == []


def test_a_view_that_is_hidden_asks_for_nothing_until_it_is_seen_again(view: SceneView, qtbot: QtBot) -> None:
    view.show_scene(scene(2, ""))
    view.show()
    turns()
    told = told_by(view)
    view.hide()
    view.show_scene(scene(3))
    turns()
    assert told == []
    view.show()
    qtbot.waitUntil(lambda: told == [MORE])


def test_a_scene_with_nothing_to_paint_asks_as_well(view: SceneView, qtbot: QtBot) -> None:
    """What came may be below all that is seen."""
    told = told_by(view)
    shown = scene(2)
    view.show_scene(shown)
    view.show()
    turns()
    assert told == [MORE]
    view.show_scene(replace(shown, alt="other"))
    qtbot.waitUntil(lambda: told == [MORE, MORE])

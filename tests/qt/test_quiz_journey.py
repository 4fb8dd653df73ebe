"""The quiz in the real window: answered and gone on by keyboard with its figures; how much room all takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QScrollArea, QWidget

from app.panes._quiz_questions import QUESTIONS
from app.panes._quiz_state import State
from app.qt.marks.option import OptionButton
from app.qt.nodes import NodeView
from app.qt.window import Shell
from app.settings import Settings
from tests.qt import whole
from tests.qt.whole import mark_view, press, settle, tab_to, tab_until

KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    answered = Settings(workspace="quiz", quiz=("base=63.1 M", "halted=copied"))
    with whole.window(qtbot, "quiz", settings=answered) as shell:
        yield shell


def state(window: Shell) -> State:
    return window.store.state.pane_state  # type: ignore[no-any-return]


def test_starting_over_is_taken_back_by_the_same_key(window: Shell) -> None:
    whole.settle(window)
    tab_to(window, "Start over")
    press(window, KEY.Key_Space)
    assert (dict(state(window).answers), window.store.state.settings.quiz) == ({}, ())
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.accessibleName() == "Undo"  # the same button, which has the focus still
    press(window, KEY.Key_Space)
    assert dict(state(window).answers) == {"base": "63.1 M", "halted": "copied"}
    assert window.store.state.settings.quiz == ("base=63.1 M", "halted=copied")
    assert focus.accessibleName() == "Start over"


def node(window: Shell, key: str) -> NodeView:
    found = window.views["quiz"].findChildren(NodeView)
    return next(one for one in found if one.key == key and one.isVisible())


def test_a_question_is_answered_its_figure_stepped_and_the_next_one_asked_by_keyboard(window: Shell) -> None:
    window.store.dispatch("open.view", "quiz?question=slide")
    settle(window)
    tab_to(window, "it slides, its shape stays", OptionButton)
    press(window, KEY.Key_Space)
    assert state(window).answer == "slides"
    curve = mark_view(window, "slide/lengths")
    assert curve.isVisible()
    before = curve.mark
    tab_to(window, "One step forward", QAbstractButton)
    press(window, KEY.Key_Space)
    assert state(window).insets.states["slide"].line.current == 7
    assert curve.mark is not before
    tab_until(window, lambda focus: isinstance(focus, QPushButton) and "Next question" in focus.text())
    press(window, KEY.Key_Space)
    assert state(window).question.id == QUESTIONS[state(window).at].id == "steps"
    assert state(window).figure is None


def test_the_figure_is_reached_by_tab_before_what_leads_on(window: Shell) -> None:
    window.store.dispatch("open.view", "quiz?question=slide&answer=slides")
    settle(window)
    tab_until(window, lambda focus: isinstance(focus, QPushButton) and "See it" in focus.text())
    met: list[str] = []

    def last(focus: QWidget) -> bool:
        met.append(focus.accessibleName())
        return "Next question" in met[-1]

    tab_until(window, last)
    assert met.index("One step forward") < met.index("Back") < met.index("Next question")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_list_and_every_answered_question_fit_into_the_smallest_full_window(
    qtbot: Any, qapp: QApplication, language: str
) -> None:
    """Wrong answers are explained at most length; nothing is scrolled, neither the page nor the figure."""
    with whole.window(qtbot, "quiz", (1280, 800), Settings(workspace="quiz", language=language)) as window:
        settle(window)
        rows = [node(window, f"list.{one.chapter}") for one in QUESTIONS]
        assert scrolled(rows[0]) == []
        for one in QUESTIONS:
            answer = next(iter(one.wrong), one.right) if one.wrong else one.right or "1"
            window.store.dispatch("open.view", f"quiz?question={one.id}&answer={answer}")
            settle(window)
            assert state(window).figure is not None
            assert scrolled(node(window, "figure.card")) == [], one.id
            assert node(window, f"{one.id}/{one.figure.part}").height() > 20, one.id


def scrolled(view: QWidget) -> list[int]:
    """How far what it is in, and what is in it, can be scrolled."""
    areas, around = list(view.findChildren(QScrollArea)), view.parentWidget()
    while around is not None:
        areas += [around] if isinstance(around, QScrollArea) else []
        around = around.parentWidget()
    return [area.verticalScrollBar().maximum() for area in areas if area.verticalScrollBar().maximum()]


def test_an_option_wraps_where_it_has_no_room(qtbot: Any, qapp: QApplication) -> None:
    with whole.window(qtbot, "quiz", (800, 640), Settings(workspace="quiz", scale=2.0)) as window:
        window.store.dispatch("open.view", "quiz?question=halted")
        settle(window)
        options = [one for one in window.views["quiz"].findChildren(OptionButton) if one.isVisible()]
        assert [one.letter for one in options] == ["A", "B", "C", "D"]
        heights = [one.height() for one in options]
        assert heights == [one.heightForWidth(one.width()) for one in options]
        assert options[-1].heightForWidth(300) > max(heights)
        tops = [one.mapTo(window.views["quiz"], one.rect().topLeft()).y() for one in options]
        assert all(top + high <= below for top, high, below in zip(tops, heights, tops[1:], strict=False))

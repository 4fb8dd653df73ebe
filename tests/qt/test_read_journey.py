"""Article, tours and quiz in the real window: found by Ctrl+F, read, led through by keys, answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSlider,
    QWidget,
)

from app.panes import _read_text as text
from app.qt.marks.passage import PassageView
from app.qt.window import Shell
from app.scene import Column, walk
from app.settings import Settings
from tests.qt import whole
from tests.qt.whole import mark_view, press, settle, tab_to, tab_until

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    with whole.window(qtbot, "read", (1280, 800)) as shell:
        settle(shell)
        yield shell


def key(window: Shell, sign: KEY, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """A key that nobody waits for."""
    target = QApplication.focusWidget() or window.frame
    QApplication.sendEvent(target, QKeyEvent(QEvent.Type.KeyPress, sign, modifiers))


def write(window: Shell, words: str) -> None:
    for sign in words:
        press(window, 0, text=sign)


def top_of(window: Shell, key: str) -> int:
    view = mark_view(window, key)
    assert isinstance(view, QWidget)
    return view.mapTo(window.stack, QPoint(0, 0)).y()


def tab_to_link(window: Shell, key: str, value: str) -> None:
    view = mark_view(window, key)
    tab_until(window, lambda focus: focus is view and view.mark.spans[view.link].value == value)


def article(window: Shell) -> Column:
    return next(
        one for one in walk(window.store.scene().root) if isinstance(one, Column) and one.key == "article"
    )


def section(window: Shell) -> str:
    """The one marked in the contents."""
    shown = mark_view(window, "contents.list").mark
    return str(shown.spans[shown.here[0]].value)


def test_words_are_found_by_keys_alone(window: Shell, qtbot: Any) -> None:
    press(window, KEY.Key_F, CTRL, "f")
    assert isinstance(QApplication.focusWidget(), QLineEdit)
    write(window, "remainder")
    press(window, KEY.Key_Return)
    found = text.hits("remainder", "en")
    first = text.places()[found[0].place].key
    qtbot.waitUntil(lambda: 0 <= top_of(window, first) < 200)
    assert mark_view(window, first).mark.here
    assert mark_view(window, "found").document.toPlainText() == f"Match 1 of {len(found)}"
    assert isinstance(QApplication.focusWidget(), QLineEdit)  # one goes on typing
    press(window, KEY.Key_A, CTRL)
    press(window, KEY.Key_Backspace)
    assert mark_view(window, "found").mark.spans == ()  # nothing is searched any more
    assert not mark_view(window, first).mark.here
    write(window, "remainder")
    press(window, KEY.Key_Return)
    press(window, KEY.Key_F3)
    assert mark_view(window, "found").document.toPlainText() == f"Match 2 of {len(found)}"
    press(window, KEY.Key_F3, SHIFT)
    press(window, KEY.Key_F3, SHIFT)
    assert mark_view(window, "found").document.toPlainText() == f"Match {len(found)} of {len(found)}"
    last = text.places()[found[-1].place].key
    qtbot.waitUntil(lambda: 0 <= top_of(window, last) < 700)


def test_the_contents_lead_there_by_keyboard_and_follow_the_reading(window: Shell, qtbot: Any) -> None:
    tab_to_link(window, "contents.list", "act")
    press(window, KEY.Key_Return)
    qtbot.waitUntil(lambda: 0 <= top_of(window, "act.0") < 60)
    assert section(window) == "act"
    area = mark_view(window, "act.0").parent().parent().parent().parent().parent()
    while not hasattr(area, "verticalScrollBar"):
        area = area.parent()
    area.verticalScrollBar().setSliderPosition(area.top_of(mark_view(window, "after.1")))
    settle(window)
    assert window.store.state.pane_state.section == "after"
    assert section(window) == "after"


def test_what_is_read_stays_in_its_place_while_the_rest_is_written_and_when_the_window_changes(
    qtbot: Any, qapp: QApplication
) -> None:
    with whole.window(qtbot, "read", (1280, 800)) as window:
        window.store.dispatch("open.view", "read?at=act")
        window.store.flush()
        QApplication.processEvents()
        assert window.store.scene().more  # what leads to it is still to come
        area = window.frame.findChild(QScrollArea, "reading")
        assert isinstance(area, QScrollArea)
        bar = area.verticalScrollBar()
        bar.setSliderPosition(bar.value() + 150)
        before = top_of(window, "act.1")
        settle(window)
        assert text.order()[0] in {one.key.partition(".")[0] for one in article(window).children}
        assert abs(top_of(window, "act.1") - before) <= 1
        assert section(window) == "act"
        window.frame.resize(1700, 800)
        settle(window)
        assert abs(top_of(window, "act.1") - before) <= 60  # in other lines, at the same place


def test_who_goes_to_the_end_of_a_text_half_written_is_at_its_end(qtbot: Any, qapp: QApplication) -> None:
    with whole.window(qtbot, "cost", (1280, 800)) as window:
        settle(window)
        window.frame.setFocus()
        key(window, KEY.Key_1, Qt.KeyboardModifier.AltModifier)
        key(window, KEY.Key_End)  # before a frame showed the article
        bar = window.frame.findChild(QScrollArea, "reading").verticalScrollBar()
        assert window.store.scene().more
        QApplication.processEvents()
        key(window, KEY.Key_End)
        settle(window)
        qtbot.waitUntil(lambda: section(window) == "after")
        assert bar.value() == bar.maximum()
        window.frame.resize(1100, 700)
        settle(window)
        assert bar.value() == bar.maximum()
        key(window, KEY.Key_PageUp)
        settle(window)
        assert bar.value() < bar.maximum()
        key(window, KEY.Key_Home)
        qtbot.waitUntil(lambda: (bar.value(), section(window)) == (0, "top"))
        window.store.dispatch("read.go", "act.0")
        settle(window)
        assert section(window) == "act"


@pytest.mark.parametrize("chord", [KEY.Key_PageDown, KEY.Key_Space, KEY.Key_End, KEY.Key_F])
def test_keys_that_come_before_the_first_frame_of_a_pane(qtbot: Any, qapp: QApplication, chord: KEY) -> None:
    """Who types Alt+1 and the next key at once is not waited for by a frame."""
    with whole.window(qtbot, "cost", (1280, 800)) as window:
        settle(window)
        window.frame.setFocus()
        key(window, KEY.Key_1, Qt.KeyboardModifier.AltModifier)
        assert "read" not in window.views
        key(window, chord, CTRL if chord == KEY.Key_F else Qt.KeyboardModifier.NoModifier)
        window.exporting.copy()
        settle(window)
        if chord == KEY.Key_F:
            assert isinstance(QApplication.focusWidget(), QLineEdit)
        else:
            assert window.frame.findChild(QScrollArea, "reading").verticalScrollBar().value() > 0


def test_the_beginning_of_a_text_half_written(qtbot: Any, qapp: QApplication) -> None:
    """Who asks for it is there; who scrolls up to what is written so far stays with that."""
    for action, found in (("SliderToMinimum", "top"), ("SliderSingleStepSub", "length")):
        with whole.window(qtbot, "read", (1280, 800)) as window:
            window.store.dispatch("open.view", "read?at=act")
            window.store.flush()
            QApplication.processEvents()
            assert window.store.scene().more
            bar = window.frame.findChild(QScrollArea, "reading").verticalScrollBar()
            bar.setSliderPosition(1)  # as with a wheel
            bar.triggerAction(QSlider.SliderAction[action])
            assert bar.value() == 0
            settle(window)
            assert section(window) == found
            assert (bar.value() == 0) == (found == "top")
            assert abs(top_of(window, f"{found}.0") - top_of(window, "search")) < 40


def test_a_page_turned_before_the_text_is_laid_out_leaves_one_where_one_wanted_to_go(
    qtbot: Any, qapp: QApplication
) -> None:
    with whole.window(qtbot, "read", (1280, 800)) as window:
        window.store.dispatch("open.view", "read?at=act")
        window.store.flush()
        bar = window.frame.findChild(QScrollArea, "reading").verticalScrollBar()
        before = bar.value()
        bar.triggerAction(QSlider.SliderAction.SliderPageStepAdd)
        assert bar.value() == before  # there is not a page yet
        settle(window)
        assert section(window) == "act"
        assert abs(top_of(window, "act.0") - top_of(window, "search")) < 40


def test_who_leaves_the_article_and_is_back_at_once_finds_it_written(qtbot: Any, qapp: QApplication) -> None:
    """More of it was asked for while another pane was open already, which heard it."""
    with whole.window(qtbot, "read", (1280, 800)) as window:
        window.store.flush()
        QApplication.processEvents()
        for _ in range(3):
            view = window.views["read"]
            assert window.store.scene().more
            window.store.dispatch("shell.pane", "cost")
            view.asked = None
            view._ask_more()
            window.store.dispatch("shell.pane", "read")
            window.store.flush()
        qtbot.waitUntil(lambda: not window.store.scene().more, timeout=20_000)


def test_the_section_marked_is_the_one_at_the_top_though_more_of_the_text_comes(
    qtbot: Any, qapp: QApplication
) -> None:
    """In a large window the last section written so far is on screen, but not what is read."""
    with whole.window(qtbot, "read", (1700, 1000)) as window:
        window.store.flush()
        bar = window.frame.findChild(QScrollArea, "reading").verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() > 0)
        assert window.store.scene().more
        bar.setSliderPosition(bar.maximum())  # as with a wheel
        qtbot.waitUntil(lambda: not window.store.scene().more, timeout=20_000)
        qtbot.waitUntil(lambda: bar.value() < bar.maximum())
        settle(window)
        tops = [one for one in (f"{name}.0" for name in text.order()) if top_of(window, one) <= 60]
        qtbot.waitUntil(lambda: section(window) == tops[-1].partition(".")[0])


@pytest.mark.parametrize(("event", "value"), [("shell.classroom", None), ("shell.scale", 1)])
def test_what_is_read_stays_where_the_window_folds_and_unfolds(
    window: Shell, event: str, value: int | None
) -> None:
    window.frame.setFocus()
    for _ in range(7):
        press(window, KEY.Key_PageDown)
    at = window.store.state.pane_state.at
    for narrow in (True, False):
        for _ in range(2 if value else 1):
            window.store.dispatch(event, value if narrow else value and -value)
            settle(window)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # only what is shown is looked at
        assert window.store.state.pane_state.narrow is narrow
        assert window.store.state.pane_state.at.partition(".")[0] == at.partition(".")[0]
        part = mark_view(window, at)
        assert part.mapTo(window.stack, QPoint(0, part.height())).y() > 0
        assert top_of(window, at) < 800


def test_the_section_found_is_the_one_marked_in_every_language(qtbot: Any, qapp: QApplication) -> None:
    """Of words that stand in other sections in Korean than in English."""
    for language in ("en", "ko"):
        with whole.window(
            qtbot, "read", (1280, 800), Settings(workspace="read", language=language)
        ) as window:
            window.store.dispatch("open.view", "read?query=th")
            settle(window)
            press(window, KEY.Key_F3)
            found = dict(text.goal("th", 1).texts)[language]
            settle(window)
            assert section(window) == found.partition(".")[0]


@pytest.mark.parametrize("wide", [1024, 1440, 1920])
@pytest.mark.parametrize("settings", [Settings(classroom=True), Settings(scale=2.0), Settings()])
def test_who_searches_from_another_pane_types_at_once(
    qtbot: Any, qapp: QApplication, settings: Settings, wide: int
) -> None:
    """Whatever is folded or hidden at that size, when the article is opened and when the size has changed."""
    with whole.window(qtbot, "cost", (wide, 800), replace(settings, workspace="cost")) as window:
        settle(window)
        window.frame.setFocus()
        press(window, KEY.Key_F, CTRL)
        write(window, "ACT")
        press(window, KEY.Key_Return)
        assert window.store.state.panes["read"].query == "ACT"
        window.store.dispatch("shell.pane", "cost")
        window.frame.resize(1280, 800)
        settle(window)
        window.frame.setFocus()
        press(window, KEY.Key_F, CTRL)
        write(window, "UT")
        press(window, KEY.Key_Return)
        assert window.store.state.panes["read"].query == "UT"


def test_the_keys_of_pages_work_on_arrival(window: Shell) -> None:
    """The focus of the pane that is left goes to nobody: the search field would swallow them."""
    press(window, KEY.Key_4, Qt.KeyboardModifier.AltModifier)
    tab_to(window, "length n", QSlider)
    press(window, KEY.Key_1, Qt.KeyboardModifier.AltModifier)
    settle(window)
    assert window.store.state.current == "read"
    area = window.areas["read"].findChild(QScrollArea, "reading")
    assert isinstance(area, QScrollArea)
    before = area.verticalScrollBar().value()
    press(window, KEY.Key_Space, text=" ")
    press(window, KEY.Key_PageDown)
    assert area.verticalScrollBar().value() > before
    press(window, KEY.Key_F, CTRL)
    settle(window)
    assert isinstance(QApplication.focusWidget(), QLineEdit)


def test_the_pages_are_turned_by_the_usual_keys(window: Shell) -> None:
    bar = window.frame.findChild(QScrollArea, "reading").verticalScrollBar()
    window.frame.setFocus()
    press(window, KEY.Key_PageDown)
    page = bar.value()
    assert page > 300
    press(window, KEY.Key_Space, text=" ")
    assert bar.value() == 2 * page
    press(window, KEY.Key_PageUp)
    assert bar.value() == page
    press(window, KEY.Key_End)
    assert bar.value() == bar.maximum()
    assert section(window) == "after"
    press(window, KEY.Key_Home)
    assert bar.value() == 0
    assert section(window) == "top"


def test_a_link_opens_another_pane_and_a_figure_can_be_moved(window: Shell, qtbot: Any) -> None:
    window.store.dispatch("open.view", "read?at=length")
    settle(window)
    lattice = mark_view(window, "scan/grid")
    assert lattice is not None
    before = lattice.mark
    on = next(one for one in mark_view(window, "scan/grid").window().findChildren(QAbstractButton)
              if one.isVisible() and one.accessibleName() == "One step forward")  # fmt: skip
    on.click()
    settle(window)
    assert lattice.mark is not before
    assert window.store.state.pane_state.insets.states["scan"].line.current == 4
    view = next(
        one for one in window.views["read"].findChildren(PassageView)
        if one.mark is not None and any(span.value == "pane:scan?tab=learned" for span in one.mark.spans)
    )  # fmt: skip
    view.setFocus(Qt.FocusReason.TabFocusReason)
    while view.mark.spans[view.link].value != "pane:scan?tab=learned":
        press(window, KEY.Key_Tab)
    press(window, KEY.Key_Return)
    assert window.store.state.current == "scan"
    assert window.store.state.pane_state.tab == "learned"


def test_a_tour_is_gone_through_by_keys(window: Shell, qtbot: Any) -> None:
    tab_to_link(window, "tours.list", "apart")
    press(window, KEY.Key_Return)
    bar = window.tourbar
    assert bar is not None
    assert bar.isVisible()
    assert (bar.number.text(), window.store.state.current) == ("Stop 1 of 7", "cost")
    assert not bar.back.isEnabled()
    first = bar.sentence.text()
    press(window, KEY.Key_F8)
    assert bar.number.text() == "Stop 2 of 7"
    assert bar.sentence.text() != first
    qtbot.keyClick(QApplication.focusWidget(), KEY.Key_PageUp)  # as a presenter's remote control sends it
    settle(window)
    assert (bar.number.text(), bar.sentence.text()) == ("Stop 1 of 7", first)
    for _ in range(6):
        bar.on.click()
        settle(window)
    assert bar.number.text() == "Stop 7 of 7"
    assert not bar.on.isEnabled()
    window.store.dispatch("shell.language", "ko")
    settle(window)
    assert bar.number.text() == "7/7"
    press(window, KEY.Key_F8, SHIFT)
    assert not bar.isVisible()
    assert window.store.state.tour is None


@pytest.mark.parametrize("settings", [Settings(workspace="read", classroom=True), Settings(scale=2.0)])
def test_a_tour_is_readable_in_large_type(qtbot: Any, qapp: QApplication, settings: Settings) -> None:
    with whole.window(qtbot, settings.workspace, (1280, 800), settings) as window:
        window.store.dispatch("shell.tour", "life")
        settle(window)
        bar = window.tourbar
        assert bar is not None
        wrapped = bar.sentence.heightForWidth(bar.sentence.width())
        assert bar.sentence.height() >= wrapped - 2
        assert bar.sentence.width() > 300
        assert bar.close_button.geometry().right() <= bar.width()


def given(window: Shell) -> str:
    """What stands for the answer that was given."""
    views = window.views["quiz"].findChildren(PassageView)
    return next(one for one in views if one.isVisible() and one.mark.key == "given").document.toPlainText()


def test_the_quiz_is_answered_by_keyboard(window: Shell) -> None:
    window.store.dispatch("open.view", "quiz?question=shared")
    settle(window)
    wrong = "the weights of its layer, across positions"
    tab_to(window, wrong, QPushButton)
    press(window, KEY.Key_Space)
    assert window.store.state.settings.quiz == ("shared=positions",)
    assert f"✗ {wrong}" in given(window)
    tab_until(window, lambda focus: isinstance(focus, QPushButton) and "See it: Depth grid" in focus.text())
    press(window, KEY.Key_Space)
    assert window.store.state.current == "grid"
    window.store.dispatch("open.view", "quiz?question=base")
    settle(window)
    tab_until(window, lambda focus: isinstance(focus, QLineEdit))
    write(window, "63.1 M")
    press(window, KEY.Key_Return)
    assert "63.1 M is right" in given(window)
    assert window.store.state.settings.quiz == ("shared=positions", "base=63.1 M")

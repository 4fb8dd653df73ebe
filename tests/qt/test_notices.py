"""Notices: what only informs goes by itself unless someone is at it; Escape closes the newest.

The clocks are turned by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QCursor, QEnterEvent
from PySide6.QtWidgets import QApplication, QToolButton

from app.qt.marks.lanes import LanesView
from app.qt.notices import PASSING_MS, Notice
from app.qt.window import Shell
from tests.qt import whole
from tests.qt.whole import press, settle, tab_to, tab_until

KEY = Qt.Key


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    with whole.window(qtbot, "act") as shell:
        QCursor.setPos(shell.frame.mapToGlobal(QPoint(2, 2)))  # not where a notice comes under it
        settle(shell)
        yield shell


def tell(window: Shell, *texts: str, name: str = "shell.said") -> None:
    for text in texts:
        window.store.dispatch(name, text)
    settle(window)


def shown(window: Shell) -> list[str]:
    items = [window.notices.itemAt(k).widget() for k in range(window.notices.count())]
    return [item.label.text() for item in items if isinstance(item, Notice)]


def over(window: Shell, text: str) -> None:
    """The time of a notice is over."""
    window.notices.clocks[text].timeout.emit()
    settle(window)


def point(window: Shell, text: str, there: bool) -> None:
    place = QPointF(5, 5)
    event = QEnterEvent(place, place, place) if there else QEvent(QEvent.Type.Leave)
    QApplication.sendEvent(window.notices.notices[text], event)


def test_what_only_informs_goes_by_itself_and_the_rest_stays(window: Shell) -> None:
    tell(window, "saved", "copied")
    tell(window, "wrong", name="shell.notice")
    clock = window.notices.clocks["saved"]
    assert (clock.isActive(), clock.interval()) == (True, PASSING_MS)
    assert set(window.notices.clocks) == {"saved", "copied"}
    over(window, "saved")
    assert shown(window) == ["copied", "wrong"]
    assert window.store.state.notices == ("copied", "wrong")


def test_not_while_the_pointer_is_on_it(window: Shell) -> None:
    tell(window, "saved")
    point(window, "saved", True)
    over(window, "saved")
    assert shown(window) == ["saved"]
    window.notices.clocks["saved"].stop()
    point(window, "saved", False)
    assert window.notices.clocks["saved"].isActive()  # from the start again
    over(window, "saved")
    assert shown(window) == []


def test_not_while_the_keyboard_is_on_it_and_then_it_is_where_it_was(window: Shell) -> None:
    tell(window, "saved")
    button = tab_to(window, "Close this notice", QToolButton)
    over(window, "saved")
    tell(window, "copied")  # another one leaves the first with its focus
    assert QApplication.focusWidget() is button
    press(window, KEY.Key_Tab)
    over(window, "saved")
    assert shown(window) == ["copied"]


def test_one_that_is_an_error_by_now_stays(window: Shell) -> None:
    tell(window, "text")
    tell(window, "text", name="shell.notice")
    assert window.notices.clocks == {}
    assert shown(window) == ["text"]


def test_escape_closes_the_newest_then_the_next(window: Shell) -> None:
    tell(window, "one", "two", name="shell.notice")
    press(window, KEY.Key_Escape)
    assert shown(window) == ["one"]
    press(window, KEY.Key_Escape)
    assert shown(window) == []
    press(window, KEY.Key_Escape)


def test_escape_unpins_first(window: Shell) -> None:
    tell(window, "one", name="shell.notice")
    window.store.dispatch("pin", 2)
    press(window, KEY.Key_Escape)
    assert (window.store.state.selection.pinned, shown(window)) == (None, ["one"])
    press(window, KEY.Key_Escape)
    assert shown(window) == []


def test_escape_is_a_drawing_s_while_something_is_looked_at_in_it(window: Shell) -> None:
    tell(window, "one", name="shell.notice")
    tab_until(window, lambda focus: isinstance(focus, LanesView))
    press(window, KEY.Key_Right)
    press(window, KEY.Key_Escape)
    assert shown(window) == ["one"]
    press(window, KEY.Key_Escape)
    assert shown(window) == []


def test_escape_on_a_notice_closes_that_one_and_leaves_the_keyboard_to_the_window(window: Shell) -> None:
    tell(window, "one", "two", name="shell.notice")
    window.notices.notices["one"].button.setFocus()
    press(window, KEY.Key_Escape)
    assert shown(window) == ["two"]
    assert QApplication.focusWidget() is window.frame


def test_a_notice_is_read_out_once(window: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(
        QAccessible,
        "updateAccessibility",
        lambda event: said.append(event.message()) if hasattr(event, "message") else None,
    )
    tell(window, "saved")
    tell(window, "copied")
    window.store.dispatch("shell.theme")
    settle(window)
    assert [text for text in said if text in ("saved", "copied")] == ["saved", "copied"]
    assert shown(window) == ["saved", "copied"]

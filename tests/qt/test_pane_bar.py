"""The bar of a workspace's panes, as one clicks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.messages import msg
from app.qt import theme as themes
from app.qt.frame import Frame
from app.qt.store import Store
from app.qt.window import Shell
from app.reduce import start
from app.settings import Settings
from tests.fakes import Counter
from tests.qt.test_shell import Plain


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    themes.load_fonts()
    panes = {"inspector": Counter(), "read": Counter("read", "Read"), "quiz": Counter("quiz", "Read")}
    panes["quiz"].TITLE = msg("Read")
    store = Store(start(Settings(), panes, "en", "light"), panes)  # type: ignore[arg-type]
    frame = Frame(themes.Theme())
    made = Shell(frame, store, Plain)
    made.build()
    frame.resize(1280, 800)
    qtbot.addWidget(frame)
    frame.show()
    yield made
    store._clock.stop()


def test_one_pane_alone_has_no_bar(window: Shell) -> None:
    assert not window.panebar.isVisible()
    assert window.topbar.tabs["inspector"].isChecked()


def test_a_click_shows_the_pane_and_the_workspace_stays_chosen(window: Shell) -> None:
    QTest.mouseClick(window.topbar.tabs["read"], Qt.MouseButton.LeftButton)
    window.store.flush()
    assert window.panebar.isVisible()
    assert list(window.panebar.tabs) == ["read", "quiz"]
    assert window.panebar.tabs["read"].isChecked()
    QTest.mouseClick(window.panebar.tabs["quiz"], Qt.MouseButton.LeftButton)
    window.store.flush()
    assert window.store.state.current == "quiz"
    assert window.panebar.tabs["quiz"].isChecked()
    assert window.topbar.tabs["read"].isChecked()


def test_the_keys_and_the_language(window: Shell) -> None:
    window.store.dispatch("shell.pane", "read")
    window.store.flush()
    QTest.keyClick(window.frame, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    window.store.flush()
    assert window.store.state.current == "quiz"
    QTest.keyClick(window.frame, Qt.Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    window.store.flush()
    assert window.store.state.current == "read"
    before = window.panebar.tabs["quiz"].text()
    window.store.dispatch("shell.language", "ko")
    window.store.flush()
    assert window.panebar.tabs["quiz"].text() != before


def test_tabs_without_room_become_a_menu(window: Shell, qtbot: Any) -> None:
    bar = window.topbar
    assert not bar.folded
    bar.setMaximumWidth(150)
    qtbot.waitUntil(lambda: bar.folded)
    assert bar.space.isVisible()
    assert not any(tab.isVisible() for tab in bar.tabs.values())
    bar.space.menu().aboutToShow.emit()
    names = [action.text().split("\t")[0] for action in bar.space.menu().actions()]
    assert names == ["Read", "Inspector"]
    assert [action.isChecked() for action in bar.space.menu().actions()] == [False, True]
    bar.space.menu().actions()[0].trigger()
    window.store.flush()
    assert window.store.state.current == "read"
    bar.setMaximumWidth(1280)
    qtbot.waitUntil(lambda: not bar.folded)
    assert not bar.folded
    assert bar.tabs["read"].isVisible()

"""The whole story of the debugger in the window of the program, by keyboard only: from opening to an SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QPushButton, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from app.panes._act_state import State
from app.qt.export_dialog import ExportDialog
from app.qt.marks.base import MarkView
from app.qt.session import Session
from app.settings import Settings
from app.state import workspaces
from tests.qt import whole

KEY = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
MOST_TABS = 160


@pytest.fixture
def session(qapp: QApplication) -> Iterator[Session]:
    with whole.session(Settings(workspace="inspector"), (1440, 900)) as found:
        whole.settle(found)
        yield found


class Keyboard:
    """Keys, sent to whatever has the focus; nothing is looked up to be clicked."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def press(self, key: Any, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.session.window, key, modifiers)
        whole.settle(self.session)

    def type(self, text: str) -> None:
        focus = QApplication.focusWidget()
        assert focus is not None
        QTest.keyClicks(focus, text)
        whole.settle(self.session)

    def tab_to(self, wanted: Callable[[QWidget], bool]) -> QWidget:
        for _ in range(MOST_TABS):
            focus = QApplication.focusWidget()
            if focus is not None and wanted(focus):
                return focus
            self.press(KEY.Key_Tab)
        raise AssertionError("not reached by Tab")


def named(kind: type[QWidget], name: str) -> Callable[[QWidget], bool]:
    def found(widget: QWidget) -> bool:
        return isinstance(widget, kind) and name in (widget.accessibleName(), getattr(widget, "text", str)())

    return found


def mark(key: str) -> Callable[[QWidget], bool]:
    return lambda widget: isinstance(widget, MarkView) and widget.mark is not None and widget.mark.key == key


def state(session: Session) -> State:
    return session.store.state.panes["act"]  # type: ignore[no-any-return]


def place(session: Session) -> tuple[int, int]:
    record = state(session).record
    assert record is not None
    return record.step, record.line


def test_open_choose_stop_go_on_back_change_compare_export(
    session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    keys = Keyboard(session)
    spaces = [name for name, _ in workspaces(session.store.panes)]
    keys.press(Qt.Key(KEY.Key_1 + spaces.index("act")), Qt.KeyboardModifier.AltModifier)
    assert session.store.state.current == "act"

    keys.tab_to(named(QComboBox, "Source"))  # choose a scenario
    keys.press(KEY.Key_Up)
    assert state(session).source == "fresh"
    keys.press(KEY.Key_Down)
    assert (state(session).source, place(session)) == ("sentence", (1, 1))

    keys.tab_to(mark("lanes"))  # "position 3 halts"
    for _ in range(6):
        keys.press(KEY.Key_Left)
    keys.press(KEY.Key_Return)
    keys.tab_to(named(QPushButton, "3 to halts"))
    keys.press(KEY.Key_Space)
    assert (state(session).stops[-1].kind, state(session).stops[-1].number) == ("halts", 2)

    for _ in range(9):  # continue: other stops come first
        keys.press(KEY.Key_F5)
        if place(session) == (3, 2):
            break
    assert place(session) == (3, 2)
    before = state(session).trace
    keys.press(KEY.Key_Comma)
    keys.press(KEY.Key_Comma)
    assert place(session) == (2, 9)

    keys.tab_to(lambda widget: isinstance(widget, QTabBar))  # edit p
    while state(session).panel != "change":
        keys.press(KEY.Key_Right)
    spin = keys.tab_to(named(QDoubleSpinBox, "p"))
    assert isinstance(spin, QDoubleSpinBox)
    keys.press(KEY.Key_A, CTRL)
    keys.type("0.9")
    keys.press(KEY.Key_Return)
    edit = state(session).setup.edits[-1]
    assert (edit.position, edit.step, edit.value) == (2, 2, 0.9)

    ghost = state(session).ghost_trace  # compare: the old run is still there, number for number
    assert ghost is before
    keys.tab_to(mark("lanes"))
    view = QApplication.focusWidget()
    assert isinstance(view, MarkView)
    assert view.mark is not None
    assert view.mark.ghost is not None
    assert int(state(session).trace.halted_at[2]) == 2 != int(before.halted_at[2])

    keys.press(KEY.Key_E, CTRL | SHIFT)  # export SVG
    dialog = session.window.findChild(ExportDialog)
    assert dialog is not None
    keys.tab_to(lambda widget: widget is dialog.kind)
    while dialog.kind.currentData() != "svg":
        keys.press(KEY.Key_Down)
    keys.tab_to(lambda widget: widget is dialog.go)
    keys.press(KEY.Key_Space)
    name = QApplication.focusWidget()
    assert name is not None
    file = tmp_path / "act.svg"
    keys.press(KEY.Key_A, CTRL)
    keys.type(str(file))
    keys.press(KEY.Key_Return)
    qtbot.waitUntil(lambda: session.shell.exporting.job is None and file.exists(), timeout=30_000)
    text = " ".join(ElementTree.fromstring(file.read_bytes()).itertext())
    assert "halting_probability" in text
    assert "sentence: one halts at once" in text
    assert session.shell.look.text(state(session).branches[1].name) in text

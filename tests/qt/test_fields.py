"""Controls: a click takes no key from the transport, long choices say that they are cut."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.pane import Event
from app.qt import application
from app.qt import theme as themes
from app.qt.marks.base import Look
from app.qt.marks.fields import ButtonView, FieldView, MenuView, SegmentsView, make
from app.qt.marks.text import Short, TableView
from app.qt.theme import Theme
from app.scene import Button, Choice, Table

QUESTION = "Where was the football before the bathroom and before the garden and the hallway?"


class Rig(QWidget):
    """A window with a line to type into and one field."""

    def __init__(self, field: Any) -> None:
        super().__init__()
        look = Look(Theme(), Translator("en"))
        self.line, self.field = QLineEdit(), make(field, look)
        self.told: list[Event] = []
        self.field.happened.connect(self.told.append)
        self.field.show_field(field, look)
        box = QVBoxLayout(self)
        box.addWidget(self.line)
        box.addWidget(self.field)


@pytest.fixture
def shown(qtbot: QtBot) -> Any:
    themes.apply(application.make_application(), Theme())

    def show(field: Any) -> Rig:
        rig = Rig(field)
        qtbot.addWidget(rig)
        rig.show()
        rig.activateWindow()
        qtbot.waitUntil(rig.isActiveWindow)
        return rig

    return show


def press(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def test_a_click_on_a_button_takes_no_focus_and_ends_typing(shown: Any) -> None:
    rig = shown(Button("run", "Run", "run.start", style="primary"))
    assert isinstance(rig.field, ButtonView)
    button = rig.field.button
    rig.setFocus()
    press(button)
    assert not button.hasFocus()
    rig.line.setFocus()
    press(button)
    assert not button.hasFocus()
    assert not rig.line.hasFocus()
    QTest.keyClick(QApplication.focusWidget() or rig, Qt.Key.Key_Space)
    assert (len(rig.told), rig.line.text()) == (2, "")
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.hasFocus()  # by keyboard, and there Space presses it
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert len(rig.told) == 3


def test_none_of_several_may_be_chosen(shown: Any) -> None:
    def chosen(value: str) -> Choice:
        return Choice("facts", "Facts", "facts", (("1", "1"), ("2", "2")), value, "segments")

    rig = shown(chosen("2"))
    field: FieldView = rig.field
    assert isinstance(field, SegmentsView)
    field.show_field(chosen(""), field.look)
    assert [button.isChecked() for button in field.buttons.values()] == [False, False]
    press(field.buttons["2"])
    assert (rig.told, field.buttons["2"].hasFocus()) == ([Event("facts", "2")], False)
    field.show_field(chosen("1"), field.look)
    assert [button.isChecked() for button in field.buttons.values()] == [True, False]


def test_a_long_choice_ends_in_an_ellipsis_and_is_whole_in_the_list(shown: Any, qtbot: QtBot) -> None:
    def picture(text: str) -> Any:
        rig = shown(Choice("sample", "Sample", "sample", (("0", text),), "0", "bare"))
        assert isinstance(rig.field, MenuView)
        rig.setFocus()
        rig.field.menu.setFixedSize(220, 30)
        return rig, rig.field.menu.grab().toImage()

    rig, cut = picture(QUESTION)
    metrics = rig.field.menu.fontMetrics()
    same = [
        width
        for width in range(140, 179)  # what is left of it beside the arrow
        if picture(metrics.elidedText(QUESTION, Qt.TextElideMode.ElideRight, width))[1] == cut
    ]
    assert same
    rig.resize(900, 200)
    rig.field.menu.showPopup()
    assert rig.field.menu.view().width() >= metrics.horizontalAdvance(QUESTION)
    rig.field.menu.hidePopup()


def test_of_a_value_and_its_reason_the_end_is_left_out_first(qtbot: QtBot) -> None:
    application.make_application()
    view = TableView(Look(Theme(), Translator("en")))
    qtbot.addWidget(view)
    reason = "cpu · fp32 — no CUDA or MPS device was found"
    name = "a-very-long-name-of-a-checkpoint.safetensors"
    view.show_mark(Table("facts", (("device", reason), ("file", name))))
    view.resize(200, 60)
    view.show()
    values = view.findChildren(Short)
    assert values[0].toolTip() == values[0].accessibleName() == reason
    assert values[0].text().startswith("cpu · fp32 — no")
    assert values[0].text().endswith("…")
    assert values[1].text().endswith("tensors")

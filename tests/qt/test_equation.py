"""Formulas on screen: sizes, the theme's colour, what a click and a key tell, outlines in an export."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from PySide6.QtCore import QBuffer, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from pytestqt.qtbot import QtBot

from app.formulas import spoken
from app.messages import Translator, msg
from app.pane import Event
from app.qt.marks.base import Look
from app.qt.marks.equation import EquationView
from app.qt.theme import Theme
from app.scene import Equation

THREE = ("act-cost", "act-weight", "ut-attention")


def look(theme: str = "light", scale: float = 1.0, language: str = "en") -> Look:
    return Look(Theme(theme, scale), Translator(language))


def shown(qtbot: QtBot, mark: Equation, how: Look, width: int = 700) -> tuple[EquationView, list[Event]]:
    view = EquationView(how)
    qtbot.addWidget(view)
    told: list[Event] = []
    view.happened.connect(told.append)
    view.show_mark(mark)
    view.resize(width, view.minimumSizeHint().height())
    view.show()
    return view, told


def chosen(**more: Any) -> Equation:
    return Equation("e", THREE, event="chosen", values=("a", "b", "c"), **more)


def test_formulas_stand_one_below_the_other_and_are_as_high_as_they_need(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, chosen(labels=("one", "two", "three")), look())
    rects = [view.row_rect(row) for row in range(3)]
    assert rects[1].height() > 2 * rects[0].height()  # three cases
    assert all(one.bottom() <= other.top() + 1e-6 for one, other in pairwise(rects))
    assert abs(view.height() - rects[-1].bottom()) <= 5
    larger, _ = shown(qtbot, chosen(), look(scale=2.0))
    assert larger.height() > 1.8 * view.height()


def test_a_wide_formula_is_set_smaller_rather_than_cut(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, Equation("e", ("ut-attention",)), look(), width=300)
    image = view.grab().toImage()
    right = QRect(image.width() - 5, 0, 4, image.height())
    ground = image.pixelColor(image.width() - 1, 0)
    for x in range(right.left(), right.right()):
        assert all(image.pixelColor(x, y) == ground for y in range(image.height()))


def test_formulas_follow_the_theme(qtbot: QtBot) -> None:
    for theme, darkest in (("light", True), ("dark", False)):
        view, _ = shown(qtbot, Equation("e", ("act-cost",)), look(theme))
        image = view.grab().toImage()
        values = [image.pixelColor(x, y).value() for x in range(140) for y in range(image.height())]
        want = Theme(theme).color("fg").value()
        assert any(abs(value - want) < 12 for value in values), theme
        assert (want < 128) == darkest


def test_a_click_and_the_keyboard_choose(qtbot: QtBot) -> None:
    view, told = shown(qtbot, chosen(), look())
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.row_rect(1).center().toPoint())
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert told == [Event("chosen", "b"), Event("chosen", "c"), Event("chosen", "b")]


def test_without_an_event_there_is_nothing_to_focus_or_tell(qtbot: QtBot) -> None:
    view, told = shown(qtbot, Equation("e", THREE), look())
    assert view.focusPolicy() == Qt.FocusPolicy.NoFocus
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    assert told == []


def test_a_screen_reader_hears_the_formulas_in_the_language_shown(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, Equation("e", ("act-cost",)), look())
    assert view.accessibleDescription() == Translator("en").text(spoken("act-cost"))
    view.restyle(look(language="ko"))
    assert view.accessibleDescription() == Translator("ko").text(spoken("act-cost"))
    view.show_mark(Equation("e", ("act-cost",), alt=msg("in words")))
    said = [Translator("ko").text(text) for text in (msg("in words"), spoken("act-cost"))]
    assert view.accessibleDescription() == ": ".join(said)


def test_an_export_holds_outlines(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, Equation("e", ("act-cost",)), look())
    buffer, generator = QBuffer(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(view.width(), view.height()))
    painter = QPainter(generator)
    view.render(painter, QPoint())
    painter.end()
    text = bytes(buffer.data().data()).decode()
    assert "<image" not in text
    assert text.count("C") > 20  # Qt writes curves as cubic ones

"""Marks of the debugger on screen: what is where, what a click or a key tells, what is painted anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.pane import Event, Selection
from app.panes import act
from app.qt.marks.base import Look
from app.qt.marks.code import CodeView
from app.qt.marks.form import FormView
from app.qt.marks.lane_rows import number
from app.qt.marks.lanes import LanesView
from app.qt.marks.sheet import FormulaView, SheetView
from app.qt.marks.stack import SharesView, StackView
from app.qt.scrubber import Scrubber
from app.qt.theme import Theme
from app.render.tables import twin
from app.scene import Code, Entry, Form, Lanes, Real, Sheet, Span, marks
from app.timeline import Timeline
from tests.qt.drawn import picture, shown

LIGHT, DARK = (Look(Theme(name), Translator("en")) for name in ("light", "dark"))
LEFT = Qt.MouseButton.LeftButton


def of_pane(key: str, *events: tuple[str, Any]) -> Any:
    """A mark of the debugger's scene after some events."""
    state = act.initial()
    for name, value in events:
        state, _ = act.update(state, Event(name, value))
    scene = act.scene(state, Selection())
    return next(mark for mark in marks(scene) if mark.key == key)


def wide_table(m: int) -> tuple[str, str]:
    rng = np.random.default_rng(m)
    return "table.text", "\n".join(f"w{k}," + ",".join(f"{p:.2f}" for p in rng.random(8)) for k in range(m))


# ---- the listing ------------------------------------------------------------------------------------------


def test_a_click_in_the_gutter_sets_a_stop_and_one_on_the_code_moves_the_cursor(qtbot: QtBot) -> None:
    view = CodeView(LIGHT)
    told = shown(qtbot, view, of_pane("code"), (560, 420))
    row = view.line_rect(4).center().toPoint()
    qtbot.mouseClick(view, LEFT, pos=QPoint(8, row.y()))
    qtbot.mouseClick(view, LEFT, pos=QPoint(200, row.y()))
    assert told == [Event("line.stop", 4), Event("line.cursor", 4)]


def test_keys_walk_over_lines_of_code_not_over_context(qtbot: QtBot) -> None:
    view = CodeView(LIGHT)
    told = shown(qtbot, view, of_pane("code"), (560, 420))
    qtbot.keyClick(view, Qt.Key.Key_Down)
    view.show_mark(replace(view.mark, cursor=6))
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert told == [Event("line.cursor", 6), Event("line.cursor", 5), Event("line.stop", 6)]


def test_values_never_stand_over_code(qtbot: QtBot) -> None:
    view = CodeView(LIGHT)
    shown(qtbot, view, of_pane("code", ("transport.last", None)), (540, 420))
    code = max(view.width_of(text, "mono", family="mono") for text, _ in view.mark.rows)
    assert view.px(52) + code <= view.width() - view.px(96)


def test_a_run_to_line_is_a_double_click(qtbot: QtBot) -> None:
    view = CodeView(LIGHT)
    told = shown(qtbot, view, of_pane("code"), (560, 420))
    qtbot.mouseDClick(view, LEFT, pos=QPoint(200, view.line_rect(7).center().toPoint().y()))
    assert Event("line.run_to", 7) in told


# ---- steps and variables ----------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 10, 48, 400])
def test_both_tables_share_one_column_axis_for_any_number_of_positions(qtbot: QtBot, m: int) -> None:
    view = LanesView(DARK)
    told = shown(qtbot, view, of_pane("lanes", wide_table(m)), (620, 640))
    last = m - 1
    column = view.column_rect(last)
    for row in (view.step_rect(0), view.lane_rect(3)):
        assert view.cell(row, last).left() == pytest.approx(column.left())
    assert column.right() <= view.width()
    assert view.blocks()[-1][1] == m
    where = QPoint(round(column.center().x()), round(view.lane_rect(3).center().y()))
    qtbot.mouseClick(view, LEFT, pos=where)
    assert told[-1] == Event("pin", last)
    image = picture(view)
    assert len({image.pixel(x, y) for x in range(160, 600, 7) for y in range(30, 600, 7)}) > 3


def test_a_click_on_a_steps_name_goes_there_and_keys_move_the_column(qtbot: QtBot) -> None:
    view = LanesView(LIGHT)
    told = shown(qtbot, view, of_pane("lanes"), (620, 640))
    qtbot.mouseClick(view, LEFT, pos=QPoint(30, round(view.step_rect(1).center().y())))
    assert told[-1] == Event("step.seek", 2)
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert told[-1] == Event("hover", (7, 7))
    view.show_mark(replace(view.mark, hovered=7))
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert told[-1] == Event("pin", 7)


@pytest.mark.parametrize("m", [10, 64])
def test_rows_kept_from_before_look_as_if_painted_anew(qtbot: QtBot, m: int) -> None:
    kept, fresh = LanesView(DARK), LanesView(DARK)
    one = of_pane("lanes", wide_table(m), ("transport.seek", 14))
    two = of_pane("lanes", wide_table(m), ("transport.seek", 15))
    shown(qtbot, kept, one, (620, 640))
    picture(kept)
    painted = len(kept._strips)
    kept.show_mark(two)
    shown(qtbot, fresh, two, (620, 640))
    assert picture(kept) == picture(fresh)
    assert len(kept._strips) - painted <= 4  # a line changes a row or two


def test_a_covered_row_stays_covered_in_its_table_too() -> None:
    lanes = of_pane("lanes", ("predict.on", True), ("transport.seek", 29))
    assert isinstance(lanes, Lanes)
    table = twin(lanes)
    assert table is not None
    row = next(row for row in table[1] if row[0] == "new_halted")
    assert all(value != value for value in row[1:-1])


def test_numbers_keep_to_their_column() -> None:
    assert [number(v) for v in (0.5, 9.99, 14.0, 120.4)] == ["0.50", "9.99", "14.0", "120"]
    assert number(2.0, whole=True) == "2"


# ---- the rest ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("view", "key"),
    [(StackView, "pinned.stack"), (SharesView, "pinned.shares"), (FormulaView, "what.formula")],
)
def test_a_drawing_is_not_empty_and_has_a_table(qtbot: QtBot, look: Look, view: Any, key: str) -> None:
    mark, made = of_pane(key), view(look)
    shown(qtbot, made, mark, (320, 160))
    image = picture(made)
    assert len({image.pixel(x, y) for x in range(0, 320, 3) for y in range(0, 60, 3)}) > 2
    assert twin(mark) is not None


def test_a_row_of_a_sheet_tells_its_value(qtbot: QtBot) -> None:
    rows = ((Span("x"), Span("1")), (Span("y"), Span("2", "changed")))
    sheet = Sheet("s", ("a", "b"), rows, 0, "pin", (4, 7))
    view = SheetView(LIGHT)
    told = shown(qtbot, view, sheet, (300, 80))
    qtbot.mouseClick(view, LEFT, pos=view.row_rect(1).center().toPoint())
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert told == [Event("pin", 7), Event("pin", 7)]


def test_a_decimal_is_dragged_or_typed_and_a_line_is_confirmed(qtbot: QtBot) -> None:
    form = Form("f", ((Real("p", "p", "edit.p", 0.3, 0.0, 1.0),), (Entry("c", "", "stop.condition"),)))
    view = FormView(LIGHT)
    told = shown(qtbot, view, form, (300, 90))
    real, entry = (view.fields.views[key] for key in (("p", "Real "), ("c", "Entry ")))
    real.slider.setValue(45)  # type: ignore[attr-defined]
    real.spin.setValue(0.6)  # type: ignore[attr-defined]
    qtbot.keyClicks(entry.edit, "R > 0.1")  # type: ignore[attr-defined]
    assert told == [Event("edit.p", 0.45), Event("edit.p", 0.6)]
    qtbot.keyClick(entry.edit, Qt.Key.Key_Return)  # type: ignore[attr-defined]
    assert told[-1] == Event("stop.condition", "R > 0.1")


def test_the_scrubber_counts_lines_inside_steps(qtbot: QtBot) -> None:
    scrubber = Scrubber()
    qtbot.addWidget(scrubber)
    scrubber.resize(700, 60)
    line = Timeline(23, 54, 54, group=9, signs=((2, 1),), stops=(7, 16))
    scrubber.show_line(line)
    asked: list[int] = []
    scrubber.wanted.connect(asked.append)
    for k in (1, 9, 10, 54):
        qtbot.mouseClick(scrubber, LEFT, pos=QPoint(round(scrubber.place(k)), 20))
    assert asked == [1, 9, 10, 54]
    image = picture(scrubber)
    scrubber.show_line(replace(line, signs=(), stops=()))
    assert picture(scrubber) != image


def test_the_listing_has_a_table_that_says_where_it_is() -> None:
    code = of_pane("code")
    assert isinstance(code, Code)
    table = twin(code)
    assert table is not None
    rows = {row[0]: row for row in table[1] if row[0]}
    assert [Translator("en").text(rows[k][3]) for k in ("5", "6")] == ["just run", "runs next"]  # type: ignore[arg-type]

"""Tables sorted by their heads, with the mouse and by keyboard: in a pane's window and turned over."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.pane import Event
from app.panes._results_state import State
from app.qt.marks.base import Look
from app.qt.marks.sheet import SheetView
from app.qt.theme import Theme
from app.qt.twin import TwinTable
from app.qt.window import Shell
from app.scene import Sheet, Span
from tests.qt import whole
from tests.qt.drawn import picture, shown
from tests.qt.whole import press, tab_to_mark

LOOK = Look(Theme("light"), Translator("en"))
KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton
ROWS = (("Neural GPU", "1.00"), ("LSTM", "0.45"), ("UT", "–"))


def sheet(**changes: Any) -> Sheet:
    rows = tuple((Span(name), Span(value)) for name, value in ROWS)
    return Sheet("s", ("model", "copy"), rows, alt="figures", **{"sort": "sort", **changes})


# ---- the mark ---------------------------------------------------------------------------------------------


def test_a_click_on_a_head_tells_its_column_and_one_on_a_row_the_row(qtbot: QtBot) -> None:
    view = SheetView(LOOK)
    told = shown(qtbot, view, sheet(event="go", values=(7, 8, 9)), (400, 120))
    qtbot.mouseClick(view, LEFT, pos=view.head_rect(1).center().toPoint())
    qtbot.mouseClick(view, LEFT, pos=view.row_rect(1).center().toPoint())
    assert told == [Event("sort", 1), Event("go", 8)]


def test_keys_walk_along_the_heads_and_sort(qtbot: QtBot) -> None:
    view = SheetView(LOOK)
    told = shown(qtbot, view, sheet(), (400, 120))
    for key in (KEY.Key_Left, KEY.Key_Return, KEY.Key_Right, KEY.Key_Right, KEY.Key_Space):
        qtbot.keyClick(view, key)
    assert told == [Event("sort", 0), Event("sort", 1)]


def test_a_table_without_heads_to_sort_by_tells_nothing(qtbot: QtBot) -> None:
    view = SheetView(LOOK)
    told = shown(qtbot, view, sheet(sort=""), (400, 120))
    qtbot.mouseClick(view, LEFT, pos=QPoint(350, 8))
    qtbot.keyClick(view, KEY.Key_Return)
    assert told == []


def test_the_order_is_seen_and_heard(qtbot: QtBot) -> None:
    view = SheetView(LOOK)
    shown(qtbot, view, sheet(), (400, 120))
    pictures = [picture(view)]
    for down in (False, True):
        view.show_mark(sheet(sorted=(1, down)))
        pictures.append(picture(view))
    assert view.accessibleDescription() == "figures Sorted by copy, descending."
    assert pictures[0] != pictures[1] != pictures[2] != pictures[0]
    assert view.at == 1  # Enter turns it round


def test_the_head_that_enter_sorts_by_is_said_while_the_keyboard_is_there(qtbot: QtBot) -> None:
    view = SheetView(LOOK)
    shown(qtbot, view, sheet(), (400, 120))
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is view)
    assert view.accessibleDescription() == "figures At the head of model: Enter sorts."
    view.clearFocus()
    assert view.accessibleDescription() == "figures"


def test_the_head_below_the_pointer_says_what_a_click_does(qtbot: QtBot) -> None:
    view = SheetView(LOOK)
    shown(qtbot, view, sheet(), (400, 120))
    qtbot.mouseMove(view, view.head_rect(1).center().toPoint())
    assert (view.toolTip(), view.cursor().shape()) == ("Sort by copy", Qt.CursorShape.PointingHandCursor)
    qtbot.mouseMove(view, view.row_rect(1).center().toPoint())
    assert (view.toolTip(), view.cursor().shape()) == ("", Qt.CursorShape.ArrowCursor)


@pytest.mark.parametrize("wide", [200, 260, 400])
def test_columns_fill_the_width_and_the_arrow_has_room(qtbot: QtBot, wide: int) -> None:
    view = SheetView(LOOK)
    mark = sheet(sorted=(1, False))
    shown(qtbot, view, mark, (wide, 120))
    widths = view.widths()
    assert sum(widths) == pytest.approx(view.width())
    assert widths[1] >= view.width_of("copy", bold=True) + view.px(13)


# ---- in the results ---------------------------------------------------------------------------------------


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    with whole.window(qtbot, "results") as shell:
        yield shell


def state(window: Shell) -> State:
    return window.store.state.pane_state  # type: ignore[no-any-return]


def test_the_head_and_the_control_beside_the_chart_say_the_same(window: Shell, qtbot: QtBot) -> None:
    whole.settle(window)
    view = tab_to_mark(window, "sheet")
    press(window, KEY.Key_Right)
    press(window, KEY.Key_Right)
    press(window, KEY.Key_Space)
    assert (state(window).column, state(window).order) == (1, "worst")  # larger is better: ascending
    assert [row[2].text for row in view.mark.rows] == ["0.03", "0.09", "0.35", "1.00"]
    assert chosen(window) == ["Order: worst first"]
    press(window, KEY.Key_Return)
    assert chosen(window) == ["Order: best first"]
    press(window, KEY.Key_Return)
    assert chosen(window) == ["Order: as printed"]
    window.store.dispatch("results.order", "best")
    whole.settle(window)
    assert view.mark.sorted == (2, True)
    qtbot.mouseClick(view, LEFT, pos=view.head_rect(0).center().toPoint())
    whole.settle(window)
    assert state(window).order == "name"
    assert chosen(window) == []
    assert view.mark.rows[0][0].text == "LSTM"


def chosen(window: Shell) -> list[str]:
    buttons = window.views["results"].findChildren(QPushButton)
    names = [button.accessibleName() for button in buttons if button.isCheckable() and button.isChecked()]
    return [name for name in names if name.startswith("Order: ")]


# ---- turned over ------------------------------------------------------------------------------------------


def twin_table(qtbot: QtBot) -> TwinTable:
    table = TwinTable()
    qtbot.addWidget(table)
    rows = (("b", 1.0004), ("a", 10.0), ("c", math.nan), ("d", 1.0001))
    table.show_twin((("name", "value"), rows), LOOK, "numbers")
    table.resize(300, 200)
    table.show()
    return table


def names(table: TwinTable) -> str:
    model = table.model()
    return "".join(str(model.index(row, 0).data()) for row in range(model.rowCount()))


def test_a_table_turned_over_is_sorted_by_its_heads(qtbot: QtBot) -> None:
    table = twin_table(qtbot)
    heads = table.heads
    where = QPoint(heads.sectionViewportPosition(1) + 20, heads.height() // 2)
    found = []
    for _ in range(3):
        qtbot.mouseClick(heads.viewport(), LEFT, pos=where)
        found.append((names(table), heads.isSortIndicatorShown()))
    assert found == [("dbac", True), ("abdc", True), ("bacd", False)]
    table.clearSelection()  # a click on a head selects its column too
    assert table.copied().splitlines()[1] == "b\t1.0004"


def test_other_numbers_of_a_sorted_table_stay_sorted(qtbot: QtBot) -> None:
    table = twin_table(qtbot)
    table.sort(1)
    table.show_twin((("name", "value"), (("x", 2.0), ("y", 1.0), ("z", 3.0), ("w", 0.0))), LOOK, "numbers")
    assert names(table) == "wyxz"
    table.show_twin((("only",), (("x",),)), LOOK, "numbers")
    assert not table.heads.isSortIndicatorShown()


def test_the_heads_are_reached_from_the_first_row(qtbot: QtBot) -> None:
    table = twin_table(qtbot)
    table.activateWindow()
    table.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is table)
    table.setCurrentIndex(table.model().index(0, 0))
    qtbot.keyClick(table, KEY.Key_Up)
    assert QApplication.focusWidget() is table.heads
    qtbot.keyClick(table.heads, KEY.Key_Right)
    before = picture(table)
    qtbot.keyClick(table.heads, KEY.Key_Space)
    assert names(table) == "dbac"
    assert picture(table) != before
    qtbot.keyClick(table.heads, KEY.Key_Down)
    assert QApplication.focusWidget() is table
    assert table.currentIndex().column() == 1

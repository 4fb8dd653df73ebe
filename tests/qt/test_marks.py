"""Marks on screen: what is where, what colour it has, what a click or a key tells."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from app import palette
from app.messages import Translator
from app.pane import Event
from app.qt.marks.arcs import ArcsView
from app.qt.marks.base import Look, Painted, map_image, quantised, shrunk
from app.qt.marks.cells import CellsView
from app.qt.marks.curve import CurveView
from app.qt.marks.fields import EditorView
from app.qt.marks.film import FilmView
from app.qt.marks.form import FormView
from app.qt.marks.heatmap import HeatmapView, stretches
from app.qt.marks.places import labelled
from app.qt.theme import Theme
from app.scene import (
    Arcs,
    Axis,
    Bars,
    Button,
    Cell,
    Cells,
    Choice,
    Curve,
    Editor,
    Film,
    Form,
    Heatmap,
    Number,
    Series,
    Span,
    Switch,
)
from tests import svgs
from tests.qt.drawn import shown

LIGHT = Look(Theme("light"), Translator("en"))
DARK = Look(Theme("dark"), Translator("en"))


def picture(view: Painted) -> QImage:
    return view.grab().toImage()


def color_at(view: Painted, point: QPointF) -> QColor:
    return picture(view).pixelColor(point.toPoint())


def close(one: QColor, other: tuple[int, int, int], by: int = 3) -> bool:
    return all(abs(a - b) <= by for a, b in zip(one.getRgb()[:3], other, strict=True))  # type: ignore[index]


def axis(n: int) -> Axis:
    labels = tuple(f"w{k}" for k in range(n))
    return Axis("position", labels, labels, tuple(range(n, 0, -1)))


def heatmap(values: np.ndarray, **more: Any) -> Heatmap:
    rows, cols = more.pop("rows", axis(len(values))), more.pop("cols", axis(values.shape[1]))
    return Heatmap("map", values, rows, cols, **more)


# ---- numbers to colours ----------------------------------------------------------------------------------


def test_the_scale_is_fixed_whatever_the_values_are() -> None:
    assert quantised(np.array([[0.0, 0.5, 1.0]], np.float32)).tolist() == [[0, 128, 255]]
    assert quantised(np.full((2, 2), 0.25, np.float32)).tolist() == [[64, 64], [64, 64]]
    assert quantised(np.array([[np.nan, np.inf, -np.inf, 2.0]], np.float32)).tolist() == [[0, 255, 0, 255]]


def test_one_hot_cell_survives_being_made_small() -> None:
    values = np.zeros((1000, 900), np.uint8)
    values[777, 123] = 255
    small = shrunk(values, 40, 30)
    assert small.shape == (40, 30)
    assert (small == 255).sum() == 1


def test_an_image_has_the_tables_colours_and_is_not_transposed() -> None:
    table = palette.colormap("dark")
    image = map_image(np.array([[0, 255, 10], [20, 30, 40]], np.uint8), table)
    assert (image.width(), image.height()) == (3, 2)
    assert image.pixelColor(1, 0).getRgb()[:3] == tuple(table[255])  # type: ignore[index]
    assert image.pixelColor(0, 1).getRgb()[:3] == tuple(table[20])  # type: ignore[index]


def test_neighbouring_rows_are_hatched_as_one() -> None:
    assert stretches((True, True, False, True)) == [(0, 2), (3, 4)]
    assert stretches(()) == []


# ---- the large map ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_a_causal_map_is_lower_triangular_on_screen(qtbot: QtBot, look: Look) -> None:
    values = np.tril(np.ones((6, 6), np.float32))
    view = HeatmapView(look)
    shown(qtbot, view, heatmap(values))
    at, table = view.geometry_of(), look.theme.colormap()
    for row, col in ((4, 1), (1, 4)):
        spot = view.cell_rect(row, col, at).topLeft() + QPointF(4, 4)
        wanted = tuple(int(part) for part in table[int(255 * values[row, col])])
        assert close(color_at(view, spot), wanted)  # type: ignore[arg-type]


def test_a_uniform_map_has_the_colour_of_its_value(qtbot: QtBot) -> None:
    view = HeatmapView(DARK)
    shown(qtbot, view, heatmap(np.full((40, 40), 0.5, np.float32)))
    centre = view.geometry_of().map.center()
    assert close(color_at(view, centre), tuple(int(part) for part in DARK.theme.colormap()[128]))  # type: ignore[arg-type]


def test_one_hot_cell_of_a_thousand_squared_is_seen(qtbot: QtBot) -> None:
    values = np.zeros((1024, 1024), np.float32)
    values[500, 700] = 1.0
    view = HeatmapView(DARK)
    shown(qtbot, view, heatmap(values))
    hot, found = QColor(*(int(part) for part in DARK.theme.colormap()[255])), picture(view)
    area = view.geometry_of().map.toAlignedRect()
    pixels = [
        found.pixelColor(x, y)
        for x in range(area.left(), area.right())
        for y in range(area.top() + area.height() // 2 - 12, area.top() + area.height() // 2 + 4)
    ]
    assert any(close(pixel, hot.getRgb()[:3], 40) for pixel in pixels)  # type: ignore[index, arg-type]


def test_rows_not_computed_are_hatched_not_coloured(qtbot: QtBot) -> None:
    values = np.ones((4, 4), np.float32)
    view = HeatmapView(LIGHT)
    shown(qtbot, view, heatmap(values, absent=(False, True, False, False)))
    at, found = view.geometry_of(), picture(view)
    line = view.cell_rect(1, 2, at).toAlignedRect()
    colors = {found.pixelColor(x, line.center().y()).name() for x in range(line.left() + 2, line.right() - 2)}
    assert LIGHT.theme.color("hatch_bg").name() in colors
    assert len(colors) > 1


def test_values_are_written_into_wide_cells_only(qtbot: QtBot) -> None:
    view = HeatmapView(LIGHT)
    shown(qtbot, view, heatmap(np.full((4, 4), 0.2, np.float32)))
    cell = view.cell_rect(1, 1, view.geometry_of()).toAlignedRect()
    found = picture(view).copy(cell.adjusted(2, 2, -2, -2))
    assert len({found.pixel(x, y) for x in range(found.width()) for y in range(found.height())}) > 3
    view.show_mark(heatmap(np.full((60, 60), 0.2, np.float32)))
    cell = view.cell_rect(10, 10, view.geometry_of()).toAlignedRect()
    found = picture(view).copy(cell.adjusted(1, 1, -1, -1))
    assert len({found.pixel(x, y) for x in range(found.width()) for y in range(found.height())}) == 1


def test_bars_stand_in_line_with_their_rows(qtbot: QtBot) -> None:
    side = Bars("n", "N", (8.0, 4.0, 1.0), ("8", "4", "1"), ("running",) * 3, (False,) * 3, 8.0)
    view = HeatmapView(DARK)
    shown(qtbot, view, heatmap(np.zeros((3, 3), np.float32), side=side))
    at, found = view.geometry_of(), picture(view)
    running = DARK.theme.color("running")
    for row, wide in enumerate((True, True, False)):
        y = view.cell_rect(row, 0, at).center().toPoint().y()
        assert found.pixelColor(round(at.bars.left()) + 2, y) == running
        assert (found.pixelColor(round(at.bars.left() + at.bars.width() * 0.3), y) == running) is wide


def test_pointing_tells_positions_not_places(qtbot: QtBot) -> None:
    view = HeatmapView(DARK)
    told = shown(qtbot, view, heatmap(np.zeros((4, 4), np.float32)))
    centre = view.cell_rect(1, 2, view.geometry_of()).center().toPoint()
    qtbot.mouseMove(view, QPoint(1, 1))
    qtbot.mouseMove(view, centre)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=centre)
    assert told == [Event("hover", (2, 1)), Event("pin", 2)]  # numbers run 4, 3, 2, 1


def test_keys_move_the_cell_pin_and_unpin(qtbot: QtBot) -> None:
    mark = heatmap(np.eye(4, dtype=np.float32), pinned=3)
    view = HeatmapView(DARK)
    told = shown(qtbot, view, mark)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert told == [Event("hover", (0, 0))]  # the largest of the pinned row, the last one
    view.show_mark(replace(mark, hovered=(3, 3)))
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Return, Qt.Key.Key_Escape):
        qtbot.keyClick(view, key)
    assert told[1:] == [
        Event("hover", (1, 0)),
        Event("pin", 0),
        Event("hover", (None, None)),
        Event("pin", None),
    ]


def test_a_map_over_steps_looks_at_a_step(qtbot: QtBot) -> None:
    steps = Axis("step", ("t = 3", "t = 4"), (), (3, 4), kind="step")
    view = HeatmapView(DARK)
    told = shown(qtbot, view, heatmap(np.zeros((2, 3), np.float32), rows=steps, pin="transport.seek"))
    centre = view.cell_rect(1, 0, view.geometry_of()).center().toPoint()
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=centre)
    assert told[-1] == Event("transport.seek", 4)


@pytest.mark.parametrize("m", [1, 2, 12, 300, 1024])
@pytest.mark.parametrize("size", [(320, 240), (640, 330), (1200, 900)])
def test_the_map_fits_its_widget_at_any_length(qtbot: QtBot, m: int, size: tuple[int, int]) -> None:
    view = HeatmapView(DARK)
    shown(qtbot, view, heatmap(np.zeros((m, m), np.float32)), size)
    at = view.geometry_of()
    assert at.map.left() >= 0
    assert at.map.right() <= view.width()
    assert at.map.bottom() <= view.height() + 1
    assert min(at.map.width(), at.map.height()) > 30
    picture(view)


def test_moving_over_the_map_does_not_make_its_image_again(qtbot: QtBot) -> None:
    mark = heatmap(np.zeros((8, 8), np.float32))
    view = HeatmapView(DARK)
    shown(qtbot, view, mark)
    picture(view)
    before = view._image
    view.show_mark(replace(mark, hovered=(1, 2)))
    picture(view)
    assert view._image is before
    view.restyle(LIGHT)
    picture(view)
    assert view._image is not before


def test_labels_leave_room_for_the_one_that_must_be_read() -> None:
    assert labelled(10, 3, (None,)) == [0, 3, 6, 9]
    assert labelled(10, 3, (4,)) == [0, 4, 9]


# ---- arcs ------------------------------------------------------------------------------------------------


def arcs(values: np.ndarray, **more: Any) -> Arcs:
    return Arcs("arcs", values, axis(len(values)), axis(values.shape[1]), **more)


def test_the_pinned_rows_lines_are_drawn_strong_and_end_at_what_is_read(qtbot: QtBot) -> None:
    values = np.array([[0.0, 0.0, 1.0], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0]], np.float32)
    view = ArcsView(LIGHT)
    shown(qtbot, view, arcs(values, pinned=0))
    box, found = view.area(), picture(view)
    accent = LIGHT.theme.color("accent").getRgb()[:3]  # type: ignore[index]
    ends = [round(view.y_of(view.mark.cols, place, box)) for place in range(3)]
    near = [found.pixelColor(round(box.right()) - 2, y) for y in ends]
    assert [close(pixel, accent, 60) for pixel in near] == [False, False, True]  # type: ignore[arg-type]


def test_lines_of_rows_not_computed_and_of_no_weight_are_left_out(qtbot: QtBot) -> None:
    values = np.array([[0.9, 0.1, 0.001], [0.5, 0.5, np.nan]], np.float32)
    view = ArcsView(LIGHT)
    shown(qtbot, view, arcs(values, absent=(False, True)))
    assert [(row, col) for row, col, _ in view.lines(values)] == [(0, 1), (0, 0)]


def test_pointing_at_a_row_of_arcs_tells_what_it_reads_most(qtbot: QtBot) -> None:
    view = ArcsView(DARK)
    told = shown(qtbot, view, arcs(np.eye(4, dtype=np.float32)[::-1].copy(), pinned=3))
    box = view.area()
    spot = QPoint(20, round(view.y_of(view.mark.rows, 1, box)))
    qtbot.mouseMove(view, QPoint(1, 1))
    told.clear()
    qtbot.mouseMove(view, spot)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=spot)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert told == [Event("hover", (2, 1)), Event("pin", 2), Event("hover", (1, 2))]


@pytest.mark.parametrize("m", [1, 12, 1024])
def test_arcs_of_any_length_are_drawn(qtbot: QtBot, m: int) -> None:
    view = ArcsView(DARK)
    shown(qtbot, view, arcs(np.full((m, m), 1 / m, np.float32), pinned=0), (500, 300))
    assert len(view.lines(view.mark.values)) <= 1500  # type: ignore[arg-type]
    assert view.area().right() <= view.width()
    picture(view)


# ---- film, curves, cells ---------------------------------------------------------------------------------


def film(current: int = 1) -> Film:
    frames = (np.zeros((4, 4), np.float32), np.ones((4, 4), np.float32), None)
    captions = ((Span("hall"), Span("0.40")), (Span("garden"), Span("0.90")), ())
    return Film("film", frames, ("t = 1", "t = 2", "t = 3"), captions, (1, 2, 3), current, 2)


def test_a_click_or_key_on_the_film_looks_at_computed_steps_only(qtbot: QtBot) -> None:
    view = FilmView(DARK)
    told = shown(qtbot, view, film())
    for place in (0, 2):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.frames()[place].center().toPoint())
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert told == [Event("transport.seek", 1), Event("transport.seek", 1)]


def test_frames_have_their_maps_colours(qtbot: QtBot) -> None:
    view = FilmView(DARK)
    shown(qtbot, view, film())
    table = DARK.theme.colormap()
    for place, value in ((0, 0), (1, 255)):
        wanted = tuple(int(part) for part in table[value])
        assert close(color_at(view, view.frames()[place].center()), wanted)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 8, 12])
def test_frames_stay_inside_the_film(qtbot: QtBot, count: int) -> None:
    labels = tuple(f"t = {k + 1}" for k in range(count))
    captions = ((Span("bathroom"), Span("0.99")),) * count
    many = Film("film", (None,) * count, labels, captions, tuple(range(1, count + 1)), 0, count)
    view = FilmView(DARK)
    shown(qtbot, view, many, (600, 200))
    assert view.frames()[-1].right() <= view.width()
    assert view.frames()[0].bottom() + 40 <= view.height()


def curve(**more: Any) -> Curve:
    series = (Series("mean", (1.0, math.nan, 0.5)), Series("milk", (1.0, 0.4), "accent"))
    return Curve("c", series, 4, (0.0, 1.0), 2, "step", "entropy", **more)


def test_a_click_on_a_curve_looks_at_the_nearest_step(qtbot: QtBot) -> None:
    view = CurveView(DARK)
    told = shown(qtbot, view, curve(), (320, 160))
    for step in (1, 3):
        spot = view.at(step, 0.5, view.area()).toPoint() + QPoint(4, 0)
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=spot)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert told == [Event("transport.seek", step) for step in (1, 3, 3)]


def test_points_of_a_curve_lie_where_their_numbers_are(qtbot: QtBot) -> None:
    view = CurveView(DARK)
    shown(qtbot, view, curve(), (320, 160))
    assert color_at(view, view.at(2, 0.4, view.area())) == DARK.theme.color("accent")


def test_a_curve_without_numbers_says_why(qtbot: QtBot) -> None:
    view = CurveView(LIGHT)
    shown(qtbot, view, Curve("c", (), 8, (0.0, 1.0), 0, "step", "entropy"), (320, 160))
    empty = picture(view)
    view.show_mark(Curve("c", (), 8, (0.0, 1.0), 0, "step", "entropy", note="one point a step"))
    said = picture(view)
    changed = [x for x in range(320) if any(said.pixel(x, y) != empty.pixel(x, y) for y in range(160))]
    assert max(changed) - min(changed) > 70  # as wide as the words


def test_cells_pin_their_position_and_labels_look_at_their_step(qtbot: QtBot) -> None:
    cells = ((Cell("garden", "0.60", 0.6, place=2), Cell("milk", "0.30", 0.3, place=6)), ())
    mark = Cells("h", cells, ("t = 1", "t = 2"), columns=2, event="pin", row_event="seek", row_values=(1, 2))
    view = CellsView(DARK)
    told = shown(qtbot, view, mark, (300, 120))
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.cell_rect(0, 1).center().toPoint())
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(10, view.row_rect(1).center().toPoint().y()))
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Return):
        qtbot.keyClick(view, key)
    assert told == [Event("pin", 6), Event("seek", 2), Event("pin", 2)]


def written(view: Painted, monkeypatch: pytest.MonkeyPatch) -> list[tuple[QRectF, str, float]]:
    """(rectangle, text, width of the text) of everything a drawing writes."""
    found: list[tuple[QRectF, str, float]] = []
    original = Painted.write

    def noted(
        self: Painted, painter: Any, rect: QRectF, text: str, role: str = "fg", size: str = "small",
        bold: bool = False, *more: Any, **named: Any
    ) -> None:  # fmt: skip
        family = named.get("family", "text")
        found.append((QRectF(rect), text, self.width_of(text, size, bold, family)))
        original(self, painter, rect, text, role, size, bold, *more, **named)

    monkeypatch.setattr(Painted, "write", noted)
    picture(view)
    return found


@pytest.mark.parametrize("width", [330, 390, 560, 700])
def test_words_under_frames_of_large_steps_do_not_touch(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    steps = tuple(range(985, 997))
    captions = ((Span("garden", "fg", True), Span("0.18", "dim", mono=True)),) * 12
    view = FilmView(LIGHT)
    labels = tuple(f"t = {step}" for step in steps)
    frames = (np.full((2, 2), 0.5, np.float32),) * 12
    mark = Film("film", frames, labels, captions, steps, 3, 999)
    shown(qtbot, view, mark, (width, 140))
    words = written(view, monkeypatch)
    for line in {rect.top() for rect, _, _ in words}:
        ends = []
        for rect, _, wide in words:
            if rect.top() == line:
                middle = rect.center().x()
                ends.append((middle - min(wide, rect.width()) / 2, middle + min(wide, rect.width()) / 2))
        ends.sort()
        assert all(left[1] <= right[0] + 1 for left, right in pairwise(ends))
    assert all(wide <= rect.width() for rect, text, wide in words if "9" in text)  # numbers are whole


@pytest.mark.parametrize("steps", [1, 2, 8, 37, 105, 999])
def test_numbers_of_steps_under_a_curve_do_not_touch(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    view = CurveView(LIGHT)
    shown(qtbot, view, replace(curve(), steps=steps, current=min(steps, 61)), (260, 160))
    numbers = [one for one in written(view, monkeypatch) if one[0].top() >= view.area().bottom()]
    assert str(min(steps, 61)) in {text for _, text, _ in numbers}
    assert len(numbers) >= min(steps, 4)
    spans = sorted((rect.center().x() - wide / 2, rect.center().x() + wide / 2) for rect, _, wide in numbers)
    assert all(left[1] < right[0] for left, right in pairwise(spans))


def test_labels_of_large_steps_before_cells_are_whole(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    view = CellsView(LIGHT)
    row = (Cell("kitchen", "0.22"),)
    shown(qtbot, view, Cells("hops", (row, row), ("t = 98", "t = 999"), current=1, columns=3), (300, 120))
    labels = [one for one in written(view, monkeypatch) if one[1].startswith("t =")]
    assert len(labels) == 2
    assert all(wide <= rect.width() for rect, _, wide in labels)
    assert view.cell_rect(0, 0).left() >= max(rect.right() for rect, _, _ in labels)


# ---- forms -----------------------------------------------------------------------------------------------


def form(text: str = "", **more: Any) -> Form:
    fields = (
        (Editor("text", "Story", "input.text", text),),
        (Choice("menu", "Device", "device", (("auto", "automatic"), ("cpu", "CPU")), "auto"),),
        (Choice("heads", "Head", "head", (("mean", "mean"), ("0", "1")), "mean", "segments"),),
        (
            Number("steps", "Steps", "steps", more.get("steps", 8), 1, 999),
            Switch("on", "Count", "count", True),
        ),
        (Button("run", "Run", "run.start", 5, style="primary", enabled=more.get("enabled", True)),),
    )
    return Form("form", fields)


def field(view: FormView, key: str) -> Any:
    return next(one for (name, _), one in view.fields.views.items() if name == key)


def test_showing_a_form_tells_nothing_and_using_it_tells_once(qtbot: QtBot) -> None:
    view = FormView(DARK)
    told = shown(qtbot, view, form())
    view.show_mark(form(steps=9))
    assert told == []
    field(view, "steps").spin.setValue(12)
    field(view, "on").check.click()
    field(view, "heads").buttons["0"].click()
    field(view, "menu").menu.activated.emit(1)
    field(view, "run").button.click()
    assert told == [
        Event("steps", 12),
        Event("count", False),
        Event("head", "0"),
        Event("device", "cpu"),
        Event("run.start", 5),
    ]


def test_text_being_typed_survives_scenes_that_do_not_know_it_yet(qtbot: QtBot) -> None:
    view = FormView(DARK)
    told = shown(qtbot, view, form("old"))
    editor = field(view, "text")
    assert isinstance(editor, EditorView)
    assert editor.edit.toPlainText() == "old"
    editor.edit.setPlainText("old and new")
    view.show_mark(form("old", steps=3))
    assert editor.edit.toPlainText() == "old and new"
    view.flush()
    assert told == [Event("input.text", "old and new")]
    view.show_mark(form("a sample"))
    assert editor.edit.toPlainText() == "a sample"
    assert told[1:] == []


def test_a_long_story_stands_at_its_beginning_also_in_a_smaller_place(qtbot: QtBot) -> None:
    view = FormView(DARK)
    shown(qtbot, view, form("\n".join(f"Sentence {k}." for k in range(60))), (300, 300))
    edit = view.findChild(QPlainTextEdit)
    assert edit is not None
    assert edit.verticalScrollBar().maximum() > 0
    assert edit.verticalScrollBar().value() == 0
    view.resize(300, 160)
    qtbot.waitUntil(lambda: edit.height() < 200)
    assert edit.verticalScrollBar().value() == 0


def test_fields_keep_their_widgets_when_others_come_and_go(qtbot: QtBot) -> None:
    view = FormView(DARK)
    shown(qtbot, view, form())
    before = field(view, "text")
    view.show_mark(Form("form", form().fields[:2]))
    assert field(view, "text") is before
    assert len(view.fields.views) == 2
    view.show_mark(form(enabled=False))
    assert field(view, "text") is before
    assert not field(view, "run").button.isEnabled()


def test_every_field_has_a_name_and_takes_the_keyboard(qtbot: QtBot) -> None:
    view = FormView(DARK)
    shown(qtbot, view, form())
    widgets = (
        field(view, "text").edit,
        field(view, "menu").menu,
        field(view, "heads").buttons["0"],
        field(view, "steps").spin,
        field(view, "on").check,
        field(view, "run").button,
    )
    for widget in widgets:
        assert widget.accessibleName()
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus


@pytest.mark.parametrize("kind", [HeatmapView, FilmView, CurveView, CellsView])
def test_drawings_take_the_keyboard_and_show_it(qtbot: QtBot, kind: type[Painted]) -> None:
    mark: dict[type, Any] = {
        HeatmapView: heatmap(np.zeros((3, 3), np.float32)),
        FilmView: film(),
        CurveView: curve(),
        CellsView: Cells("h", ((Cell("a", "1", place=0),),), ("t = 1",)),
    }
    view = kind(DARK)
    shown(qtbot, view, mark[kind])
    assert view.focusPolicy() & Qt.FocusPolicy.TabFocus
    before = picture(view)
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    assert picture(view) != before


def test_fields_that_go_are_out_of_sight_at_once(qtbot: QtBot) -> None:
    """A picture taken before the event loop turns shows nothing of the form before."""
    view = FormView(DARK)
    go = (Button("go", "Go", "run.start"),)
    shown(qtbot, view, Form("f", ((Editor("text", "Story", "input.text", "old"),), go)))
    gone = view.findChildren(QPlainTextEdit)
    assert gone
    assert all(widget.isVisible() for widget in gone)
    view.show_mark(Form("f", (go,)))
    assert not any(widget.isVisible() for widget in gone)


def test_numbers_in_a_map_lose_a_leading_zero_and_nothing_else(qtbot: Any) -> None:
    values = np.array([[0.25, 10.25], [-0.5, 240.0]])
    bytes_ = np.array([[255, 0], [128, 255]], np.uint8)
    axis = Axis("x", ("1", "2"))
    for given, low, high, expected in (
        (values, -240.0, 240.0, {"10.25", "240.00"}),
        (bytes_, 0.0, 20.0, {"20.00", "10.04"}),
    ):
        view = HeatmapView(Look(Theme("light"), Translator("en")))
        qtbot.addWidget(view)
        view.resize(400, 300)
        view.show_mark(Heatmap("m", given, axis, axis, low, high, alt="a map"))
        view.show()
        written = {text.text for text in svgs.texts(svgs.drawn(view))}
        assert expected <= written

"""The lattice on screen: where cells are, what a pointer or a key tells, that many columns stay cheap."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.messages import Translator
from app.pane import Event
from app.qt.marks.base import Look
from app.qt.marks.lattice import LatticeView
from app.qt.marks.lattice_links import LINES
from app.qt.theme import Theme
from app.render.tables import twin
from app.scene import Axis, Lattice, Tone
from tests.qt import drawn
from tests.qt.drawn import picture

LIGHT, DARK = (Look(Theme(name), Translator("en")) for name in ("light", "dark"))
KINDS = (Tone("computed", "running"), Tone("copied", "running", hatched=True))


def lattice(rows: int, cols: int, **options: Any) -> Lattice:
    """Every cell computed."""
    labels = tuple(str(k + 1) for k in range(cols))
    return Lattice(
        "lattice",
        np.zeros((rows, cols), int),
        KINDS,
        Axis("depth", tuple(f"t = {k}" for k in range(rows)), kind="step"),
        Axis("position", labels, numbers=tuple(range(1, cols + 1))),
        **{"hover": "grid.hover", "pick": "grid.pick", "linked": "hover", "alt": "a lattice", **options},
    )


def shown(
    qtbot: QtBot, mark: Lattice, size: tuple[int, int] = (640, 300), look: Look = LIGHT
) -> tuple[LatticeView, list[Event]]:
    view = LatticeView(look)
    return view, drawn.shown(qtbot, view, mark, size)


def colour_at(view: LatticeView, row: int, col: int) -> str:
    """Near a corner of a cell, where no word stands."""
    point = view.cell_rect(row, col).topLeft().toPoint() + QPoint(4, 3)
    return picture(view).pixelColor(point).name()


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (7, 12), (33, 128), (11, 1024)])
def test_every_cell_is_found_where_it_is_drawn(qtbot: QtBot, rows: int, cols: int) -> None:
    view, _ = shown(qtbot, lattice(rows, cols))
    area = view.area()
    assert area.left() >= view.gutter() - 1
    assert area.right() <= view.width()
    assert area.bottom() + view.foot_height() + view.legend_height() <= view.height() + 1
    for row, col in ((0, 0), (rows - 1, cols - 1), (rows // 2, cols // 2)):
        assert view.cell_at(view.cell_rect(row, col).center()) == (row, col)


def test_depth_grows_upward_unless_told(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, lattice(3, 4))
    assert view.row_rect(0).top() > view.row_rect(2).top()
    view.show_mark(lattice(3, 4, upward=False))
    assert view.row_rect(0).top() < view.row_rect(2).top()


def test_side_by_side_lattices_share_pitch_and_base_line(qtbot: QtBot) -> None:
    low, _ = shown(qtbot, lattice(2, 8, most=7))
    high, _ = shown(qtbot, lattice(7, 8, most=7))
    assert low.pitch() == high.pitch()
    assert low.area().bottom() == high.area().bottom()


def test_the_pointer_tells_the_cell_and_the_position_and_once_only(qtbot: QtBot) -> None:
    view, told = shown(qtbot, lattice(4, 5))
    where = view.cell_rect(2, 3).center().toPoint()
    qtbot.mouseMove(view, where)
    assert told == [Event("grid.hover", (2, 3)), Event("hover", (3, 3))]
    view.show_mark(replace(view.mark, focus=(2, 3)))
    qtbot.mouseMove(view, where + QPoint(1, 1))
    assert len(told) == 2
    qtbot.mouseMove(view, QPoint(2, 2))
    assert told[2:] == [Event("grid.hover", None), Event("hover", (None, None))]
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=where)
    assert Event("grid.pick", (2, 3)) in told


def test_arrows_walk_over_cells_enter_picks_and_escape_leaves(qtbot: QtBot) -> None:
    view, told = shown(qtbot, lattice(4, 5, current=1))
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert told[0] == Event("grid.hover", (1, 0))
    for key, expected in (
        (Qt.Key.Key_Up, (2, 0)),
        (Qt.Key.Key_Right, (1, 1)),
        (Qt.Key.Key_Down, (0, 0)),
        (Qt.Key.Key_Left, (1, 0)),
    ):
        view.show_mark(replace(view.mark, focus=(1, 0)))
        told.clear()
        qtbot.keyClick(view, key)
        assert [event.value for event in told if event.name == "grid.hover"] == (
            [expected] if expected != (1, 0) else []
        )
    told.clear()
    qtbot.keyClick(view, Qt.Key.Key_Return)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert told == [Event("grid.pick", (1, 0)), Event("grid.hover", None), Event("hover", (None, None))]


@pytest.mark.parametrize("look", [LIGHT, DARK])
@pytest.mark.parametrize("cols", [6, 60, 640])
def test_kinds_shades_and_empty_cells_differ_at_every_width(qtbot: QtBot, look: Look, cols: int) -> None:
    tones = np.zeros((4, cols), int)
    tones[1], tones[3] = 1, -1
    shades = np.ones((4, cols))
    shades[2] = 0.2
    mark = replace(lattice(4, cols), tones=tones, shades=shades)
    view, _ = shown(qtbot, mark, (560, 240), look)
    image = picture(view)

    def colours(row: int) -> set[str]:
        rect = view.cell_rect(row, 0, cols).toRect().adjusted(2, 2, -2, -2)
        return {
            image.pixelColor(x, y).name()
            for x in range(rect.left(), rect.right(), 3)
            for y in range(rect.top(), rect.bottom(), 3)
        }

    assert len({frozenset(colours(row)) for row in range(4)}) == 4
    assert len(colours(1)) > len(colours(2))  # the hatch is told by its strokes


def test_a_words_cell_stays_readable_and_a_narrow_one_has_no_word(qtbot: QtBot) -> None:
    texts = tuple(tuple("even" for _ in range(8)) for _ in range(3))
    view, _ = shown(qtbot, lattice(3, 8, texts=texts), (640, 240))
    plain, _ = shown(qtbot, lattice(3, 8, texts=tuple(("",) * 8 for _ in range(3))), (640, 240))
    assert picture(view) != picture(plain)
    narrow = replace(lattice(3, 64), texts=tuple(("even",) * 64 for _ in range(3)))
    blank = replace(narrow, texts=tuple(("",) * 64 for _ in range(3)))
    one, other = shown(qtbot, narrow, (400, 240))[0], shown(qtbot, blank, (400, 240))[0]
    assert picture(one) == picture(other)


def test_the_field_steps_forward_and_links_of_the_cell_are_drawn(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, lattice(3, 8))
    before = colour_at(view, 0, 7)
    inside = colour_at(view, 0, 1)
    field = np.zeros((3, 8), bool)
    field[0, :4], field[1, 2] = True, True
    links = tuple(((1, 2), (0, col)) for col in range(4))
    view.show_mark(replace(view.mark, focus=(1, 2), field=field, links=links))
    assert colour_at(view, 0, 7) != before
    assert colour_at(view, 0, 1) == inside
    gap = (
        view.cell_rect(0, 2).topLeft()
        + (view.cell_rect(1, 2).bottomLeft() - view.cell_rect(0, 2).topLeft()) / 2
    )
    image = picture(view)
    across = {image.pixelColor(x, round(gap.y())).name() for x in range(int(gap.x()), int(gap.x()) + 40)}
    assert len(across) > 1


def test_many_links_are_thinned(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    links = np.array([[(t, i), (t - 1, i - 1)] for t in range(1, 11) for i in range(1, 1024)])
    view, _ = shown(qtbot, lattice(11, 1024, links=links), (800, 300))
    drawn: list[int] = []
    monkeypatch.setattr(view, "_draw_lines", lambda _, some, *__: drawn.append(len(some)))
    picture(view)
    assert LINES / 2 < drawn[0] <= LINES
    assert drawn[1:] == [0]


def test_moving_over_the_cells_does_not_paint_them_again(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, _ = shown(qtbot, lattice(33, 128))
    picture(view)
    painted: list[int] = []
    monkeypatch.setattr(view, "draw_cells", lambda painter: painted.append(1))
    view.show_mark(replace(view.mark, focus=(3, 3)))
    picture(view)
    assert not painted
    view.show_mark(replace(view.mark, tones=np.ones((33, 128), int)))
    picture(view)
    assert painted


def test_the_table_holds_numbers_words_and_what_each_cell_is() -> None:
    tones = np.array([[0, 1], [-1, 0]])
    titles, rows = twin(replace(lattice(2, 2), tones=tones)) or ((), ())
    assert titles[1:] == ("1 1", "2 2")
    english = [[Translator("en").text(v) if not isinstance(v, float) else v for v in row] for row in rows]
    assert english == [["t = 0", "computed", "copied"], ["t = 1", "not computed", "computed"]]
    values = np.array([[0.5, 0.25], [np.nan, 1.0]])
    words = (("odd", "even"), ("", ""))
    _, rows = twin(replace(lattice(2, 2), tones=tones, values=values, texts=words, notes=("a", "b"))) or (
        (),
        (),
    )
    assert rows[0] == ("t = 0", 0.5, 0.25, "a")
    assert rows[1] == ("t = 0", "odd", "even", "")
    assert len(rows) == 3


def test_without_cells_it_is_a_legend_alone(qtbot: QtBot) -> None:
    view, told = shown(qtbot, lattice(0, 0), (640, 300))
    assert view.maximumHeight() == view.minimumHeight() < 40
    qtbot.mouseMove(view, QPoint(20, 5))
    assert not told
    image = picture(view)
    assert len({image.pixel(x, image.height() // 2) for x in range(image.width())}) > 3
    view.show_mark(lattice(3, 4))
    assert view.maximumHeight() > 1000

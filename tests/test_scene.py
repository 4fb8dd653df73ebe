"""Scenes: keys are unique, marks compare as pictures, tables and text hold the same numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from app.messages import Translator, msg
from app.render.tables import twin
from app.render.text import to_text
from app.scene import (
    Axis,
    Bars,
    Button,
    Card,
    Cell,
    Cells,
    Column,
    Curve,
    Film,
    Form,
    Heatmap,
    Mark,
    Prose,
    Row,
    Scene,
    Series,
    Span,
    Table,
    marks,
    same,
    walk,
)

AXIS = Axis(msg("position"), ("a", "b"), ("whole a", "whole b"), (2, 1), (0,))


def heatmap(values: NDArray[np.float32]) -> Heatmap:
    side = Bars("side", "N", (1.0, 2.0), ("1", "2 …"), ("hatch", "running"), (True, False), 8.0)
    return Heatmap("map", values, AXIS, AXIS, absent=(False, True), side=side, alt="a map")


def weights() -> NDArray[np.float32]:
    return np.array([[0.25, 0.75], [0.5, 0.5]], np.float32)


def test_two_marks_of_one_key_are_refused() -> None:
    with pytest.raises(ValueError, match="'twice'"):
        Scene(Row("row", (Prose("twice", ()), Prose("twice", ()))), "t", "a")


def test_walking_goes_in_reading_order_and_marks_leave_layout_out() -> None:
    root = Row("row", (Card("card", "T", Column("col", (Prose("p", ()),))), Table("t", ())))
    assert [node.key for node in walk(root)] == ["row", "card", "col", "p", "t"]
    assert [mark.key for mark in marks(Scene(root, "t", "a"))] == ["p", "t"]


def test_equal_arrays_are_the_same_picture() -> None:
    one = heatmap(weights())
    assert same(one, heatmap(weights()))
    other = weights()
    other[0, 0] = 0.3
    assert not same(one, heatmap(other))
    assert not same(one, replace(one, pinned=1))


def test_views_of_one_frozen_buffer_are_the_same_without_a_look_at_the_numbers() -> None:
    buffer = np.full((4, 4), np.nan, np.float32)
    buffer.flags.writeable = False
    assert same(buffer[:2], buffer[:2])
    assert not same(buffer[:2], buffer[:3])


def test_a_writable_buffer_may_have_changed_and_is_drawn_again() -> None:
    buffer = weights()
    assert not same(buffer[:], buffer[:])


def test_undefined_numbers_are_drawn_alike() -> None:
    one, other = Series("a", (math.nan, 1.0)), Series("a", (float("nan"), 1.0))
    assert same(one, other)
    assert not same(one, Series("a", (math.nan, 2.0)))


def test_the_twin_of_a_map_says_whole_labels_and_leaves_absent_rows_undefined() -> None:
    found = twin(heatmap(weights()))
    assert found is not None
    titles, rows = found
    assert titles[1:] == ("2 whole a", "1 whole b", "N")
    assert rows[0] == ("2 whole a", 0.25, 0.75, "1")
    assert all(isinstance(value, float) and math.isnan(value) for value in rows[1][1:3])


def test_the_twin_of_a_pooled_map_names_blocks() -> None:
    axis = Axis("position", tuple("abcdef"))
    found = twin(Heatmap("m", np.zeros((3, 2), np.float32), axis, axis))
    assert found is not None
    assert found[0][1:] == ("1–3", "4–6")
    assert [row[0] for row in found[1]] == ["1–2", "3–4", "5–6"]


@pytest.mark.parametrize(
    "mark",
    [
        Film("f", (None,), ("t = 1",), ((Span("garden"), Span("0.9")),), (1,), 0, 1),
        Curve("c", (Series("mean", (0.5, 0.25)),), 2, (0.0, 1.0), 1, "step", "entropy"),
        Cells("h", ((Cell("garden", "0.5", tip="Mary went."),),), ("t = 1",), columns=3),
        Table("t", (("a", 1.0),)),
    ],
)
def test_every_drawing_has_a_twin_as_wide_as_its_titles(mark: Mark) -> None:
    found = twin(mark)
    assert found is not None
    titles, rows = found
    assert rows
    assert {len(row) for row in rows} == {len(titles)}


def test_text_holds_titles_controls_and_numbers_in_reading_order() -> None:
    run = Form("form", ((Button("run", msg("Run"), "run.start"),),))
    root = Row("row", (Card("card", msg("Input"), run), heatmap(weights())))
    text = to_text(Scene(root, "t", msg("No checkpoint is open.")), Translator("en"))
    assert text.index("No checkpoint is open.") < text.index("## Input") < text.index("(Run)")
    assert "0.7500" in text
    assert text.index("(Run)") < text.index("0.7500")

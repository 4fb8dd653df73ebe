"""The coordinates pane as a pure machine: lengths, parts, variants, products, a checkpoint's own signal."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from app.messages import Translator
from app.pane import Effect, Event, Selection
from app.panes import _coords_numbers as numbers
from app.panes import _coords_state as st
from app.panes import coords
from app.panes._coords_state import State
from app.render.text import to_text
from app.scene import Form, Heatmap, Progress, Row, marks, walk
from ut_engine.coordinates import coordinates, dot_products, norms

ENGLISH = Translator("en")
OWN = {
    "name": "tiny", "signal": "learned", "architecture": "universal", "bias": "none", "repeat": False,
    "d_model": 4, "positions": 3, "steps": 2, "labels": ["a", "b", "c"], "text": "abc",
    "position": [[0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 3.0, 4.0]],
    "step": [[1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]], "p": [2.5, 3.5], "h": [10.0, 20.0],
}  # fmt: skip


def after(state: State, *events: tuple[str, Any] | str) -> State:
    for event in events:
        name, value = (event, None) if isinstance(event, str) else event
        state, _ = coords.update(state, Event(name, value))
    return state


def shown(**view: str) -> State:
    return coords.from_view(coords.initial(), view)[0]


def mark(state: State, key: str) -> Any:
    return next(found for found in marks(coords.scene(state, Selection())) if found.key == key)


def keys(state: State) -> set[str]:
    return {found.key for found in marks(coords.scene(state, Selection()))}


def facts(state: State, key: str) -> list[str]:
    return [ENGLISH.text(row[1]) for row in mark(state, key).rows]


def text(state: State, language: str = "en", hovered: tuple[int, int] | None = None) -> str:
    selection = Selection() if hovered is None else Selection(hovered=hovered[0], hovered_key=hovered[1])
    return to_text(coords.scene(state, selection), Translator(language), 60)


def fields(state: State) -> dict[str, Any]:
    forms = [one for one in marks(coords.scene(state, Selection())) if isinstance(one, Form)]
    return {field.key: field for form in forms for row in form.fields for field in row}


def measured(value: dict[str, Any] = OWN, source: str = "own") -> State:
    state = after(coords.initial(), ("control.source", source), "own.measure")
    return after(state, ("measure.done", {"key": "coords.own", "value": value}))


# ---- the numbers ------------------------------------------------------------------------------------------


def test_the_lengths_the_paper_s_formula_gives() -> None:
    state = after(coords.initial(), "far.look")
    assert (state.d, state.t, state.place) == (512, 3, 999)
    assert facts(state, "position")[:3] == ["997", "24.7151", "24.7151"]
    assert facts(state, "offsets") == [
        "32.000", "16.000", "22.627", "24.7151", "24.145 – 32.000", "i − t = 3,284", "20.885",
        f"{numbers.far_lowest('paper', 512)[1]:,}",
    ]  # fmt: skip


def test_t2t_s_sinusoids_are_no_reordering() -> None:
    state = shown(source="t2t")
    assert facts(state, "position")[:3] == ["997", "24.8337", "24.8337"]
    assert facts(state, "offsets")[3] == "24.8337"


@pytest.mark.parametrize("source", ["paper", "t2t"])
@pytest.mark.parametrize("d", [64, 512])
def test_measured_and_closed_form_lie_over_each_other(source: str, d: int) -> None:
    plot = mark(shown(source=source, d=str(d), m="700", t="40"), "lengths")
    measured_, formula = plot.lines
    assert np.abs(measured_.y - formula.y).max() < 1e-11
    assert int(np.argmax(measured_.y)) == 39
    assert measured_.y.max() == pytest.approx(np.sqrt(2 * d))


def test_moving_t_shifts_the_curve_without_changing_its_shape() -> None:
    early, late = (mark(shown(t=t), "lengths").lines[0].y for t in ("3", "43"))
    assert np.abs(early[2:960] - late[42:1000]).max() < 1e-11


def test_the_length_never_comes_near_that_of_one_code() -> None:
    plot = mark(coords.initial(), "lengths")
    assert [round(rule.at, 3) for rule in plot.rules] == [32.0, 22.627, 16.0]
    assert plot.lines[0].y.min() + 5e-4 >= 24.145
    assert plot.lines[0].y.max() == pytest.approx(32.0)


@pytest.mark.parametrize("part", ["position", "step"])
def test_one_code_alone_is_equally_long_everywhere(part: str) -> None:
    plot = mark(shown(part=part), "lengths")
    assert np.allclose(plot.lines[0].y, 16.0)
    assert np.allclose(plot.lines[1].y, 16.0)


@pytest.mark.parametrize("source", ["paper", "t2t"])
@pytest.mark.parametrize("part", ["position", "step", "sum"])
def test_the_map_holds_the_engine_s_numbers(source: str, part: str) -> None:
    state = shown(source=source, d="64", m="50", part=part, t="7")
    right = coordinates(64, 50, 7, source, part)
    assert np.abs(numbers.matrix(state) - right).max() < 1e-12
    assert np.abs(numbers.lengths(state) - norms(right)).max() < 1e-12
    heatmap = mark(state, "signal")
    assert (heatmap.low, heatmap.high, heatmap.values.shape) == (-2.0, 2.0, (50, 64))
    assert np.abs(heatmap.values - right).max() < 1e-6
    many = mark(shown(source=source, d="64", m="200", part=part, t="7"), "signal")
    right = coordinates(64, 200, 7, source, part)
    assert np.abs(many.values / 127.5 * 2 - 2 - right).max() < 0.01


def test_products_are_those_of_the_rows() -> None:
    state = shown(d="64", m="200", picture="dots", part="position")
    right = dot_products(coordinates(64, 200, 3, "paper", "position"))
    assert np.abs(numbers.products(state) - right).max() < 1e-4
    heatmap = mark(state, "signal")
    assert (heatmap.low, heatmap.high) == (0.0, 0.5)
    assert set(np.diag(heatmap.values).tolist()) == {255}


def test_numbers_written_into_cells_are_the_engine_s() -> None:
    """Bytes of the scale would be written as 0 ... 255."""
    few = mark(shown(picture="dots", d="512", m="11", step="3"), "signal")
    exact = dot_products(coordinates(512, 11, 3)) / 512
    assert few.values.dtype == np.float32
    np.testing.assert_allclose(few.values, exact, atol=1e-5)
    own = mark(after(measured(), ("control.picture", "dots")), "signal")
    assert own.values.dtype == np.float32
    assert mark(shown(picture="dots", m="1000"), "signal").values.dtype == np.uint8  # too narrow for numbers


def test_a_learned_step_table_knows_no_distance() -> None:
    state = shown(source="table")
    plot = mark(state, "lengths")
    assert len(plot.lines) == 1
    assert facts(state, "table")[0] == "27.713"
    assert abs(float(plot.lines[0].y.mean()) - 27.713) < 1.5
    assert "offsets" not in keys(state)


# ---- what is drawn ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", coords.LARGEST)
def test_only_what_a_screen_can_show_reaches_the_map(view: dict[str, str]) -> None:
    heatmap = mark(shown(**view), "signal")
    assert isinstance(heatmap, Heatmap)
    assert len(heatmap.rows) == 2000
    assert heatmap.values.shape[0] <= numbers.ROWS
    assert heatmap.values.shape[1] <= numbers.COLS
    assert "rows" in text(shown(**view))


def test_of_many_dimensions_sines_and_cosines_are_shown_alike() -> None:
    cols = numbers.columns(1024, numbers.COLS)
    assert len(cols) == numbers.COLS
    assert (np.bincount(cols % 2) == numbers.COLS // 2).all()
    state = shown(d="1024", m="50", t="7")
    right = coordinates(1024, 50, 7)[:, cols]
    assert np.abs(numbers.matrix(state) - right).max() < 1e-11


def test_a_step_at_the_largest_size_takes_less_than_a_frame() -> None:
    state = shown(**coords.LARGEST[0])
    coords.scene(state, Selection())
    taken = []
    for t in range(60, 70):
        started = time.perf_counter()
        state = after(state, ("control.t", t))
        coords.scene(state, Selection())
        taken.append(time.perf_counter() - started)
    assert min(taken) < 0.033


def test_the_number_under_the_pointer_and_how_it_is_made() -> None:
    state = shown(d="64", m="50", t="7")
    right = [float(coordinates(64, 50, 7, part=part)[9, 5]) for part in ("position", "step", "sum")]
    said = "i = 10, dimension 5, t = 7: {:.4f} + {:.4f} = {:.4f}".format(*right)
    assert said in text(state, hovered=(9, 5))
    assert "i = 10" not in text(state, hovered=(50, 0))
    rows = coordinates(64, 50, 7)
    dots = after(state, ("control.picture", "dots"))
    assert f"P_10 · P_6 = {float(rows[9] @ rows[5]):.4f}" in text(dots, hovered=(9, 5))
    own = after(measured(), "transport.first", ("control.picture", "dots"))
    assert "P_1 · P_2 = 3.0000" in text(own, hovered=(0, 1))


def test_moving_over_the_map_keeps_its_picture() -> None:
    for state in (shown(), shown(picture="dots", m="300")):
        one, other = (
            next(
                m
                for m in marks(coords.scene(state, Selection(hovered=k, hovered_key=3)))
                if m.key == "signal"
            )
            for k in (4, 5)
        )
        assert one.values is other.values
        assert (one.hovered, other.hovered) == ((4, 3), (5, 3))


def test_another_pane_s_position_is_marked() -> None:
    scene = coords.scene(coords.initial(), Selection(hovered=4))
    assert next(one for one in marks(scene) if one.key == "signal").hovered == (4, 0)
    assert after(coords.initial(), ("pin", 20)).look == 20
    assert after(coords.initial(), ("curve.pick", 30.4)).look == 29


# ---- controls ---------------------------------------------------------------------------------------------


def test_sizes_stay_in_their_limits() -> None:
    state = after(coords.initial(), ("control.m", 99999), ("control.d", "1024"), ("control.d", "100"))
    assert (state.m, state.d) == (2000, 1024)
    assert after(state, ("control.m", 0)).m == 2
    assert after(state, ("control.part", "?")) is state


def test_steps_go_through_the_timeline() -> None:
    state = after(coords.initial(), "transport.forward", "transport.forward", "transport.back")
    assert state.t == 4
    state = after(state, "transport.last")
    assert state.t == 100
    assert coords.timeline(state) is state.line
    assert after(state, "transport.play", "transport.tick").t == 2


@pytest.mark.parametrize("view", [*coords.SHOWN, *coords.LARGEST, {"look": "7", "far": "1", "t": "2"}])
def test_views_come_back(view: dict[str, str]) -> None:
    state = shown(**view)
    assert coords.to_view(shown(**coords.to_view(state))) == coords.to_view(state)
    assert {name: coords.to_view(state).get(name) for name in view} == view


def test_a_senseless_view_leaves_what_is_usual() -> None:
    assert coords.to_view(shown(d="100", m="1", t="0", source="?", part="x", look="-2")) == {"t": "3"}


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("view", coords.SHOWN)
def test_every_state_is_told_in_both_languages(language: str, view: dict[str, str]) -> None:
    assert len(text(shown(**view), language)) > 200


def test_sentence_and_caption() -> None:
    said = ENGLISH.text(coords.sentence(coords.initial()))
    assert said == (
        "Step 3, width 512: the length is 24.72 at position 1000, over all positions 24.15 to 32.00."
    )
    parts = [ENGLISH.text(part) for part in coords.caption(coords.initial())]
    assert parts == ["the paper's formula", "sum", "d = 512, 1000 positions", "step 3"]


@pytest.mark.parametrize(("width", "columns"), [(853, 1), (1024, 2), (1280, 3)])
def test_it_folds_in_a_narrow_window(width: int, columns: int) -> None:
    root: Any = coords.scene(after(coords.initial(), ("view.width", width)), Selection()).root
    assert (len(root.children) if isinstance(root, Row) else 1) == columns
    assert {"signal", "lengths", "control", "offsets"} <= {node.key for node in walk(root)}


# ---- a checkpoint's own -----------------------------------------------------------------------------------


def test_the_own_signal_is_asked_for_and_awaited() -> None:
    state, effects = coords.update(coords.initial(), Event("control.source", "own"))
    assert effects[0].name == "measure.start"
    assert effects[0].value["args"]["checkpoint"].endswith("babi")
    assert coords.timeline(state) is None
    assert isinstance(mark(state, "signal.wait"), Progress)
    state = after(state, ("measure.progress", {"key": "coords.own", "done": 2, "total": 5}))
    assert mark(state, "signal.wait").done == 2
    back, effects = coords.update(state, Event("own.cancel"))
    assert effects == (Effect("measure.cancel", "coords.own"),)
    assert back.own.phase == st.IDLE


def test_the_own_signal_is_drawn_step_by_step() -> None:
    state = measured()
    assert (state.steps, state.positions, state.width) == (2, 3, 4)
    assert state.line.planned == 2
    first = after(state, "transport.first")
    assert np.allclose(mark(first, "lengths").lines[0].y, [np.sqrt(3), np.sqrt(5), np.sqrt(26)])
    assert mark(first, "beside").lines[0].y.tolist() == [10.0, 20.0]
    assert mark(first, "beside").lines[1].y.tolist() == [2.5, 3.5]
    assert "In tiny the signal has length 2.5 at step 1, the states it is added to 10.0" in text(first)
    assert not fields(first)["m"].enabled
    assert coords.shows_model(first) is False


def test_beside_the_states_it_is_shown_with_a_formula_too() -> None:
    state = after(coords.initial(), "own.measure")
    state = after(state, ("measure.done", {"key": "coords.own", "value": OWN}))
    assert (state.source, state.steps) == ("paper", 100)
    assert mark(state, "beside").here is None


def test_a_model_without_a_signal_says_so() -> None:
    state = measured(
        {**OWN, "signal": "none", "bias": "relative", "position": [], "step": [], "p": [0.0, 0.0]}
    )
    assert "adds no coordinate signal: its attention tells positions apart by a bias (relative)" in text(
        state
    )
    assert coords.sentence(state)


def test_a_fault_is_said_with_a_way_on() -> None:
    state = after(coords.initial(), "own.measure")
    wrong = {"key": "coords.own", "what": "an LSTM adds no coordinates", "do": "open a model of depth"}
    state = after(state, ("measure.error", wrong))
    assert "An LSTM adds no coordinates. Open a model of depth." in text(state)
    assert fields(state)["beside.again"].event == "own.measure"


def test_without_any_checkpoint_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.panes._coords_events.shipped", dict)
    state, effects = coords.update(coords.initial(), Event("own.measure"))
    assert effects == ()
    assert "There is no checkpoint to measure. Open one first." in text(state)


def test_the_open_checkpoint_is_the_one_measured() -> None:
    card = {"card": {"path": "/models/mine", "name": "mine"}, "samples": []}
    state = after(measured(), ("control.source", "paper"), ("engine.opened", card))
    assert state.own.phase == st.IDLE
    _, effects = coords.update(state, Event("own.measure"))
    assert effects[0].value["args"]["checkpoint"] == "/models/mine"
    _, effects = coords.update(measured(), Event("engine.opened", card))
    assert effects[0].name == "measure.start"


def test_a_view_of_a_step_the_checkpoint_does_not_have_shows_its_last() -> None:
    state, _ = coords.from_view(measured(), {"source": "own", "t": "50"})
    assert (state.t, state.line.computed) == (2, 2)
    assert text(state)
    asked, _ = coords.from_view(coords.initial(), {"source": "own", "t": "2"})
    there = after(asked, ("measure.done", {"key": "coords.own", "value": OWN}))
    assert (there.t, there.line.computed) == (2, 2)


def test_a_fault_after_a_cancel_is_not_said() -> None:
    state = after(coords.initial(), "own.measure", "own.cancel")
    late = {"key": "coords.own", "what": "it broke", "do": "mend it"}
    assert after(state, ("measure.error", late)) is state

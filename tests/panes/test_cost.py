"""The calculator as a state machine: every number of its chapter, controls, wrong input, views."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from app.messages import LANGUAGES, Translator
from app.pane import Effect, Event, Selection
from app.panes import _cost_state as st
from app.panes import cost
from app.panes._cost_figures import times
from app.panes._cost_state import State
from app.render.tables import twin
from app.render.text import to_text
from app.scene import Amounts, Form, Plot, Prose, Sheet, marks
from ut_engine.cost import Switches, macs
from ut_engine.design import parameters

ENGLISH = Translator("en")


def after(state: State, *events: tuple[str, Any] | str) -> State:
    for event in events:
        name, value = (event, None) if isinstance(event, str) else event
        state, _ = cost.update(state, Event(name, value))
    return state


def mark(state: State, key: str) -> Any:
    return next(found for found in marks(cost.scene(state, Selection())) if found.key == key)


def keys(state: State) -> set[str]:
    return {found.key for found in marks(cost.scene(state, Selection()))}


def text(state: State, language: str = "en") -> str:
    return to_text(cost.scene(state, Selection()), Translator(language), 80)


def fields(state: State) -> dict[str, Any]:
    forms = [one for one in marks(cost.scene(state, Selection())) if isinstance(one, Form)]
    return {field.key: field for form in forms for row in form.fields for field in row}


def rows(sheet: Sheet) -> dict[str, list[str]]:
    found = {}
    for row in sheet.rows:
        name, *cells = (ENGLISH.text(span.text) for span in row)
        found[name] = cells
    return found


# ---- the story's numbers ----------------------------------------------------------------------------------


def test_the_published_models_stand_in_a_table_as_in_the_story() -> None:
    assert rows(mark(cost.initial(), "presets")) == {
        "Transformer base": ["63,082,496", "1", "44,040,192", "1", "28.0 ¹"],
        "UT small": ["26,300,416", "0.417", "44,040,192", "1", "26.8 ¹"],
        "UT base": ["67,280,896", "1.067", "176,160,768", "4", "28.9 ¹"],
        "Transformer big": ["214,245,376", "3.396", "176,160,768", "4", "28.4 ²"],
    }


def test_why_parameters_and_work_come_apart() -> None:
    shown = text(cost.initial())
    for said in (
        "Big has 3.18 times UT base's parameters at the same work.", "sharing divides the layers by 6",
        "0.666 of base's parameters", "is 4 times base's", "UT base has 1.067 times base's",
        "usually wins when work is the limit", "another paper, another set-up",
    ):  # fmt: skip
        assert said in " ".join(shown.split()), said


def test_the_width_solver() -> None:
    state = after(cost.initial(), ("cost.preset", "transformer-base"), ("cost.tab", 1))
    shown = " ".join(text(state).split())
    assert "28 d² + 37,032 d = 63,082,496" in shown
    assert "d = 978.91, rounded 979: 63,090,676 parameters, +8,180 against base." in shown
    assert "979 splits into neither 8 nor 16 heads, only into 1, 11, 89, 979" in shown
    plot = mark(state, "width.curve")
    line = plot.lines[0]
    assert np.interp(plot.rules[1].at, line.x, line.y) == pytest.approx(63_082_496, rel=1e-3)
    taken = after(state, ("cost.use", 976))
    assert (taken.design.d_model, taken.design.heads, taken.design.shared) == (976, 8, True)
    assert after(state, ("cost.use", 979)).design.heads == 1


def test_bert_and_albert() -> None:
    state = after(cost.initial(), ("cost.tab", "albert"))
    shown = " ".join(text(state).split())
    for said in (
        "109,482,240",
        "11,683,584",
        "108,490,752",
        "about 31.5 M",
        "84,934,656 multiply-adds a token in both",
    ):
        assert said in shown, said
    bars = mark(state, "albert")
    assert [ENGLISH.text(row.value) for row in bars.rows] == ["109,482,240", "31,515,648", "11,683,584"]
    assert after(state, (bars.event, bars.values[2])).current == "albert-base"
    assert after(state, (bars.event, bars.values[1])) == state


@pytest.mark.parametrize(
    ("events", "ratio"),
    [
        ((("cost.softmax", True),), "3.398"),
        ((("cost.hoisted", True),), "3.762"),
        ((("cost.scores", True),), "3.948"),  # (176,160,768 + 2,359,296) / (44,040,192 + 1,179,648)
        ((("cost.length", 1000),), "3.41"),  # (176,160,768 + 36,864,000) / (44,040,192 + 18,432,000)
    ],
)
def test_switches_change_the_work(events: tuple[tuple[str, Any], ...], ratio: str) -> None:
    state = after(cost.initial(), *events)
    assert rows(mark(state, "presets"))["UT base"][3] == ratio
    assert f"{ratio} × its work" in text(state)
    assert rows(mark(state, "presets"))["UT base"][1] == "1.067"


def test_attention_biases_change_the_parameters() -> None:
    state = after(cost.initial(), ("cost.biases", False))
    assert rows(mark(state, "presets"))["Transformer base"][0] == "63,045,632"
    assert state.current == "ut-base"


def test_scores_grow_with_the_length() -> None:
    works = [after(cost.initial(), ("cost.length", n)).cost.macs["scores"] for n in (64, 128)]
    assert works[1] == 2 * works[0] == 2 * 2 * 64 * 1024 * 6 * 3


# ---- the figures ------------------------------------------------------------------------------------------


def test_the_scatter_holds_every_published_model_with_its_bleu_and_moves_along() -> None:
    state = cost.initial()
    plot = mark(state, "scatter")
    assert isinstance(plot, Plot)
    loud = [line for line in plot.lines if not line.quiet]
    labels = [ENGLISH.text(label) for line in loud for label in line.labels]
    assert labels == [
        "Transformer base · 28.0",
        "UT small · 26.8",
        "UT base · 28.9",
        "Transformer big · 28.4",
        "",
    ]
    assert [ENGLISH.text(line.name) for line in loud[:2]] == [
        "Universal Transformers, table 7",
        "Vaswani et al. 2017",
    ]
    assert (loud[-1].x[0], loud[-1].y[0]) == (176_160_768, 67_280_896)
    moved = mark(after(state, ("cost.depth", 12)), "scatter").lines[-1]
    assert (moved.x[0], moved.y[0]) == (2 * 176_160_768, 67_280_896)
    assert plot.x.log
    assert plot.y.log
    for axis, values in ((plot.x, "x"), (plot.y, "y")):
        for line in loud:
            assert (axis.low < getattr(line, values)).all()
            assert (getattr(line, values) < axis.high).all()


def test_every_point_of_an_iso_line_uses_a_parameter_equally_often() -> None:
    for line in mark(cost.initial(), "scatter").lines:
        if line.quiet:
            assert line.x[0] / line.y[0] == pytest.approx(line.x[1] / line.y[1])


def test_a_click_on_a_point_takes_that_model_up() -> None:
    state = cost.initial()
    plot = mark(state, "scatter")
    names = dict(zip((ENGLISH.text(line.name) for line in plot.lines), plot.ids, strict=True))
    paper, vaswani = names["Universal Transformers, table 7"], names["Vaswani et al. 2017"]
    assert after(state, ("cost.point", (paper, 1))).current == "ut-small"
    assert after(state, ("cost.point", (vaswani, 0))).current == "transformer-big"
    assert after(state, ("cost.point", (names["on screen"], 0))) == state


@pytest.mark.parametrize("preset", [*st.STORY, *st.ENCODERS])
def test_bars_add_up_and_stand_beside_those_of_base(preset: str) -> None:
    state = after(cost.initial(), ("cost.preset", preset), ("cost.softmax", True), ("cost.scores", True))
    for key, total in (("breakdown", state.cost.parameters), ("work", state.cost.macs_per_token)):
        bars = mark(state, key)
        assert isinstance(bars, Amounts)
        assert sum(size for _, size, _ in bars.rows[0].parts) == total
        assert sum(row.parts[0][1] for row in bars.rows[2:]) == total
        assert ENGLISH.text(bars.rows[0].value) == f"{total:,}"
        assert twin(bars) is not None


def test_ut_bases_kinds_against_bases() -> None:
    notes = {ENGLISH.text(row.name): ENGLISH.text(row.note) for row in mark(cost.initial(), "breakdown").rows}
    assert notes["embedding"] == "2 × base"
    assert notes["attention"] == notes["feed-forward"] == "0.667 × base"
    assert notes["on screen"] == "1.067 × base"


# ---- controls ---------------------------------------------------------------------------------------------


def test_d_ff_follows_until_it_is_set_itself() -> None:
    state = after(cost.initial(), ("cost.d_model", 512.0))
    assert state.design.d_ff == 2048
    state = after(state, ("cost.d_ff", 1000.0), ("cost.d_model", 1024.0))
    assert (state.design.d_ff, state.linked) == (1000, False)
    assert after(state, ("cost.linked", True)).design.d_ff == 4096


def test_sharing_sides_and_vocabulary() -> None:
    state = after(cost.initial(), ("cost.shared", "own"))
    assert state.current == "transformer-big"
    state = after(state, ("cost.sides", "encoder"))
    assert state.cost.macs_per_token == 75_497_472
    assert "multiply-adds of a token" in text(state)
    state = after(state, ("cost.vocab", 1000.0))
    assert state.cost.embedding_parameters == 1000 * 1024


def test_a_decoder_leaves_berts_tables_behind() -> None:
    state = after(cost.initial(), ("cost.preset", "bert-base"))
    assert not state.checkable
    state = after(state, ("cost.sides", "both"))
    assert state.checkable
    assert state.design.decoder
    assert state.design.embedding_rows == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_width_that_does_not_split_is_said_beside_its_field_and_nothing_jumps(language: str) -> None:
    state = after(cost.initial(), ("cost.d_model", 1000.0))
    assert state.design.d_model == 1024
    assert fields(state)["cost.d_model"].value == 1000
    wrong = mark(state, "wrong.d_model")
    assert isinstance(wrong, Prose)
    said = Translator(language).text(wrong.lines[0][0].text)
    assert "1,000" in said
    assert "992, 1,008" in said
    order = [found.key for found in marks(cost.scene(state, Selection()))]
    assert order.index("wrong.d_model") == order.index("cost.d_model.form") + 1
    assert "wrong.d_model" not in keys(after(state, ("cost.heads", 10)))
    assert after(state, ("cost.heads", 10)).design.d_model == 1000


def test_heads_that_do_not_divide_are_said_beside_theirs() -> None:
    state = after(cost.initial(), ("cost.heads", 12))
    assert "12 heads cannot share d = 1,024 evenly: choose a divisor of d, such as 4, 8, 16, 32" not in text(
        state
    )
    assert "choose a divisor of d, such as" in text(state)
    assert "8, 16" in text(state)
    assert "wrong.heads" in keys(state)
    assert "wrong.heads" not in keys(after(state, ("cost.preset", "ut-small")))


def test_the_slider_of_d_goes_from_one_fitting_width_to_the_next() -> None:
    field = fields(cost.initial())["cost.d_model"]
    assert (field.low, field.step) == (16, 16)


@pytest.mark.parametrize("width", [800, 1139, 1140, 1600])
def test_a_narrow_window_folds(width: int) -> None:
    state = after(cost.initial(), ("view.width", width))
    assert state.narrow == (width < 1140)
    assert {"scatter", "breakdown", "presets", "check.note"} <= keys(state)


# ---- the real module --------------------------------------------------------------------------------------


def answer(state: State, **other: int) -> dict[str, Any]:
    design = state.design
    value = {
        "parameters": parameters(design), "length": st.CHECKED,
        "multiply_adds": st.CHECKED * macs(design, Switches(hoisted=True, length=st.CHECKED)),
    }  # fmt: skip
    return {"key": "cost.check", "value": value | other}


def test_the_real_module_is_asked_and_its_answer_set_beside_ours() -> None:
    state, effects = cost.update(cost.initial(), Event("cost.check"))
    (effect,) = effects
    assert effect.name == "measure.start"
    assert (effect.value["key"], effect.value["what"]) == ("cost.check", "cost")
    assert json.loads(json.dumps(effect.value["args"])) == effect.value["args"]
    assert effect.value["args"]["d_model"] == 1024
    assert "check.waits" in keys(state)
    state = after(state, ("measure.progress", {"key": "cost.check", "done": 3, "total": 12}))
    assert (mark(state, "check.waits").done, mark(state, "check.waits").total) == (3, 12)
    done = after(state, ("measure.done", answer(state)))
    assert "67,280,896 = 67,280,896 sum(p.numel())" in " ".join(text(done).split())
    assert "≠" not in text(done)
    off = after(state, ("measure.done", answer(state, parameters=67_280_895)))
    assert "≠" in text(off)
    assert "They differ by −1." in text(off)


def test_a_check_holds_for_its_own_design_only() -> None:
    state = after(cost.initial(), "cost.check")
    done = after(state, ("measure.done", answer(state)))
    assert "check.answer" in keys(done)
    assert "check.note" in keys(after(done, ("cost.depth", 7)))
    assert "check.answer" in keys(after(done, ("cost.depth", 7), ("cost.depth", 6)))
    again, effects = cost.update(after(state, ("cost.depth", 7)), Event("cost.check"))
    assert effects[0].value["args"]["depth"] == 7
    assert cost.update(again, Event("cost.check"))[1] == ()


def test_a_check_can_be_cancelled_and_can_fail() -> None:
    state = after(cost.initial(), "cost.check")
    gone, effects = cost.update(state, Event("cost.cancel"))
    assert effects == (Effect("measure.cancel", "cost.check"),)
    assert "check.note" in keys(gone)
    told = {"what": "The engine ended (exit code 1)", "do": "Start it again, the records received are kept"}
    failed = after(state, ("measure.error", {"key": "cost.check", **told}))
    assert "exit code 1" in text(failed)
    assert cost.update(failed, Event("cost.check"))[1] != ()


def test_news_of_other_measurements_change_nothing() -> None:
    state = after(cost.initial(), "cost.check")
    for name in ("measure.progress", "measure.done", "measure.error"):
        assert after(state, (name, {"key": "grid.cells", "done": 1, "total": 2, "value": {}})) == state


def test_what_the_engine_cannot_build_is_not_asked() -> None:
    state = after(cost.initial(), ("cost.preset", "bert-base"))
    assert cost.update(state, Event("cost.check")) == (state, ())
    assert "check.no" in keys(state)


# ---- views ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "events",
    [
        (("cost.preset", "transformer-big"),),
        (("cost.preset", "albert-base"), ("cost.tab", "albert"), ("cost.depth", 24)),
        (("cost.d_model", 976.0), ("cost.heads", 8), ("cost.hoisted", True), ("cost.length", 512)),
        (("cost.shared", "own"), ("cost.sides", "encoder"), ("cost.vocab", 50.0), ("cost.biases", False)),
        (("cost.d_ff", 100.0), ("cost.softmax", True), ("cost.tab", "width")),
    ],
)
def test_a_view_comes_back(events: tuple[tuple[str, Any], ...]) -> None:
    state = after(cost.initial(), *events)
    view = cost.to_view(state)
    back, effects = cost.from_view(cost.initial(), view)
    assert effects == ()
    assert cost.to_view(back) == view
    assert back.design == state.design
    assert back.switches == state.switches


@pytest.mark.parametrize(
    "view",
    [
        {"d": "1000"}, {"d": "x", "heads": "0"}, {"vocab": "99999999"}, {"preset": "gpt"}, {"length": "-1"},
        {"d": "9" * 5000, "length": "9" * 5000}, {"heads": "²", "depth": "", "vocab": "nan"}, {"d": "٥١٢"},
    ],
)  # fmt: skip
def test_senseless_values_of_a_view_are_left_out(view: dict[str, str]) -> None:
    assert cost.from_view(cost.initial(), view)[0] == cost.initial()


@pytest.mark.parametrize("view", [*cost.SHOWN, *cost.LARGEST])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_number_is_undefined_in_any_state(view: dict[str, str], language: str) -> None:
    state, _ = cost.from_view(cost.initial(), view)
    shown = text(state, language)
    assert "nan" not in shown.lower()
    assert len(shown) > 800


def test_a_ratio_far_below_base_is_not_said_to_be_zero() -> None:
    smallest, _ = cost.from_view(
        cost.initial(), {"d": "1", "heads": "1", "dff": "1", "depth": "1", "vocab": "2"}
    )
    assert 0 < smallest.cost.ratio_parameters < 1e-5
    assert " 0 times" not in ENGLISH.text(cost.sentence(smallest))
    assert [times(ratio) for ratio in (4.0, 0.417, 1234.5, 0.0, 3.21e-7)] == [
        "4",
        "0.417",
        "1,234",
        "0",
        "3.2e-07",
    ]


def test_the_sentence_says_both_numbers() -> None:
    assert ENGLISH.text(cost.sentence(cost.initial())) == (
        "UT base: 67,280,896 parameters, 1.067 times base's 63,082,496; 176,160,768 multiply-adds a pair of "
        "tokens, 4 times base's"
    )


def test_the_published_models_are_sorted_by_their_heads_and_one_stays_chosen() -> None:
    state = cost.initial()
    for _ in range(2):
        state, _effects = cost.update(state, Event("cost.sort", 5))
    shown = mark(state, "presets")
    assert list(rows(shown)) == ["UT base", "Transformer big", "Transformer base", "UT small"]
    assert (shown.current, shown.values[0]) == (0, "ut-base")
    assert cost.update(state, Event("cost.sort", 6))[0] == state

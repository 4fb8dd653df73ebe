"""What ACT learned: the numbers of the specification, the waiting and the failing, controls and views."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app import paper
from app.messages import Translator
from app.pane import Effect, Event, Selection, all_panes
from app.panes import _ponder_babi as babi
from app.panes import _ponder_lambada as lambada
from app.panes import _ponder_state as st
from app.panes import _ponder_story as story_view
from app.panes import _ponder_swap as swap
from app.panes._ponder_state import State
from app.paths import shipped
from app.render.text import to_text
from app.scene import Amounts, Curve, Heatmap, Plot, Progress, Prose, Scene, Sheet, marks
from ut_engine.tasks.babi import read_babi
from ut_engine.torch import measures

PANE: Any = all_panes()["ponder"]


def after(state: State, *events: Any) -> State:
    for event in events:
        name, value = event if isinstance(event, tuple) else (event, None)
        state, _ = PANE.update(state, Event(name, value))
    return state


def done(state: State, event: tuple[str, Any]) -> tuple[State, tuple[Effect, ...]]:
    found: tuple[State, tuple[Effect, ...]] = PANE.update(state, Event(*event))
    return found


def mark(scene: Scene, key: str) -> Any:
    return next(one for one in marks(scene) if one.key == key)


def scene(state: State, **selection: Any) -> Scene:
    found: Scene = PANE.scene(state, Selection(**selection))
    return found


def text(state: State, language: str = "en") -> str:
    return to_text(scene(state), Translator(language))


@lru_cache(maxsize=8)
def answer(what: str, args: str) -> dict[str, Any]:
    """A measurement, made in this process."""
    return measures.find(what)(ast.literal_eval(args), measures.silent)


def measured(state: State, effects: tuple[Effect, ...]) -> State:
    """The state once everything that was asked for has come."""
    for effect in effects:
        assert effect.name == "measure.start"
        value = answer(effect.value["what"], repr(effect.value["args"]))
        state = after(state, ("measure.done", {"key": effect.value["key"], "value": value}))
    return state


def shown_at(view: Mapping[str, str]) -> State:
    return measured(*PANE.from_view(PANE.initial(), view))


@pytest.fixture(scope="module")
def report() -> State:
    return shown_at({"look": "babi", "computed": "1"})


@pytest.fixture(scope="module")
def hops() -> State:
    return shown_at({"look": "story", "sample": "2"})


@pytest.fixture(scope="module")
def swapped() -> State:
    return shown_at({"look": "swap", "story": "1"})


# ---- bAbI -------------------------------------------------------------------------------------------------


def test_the_paper_s_ponder_times() -> None:
    assert [paper.pondered(facts) for facts in (1, 2, 3)] == [(2.3, 0.8), (3.1, 1.1), (3.8, 2.2)]
    bars = mark(scene(PANE.initial()), "ponder")
    assert isinstance(bars, Amounts)
    printed = [row.value for row in bars.rows if row.source == "paper"]
    assert printed == ["2.3 ± 0.8", "3.1 ± 1.1", "3.8 ± 2.2"]
    ends = [(row.low, row.high) for row in bars.rows if row.source == "paper"]
    assert ends == [pytest.approx((1.5, 3.1)), pytest.approx((2.0, 4.2)), pytest.approx((1.6, 6.0))]


def test_own_figures_stand_beside_and_are_never_mixed_with_the_paper_s() -> None:
    bars = mark(scene(PANE.initial()), "ponder")
    assert [row.source for row in bars.rows] == ["paper", "measured", "measured"] * 3
    own = [row.value for row in bars.rows if row.source == "measured"]
    card = (Path(shipped()["babi"]) / "card.md").read_text("utf-8")
    assert all(value in card for value in own)
    assert "card" in text(PANE.initial())


def test_recomputed_figures_are_those_of_the_card_with_rho_besides(report: State) -> None:
    said = text(report)
    assert "Recomputed just now on 1500" in said
    assert "They agree with the card’s." in said
    before = [row.value for row in mark(scene(PANE.initial()), "ponder").rows]
    assert [row.value for row in mark(scene(report), "ponder").rows] == before
    table = mark(scene(report), "figures")
    assert isinstance(table, Sheet)
    rho = [span.text for span in table.rows[2][1:]]
    n = [span.text for span in table.rows[1][1:]]
    assert all(float(r.split()[0]) > float(k.split()[0]) for r, k in zip(rho, n, strict=True))  # type: ignore[union-attr]
    assert [span.text for span in mark(scene(PANE.initial()), "figures").rows[2][1:]] == ["–"] * 3


def test_figures_that_differ_from_the_card_are_told(report: State) -> None:
    value = report.measured(st.REPORT).value
    off = {**value, "per_task": [{**task, "ponder_mean": 5.0} for task in value["per_task"]]}
    state, _ = done(PANE.initial(), ("ponder.recompute", st.REPORT))
    state = after(state, ("measure.done", {"key": st.REPORT, "value": off}))
    assert "They differ from the card’s" in text(state)


def test_the_question_s_histogram_is_in_the_card_that_of_all_is_computed(report: State) -> None:
    first, recomputed = (mark(scene(state), "histogram") for state in (PANE.initial(), report))
    assert isinstance(first, Plot)
    for one, other in zip(first.lines, recomputed.lines, strict=True):
        assert one.y == pytest.approx(other.y[: len(one.y)], abs=1e-9)
        assert one.y.sum() == pytest.approx(1.0)
    without = mark(scene(after(PANE.initial(), ("ponder.positions", "all"))), "histogram")
    assert not without.lines
    assert "Recompute" in Translator("en").text(without.note)
    every = mark(scene(after(report, ("ponder.positions", "all"))), "histogram")
    assert [int(line.x[line.y.argmax()]) for line in every.lines] == [1, 1, 1]
    assert all(line.y[2:].sum() < 0.2 for line in every.lines)  # most halt after one or two updates


def test_a_set_is_computed_on_request_only_and_can_be_cancelled() -> None:
    state, effects = PANE.from_view(PANE.initial(), {"look": "babi"})
    assert effects == ()
    state, effects = done(state, ("ponder.recompute", st.REPORT))
    assert [effect.name for effect in effects] == ["measure.start"]
    assert effects[0].value["what"] == "babi"
    state = after(state, ("measure.progress", {"key": st.REPORT, "done": 30, "total": 1500}))
    bar = mark(scene(state), f"{st.REPORT}.progress")
    assert isinstance(bar, Progress)
    assert (bar.done, bar.total) == (30, 1500)
    state, effects = done(state, ("ponder.cancel", st.REPORT))
    assert effects == (Effect("measure.cancel", st.REPORT),)
    assert not any(isinstance(one, Progress) for one in marks(scene(state)))


def test_what_goes_wrong_is_said_with_a_button_to_try_again() -> None:
    state, _ = done(PANE.initial(), ("ponder.recompute", st.REPORT))
    error = {
        "key": st.REPORT,
        "what": "the engine was killed, perhaps because the memory was used up",
        "do": "start it",
    }
    state = after(state, ("measure.error", error))
    box = mark(scene(state), f"{st.REPORT}.error")
    assert isinstance(box, Prose)
    assert "memory" in text(state)
    assert "메모리" in text(state, "ko")
    state, effects = done(state, ("ponder.again", st.REPORT))
    assert effects[0].value["key"] == st.REPORT


def test_an_answer_nobody_waits_for_changes_nothing() -> None:
    state = PANE.initial()
    for event in ("measure.done", "measure.error", "measure.progress"):
        value = {"key": st.REPORT, "value": {}, "what": "x", "do": "y", "done": 1, "total": 2}
        assert after(state, (event, value)) is state
        assert after(state, (event, {**value, "key": "scan.learned"})) is state


def test_without_the_checkpoint_the_paper_s_figures_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "shipped", dict)
    for cache in (st.samples, st.card, st.triple):
        cache.cache_clear()
    try:
        state = PANE.initial()
        assert "does not ship" in text(state)
        assert [row.source for row in mark(scene(state), "ponder").rows] == ["paper"] * 3
        for look in st.LOOKS:
            after_, effects = done(state, ("ponder.look", look))
            assert effects == ()
            assert len(text(after_)) > 100
    finally:
        monkeypatch.undo()
        for cache in (st.samples, st.card, st.triple):
            cache.cache_clear()


# ---- LAMBADA ----------------------------------------------------------------------------------------------


def test_lambada_is_the_paper_s_table() -> None:
    assert lambada.fixed() == [(6, 319.0), (8, 202.0), (9, 239.0)]
    assert lambada.adaptive() == (8.2, 2.1, 142.0)
    state = after(PANE.initial(), ("ponder.look", "lambada"))
    plot = mark(scene(state), "lambada")
    assert plot.lines[0].y.tolist() == [319.0, 202.0, 239.0]
    assert plot.lines[2].x.tolist() == pytest.approx([6.1, 10.3])
    assert "authors" in text(state)
    assert "regulariser" in text(state)
    rows = {str(row[0].text): row for row in mark(scene(state), "sets").rows}
    for name in ("LSTM", "Transformer"):
        assert [span.bold for span in rows[name][1:]] == [False, True, True]
    assert "5,174" in [span.text for span in rows["LSTM"]]
    assert "trained on LAMBADA" in text(state)  # nothing of ours


# ---- same story, other question ---------------------------------------------------------------------------


def test_the_story_stays_and_the_question_s_own_time_rises(swapped: State) -> None:
    runs = swap.runs(swapped)
    assert [len(run["supports"]) for run in runs] == [1, 2, 3]
    assert runs[0]["facts"] == runs[1]["facts"] == runs[2]["facts"]
    assert runs[0]["question_n"] < runs[1]["question_n"] < runs[2]["question_n"]
    plot = mark(scene(swapped), "swap")
    assert [line.y[-1] for line in plot.lines] == [run["question_n"] for run in runs]
    assert [line.y[0] for line in plot.lines] == [run["n"][0] for run in runs]
    said = text(swapped)
    assert all(f"ρ = {run['question_rho']:.2f}" in said for run in runs)


def test_many_stories_say_the_same() -> None:
    state = after(PANE.initial(), ("ponder.look", "swap"))
    found = babi.figures(state, st.CONTROL)
    assert found[0].question[0] < found[1].question[0] < found[2].question[0]
    assert max(one.ponder[0] for one in found) - min(one.ponder[0] for one in found) < 0.15
    assert "stays" in text(state)
    state, effects = done(state, ("ponder.recompute", st.CONTROL))
    assert effects[0].value["args"]["same_story"] is True
    again = measured(state, effects)
    assert [one.question for one in babi.figures(again, st.CONTROL)] == [
        pytest.approx(one.question, abs=0.0051) for one in found
    ]


def test_other_stories_are_drawn_and_asked_at_once() -> None:
    state, effects = done(shown_at({"look": "swap", "story": "1"}), ("ponder.seed", 7))
    assert len(effects[0].value["args"]["texts"]) == 3
    assert swap.runs(state) == []
    assert any(isinstance(one, Progress) for one in marks(scene(state)))
    assert len(set(st.triple(7))) == 3
    stories = [st.read(one) for one in st.triple(7)]
    assert stories[0].facts == stories[1].facts == stories[2].facts  # type: ignore[union-attr]
    assert st.FEWEST_FACTS <= len(stories[0].facts) <= st.MOST_FACTS  # type: ignore[union-attr]
    assert after(state, ("ponder.seed", 9999)).seed == st.MOST_STORIES


def test_the_official_stories_are_as_long_as_is_said(test_data: Path) -> None:
    folder = next(test_data.rglob("qa1_*_test.txt")).parent
    for facts, mean in paper.facts_told().items():
        stories = read_babi(next(folder.glob(f"qa{facts}_*_test.txt")))
        assert np.mean([len(story.facts) for story in stories]) == pytest.approx(mean)
    assert [f"{mean:.1f}" for mean in paper.facts_told().values()] == ["6.0", "15.4", "51.0"]


# ---- one story --------------------------------------------------------------------------------------------


def test_both_maps_are_facts_by_steps(hops: State) -> None:
    found = story_view.value(hops)
    read, does = mark(scene(hops), "read"), mark(scene(hops), "does")
    assert isinstance(read, Heatmap)
    assert read.values is not None
    assert read.values.shape == does.values.shape == (len(found["facts"]), found["steps"])
    assert read.rows == does.rows
    assert read.rows.full == tuple(found["facts"])
    assert read.rows.marked == tuple(found["supports"])
    assert read.rows.numbers[-1] == 2  # the newest fact stands right after the question
    assert (does.low, does.high, does.colours) == (-1.0, 1.0, "diverging")
    assert does.values[found["supports"], 0].max() < -0.9
    assert hops.line.computed == found["steps"]


def test_hidden_at_one_step_only_does_less(hops: State) -> None:
    only = after(hops, ("ponder.kind", "only"))
    one, other = (mark(scene(state), "does").values for state in (only, hops))
    assert np.array_equal(one[:, -1], other[:, -1])
    assert np.abs(one).sum() < np.abs(other).sum()
    assert "only" in text(only)


def test_the_head_is_the_one_fixed_on_validation_stories_until_another_is_chosen(hops: State) -> None:
    weights = np.array(story_view.value(hops)["weights"])
    assert np.array_equal(mark(scene(hops), "read").values, weights[2].T)
    first = after(hops, ("ponder.head", "0"))
    assert np.array_equal(mark(scene(first), "read").values, weights[0].T)
    mean = after(hops, ("ponder.head", "mean"))
    assert mark(scene(mean), "read").values == pytest.approx(weights.mean(axis=0).T)


def test_the_curves_sharpen(hops: State) -> None:
    curve = mark(scene(hops), "curves")
    assert isinstance(curve, Curve)
    entropy, mass, odds = (np.array(series.y) for series in curve.series)
    assert entropy[0] > 0.7 > 0.2 > entropy.min()
    assert mass[0] < 0.5 < 0.9 < mass[-1]
    assert odds[-1] > 0.9


def test_steps_go_by_the_shared_transport(hops: State) -> None:
    state = after(hops, "transport.first")
    assert PANE.timeline(state).current == 1
    assert PANE.timeline(after(state, "transport.forward")).current == 2
    state = after(state, "transport.play", *["transport.tick"] * 9)
    assert PANE.timeline(state).current == state.line.computed
    assert PANE.timeline(state).playing == 0
    assert PANE.timeline(after(state, ("ponder.look", "babi"))) is None
    assert after(state, ("transport.seek", 3), "transport.back").line.current == 2


def test_a_cell_under_the_pointer_is_read_out(hops: State) -> None:
    found = story_view.value(hops)
    fact = found["supports"][0]
    number = len(found["facts"]) - fact  # its position in the model, from 0
    spans = story_view.readout(hops, Selection(hovered=number, hovered_key=1))[0]
    said = " ".join(Translator("en").text(span.text) for span in spans)
    assert found["facts"][fact] in said
    assert "step 1" in said
    assert f"{found['onwards']['change'][0][fact]:+.3f}" in said
    assert found["onwards"]["turned"][0][fact] in said
    assert mark(scene(hops, hovered=number, hovered_key=1), "does").hovered == (fact, 0)


def test_a_story_of_one_s_own_runs_when_asked_and_a_wrong_one_is_said_where_it_was_typed(hops: State) -> None:
    own = "Mary went to the garden.\nWhere is Mary?"
    state, effects = done(hops, ("ponder.text", own))
    assert effects == ()
    state, effects = done(state, ("ponder.run", None))
    assert effects[0].value["args"]["text"] == own
    assert measured(state, effects).line.computed >= 1
    wrong, effects = done(hops, ("ponder.text", "Mary went to the garden."))
    wrong, effects = done(wrong, ("ponder.run", None))
    assert effects == ()
    assert "does not end in a question" in text(wrong)
    assert mark(scene(wrong), "story.wrong").style == "error"
    assert after(wrong, ("ponder.sample", "1")).what == ""


def test_the_same_story_is_not_asked_twice(hops: State) -> None:
    _, effects = done(hops, ("ponder.look", "story"))
    assert effects == ()


# ---- another checkpoint, widths, views --------------------------------------------------------------------


def card(path: str, task: str = "babi") -> dict[str, Any]:
    return {"card": {"path": path, "name": "own", "task": task, "config": {}}, "samples": []}


def test_an_open_checkpoint_that_reads_stories_can_be_asked_instead(hops: State) -> None:
    state = after(hops, ("engine.opened", card("/somewhere/own")))
    state, effects = done(state, ("ponder.model", "open"))
    assert effects[0].value["args"]["checkpoint"] == "/somewhere/own"
    assert story_view.value(state) == {}
    assert babi.figures(state, st.REPORT) == ()  # the card is the shipped one's
    state = after(state, ("engine.opened", card("/somewhere/bits", "parity")))
    assert (state.model, state.opened) == ("shipped", ("", ""))
    assert after(hops, ("engine.opened", card(str(shipped()["babi"])))).opened == ("", "")


def test_when_the_checkpoint_that_is_asked_closes_its_measurement_ends_and_the_shipped_one_is_asked() -> None:
    state = after(st.initial(), ("engine.opened", card("/somewhere/own")), ("ponder.look", "story"))
    state = after(state, ("ponder.model", "open"))
    assert state.measured(st.STORY).waiting
    state, effects = done(state, ("engine.opened", card("/somewhere/bits", "parity")))
    assert [one.name for one in effects] == ["measure.cancel", "measure.start"]
    assert effects[1].value["args"]["checkpoint"] == str(shipped()["babi"])
    assert PANE.timeline(state) is None


def test_a_checkpoint_without_figures_is_not_said_to_have_the_card_s() -> None:
    state = after(st.initial(), ("engine.opened", card("/somewhere/own")), ("ponder.model", "open"))
    for look, figure in (("babi", "histogram"), ("swap", "")):
        state = after(state, ("ponder.look", look))
        assert "from the shipped card" not in text(state)
        assert not figure or "Nothing has been measured" in Translator("en").text(
            mark(scene(state), figure).note
        )


@pytest.mark.parametrize("look", st.LOOKS)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_figure_folds_and_speaks_both_languages(look: str, language: str) -> None:
    state, _ = PANE.from_view(PANE.initial(), {"look": look})
    wide, narrow = text(state, language), text(after(state, ("view.width", 900)), language)
    assert len(narrow) > 200
    assert abs(len(wide) - len(narrow)) < 40
    assert after(after(state, ("view.width", 900)), ("view.width", 1280)).narrow is False


@pytest.mark.parametrize(
    "view",
    [
        {
            "look": "story",
            "text": "Mary went to the garden.\nWhere is Mary?",
            "hidden": "only",
            "head": "mean",
        },
        {"look": "story", "sample": "3", "hidden": "onwards", "head": "2", "step": "2"},
        {"look": "swap", "story": "12", "computed": "1"},
        {"look": "babi", "positions": "all", "computed": "1"},
        {"look": "lambada"},
    ],
)
def test_views_come_back(view: dict[str, str]) -> None:
    state, _ = PANE.from_view(PANE.initial(), view)
    assert PANE.to_view(state) == view


def test_a_step_in_a_view_is_reached_once_the_run_is_there() -> None:
    state = shown_at({"look": "story", "sample": "2", "step": "2"})
    assert state.line.current == 2
    assert PANE.to_view(state)["step"] == "2"


def test_senseless_values_of_a_view_are_passed_over() -> None:
    view = {
        "look": "x",
        "positions": "y",
        "story": "-4",
        "sample": "99",
        "head": "0",
        "step": "z",
        "hidden": "q",
    }
    state, effects = PANE.from_view(PANE.initial(), view)
    assert effects == ()
    assert PANE.to_view(state) == PANE.to_view(PANE.initial())
    assert scene(after(state, ("ponder.sample", "99"), ("ponder.look", "?"), ("ponder.kind", "?"))).alt


@pytest.mark.parametrize("number", ["9" * 5000, "²", "٣", "", "nan"])
def test_odd_numbers_in_a_view_are_passed_over(number: str) -> None:
    names = ("story", "sample", "head", "step")
    state, _ = PANE.from_view(PANE.initial(), {"look": "swap"} | dict.fromkeys(names, number))
    assert PANE.to_view(state) == {"look": "swap", "story": "1"}
    assert state.head is None


def test_a_view_with_a_text_that_is_no_story_says_so() -> None:
    state, effects = PANE.from_view(PANE.initial(), {"look": "story", "text": "no story"})
    assert effects == ()
    assert any(isinstance(one, Prose) and one.key == "story.wrong" for one in marks(scene(state)))


def test_exports_say_whose_figures_they_are(hops: State) -> None:
    say = Translator("en").text
    assert any("1807.03819" in say(line) for line in PANE.caption(PANE.initial()))
    assert any("checkpoint babi" in say(line) for line in PANE.caption(hops))


def test_what_is_done_in_a_figure_with_room_of_its_own_counts(hops: State) -> None:
    narrow = after(hops, ("view.width", 900))
    assert mark(scene(narrow), "read").values.shape == mark(scene(hops), "read").values.shape
    state = after(narrow, ("inset", ("curves.tall", Event("transport.seek", 2))))
    assert state.line.current == 2


def test_the_perplexities_are_sorted_by_their_heads() -> None:
    state = done(done(PANE.initial(), ("ponder.look", "lambada"))[0], ("ponder.sort", 3))[0]
    shown = mark(scene(state), "sets")
    assert [row[3].text for row in shown.rows] == ["142", "202", "239", "319", "5,174", "7,321"]
    assert (shown.sort, shown.sorted) == ("ponder.sort", (3, False))


def test_the_axes_of_the_perplexities_end_where_the_figures_do() -> None:
    plot = mark(scene(done(PANE.initial(), ("ponder.look", "lambada"))[0]), "lambada")
    x = [float(value) for line in plot.lines for value in line.x]
    y = [float(value) for line in plot.lines for value in line.y]
    assert (plot.x.low, plot.x.high, plot.y.low, plot.y.high) == (5, 11, 0, 350)
    assert plot.x.low < min(x) < max(x) < plot.x.high
    assert max(y) < plot.y.high

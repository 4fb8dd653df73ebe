"""The quiz: every answer is what the engine computes, every explanation is shown by the pane it opens."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from app import view as views
from app.messages import LANGUAGES, Translator
from app.pane import Effect, Event, Selection, all_panes, settled
from app.panes import _quiz as quiz
from app.panes._quiz_numbers import close, parse
from app.panes._quiz_question import Question
from app.panes._quiz_questions import QUESTIONS, question
from app.panes._quiz_state import State, is_right
from app.render.text import to_text
from app.scene import Button, Entry, Form, Passage, Prose, Scene, marks, walk
from app.settings import Settings
from app.verbs.controls import used

EN, KO = Translator("en"), Translator("ko")
PANES = all_panes()
NUMBERS = [one for one in QUESTIONS if one.number is not None]
CHOICES = [one for one in QUESTIONS if one.number is None]
ANSWERS = {
    "ticks": 18, "base": 63_082_496, "small": 26_300_416, "work": 4, "albert": 31_515_648, "peak": 32,
    "steps": 9, "six": 64, "remainder": 0.268941421369995, "least": 2, "mixed": 0.459639912337363,
}  # fmt: skip


def ids(questions: list[Question]) -> list[str]:
    return [one.id for one in questions]


def at(name: str) -> State:
    return quiz.from_view(State(), {"question": name})[0]


def after(state: State, *events: tuple[str, Any]) -> State:
    for name, value in events:
        state, _ = quiz.update(state, Event(name, value))
    return state


def scene(state: State) -> Scene:
    return quiz.scene(state, Selection())


def said(state: State, translator: Translator = EN) -> str:
    return to_text(scene(state), translator)


def nodes(state: State) -> dict[str, Any]:
    return {one.key: one for one in walk(scene(state).root)}


# ---- the questions --------------------------------------------------------------------------------------


def test_there_are_questions_over_all_chapters() -> None:
    assert len(QUESTIONS) >= 14
    assert len({one.id for one in QUESTIONS}) == len(QUESTIONS)
    chapters = {one.chapter for one in QUESTIONS}
    assert chapters == {"grid", "block", "cost", "coords", "scan", "act", "ponder", "results", "lineage"}
    assert [one.chapter for one in QUESTIONS] == sorted(
        (one.chapter for one in QUESTIONS), key=lambda name: PANES[name].CHAPTER or 0
    )


@pytest.mark.parametrize("one", NUMBERS, ids=ids(NUMBERS))
def test_a_number_is_computed_and_its_roundings_count(one: Question) -> None:
    assert one.number is not None
    answer = one.number()
    assert math.isclose(answer, ANSWERS[one.id], rel_tol=1e-12)
    written = f"{answer:,.0f}" if answer > 1000 else f"{answer:.4g}"
    assert is_right(one, written)
    assert not is_right(one, f"{answer * 1.1 + 1:.6g}")
    if one.slack:
        assert is_right(one, f"{answer:.2g}" if answer < 1000 else f"{answer / 1e6:.1f} M")
    if answer > 1e6:
        assert is_right(one, f"{answer / 1e4:,.0f}만")
        assert is_right(one, f"{answer / 1e8:.3f}억 개")


@pytest.mark.parametrize("one", CHOICES, ids=ids(CHOICES))
def test_a_choice_has_one_right_answer(one: Question) -> None:
    options = dict(one.options)
    assert one.right in options
    assert len(options) == len(one.options) >= 3
    assert set(one.wrong or {}) <= set(options) - {one.right}
    assert len({EN.text(text) for text in options.values()}) == len(options)


@pytest.mark.parametrize("one", QUESTIONS, ids=[one.id for one in QUESTIONS])
def test_a_question_is_said_in_every_language(one: Question) -> None:
    for language in LANGUAGES:
        say = Translator(language).text
        for text in (
            one.asked,
            one.explained,
            *(text for _, text in one.options),
            *(one.wrong or {}).values(),
        ):
            assert say(text)
            assert "{" not in say(text)
    assert KO.text(one.asked) != EN.text(one.asked)
    assert KO.text(one.explained) != EN.text(one.explained)


@pytest.mark.parametrize("one", QUESTIONS, ids=[one.id for one in QUESTIONS])
def test_the_pane_it_opens_shows_why(one: Question) -> None:
    name, view = views.from_text(one.view)
    pane = PANES[name]
    assert name == one.chapter
    state, _ = pane.from_view(pane.initial(), view)
    said = dict(pane.to_view(state))
    usual = {("act", "source"): "sentence", ("cost", "preset"): "ut-base"}
    assert {key: said.get(key, usual.get((name, key))) for key in view} == view
    text = to_text(pane.scene(state, Selection()), EN, width=200)
    for number in one.shows:
        assert number in text, number


# ---- numbers as people write them -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("63,082,496", 63_082_496), ("63 082 496", 63_082_496), ("63.082.496", 63_082_496),
        ("63.1 M", 63.1e6), ("63.1M", 63.1e6), ("26.3 million", 26.3e6), ("26.3 million parameters", 26.3e6),
        ("6308만", 63.08e6), ("6,308만 2,496개", 63_082_496), ("0.63억", 63e6), ("1억 2천만", 120e6),
        ("약 6,300만 개", 63e6), ("about 63 million", 63e6), ("26.9 %", 0.269), ("26.9%", 0.269),
        ("27 퍼센트", 0.27), ("0,269", 0.269), (".269", 0.269), ("9단계", 9), ("9 steps", 9),
        ("4배", 4), ("4×", 4),
        ("1억 2천만 3,456 개", 120_003_456), ("6.31e7", 6.31e7), ("2,6E7", 2.6e7), ("26.3 Mio.", 26.3e6),
        ("２６", 26), ("-3", -3), ("1,000", 1000), ("1.5", 1.5),
    ],
)  # fmt: skip
def test_numbers_are_read_as_they_are_written(text: str, value: float) -> None:
    found = parse(text)
    assert found is not None
    assert math.isclose(found, value, rel_tol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "many", "1/2", "x", "9 lives", "만", "1..2.3", "%", "12 34 apples", "26,300,416x9", "0x10",
        "3 steps 4", "27 % 5", "5만 3억", "1e400", "nan", "inf", "2⁶", "10²",
    ],
)  # fmt: skip
def test_what_is_no_number_is_none(text: str) -> None:
    assert parse(text) is None


def test_rounding_is_taken_as_far_as_a_question_allows() -> None:
    assert close(63.1e6, 63_082_496, 0.01)
    assert not close(60e6, 63_082_496, 0.01)
    assert close(9.0, 9, 0.0)
    assert not close(9.4, 9, 0.0)


# ---- the pane -------------------------------------------------------------------------------------------


def test_a_wrong_answer_is_explained_and_leads_to_the_pane() -> None:
    state = after(at("halted"), ("quiz.answer", "copied"))
    text = said(state)
    assert "✗ its state is copied unchanged (your answer)" in text
    assert "✓ its state is transformed on" in text
    assert "So says section 2.2." in text
    assert "3.4097" in text
    assert quiz.update(state, Event("quiz.open"))[1] == (
        Effect("open.view", "act?source=two-position&panel=compare&line=36&pin=2"),
    )
    score = [mark for mark in marks(quiz.scene(state, Selection())) if mark.key == "score"]
    assert [EN.text(row[1]) for row in score[0].rows] == ["0", f"1 of {len(QUESTIONS)}"]  # type: ignore[union-attr]
    assert "not right" in EN.text(quiz.sentence(state))


def test_a_right_number_counts_and_is_remembered() -> None:
    state, effects = quiz.update(at("base"), Event("quiz.answer", " 63.1 M "))
    assert effects == (Effect("settings.quiz", ("base=63.1 M",)),)
    assert state.right == 1
    assert "✓ 63.1 M is right." in said(state)
    assert quiz.update(state, Event("quiz.answer", "5")) == (state, ())  # taken once
    again = after(state, ("quiz.again", None))
    assert not again.answers
    assert again.question.id == "base"


def test_what_is_no_number_is_said_where_it_is_typed_and_does_not_count() -> None:
    state, effects = quiz.update(at("steps"), Event("quiz.answer", "many"))
    assert not effects
    found = nodes(state)
    assert isinstance(found["wrong"], Prose)
    assert found["options"].fields[0][0].text == "many"
    assert not state.answers
    assert after(state, ("quiz.answer", "9")).right == 1
    assert after(state, ("quiz.move", 1)).what == ""


def test_every_question_can_be_reached_and_answered_by_keyboard() -> None:
    for one in QUESTIONS:
        found = nodes(at(one.id))
        form = found["options"]
        assert isinstance(form, Form)
        kinds = {type(field) for row in form.fields for field in row}
        assert kinds == ({Entry} if one.number is not None else {Button})
        assert isinstance(found[f"list.{one.chapter}"], Passage)
    rows = [one for key, one in nodes(State()).items() if key.startswith("list.") and key != "list.card"]
    links = [span.value for one in rows for span in one.spans if span.event]
    assert links == list(range(len(QUESTIONS)))


def test_the_ends_are_ends() -> None:
    assert after(State(), ("quiz.move", -1)) == State()
    last = after(State(), ("quiz.go", 99))
    assert last.at == len(QUESTIONS) - 1
    found = nodes(last)
    moves = [found[f"quiz.{name}.asked"].fields[0][0] for name in ("back", "next")]
    assert [field.enabled for field in moves] == [True, False]


def test_the_score_is_kept_and_can_be_reset() -> None:
    kept = ("base=63.1 M", "halted=copied", "gone=1", "steps=many", "broken")
    state = after(State(), ("settings.quiz", kept))
    assert dict(state.answers) == {"base": "63.1 M", "halted": "copied"}
    assert state.right == 1
    assert Settings(quiz=kept).quiz == kept
    empty, effects = quiz.update(state, Event("quiz.reset"))
    assert effects == (Effect("settings.quiz", ()),)
    assert not empty.answers


def test_what_was_thrown_away_can_be_brought_back_until_the_next_answer() -> None:
    state = after(State(), ("settings.quiz", ("base=63.1 M",)), ("quiz.go", 4))
    empty = after(state, ("quiz.reset", None))
    assert (empty.at, "cleared. Undo" in said(empty)) == (0, True)
    assert "Undo" not in said(state)
    back, effects = quiz.update(after(empty, ("quiz.move", 1), ("quiz.reset", None)), Event("quiz.undo"))
    assert (back.at, dict(back.answers), dict(back.cleared)) == (4, {"base": "63.1 M"}, {})
    assert effects == (Effect("settings.quiz", ("base=63.1 M",)),)
    going_on = after(empty, ("quiz.answer", QUESTIONS[0].options[0][0]))
    assert "Undo" not in said(going_on)
    assert quiz.update(going_on, Event("quiz.undo")) == (going_on, ())


def test_a_view_shows_an_answer_without_counting_or_remembering_it() -> None:
    state, effects = quiz.from_view(State(), {"question": "steps", "answer": "9"})
    assert not effects
    assert quiz.to_view(state) == {"question": "steps", "answer": "9"}
    assert "✓ 9 is right." in said(state)
    assert (state.right, dict(state.answers)) == (0, {})
    assert EN.text(nodes(state)["list.scan"].spans[2].text).isdigit()  # no sign behind its number
    _, effects = quiz.update(after(state, ("quiz.go", 3)), Event("quiz.answer", "63.1 M"))
    assert effects == (Effect("settings.quiz", ("base=63.1 M",)),)  # and nothing of the view's
    assert after(state, ("quiz.again", None)).answer == ""


def test_an_own_answer_outlives_one_that_a_view_shows() -> None:
    own = after(at("steps"), ("quiz.answer", "8"))
    shown, _ = quiz.from_view(own, {"question": "steps", "answer": "9"})
    assert (shown.answer, dict(shown.answers)) == ("9", {"steps": "8"})
    back = after(shown, ("quiz.move", 1), ("quiz.move", -1))
    assert back.answer == "8"


@pytest.mark.parametrize("answer", ["9" * 5000, "", "²", "٣", "copied", "nan"])
def test_an_odd_answer_in_a_view_is_passed_over_or_shown(answer: str) -> None:
    state, _ = quiz.from_view(State(), {"question": "steps", "answer": answer})
    assert state.answer in ("", "٣")
    assert state.right == 0
    assert said(state)


def test_the_right_answer_is_not_told_by_its_place() -> None:
    places = [[name for name, _ in one.options].index(one.right) for one in CHOICES]
    assert max(map(places.count, places)) <= len(places) / 2


def test_what_helps_to_answer_gives_no_answer_away() -> None:
    tip = EN.text(nodes(at("steps"))["options"].fields[0][0].tip)
    wrong = EN.text(after(at("steps"), ("quiz.answer", "many")).what)
    written = [word for text in (tip, wrong) for word in re.findall(r"[\d.,]+ ?[M%]?", text)]
    found = [value for word in written if (value := parse(word)) is not None]
    assert len(found) >= 6
    assert not [(one.id, value) for one in NUMBERS for value in found if is_right(one, f"{value!r}")]


def test_a_question_there_is_not_is_passed_over() -> None:
    assert quiz.from_view(State(), {"question": "no", "answer": "yes"}) == (State(), ())
    assert question("no") is None


def test_a_narrow_window_leaves_the_list_out() -> None:
    state = after(State(), ("view.width", 800))
    assert "list.card" not in nodes(state)
    assert "score.card" in nodes(state)


# ---- the figure of a question ---------------------------------------------------------------------------


def answered(one: Question) -> State:
    """With the first of its answers, and all that follows by itself."""
    given = one.options[0][0] if one.number is None else "1"
    return settled(PANES["quiz"], after(at(one.id), ("quiz.answer", given)))  # type: ignore[no-any-return]


def figure_text(state: State, translator: Translator) -> str:
    assert state.figure is not None
    return to_text(Scene(state.figure, "", ""), translator, width=200)


@pytest.mark.parametrize("one", QUESTIONS, ids=[one.id for one in QUESTIONS])
def test_every_question_has_a_figure_that_says_what_its_answer_rests_on(one: Question) -> None:
    pane = PANES[one.spot.pane]
    state = answered(one)
    whole = pane.scene(state.insets.states[one.id], Selection())
    assert state.figure is not None
    keys = {node.key for node in walk(state.figure)}
    assert {f"{one.id}/{key}" for key in (one.figure.part, *one.figure.above)} <= keys
    assert one.figure.height >= 260
    pane_says = to_text(whole, EN, width=200)
    for language in LANGUAGES:
        text = figure_text(state, Translator(language))
        assert text.strip()
        assert not [number for number in one.shows if number not in text and number not in pane_says]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ticks", "24 ticks"), ("base", "63,082,496"), ("small", "26,300,416"), ("work", "4 × base"),
        ("softmax", "3.398 × base"), ("albert", "31,515,648"), ("peak", "32.000"), ("remainder", "0.2689"),
        ("least", "2.00"), ("halted", "3.2116"), ("mixed", "0.4596"), ("own", "7.90"), ("ties", "1.00"),
    ],
)  # fmt: skip
def test_the_figure_itself_says_the_number(name: str, said: str) -> None:
    one = question(name)
    assert one is not None
    assert said in figure_text(answered(one), EN)


def test_the_figure_comes_after_the_explanation() -> None:
    state, _ = quiz.update(at("shared"), Event("quiz.answer", "steps"))
    first = scene(state)
    assert first.more == "quiz.more"
    assert {"why", "shared.far"} <= {node.key for node in walk(first.root)}
    assert not state.insets.states  # nothing was computed for it
    shown = after(state, (first.more, None))
    assert scene(shown).more == ""
    assert "shared/grid.deep" in nodes(shown)
    assert "moves" in nodes(shown)
    assert scene(at("shared")).more == ""  # nothing is shown before an answer
    assert after(at("shared"), ("quiz.more", None)).figure is None


def test_a_figure_can_be_stepped_and_is_forgotten_with_its_question() -> None:
    one = question("peak")
    assert one is not None
    state = answered(one)
    on = next(
        field for node in walk(scene(state).root) if isinstance(node, Form) and node.key == "peak/steps"
        for field in node.fields[0] if field.key == "on"
    )  # fmt: skip
    stepped = after(state, ("inset", ("peak", Event(on.event, on.value))))
    assert stepped.insets.states["peak"].line.current == 7
    assert stepped.figure != state.figure
    assert after(stepped, ("inset", ("slide", Event(on.event, on.value)))) == stepped
    gone = after(stepped, ("quiz.move", 1))
    assert (gone.figure, dict(gone.insets.states)) == (None, {})
    assert after(gone, ("inset", ("peak", Event(on.event, on.value)))) == gone
    back = settled(PANES["quiz"], after(gone, ("quiz.move", -1)))
    assert back.insets.states["peak"].line.current == 6
    for name in ("quiz.again", "quiz.reset"):
        assert after(stepped, (name, None)).figure is None


@pytest.mark.parametrize("one", QUESTIONS, ids=[one.id for one in QUESTIONS])
def test_whatever_is_done_in_a_figure_it_stays_and_asks_for_nothing(one: Question) -> None:
    """Of another scene its part could be gone, and the whole pane would stand there."""
    state = answered(one)
    assert state.figure is not None
    told = [event.value[1] for _, event in used(state.figure)]
    line = PANES[one.spot.pane].timeline(state.insets.states[one.id])
    places = range(1, line.computed + 1) if line is not None else ()
    for event in (*told, *(Event("transport.seek", place) for place in places)):
        later, effects = quiz.update(state, Event("inset", (one.id, event)))
        assert later.figure is not None
        assert f"{one.id}/{one.figure.part}" in {node.key for node in walk(later.figure)}, event
        assert not [effect for effect in effects if effect.name.startswith("measure.")], event


def test_a_tall_figure_stands_beside_the_question_and_below_it_in_a_narrow_window() -> None:
    one = question("signal")
    assert one is not None
    wide = answered(one)
    assert [node.key for node in nodes(wide)["page.row"].children] == ["asked.card", "figure.card"]
    narrow = after(wide, ("view.width", 800))
    assert [node.key for node in nodes(narrow)["page"].children] == ["asked.card", "figure.card"]
    assert narrow.figure is not None
    assert "signal/ut.graph" in {node.key for node in walk(narrow.figure)}


def test_options_are_told_apart_by_letters_and_next_leads_on_once_answered() -> None:
    fields = [row[0] for row in nodes(at("halted"))["options"].fields]
    assert [(field.icon, field.style) for field in fields] == [(letter, "option") for letter in "ABCD"]
    asked, then = at("halted"), after(at("halted"), ("quiz.answer", "on"))
    assert nodes(asked)["quiz.next.asked"].fields[0][0].style == "plain"
    assert nodes(then)["quiz.next.answered"].fields[0][0].style == "primary"

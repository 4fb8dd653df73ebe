"""Guided tours: every step opens, says something in both languages, and can be gone through and left."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from app import touring
from app import view as views
from app.commands import TOURS as NAMED
from app.commands import commands
from app.messages import LANGUAGES, Translator
from app.pane import Effect, Event, Selection, all_panes
from app.paths import shipped
from app.reduce import reduce, start
from app.render.text import to_text
from app.settings import Settings
from app.state import AppState
from app.tour_steps import HEAD, Step, story
from app.tours import TOURS, life, tour

PANES = all_panes()
USUAL = {
    ("act", "source"): "sentence", ("act", "mixing"): "basic", ("act", "state"): "listing2",
    ("cost", "preset"): "ut-base", ("scan", "seed"): "1", ("inspector", "panel"): "sharpening",
}  # fmt: skip
STEPS = [pytest.param(step, id=f"{one.id}-{k}") for one in TOURS for k, step in enumerate(one.steps, start=1)]


def fed(*events: Event, state: AppState | None = None) -> tuple[AppState, list[Effect]]:
    state, wanted = state or start(Settings(), PANES, "en", "light"), []
    for event in events:
        state, effects = reduce(state, event, PANES)
        wanted += effects
    return state, wanted


def test_there_are_five_lessons_of_five_to_eight_steps() -> None:
    assert [one.id for one in TOURS] == [name for name, _ in NAMED] == [
        "shared", "apart", "depth", "life", "sharpen",
    ]  # fmt: skip
    assert all(5 <= len(one.steps) <= 8 for one in TOURS)


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_one_sentence_or_three_in_each_language(step: Step) -> None:
    said = {language: Translator(language).text(step.sentence) for language in LANGUAGES}
    assert said["en"] != said["ko"]
    for text in said.values():
        assert 20 < len(text) < 190
        assert "{" not in text


@pytest.mark.parametrize("step", STEPS)
def test_the_view_of_a_step_is_what_the_pane_shows(step: Step) -> None:
    name, view = views.from_text(step.link)
    pane = PANES[name]
    state, effects = pane.from_view(pane.initial(), view)
    assert pane.scene(state, Selection()).alt
    if step.checkpoint:
        assert effects[-1:] == (Effect("engine.open", "babi"),)
        assert (state.text, state.autorun, state.go_to) == (story(), True, int(view["step"]))
        return
    said = dict(pane.to_view(state))
    assert {key: said.get(key, USUAL.get((name, key))) for key in view} == view


def test_the_numbers_of_a_position_are_those_on_screen() -> None:
    numbers = life()
    assert (numbers["n"], numbers["remainder"], numbers["cost"]) == ("6", "0.06", "6.06")
    place = next(one for one in TOURS if one.id == "life")
    act = PANES["act"]
    for k, name in ((1, "p"), (4, "before"), (5, "remainder"), (6, "cost")):
        state, _ = act.from_view(act.initial(), views.from_text(place.steps[k].link)[1])
        if name != "remainder":
            assert numbers[name] in to_text(act.scene(state, Selection()), Translator("en"), width=200)


def test_the_story_is_one_of_the_checkpoints_own_and_the_last_step_hides_its_facts() -> None:
    folder = shipped()["babi"]
    assert story().strip().splitlines()[-1].endswith("?")
    assert json.loads((folder / "config.json").read_text("utf-8"))["training"]["gold_head"] == int(HEAD)
    ponder = PANES["ponder"]
    state, _ = ponder.from_view(ponder.initial(), views.from_text(TOURS[-1].steps[-1].link)[1])
    assert state.text == story()


# ---- going through ----------------------------------------------------------------------------------------


def place(state: AppState) -> tuple[str, int, str]:
    found = touring.place_of(state)
    assert found is not None
    return found.tour.id, found.number, state.current


def test_a_tour_is_gone_through_and_stays_at_its_ends() -> None:
    state, _ = fed(Event("shell.tour", "shared"))
    assert place(state) == ("shared", 1, "grid")
    back, _ = fed(Event("shell.tour.move", -1), state=state)
    assert back is state
    found = []
    for _ in range(9):
        state, _ = fed(Event("shell.tour.move", 1), state=state)
        found.append(place(state))
    assert found[2] == ("shared", 4, "block")
    assert found[-1] == found[-2] == ("shared", 7, "cost")
    state, _ = fed(Event("shell.tour.move", -1), state=state)
    assert place(state) == ("shared", 6, "block")
    assert not state.notices
    state, _ = fed(Event("shell.tour.close"), state=state)
    assert state.tour is None
    assert state.current == "block"


def test_a_tour_can_be_left_for_another_and_unknown_ones_are_none() -> None:
    state, _ = fed(Event("shell.tour", "apart"), Event("open.tour", "life"))
    assert place(state) == ("life", 1, "act")
    same, effects = fed(Event("open.tour", "nowhere"), state=state)
    assert (same, effects) == (state, [])
    assert tour("nowhere") is None
    assert fed(Event("shell.tour.move", 1))[0].tour is None


def test_the_article_starts_a_tour() -> None:
    state, effects = fed(Event("open.view", "read?tour=depth"))
    assert effects == [Effect("open.tour", "depth")]
    assert state.current == "read"


def test_a_step_opens_the_checkpoint_only_where_it_does_not_run_already() -> None:
    state, effects = fed(Event("shell.tour", "sharpen"))
    assert effects == [Effect("engine.open", "babi")]
    ran = SimpleNamespace(path="/somewhere/checkpoints/babi", text=story(), records=(1, 2))
    running = AppState(panes={"inspector": ran}, tour=state.tour)
    view = views.from_text(touring._link(running, TOURS[-1].steps[1]))[1]
    assert "open" not in view
    assert view["step"] == "2"
    for changed in ({"text": "Where?"}, {"records": ()}, {"path": "/else/mine"}):
        other = AppState(panes={"inspector": SimpleNamespace(**{**vars(ran), **changed})}, tour=state.tour)
        assert views.from_text(touring._link(other, TOURS[-1].steps[1]))[1]["open"] == "babi"


def test_every_tour_has_a_command_and_keys_lead_through_it() -> None:
    table: dict[str, Any] = {command.id: command for command in commands()}
    assert {f"tour.{one.id}" for one in TOURS} <= set(table)
    assert table["tour.next"].event == Event("shell.tour.move", 1)
    assert table["tour.next"].keys[0] == "F8"
    assert table["tour.close"].event == Event("shell.tour.close")


# ---- the quiz's answers and the search, which the program carries ------------------------------------------


def test_answers_of_the_quiz_are_remembered_and_known_at_the_next_start() -> None:
    state, effects = fed(Event("open.view", "quiz?question=steps"), Event("quiz.answer", "9"))
    assert state.settings.quiz == ("steps=9",)
    assert effects == [Effect("settings.save")]
    later = start(Settings(quiz=state.settings.quiz, workspace="quiz"), PANES, "en", "light")
    assert dict(later.panes["quiz"].answers) == {"steps": "9"}
    opened, _ = fed(
        Event("shell.pane", "quiz"), state=start(Settings(quiz=("steps=9",)), PANES, "en", "light")
    )
    assert dict(opened.panes["quiz"].answers) == {"steps": "9"}


def test_searching_goes_to_the_article() -> None:
    state, effects = fed(Event("shell.find"))
    assert state.current == "read"
    assert effects[-1] == Effect("window.focus", "read.search")

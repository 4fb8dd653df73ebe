"""The live inspector as a state machine: what it asks for, what it keeps, what it shows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from app.messages import Translator
from app.pane import Effect, Event, Selection
from app.panes import _inspector_numbers as numbers
from app.panes import _inspector_state as st
from app.panes import inspector
from app.render.text import to_text
from app.scene import Card, Cells, Curve, Film, Form, Heatmap, Prose, Scene, Tabs, marks, same, walk
from tests.panes import made

EN = Translator("en")
SAMPLES = (
    {"text": "Mary went to the office.\nWhere is Mary?", "answer": "office", "supports": [0]},
    {"text": "\n".join(made.STORY[::-1]), "answer": "garden", "supports": [5, 9]},
)
CARD = {
    "name": "babi-ut",
    "path": "/models/babi-ut",
    "config": made.CONFIG,
    "parameters": 53_287,
    "device": "cpu",
    "unknown": "is let pass",
}


def send(state: st.State, *events: tuple[str, Any]) -> tuple[st.State, tuple[Effect, ...]]:
    """Events one after the other; the effects of the last."""
    effects: tuple[Effect, ...] = ()
    for name, value in events:
        state, effects = inspector.update(state, Event(name, value))
    return state, effects


def opened() -> st.State:
    state, _ = send(
        inspector.initial(),
        ("open.path", "/models/babi-ut"),
        ("engine.opened", {"card": CARD, "samples": SAMPLES}),
    )
    return state


def running(count: int, **options: Any) -> st.State:
    m = options.get("m", 12)
    state, _ = send(opened(), ("run.start", None), ("engine.info", made.info(m)))
    for record in made.records(**options)[:count]:
        state, _ = send(state, ("engine.record", record))
    return state


def shown(state: st.State, selection: Selection | None = None) -> Scene:
    return inspector.scene(state, selection or Selection())


def mark(scene: Scene, key: str) -> Any:
    return next(one for one in marks(scene) if one.key == key)


def said(scene: Scene, key: str) -> str:
    prose = mark(scene, key)
    assert isinstance(prose, Prose)
    return "\n".join(" ".join(EN.text(span.text) for span in line) for line in prose.lines)


def buttons(scene: Scene) -> dict[str, Any]:
    forms = [one for one in marks(scene) if isinstance(one, Form)]
    return {field.key: field for form in forms for row in form.fields for field in row}


# ---- opening ---------------------------------------------------------------------------------------------


def test_opening_asks_the_engine_and_ends_on_a_picked_sample() -> None:
    state, effects = send(inspector.initial(), ("open.path", "/models/babi-ut"))
    assert state.phase == st.OPENING
    assert effects == (Effect("engine.open", "/models/babi-ut"),)
    state, effects = send(state, ("engine.opened", {"card": CARD, "samples": SAMPLES}))
    assert state.phase == st.READY
    assert state.text == SAMPLES[1]["text"]
    assert state.steps == 8
    assert [effect.name for effect in effects] == ["engine.forecast"]


def test_a_file_that_cannot_be_opened_is_said_in_the_checkpoint_card() -> None:
    state, _ = send(inspector.initial(), ("open.path", "x"))
    state, _ = send(state, ("engine.error", {"what": "x is empty", "do": "fetch or save it again"}))
    assert state.phase == st.NO_CHECKPOINT
    assert "x is empty" in said(shown(state), "no.error")


@pytest.mark.parametrize("name", ["open.path", "view"])
def test_a_file_that_cannot_be_opened_leaves_what_was_open(name: str) -> None:
    state, _ = send(running(3), ("pin", 2))
    if name == "view":
        state, effects = inspector.from_view(state, {"open": "x", "run": "1", "step": "9"})
    else:
        state, effects = send(state, (name, "x"), (name, "y"))  # the second before the first has come
    assert "engine.open" in {effect.name for effect in effects}
    late, _ = send(state, ("engine.error", {"what": "too late", "do": "", "generation": 1}))
    assert late is state
    state, _ = send(state, ("engine.error", {"what": "x is empty", "do": "fetch or save it again"}))
    assert (state.phase, state.pinned, state.path, state.former) == (st.DONE, 2, "/models/babi-ut", None)
    assert (len(state.records), state.line.current, state.text) == (3, 3, SAMPLES[1]["text"])
    assert state.info is not None
    assert state.info.finished == "cancelled"
    assert said(shown(state), "facts.error").lower().startswith("x is empty")
    again, effects = send(state, ("run.start", None))
    assert "engine.run" in {effect.name for effect in effects}
    assert again.what == ""
    opened_other, _ = send(state, ("open.path", "z"), ("engine.opened", {"card": CARD, "samples": ()}))
    assert opened_other.former is None


def test_a_checkpoint_that_changed_on_disk_is_offered_again() -> None:
    state, _ = send(running(3), ("run.cancel", None), ("transport.back", None))
    other, _ = send(state, ("engine.changed", "/models/another"))
    assert other is state
    state, _ = send(state, ("engine.changed", "/models/babi-ut"))
    assert "changed on disk" in said(shown(state), "facts.changed")
    assert buttons(shown(state))["facts.reload"].event == "open.reload"
    state, effects = send(state, ("open.reload", None))
    assert effects == (Effect("engine.open", "/models/babi-ut"),)
    state, effects = send(state, ("engine.opened", {"card": CARD, "samples": SAMPLES}))
    assert [effect.name for effect in effects][:1] == ["engine.run"]  # the same story in the new model
    assert (effects[0].value["text"], state.sample, state.changed) == (SAMPLES[1]["text"], 1, False)


def test_a_recorded_run_opens_without_engine_at_its_last_step() -> None:
    state, effects = send(inspector.initial(), ("open.run", made.run()))
    assert (state.phase, state.line.current, effects) == (st.RECORDED, 8, ())
    assert "run.start" not in {effect.name for effect in send(state, ("run.start", None))[1]}
    assert not buttons(shown(state))["input.text"].enabled


def test_a_recorded_run_shows_its_own_file_and_the_way_back_to_its_model() -> None:
    """The trace's name and the model's; the model is known where it was open, or once it was found."""
    path = "C:\\runs\\a.trace.safetensors"
    state, _ = send(inspector.initial(), ("open.path", path), ("open.run", made.run()))
    facts = {EN.text(name): value for name, value in mark(shown(state), "facts").rows}
    assert (facts["file"], facts["model"]) == ("a.trace.safetensors", "babi-ut-act")
    assert "facts.live" not in buttons(shown(state))
    assert send(state, ("open.live", None))[0] is state
    state, _ = send(state, ("transport.seek", 3), ("open.model", "/models/babi-ut-act"))
    assert "facts.live" in buttons(shown(state))
    live, effects = send(state, ("open.live", None))
    assert effects == (Effect("engine.open", "/models/babi-ut-act"),)
    live, effects = send(live, ("engine.opened", {"card": CARD, "samples": SAMPLES}))
    assert effects[0].value["text"] == made.run().info.text
    assert (live.phase, live.go_to, live.path) == (st.RUNNING, 3, "/models/babi-ut-act")
    named = {**CARD, "name": "babi-ut-act"}
    before, _ = send(opened(), ("engine.opened", {"card": named, "samples": ()}))
    back, _ = send(before, ("open.path", path), ("open.run", made.run()))
    assert back.model == "/models/babi-ut"


def test_a_device_that_is_a_fallback_says_why_in_the_card() -> None:
    def device(reason: str, *events: tuple[str, Any]) -> str:
        card = {**CARD, "device_reason": reason}
        state, _ = send(opened(), ("engine.opened", {"card": card, "samples": ()}), *events)
        facts = {EN.text(name): value for name, value in mark(shown(state), "facts").rows}
        return EN.text(facts["device"])

    assert device("no CUDA or MPS device was found") == "cpu — no CUDA or MPS device was found"
    assert device("cuda: out of memory") == "cpu — cuda: out of memory"
    assert device("asked for") == device("") == "cpu"
    assert device("no CUDA or MPS device was found", ("control.device", "cpu")) == "cpu"


def test_a_text_of_ones_own_is_of_no_group_of_samples() -> None:
    samples = tuple({**sample, "facts": n} for n, sample in enumerate(SAMPLES, start=1))
    state, _ = send(opened(), ("engine.opened", {"card": CARD, "samples": samples}))

    def group(state: st.State) -> str:
        card = next(node for node in walk(shown(state).root) if node.key == "input")
        return str(card.tools[0].value)  # type: ignore[union-attr]

    assert group(state) == "2"
    assert group(send(state, ("input.text", "Mary is here."))[0]) == ""


# ---- credits ---------------------------------------------------------------------------------------------


def test_streaming_gives_eight_credits_ahead_and_one_more_for_each_record() -> None:
    state, effects = send(opened(), ("run.start", None))
    assert [effect.name for effect in effects] == ["engine.run", "engine.grant"]
    assert effects[0].value["generation"] == state.generation
    assert effects[1].value == 8
    state, _ = send(state, ("engine.info", made.info()))
    state, effects = send(state, ("engine.record", made.records()[0]))
    assert effects == (Effect("engine.grant", 1),)
    assert state.granted == 8


def test_pausing_revokes_and_stepping_gives_one_credit() -> None:
    state, effects = send(running(2), ("run.pause", None))
    assert (state.phase, effects) == (st.PAUSED, (Effect("engine.revoke"),))
    state, effects = send(state, ("engine.record", made.records()[2]))  # was under way
    assert (len(state.records), effects) == (3, ())
    _, effects = send(state, ("transport.forward", None))
    assert effects == (Effect("engine.grant", 1),)
    state, effects = send(state, ("run.resume", None))
    assert (state.phase, effects) == (st.RUNNING, (Effect("engine.grant", 8),))


def test_stepping_from_ready_starts_a_run_of_one_credit() -> None:
    state, effects = send(opened(), ("run.step", None))
    assert state.phase == st.PAUSED
    assert effects[-1] == Effect("engine.grant", 1)


def test_records_of_another_run_are_dropped() -> None:
    state = running(2)
    after, effects = send(state, ("engine.record", (state.generation - 1, made.records()[2])))
    assert (after, effects) == (state, ())
    after, _ = send(state, ("run.cancel", None))
    assert send(after, ("engine.record", (state.generation, made.records()[2])))[0] is after


def test_cancel_keeps_what_was_computed() -> None:
    state, effects = send(running(3), ("run.cancel", None))
    assert (state.phase, len(state.records)) == (st.DONE, 3)
    assert effects == (Effect("engine.cancel"),)
    assert state.info is not None
    assert state.info.finished == "cancelled"


def test_looking_back_while_it_computes_stays_and_the_end_rejoins() -> None:
    state, _ = send(running(3), ("transport.first", None), ("engine.record", made.records()[3]))
    assert (state.line.current, state.line.computed) == (1, 4)
    state, _ = send(state, ("transport.last", None), ("engine.record", made.records()[4]))
    assert state.line.current == 5


def test_the_end_of_a_run_pauses_the_picture() -> None:
    state, _ = send(running(6), ("engine.done", {"generation": None, "finished": "done", "dropped": ()}))
    assert (state.phase, state.line.planned, state.line.playing) == (st.DONE, 6, 0)


# ---- what goes wrong -------------------------------------------------------------------------------------


def test_a_word_outside_the_vocabulary_is_said_under_the_input_and_the_pane_stays_usable() -> None:
    state, _ = send(opened(), ("run.start", None), ("engine.error", {"what": "no dragon", "do": "write cat"}))
    assert state.phase == st.READY
    assert said(shown(state), "input.said") == "No dragon\nWrite cat"
    assert buttons(shown(state))["run.main"].enabled
    state, _ = send(state, ("input.text", "Mary is here."))
    assert "dragon" not in said(shown(state), "input.said")


def test_the_picture_of_a_run_stays_until_the_next_one_begins() -> None:
    before, _ = send(running(4), ("engine.done", None), ("input.text", "Mary went to the ofice."))
    state, effects = send(before, ("run.start", None))
    assert (state.phase, len(state.records), state.line.playing) == (st.RUNNING, 4, 0)
    assert "engine.run" in {effect.name for effect in effects}
    late, _ = send(state, ("engine.record", (before.generation, before.records[0])))
    assert late is state
    failed, _ = send(state, ("engine.error", {"what": "ofice is unknown", "do": "write office"}))
    assert (failed.phase, failed.records, failed.line) == (st.DONE, before.records, before.line)
    assert mark(shown(failed), "map").values is not None
    assert "Ofice is unknown" in said(shown(failed), "input.said")
    cancelled, _ = send(state, ("run.cancel", None))
    assert (cancelled.phase, cancelled.info) == (st.DONE, before.info)
    begun, _ = send(state, ("engine.info", (state.generation, made.info(5))))
    assert (begun.records, len(begun.axis), begun.line.playing, begun.waiting) == ((), 5, 1, False)
    dead, _ = send(state, ("engine.lost", {"what": "the engine ended (exit code 1)", "do": ""}))
    assert (dead.phase, len(dead.records), dead.waiting) == (st.FAILED, 4, False)


def test_a_lost_engine_keeps_the_records_and_starts_again() -> None:
    state, _ = send(running(4), ("engine.lost", {"what": "the engine ended (exit code 1)", "do": ""}))
    assert (state.phase, len(state.records)) == (st.FAILED, 4)
    assert "The engine ended (exit code 1)" in said(shown(state), "failed.text")
    assert mark(shown(state), "map").values is not None
    state, effects = send(state, ("run.restart", None))
    assert [effect.name for effect in effects] == ["engine.restart", "engine.open"]
    state, _ = send(state, ("engine.opened", {"card": CARD, "samples": SAMPLES}))
    assert (state.phase, len(state.records)) == (st.DONE, 4)


# ---- maps the engine keeps -------------------------------------------------------------------------------


def test_maps_that_stay_in_the_engine_are_asked_for_once_and_shown_in_story_order() -> None:
    state, _ = send(opened(), ("run.start", None), ("engine.info", made.info(5)))
    state, effects = send(state, ("engine.record", made.records(5, keep_maps=False)[0]))
    asked = [effect.value for effect in effects if effect.name == "engine.tile"]
    assert [(one["step"], one["head"], one["order"]) for one in asked] == [(1, -1, (4, 3, 2, 1, 0))]
    assert inspector.needs(state) == ()
    assert "on its way" in EN.text(mark(shown(state), "map").missing)
    tile = np.arange(25, dtype=np.float32).reshape(5, 5) / 25
    state, _ = send(state, ("engine.tile", {**asked[0], "values": tile}))
    assert np.array_equal(mark(shown(state), "map").values, tile)
    row = numbers.row_at(state, 0, 0)
    assert row is not None
    assert np.array_equal(row, tile[4, ::-1])  # position 1, the question, stands last on screen


def test_a_row_of_a_map_that_comes_pooled_is_asked_for_alone() -> None:
    state, _ = send(opened(), ("run.start", None), ("engine.info", made.info(600)))
    state, effects = send(state, ("engine.record", made.records(600, 1, heads=1, keep_maps=False)[0]))
    asked = [effect.value for effect in effects if effect.name == "engine.tile"]
    assert [(one.get("rows"), one["most"]) for one in asked] == [(None, 512), ((0, 1), 600)]
    state, _ = send(state, ("engine.tile", {**asked[0], "values": np.zeros((512, 512), np.float32)}))
    row = np.linspace(0, 1, 600, dtype=np.float32)[None]
    state, _ = send(state, ("engine.tile", {**asked[1], "values": row}))
    assert mark(shown(state), "map").values.shape == (512, 512)
    assert [cell.place for cell in mark(shown(state), "hops").rows[0]] == [599, 598, 597]
    _, effects = send(state, ("pin", 7))
    assert [effect.value["rows"] for effect in effects] == [(7, 8)]


def test_another_head_asks_for_its_own_map() -> None:
    state, _ = send(opened(), ("run.start", None), ("engine.info", made.info(5)))
    state, _ = send(state, ("engine.record", made.records(5, keep_maps=False)[0]))
    _, effects = send(state, ("control.head", "2"))
    assert [effect.value["head"] for effect in effects if effect.name == "engine.tile"] == [2]


def test_a_map_not_fetched_when_the_engine_died_is_marked_lost() -> None:
    state, _ = send(opened(), ("run.start", None), ("engine.info", made.info(5)))
    state, _ = send(state, ("engine.record", made.records(5, keep_maps=False)[0]), ("engine.lost", "gone"))
    assert "lost" in EN.text(mark(shown(state), "map").missing)
    assert inspector.needs(state) == ()


# ---- what is shown ---------------------------------------------------------------------------------------


def test_the_map_stands_in_story_order_with_the_models_numbers() -> None:
    state = running(5)
    found = mark(shown(state), "map")
    assert isinstance(found, Heatmap)
    assert found.rows.numbers == tuple(range(12, 0, -1))
    assert found.rows.full[-1] == "Where is the milk?"
    assert found.pinned == 11  # the question
    assert found.rows.marked == (5, 9)
    weights = made.records()[4].attention
    assert weights is not None
    assert weights[0].weights is not None
    assert np.allclose(found.values, weights[0].weights[0].mean(0)[::-1, ::-1])


def test_arcs_hold_the_same_weights_as_the_map() -> None:
    state = running(5)
    other, _ = send(state, ("control.layout", "arcs"))
    assert np.array_equal(mark(shown(other), "arcs").values, mark(shown(state), "map").values)
    assert mark(shown(other), "arcs").pinned == 11


def test_the_pinned_row_over_the_steps_is_a_map_of_steps() -> None:
    state, _ = send(running(3), ("control.layout", "row"))
    found = mark(shown(state), "map")
    row = numbers.row_at(state, 1, 0)
    assert row is not None
    assert np.allclose(found.values[1], row[::-1])
    assert (found.rows.kind, found.rows.numbers, found.pin) == ("step", tuple(range(1, 9)), "transport.seek")
    assert found.absent == (False,) * 3 + (True,) * 5


def test_one_head_is_that_heads_map() -> None:
    state, _ = send(running(5), ("control.head", "2"))
    entry = made.records()[4].attention
    assert entry is not None
    assert entry[0].weights is not None
    assert np.array_equal(mark(shown(state), "map").values, entry[0].weights[0, 2][::-1, ::-1])


def test_ponder_bars_count_updates_and_hatch_what_has_halted() -> None:
    state = running(5)
    bars = mark(shown(state), "map").side
    halting = made.records()[4].halting
    assert halting is not None
    assert halting.n_updates is not None
    assert bars.values == tuple(halting.n_updates[0][::-1])
    assert bars.hatched == tuple(bool(flag) for flag in halting.halted[0][::-1])
    assert bars.labels[-1] == "5 …"


def test_rows_not_computed_are_absent_everywhere() -> None:
    state = running(6, frozen=True)
    found = mark(shown(state), "map")
    assert found.absent == tuple(not flag for flag in made.records(frozen=True)[5].computed[0][::-1])
    text = said(shown(state, Selection(pinned=5)), "readout")
    assert "not computed at step 6" in text
    curve = mark(shown(state, Selection(pinned=5)), "sharpening")
    assert math.isnan(curve.series[1].y[5])


def test_the_readout_says_value_step_before_difference_and_row_sum() -> None:
    state = running(5)
    text = said(shown(state, Selection(hovered=0, hovered_key=2)), "readout")
    now, before = (numbers.row_at(state, k, 0) for k in (4, 3))
    assert now is not None
    assert before is not None
    assert f"{now[2]:.4f}" in text
    assert f"t = 4: {before[2]:.4f}" in text
    assert f"{float(now[2]) - float(before[2]):+.4f}" in text
    assert "row sum 1.0000" in text
    assert "“Where is the milk?” reads “Mary went back to the garden.”" in text


def test_every_step_says_its_answer_with_its_probability() -> None:
    state = running(5)
    film = mark(shown(state), "film")
    assert isinstance(film, Film)
    record = made.records()[2]
    assert record.readout is not None
    logits = record.readout[0, 0]
    odds = np.exp(logits) / np.exp(logits).sum()
    word, probability = (span.text for span in film.captions[2])
    assert (word, probability) == (made.ANSWERS[int(odds.argmax())], f"{odds.max():.2f}")
    assert film.captions[5:] == ((), (), ())
    assert (film.computed, film.current) == (5, 4)


def test_the_plain_last_state_may_answer_otherwise() -> None:
    state = running(1)
    record = made.records()[0]
    other, _ = send(state, ("control.readout", "state"))
    assert record.readout_state is not None
    logits = record.readout_state[0, 0]
    word, probability = (span.text for span in mark(shown(other), "film").captions[0])
    assert word == made.ANSWERS[int(logits.argmax())]
    assert probability == f"{np.exp(logits).max() / np.exp(logits).sum():.2f}"
    assert "probability" in said(shown(other), "input.said")


def test_right_and_wrong_are_said_where_the_answer_is_known() -> None:
    assert "expected: garden wrong" in said(shown(running(1)), "input.said")
    assert "expected: garden right" in said(shown(running(5)), "input.said")


def test_entropy_is_normalised_and_undefined_with_one_position() -> None:
    curve = mark(shown(running(5)), "sharpening")
    assert isinstance(curve, Curve)
    assert curve.series[0].y[0] == pytest.approx(1.0, abs=0.02)  # almost even at first
    assert curve.series[1].y[4] < 0.5
    alone = mark(shown(running(2, m=1)), "sharpening")
    assert all(math.isnan(value) for one in alone.series for value in one.y)
    assert "undefined" in EN.text(alone.note)


@pytest.mark.parametrize(("measure", "high"), [("effective", 12.0), ("largest", 1.0), ("mass", 1.0)])
def test_other_measures_of_sharpness(measure: str, high: float) -> None:
    state, _ = send(running(5), ("control.measure", measure))
    curve = mark(shown(state), "sharpening")
    assert curve.y[1] == high
    entry = made.records()[4].attention
    assert entry is not None
    maps = entry[0].weights
    assert maps is not None
    row = maps[0, :, 0]
    entropy = -(row * np.log(row)).sum(-1)
    wanted = {
        "effective": np.exp(entropy).mean(),
        "largest": row.max(-1).mean(),
        "mass": row[:, [2, 6]].sum(-1).mean(),
    }
    assert curve.series[1].y[4] == pytest.approx(wanted[measure], rel=1e-5)


def test_halted_rows_may_be_left_out_of_the_mean() -> None:
    state, _ = send(running(5), ("control.halted", False))
    halting = made.records()[4].halting
    assert halting is not None
    values = numbers.sharpness(state)[4]
    curve = mark(shown(state), "sharpening")
    assert curve.series[0].y[4] == pytest.approx(values[halting.running[0]].mean())
    assert curve.series[0].y[4] != pytest.approx(values.mean())


def test_hops_are_the_three_largest_weights_of_the_pinned_row() -> None:
    state = running(5)
    grid = mark(shown(state), "hops")
    assert isinstance(grid, Cells)
    row = numbers.row_at(state, 4, 0)
    assert row is not None
    places = [cell.place for cell in grid.rows[4]]
    assert places == list(np.argsort(-row)[:3])
    assert [cell.marked for cell in grid.rows[4]] == [place in (2, 6) for place in places]
    assert grid.rows[6] == ()


def test_settling_is_the_relative_size_of_the_update() -> None:
    state = running(3)
    record = made.records()[2]
    assert record.update_norm is not None
    assert mark(shown(state), "settling").series[1].y[2] == pytest.approx(record.update_norm[0, 0] / 7.0)


@pytest.mark.parametrize(
    "options",
    [
        {"m": 1},
        {"m": 40},
        {"attention": False},
        {"halting": False},
        {"m": 1, "attention": False},
        {"heads": 16},
    ],
)
def test_any_model_has_a_scene_at_every_step_and_layout(options: dict[str, Any]) -> None:
    state = running(4, **options)
    for step in (1, 4):
        for layout in st.LAYOUTS:
            after, _ = send(state, ("transport.seek", step), ("control.layout", layout))
            assert len(to_text(shown(after), EN)) > 200


def test_left_out_and_not_kept_is_said() -> None:
    state, _ = send(opened(), ("run.start", None), ("engine.info", made.info(cropped=3, dropped=("maps",))))
    text = said(shown(state), "input.said")
    assert "3 oldest sentences were left out" in text
    assert "not kept: maps" in text


def test_a_run_that_ended_early_says_so() -> None:
    state, _ = send(running(3), ("run.cancel", None))
    assert "ended early, after step 3" in said(shown(state), "input.said")
    whole, _ = send(running(8), ("engine.done", {"generation": 1, "finished": "done"}))
    assert "early" not in said(shown(whole), "input.said")


def test_a_large_run_says_its_memory_before_it_starts() -> None:
    state, _ = send(opened(), ("engine.forecast", {"bytes": 3 * 2**30, "free": 2**30}))
    assert "3.0 GB" in said(shown(state), "input.said")
    state, effects = send(state, ("control.steps", 400))
    assert effects == (Effect("engine.forecast", {"text": state.text, "steps": 400}),)


@pytest.mark.parametrize(("given", "kept"), [(0, 1), (10_000, 999), (7, 7)])
def test_steps_stay_in_range(given: int, kept: int) -> None:
    assert send(opened(), ("control.steps", given))[0].steps == kept


@pytest.mark.parametrize(
    ("label", "short"),
    [
        ("Mary went back to the garden.", "Mary went garden"),
        ("Daniel travelled to the bathroom.", "Daniel … bathroom"),
        ("Where is the milk?", "Where milk?"),
        ("john", "john"),
        ("", ""),
        ("x" * 40, "x" * 17 + "…"),
    ],
)
def test_labels_are_shortened_to_the_words_that_carry_them(label: str, short: str) -> None:
    assert st.short(label) == short


def test_a_view_opens_runs_and_looks_at_its_step() -> None:
    state, _ = send(running(6), ("transport.seek", 3), ("control.head", "1"), ("pin", 4))
    view = inspector.to_view(state)
    again, effects = inspector.from_view(inspector.initial(), view)
    assert effects == (Effect("engine.open", "/models/babi-ut"),)
    again, effects = send(again, ("engine.opened", {"card": CARD, "samples": SAMPLES}))
    assert [effect.name for effect in effects] == ["engine.run", "engine.grant"]
    again, _ = send(again, ("engine.info", made.info()))
    for record in made.records()[:6]:
        again, _ = send(again, ("engine.record", record))
    assert inspector.to_view(again) == view
    again, _ = send(again, ("engine.done", None))
    assert (again.line.current, again.line.playing) == (3, 0)


def test_moving_over_the_map_changes_its_outlines_and_the_readout_only() -> None:
    state = running(5)
    still, moved = shown(state), shown(state, Selection(None, 3, 4))
    pairs = zip(marks(still), marks(moved), strict=True)
    assert {one.key for one, other in pairs if not same(one, other)} == {"map", "readout"}


# ---- narrow windows --------------------------------------------------------------------------------------


def keys(state: st.State) -> list[str]:
    return [node.key for node in walk(shown(state).root)]


def test_a_narrow_window_has_one_rail_with_tabs_and_keeps_its_place() -> None:
    wide = running(4)
    state, _ = send(wide, ("view.width", 1024), ("panel.choose", 2))
    tabs = next(node for node in walk(shown(state).root) if isinstance(node, Tabs))
    assert [EN.text(title) for title in tabs.titles] == ["Sharpening", "Settling", "Hops", "Model"]
    assert (tabs.current, tabs.event) == (2, "panel.choose")
    cards = {node.key for node in walk(shown(wide).root) if isinstance(node, Card)}
    assert cards == {node.key for node in walk(shown(state).root) if isinstance(node, Card)}
    assert send(state, ("panel.choose", 9))[0] is state
    for path in (("open.path", "x"), ("open.run", made.run()), ("run.cancel", None)):
        after, _ = send(state, path)
        assert (after.narrow, after.panel) == (True, "hops"), path
    again, _ = inspector.from_view(send(wide, ("view.width", 1024))[0], inspector.to_view(state))
    assert (again.narrow, again.panel) == (True, "hops")
    back, _ = send(state, ("view.width", 1280))
    assert not any(isinstance(node, Tabs) for node in walk(shown(back).root))


def test_a_narrow_window_shows_the_checkpoint_while_it_says_more_than_facts() -> None:
    empty, _ = send(inspector.initial(), ("view.width", 1024))
    assert keys(empty).index("checkpoint") < keys(empty).index("input")
    state, _ = send(opened(), ("view.width", 1024))
    assert keys(state).index("checkpoint") > keys(state).index("input")
    failed, _ = send(state, ("open.path", "x"), ("engine.error", {"what": "x is empty", "do": "fetch it"}))
    assert keys(failed).index("facts.error") < keys(failed).index("input")


# ---- a model that breaks down ----------------------------------------------------------------------------


def broken_at(step: int, steps: int = 4, only: int | None = None) -> st.State:
    state = running(step - 1)
    for record in made.records(steps=steps)[step - 1 :]:
        state, _ = send(state, ("engine.record", made.broken(record, only)))
    return state


@pytest.mark.parametrize("layout", st.LAYOUTS)
@pytest.mark.parametrize("measure", st.MEASURES)
def test_no_number_is_made_up_where_there_is_none(layout: str, measure: str) -> None:
    state, _ = send(broken_at(1), ("control.layout", layout), ("control.measure", measure))
    scene = shown(state)
    assert "nan" not in to_text(scene, EN, 200).replace("NaN", "").lower().split()
    assert "not finite (NaN or infinity) from step 1 on" in said(scene, "input.said")
    assert "not finite" in said(scene, "readout")
    assert mark(scene, "hops").rows[-1] == ()
    frames = mark(scene, "film").frames[:4]
    assert all(frame is not None and np.isnan(frame).all() for frame in frames)  # hatched by the mark
    assert EN.text(mark(scene, "sharpening").note) == "NaN or infinity"
    assert EN.text(mark(scene, "settling").note) == "NaN or infinity"
    if layout != "row":
        assert all(mark(scene, "map" if layout == "map" else "arcs").absent)


def test_the_steps_before_a_breakdown_stay_as_they_are() -> None:
    state, _ = send(broken_at(3), ("transport.seek", 2))
    sound, _ = send(running(4), ("transport.seek", 2))
    for key in ("map", "readout"):
        assert same(mark(shown(state), key), mark(shown(sound), key))
    last, _ = send(state, ("transport.last", None))
    assert "from step 3 on" in said(shown(last), "input.said")


def test_one_row_without_numbers_is_hatched_alone() -> None:
    scene = shown(broken_at(1, only=4))
    place = tuple(state_axis_numbers(scene)).index(5)
    assert [k for k, gone in enumerate(mark(scene, "map").absent) if gone] == [place]
    assert "answer:" in said(scene, "input.said")


def state_axis_numbers(scene: Scene) -> tuple[int, ...]:
    return tuple(mark(scene, "map").rows.numbers)

"""The debugger as a state machine: moving both ways, stops, changed pasts, sources, views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.classroom import without_sides
from app.messages import Translator
from app.pane import Effect, Event, Selection
from app.panes import _act_state as st
from app.panes import act
from app.panes._act_state import State
from app.render.text import to_text
from app.scene import Code, Column, Form, Lanes, Row, Scene, Sheet, marks
from ut_engine.faults import fault_names, load_fault
from ut_engine.stops import Stop

ENGLISH = Translator("en")


def after(state: State, *events: tuple[str, Any] | str) -> State:
    for event in events:
        name, value = (event, None) if isinstance(event, str) else event
        state, _ = act.update(state, Event(name, value))
    return state


def at(state: State) -> tuple[int, int]:
    """(step, line) looked at."""
    record = state.record
    return (0, 0) if record is None else (record.step, record.line)


def scene(state: State, pinned: int | None = None) -> Scene:
    return act.scene(state, Selection(pinned=pinned))


def mark(shown: Scene, key: str) -> Any:
    return next(found for found in marks(shown) if found.key == key)


def text(state: State, pinned: int | None = None, language: str = "en") -> str:
    return to_text(scene(state, pinned), Translator(language), 60)


# ---- moving -----------------------------------------------------------------------------------------------


def test_it_starts_at_an_interesting_place() -> None:
    state = act.initial()
    assert (state.source, at(state)) == ("sentence", (3, 5))


def test_forwards_and_backwards_pass_the_very_same_lines() -> None:
    state = after(act.initial(), "transport.first")
    there = [state.record]
    while state.line.current < state.line.computed:
        state = after(state, "transport.forward")
        there.append(state.record)
    back = [state.record]
    while state.line.current > 1:
        state = after(state, "transport.back")
        back.append(state.record)
    assert len(there) == 54
    assert all(one is other for one, other in zip(there, back[::-1], strict=True))


def test_whole_steps_both_ways() -> None:
    state = after(act.initial(), "transport.group_forward")
    assert at(state) == (3, 9)
    assert at(after(state, "transport.group_forward")) == (4, 9)
    assert at(after(state, "transport.group_back")) == (2, 9)
    assert at(after(act.initial(), "transport.group_back")) == (2, 9)


def test_to_the_next_stop_and_back_to_the_last() -> None:
    state = after(act.initial(), "transport.stop_forward")
    assert at(state) == (3, 7)
    state = after(state, ("stop.on.0", False), "transport.stop_forward")
    assert at(state) == (6, 2)  # position 9 halts
    assert at(after(state, "transport.stop_forward")) == (6, 9)
    assert at(after(state, "transport.stop_back")) == (1, 1)


def test_run_to_the_cursor_and_the_same_line_of_another_step() -> None:
    state = after(act.initial(), ("line.cursor", 2), "line.run_to")
    assert at(state) == (4, 2)
    assert at(after(act.initial(), ("step.seek", 5))) == (5, 5)
    assert at(after(act.initial(), ("step.seek", 12))) == (3, 5)


def test_playing_stops_at_stops_and_at_the_end() -> None:
    state = after(act.initial(), "transport.play", "transport.tick")
    assert (at(state), state.line.playing) == ((3, 6), 1)
    state = after(state, "transport.tick")
    assert (at(state), state.line.playing) == ((3, 7), 0)
    state = after(state, "transport.last", "transport.play")
    assert at(state) == (1, 1)  # from the end it starts over


def test_playing_can_stop_wherever_something_halts() -> None:
    state = after(act.initial(), ("stop.on.0", False), ("stop.on.1", False), ("stop.add", "any"))
    assert "any position halts · t = 6, line 2" in text(replace_panel(state, "stops"))
    seen = []
    state = after(state, "transport.first")
    for _ in range(4):
        state = after(state, "transport.play", *["transport.tick"] * 9)
        while state.line.playing:
            state = after(state, "transport.tick")
        seen.append(at(state))
    assert seen == [(1, 2), (2, 2), (3, 2), (6, 2)]


def test_the_timeline_counts_lines_and_shows_what_lies_ahead() -> None:
    line = act.timeline(act.initial())
    assert line is not None
    assert (line.current, line.planned, line.group, line.ms) == (23, 54, 9, 250)
    assert line.signs == ((2, 1), (11, 3), (20, 5), (47, 1))
    assert line.stops == (7, 16, 25, 34, 43, 47, 52)


# ---- what is on screen ------------------------------------------------------------------------------------


def test_the_listing_shows_where_it_is_and_what_the_pinned_position_has() -> None:
    code = mark(scene(act.initial()), "code")
    assert isinstance(code, Code)
    assert (code.current, code.next, code.stops) == (5, 6, ((7, True),))
    assert [(value.line, value.old, value.text) for value in code.values] == [
        (1, "", "1"), (2, "", "0"), (3, "", "1"), (4, "0.30", "0.57"), (5, "", "0"),
    ]  # fmt: skip


def test_only_values_that_really_changed_are_marked() -> None:
    lanes = mark(scene(act.initial()), "lanes")
    assert isinstance(lanes, Lanes)
    lane = next(lane for lane in lanes.lanes if lane.current)
    assert lane.name == "remainders"
    assert lane.before is not None
    assert np.flatnonzero(np.isfinite(lane.before)).tolist() == [1, 2, 6, 7, 9]
    others = [lane for lane in lanes.lanes if not lane.current]
    assert all(lane.before is None for lane in others)
    assert [lane.name for lane in others if lane.stale] == ["update_weights"]


def test_the_grid_knows_running_halting_halted_and_what_is_to_come() -> None:
    lanes = mark(scene(act.initial()), "lanes")
    assert lanes.kinds[2].tolist() == [3, 2, 2, 3, 3, 3, 2, 2, 1, 2]
    assert not lanes.kinds[3:].any()
    assert np.isnan(lanes.fills[3:]).all()


@pytest.mark.parametrize("line", range(1, 10))
@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_line_is_told_in_words_and_numbers(line: int, language: str) -> None:
    state = after(act.initial(), ("transport.seek", 18 + line))
    shown = text(state, 8, language)
    assert "9 john" in shown
    assert len(shown) > 400


def test_the_numbers_of_a_line_are_those_of_the_variables() -> None:
    shown = text(after(act.initial(), ("transport.seek", 23)), 1)
    assert "R2 = 0 + 1 (1 − 0.95) = 0.05" in shown


def test_stepping_into_a_line_shows_every_position() -> None:
    state = after(act.initial(), "line.into")
    assert len(mark(scene(state), "what.numbers").lines) == 10


@pytest.mark.parametrize(("width", "columns"), [(1440, 3), (1280, 2), (720, 1)])
def test_columns_that_fit(width: int, columns: int) -> None:
    state = after(act.initial(), ("view.width", width))
    whole: Any = scene(state)
    body = whole.root.children[1]
    assert isinstance(body, Row if columns > 1 else Column)
    assert columns == 1 or len(body.children) == columns
    lesson: Any = without_sides(whole)
    hidden = lesson.root.children[1]
    assert len(hidden.children) == {3: 2, 2: 2, 1: 3}[columns]
    for part in (mark(scene(state), "code"), mark(scene(state), "lanes")):
        assert part is not None


def test_a_narrow_window_folds_the_right_column_into_tabs() -> None:
    wide, narrow = act.initial(), after(act.initial(), ("view.width", 1280))
    assert (narrow.narrow, after(narrow, ("view.width", 1400)).narrow) == (True, False)
    assert mark(scene(wide), "pinned.stack")
    assert all(found.key != "pinned.stack" for found in marks(scene(narrow)))
    assert len(mark(scene(narrow), "code").rows) < len(mark(scene(wide), "code").rows)


# ---- sources ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["fresh", "hesitant", "two-position", "sentence"])
def test_scenarios(source: str) -> None:
    state = after(act.initial(), ("control.source", source))
    assert state.source == source
    assert state.trace.records[0].step == 1
    assert "NaN" not in text(after(state, "transport.last"))


def test_a_table_is_typed_pasted_and_said_wrong() -> None:
    state = after(act.initial(), ("table.text", "a\t0.5\t0.6\nb\t0.1\t0.2"))
    assert (state.source, state.setup.tokens, state.setup.cap) == ("table", ("a", "b"), 2)
    wrong = after(state, ("table.text", "a,0.5\nb,1.5"))
    assert wrong.trace is state.trace
    assert "row 2, column 2" in ENGLISH.text(wrong.what)
    assert "Row 2, column 2" in text(replace_panel(wrong, "change"))
    assert after(wrong, ("table.text", "a,0.5\nb,0.5")).what == ""


def test_the_table_that_runs_typed_again_changes_nothing() -> None:
    before = replace_panel(act.initial(), "change")
    running = next(field for field in fields(before) if field.key == "table").text
    wrong = after(before, ("table.text", "0.5,"))
    assert next(field for field in fields(wrong) if field.key == "table").text == "0.5,"
    assert wrong.what
    empty = after(before, ("table.text", ""))
    assert next(field for field in fields(empty) if field.key == "table").text == ""
    back = after(empty, ("table.text", running))
    assert (back.source, at(back), back.what) == ("sentence", at(before), "")
    assert back.trace is before.trace


def fields(state: State) -> list[Any]:
    forms = [one for one in marks(scene(state)) if isinstance(one, Form)]
    return [field for form in forms for row in form.fields for field in row]


def replace_panel(state: State, panel: str) -> State:
    return after(state, ("panel.choose", panel))


def test_a_table_without_tokens_counts_its_positions_once() -> None:
    state = after(act.initial(), ("table.text", "0.5,0.6\n0.1,0.2"))
    assert [st.label(state, k) for k in range(2)] == ["1", "2"]


def test_a_table_of_one_bias() -> None:
    state = after(act.initial(), ("why.bias", -3.0), ("table.fill", -3.0))
    assert state.trace.capped.all()
    assert np.allclose(state.setup.p, 0.047426, atol=1e-6)


# ---- stops ------------------------------------------------------------------------------------------------


def test_stops_are_set_counted_disabled_and_taken_away() -> None:
    state = after(act.initial(), ("line.stop", 4))
    assert state.stops[0] == Stop("line", 4)
    assert after(state, ("line.stop", 4)).stops == st.USUAL_STOPS
    state = after(act.initial(), ("stop.condition", "halting_probability[9] > 0.5"))
    assert state.stops[-1] == Stop("condition", text="halting_probability[9] > 0.5")
    state = after(act.initial(), ("stop.condition", "new_halted > 0 x3"))
    assert state.stops[-1].hits == 3
    state = after(state, ("stop.on.0", False), ("stop.remove", 1))
    assert not state.stops[0].on
    assert len(state.stops) == len(st.USUAL_STOPS)
    state = after(state, ("stop.add", ("halts", 2)))
    assert state.stops[-1] == Stop("halts", 2)
    assert after(state, ("stop.add", ("halts", 2))).stops == state.stops


def test_a_typo_in_a_condition_gets_a_pointed_message_where_it_was_typed() -> None:
    state = after(act.initial(), ("stop.condition", "remainder < 0.05"))
    assert state.stops == st.USUAL_STOPS
    shown = text(state)
    assert "did you mean remainders?" in shown.lower()


# ---- the past ---------------------------------------------------------------------------------------------


def test_a_changed_past_branches_and_the_old_run_stays_to_compare() -> None:
    old = act.initial()
    state = after(old, ("edit.set", ("halt", 8, 1.0)))
    assert (len(state.branches), state.branch, state.ghost) == (2, 1, 0)
    assert state.branches[0].trace is old.trace
    assert state.trace.halted_at[8] == 3
    lanes = mark(scene(state), "lanes")
    assert lanes.ghost is not None
    sheet = mark(scene(replace_panel(state, "change")), "branch.sheet")
    assert isinstance(sheet, Sheet)
    assert sheet.values == (8,)
    back = after(state, ("branch.choose", "0"))
    assert back.trace is old.trace
    assert after(state, "branch.forget").branches == (old.branches[0],)


def test_dragging_p_goes_on_with_one_branch_and_another_place_opens_another() -> None:
    state = act.initial()
    for p in (0.3, 0.4, 0.5):
        state = after(state, ("edit.p.8", p))
    assert len(state.branches) == 2
    assert state.setup.edits[0].value == 0.5
    state = after(state, ("edit.step", 4), ("edit.p.8", 0.9))
    assert len(state.branches) == 3
    assert len(state.setup.edits) == 2


def test_epsilon_and_the_cap_branch_too() -> None:
    state = after(act.initial(), ("control.epsilon", 0.5), ("control.cap", 3))
    assert [branch.trace.setup.epsilon for branch in state.branches] == [0.01, 0.5, 0.5]
    assert state.trace.steps <= 3
    assert after(state, ("control.cap", 3)).branches is state.branches


# ---- semantics --------------------------------------------------------------------------------------------


def test_the_two_positions_tell_the_semantics_apart() -> None:
    state = after(act.initial(), "compare.example")
    sheet = mark(scene(state, 1), "compare.sheet")
    cells = {row[0].text if isinstance(row[0].text, str) else row[0].text.id: row[1:] for row in sheet.rows}
    assert [(span.text, span.role) for span in cells["output"]] == [
        ("3.4097", "fg"), ("3.2116", "changed"), ("4.7375", "changed"),
    ]  # fmt: skip
    assert [span.role for span in cells["state s′"]] == ["fg", "changed", "fg"]
    ledger = mark(scene(state, 1), "compare.ledger")
    sums = [span.text for span in ledger.rows[-2][1:]]
    assert sums == ["0.6913", "0.6913", "1"]
    assert "1 − ∏(1 − w)" in text(state, 1)


# ---- why --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("fresh", "Every position halts at step 2: start bias 1.0 gives p = 0.731."),
        ("hesitant", "Every position hits the cap of 12 steps"),
        ("hesitant", "The weights of 1 john sum to 0.60."),
        ("hesitant", "54.0 % of the output"),
        ("sentence", "28 of 60 computed cells count"),
    ],
)
def test_it_says_why_it_came_out_so(source: str, said: str) -> None:
    state = after(act.initial(), ("control.source", source), ("panel.choose", "why"))
    assert said in text(state)


def test_the_bias_slider_says_what_another_bias_would_do() -> None:
    state = after(act.initial(), ("control.source", "fresh"), ("panel.choose", "why"))
    assert "every position halts at step 2, R = 0.27" in text(state)
    assert "every position halts at step 9" in text(after(state, ("why.bias", -2.0)))
    assert "it would take 21 steps" in text(after(state, ("why.bias", -3.0)))


# ---- practice ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", fault_names())
def test_the_fault_is_found_by_its_line(name: str) -> None:
    state = after(act.initial(), ("hunt.fault", name))
    assert at(state) == (1, 1)
    right = load_fault(name).line
    wrong = 1 if right != 1 else 3
    assert "seen in" not in text(state)
    assert "as it should be" in text(after(state, ("line.cursor", wrong), "hunt.accuse"))
    found = text(after(state, ("line.cursor", right), "hunt.accuse"))
    assert f"Yes, line {right}." in found
    assert load_fault(name).source[:40] in found
    for index in range(0, state.line.planned, 5):
        assert text(after(state, ("transport.seek", index + 1)))
    assert after(state, ("hunt.fault", "")).setup.fault == ""


def test_a_prediction_covers_who_halts_until_it_is_made() -> None:
    state = after(act.initial(), ("predict.on", True), ("transport.seek", 29))
    assert state.covered
    assert at(state) == (4, 2)
    lanes = mark(scene(state), "lanes")
    assert [lane.name for lane in lanes.lanes if lane.hidden] == ["new_halted"]
    line = act.timeline(state)
    assert line is not None
    assert line.stops == ()
    assert max(place for place, _ in line.signs) < 29
    shown = after(state, ("predict.guess", "-1"), "transport.forward")
    assert (shown.covered, shown.answers, at(shown)) == (False, (1, 1), (4, 2))
    assert at(after(shown, "transport.forward")) == (4, 3)
    assert after(state, ("predict.guess", "8"), "predict.reveal").answers == (0, 1)


# ---- views ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "events",
    [
        (("control.source", "hesitant"), ("transport.seek", 40)),
        (("table.text", "a,0.5,0.6\nb,0.1,0.2"), ("pin", 1)),
        (("hunt.fault", "no-mask"), ("transport.seek", 12)),
        (("stop.add", "any"), ("stop.condition", "R > 1 x2"), ("stop.on.0", False), ("panel.choose", "why")),
        (("control.mixing", "graves"), ("control.state", "frozen")),
        (("edit.set", ("halt", 8, 1.0)), ("edit.step", 2), ("edit.p.1", 0.25), ("control.epsilon", 0.1)),
        (("control.cap", 4), ("transport.seek", 20)),
    ],
)
def test_a_view_comes_back(events: tuple[tuple[str, Any], ...]) -> None:
    state = after(act.initial(), *events)
    view = act.to_view(state)
    back, _ = act.from_view(act.initial(), view)
    assert act.to_view(back) == view
    assert at(back) == at(state)
    assert back.stops == state.stops


def test_a_view_of_a_live_run_opens_its_checkpoint() -> None:
    state, effects = act.from_view(act.initial(), {"source": "live", "open": "/x/babi", "line": "20"})
    assert effects == (Effect("engine.open", "/x/babi"),)
    assert state.live.autorun


@pytest.mark.parametrize("figure", ["²", "9" * 5000, "-1"])
def test_what_is_no_number_in_a_view_or_a_condition_is_no_fault(figure: str) -> None:
    state, _ = act.from_view(
        act.initial(), {"stops": f"line:{figure}:5;line:1:5", "line": figure, "pin": figure}
    )
    assert state.stops == (Stop("line", 5),)
    assert after(act.initial(), ("stop.condition", f"p > 0.5 x{figure}")).what

"""The prefix-parity pane as a pure machine: its numbers, what is read and settled, controls, links."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.messages import Translator
from app.pane import Effect, Event, Selection
from app.panes import _scan_hand as hand
from app.panes import _scan_learned as learned
from app.panes import scan
from app.panes._scan_events import table_text
from app.panes._scan_state import State
from app.render.text import to_text
from app.scene import Form, Lattice, Plot, Progress, Row, Sheet, marks, walk
from app.view import from_text
from ut_engine import debug
from ut_engine.act_table import parse_table
from ut_engine.scan import depths

ENGLISH = Translator("en")


def after(state: State, *events: tuple[str, Any] | str) -> State:
    for event in events:
        name, value = (event, None) if isinstance(event, str) else event
        state, _ = scan.update(state, Event(name, value))
    return state


def shown(**view: str) -> State:
    return scan.from_view(scan.initial(), view)[0]


def mark(state: State, key: str) -> Any:
    return next(found for found in marks(scan.scene(state, Selection())) if found.key == key)


def facts(state: State, key: str) -> list[str]:
    return [ENGLISH.text(row[1]) for row in mark(state, key).rows]


def ends(state: State) -> list[str]:
    """Settled, first not guaranteed, right, wrong, first wrong: at the end."""
    return [row[2].text for row in mark(state, "whole").rows]


def text(state: State, language: str = "en") -> str:
    return to_text(scan.scene(state, Selection()), Translator(language), 60)


def fields(state: State) -> dict[str, Any]:
    forms = [one for one in marks(scan.scene(state, Selection())) if isinstance(one, Form)]
    return {field.key: field for form in forms for row in form.fields for field in row}


# ---- the numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "steps", "cells"), [(40, 6, "177 of 240"), (400, 9, "3,089 of 3,600")])
def test_as_many_steps_as_needed(n: int, steps: int, cells: str) -> None:
    state = shown(n=str(n))
    assert facts(state, "needs") == [str(steps), str(steps)]
    assert ends(state) == [str(n), "–", str(n), "0", "–"]
    assert f"{cells} cells are needed" in text(state)


def test_a_fixed_depth_guarantees_only_the_first_64() -> None:
    state = shown(n="400", input="ones", depth="6")
    assert facts(state, "needs") == ["9", "6"]
    assert ends(state) == ["64", "65", "232", "168", "65"]


@pytest.mark.parametrize(("n", "first"), [(40, 63), (400, 511)])
def test_without_a_step_signal_it_is_right_only_after_powers_of_two(n: int, first: int) -> None:
    state = shown(n=str(n), signal="none")
    assert facts(state, "needs") == [str(first), str(first)]
    assert ends(state)[:2] == [str(n), "–"]
    plot = mark(state, "by_step")
    settled = plot.lines[0].y
    assert np.flatnonzero(settled == n).tolist() == [first]
    assert f"multiple of {first + 1}" in text(state)


def test_a_second_right_moment_comes_with_the_next_multiple() -> None:
    state = shown(n="40", signal="none", depth="127")
    assert np.flatnonzero(mark(state, "by_step").lines[0].y == 40).tolist() == [63, 127]


def test_the_needed_cells_are_those_without_a_hatch() -> None:
    for n in ("40", "400"):
        lattice = mark(shown(n=n), "grid")
        assert int((lattice.tones[1:] != hand.BEFORE).sum()) == int(depths(int(n)).sum())


# ---- what is on screen ------------------------------------------------------------------------------------


def test_settled_goes_by_coverage_and_not_by_a_lucky_value() -> None:
    state = shown(bits="0" * 16, step="2")
    lattice = mark(state, "grid")
    assert isinstance(lattice, Lattice)
    assert state.frame.correct.all()
    assert (lattice.tones[2, 4:] == hand.AGREES).all()
    assert (lattice.tones[2, 2:4] == hand.SETTLED).all()
    assert (lattice.tones[2, :2] == hand.BEFORE).all()


def test_lines_show_what_the_step_reads() -> None:
    lattice = mark(shown(n="40", step="3"), "grid")
    assert len(lattice.links) == 36
    assert (lattice.links[:, 0, 1] - lattice.links[:, 1, 1] == 4).all()
    assert {int(row) for row in lattice.links[:, 0, 0]} == {3}


def test_the_window_of_the_position_under_the_pointer() -> None:
    state = after(shown(n="40", step="3"), ("cell.hover", (3, 36)))
    lattice = mark(state, "grid")
    assert lattice.focus == (3, 36)
    assert np.flatnonzero(lattice.field[0]).tolist() == list(range(29, 37))
    assert np.flatnonzero(lattice.field[2]).tolist() == [32, 36]
    assert facts(state, "position")[0] == "30–37"
    assert after(state, ("cell.hover", None)).cell is None


def test_reads_too_close_together_to_be_told_apart_are_one_stretch() -> None:
    field = mark(shown(n="1024", step="10", look="700"), "grid").field
    assert [int(row.sum()) for row in field] == [700, 700, 700, 88, 44, 22, 11, 6, 3, 2, 1]


def test_each_step_says_how_far_it_is_and_what_a_value_is_made_of() -> None:
    state = after(shown(bits="1101", step="1"), ("cell.hover", (1, 2)))
    assert [row[1].text for row in mark(state, "whole").rows] == ["2", "3", "3", "1", "3"]
    assert facts(state, "position") == ["2–3", "2", "1 ⊕ 0", "1", "0", "no, needs 2 steps"]
    words = after(shown(operator="permutation", bits="23451 21345", step="1"), ("cell.hover", (1, 1)))
    assert facts(words, "position")[2:4] == ["23451 ∘ 21345", "13452"]


def test_two_numbers_to_add_are_read_as_carries() -> None:
    state = after(shown(operator="carry"), ("control.bits", "1011+0110"))
    assert (state.n, state.symbols) == (4, "pgpp")
    assert state.scan.frames[-1].correct.all()
    assert after(state, ("control.bits", "12+1")).what


def test_without_a_step_signal_only_odd_counts_are_left_of_the_window() -> None:
    state = after(shown(n="40", signal="none", step="4"), ("cell.hover", (4, 20)))
    assert np.flatnonzero(mark(state, "grid").field[0]).tolist() == [16, 20]


def test_a_click_looks_at_the_position_at_that_step() -> None:
    state = after(shown(n="40"), ("cell.pick", (5, 11)))
    assert (state.line.current, state.look) == (5, 11)
    assert mark(state, "grid").pinned == 11
    assert after(state, ("pin", 3)).look == 3
    assert after(state, ("pin", 300)).look == 11


def test_a_close_up_shows_the_symbols_of_a_long_input() -> None:
    state = shown(n="400", look="200", close="1")
    lattice = mark(state, "grid")
    assert len(lattice.cols) == 32
    assert lattice.texts
    assert lattice.cols.numbers[lattice.pinned] == 200
    assert not mark(shown(n="400"), "grid").texts


def test_many_rounds_are_shown_in_a_window_around_the_step() -> None:
    state = shown(n="400", signal="none", step="300")
    lattice = mark(state, "grid")
    assert len(lattice.rows) == len(lattice.tones) == 64
    assert lattice.rows.numbers[lattice.current] == 300


@pytest.mark.parametrize("operator", ["xor", "sum10", "carry", "permutation"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_other_operations_on_the_same_machinery(operator: str, language: str) -> None:
    state = after(shown(n="12"), ("control.operator", operator))
    assert (state.operator, state.n) == (operator, 12)
    assert state.scan.frames[-1].settled.all()
    assert state.scan.frames[-1].correct.all()
    assert len(text(state, language)) > 400
    assert fields(state)["no_signal"].enabled == (operator == "xor")


def test_the_quotation_stands_word_for_word_with_its_assumption() -> None:
    said = text(shown())
    assert "for any given choice of depth T, one can construct an input sequence of length N > T" in said
    assert "finite precision" in said
    assert "not of all Transformers" in said


# ---- controls ---------------------------------------------------------------------------------------------


def test_presets_lengths_and_seeds() -> None:
    state = after(scan.initial(), ("control.preset", 400))
    assert (state.n, state.kind, state.needed) == (400, "random", 9)
    ones = after(state, ("control.preset", "ones"))
    assert ones.symbols == "1" * 400
    assert after(state, ("control.seed", 2.0)).symbols != state.symbols
    assert after(state, ("control.length", 5000)).n == 1024


@pytest.mark.parametrize(("view", "name"), [
    ({"n": "40"}, "should hold"), ({"n": "400"}, ""), ({"n": "12", "operator": "permutation"}, ""),
])  # fmt: skip
def test_the_row_of_right_values_is_named(view: dict[str, str], name: str) -> None:
    state, _ = scan.from_view(scan.initial(), view)
    found = mark(state, "grid").foot_name
    assert (ENGLISH.text(found) if found else "") == name


@pytest.mark.parametrize(
    ("n", "step", "said"),
    [
        (1, 0, ("1 position", "After 0 steps positions")),
        (2, 1, ("2 positions", "After 1 step positions")),
        (4, 1, ("no, needs 3 steps",)),
    ],
)
def test_one_is_said_in_the_singular(n: int, step: int, said: tuple[str, ...]) -> None:
    state, _ = scan.from_view(scan.initial(), {"n": str(n), "seed": "1", "signal": "none", "step": str(step)})
    found = text(state)
    assert all(words in found for words in said)
    assert "1 positions" not in found.replace("1,0", "")
    assert "1 steps" not in found


def test_typed_bits_and_what_is_wrong_with_them() -> None:
    state = after(scan.initial(), ("control.bits", "1011 0100"))
    assert (state.kind, state.n, state.symbols) == ("typed", 8, "10110100")
    assert (
        after(scan.initial(), ("control.bits", "１０１１ ０１００")).symbols == "10110100"
    )  # an input source's
    wrong = after(state, ("control.bits", "10121"))
    assert wrong.symbols == "10110100"
    assert "'2' is not one of 0, 1. Write only 01." in text(wrong)
    assert "'2'" in text(wrong, "ko")
    assert not after(wrong, ("control.bits", "101")).what
    assert after(state, ("control.bits", "1" * 1025)).what
    assert after(state, ("control.bits", "  ")).what


def test_a_fixed_depth_is_switched_on_and_off() -> None:
    state = after(shown(n="400"), ("control.mode", "fixed"))
    assert (state.depth, state.line.current) == (6, 6)
    state = after(state, ("control.depth", 3.0))
    assert (len(state.scan.frames), state.line.computed) == (4, 3)
    assert after(state, ("control.mode", "needed")).line.computed == 9
    assert after(state, ("control.mode", "?")) is state


def test_steps_go_through_the_timeline_both_ways() -> None:
    state = after(shown(n="40"), "transport.last", "transport.back", "transport.back")
    assert state.line.current == 4
    state = after(state, "transport.first", "transport.play", "transport.tick", "transport.tick")
    assert (state.line.current, state.line.playing) == (3, 1)
    assert scan.timeline(state) is state.line
    assert after(state, ("plot.seek", 5.2)).line.current == 5
    assert scan.timeline(shown(n="1")) is None


def test_the_depths_open_as_a_table_in_the_debugger() -> None:
    _, effects = scan.update(shown(n="40"), Event("table.open"))
    assert effects[0].name == "open.view"
    pane, view = from_text(effects[0].value)
    assert (pane, view["source"]) == ("act", "table")
    trace = debug.walk(debug.setup_of(parse_table(view["table"])))
    assert trace.n_updates.tolist() == np.maximum(depths(40), 1).tolist()


def test_the_table_of_the_longest_input_is_read_and_one_position_has_none() -> None:
    assert len(parse_table(table_text(1024)).p) == 1024
    assert fields(shown(n="1024"))["table.open"].enabled
    assert not fields(shown(n="1"))["table.open"].enabled
    assert scan.update(shown(n="1"), Event("table.open"))[1] == ()


def test_the_scan_opens_as_a_model() -> None:
    assert scan.update(shown(), Event("checkpoint.open"))[1] == (Effect("open.path", "scan"),)


@pytest.mark.parametrize("view", [*scan.SHOWN, *scan.LARGEST, {"bits": "1101", "step": "2", "look": "3"}])
def test_views_come_back(view: dict[str, str]) -> None:
    state = shown(**view)
    assert scan.to_view(shown(**scan.to_view(state))) == scan.to_view(state)
    assert {name: scan.to_view(state).get(name) for name in view} == view


def test_a_senseless_view_leaves_what_is_usual() -> None:
    state = shown(n="0", depth="99999", operator="?", bits="12", look="400", step="-1", seed="x")
    assert scan.to_view(state) == {"n": "40", "seed": "1", "step": "1"}


def test_captions_and_sentences() -> None:
    state = shown(n="400", input="ones", depth="6", step="6")
    said = ENGLISH.text(scan.sentence(state))
    assert said == "After step 6, reading 32 back: 64 of 400 positions are settled, 232 right for this input."
    parts = [ENGLISH.text(part) for part in scan.caption(state)]
    assert parts == ["prefix parity (xor)", "400 ones", "fixed depth 6", "step 6"]
    assert not scan.shows_model(state)


@pytest.mark.parametrize(("width", "columns"), [(853, 1), (1024, 2), (1280, 3)])
@pytest.mark.parametrize("tab", ["hand", "learned"])
def test_it_folds_in_a_narrow_window(width: int, columns: int, tab: str) -> None:
    state = after(shown(), ("tab.choose", tab), ("view.width", width))
    root: Any = scan.scene(state, Selection()).root
    assert (len(root.children) if isinstance(root, Row) else 1) == columns
    assert {"tabs", "input.form"} <= {node.key for node in walk(root)}


# ---- learned ----------------------------------------------------------------------------------------------

FIGURES = {
    "name": "parity-ut", "steps": 3, "right": [1, 1, 0], "by_position": [1.0, 1.0, 0.5],
    "by_step": [0.5, 0.75, 0.9], "front": [1.0, 2.0, 2.5], "whole": 0.5, "updates": [3, 3, 3],
}  # fmt: skip


def measured(bits: str = "101") -> State:
    state = after(scan.initial(), ("control.bits", bits), ("tab.choose", 1))
    value = {"bits": bits, "strings": 64, "models": [FIGURES]}
    return after(state, ("measure.done", {"key": "scan.learned", "value": value}))


def test_the_learned_tab_asks_for_the_same_bits_once() -> None:
    state, effects = scan.update(scan.initial(), Event("tab.choose", "learned"))
    assert effects[0].name == "measure.start"
    args = effects[0].value["args"]
    assert args["bits"] == state.symbols
    assert list(args["checkpoints"]) == ["parity-ut", "parity-act", "parity-transformer", "parity-lstm"]
    assert isinstance(mark(state, "learned.wait"), Progress)
    assert scan.update(after(state, ("tab.choose", 0)), Event("tab.choose", 1))[1] == ()
    assert scan.update(state, Event("control.seed", 3))[1][0].name == "measure.start"


@pytest.mark.parametrize("view", ["front", "by_step", "by_position"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_what_was_measured_stands_beside_the_hand_made_rule(view: str, language: str) -> None:
    state = after(measured(), ("learned.view", view))
    grid, plot = mark(state, "right"), mark(state, "learned.plot")
    assert isinstance(plot, Plot)
    assert grid.tones.tolist() == [[1, 1, 1], [1, 1, 0]]
    assert grid.notes == ("3/3", "2/3")
    assert len(plot.lines) == 2
    assert plot.lines[1].y.tolist() == FIGURES[view]
    assert len(text(state, language)) > 400


def test_figures_of_other_bits_are_not_shown() -> None:
    state = measured()
    other = after(state, ("control.bits", "1111"))
    late = {"bits": "101", "strings": 64, "models": [FIGURES]}
    assert after(other, ("measure.done", {"key": "scan.learned", "value": late})).learned.phase == "waiting"
    assert after(other, ("measure.done", {"key": "other", "value": late})) is other


def test_waiting_can_be_cancelled_and_a_fault_is_said() -> None:
    state = after(scan.initial(), ("tab.choose", 1))
    state = after(state, ("measure.progress", {"key": "scan.learned", "done": 3, "total": 9}))
    assert (mark(state, "learned.wait").done, mark(state, "learned.wait").total) == (3, 9)
    cancelled, effects = scan.update(state, Event("learned.cancel"))
    assert effects == (Effect("measure.cancel", "scan.learned"),)
    assert "Run the trained models" in text(cancelled)
    broken = after(state, ("measure.error", {"key": "scan.learned", "what": "it broke", "do": "mend it"}))
    assert "It broke. Mend it." in text(broken)
    assert scan.update(broken, Event("learned.again"))[1][0].name == "measure.start"


def test_without_the_shipped_checkpoints_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.panes._scan_measure.shipped", dict)
    state, effects = scan.update(scan.initial(), Event("tab.choose", 1))
    assert effects == ()
    assert "The shipped parity checkpoints are missing. Install the program again." in text(state)
    assert text(state, "ko")


def test_too_long_for_the_trained_models_is_said() -> None:
    state = after(shown(n="800"), ("tab.choose", 1))
    assert "up to 400 bits" in text(state)
    assert after(state, ("control.preset", 40)).learned.phase == "waiting"


def test_a_trained_model_opens_in_the_inspector() -> None:
    state = after(measured(), ("model.choose", "parity-act"))
    assert scan.update(state, Event("model.open"))[1] == (Effect("open.path", "parity-act"),)


def test_the_cards_figures_are_shown_as_they_are() -> None:
    sheet = mark(measured(), "cards.sheet")
    assert isinstance(sheet, Sheet)
    own = learned.rows_of("parity-transformer")
    row = next(row for row in sheet.rows if row[0].text == "Transformer")
    assert [span.text for span in row[1:]] == [f"{100 * own[n].symbols:.1f}" for n in (20, 40, 80, 200)]
    said = " ".join(ENGLISH.text(one) for one in learned.findings())
    ut = learned.rows_of("parity-ut")[200]
    assert f"of whole strings of 200, {100 * ut.whole:.1f} % are right, with other seeds" in said
    assert "Not with every seed" in said
    assert "LSTM is right at every length, with every seed" in said
    assert "did not carry over to longer inputs" in said


def test_numbers_to_add_may_have_spaces_within() -> None:
    state = after(scan.initial(), ("control.operator", "carry"), ("control.bits", "10 11 + 0110"))
    assert (state.symbols, state.what) == ("pgpp", "")


def test_the_last_step_of_the_longest_run_is_on_the_scale() -> None:
    plot = mark(measured(), "learned.plot")
    assert plot.x.high == max(line.x[-1] for line in plot.lines)


def test_what_comes_after_a_cancel_is_not_shown() -> None:
    state = after(scan.initial(), ("tab.choose", 1), "learned.cancel")
    late = {"key": "scan.learned", "what": "it broke", "do": "mend it"}
    assert after(state, ("measure.error", late)) is state


def test_the_length_trained_on_is_that_of_the_checkpoints() -> None:
    assert learned.trained() == 20
    long = {**FIGURES, "right": [1, 1, 0] * 10, "by_position": [1.0, 1.0, 0.5] * 10}
    value = {"bits": "10" * 15, "strings": 64, "models": [long]}
    state = after(scan.initial(), ("control.bits", "10" * 15), ("tab.choose", 1))
    state = after(state, ("measure.done", {"key": "scan.learned", "value": value}))
    rules = mark(after(state, ("learned.view", "by_position")), "learned.plot").rules
    assert [rule.at for rule in rules if rule.upright] == [20.0]


@pytest.mark.parametrize(("n", "drawn"), [(400, 399), (700, 350), (1024, 341)])
def test_no_more_lines_are_drawn_than_can_be_told_apart(n: int, drawn: int) -> None:
    assert len(mark(shown(n=str(n), step="1"), "grid").links) == drawn <= hand.LINKS

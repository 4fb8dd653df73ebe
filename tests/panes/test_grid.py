"""The depth grid: the numbers of the story, fields and links, sources, wrong input, views, speed."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from app.messages import LANGUAGES, Translator
from app.pane import Effect, Event, Selection
from app.panes import _grid_state as st
from app.panes import grid
from app.panes._grid_state import State
from app.paths import shipped
from app.render.text import to_text
from app.scene import Entry, Lattice, Progress, Scene, Sheet, marks
from tests.panes import made
from ut_engine.cells import Cells, cells_from
from ut_engine.run import Run
from ut_engine.schedule import COMPUTED, COPIED, MODELS, UNCOUNTED, Schedule

ENGLISH = Translator("en")
MODELS_KEYS = tuple(f"lattice.{name}" for name in MODELS)


def after(state: State, *events: tuple[str, Any] | str) -> State:
    for event in events:
        name, value = (event, None) if isinstance(event, str) else event
        state, _ = grid.update(state, Event(name, value))
    return state


def scene(state: State, selection: Selection | None = None) -> Scene:
    return grid.scene(state, selection or Selection())


def mark(shown: Scene, key: str) -> Any:
    return next(found for found in marks(shown) if found.key == key)


def text(state: State, language: str = "en") -> str:
    return to_text(scene(state), Translator(language), 100)


def table(state: State) -> dict[str, list[str]]:
    """The counters by the model's name."""
    sheet = mark(scene(state), "grid.sheet")
    assert isinstance(sheet, Sheet)
    rows = [[ENGLISH.text(span.text) for span in row] for row in sheet.rows]
    return {row[0]: row[1:] for row in rows}


def schematic(**changes: Any) -> State:
    state = grid.initial()
    for name, value in changes.items():
        state = after(state, (f"grid.{name}", value))
    return after(state, "transport.last")


# ---- the numbers of the story -----------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "depth"), [(1, 1), (10, 6), (128, 32)])
def test_ticks_cells_and_weight_sets_of_the_first_three(m: int, depth: int) -> None:
    rows = table(schematic(m=m, depth=depth))
    assert rows["RNN"][:2] == [str(m), str(m)]
    assert rows["RNN"][4] == "1"
    for name, sets in (("Transformer", depth), ("Universal Transformer", 1)):
        assert rows[name][:2] == [str(depth), str(m * depth)]
        assert rows[name][4] == str(sets)


def test_a_shared_layer_has_the_parameters_of_one_and_the_work_of_all() -> None:
    rows = table(schematic(m=10, depth=6))
    one, all_six = (int(rows[name][5].replace(",", "")) for name in ("Universal Transformer", "Transformer"))
    assert all_six == 6 * one
    assert rows["Transformer"][6] == rows["Universal Transformer"][6] == "18,874,368"


def test_the_semantics_change_the_counters() -> None:
    goes_on, frozen = schematic(state="listing2"), schematic(state="frozen")
    n = st.updates("sentence", 6)
    whole, counted = 10 * max(n), sum(n)
    assert table(goes_on)["UT + ACT"][:4] == [str(max(n)), str(whole), "0", str(whole - counted)]
    assert table(frozen)["UT + ACT"][:4] == [str(max(n)), str(counted), str(whole - counted), "0"]
    assert table(goes_on)["UT + ACT"][6] != table(frozen)["UT + ACT"][6]


@pytest.mark.parametrize(
    ("case", "depth", "n"),
    [
        ("fresh", 6, (2,)), ("fresh", 1, (1,)), ("hesitant", 6, (6,)), ("hesitant", 12, (12,)),
        ("two-position", 6, (1, 4)), ("two-position", 2, (1, 2)),
    ],
)  # fmt: skip
def test_scenarios_halt_as_in_the_debugger_and_at_the_cap(case: str, depth: int, n: tuple[int, ...]) -> None:
    found = st.planned("act", 7, depth, case, "listing2")
    assert (found.cells == COMPUTED).sum(axis=0).tolist() == [n[k % len(n)] for k in range(7)]
    assert found.ticks == max(n)


def test_one_clock_drives_all_and_the_shorter_ones_stand_finished() -> None:
    state = after(schematic(m=10, depth=6, scenario="fresh"), ("transport.seek", 3))
    rows = table(state)
    assert rows["RNN"][:2] == ["3 / 10", "3 / 10"]
    assert rows["Transformer"][:2] == ["3 / 6", "30 / 60"]
    assert rows["UT + ACT"][0] == "2"
    assert "finished" in text(state)
    line = grid.timeline(state)
    assert line is not None
    assert (line.current, line.computed) == (3, 10)
    tones = mark(scene(state), "lattice.ut").tones
    assert (tones[:4] >= 0).all()
    assert (tones[4:] == -1).all()


def test_one_model_alone_has_its_own_clock() -> None:
    line = grid.timeline(after(schematic(m=10, depth=6), ("grid.show", "ut")))
    assert line is not None
    assert line.computed == 6
    assert [one.model for one in st.shown(after(grid.initial(), ("grid.show", "rnn")))] == ["rnn"]


# ---- what is drawn ----------------------------------------------------------------------------------------


def test_a_colour_a_layer_one_everywhere_and_hatches_for_the_halted() -> None:
    state = schematic(m=10, depth=6)
    transformer, ut, act = (mark(scene(state), f"lattice.{name}") for name in MODELS[1:])
    roles = [{transformer.kinds[tone].role for tone in row} for row in transformer.tones[1:].tolist()]
    assert len({frozenset(one) for one in roles}) == 6
    assert len({ut.kinds[tone].role for tone in np.unique(ut.tones[1:])}) == 1
    off = st.planned("act", *st.key(state)).cells != COMPUTED
    for kinds, light in ((act, True), (mark(scene(schematic(state="frozen")), "lattice.act"), False)):
        hatched = np.array([kinds.kinds[tone].hatched for tone in kinds.tones[1:].ravel()]).reshape(off.shape)
        np.testing.assert_array_equal(hatched, off)
        assert {kind.light for kind in kinds.kinds if kind.hatched} == {light}


def test_what_a_cell_reads_is_drawn_and_what_it_depends_on_outlined() -> None:
    state = after(schematic(m=5, depth=4), ("grid.cell.ut", (3, 2)))
    found = mark(scene(state), "lattice.ut")
    assert found.focus == (3, 2)
    assert sorted(found.links) == [((3, 2), (2, k)) for k in range(5)]
    assert found.field.sum() == 3 * 5 + 1
    other = mark(scene(state), "lattice.transformer")
    assert (other.focus, other.column) == (None, 2)
    assert "reads 5 cells, depends on 15" in text(state)
    rnn = mark(scene(after(state, ("grid.cell.rnn", (1, 2)))), "lattice.rnn")
    assert rnn.field.tolist() == [[True] * 3 + [False] * 2] * 2


def test_a_copied_cell_reads_itself_only_and_is_read_by_others() -> None:
    state = after(schematic(m=2, depth=4, scenario="two-position", state="frozen"), ("grid.cell.act", (3, 0)))
    assert mark(scene(state), "lattice.act").links == (((3, 0), (2, 0)),)
    assert "copied at tick 3" in text(state)
    running = mark(scene(after(state, ("grid.cell.act", (3, 1)))), "lattice.act")
    assert ((3, 1), (2, 0)) in running.links


def test_a_click_holds_a_cell_and_a_second_one_lets_it_go() -> None:
    state = after(grid.initial(), ("grid.hold.ut", (2, 4)), ("grid.cell.ut", (1, 1)), ("grid.cell.ut", None))
    assert state.cell == ("ut", 2, 4)
    assert after(state, ("grid.hold.ut", (2, 4))).cell is None
    assert after(state, ("grid.m", 3)).held is None
    assert after(state, ("grid.cell.ut", (99, 0))).cell == ("ut", 2, 4)


def test_the_positions_of_other_panes_are_framed() -> None:
    shown = scene(grid.initial(), Selection(pinned=3, hovered=5))
    for key in MODELS_KEYS:
        found = mark(shown, key)
        assert (found.pinned, found.column) == (3, 5)
        assert found.linked == "hover"


def test_the_legend_stands_once_under_all_four() -> None:
    shown = scene(grid.initial())
    assert not any(mark(shown, key).legend for key in MODELS_KEYS)
    legend = mark(shown, "grid.legend")
    assert [ENGLISH.text(kind.name) for kind in legend.kinds] == [
        "the same weights", "own weights in every layer", "no longer counted",
    ]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_schematic_and_what_is_live_is_said(language: str) -> None:
    words = {
        "en": ("Schematic: who", "Live: models trained", "figure 1"),
        "ko": ("개념도:", "실제 실행: 누적", "그림 1"),
    }
    said = text(grid.initial(), language)
    assert words[language][0] in said
    assert words[language][2] in said
    assert words[language][1] in text(four(), language)
    assert not grid.shows_model(four())


# ---- the four that ship -----------------------------------------------------------------------------------


@cache
def figures(bits: str = "0110110010") -> str:
    """Made-up grids of the four, with the shapes a measurement has."""
    m, rng = len(bits) + 1, np.random.default_rng(1)
    grids = []
    for model, name, rows in zip(MODELS, st.SHIPPED, (1, 6, m, 4), strict=True):
        cells = np.full((rows, m), COMPUTED)
        if model == "act":
            cells[2:, :5] = COPIED
        tick = np.arange(1, m + 1)[None] if model == "rnn" else np.arange(1, rows + 1)[:, None] + 0 * cells
        weights = tick - 1 if model == "transformer" else 0 * cells
        plan = Schedule(model, cells, tick, weights, "frozen" if model == "act" else "listing2", causal=True)
        right = np.array([0, *np.cumsum([int(bit) for bit in bits]) % 2])
        answers = np.where(np.arange(rows)[:, None] < rows - 1, 1 - right, right)
        noise = rng.random(cells.shape)
        grids.append(
            Cells(name, plan, ("^", *bits), ("0", "1"), np.arange(m), noise, 2 * noise - 1, answers,
                  0.5 + noise / 2, np.where(model == "act", noise, np.nan), 8_000, 32, 64).to_dict()
        )  # fmt: skip
    return json.dumps({"text": bits, "grids": grids})


def four() -> State:
    state = after(grid.initial(), ("grid.source", "four"))
    return after(state, ("measure.done", {"key": "grid.four", "value": json.loads(figures())}))


def test_the_four_are_measured_when_they_are_asked_for_and_only_once() -> None:
    state, effects = grid.update(grid.initial(), Event("grid.source", "four"))
    paths = [str(shipped()[name]) for name in st.SHIPPED]
    asked = {"checkpoints": paths, "text": "0110110010"}
    assert effects == (Effect("measure.start", {"key": "grid.four", "what": "grid", "args": asked}),)
    waiting = mark(scene(state), "grid.progress")
    assert isinstance(waiting, Progress)
    moved = after(state, ("measure.progress", {"key": "grid.four", "done": 2, "total": 4}))
    assert mark(scene(moved), "grid.progress").done == 2
    assert after(state, ("measure.progress", {"key": "other", "done": 2, "total": 4})) is state
    back, effects = grid.update(after(four(), ("grid.source", "schematic")), Event("grid.source", "four"))
    assert effects == ()
    assert back.four.grids


def test_answers_update_sizes_and_what_is_right_are_in_the_cells() -> None:
    state = four()
    ut = mark(scene(state), "lattice.ut")
    assert ut.texts[0] == ("^", *"0110110010")
    assert ut.foot == ("", *"0100100011")
    assert ut.texts[-1][1:] == ut.foot[1:]
    names = [[ENGLISH.text(ut.kinds[tone].name) for tone in row] for row in ut.tones[1:, 1:].tolist()]
    assert {name for row in names[:-1] for name in row} == {"wrong if stopped here"}
    assert set(names[-1]) == {"right if stopped here"}
    np.testing.assert_allclose(ut.values[1:], ut.shades[1:])
    act = mark(scene(state), "lattice.act")
    assert act.kinds[act.tones[3, 2]].hatched
    assert [ENGLISH.text(part) for part in ut.scale] == ["relative update", "0", "≥ 1"]
    cosine = mark(scene(after(state, ("grid.colour", "cosine"))), "lattice.ut")
    assert (cosine.values[1:] < 0).any()
    assert (cosine.shades[1:] >= 0).all()
    assert table(state)["UT + ACT: parity-act"][2] == "10"
    assert "8,000" in table(state)["RNN: parity-lstm"][5]


def test_a_cell_of_a_run_says_its_figures() -> None:
    said = text(after(four(), ("grid.cell.act", (4, 3))))
    for part in (
        "UT + ACT, t = 4, position 4",
        "copied at tick 4",
        "relative update 0.",
        "cosine ",
        "answers ",
    ):
        assert part in said
    assert "right" in said


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("0120", "“2” is not a bit. Use 0 and 1, at most 127 of them."),
        ("", "Type some bits."),
        ("01" * 70, "140 bits are too many. Use 0 and 1"),
    ],
)
def test_what_is_no_bit_is_said_and_changes_nothing(typed: str, said: str) -> None:
    state, effects = grid.update(four(), Event("grid.bits", typed))
    assert effects == ()
    assert state.bits == "0110110010"
    assert said in text(state)
    assert not after(state, ("grid.bits", "0 1 1")).what
    assert (
        after(state, ("grid.bits", "０１１")).bits == "011"
    )  # full width, as an input source may write them


def test_other_bits_start_another_measurement_and_the_old_grids_stay_meanwhile() -> None:
    state, effects = grid.update(four(), Event("grid.random"))
    assert len(state.bits) == 10
    assert state.bits != "0110110010"
    assert effects[0].value["args"]["text"] == state.bits
    assert st.shown(state)
    late = after(state, ("measure.done", {"key": "grid.four", "value": json.loads(figures())}))
    assert late is state  # figures of bits that are no longer asked for
    lost = after(
        state, ("measure.error", {"key": "grid.four", "what": "the engine stopped", "do": "Try again"})
    )
    assert "The engine stopped. Try again." in text(lost)
    again, effects = grid.update(lost, Event("grid.retry"))
    assert (again.four.phase, len(effects)) == (st.WAITING, 1)


# ---- the open checkpoint ----------------------------------------------------------------------------------


def opened(run: Run) -> State:
    return after(grid.initial(), ("open.run", run), ("grid.source", "open"))


def test_a_recorded_run_is_a_grid_with_its_halting() -> None:
    run = made.run()
    state = opened(run)
    assert grid.shows_model(state)
    found = mark(scene(state), "lattice.act")
    assert found.tones.shape == (len(run.records) + 1, 12)
    plan = st.shown(state)[0].grid
    assert plan.uncounted > 0
    assert (plan.cells[0] == COMPUTED).all()
    halting = run.records[-1].halting
    assert halting is not None
    np.testing.assert_array_equal(plan.cells[-1] == UNCOUNTED, ~halting.running[0].astype(bool))
    assert found.texts[1][0] in made.ANSWERS


def test_where_the_right_answer_is_known_it_stands_below() -> None:
    state = opened(made.run())
    assert mark(scene(state), "lattice.act").foot == ("garden", *[""] * 11)
    unknown = opened(replace(made.run(), info=made.info(expected=None)))
    assert mark(scene(unknown), "lattice.act").foot == ()


@pytest.mark.parametrize(
    ("signal", "said"),
    [("learned", "a learned table: at most 8 steps"), ("none", "no step signal"), ("paper", "is a formula")],
)
def test_whether_this_models_depth_can_be_chosen_is_said(signal: str, said: str) -> None:
    run = replace(made.run(), info=made.info(config={**made.CONFIG, "signal": signal}))
    assert said in text(opened(run))


def test_a_convolution_is_said_where_a_cell_is_looked_at_and_widens_what_it_reads() -> None:
    """Causal with a window of 2: attention alone reads two positions, with T2T's convolutions eight."""
    config = {**made.CONFIG, "causal": True, "window": 2}
    texts = {}
    for transition in ("feedforward", "sepconv"):
        run = replace(made.run(), info=made.info(config={**config, "transition": transition}))
        state = after(opened(run), ("grid.cell.act", (2, 9)))
        found = mark(scene(state), "lattice.act")
        texts[transition] = (text(state), len(found.links), int(found.field.sum()) - 1)
        cells = st.shown(state)[0].cells
        assert cells is not None
        assert cells_from(cells.to_dict()).schedule.reach == cells.schedule.reach
    words, links, depends = texts["feedforward"]
    assert (links, depends) == (2, 2 + 3)
    assert "convolutions" not in words
    words, links, depends = texts["sepconv"]
    assert (links, depends) == (8, 8 + 10)
    assert "reads 8 cells, depends on 18" in words
    assert "its convolutions mix what positions 4 to 10 attended to" in words
    assert "위치 4–10에서 어텐션으로 읽은 값을 합성곱이 섞음" in text(state, "ko")


def test_a_run_grows_while_it_is_computed() -> None:
    run = made.run()
    state = after(grid.initial(), ("engine.info", (7, run.info)), ("grid.source", "open"))
    for one in run.records[:3]:
        state = after(state, ("engine.record", (7, one)))
    line = grid.timeline(state)
    assert line is not None
    assert (line.current, line.computed, line.planned) == (3, 3, run.info.max_steps)
    assert after(state, ("engine.record", (6, run.records[3]))) is state
    ended = grid.timeline(after(state, ("engine.done", {"generation": 7})))
    assert ended is not None
    assert ended.planned == 3


def test_a_run_too_large_for_a_grid_says_so() -> None:
    run = made.run()
    wide = made.info(m=st.MOST_CELLS + 1)
    state = after(grid.initial(), ("engine.info", (7, wide)), ("grid.source", "open"))
    state = after(state, ("engine.record", (7, run.records[0])))
    assert grid.timeline(state) is None
    assert "more cells than a grid can show" in text(state)


def test_an_encoder_decoder_shows_its_encoder() -> None:
    run = made.run()
    later = tuple(replace(one, address=replace(one.address, side="decoder")) for one in run.records[:3])
    state = opened(replace(run, records=(*run.records, *later)))
    line = grid.timeline(state)
    assert line is not None
    assert line.computed == len(run.records) == st.shown(state)[0].grid.rows


CARD = {"name": "parity-ut", "path": "/models/parity-ut", "task": "parity"}


def test_without_a_run_one_is_offered() -> None:
    state = after(grid.initial(), ("grid.source", "open"))
    assert grid.timeline(state) is None
    assert "No checkpoint is open" in text(state)
    assert grid.update(state, Event("grid.open", "parity-ut"))[1] == (Effect("open.path", "parity-ut"),)
    there = after(state, ("engine.opened", {"card": CARD, "samples": [{"text": "0110"}]}))
    assert "parity-ut is open, and nothing has run yet." in text(there)
    _, effects = grid.update(there, Event("grid.inspect"))
    assert effects == (Effect("open.view", "inspector"),)
    asked, effects = grid.update(there, Event("grid.own"))
    args = {"checkpoints": ["/models/parity-ut"], "text": "0110"}
    assert effects == (Effect("measure.start", {"key": "grid.own", "what": "grid", "args": args}),)
    value = {"text": "0110", "grids": [json.loads(figures("0110"))["grids"][2]]}
    found = after(asked, ("measure.done", {"key": "grid.own", "value": value}))
    assert mark(scene(found), "lattice.ut").foot == ("", "0", "1", "0", "0")


def test_a_run_without_states_offers_to_compute_the_cosines() -> None:
    run = made.run()
    bare = replace(run, records=tuple(replace(one, state=None, output=None) for one in run.records))
    state = after(opened(bare), ("grid.colour", "cosine"))
    assert "grid.first.form" not in {found.key for found in marks(scene(state))}
    state = replace(state, live=replace(state.live, path="/models/babi"))
    assert "kept without its states" in text(state)
    _, effects = grid.update(state, Event("grid.own"))
    assert effects[0].value["args"] == {"checkpoints": ["/models/babi"], "text": run.info.text}


# ---- views, layouts, speed --------------------------------------------------------------------------------


@pytest.mark.parametrize("view", [*grid.SHOWN, *grid.LARGEST])
def test_views_come_back(view: dict[str, str]) -> None:
    state, _ = grid.from_view(grid.initial(), view)
    said = grid.to_view(state)
    assert {name: said[name] for name in view} == view
    again, _ = grid.from_view(grid.initial(), said)
    assert grid.to_view(again) == said


def test_a_view_of_a_run_waits_for_it() -> None:
    view = {"source": "four", "bits": "0110110010", "tick": "5", "cell": "ut:5:6"}
    state, effects = grid.from_view(grid.initial(), view)
    assert len(effects) == 1
    assert grid.to_view(state)["tick"] == "5"
    found = after(state, ("measure.done", {"key": "grid.four", "value": json.loads(figures())}))
    assert found.line.current == 5
    assert found.cell == ("ut", 5, 5)
    assert grid.to_view(found)["tick"] == "5"


@pytest.mark.parametrize(
    "view", [{"m": "0"}, {"m": "999"}, {"depth": "x"}, {"bits": "abc"}, {"cell": "ut:99:1"}, {"cell": "a:b"}]
)
def test_senseless_views_are_left_aside(view: dict[str, str]) -> None:
    state, _ = grid.from_view(grid.initial(), view)
    assert not state.what
    assert 1 <= state.m <= st.MOST_POSITIONS
    assert state.held is None


@pytest.mark.parametrize("view", [*grid.SHOWN, *grid.LARGEST])
@pytest.mark.parametrize("width", [800, 1600])
def test_every_shown_state_has_its_parts_wide_and_narrow(view: dict[str, str], width: int) -> None:
    state, _ = grid.from_view(grid.initial(), view)
    shown = scene(after(state, ("view.width", width)))
    keys = {found.key for found in marks(shown)}
    assert "grid.form" in keys
    assert {"grid.sheet", "grid.readout"} <= keys or not st.shown(state)
    assert [found.alt for found in marks(shown) if isinstance(found, Lattice) and not found.alt] == []


def test_a_caption_says_which_kind_of_figure_it_is() -> None:
    said = [ENGLISH.text(part) for part in grid.caption(grid.initial())]
    assert said[:4] == ["Depth grid", "schematic", "10 positions", "N = T = 6"]
    assert "live" in [ENGLISH.text(part) for part in grid.caption(four())]


def test_the_controls_follow_the_source() -> None:
    def fields(state: State) -> list[str]:
        return [field.key for row in mark(scene(state), "grid.form").fields for field in row]

    assert "grid.m" in fields(grid.initial())
    assert "grid.bits" in fields(four())
    entry = next(f for row in mark(scene(four()), "grid.form").fields for f in row if isinstance(f, Entry))
    assert entry.text == "0110110010"
    assert fields(opened(made.run())) == ["grid.source", "grid.colour"]


def test_every_control_is_answered_within_a_frame_at_the_largest_size() -> None:
    state, _ = grid.from_view(grid.initial(), grid.LARGEST[0])
    scene(state)
    taken = []
    events = (
        ("grid.depth", 31),
        ("grid.m", 127),
        ("grid.cell.ut", (19, 60)),
        ("transport.forward", None),
        ("grid.state", "listing2"),
        ("grid.scenario", "two-position"),
    )
    for event in events:
        started = time.perf_counter()
        state = after(state, event)
        scene(state)
        taken.append(time.perf_counter() - started)
    assert sorted(taken)[len(taken) // 2] < 0.033


def test_a_view_of_other_bits_measures_them_while_the_four_are_shown() -> None:
    state, effects = grid.from_view(four(), {"source": "four", "bits": "1111"})
    assert [effect.value["args"]["text"] for effect in effects] == ["1111"]
    assert state.four.phase == "waiting"
    assert grid.from_view(four(), {"source": "four", "bits": "0110110010"})[1] == ()


def test_a_view_is_followed_though_wrong_bits_were_typed_before() -> None:
    wrong = after(four(), ("grid.bits", "012"))
    assert wrong.what
    state, _ = grid.from_view(wrong, {"source": "schematic", "m": "20"})
    assert (state.m, state.what) == (20, "")


@pytest.mark.parametrize("figure", ["²", "9" * 5000, "-1", "٣"])
def test_what_is_no_number_in_a_view_changes_nothing(figure: str) -> None:
    view = {"m": figure, "depth": figure, "tick": figure, "cell": f"act:{figure}:{figure}"}
    assert grid.from_view(grid.initial(), view)[0] == grid.initial()


def test_a_checkpoint_opened_again_keeps_its_run_and_forgets_what_was_computed_of_it() -> None:
    card = {"card": CARD, "samples": [{"text": "0110"}]}
    ran = made.run()
    state = after(grid.initial(), ("engine.opened", card), ("engine.info", (1, ran.info)), "grid.own")
    assert state.own.phase == "waiting"
    again, effects = grid.update(state, Event("engine.opened", card))
    assert effects == (Effect("measure.cancel", "grid.own"),)
    assert again.own.phase == "idle"
    assert again.live.info is state.live.info


def test_a_picture_taken_while_others_are_awaited_names_the_bits_it_shows() -> None:
    waiting = after(four(), ("grid.bits", "1111"))
    assert waiting.bits == "1111"
    assert "0110110010" in grid.caption(waiting)


@pytest.mark.parametrize("name", ["engine.done", "engine.error", "engine.lost"])
def test_a_run_that_ended_early_is_awaited_no_longer(name: str) -> None:
    ran = made.run()
    state = after(grid.initial(), ("grid.source", "open"), ("engine.info", (2, ran.info)))
    state = after(state, ("engine.record", (2, ran.records[0])))
    assert state.line.planned > state.line.computed == 1
    earlier = after(state, (name, {"generation": 1}))
    assert earlier is state
    ended = after(
        state, (name, {"generation": 2} if name != "engine.lost" else {"what": "it broke", "do": "x"})
    )
    assert ended.line.planned == 1
    assert after(state, ("engine.error", {"what": "no file", "do": "x"})) is state


def test_the_counters_are_sorted_by_their_heads() -> None:
    shown = list(table(after(schematic(), ("grid.sort", 6), ("grid.sort", 6))))
    figures = {name: int(cells[5].replace(",", "")) for name, cells in table(schematic()).items()}
    assert shown == sorted(figures, key=lambda name: -figures[name])

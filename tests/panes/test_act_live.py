"""The debugger over a model: one credit a step, nine lines walked and checked, the engine shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from app.messages import Translator
from app.pane import Effect, Event, Selection
from app.panes import _act_live, act
from app.panes import _act_state as st
from app.panes._act_state import State
from app.render.text import to_text
from tests.panes import made
from ut_engine import debug
from ut_engine.debug import Trace
from ut_engine.edits import Edit
from ut_engine.records import StepRecord
from ut_engine.run import RunInfo
from ut_engine.spec import UTConfig
from ut_engine.torch.model import UniversalTransformer

CONFIG = {**made.CONFIG, "mixing": "basic", "state": "listing2"}
CARD: dict[str, Any] = {
    "card": {"name": "babi", "path": "/x/babi", "config": CONFIG},
    "samples": [{"name": "a", "text": "Mary went to the garden.\nWhere is Mary?"}],
}


def records(steps: int = 8, d: int = 4) -> tuple[StepRecord, ...]:
    """A made-up run with states and the accumulated output Listing 2 makes of them, in float32."""
    rng, found, output = np.random.default_rng(1), [], np.zeros((1, 12, d), np.float32)
    for record in made.records(steps=steps):
        halting = record.halting
        assert halting is not None
        state = rng.normal(size=(1, 12, d)).astype(np.float32)
        weight = np.asarray(halting.weight)[..., None]
        output = (state * weight + output * (1 - weight)).astype(np.float32)
        found.append(replace(record, state=state, output=output))
    return tuple(found)


def info() -> RunInfo:
    return made.info(config={**made.CONFIG})


class Engine:
    """Answers effects as the engine would: a step for a credit."""

    def __init__(self) -> None:
        self.state: State = act.initial()
        self.effects: list[Effect] = []
        self.waiting = list(records())
        self.tell("engine.opened", CARD)

    def tell(self, name: str, value: Any = None) -> None:
        self.state, effects = act.update(self.state, Event(name, value))
        self.effects += effects
        for effect in effects:
            self.answer(effect)

    def answer(self, effect: Effect) -> None:
        generation = self.state.live.generation
        if effect.name == "engine.run":
            self.tell("engine.info", (generation, info()))
        elif effect.name == "engine.grant" and self.waiting:
            self.tell("engine.record", (generation, self.waiting.pop(0)))
        elif effect.name == "engine.grant":
            self.tell("engine.done", {"generation": generation, "finished": "done"})

    @property
    def granted(self) -> int:
        return sum(effect.name == "engine.grant" for effect in self.effects)


def test_the_model_waits_after_every_step() -> None:
    engine = Engine()
    engine.tell("control.source", "live")
    state = engine.state
    assert engine.granted == 1
    assert (state.trace.steps, state.live.phase, state.line.current) == (1, st.WAITING, 1)
    assert (state.line.computed, state.line.planned) == (9, 72)
    for _ in range(8):
        engine.tell("transport.forward")
    assert engine.granted == 1
    engine.tell("transport.forward")
    assert engine.granted == 2
    assert engine.state.line.current == 10
    engine.tell("transport.back")
    engine.tell("transport.group_back")
    assert engine.granted == 2  # stepping back never asks for anything


def test_to_a_stop_and_to_the_end_ask_step_by_step() -> None:
    engine = Engine()
    engine.tell("control.source", "live")
    for k in range(5):
        engine.tell(f"stop.on.{k}", False)
    engine.tell("stop.add", ("halts", 11))
    engine.tell("transport.stop_forward")
    record = engine.state.record
    assert record is not None
    assert (record.line, record.variables["new_halted"][11, 0]) == (2, 1)
    engine.tell("transport.last")
    assert engine.state.trace.steps >= 5
    assert engine.state.line.current == engine.state.line.computed


def test_the_nine_lines_come_out_as_the_models_own_numbers() -> None:
    engine = Engine()
    engine.tell("control.source", "live")
    engine.tell("transport.last")
    assert engine.state.live.gap < 1e-6
    assert "the model's own numbers" in to_text(
        act.scene(replace(engine.state, panel="why"), Selection()), Translator("en"), 90
    )


def test_a_model_that_computes_otherwise_is_caught() -> None:
    engine = Engine()
    first = engine.waiting[0]
    assert first.halting is not None
    wrong = replace(first.halting, weight=np.asarray(first.halting.weight) + 0.25)
    engine.waiting[0] = replace(first, halting=wrong)
    engine.tell("control.source", "live")
    assert engine.state.live.gap == pytest.approx(0.25)


def test_another_pane_takes_the_engine() -> None:
    engine = Engine()
    engine.tell("control.source", "live")
    engine.tell("engine.info", (3, info()))
    assert engine.state.live.phase == st.DONE
    engine.tell("engine.record", (3, engine.waiting[0]))
    assert engine.state.trace.steps == 1


def test_without_act_or_without_checkpoint_it_says_why() -> None:
    state, effects = act.update(act.initial(), Event("control.source", "live"))
    assert effects == ()
    assert "No checkpoint is open" in to_text(act.scene(state, Selection()), Translator("en"), 90)
    engine = Engine()
    engine.tell("engine.opened", {"card": {**CARD["card"], "config": {"halting": "none"}}, "samples": []})
    engine.tell("control.source", "live")
    assert engine.state.live.phase == st.FAILED
    assert engine.granted == 0


def test_an_engine_that_dies_is_said_and_the_lines_stay() -> None:
    engine = Engine()
    engine.tell("control.source", "live")
    engine.tell("engine.lost", {"what": "the engine crashed (signal 9)", "do": "start it again"})
    assert engine.state.live.phase == st.FAILED
    assert len(engine.state.trace) == 9
    engine.tell("transport.last")
    assert engine.granted == 1


def test_leaving_the_source_ends_the_run() -> None:
    engine = Engine()
    engine.tell("control.source", "live")
    engine.tell("control.source", "fresh")
    assert engine.effects[-1] == Effect("engine.cancel")
    assert engine.state.setup.states is None


# ---- a past that is changed: the model runs again ----------------------------------------------------------


class Model(Engine):
    """Answers with a real model: every run starts it anew, with the edits asked for."""

    def __init__(self, **options: Any) -> None:
        torch.manual_seed(6)
        usual = {"d_model": 16, "heads": 2, "d_ff": 24, "max_steps": 8, "halting_bias": -2.0}
        self.config = UTConfig(vocab=20, answers=4, **{**usual, **options})
        self.model = UniversalTransformer(self.config).eval()
        torch.nn.init.normal_(self.model.halting_unit.weight, std=0.5)
        self.ids = np.arange(1, 13)[None]
        self.runs: list[Mapping[str, Any]] = []
        self.steps: Any = iter(())
        super().__init__()
        card = {**CARD["card"], "config": self.config.to_dict()}
        self.tell("engine.opened", {**CARD, "card": card})
        self.tell("control.source", "live")

    def answer(self, effect: Effect) -> None:
        generation = self.state.live.generation
        if effect.name == "engine.run":
            asked = effect.value
            self.runs.append(asked)
            edits, epsilon = asked.get("edits", ()), asked.get("epsilon")
            self.steps = self.model.steps(self.ids, max_steps=asked["steps"], edits=edits, epsilon=epsilon)
            facts = made.info(
                config=self.config.to_dict(), max_steps=asked["steps"], edits=tuple(e.plain() for e in edits),
                epsilon=self.config.epsilon if epsilon is None else epsilon,
            )  # fmt: skip
            self.tell("engine.info", (generation, facts))
        elif effect.name == "engine.grant":
            for _ in range(int(effect.value)):
                found = next(self.steps, None)
                if found is None:
                    self.tell("engine.done", {"generation": generation, "finished": "done"})
                    return
                self.tell("engine.record", (generation, found))

    def whole(self, edits: tuple[Edit, ...] = (), **asked: Any) -> Trace:
        """The trace of the model's own run from end to end."""
        records = tuple(self.model.steps(self.ids, edits=edits, **asked))
        info_ = made.info(config=self.config.to_dict(), max_steps=8, edits=tuple(e.plain() for e in edits),
                          epsilon=asked.get("epsilon", self.config.epsilon))  # fmt: skip
        live = st.Live(config=self.config.to_dict(), info=info_, records=records)
        return debug.walk(_act_live.setup_of(live))


def same(one: Trace, other: Trace, steps: int | None = None) -> bool:
    """Every line's values are equal, bit for bit, as far as both were walked (or for some steps)."""
    count = min(len(one), len(other)) if steps is None else steps * 9
    pairs = zip(one.records[:count], other.records[:count], strict=True)
    return all(np.array_equal(a.values, b.values) for a, b in pairs)


@pytest.mark.parametrize("semantics", ["listing2", "frozen"])
@pytest.mark.parametrize("mixing", ["basic", "accumulated", "graves"])
def test_a_changed_past_is_the_models_own(semantics: str, mixing: str) -> None:
    engine = Model(state=semantics, mixing=mixing)
    for _ in range(3):
        engine.tell("transport.group_forward")
    old = engine.state
    assert old.trace.steps == 3
    engine.tell("edit.step", 2)
    engine.tell("edit.set", ("halt", 4, 1.0))
    state = engine.state
    assert (len(state.branches), state.branch, state.ghost) == (2, 1, 0)
    assert state.line.current == old.line.current
    assert state.branches[0].trace is old.trace
    assert state.trace.halted_at[4] == 2
    assert state.live.gap < 1e-6
    assert same(state.trace, old.trace, 1)
    assert engine.runs[-1]["edits"] == (Edit("halt", 2, 4, 1.0),)
    engine.tell("transport.last")
    whole = engine.whole((Edit("halt", 2, 4, 1.0),))
    assert same(engine.state.trace, whole)
    assert (engine.state.trace.steps, engine.state.trace.finished) == (whole.steps, True)
    third, before = (trace.ends[2]["transformed_state"] for trace in (engine.state.trace, old.trace))
    assert np.array_equal(third, before) == (semantics == "listing2")


def test_kept_running_the_model_computes_steps_it_never_had() -> None:
    engine = Model(state="frozen", halting_bias=4.0)
    engine.tell("transport.last")
    had = engine.state.trace.steps
    assert had < 4
    for step in range(1, had + 2):
        engine.tell("edit.step", step)
        engine.tell("edit.set", ("run", 3, 0.0))
        engine.tell("transport.last")
    state = engine.state
    assert state.trace.steps > had
    assert same(state.trace, engine.whole(state.setup.edits))
    assert [edit.step for edit in state.setup.edits] == list(range(1, len(state.setup.edits) + 1))


def test_epsilon_and_the_cap_are_the_runs_own() -> None:
    engine = Model(state="frozen", halting_bias=-3.0)
    engine.tell("transport.last")
    engine.tell("control.epsilon", 0.5)
    engine.tell("transport.last")
    assert engine.runs[-1]["epsilon"] == 0.5
    assert same(engine.state.trace, engine.whole(epsilon=0.5))
    assert engine.state.trace.setup.epsilon == 0.5
    engine.tell("control.cap", 2)
    engine.tell("transport.last")
    assert (engine.runs[-1]["steps"], engine.state.trace.steps) == (2, 2)
    engine.tell("control.cap", 11)
    engine.tell("transport.last")
    assert engine.state.trace.steps == len(list(engine.model.steps(engine.ids, max_steps=11, epsilon=0.5)))


def test_dragging_p_keeps_one_branch_and_another_place_opens_another() -> None:
    engine = Model()
    for p in (0.3, 0.4, 0.5):
        engine.tell("edit.p.8", p)
    assert len(engine.state.branches) == 2
    assert engine.state.setup.edits == (Edit("p", 1, 8, 0.5),)
    assert engine.state.setup.p[8, 0] == np.float32(0.5)
    engine.tell("edit.p.3", 0.75)
    assert (len(engine.state.branches), engine.state.ghost) == (3, 1)
    assert len(engine.state.setup.edits) == 2


def test_a_change_on_its_way_is_built_upon() -> None:
    engine = Model()
    engine.answer = lambda effect: None  # type: ignore[method-assign]
    engine.tell("edit.p.3", 0.75)
    engine.tell("edit.p.8", 0.25)
    assert len(engine.state.branches) == 1
    assert engine.state.live.phase == st.RUNNING
    del engine.answer
    engine.tell("edit.p.8", 0.5)
    assert len(engine.state.branches) == 2
    assert engine.state.setup.edits == (Edit("p", 1, 3, 0.75), Edit("p", 1, 8, 0.5))


def test_a_run_left_behind_is_taken_up_again() -> None:
    engine = Model(state="frozen")
    engine.tell("transport.group_forward")
    engine.tell("edit.set", ("halt", 0, 1.0))
    engine.tell("branch.choose", "0")
    short = engine.state.trace
    engine.tell("transport.last")
    assert engine.runs[-1]["edits"] == ()
    assert same(engine.state.trace, short)
    assert same(engine.state.trace, engine.whole())
    assert engine.state.trace.finished
    assert (engine.state.branch, len(engine.state.branches)) == (0, 2)
    assert engine.state.branches[1].trace.halted_at[0] == 1
    engine.tell("branch.forget")
    assert len(engine.state.branches) == 1
    assert engine.state.trace.finished


def test_forgetting_the_run_of_the_engine_ends_it() -> None:
    engine = Model()
    engine.tell("edit.set", ("run", 0, 0.0))
    engine.tell("branch.forget")
    assert engine.effects[-1] == Effect("engine.cancel")
    assert engine.state.trace.steps == 1
    engine.tell("transport.last")
    assert same(engine.state.trace, engine.whole())
    assert engine.state.trace.finished


def test_a_change_the_engine_refuses_leaves_the_runs() -> None:
    engine = Model()
    engine.answer = lambda effect: None  # type: ignore[method-assign]
    engine.tell("control.cap", 400)
    refusal = {"what": "400 steps cannot be run", "do": "choose between 1 and 300 steps"}
    engine.tell("engine.error", {**refusal, "generation": engine.state.live.generation})
    del engine.answer
    assert (len(engine.state.branches), engine.state.live.rerun) == (1, None)
    panel = replace(engine.state, panel="change")
    assert "400 steps cannot be run" in to_text(act.scene(panel, Selection()), Translator("en"), 90)
    engine.tell("transport.last")
    assert engine.state.trace.finished


def test_a_run_whose_checkpoint_is_closed_cannot_be_changed() -> None:
    engine = Model()
    engine.tell("engine.opened", {**CARD, "card": {**CARD["card"], "path": "/x/other"}})
    runs = len(engine.runs)
    engine.tell("edit.set", ("halt", 0, 1.0))
    assert (len(engine.runs), len(engine.state.branches)) == (runs, 1)
    panel = replace(engine.state, panel="change")
    assert "not open any more. Press Run first" in to_text(
        act.scene(panel, Selection()), Translator("en"), 90
    )


def test_a_link_brings_the_changes_of_a_model_along() -> None:
    engine = Model(state="frozen")
    for _ in range(3):
        engine.tell("transport.group_forward")
    engine.tell("edit.step", 2)
    engine.tell("edit.set", ("halt", 4, 1.0))
    engine.tell("control.epsilon", 0.2)
    view = act.to_view(engine.state)
    other = Model(state="frozen")
    other.state, effects = act.from_view(other.state, view)
    for effect in effects:
        other.answer(effect)
    assert act.to_view(other.state) == view
    assert same(other.state.trace, engine.state.trace)
    assert other.state.ghost == 0
    assert other.state.line.current == engine.state.line.current


def test_probabilities_that_are_no_numbers_end_the_run_in_a_sentence() -> None:
    """The nine lines take probabilities only; a model that breaks down has none."""
    engine = Engine()
    third = engine.waiting[2]
    assert third.halting is not None
    nothing = replace(third.halting, signal=np.full((1, 12), np.nan))
    engine.waiting[2] = replace(third, halting=nothing)
    engine.tell("control.source", "live")
    engine.tell("transport.last")
    state = engine.state
    assert state.live.phase == st.FAILED
    assert "step 3 are no numbers" in Translator("en").text(_act_live.told(state.live))
    assert (state.trace.steps, engine.effects[-1].name) == (2, "engine.cancel")

"""The debugger over a model: one credit a step, nine lines walked and checked, the engine shared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.messages import Translator
from app.pane import Effect, Event, Selection
from app.panes import _act_state as st
from app.panes import act
from app.panes._act_state import State
from app.render.text import to_text
from tests.panes import made
from ut_engine.records import StepRecord
from ut_engine.run import RunInfo

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


def test_a_changed_past_of_a_model_goes_on_growing() -> None:
    engine = Engine()
    engine.tell("control.source", "live")
    engine.tell("edit.set", ("halt", 0, 1.0))
    assert engine.state.trace.halted_at[0] == 1
    engine.tell("transport.last")
    assert engine.state.branches[0].trace.halted_at[0] != 1
    assert engine.state.branches[1].trace.steps > 1


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

"""Each of the four models in the inspector: steps asked for, what the card says, the LSTM without maps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app import depth
from app.messages import Translator
from app.pane import Event, Selection
from app.panes import _inspector_state as st
from app.panes import inspector
from app.scene import Card, Form, Heatmap, Prose, Table, marks, walk
from app.timeline import Timeline
from tests.panes import made

EN = Translator("en")
CONFIGS: dict[str, dict[str, Any]] = {
    "ut": {"architecture": "universal", "steps_from": "length", "halting": "none", "max_steps": 8},
    "act": {"architecture": "universal", "steps_from": "length", "halting": "act", "max_steps": 8},
    "log": {"architecture": "universal", "steps_from": "log2", "halting": "none", "max_steps": 8},
    "fixed": {"architecture": "universal", "steps_from": "fixed", "halting": "none", "max_steps": 5},
    "transformer": {"architecture": "transformer", "layers": 6, "halting": "none", "max_steps": 8},
    "lstm": {"architecture": "lstm", "layers": 1, "halting": "none", "max_steps": 8, "heads": 4},
}
SAID = {
    "ut": ("max steps", "as many as positions"), "act": ("max steps", "n positions, halts by itself"),
    "log": ("max steps", "⌈log₂ n⌉ + 1"), "fixed": ("max steps", "5"), "transformer": ("layers", "6"),
    "lstm": ("steps", "one a position"),
}  # fmt: skip


def opened(kind: str, **options: Any) -> st.State:
    config = {"d_model": 32, "heads": 2, "d_ff": 64, "words": 0, "readout": "every"} | CONFIGS[kind] | options
    card = {"name": kind, "path": kind, "config": config, "parameters": 7, "device": "cpu"}
    state, _ = inspector.update(inspector.initial(), Event("open.path", kind))
    value = {"card": card, "samples": [{"text": "0110"}]}
    return inspector.update(state, Event("engine.opened", value))[0]


def asked(state: st.State) -> Any:
    _, effects = inspector.update(state, Event("run.start"))
    return next(effect.value["steps"] for effect in effects if effect.name == "engine.run")


def fields(state: st.State) -> dict[str, Any]:
    forms = [one for one in marks(inspector.scene(state, Selection())) if isinstance(one, Form)]
    return {field.key: field for form in forms for row in form.fields for field in row}


def mark(state: st.State, key: str) -> Any:
    return next(one for one in marks(inspector.scene(state, Selection())) if one.key == key)


@pytest.mark.parametrize(
    ("kind", "steps"),
    [("ut", None), ("act", None), ("log", None), ("fixed", 5), ("transformer", 6), ("lstm", None)],
)
def test_a_run_takes_the_steps_that_are_the_models_own(kind: str, steps: int | None) -> None:
    state = opened(kind)
    assert asked(state) == steps
    assert ("control.follow" in fields(state)) == (steps is None)
    assert ("control.steps" in fields(state)) == (steps is not None)


@pytest.mark.parametrize("kind", CONFIGS)
def test_the_card_says_how_deep_it_is(kind: str) -> None:
    facts = mark(opened(kind), "facts")
    assert isinstance(facts, Table)
    rows = [tuple(EN.text(cell) for cell in row if not isinstance(cell, float)) for row in facts.rows]
    assert SAID[kind] in rows
    assert (("d · cells", "32 · 1") in rows) == (kind == "lstm")


def test_a_number_of_ones_own_instead_of_the_length() -> None:
    state, _ = inspector.update(opened("ut"), Event("control.follow", False))
    state, _ = inspector.update(state, Event("control.steps", 21))
    assert asked(state) == 21
    state, _ = inspector.update(state, Event("control.follow", True))
    assert asked(state) is None


def test_a_run_that_follows_a_long_input_takes_more_steps_than_can_be_typed() -> None:
    state = replace(opened("ut"), line=Timeline(planned=1001, computed=1001, current=1001))
    assert asked(state) is None
    assert inspector.to_view(state)["step"] == "1001"
    again, _ = inspector.from_view(opened("ut"), {"open": "ut", "step": "1001", "run": "1"})
    assert again.go_to == 1001
    state, _ = inspector.update(state, Event("control.follow", False))
    assert asked(state) == fields(state)["control.steps"].high == depth.MOST


def test_the_empty_field_says_what_its_model_reads() -> None:
    state = opened("ut")
    hints = {task: editor(state, task).hint for task in ("addition", "parity", "")}
    assert EN.text(hints["addition"]).endswith("such as 24 13 00 for 12 + 34")
    assert EN.text(hints["parity"]) == "Write bits, such as 01101"
    assert EN.text(hints[""]) == "One symbol after the other"
    assert Translator("ko").text(hints["addition"]).endswith("예: 12 + 34 → 24 13 00")


def editor(state: st.State, task: str) -> Any:
    return fields(replace(state, card=replace(state.card, task=task)))["input.text"]


def test_no_more_steps_than_a_transformer_has_layers() -> None:
    state, _ = inspector.update(opened("transformer"), Event("control.steps", 9))
    assert asked(state) == 6
    assert fields(state)["control.steps"].high == 6
    assert depth.most_steps({"signal": "learned", "max_steps": 10}) == 10
    assert depth.most_steps(CONFIGS["fixed"]) == depth.MOST


def test_another_models_view_brings_neither_steps_nor_text() -> None:
    state, _ = inspector.from_view(opened("fixed"), {"open": "transformer", "run": "1"})
    assert (state.steps, state.text) == (0, "")
    state, _ = inspector.from_view(opened("fixed"), {"step": "1"})
    assert (state.steps, state.text) == (5, "0110")


def lstm_running(count: int, m: int = 5) -> st.State:
    """The LSTM after `count` positions; it answers the class that is the parity of the step."""
    info = replace(made.info(m), readout="every", marks=(), story_order=(), answers=("even", "odd"))
    state, _ = inspector.update(opened("lstm"), Event("run.start"))
    state, _ = inspector.update(state, Event("engine.info", info))
    for record in made.records(m=m)[:count]:
        logits = np.zeros((1, m, 2), np.float32)
        logits[:, : record.step, record.step % 2] = 5.0
        bare = replace(record, attention=None, halting=None, readout=logits)
        state, _ = inspector.update(state, Event("engine.record", bare))
    return state


def test_the_lstm_has_no_attention_and_says_so() -> None:
    state = lstm_running(3)
    scene = inspector.scene(state, Selection())
    picture = mark(state, "map")
    assert isinstance(picture, Heatmap)
    assert "An LSTM has no attention" in EN.text(picture.missing)
    assert "control.head" not in fields(state)
    titles = [EN.text(node.title) for node in walk(scene.root) if isinstance(node, Card)]
    assert "Answers, step by step" in titles
    assert "Attention, step by step" not in titles


def test_the_lstm_answers_only_what_it_has_read() -> None:
    def said(state: st.State, selection: Selection) -> str:
        prose = next(one for one in marks(inspector.scene(state, selection)) if one.key == "input.said")
        assert isinstance(prose, Prose)
        return " ".join(EN.text(span.text) for span in prose.lines[0])

    state = lstm_running(3)
    assert said(state, Selection()) == "position 5 is not read yet"
    assert said(state, Selection(pinned=2)).startswith("answer at position 3: odd")
    film = mark(state, "film")
    assert [caption[0].text for caption in film.captions[:3]] == ["odd", "even", "odd"]


def test_where_every_position_answers_the_last_one_is_looked_at() -> None:
    assert inspector.pinned_of(lstm_running(3), Selection()) == 4
    assert inspector.pinned_of(lstm_running(3), Selection(pinned=1)) == 1

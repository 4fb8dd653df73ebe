"""A checkpoint whose numbers overflow on the way: nothing is made up of NaN, anywhere, and it is said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ut_engine import checkpoint, metrics
from ut_engine.cells import cells_from, cells_of
from ut_engine.errors import UserError
from ut_engine.family import load
from ut_engine.html import record_html
from ut_engine.prepare import Input, prepare
from ut_engine.records import Capture
from ut_engine.run import Run
from ut_engine.torch.measures import coords
from ut_engine.torch.measures.scan import measure
from ut_engine.torch.story_run import pondering, told

SHIPPED = Path(__file__).resolve().parent.parent / "resources" / "checkpoints"
STORY = "Mary went to the office.\nJohn moved to the garden.\nWhere is Mary?"


def overflowing(name: str, folder: Path, bias: float = 3e38) -> Path:
    """A shipped checkpoint with one bias so large that the state overflows; every weight is finite."""
    header = checkpoint.peek(SHIPPED / name)
    tensors = {key: np.array(value) for key, value in checkpoint.read_tensors(header).items()}
    tensors["transition.outer.bias"][0] = bias
    checkpoint.save(folder, header.config, tensors)
    return folder


@pytest.fixture(scope="module")
def babi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return overflowing("babi", tmp_path_factory.mktemp("broken") / "babi")


@pytest.fixture(scope="module")
def parity(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return overflowing("parity-act", tmp_path_factory.mktemp("broken") / "parity-act")


def run_of(path: Path, text: str) -> Run:
    loaded = load(path)
    ids, info = prepare(loaded, Input(text=text))
    return Run(info, tuple(loaded.model.steps(ids, Capture())))


def test_the_first_step_without_numbers_is_known(babi: Path) -> None:
    run = run_of(babi, STORY)
    assert run.not_finite_from() == 1
    assert not run.records[0].finite
    assert run.predictions()[0] is None
    sound = run_of(SHIPPED / "babi", STORY)
    assert sound.not_finite_from() is None


def test_rows_that_were_not_computed_may_hold_anything() -> None:
    record = run_of(SHIPPED / "babi", STORY).records[0]
    assert record.state is not None
    state = np.array(record.state)
    state[0, 1] = np.nan
    off = np.array(record.computed)
    off[0, 1] = False
    assert not replace(record, state=state).finite
    assert replace(record, state=state, computed=off).finite


@given(arrays(np.float32, (3, 4), elements=st.floats(width=32, allow_nan=True)))
def test_no_answer_is_chosen_of_what_is_no_number(logits: Any) -> None:
    for row, chosen in zip(logits, metrics.choices(logits), strict=True):
        sound = not np.isnan(row).any() and np.isfinite(row.max())
        assert chosen == (row.argmax() if sound else -1)


def test_cells_and_pages_show_no_answer(parity: Path) -> None:
    run = run_of(parity, "1011")
    found = cells_of(run.info, run.records)
    assert found is not None
    assert (found.answer == -1).all()
    page = record_html(run.records[-1])
    assert "<td>-----</td>" in page
    assert "not finite" in page
    assert 'y="nan"' not in page


def test_figures_of_cells_say_where_there_is_no_number(parity: Path) -> None:
    """Not as NaN, which says that there is nothing to have a figure of."""
    found = cells_of(*_run(parity, "1011"))
    assert found is not None
    assert np.isfinite(found.p[0]).all()  # of the embedded input
    for figures in (found.update, found.cosine, found.sure, found.p[1:]):
        assert np.isinf(figures).all()
    again = cells_from(json.loads(json.dumps(found.to_dict())))
    assert np.isinf(again.cosine).all()
    sound = cells_of(*_run(SHIPPED / "parity-act", "1011"))
    assert sound is not None
    assert not any(np.isinf(one).any() for one in (sound.update, sound.cosine, sound.sure, sound.p))


def _run(path: Path, text: str) -> Any:
    run = run_of(path, text)
    return run.info, run.records


@pytest.mark.parametrize(("name", "text", "first"), [("babi", STORY, 2), ("parity-ut", "1011", 1)])
def test_lengths_beside_the_signal_are_numbers_or_nan(
    tmp_path: Path, name: str, text: str, first: int
) -> None:
    """A state of 2e38 is a number, though its square is none in float32."""
    path = overflowing(name, tmp_path / name, 2e38)
    found = coords.measure({"checkpoint": str(path), "text": text}, lambda done, total: None)
    assert found["not_finite_from"] == first
    assert np.isfinite(found["h"][:first]).all()
    assert np.isnan(found["h"][first:]).all()
    assert name != "babi" or found["h"][1] == pytest.approx(2e38)
    sound = coords.measure({"checkpoint": str(SHIPPED / name), "text": text}, lambda done, total: None)
    assert sound["not_finite_from"] is None


def test_nothing_counts_as_right(parity: Path) -> None:
    found = measure({"bits": "1011", "checkpoints": {"broken": str(parity)}}, lambda done, total: None)
    assert "broken" in {one["name"] for one in found["models"]}
    assert not any(any(one["right"]) or any(one["by_step"]) for one in found["models"])


def test_a_story_is_refused_in_a_sentence(babi: Path) -> None:
    with pytest.raises(UserError, match="the numbers of babi are not finite"):
        pondering(load(babi), STORY)


def test_a_story_whose_facts_break_down_is_refused_too() -> None:
    """Though the question, which is read out, is sound."""
    loaded = load(SHIPPED / "babi")
    ids, info = prepare(loaded, Input(text=STORY))
    records = list(loaded.model.steps(ids, Capture(attention=False, states=False)))
    assert told(loaded, info, records)["answer"]
    halting = records[-1].halting
    assert halting is not None
    assert halting.remainder is not None
    rest = np.array(halting.remainder)
    rest[0, 1] = np.nan
    records[-1] = replace(records[-1], halting=replace(halting, remainder=rest))
    with pytest.raises(UserError, match="not finite"):
        told(loaded, info, records)

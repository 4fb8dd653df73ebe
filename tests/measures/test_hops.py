"""The causal hop map: hiding nothing changes nothing, hiding always is the model's own mask, and so on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.paths import shipped
from tests.kinds import make as made
from ut_engine.errors import UserError
from ut_engine.torch import measures
from ut_engine.torch.attention import MultiHeadAttention
from ut_engine.torch.blocking import run_blocked
from ut_engine.torch.loop import caps_of
from ut_engine.torch.model import DepthModel

BABI = shipped()["babi"]
SAMPLES: list[dict[str, Any]] = json.loads((BABI / "samples.json").read_text("utf-8"))


def make(kind: str = "UT", **options: Any) -> DepthModel:
    model = made(kind, **options)
    assert isinstance(model, DepthModel)
    return model


def attention_of(layer: Any) -> MultiHeadAttention:
    found = layer.attention
    assert isinstance(found, MultiHeadAttention)
    return found


def story(facts: int) -> str:
    return str(next(one["text"] for one in SAMPLES if one["facts"] == facts))


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return measures.find("hops")({"checkpoint": str(BABI), "text": story(2)}, measures.silent)


@pytest.mark.parametrize("options", [{}, {"halting": "act"}, {"attention_bias": "alibi"}, {"norm": "post"}])
def test_hiding_nothing_changes_nothing(options: dict[str, Any]) -> None:
    torch.manual_seed(0)
    model = make("UT", max_steps=4, vocab=11, **options)
    ids = torch.randint(1, 11, (6,))
    blocked = run_blocked(model, ids, [None, None, None], range(1, 5))
    with torch.inference_mode():
        untouched = torch.softmax(model(ids[None]).logits[0, 0].double(), 0)
    assert blocked.probabilities.shape[0] == 3
    for row in blocked.probabilities:
        assert torch.equal(row, blocked.probabilities[0])
        assert torch.allclose(row, untouched, atol=1e-6)


def test_the_untouched_example_is_the_same_whatever_is_hidden_beside_it() -> None:
    torch.manual_seed(1)
    model = make("UT", max_steps=4, vocab=11)
    ids = torch.randint(1, 11, (6,))
    rows = [run_blocked(model, ids, [None, 3, 5], {step}).probabilities[0] for step in (1, 2, 3, 9)]
    assert all(torch.equal(row, rows[0]) for row in rows)


def test_a_step_that_is_never_run_hides_nothing() -> None:
    torch.manual_seed(2)
    model = make("UT", max_steps=3, vocab=11)
    blocked = run_blocked(model, torch.randint(1, 11, (5,)), [None, 2, 4], {4, 5})
    assert torch.equal(blocked.probabilities[1], blocked.probabilities[0])


@pytest.mark.parametrize("kind", ["UT", "Transformer"])
def test_hidden_at_every_step_is_hidden_by_the_attention_throughout(kind: str) -> None:
    """The same run with the padding mask of the fact given to the whole run at once."""
    torch.manual_seed(3)
    model = make(kind, vocab=11)
    ids = torch.randint(1, 11, (7,))
    most = model.config.steps_allowed(None, 7)
    blocked = run_blocked(model, ids, [None, 4], range(1, most + 1))
    with torch.inference_mode():
        embedded, real = model.embed_input(ids[None])
        loop, setting = model.start(embedded, real, caps_of(model.config, real, None), 0)
        seen = real.clone()
        seen[0, 4] = False
        readings = tuple(
            replace(reading, bias=attention_of(layer).score_bias(seen))
            for layer, reading in zip(model.layers_with_weights(), setting.readings, strict=True)
        )
        loop = model.run(loop, replace(setting, readings=readings))
        wanted = torch.softmax(model.read(loop.output)[0, 0].double(), 0)
    assert torch.allclose(blocked.probabilities[1], wanted, atol=1e-6)
    assert not torch.allclose(blocked.probabilities[1], blocked.probabilities[0], atol=1e-4)


def test_no_other_position_reads_what_is_hidden() -> None:
    """A hidden position's own embedding does not matter to the question."""
    torch.manual_seed(4)
    model = make("UT", max_steps=4, vocab=11)
    ids = torch.tensor([1, 2, 3, 4, 5])
    other = torch.tensor([1, 2, 9, 4, 5])
    one, two = (run_blocked(model, row, [None, 2], range(1, 5)) for row in (ids, other))
    assert torch.allclose(one.probabilities[1], two.probabilities[1], atol=1e-6)
    assert not torch.allclose(one.probabilities[0], two.probabilities[0], atol=1e-4)


def test_the_first_example_hides_nothing() -> None:
    with pytest.raises(ValueError, match="first"):
        run_blocked(make("UT", vocab=11), torch.tensor([1, 2]), [1], {1})


def test_a_story_of_two_facts_is_answered_by_its_facts(found: dict[str, Any]) -> None:
    facts, steps = len(found["facts"]), found["steps"]
    assert found["answer"] == found["expected"] == "kitchen"
    assert found["supports"] == [7, 8]
    for kind in ("only", "onwards"):
        assert np.shape(found[kind]["change"]) == (steps, facts)
        assert np.shape(found[kind]["turned"]) == (steps, facts)
        assert np.shape(found[kind]["n"]) == (steps, facts)
    always = np.array(found["onwards"]["change"][0])
    assert (always[found["supports"]] < -0.9).all()
    assert np.abs(np.delete(always, found["supports"])).max() < 0.05
    assert np.array_equal(found["only"]["change"][-1], found["onwards"]["change"][-1])


def test_what_is_read_adds_up(found: dict[str, Any]) -> None:
    weights, own = np.array(found["weights"]), np.array(found["own"])
    assert weights.shape == (4, found["steps"], len(found["facts"]))
    assert weights.sum(axis=2) + own == pytest.approx(1.0, abs=1e-5)
    mass = weights[:, :, found["supports"]].sum(axis=2).T
    assert np.array(found["mass"]) == pytest.approx(mass, abs=1e-6)
    assert np.array(found["entropy"]).shape == (found["steps"], 4)
    assert found["head"] == 3
    assert mass[-1, 2] > 0.9


def test_n_and_rho_keep_the_rule(found: dict[str, Any]) -> None:
    n, rho = np.array(found["n"]), np.array(found["rho"])
    assert found["capped"] == 0
    assert ((rho > n) & (rho <= n + 1) & (rho >= 2)).all()
    assert found["question_n"] == found["steps"] == 5


def test_progress_is_told_and_may_end_it() -> None:
    seen: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 2:
            raise measures.Cancelled

    with pytest.raises(measures.Cancelled):
        measures.find("hops")({"checkpoint": str(BABI), "text": story(1)}, stop)
    assert seen == [(0, 8), (1, 8), (2, 8)]


def test_other_checkpoints_are_refused() -> None:
    with pytest.raises(UserError, match="stories"):
        measures.find("hops")({"checkpoint": str(shipped()["parity-ut"]), "text": story(1)}, measures.silent)


def test_the_swapped_question_ponders_longer_and_the_others_do_not() -> None:
    """The same story asked with 1, 2 and 3 facts: the shipped samples say so."""
    texts = [story(facts) for facts in (1, 2, 3)]
    runs = measures.find("swap")({"checkpoint": str(BABI), "texts": texts}, measures.silent)["runs"]
    assert [run["question_n"] for run in runs] == [4, 5, 8]
    assert runs[0]["n"] == runs[1]["n"] == runs[2]["n"]
    assert [len(run["supports"]) for run in runs] == [1, 2, 3]
    assert all(run["answer"] == run["expected"] for run in runs)


def test_the_card_s_figures_come_out_again() -> None:
    report = measures.find("babi")({"checkpoint": str(BABI)}, measures.silent)
    card = (Path(BABI) / "card.md").read_text("utf-8")
    for task in report["per_task"]:
        row = f"{task['ponder_mean']:.2f} ± {task['ponder_std']:.2f}"
        asked = f"{task['question_ponder_mean']:.2f} ± {task['question_ponder_std']:.2f}"
        assert f"| {task['task']} | {task['n']} | {task['accuracy']:.3f} | {row} | {asked} |" in card
        assert sum(task["question_ponder_histogram"]) == task["n"]
        assert task["ponder_mean"] < task["rho_mean"] <= task["ponder_mean"] + 1
        assert task["question_ponder_mean"] < task["question_rho_mean"] <= task["question_ponder_mean"] + 1

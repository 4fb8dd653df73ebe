"""Training: resumes bit for bit, saves when interrupted, refuses what it does not understand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ut_engine.checkpoint import peek
from ut_engine.errors import UserError
from ut_engine.family import load
from ut_engine.files import read_safetensors
from ut_engine.tasks.babi_data import BabiData
from ut_engine.torch import train_run
from ut_engine.torch.eval_run import evaluate_checkpoint, model_card, run_title
from ut_engine.torch.evaluation import evaluate
from ut_engine.torch.training import TrainConfig, Trainer, new_trainer

MODEL: dict[str, Any] = {"d_model": 16, "heads": 2, "d_ff": 32, "max_steps": 3, "halting_bias": -1.0}
PLAN = """
[model]
d_model = 16
heads = 2
d_ff = 32
max_steps = 3
dropout = 0.1
[train]
steps = 6
batch = 4
evaluate_every = 4
ponder_ramp = 3
[data]
stories = 30
validation_stories = 5
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN, encoding="utf-8")
    return path


def quiet(_: str) -> None:
    """No progress line."""


def small(**train: Any) -> Trainer:
    data = BabiData(stories=60, validation_stories=5)
    return new_trainer(data, MODEL, TrainConfig(**{"batch": 8, "steps": 40, "warmup": 5, **train}))


def test_it_learns() -> None:
    """The loss over the same few stories falls by half."""
    data = BabiData(stories=4, validation_stories=2, grow_steps=0)
    trainer = new_trainer(
        data, {**MODEL, "d_model": 32}, TrainConfig(batch=12, steps=150, warmup=10, learning_rate=5e-3)
    )
    losses = [trainer.one_step()["loss"] for _ in range(150)]
    assert np.mean(losses[-10:]) < 0.5 * np.mean(losses[:10])


def test_interrupted_and_resumed_equals_uninterrupted(plan: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """Dropout, draws and optimizer included: the same bits on the processor."""
    train_run.train("babi", plan, tmp_path / "whole", False, quiet)
    step = Trainer.one_step

    def stops(self: Trainer) -> dict[str, float]:
        if self.step == 3:
            raise KeyboardInterrupt
        return step(self)

    monkeypatch.setattr(Trainer, "one_step", stops)
    with pytest.raises(KeyboardInterrupt):
        train_run.train("babi", plan, tmp_path / "parts", False, quiet)
    monkeypatch.setattr(Trainer, "one_step", step)
    torch.manual_seed(99)
    train_run.train("babi", plan, tmp_path / "parts", True, quiet)
    whole, parts = (
        read_safetensors(tmp_path / name / "training.safetensors")[0] for name in ("whole", "parts")
    )
    assert whole.keys() == parts.keys()
    for name, array in whole.items():
        np.testing.assert_array_equal(array, parts[name], err_msg=name)
    logs = [(tmp_path / name / "log.jsonl").read_text(encoding="utf-8") for name in ("whole", "parts")]
    assert logs[0] == logs[1]
    assert [json.loads(line)["step"] for line in logs[0].splitlines()] == [4, 6]


def test_the_run_folder_is_a_checkpoint_with_its_story(plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    said: list[str] = []
    final = train_run.train("babi", plan, out, False, said.append)
    assert final["step"] == 6
    assert [part["task"] for part in final["per_task"]] == ["1 fact", "2 facts", "3 facts"]
    assert any("question" in line for line in said)
    header = peek(out)
    assert header.config["training"]["steps"] == 6
    loaded = load(out)
    report = evaluate_checkpoint(loaded, task="2 facts")
    assert report["n"] == 500
    title = run_title(loaded)
    assert "seed 0, 6 steps" in title
    assert "of 6" not in title
    card = model_card("run", loaded, {"Generated stories": report, title: report})
    assert f"## {title}" in card
    assert f"{report['per_task'][0]['accuracy']:.3f}" in card


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[model]\nd_modell = 3", "d_modell"),
        ("[train]\nstep = 3", "step"),
        ("[train]\nsteps = 'many'", "steps"),
        ("[train]\nsteps = -4", "steps"),
        ("[data]\nshares = [1, 2]", "shares"),
        ("[extra]", "extra"),
        ("task = 'copy'", "copy"),
        ("[model]\nvocab = 7", "vocab"),
        ("[model", "TOML"),
    ],
)
def test_wrong_configurations_are_named(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=named):
        train_run.train("babi", path, tmp_path / "out", False, quiet)
    assert not (tmp_path / "out").exists()


def test_a_run_is_not_overwritten_and_a_missing_one_not_resumed(plan: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no run"):
        train_run.train("babi", plan, tmp_path / "none", True, quiet)
    train_run.train("babi", plan, tmp_path / "run", False, quiet)
    with pytest.raises(UserError, match="already holds"):
        train_run.train("babi", plan, tmp_path / "run", False, quiet)
    (tmp_path / "run" / "training.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    with pytest.raises(UserError, match="damaged"):
        train_run.train("babi", plan, tmp_path / "run", True, quiet)


def test_schedule_warms_up_and_falls_to_the_floor() -> None:
    config = TrainConfig(steps=100, warmup=10, learning_rate=1.0, floor=0.05, ponder_ramp=20, ponder_delay=10)
    assert config.rate(0) == pytest.approx(0.1)
    assert config.rate(10) == pytest.approx(1.0)
    assert config.rate(100) == pytest.approx(0.05)
    assert [config.ponder_share(step) for step in (0, 10, 20, 30, 90)] == [0.0, 0.0, 0.5, 1.0, 1.0]


def test_the_ponder_weight_pulls_ponder_time_down() -> None:
    """Two runs that differ in the weight only."""
    costs = []
    for weight in (0.0, 1.0):
        data = BabiData(stories=60, validation_stories=5)
        model = {**MODEL, "max_steps": 6, "ponder_weight": weight, "charge_cap": True}
        trainer = new_trainer(data, model, TrainConfig(batch=8, warmup=1, ponder_ramp=0))
        costs.append([trainer.one_step()["ponder"] for _ in range(25)][-1])
    assert costs[1] < costs[0] - 0.5


def test_evaluation_agrees_with_a_count_by_hand() -> None:
    trainer = small()
    for _ in range(5):
        trainer.one_step()
    groups = trainer.data.validation()
    report = evaluate(trainer.model, groups, head=0)
    right, updates = [], []
    for example in groups[1].examples:
        with torch.no_grad():
            output = trainer.model(torch.as_tensor(example.ids)[None])
        right.append(int(output.logits[0, 0].argmax()) == example.targets[0])
        updates += output.n_updates[0].tolist()
    task = report["per_task"][1]
    assert task["accuracy"] == pytest.approx(np.mean(right))
    assert task["accuracy_by_step"][-1] == pytest.approx(np.mean(right))
    assert task["ponder_mean"] == pytest.approx(np.mean(updates))
    assert task["ponder_std"] == pytest.approx(np.std(updates))
    assert task["n_by_step"][0] == task["n"] == 5
    assert all(0 <= value <= 1 for value in task["entropy_by_step"] + task["gold_mass_by_step"])


def test_official_files_are_read_by_folder_or_file(test_data: Path, tmp_path: Path, plan: Path) -> None:
    train_run.train("babi", plan, tmp_path / "run", False, quiet)
    loaded = load(tmp_path / "run")
    folder = test_data / "babi" / "en-1k"
    report = evaluate_checkpoint(loaded, task="qa1", data=folder)
    alone = evaluate_checkpoint(loaded, data=folder / "qa1_single-supporting-fact_test.txt")
    assert report["per_task"] == alone["per_task"]
    assert report["n"] == 1000
    with pytest.raises(UserError, match="qa7"):
        evaluate_checkpoint(loaded, task="qa7", data=folder)
    with pytest.raises(UserError, match="test files"):
        evaluate_checkpoint(loaded, data=tmp_path)

"""Training on an algorithmic task: the curriculum, resuming, evaluation by length, cards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ut_engine.errors import UserError
from ut_engine.family import load
from ut_engine.files import read_safetensors
from ut_engine.tasks.parity import ParityData
from ut_engine.torch import train_run
from ut_engine.torch.by_length import by_length
from ut_engine.torch.eval_run import evaluate_checkpoint, model_card
from ut_engine.torch.training import TrainConfig, Trainer, new_trainer

LSTM: dict[str, Any] = {"architecture": "lstm", "d_model": 16, "halting": "none", "signal": "none"}
ACT: dict[str, Any] = {
    "d_model": 16, "heads": 2, "d_ff": 16, "signal": "none", "causal": True, "inject": True,
    "steps_from": "length", "halting_bias": -1.0, "state": "frozen",
}  # fmt: skip
PLAN = """
[model]
d_model = 16
heads = 2
d_ff = 16
signal = "none"
causal = true
steps_from = "length"
[train]
steps = 6
batch = 4
warmup = 1
extra_steps = 2
evaluate_every = 4
[data]
first = 1
longest = 4
reach = 0.0
validation_lengths = [2, 3, 4]
validation_sequences = 3
"""


def quiet(_: str) -> None:
    """No progress line."""


def test_the_curriculum_grows_only_when_the_present_length_is_right() -> None:
    data = ParityData(first=2, longest=6)
    trainer = new_trainer(data, LSTM, TrainConfig(batch=32, steps=400, warmup=20, learning_rate=1e-2))
    trainer.one_step()
    assert trainer.longest == 2
    reached = []
    for _ in range(399):
        trainer.one_step()
        reached.append(trainer.longest)
    assert np.isin(np.diff(reached), (0, 1)).all()
    assert reached[-1] == 6
    hard = new_trainer(ParityData(first=2, reach=1.0), LSTM, TrainConfig(batch=4, steps=30))
    for _ in range(30):
        hard.one_step()
    assert hard.longest == 2


def test_interrupted_and_resumed_equals_uninterrupted(tmp_path: Path, monkeypatch: Any) -> None:
    """The curriculum's state is part of the run."""
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN, encoding="utf-8")
    whole = train_run.train("parity", plan, tmp_path / "whole", False, quiet)
    assert whole["longest"] > 1
    step = Trainer.one_step

    def stops(self: Trainer) -> dict[str, float]:
        if self.step == 3:
            raise KeyboardInterrupt
        return step(self)

    monkeypatch.setattr(Trainer, "one_step", stops)
    with pytest.raises(KeyboardInterrupt):
        train_run.train("parity", plan, tmp_path / "parts", False, quiet)
    monkeypatch.setattr(Trainer, "one_step", step)
    parts = train_run.train("parity", plan, tmp_path / "parts", True, quiet)
    assert parts == whole
    saved = [read_safetensors(tmp_path / name / "training.safetensors")[0] for name in ("whole", "parts")]
    for name, array in saved[0].items():
        np.testing.assert_array_equal(array, saved[1][name], err_msg=name)


def test_evaluation_by_length_agrees_with_a_count_by_hand() -> None:
    trainer = new_trainer(ParityData(), ACT, TrainConfig(batch=8))
    for _ in range(3):
        trainer.one_step()
    groups = ParityData().groups([3, 9], 70, 1)
    report = by_length(trainer.model, groups, by_step=True)
    total = 0
    for group, said in zip(groups, report["per_task"], strict=True):
        right, updates, whole = [], [], []
        for example in group.examples:
            with torch.no_grad():
                out = trainer.model(torch.as_tensor(example.ids)[None])
            same = out.logits[0, 1:].argmax(dim=-1).numpy() == example.targets[1:]
            right += same.tolist()
            whole.append(bool(same.all()))
            updates += out.n_updates[0].tolist()
        assert said["n"] == len(right)
        assert said["accuracy"] == pytest.approx(np.mean(right))
        assert said["sequence_accuracy"] == pytest.approx(np.mean(whole))
        assert said["ponder_mean"] == pytest.approx(np.mean(updates))
        assert said["accuracy_by_step"][-1] == pytest.approx(np.mean(right))
        assert said["n_by_step"][0] == said["n"]
        assert len(said["accuracy_by_step"]) == said["steps"]
        assert said["accuracy_by_position"][0] is None
        assert np.mean(said["accuracy_by_position"][1:]) == pytest.approx(np.mean(right))
        total += sum(right)
    assert report["accuracy"] == pytest.approx(total / report["n"])


def test_a_run_evaluates_itself_by_length_and_writes_its_card(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN, encoding="utf-8")
    train_run.train("parity", plan, tmp_path / "run", False, quiet)
    loaded = load(tmp_path / "run")
    report = evaluate_checkpoint(loaded, lengths=(2, 5))
    assert [one["task"] for one in report["per_task"]] == ["2", "5"]
    assert report["trained_on"] == 4
    usual = evaluate_checkpoint(loaded)
    assert [one["task"] for one in usual["per_task"]] == ["4", "8", "16", "40"]
    card = model_card("run", loaded, {"By length": report})
    assert f"| 5 | 200 | {report['per_task'][1]['accuracy']:.3f}" in card
    for wrong in ({"data": tmp_path}, {"same_story": True}, {"task": "qa1"}, {"lengths": (5000,)}):
        with pytest.raises(UserError):
            evaluate_checkpoint(loaded, **wrong)


def test_extra_steps_need_a_depth_that_follows_the_length() -> None:
    with pytest.raises(UserError, match="steps_from"):
        new_trainer(ParityData(), {**ACT, "steps_from": "fixed"}, TrainConfig(extra_steps=2))

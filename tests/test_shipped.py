"""What ships: every checkpoint opens, and its card's figures come out again on the same strings."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ut_engine.checkpoint import peek, read_tensors
from ut_engine.family import load
from ut_engine.prepare import Input, prepare
from ut_engine.tasks.registry import task_data
from ut_engine.torch.eval_lengths import lengths_report
from ut_engine.torch.handset import scan_weights
from ut_engine.torch.train_run import read_plan, trainer_of

ROOT = Path(__file__).resolve().parent.parent
CHECKPOINTS = ROOT / "resources" / "checkpoints"
PLANS = sorted((ROOT / "resources" / "training").glob("*.toml"))
SYMBOLS = sorted(
    path.parent
    for path in CHECKPOINTS.glob("*/config.json")
    if json.loads(path.read_text("utf-8"))["task"] != "babi"
)
TRAINED = [path for path in SYMBOLS if path.name != "scan"]
QUICK = 2  # the first lengths of a card: the training length and twice it


def rows(card: str) -> Iterator[list[str]]:
    """Cells of the first table of a card."""
    table = card.split("## ")[1]
    for line in table.splitlines():
        if re.match(r"\| \d", line):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def folder(name: str) -> Path:
    return CHECKPOINTS / name


def test_each_of_the_four_models_ships() -> None:
    kinds = set()
    for path in SYMBOLS:
        options = peek(path).config["model"]
        kinds.add((options["architecture"], options["halting"]))
    wanted = {("universal", "none"), ("universal", "act"), ("transformer", "none"), ("lstm", "none")}
    assert kinds == wanted


@pytest.mark.parametrize("path", SYMBOLS, ids=lambda path: path.name)
def test_it_opens_and_reads_its_samples(path: Path) -> None:
    loaded = load(path)
    assert not loaded.report.faults
    samples = json.loads((path / "samples.json").read_text("utf-8"))
    assert samples
    for sample in samples[:2]:
        ids, info = prepare(loaded, Input(text=sample["text"], answer=sample["answer"]))
        *_, last = loaded.model.steps(ids)
        said = [info.answers[k] for k in last.readout[0].argmax(axis=-1)]
        assert "".join(said).endswith(sample["answer"].replace(" ", ""))


@pytest.mark.parametrize("path", SYMBOLS, ids=lambda path: path.name)
def test_the_card_says_what_comes_out(path: Path) -> None:
    said = list(rows((path / "card.md").read_text("utf-8")))
    assert len(said) >= 4
    loaded = load(path)
    lengths = [int(row[0]) for row in said[:QUICK]]
    report = lengths_report(loaded, lengths)
    for row, one in zip(said, report["per_task"], strict=False):
        _, strings, symbols, whole, _, steps, updates, _ = row
        assert int(strings) == one["sequences"]
        assert int(steps) == one["steps"]
        assert float(symbols) == pytest.approx(one["accuracy"], abs=2e-3)
        assert float(whole) == pytest.approx(one["sequence_accuracy"], abs=2e-2)
        assert float(updates.split()[0]) == pytest.approx(one["ponder_mean"], abs=0.02)


@pytest.mark.parametrize("path", TRAINED, ids=lambda path: path.name)
def test_it_ships_with_its_plan_its_log_and_all_its_seeds(path: Path) -> None:
    """The plan is the one in resources/training but for the seed; the card tells of the other seeds."""
    plan = tomllib.loads((path / "plan.toml").read_text("utf-8"))
    config = peek(path).config
    assert plan["train"] == config["training"]["train"]
    assert plan["data"] == config["training"]["data"]
    assert config["training"]["steps"] == plan["train"]["steps"]
    assert {name: config["model"][name] for name in plan["model"]} == plan["model"]
    log = [json.loads(line) for line in (path / "log.jsonl").read_text("utf-8").splitlines()]
    assert log[-1]["step"] == plan["train"]["steps"]
    card = (path / "card.md").read_text("utf-8")
    seeds = re.findall(r"Another run: seed (\d+)", card)
    assert seeds
    assert str(config["training"]["seed"]) not in seeds
    assert (path / "model.safetensors").stat().st_size < 220_000


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_every_plan_that_ships_can_be_started(path: Path) -> None:
    task = tomllib.loads(path.read_text("utf-8"))["task"]
    plan = read_plan(task, path)
    few: dict[str, Any] = {"stories": 50, "validation_stories": 5} if task == "babi" else {}
    data = {**plan.data, **few}
    trainer = trainer_of(type(plan)(plan.task, plan.model, plan.train, data))
    assert np.isfinite(trainer.one_step()["loss"])
    assert task_data(task, data).validation()


def test_the_scan_ships_as_it_is_set_by_hand() -> None:
    stored = read_tensors(peek(folder("scan")))
    made = scan_weights()
    assert stored.keys() == made.keys()
    for name, array in made.items():
        np.testing.assert_array_equal(stored[name], array, err_msg=name)


# ---- the story's claims, on a few strings each -----------------------------------------------------------


def report_of(name: str, lengths: tuple[int, ...], strings: int, steps: int | None = None) -> list[Any]:
    found: list[Any] = lengths_report(load(folder(name)), lengths, steps, strings)["per_task"]
    return found


def test_the_lstm_is_right_at_any_length() -> None:
    assert [one["sequence_accuracy"] for one in report_of("parity-lstm", (20, 200, 1000), 20)] == [1.0] * 3


def test_the_universal_transformer_is_right_far_beyond_its_training_with_as_many_steps() -> None:
    trained, far = report_of("parity-ut", (20, 200), 16)
    assert trained["accuracy"] == 1.0
    assert far["accuracy"] > 0.99
    (short,) = report_of("parity-ut", (200,), 16, steps=21)
    assert short["accuracy"] < 0.7


def test_addition_carries_on_far_beyond_its_training_with_as_many_steps() -> None:
    trained, far = report_of("addition", (20, 200), 8)
    assert trained["sequence_accuracy"] == 1.0
    assert far["accuracy"] > 0.98


def test_the_transformer_collapses_past_its_training_length() -> None:
    trained, twice, far = report_of("parity-transformer", (20, 40, 200), 32)
    assert trained["accuracy"] > 0.99
    by_position = twice["accuracy_by_position"]
    assert min(by_position[1:16]) > 0.95
    assert np.mean(by_position[-10:]) < 0.7
    assert far["accuracy"] < 0.65


def test_with_act_the_halting_step_grows_with_the_position() -> None:
    (trained,) = report_of("parity-act", (20,), 64)
    assert trained["accuracy"] > 0.99
    updates = np.array(trained["ponder_by_position"][1:])
    assert np.corrcoef(np.arange(20), updates)[0, 1] > 0.9
    assert updates[-1] > updates[0] + 4

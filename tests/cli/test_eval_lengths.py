"""`train` and `eval` of an algorithmic task: the table by length, the card, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ut_engine.torch.handset import save_scan

Cli = Callable[..., Any]
PLAN = """
task = "reverse"
[model]
architecture = "lstm"
d_model = 8
halting = "none"
signal = "none"
[train]
steps = 3
batch = 2
[data]
first = 2
longest = 3
validation_lengths = [2, 3, 4]
validation_sequences = 2
"""


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    save_scan(tmp_path / "scan")
    return tmp_path / "scan"


def test_the_table_by_length_and_the_card(scan: Path, tmp_path: Path, cli: Cli) -> None:
    card = tmp_path / "card.md"
    done = cli("eval", scan, "--lengths", "4,70", "--card", card, "--seeds", scan)
    assert done.code == 0
    assert "first below .99" in done.out
    lines = card.read_text("utf-8").splitlines()
    assert sum(line.startswith("| 70 | 200 | 1.000 | 1.000 | – | 10 |") for line in lines) == 2
    assert any(line.startswith("## Another run") for line in lines)


def test_json_has_the_contract_s_names(scan: Path, cli: Cli) -> None:
    found = cli("eval", scan, "--lengths", "5,300", "--steps", "4", "--json").document
    assert [one["task"] for one in found["per_task"]] == ["5", "300"]
    short, long = found["per_task"]
    assert short["accuracy"] == 1.0
    assert 0.4 < long["accuracy"] < 0.7  # four steps settle 16 positions
    assert long["accuracy_by_position"][:16] == [1.0] * 16
    assert long["steps"] == len(long["accuracy_by_step"]) == 4
    names = {"accuracy", "n", "ponder_mean", "ponder_std", "per_task"}
    assert names <= found.keys()
    of_one = {"task", "n", "accuracy", "ponder_mean", "ponder_std", "question_ponder_mean"}
    assert of_one | {"entropy_by_step", "gold_mass_by_step", "n_by_step", "accuracy_by_step"} <= short.keys()


def test_a_run_of_a_task_of_strings(tmp_path: Path, cli: Cli) -> None:
    plan, out = tmp_path / "plan.toml", tmp_path / "run"
    plan.write_text(PLAN, encoding="utf-8")
    done = cli("train", "reverse", "--config", plan, "--out", out)
    assert done.code == 0
    assert "whole strings" in done.out
    assert "length 2" in done.err
    assert (out / "samples.json").exists()


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (("--same-story",), "strings"),
        (("--task", "qa1"), "--lengths"),
        (("--lengths", "1025"), "1,024"),
        (("--lengths", "5", "--steps", "11"), "10"),
    ],
)
def test_what_makes_no_sense_is_said(more: tuple[str, ...], named: str, scan: Path, cli: Cli) -> None:
    done = cli("eval", scan, *more)
    assert done.code == 2
    assert named in done.err

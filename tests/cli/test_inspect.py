"""`inspect` says of each of the shipped models what it has: steps, layers, heads, and nothing it has not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.paths import shipped
from ut_engine import checkpoint

Cli = Callable[..., Any]
SAID = {
    "babi": ("ACT, at most 8 steps", "heads 4"),
    "parity-ut": ("none: as many steps as positions", "window 4"),
    "parity-act": ("ACT, at most as many steps as positions", "state frozen"),
    "parity-transformer": ("none: 6 layers, each run once", "heads 2"),
    "parity-lstm": ("none: one step a position", "1 LSTM cell; no attention"),
    "scan": ("none: 10 steps", "signal learned"),
}


@pytest.mark.parametrize("name", SAID)
def test_it_says_how_deep_the_model_is(cli: Cli, name: str) -> None:
    text = cli("inspect", name).out
    for part in SAID[name]:
        assert part in text
    if name == "parity-lstm":
        assert "heads" not in text
        assert "d_ff" not in text


@pytest.mark.parametrize(("name", "steps"), [("parity-transformer", 6), ("parity-lstm", None), ("scan", 10)])
def test_the_steps_of_a_model_without_halting(cli: Cli, name: str, steps: int | None) -> None:
    halting = cli("inspect", name, "--json").document["halting"]
    assert (halting["kind"], halting["steps"]) == ("none", steps)


def test_a_wrappers_prefix_is_said_and_the_names_shown_are_without_it(cli: Cli, tmp_path: Path) -> None:
    header = checkpoint.peek(shipped()["parity-ut"])
    tensors = {f"_orig_mod.{name}": array for name, array in checkpoint.read_tensors(header).items()}
    checkpoint.save(tmp_path / "compiled", header.config, tensors)
    shown = cli("inspect", str(tmp_path / "compiled"), "--json").document
    assert "every name of its tensors begins with _orig_mod., which is taken off" in shown["warnings"]
    assert {one["name"] for one in shown["tensors"]} == set(header.tensors)

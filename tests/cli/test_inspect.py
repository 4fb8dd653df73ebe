"""`inspect` says of each of the shipped models what it has: steps, layers, heads, and nothing it has not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

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

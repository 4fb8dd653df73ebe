"""What the command line says of a checkpoint whose numbers overflow on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.paths import shipped
from ut_engine import checkpoint


@pytest.fixture
def parity(tmp_path: Path) -> Path:
    """A shipped checkpoint with one bias so large that the state overflows; every weight is finite."""
    header = checkpoint.peek(shipped()["parity-act"])
    tensors = {key: np.array(value) for key, value in checkpoint.read_tensors(header).items()}
    tensors["transition.outer.bias"][0] = 3e38
    checkpoint.save(tmp_path / "broken", header.config, tensors)
    return tmp_path / "broken"


@pytest.mark.parametrize(("verb", "more"), [("trace", ("--text", "1011")), ("eval", ("--lengths", "3"))])
def test_the_command_line_says_so(cli: Callable[..., Any], parity: Path, verb: str, more: Any) -> None:
    text = cli(verb, str(parity), *more).out
    assert "not finite (NaN or infinity)" in text
    assert "None" not in text
    document = cli(verb, str(parity), *more, "--json").document
    if verb == "trace":
        assert document["not_finite_from"] == 1
        assert document["prediction"] == [None] * 5
    else:
        assert document["accuracy"] == 0.0
        assert document["per_task"][0]["not_finite"] == document["n"]

"""What is said of a checkpoint on sight: precision, options left out, an untrained halting unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine_texts import said
from app.messages import Message
from ut_engine.checkpoint import Header, TensorInfo
from ut_engine.remarks import remarks
from ut_engine.spec import UTConfig

USUAL = UTConfig(vocab=9, answers=3)


def of(
    config: UTConfig = USUAL, stored: str = "F32", without: tuple[str, ...] = (), **tensors: Any
) -> list[str]:
    options = {name: value for name, value in config.to_dict().items() if name not in without}
    header = Header(Path("m"), (), {"model": options}, {"embed.weight": TensorInfo((9, 4), stored)}, 0)
    found = remarks(header, config, {name.replace("__", "."): value for name, value in tensors.items()})
    assert all(isinstance(said(sentence), Message) for sentence in found)  # known in Korean too
    return found


def halting(weight: float, bias: float) -> dict[str, Any]:
    return {"halting_unit__weight": np.full((1, 4), weight), "halting_unit__bias": np.array([bias])}


def test_nothing_is_said_of_a_sound_one() -> None:
    assert of(**halting(0.1, 1.0)) == []


def test_the_precision_stored() -> None:
    assert of(stored="BF16") == ["the weights are stored as BF16 and run in float32"]


def test_a_prefix_taken_off() -> None:
    tensors = {"embed.weight": TensorInfo((9, 4), "F32")}
    header = Header(Path("m"), (), {"model": USUAL.to_dict()}, tensors, 0, "module.")
    (sentence,) = remarks(header, USUAL, {})
    assert sentence == "every name of its tensors begins with module., which is taken off"
    assert isinstance(said(sentence), Message)


def test_options_that_no_shape_tells() -> None:
    (sentence,) = of(without=("heads", "norm", "d_ff"))  # d_ff is checked by the weights
    assert "leaves out heads = 4, norm = post:" in sentence


@pytest.mark.parametrize(
    ("bias", "p", "then"),
    [
        (1.0, "0.731", "all halt at step 2"),  # T2T's start: tensor2tensor#1723
        (0.0, "0.500", "all halt at step 2"),
        (-3.0, "0.047", "nothing halts before the cap"),
    ],
)
def test_a_halting_unit_as_it_was_initialised(bias: float, p: str, then: str) -> None:
    (sentence,) = of(**halting(0.0, bias))
    assert f"p = {p} everywhere" in sentence
    assert then in sentence

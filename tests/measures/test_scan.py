"""Trained parity checkpoints on given bits: what is said of them is what they answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from app.paths import shipped
from ut_engine.errors import UserError
from ut_engine.family import load
from ut_engine.torch import measures

BITS = "0111001100100100110011111001000010001010"
NAMES = ("parity-ut", "parity-act", "parity-transformer", "parity-lstm")


def measured(bits: str = BITS, names: tuple[str, ...] = NAMES) -> dict[str, Any]:
    paths = {name: str(shipped()[name]) for name in names}
    args = {"bits": bits, "seed": 1, "checkpoints": paths}
    return measures.find("scan")(args, measures.silent)


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return measured()


def test_every_model_answers_at_every_position(found: dict[str, Any]) -> None:
    assert found["bits"] == BITS
    assert [one["name"] for one in found["models"]] == list(NAMES)
    for one in found["models"]:
        assert len(one["right"]) == len(one["by_position"]) == len(one["updates"]) == len(BITS)
        assert len(one["by_step"]) == len(one["front"]) == one["steps"]
        assert one["by_step"][-1] == pytest.approx(np.mean(one["by_position"]), abs=1e-3)


def test_the_answers_are_the_model_s_own(found: dict[str, Any]) -> None:
    model = load(shipped()["parity-transformer"]).model
    ids = torch.tensor([[3, *(int(bit) + 1 for bit in BITS)]])
    with torch.inference_mode():
        answers = model(ids).logits[0, 1:].argmax(dim=-1).numpy()
    right = np.cumsum([int(bit) for bit in BITS]) % 2 == answers
    said = next(one for one in found["models"] if one["name"] == "parity-transformer")
    assert said["right"] == right.astype(int).tolist()


def test_what_training_found_is_seen(found: dict[str, Any]) -> None:
    by_name = {one["name"]: one for one in found["models"]}
    assert (by_name["parity-ut"]["steps"], by_name["parity-transformer"]["steps"]) == (41, 6)
    assert by_name["parity-ut"]["whole"] > 0.9
    assert by_name["parity-lstm"]["whole"] == 1.0
    assert by_name["parity-transformer"]["whole"] < 0.2
    front = np.array(by_name["parity-ut"]["front"])
    assert (np.diff(front[:20]) > 0).all()  # it moves on with every step
    assert front[19] < 40  # and has not arrived after the steps it was trained with


def test_one_bit_and_wrong_input() -> None:
    assert measured("1", ("parity-lstm",))["models"][0]["right"] == [1]
    for bits in ("", "012", "1" * 401):
        with pytest.raises(UserError):
            measured(bits)


def test_it_can_be_cancelled() -> None:
    def stop(done: int, total: int) -> None:
        raise measures.Cancelled

    args = {"bits": "10", "checkpoints": {"parity-lstm": str(shipped()["parity-lstm"])}}
    with pytest.raises(measures.Cancelled):
        measures.find("scan")(args, stop)

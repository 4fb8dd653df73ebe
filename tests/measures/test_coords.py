"""A checkpoint's own coordinate signal and the lengths of what it is added to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.paths import shipped
from ut_engine.coordinates import coordinates, norms
from ut_engine.errors import UserError
from ut_engine.family import load
from ut_engine.torch import measures


def measured(name: str, text: str = "") -> dict[str, Any]:
    args = {"checkpoint": str(shipped()[name]), "text": text}
    return measures.find("coords")(args, measures.silent)


def test_a_fixed_signal_is_the_formula_s() -> None:
    found = measured("babi")
    assert found["signal"] == "paper"
    d, m = found["d_model"], found["positions"]
    for step in (1, found["steps"]):
        right = coordinates(d, m, step)
        got = np.array(found["position"]) + np.array(found["step"])[step - 1]
        assert np.abs(got - right).max() < 2e-4
        assert found["p"][step - 1] == pytest.approx(float(norms(right).mean()), abs=1e-3)
    assert len(found["h"]) == found["steps"]
    assert found["p"][0] < found["h"][0]


def test_a_learned_signal_is_the_checkpoint_s_table() -> None:
    found = measured("scan", "0110")
    table = load(shipped()["scan"]).model.step_table.detach().numpy()
    assert np.allclose(np.array(found["step"]), table, atol=1e-3)
    assert (found["positions"], len(found["position"])) == (4, 4)


def test_a_model_without_a_signal_and_one_without_depth() -> None:
    found = measured("parity-ut")
    assert (found["position"], found["step"], set(found["p"])) == ([], [], {0.0})
    assert found["bias"] == "relative"
    with pytest.raises(UserError, match="LSTM"):
        measured("parity-lstm")
    with pytest.raises(UserError):
        measured("scan", "01x")

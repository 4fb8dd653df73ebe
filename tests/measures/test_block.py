"""Values inside a block: the sums of the equations hold for what was heard; states are those of the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from app.paths import shipped
from tests.kinds import make, padded_ids
from ut_engine.errors import UserError
from ut_engine.spec import UTConfig
from ut_engine.torch import measures
from ut_engine.torch.build import build
from ut_engine.torch.measures import block
from ut_engine.torch.seq2seq import EncoderDecoder

MIN, MEAN, MAX, NORM, STD = range(5)


def listened(model: Any, ids: torch.Tensor) -> dict[str, list[list[float]]]:
    with torch.inference_mode():
        loop, setting = model.start(*model.embed_input(ids), [model.config.usual_steps(7)] * len(ids), 0)
        found, _ = block.listened(model, loop, setting, measures.silent)
    return dict(found["tensors"])


def close(one: float, other: float) -> bool:
    return one == pytest.approx(other, abs=2e-5)


@pytest.mark.parametrize("norm", ["post", "pre", "none"])
@pytest.mark.parametrize("kind", ["UT", "UT+ACT", "UT, convolutions"])
def test_the_sums_of_the_equations_hold(kind: str, norm: str) -> None:
    rows = listened(make(kind, norm=norm), padded_ids())
    steps = len(rows["h"])
    for t in range(steps):
        assert close(rows["x"][t][MEAN], rows["h"][t][MEAN] + rows["p"][t][MEAN])
        if norm == "post":  # gains of a fresh LayerNorm are 1: every vector has the length sqrt(d)
            assert rows["a"][t][NORM] == pytest.approx(4.0, abs=1e-3)
            assert rows["next"][t][STD] == pytest.approx(1.0, abs=1e-3)
        else:
            assert close(rows["a"][t][MEAN], rows["x"][t][MEAN] + rows["s"][t][MEAN])
            assert close(rows["next"][t][MEAN], rows["a"][t][MEAN] + rows["f"][t][MEAN])
        assert rows["inner"][t][MIN] >= 0.0
        assert 0.0 <= rows["w"][t][MIN] <= rows["w"][t][MAX] <= 1.0
        assert close(rows["w"][t][MEAN], 1 / padded_ids().shape[1])  # every row adds up to 1
        for low, mean, high, length, spread in (row[t] for row in rows.values()):
            assert low <= mean <= high
            assert length >= 0.0
            assert spread >= 0.0


def test_states_are_those_of_the_run() -> None:
    model, ids = make("UT"), padded_ids()
    rows = listened(model, ids)
    real = (ids != 0).numpy()
    for t, record in enumerate(model.steps(ids)):
        assert record.state is not None
        values = record.state[real]
        assert rows["next"][t][MIN] == pytest.approx(float(values.min()), abs=1e-4)
        assert rows["next"][t][MAX] == pytest.approx(float(values.max()), abs=1e-4)
        if t + 1 < len(rows["h"]):
            assert close(rows["h"][t + 1][MEAN], rows["next"][t][MEAN])


def test_a_transformer_adds_positions_once_and_uses_each_layer() -> None:
    model = make("Transformer")
    rows = listened(model, padded_ids())
    assert len(rows["p"]) == 1
    assert len(rows["x"]) == model.config.layers == 3
    assert len({row[MEAN] for row in rows["q"]}) == 3


def test_hooks_are_taken_off_again() -> None:
    model = make("UT")
    listened(model, padded_ids())
    assert not any(module._forward_hooks for module in model.modules())


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_decoder_has_a_row_for_what_it_reads_of_the_encoder(norm: str) -> None:
    torch.manual_seed(1)
    sizes: dict[str, Any] = {"vocab": 9, "answers": 9, "d_model": 16, "heads": 4, "d_ff": 24, "max_steps": 3}
    config = UTConfig(**sizes, halting="none", norm=norm, decoder=True, readout="every", end_id=2)
    model = build(config).eval()
    assert isinstance(model, EncoderDecoder)
    with torch.inference_mode():
        sides = block.both_sides(model, torch.tensor([[3, 4, 5, 6]]), 3, measures.silent)
    assert "c" not in sides["encoder"]["tensors"]
    rows = sides["decoder"]["tensors"]
    assert {"a", "cw", "c", "b"} <= set(rows)
    assert close(rows["cw"][0][MEAN], 1 / 4)
    if norm == "pre":
        assert close(rows["b"][1][MEAN], rows["a"][1][MEAN] + rows["c"][1][MEAN])
        assert close(rows["next"][1][MEAN], rows["b"][1][MEAN] + rows["f"][1][MEAN])


def test_a_shipped_model_reads_its_first_sample_and_the_figures_are_plain_json() -> None:
    path = shipped()["babi"]
    done: list[tuple[int, int]] = []
    found = measures.find("block")({"checkpoint": str(path)}, lambda *at: done.append(at))
    assert json.loads(json.dumps(found)) == found
    assert found["name"] == "babi"
    assert found["text"] == json.loads((path / "samples.json").read_text("utf-8"))[0]["text"]
    side = found["sides"]["encoder"]
    assert side["steps"] == len(side["tensors"]["h"]) == len(done)
    assert all(len(row) == len(found["figures"]) for rows in side["tensors"].values() for row in rows)
    other = measures.find("block")({"checkpoint": str(path), "text": found["text"]}, measures.silent)
    assert other == found


def test_a_model_without_a_block_and_a_checkpoint_without_samples_say_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no block"):
        measures.find("block")({"checkpoint": str(shipped()["parity-lstm"])}, measures.silent)
    copied = tmp_path / "bare"
    copied.mkdir()
    for name in ("config.json", "model.safetensors"):
        (copied / name).write_bytes((shipped()["parity-ut"] / name).read_bytes())
    with pytest.raises(UserError, match="no sample"):
        measures.find("block")({"checkpoint": str(copied)}, measures.silent)

"""`depthscope trace`: the contract's document, its agreement with the file, every kind of input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ut_engine import checkpoint
from ut_engine.adapters.universal_transformer import shapes
from ut_engine.run import load_run
from ut_engine.spec import UTConfig

Cli = Callable[..., Any]
STORY = "Mary went to the office. John went to the garden. Where is Mary?"


def test_the_contract(cli: Cli, babi: Path) -> None:
    found = cli("trace", babi, "--text", STORY, "--json").document
    steps, positions = found["steps"], 3
    assert found["tokens"] == ["Where is Mary?", "John went to the garden.", "Mary went to the office."]
    assert len(found["n_running"]) == steps
    assert found["n_running"][0] == positions
    assert np.shape(found["halting"]) == (positions, steps)
    assert np.shape(found["attention_entropy"]) == np.shape(found["attention_mass"]) == (steps, 2)
    assert found["marks"] == [3]
    for name in ("n_updates", "remainders", "ponder"):
        assert len(found[name]) == positions
    assert found["ponder"] == pytest.approx(np.add(found["n_updates"], found["remainders"]), abs=1e-6)
    assert max(found["n_updates"]) == steps
    assert isinstance(found["prediction"], str)
    assert found["expected"] == "office"
    assert found["device"] == "cpu" or ":" in found["device"] or found["device"] in ("cuda", "mps")
    assert 0 < sum(found["step_seconds"]) <= found["seconds"]


def test_the_file_says_the_same(cli: Cli, babi: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.trace.safetensors"
    found = cli("trace", babi, "--text", STORY, "--device", "cpu", "-o", file, "--json").document
    run = load_run(file)
    assert found["file"] == str(file)
    assert run.info.finished == "done"
    assert run.n_running(0) == found["n_running"]
    assert run.ponder() == pytest.approx(found["ponder"])
    weights = [record.attention[0].weights[0] for record in run.records]
    entropy = [-(w * np.log(np.where(w > 0, w, 1))).sum(-1).mean(-1) for w in weights]
    assert np.array(found["attention_entropy"]) == pytest.approx(np.array(entropy), abs=1e-5)
    assert np.array(found["attention_mass"]) == pytest.approx(
        np.array([w[:, :, 2].mean(-1) for w in weights]), abs=1e-6
    )
    answers = [prediction[0] for prediction in run.predictions()]
    assert [one["answer"] for one in found["predictions"]] == answers
    assert found["prediction"] == answers[-1]


def test_without_a_file_nothing_is_written(
    cli: Cli, babi: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("trace", babi, "--text", STORY).code == 0
    assert list(tmp_path.iterdir()) == []


def test_without_attention(cli: Cli, babi: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.trace.safetensors"
    with_maps = cli("trace", babi, "--text", STORY, "--json").document
    found = cli("trace", babi, "--text", STORY, "--no-attention", "-o", file, "--json").document
    assert found["attention_entropy"] is found["attention_mass"] is None
    assert found["n_updates"] == with_maps["n_updates"]
    assert found["prediction"] == with_maps["prediction"]
    assert load_run(file).records[0].attention is None


def test_a_fixed_number_of_steps(cli: Cli, symbols: Path) -> None:
    found = cli("trace", symbols, "--text", "0110", "--steps", 7, "--json").document
    assert found["steps"] == 7
    assert found["n_running"] == [4] * 7
    assert found["halting"] is found["attention_mass"] is None
    assert found["n_updates"] == [7] * 4
    assert found["ponder"] == [7.0] * 4
    assert len(found["prediction"]) == 4
    assert cli("trace", symbols, "--text", "0110", "--json").document["steps"] == 4


def test_tokens_are_the_text(cli: Cli, babi: Path, symbols: Path) -> None:
    by_text = cli("trace", symbols, "--text", "0 1 1", "--json").document
    by_ids = cli("trace", symbols, "--tokens", "1,2,2", "--json").document
    for name in ("tokens", "prediction", "probability", "attention_entropy"):
        assert by_text[name] == by_ids[name]
    assert len(cli("trace", babi, "--tokens", "1,2,3", "--json").document["tokens"]) == 3
    assert len(cli("trace", babi, "--tokens", "1,2;3,4,5", "--json").document["tokens"]) == 2


def test_input_from_a_file(cli: Cli, babi: Path, tmp_path: Path) -> None:
    typed, official = tmp_path / "story.txt", tmp_path / "qa1_test.txt"
    typed.write_text(STORY.replace(". ", ".\n"))
    official.write_text(
        "1 John went to the office.\n2 Where is John? \toffice\t1\n"
        "3 Mary moved to the garden.\n4 Where is Mary? \tgarden\t3\n"
    )
    expected = cli("trace", babi, "--text", STORY, "--json").document
    assert cli("trace", babi, "--input", typed, "--json").document["tokens"] == expected["tokens"]
    second = cli("trace", babi, "--input", official, "--story", 2, "--json").document
    assert second["tokens"] == ["Where is Mary?", "Mary moved to the garden.", "John went to the office."]
    assert (second["marks"], second["expected"]) == ([2], "garden")


def test_a_trace_may_be_replaced(cli: Cli, babi: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.trace.safetensors"
    for steps in (1, 2):
        assert cli("trace", babi, "--text", STORY, "--steps", steps, "-o", file).code == 0
        assert load_run(file).steps <= steps
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_for_people(cli: Cli, babi: Path) -> None:
    found = cli("trace", babi, "--text", STORY)
    assert (found.code, found.err) == (0, "")
    for text in (
        "step",
        "running",
        "mass on facts",
        "Where is Mary?",
        "N + R",
        "answer: ",
        "(expected: office)",
    ):
        assert text in found.out


def test_both_sides_of_an_encoder_decoder(cli: Cli, tmp_path: Path) -> None:
    """The answer stands at the positions the decoder wrote; how it thought has a part of its own."""
    config = UTConfig(
        vocab=9, answers=6, d_model=8, heads=2, d_ff=16, max_steps=4, decoder=True, readout="every"
    )
    folder = tmp_path / "pair"
    draws = np.random.default_rng(0)
    tensors = {name: draws.normal(size=shape).astype(np.float32) for name, shape in shapes(config).items()}
    checkpoint.save(folder, checkpoint.describe(config.to_dict()), tensors)
    found = cli("trace", folder, "--tokens", "3,1,2", "--json").document
    written = len(found["prediction"])
    assert len(found["tokens"]) == len(found["n_updates"]) == 3
    assert len(found["decoder"]["n_updates"]) == len(found["decoder"]["ponder"]) == written == 4
    for side in (found, found["decoder"]):
        assert len(side["n_running"]) == len(side["step_seconds"]) == side["steps"]
    assert [len(row) for row in found["predictions"]] == [written] * found["decoder"]["steps"]
    text = cli("trace", folder, "--tokens", "3,1,2").out
    assert "the decoder" in text
    assert f"answer: {' '.join(found['prediction'])}" in text

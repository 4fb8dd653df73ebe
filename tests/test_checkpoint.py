"""Checkpoints: saved, peeked at, identified, loaded strictly; other people's files named, not opened."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

import ut_engine
from ut_engine import checkpoint, family
from ut_engine.adapters import universal_transformer
from ut_engine.card import warnings_of
from ut_engine.errors import UserError
from ut_engine.records import Capture
from ut_engine.spec import UTConfig
from ut_engine.torch.build import build
from ut_engine.torch.model import UniversalTransformer

OPTIONS: list[dict[str, Any]] = [
    {},
    {"words": 4, "signal": "learned", "norm": "pre", "attention_bias": "relative"},
    {"halting": "none", "projection_bias": False, "final_norm": True},
    {"signal": "t2t", "mixing": "graves", "norm": "pre", "final_norm": False, "attention_bias": "alibi"},
]


def config_of(**options: Any) -> UTConfig:
    return UTConfig(**({"vocab": 9, "answers": 3, "d_model": 8, "heads": 2, "d_ff": 16} | options))


def write(path: Path, config: UTConfig, seed: int = 0) -> UniversalTransformer:
    torch.manual_seed(seed)
    model = UniversalTransformer(config)
    tensors = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    document = checkpoint.describe(config.to_dict(), "babi", {"kind": "symbols", "symbols": ["가", "나"]})
    checkpoint.save(path, document, tensors)
    return model


@pytest.mark.parametrize("options", OPTIONS)
def test_the_shapes_are_those_of_the_model(options: dict[str, Any]) -> None:
    config = config_of(**options)
    state = UniversalTransformer(config).state_dict()
    assert {n: tuple(t.shape) for n, t in state.items()} == universal_transformer.shapes(config)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", ["모형 😀", "모형.safetensors"])
def test_what_is_saved_is_loaded(tmp_path: Path, options: dict[str, Any], name: str) -> None:
    config = config_of(**options)
    model = write(tmp_path / name, config)
    loaded = ut_engine.load(tmp_path / name)
    assert loaded.config == config
    assert loaded.task == "babi"
    assert loaded.tokenizer_config == {"kind": "symbols", "symbols": ["가", "나"]}
    assert loaded.report.faults == []
    assert set(loaded.report.matched) == set(model.state_dict())
    for key, tensor in loaded.model.state_dict().items():
        assert torch.equal(tensor, model.state_dict()[key])
    assert not loaded.model.training


def test_the_weights_file_of_a_folder_opens_alone(tmp_path: Path) -> None:
    write(tmp_path / "m", config_of())
    assert family.load(tmp_path / "m" / "model.safetensors").config == config_of()


def test_saving_over_a_checkpoint_leaves_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "m", config_of())
    write(tmp_path / "m", config_of(d_ff=24))
    assert sorted(p.name for p in (tmp_path / "m").iterdir()) == ["config.json", "model.safetensors"]
    assert family.load(tmp_path / "m").config.d_ff == 24
    document = json.loads((tmp_path / "m" / "config.json").read_text("utf-8"))
    assert (document["family"], document["format"]) == ("universal_transformer", 1)


def test_a_checkpoint_by_anybody_else_in_the_same_format_opens(tmp_path: Path) -> None:
    model = UniversalTransformer(config_of())
    document = {"family": "universal_transformer", "format": 1, "model": {"vocab": 9, "answers": 3}}
    document["model"] |= {"d_model": 8, "heads": 2, "d_ff": 16}  # type: ignore[operator]
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "config.json").write_text("\ufeff" + json.dumps(document), "utf-8")  # as some editors save
    safetensors.torch.save_file(model.state_dict(), folder / "model.safetensors")
    assert family.load(folder).config == config_of()
    single = tmp_path / "single.safetensors"
    safetensors.torch.save_file(model.state_dict(), single, {"config": json.dumps(document)})
    assert family.load(single).config == config_of()


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float64])
def test_other_precisions_are_read_as_float32(tmp_path: Path, kind: torch.dtype) -> None:
    model = write(tmp_path / "m", config_of())
    stored = {name: tensor.to(kind) for name, tensor in model.state_dict().items()}
    safetensors.torch.save_file(stored, tmp_path / "m" / "model.safetensors")
    for name, tensor in family.load(tmp_path / "m").model.state_dict().items():
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, stored[name].float())


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float64])
def test_what_is_not_finite_is_named_whatever_its_precision(tmp_path: Path, kind: torch.dtype) -> None:
    model = write(tmp_path / "m", config_of())
    stored = {name: tensor.to(kind) for name, tensor in model.state_dict().items()}
    stored["readout.bias"][0] = 1e60 if kind == torch.float64 else float("inf")  # too large for float32
    safetensors.torch.save_file(stored, tmp_path / "m" / "model.safetensors")
    with pytest.raises(UserError, match=r"not finite .*readout\.bias"):
        family.load(tmp_path / "m")


def test_peek_reads_headers_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "m", config_of())
    read: list[int] = []
    monkeypatch.setattr(checkpoint, "read_tensors", lambda header: read.append(1))
    header = checkpoint.peek(tmp_path / "m")
    model = UniversalTransformer(config_of())
    assert header.parameters == sum(tensor.numel() for tensor in model.state_dict().values())
    assert header.tensors["readout.weight"].shape == (3, 8)
    assert header.tensors["readout.weight"].dtype == "F32"
    assert header.size == sum(p.stat().st_size for p in (tmp_path / "m").iterdir())
    assert header.name == "m"
    assert read == []


def test_peek_of_forty_gigabytes_is_quick(tmp_path: Path) -> None:
    count = 10 * 2**30
    text = json.dumps({"w": {"dtype": "F32", "shape": [count], "data_offsets": [0, 4 * count]}}).encode()
    path = tmp_path / "huge.safetensors"
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + 4 * count)  # sparse: takes no room
    assert checkpoint.peek(path).parameters == count


def test_absurd_sizes_are_refused_before_memory_is_taken(tmp_path: Path) -> None:
    write(tmp_path / "m", config_of())
    path = tmp_path / "m" / "config.json"
    document = json.loads(path.read_text("utf-8"))
    document["model"]["d_model"] = 1_000_000
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(UserError, match="misshapen embed"):
        family.load(tmp_path / "m")


def test_peek_and_identify_need_no_torch(tmp_path: Path) -> None:
    write(tmp_path / "m", config_of())
    code = (
        "import sys, ut_engine\n"
        "adapter, verdict = ut_engine.identify(ut_engine.peek(sys.argv[1]))\n"
        "print(adapter.NAME, verdict.score, 'torch' in sys.modules)"
    )
    child = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "m")], capture_output=True, text=True, check=True
    )
    assert child.stdout.split() == ["universal_transformer", "1.0", "False"]


def test_every_family_scores_a_header_with_a_reason(tmp_path: Path) -> None:
    write(tmp_path / "m", config_of())
    header = checkpoint.peek(tmp_path / "m")
    assert len(family.families()) >= 1
    for verdict in family.verdicts(header):
        assert 0 <= verdict.score <= 1
        assert verdict.reason


def test_a_tie_is_not_decided_silently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "m", config_of())
    header = checkpoint.peek(tmp_path / "m")
    twins = [family.Verdict("a", 0.5, "x"), family.Verdict("b", 0.5, "y")]
    monkeypatch.setattr(family, "verdicts", lambda _: twins)
    with pytest.raises(UserError, match="could be of several families: a, b"):
        family.identify(header)


# config.json families of the public checkpoints -> what the refusal calls them
OTHERS = {"ouro": "Ouro", "huginn": "Huginn", "albert": "ALBERT", "dory": "Dory", "hrm_text": "HRM-Text",
          "inkling2_loop": "Inkling"}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_families_are_peeked_at_and_named(test_data: Path, name: str) -> None:
    header = checkpoint.peek(test_data / "checkpoints" / name)
    assert header.tensors
    if family.verdicts(header)[0].score > 0:  # a later version opens it
        return
    with pytest.raises(UserError, match=f"looks like an? {OTHERS[name]} checkpoint"):
        family.identify(header)


# ---------------------------------------------------------------- shipped ones


def test_shipped_checkpoints_are_listed_and_found_by_name(tmp_path: Path) -> None:
    root = tmp_path / "shipped"
    write(root / "babi", config_of())
    write(root / "copy.safetensors", config_of())
    (root / "broken").mkdir()
    (root / "broken" / "config.json").write_text("{", "utf-8")
    (root / "README.md").write_text("what these are", "utf-8")
    assert [header.name for header in checkpoint.shipped(root)] == ["babi", "copy"]
    assert checkpoint.resolve("babi", root) == root / "babi"
    assert checkpoint.resolve("copy", root) == root / "copy.safetensors"
    assert checkpoint.resolve(root / "babi") == root / "babi"
    with pytest.raises(UserError, match="no checkpoint 'bibi'; give a path or one of babi, copy"):
        checkpoint.resolve("bibi", root)
    with pytest.raises(UserError, match="does not exist"):
        checkpoint.resolve("there/is/nothing", root)
    assert checkpoint.shipped(tmp_path / "none") == []
    with pytest.raises(UserError, match="does not exist"):
        checkpoint.resolve("babi", tmp_path / "none")


def test_a_change_on_disk_is_noticed(tmp_path: Path) -> None:
    write(tmp_path / "m", config_of())
    header = checkpoint.peek(tmp_path / "m")
    before = checkpoint.file_stamp(header)
    assert checkpoint.file_stamp(header) == before
    write(tmp_path / "m", config_of(), seed=1)
    assert checkpoint.file_stamp(header) != before


def test_the_library_names_its_public_things() -> None:
    for name in ut_engine.__all__:
        assert getattr(ut_engine, name).__name__ == name
    assert set(dir(ut_engine)) >= set(ut_engine.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ut_engine.nothing  # type: ignore[attr-defined]


def test_the_numbers_of_a_saved_model_stay(tmp_path: Path) -> None:
    model = write(tmp_path / "m", config_of()).eval()
    loaded = family.load(tmp_path / "m")
    ids = np.array([[3, 1, 2]])
    for ours, theirs in zip(model.steps(ids), loaded.model.steps(ids), strict=True):
        assert ours.state is not None
        assert theirs.state is not None
        assert ours.state.tobytes() == theirs.state.tobytes()


WRAPPERS = ["_orig_mod.", "module.", "model.", "module._orig_mod."]


def wrapped(path: Path, prefix: str, config: UTConfig, only: str = "") -> Path:
    """The checkpoint with the prefix before every name (of those that begin with `only`)."""
    header = checkpoint.peek(path)
    tensors = {
        (prefix + name if name.startswith(only) else name): array
        for name, array in checkpoint.read_tensors(header).items()
    }
    target = path.with_name(f"{path.name} wrapped")
    checkpoint.save(target, checkpoint.describe(config.to_dict(), "babi"), tensors)
    return target


@pytest.mark.parametrize("prefix", WRAPPERS)
@pytest.mark.parametrize("options", [{}, {"decoder": True, "readout": "every"}, {"architecture": "lstm"}])
def test_the_prefix_of_a_wrapper_is_taken_off(tmp_path: Path, prefix: str, options: dict[str, Any]) -> None:
    usual = {"halting": "none", "signal": "none"} if options.get("architecture") == "lstm" else {}
    config = config_of(**(usual | options))
    torch.manual_seed(3)
    tensors = {name: tensor.numpy() for name, tensor in build(config).state_dict().items()}
    checkpoint.save(tmp_path / "m", checkpoint.describe(config.to_dict(), "babi"), tensors)
    bare, other = ut_engine.load(tmp_path / "m"), ut_engine.load(wrapped(tmp_path / "m", prefix, config))
    assert (bare.header.prefix, other.header.prefix) == ("", prefix)
    assert other.header.tensors.keys() == bare.header.tensors.keys()
    ids = np.array([[1, 2, 3, 4]])
    more = {"target": np.array([[1, 2]])} if config.decoder else {}
    one, two = (
        [record.state for record in loaded.model.steps(ids, Capture(states=True), **more)]
        for loaded in (bare, other)
    )
    assert len(one) > 0
    assert all(np.array_equal(first, second) for first, second in zip(one, two, strict=True))
    assert any(f"begins with {prefix}," in sentence for sentence in warnings_of(other))
    assert not any("begins with" in sentence for sentence in warnings_of(bare))


def test_a_prefix_over_weights_that_do_not_fit_is_named(tmp_path: Path) -> None:
    write(tmp_path / "m", config_of())
    path = wrapped(tmp_path / "m", "module.", config_of(norm="none"))
    with pytest.raises(UserError, match=r"even without the prefix module\. of every name, unexpected norm_a"):
        ut_engine.load(path)


def test_a_prefix_of_some_names_is_named(tmp_path: Path) -> None:
    write(tmp_path / "m", config_of())
    path = wrapped(tmp_path / "m", "_orig_mod.", config_of(), only="attention")
    with pytest.raises(UserError, match=r"do not fit its configuration: missing attention\.query"):
        ut_engine.load(path)  # 8 of 21: no wrapper of the whole
    path = wrapped(tmp_path / "m", "_orig_mod.", config_of(), only="")
    tensors = checkpoint.read_tensors(checkpoint.peek(path)) | {"n_averaged": np.zeros(1, np.float32)}
    checkpoint.save(path, checkpoint.describe(config_of().to_dict()), tensors)
    with pytest.raises(UserError, match=r"configuration: 21 of 22 names begin with _orig_mod\., missing"):
        ut_engine.load(path)

"""Files that are missing, empty, cut short, of another kind or wrong inside: one sentence each."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ut_engine import checkpoint, family
from ut_engine.adapters.universal_transformer import shapes
from ut_engine.card import samples_of
from ut_engine.errors import UserError
from ut_engine.files import pack, unpack
from ut_engine.records import Address, Attention, Halting, StepRecord
from ut_engine.run import Run, RunInfo, load_run
from ut_engine.spec import UTConfig

CONFIG = UTConfig(vocab=9, answers=3, d_model=8, heads=2, d_ff=16)
HTML = b"<!DOCTYPE html>\n<html><head><title>404</title></head></html>"
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234\n"


class Hostile:
    """Unpickling this would create a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


def zipped(_: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02}.")
    return buffer.getvalue()


# what stands in the file -> a piece of the sentence
KINDS: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "empty": (lambda _: b"", "is empty"),
    "five bytes": (lambda _: b"\x10\0\0\0\0", "cut short"),
    "header cut": (lambda _: (4000).to_bytes(8, "little") + b'{"a":', "cut short"),
    "web page": (lambda _: HTML, "is a web page"),
    "blank, then a web page": (lambda _: b"\n  " + HTML, "is a web page"),
    "git-lfs": (lambda _: LFS, "git-lfs pointer"),
    "pickle": (lambda p: pickle.dumps(Hostile(p.with_name("hacked"))), "is a Python pickle"),
    "old pickle": (lambda p: pickle.dumps(Hostile(p.with_name("hacked")), 0), "not a safetensors file"),
    "torch.save": (zipped, "zip archive"),
    "json": (lambda _: b'{"family": "universal_transformer"}', "JSON file without weights"),
    "text": (lambda _: b"these are not the weights you are looking for", "not a safetensors file"),
    "zeros": (lambda _: bytes(64), "damaged"),
    "no json": (lambda _: (8).to_bytes(8, "little") + b"nonsense", "damaged"),
    "json list": (lambda _: (2).to_bytes(8, "little") + b"[]", "damaged"),
    "deep json": (lambda _: (50_000).to_bytes(8, "little") + b"[" * 50_000, "damaged"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reads", [checkpoint.peek, load_run, family.load])
def test_what_is_no_file_of_ours(tmp_path: Path, kind: str, reads: Callable[[Path], object]) -> None:
    content, words = KINDS[kind]
    path = tmp_path / "x.trace.safetensors"
    path.write_bytes(content(path))
    with pytest.raises(UserError, match=words) as caught:
        reads(path)
    assert_one_sentence(caught.value)
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize("reads", [checkpoint.peek, load_run])
def test_what_is_not_there(tmp_path: Path, reads: Callable[[Path], object]) -> None:
    with pytest.raises(UserError, match="does not exist"):
        reads(tmp_path / "nothing")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "samples.json"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    """Opening one without a writer never returns."""
    folder = write_model(tmp_path / "m")
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    if name == "samples.json":
        assert samples_of(checkpoint.peek(folder)) == []
        return
    with pytest.raises(UserError, match="is no ordinary file") as caught:
        checkpoint.peek(folder)
    assert_one_sentence(caught.value)


def test_a_folder_that_may_not_be_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(self: Path, **_: object) -> object:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "stat", denied)
    for path in (tmp_path, tmp_path / "m"):
        with pytest.raises(UserError, match="cannot be read: Permission denied") as caught:
            checkpoint.peek(path)
        assert_one_sentence(caught.value)


def write_model(folder: Path) -> Path:
    tensors = {name: np.zeros(shape, np.float32) for name, shape in shapes(CONFIG).items()}
    checkpoint.save(folder, checkpoint.describe(CONFIG.to_dict()), tensors)
    return folder


def in_pieces(folder: Path) -> Path:
    """The weights in two files and an index, as Hugging Face's libraries write large ones."""
    arrays = checkpoint.read_tensors(checkpoint.peek(write_model(folder)))
    (folder / "model.safetensors").unlink()
    names = sorted(arrays)
    files = {"a": names[:3], "b": names[3:]}
    for file, part in files.items():
        data = b"".join(bytes(one) for one in pack({name: arrays[name] for name in part}, {}))
        (folder / f"{file}.safetensors").write_bytes(data)
    index = {"weight_map": {name: f"{file}.safetensors" for file, part in files.items() for name in part}}
    (folder / checkpoint.INDEX).write_text(json.dumps(index), "utf-8")
    return folder


def test_weights_in_pieces_are_those_of_the_index(tmp_path: Path) -> None:
    folder = in_pieces(tmp_path / "m")
    (folder / "optimizer.safetensors").write_bytes(b"something else")
    assert family.load(folder).report.faults == []
    (folder / "b.safetensors").unlink()
    with pytest.raises(UserError, match=r"the checkpoint m lacks b\.safetensors") as caught:
        checkpoint.peek(folder)
    assert_one_sentence(caught.value)


@pytest.mark.parametrize(
    "index", ['{"weight_map": {"x": "../other/a.safetensors"}}', '{"weight_map": 3}', "{}"]
)
def test_an_index_names_files_of_its_folder(tmp_path: Path, index: str) -> None:
    folder = in_pieces(tmp_path / "m")
    (folder / checkpoint.INDEX).write_text(index, "utf-8")
    with pytest.raises(UserError, match="names no files of its folder"):
        checkpoint.peek(folder)


def test_two_checkpoints_in_a_folder_are_not_mixed(tmp_path: Path) -> None:
    """Each opens by itself with the configuration beside it; the folder does not say which is meant."""
    folder = write_model(tmp_path / "m")
    data = b"".join(bytes(one) for one in pack(checkpoint.read_tensors(checkpoint.peek(folder)), {}))
    (folder / "model.safetensors").unlink()
    for name in ("step_100", "step_200"):
        (folder / f"{name}.safetensors").write_bytes(data)
    with pytest.raises(UserError, match="holds several weights") as caught:
        checkpoint.peek(folder)
    assert_one_sentence(caught.value)
    assert family.load(folder / "step_100.safetensors").config == CONFIG


def test_a_folder_is_no_trace(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder"):
        load_run(tmp_path)


def assert_one_sentence(error: UserError) -> None:
    assert error.what
    assert error.do
    for text in (error.what, error.do):
        assert "\n" not in text
        assert ";" not in text
        assert not text.endswith(".")
    assert len(str(error)) < 300


# ---------------------------------------------------------------- traces


def good_run() -> Run:
    m = 3
    real = np.ones((1, m), bool)
    rng = np.random.default_rng(1)
    floats = lambda *shape: rng.random(shape).astype(np.float32)  # noqa: E731
    records = []
    for t in (1, 2):
        halting = Halting("act", floats(1, m), real, ~real, floats(1, m), n_updates=np.ones((1, m), np.int32))
        maps = Attention("self", floats(1, 2, m, m), entropy=np.full((1, 2, m), np.nan, np.float32))
        records.append(
            StepRecord(Address(t), real, real, floats(1, m, 4), attention=(maps,), halting=halting)
        )
    ids = (tuple((1, 2) for _ in range(m)),)
    return Run(RunInfo("universal_transformer", "x", {}, 1, ("a", "b", "c"), ids), tuple(records))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "good.trace.safetensors"
    good_run().save(path)
    return path


def rewrite(path: Path, change: Callable[[dict[str, Any], dict[str, str]], None]) -> None:
    arrays, metadata = unpack(path.read_bytes())
    tensors = {name: array.copy() for name, array in arrays.items()}
    change(tensors, metadata)
    path.write_bytes(b"".join(pack(tensors, metadata)))


def json_change(key: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any], dict[str, str]], None]:
    def apply(_: dict[str, Any], metadata: dict[str, str]) -> None:
        value = json.loads(metadata[key])
        replaced = change(value)
        metadata[key] = json.dumps(value if replaced is None else replaced)

    return apply


def set_tensor(name: str, make: Callable[[Any], Any]) -> Callable[[dict[str, Any], dict[str, str]], None]:
    return lambda tensors, _: tensors.update({name: make(tensors.get(name))})


def spoil(value: float) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array.reshape(-1)[0] = value
        return array

    return change


TRACES: dict[str, tuple[Callable[[dict[str, Any], dict[str, str]], None], str]] = {
    "missing": (lambda tensors, _: tensors.pop("p.encoder.2"), "p.encoder.2 is missing"),
    "real missing": (lambda tensors, _: tensors.pop("real.encoder.1"), "real.encoder.1 is missing"),
    "weights missing": (lambda tensors, _: tensors.pop("attention_self.encoder.1"), "must say its size"),
    "alien": (set_tensor("kitten.encoder.1", lambda _: np.zeros(3)), "kitten.encoder.1 belongs to no record"),
    "a third step": (set_tensor("state.encoder.3", lambda _: np.zeros(3)), "belongs to no record"),
    "misshapen p": (set_tensor("p.encoder.1", lambda a: a[:, :2]), "signal must have shape"),
    "misshapen state": (set_tensor("state.encoder.1", lambda a: a[0]), "state must be"),
    "misshapen map": (set_tensor("attention_self.encoder.1", lambda a: a[..., :2]), "does not fit"),
    "flat map": (set_tensor("attention_self.encoder.1", lambda a: a.reshape(-1)), "weights must be"),
    "misshapen entropy": (set_tensor("entropy_self.encoder.1", lambda a: a[:, :1]), "entropy must have"),
    "NaN in p": (set_tensor("p.encoder.1", spoil(np.nan)), "p.encoder.1 holds NaN"),
    "NaN in a map": (set_tensor("attention_self.encoder.2", spoil(np.inf)), "holds NaN or infinity"),
    "numbers for flags": (set_tensor("running.encoder.1", lambda a: a.astype(np.int32)), "true or false"),
    "flags for numbers": (set_tensor("p.encoder.1", lambda a: a > 0), "must hold numbers"),
    "two seconds": (set_tensor("seconds.encoder.1", lambda _: np.zeros(2)), "is damaged"),
    "no run": (lambda _, metadata: metadata.pop("run"), "'run' entry is missing"),
    "run is no JSON": (lambda _, metadata: metadata.update(run="{"), "is not JSON"),
    "run is a list": (json_change("run", lambda _: [1]), "is no object"),
    "fewer labels": (
        json_change("run", lambda run: run["labels"].pop() and None),
        "ids must have 2 positions",
    ),
    "no family": (json_change("run", lambda run: run.pop("family") and None), "is damaged"),
    "records is a number": (json_change("records", lambda _: 3), "is no list"),
    "records of nothing": (json_change("records", lambda _: [None]), "no valid address"),
    "a step twice": (json_change("records", lambda r: [r[0], r[0], r[1]]), "missing"),
    "no side": (json_change("records", lambda r: r[0].update(side="middle")), "no valid address"),
    "step as text": (json_change("records", lambda r: r[0].update(step="1")), "no valid address"),
    "negative": (json_change("records", lambda r: r[0].update(step=-1)), "no valid address"),
    "halting unknown": (json_change("records", lambda r: r[0].update(halting="dice")), "halting kind"),
    "attention unknown": (json_change("records", lambda r: r[0].update(attention=["sideways"])), "damaged"),
    "attention as number": (json_change("records", lambda r: r[0].update(attention=3)), "no valid address"),
    "a later version": (lambda _, metadata: metadata.update(version="99"), "has trace version 99"),
    "some other file": (lambda _, metadata: metadata.clear(), "is some other file"),
    "a checkpoint": (
        lambda _, m: (m.clear(), m.update(config='{"family": "universal_transformer"}'))[0],
        "is a checkpoint, not a recorded run",
    ),
}


@pytest.mark.parametrize("kind", TRACES)
def test_a_trace_that_is_wrong_inside(trace: Path, kind: str) -> None:
    change, words = TRACES[kind]
    rewrite(trace, change)
    with pytest.raises(UserError, match=words) as caught:
        load_run(trace)
    assert_one_sentence(caught.value)


def test_more_positions_than_labels_are_refused(trace: Path) -> None:
    rewrite(
        trace, json_change("run", lambda run: run.update(labels=["a"], ids=[[1]], marks=[], story_order=[]))
    )
    with pytest.raises(UserError, match="has 3 positions, not 1"):
        load_run(trace)


def test_a_recorded_overflow_opens_again(tmp_path: Path) -> None:
    run = good_run()
    state = np.full((1, 3, 4), np.inf, np.float32)
    real = np.ones((1, 3), bool)
    run = run.add(StepRecord(Address(3), real, real, state=state))
    run.save(tmp_path / "x.trace.safetensors")
    back = load_run(tmp_path / "x.trace.safetensors")
    assert back.records[2].state is not None
    assert np.isinf(back.records[2].state).all()


@given(st.data())
@settings(max_examples=150)
def test_no_damage_gets_past_as_anything_but_a_sentence(tmp_path_factory: Any, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("damage") / "x.trace.safetensors"
    good_run().save(path)
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    for _ in range(data.draw(st.integers(1, 3))):
        if content:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(content))
    for reads in (load_run, checkpoint.peek):
        try:
            reads(path)
        except UserError as error:
            assert_one_sentence(error)


# ---------------------------------------------------------------- checkpoints


def weights() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes(CONFIG).items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    checkpoint.save(path, checkpoint.describe(CONFIG.to_dict(), "babi"), weights())
    return path


WEIGHTS: dict[str, tuple[Callable[[dict[str, Any], dict[str, str]], None], str]] = {
    "absent": (lambda tensors, _: tensors.pop("embed.weight"), "missing embed.weight"),
    "surplus": (set_tensor("adapter.weight", lambda _: np.zeros(3)), "unexpected adapter.weight"),
    "misshapen": (
        set_tensor("readout.weight", lambda a: a.T),
        r"readout.weight \[8, 3\] instead of \[3, 8\]",
    ),
    "NaN": (set_tensor("readout.bias", spoil(np.nan)), "not finite .* readout.bias"),
    "infinite": (set_tensor("readout.bias", spoil(np.inf)), "not finite .* readout.bias"),
    "integers": (set_tensor("readout.bias", lambda a: a.astype(np.int64)), "stores weights as"),
    "none": (lambda tensors, _: tensors.clear(), "missing embed.weight, .* and 18 more"),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_that_do_not_fit(folder: Path, kind: str) -> None:
    change, words = WEIGHTS[kind]
    rewrite(folder / "model.safetensors", change)
    with pytest.raises(UserError, match=words) as caught:
        family.load(folder)
    assert_one_sentence(caught.value)


CONFIGS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "no json": (b"{family:", "is not JSON"),
    "list": (b"[1]", "no JSON object"),
    "binary": (b"\xff\xfe\x00\x01", "is not JSON"),
    "web page": (HTML, "is a web page"),
    "git-lfs": (LFS, "git-lfs pointer"),
    "nothing": (b"{}", "no configuration that says what it is"),
    "ouro": (b'{"model_type": "ouro"}', r"looks like an Ouro checkpoint \(model_type ouro\), which"),
    "another family": (b'{"family": "perceiver"}', "family 'perceiver'"),
    "no format": (b'{"family": "universal_transformer"}', "checkpoint format None, not 1"),
    "no model": (b'{"family": "universal_transformer", "format": 1}', "no 'model' object"),
    "unknown option": (
        b'{"family": "universal_transformer", "format": 1, "model": {"vocab": 3, "answers": 2, "rounds": 6}}',
        "unknown model option 'rounds'",
    ),
    "text for a number": (
        b'{"family": "universal_transformer", "format": 1, "model": {"vocab": "3", "answers": 2}}',
        "vocab cannot be '3'",
    ),
    "tokenizer is text": (
        b'{"family": "universal_transformer", "format": 1, "model": {"vocab": 3, "answers": 2}, '
        b'"tokenizer": "bpe"}',
        "'tokenizer' in the configuration",
    ),
}


@pytest.mark.parametrize("kind", CONFIGS)
def test_configurations_that_are_wrong(folder: Path, kind: str) -> None:
    content, words = CONFIGS[kind]
    (folder / "config.json").write_bytes(content)
    with pytest.raises(UserError, match=words) as caught:
        family.load(folder)
    assert_one_sentence(caught.value)


def test_folders_that_lack_a_part(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "void").mkdir()
    with pytest.raises(UserError, match="holds no checkpoint"):
        checkpoint.peek(tmp_path / "void")
    (folder / "config.json").rename(tmp_path / "config.json")
    with pytest.raises(UserError, match=r"has no config\.json"):
        checkpoint.peek(folder)
    (tmp_path / "config.json").rename(folder / "config.json")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UserError, match=r"has no model\.safetensors"):
        checkpoint.peek(folder)
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(UserError, match=r"only there as pytorch_model\.bin, a pickle"):
        checkpoint.peek(folder)


def test_weights_with_nan_are_not_saved(tmp_path: Path) -> None:
    bad = weights() | {"readout.bias": np.array([0, np.nan, 0], np.float32)}
    with pytest.raises(UserError, match=r"readout\.bias holds NaN"):
        checkpoint.save(tmp_path / "m", checkpoint.describe(CONFIG.to_dict()), bad)
    assert not (tmp_path / "m").exists()

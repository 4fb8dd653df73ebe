"""Files that are no checkpoint of ours, in every way one can think of: refused in one line."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.cli import main
from ut_engine import checkpoint
from ut_engine.files import pack

OneLine = Callable[[str], str]
STORY = "Mary went to the office. John went to the garden. Where is Mary?"
VERBS_OF_A_CHECKPOINT = ("inspect", "trace", "eval")


class Evil:
    """A pickle of this would make a file when it is loaded."""

    def __reduce__(self) -> Any:
        return (open, ("code-was-run", "w"))


FILES: dict[str, bytes] = {
    "empty": b"",
    "web page": b"<!DOCTYPE html><html><body>404</body></html>",
    "git-lfs pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "pickle": pickle.dumps(Evil()),
    "zip": b"PK\x03\x04" + bytes(100),
    "text": b"hello\n" * 40,
    "zeros": bytes(4096),
    "header longer than the file": (10**9).to_bytes(8, "little") + b"{}",
    "header that is no JSON": (4).to_bytes(8, "little") + b"{{{{",
    "nothing but a header": (2).to_bytes(8, "little") + b"{}",
    "another tool's weights": b"".join(bytes(b) for b in pack({"layer.0": np.ones(3, np.float32)}, {})),
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("verb", VERBS_OF_A_CHECKPOINT)
def test_a_file_of_another_kind(refused: Callable[..., str], tmp_path: Path, verb: str, kind: str) -> None:
    for name in ("model.safetensors", "model.pt"):
        (tmp_path / name).write_bytes(FILES[kind])
        refused(verb, tmp_path / name, *(["--text", STORY] if verb == "trace" else []))
    assert not (tmp_path / "code-was-run").exists()


@pytest.mark.parametrize("verb", VERBS_OF_A_CHECKPOINT)
@pytest.mark.parametrize(
    "name", ["missing.safetensors", "no/such/folder", "babbi", "", "a" * 5000, "x\0y", "."]
)
def test_a_checkpoint_that_is_not_there(refused: Callable[..., str], verb: str, name: str) -> None:
    refused(verb, name, *(["--text", STORY] if verb == "trace" else []))


def test_a_file_that_is_cut_short(refused: Callable[..., str], babi: Path, tmp_path: Path) -> None:
    whole = (babi / "model.safetensors").read_bytes()
    for size in (1, 7, 8, 9, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "model.safetensors").write_bytes(whole[:size])
        for verb in VERBS_OF_A_CHECKPOINT:
            refused(verb, tmp_path / "model.safetensors", *(["--text", STORY] if verb == "trace" else []))


@pytest.mark.parametrize("verb", VERBS_OF_A_CHECKPOINT)
def test_a_recorded_run_is_no_checkpoint(
    refused: Callable[..., str], babi: Path, tmp_path: Path, verb: str
) -> None:
    file = tmp_path / "run.trace.safetensors"
    assert main(["trace", str(babi), "--text", STORY, "-o", str(file)]) == 0
    line = refused(verb, file, *(["--text", STORY] if verb == "trace" else []))
    assert "run.trace.safetensors is a recorded run, not a checkpoint" in line


def less(tensors: dict[str, Any]) -> None:
    del tensors["readout.weight"]


def more(tensors: dict[str, Any]) -> None:
    tensors["decoder.weight"] = np.ones((2, 2), np.float32)


def misshapen(tensors: dict[str, Any]) -> None:
    tensors["readout.weight"] = np.ones((2, 2), np.float32)


def not_a_number(tensors: dict[str, Any]) -> None:
    tensors["readout.weight"] = tensors["readout.weight"].copy()
    tensors["readout.weight"][0, 0] = np.nan


@pytest.mark.parametrize("spoil", [less, more, misshapen, not_a_number])
@pytest.mark.parametrize("verb", VERBS_OF_A_CHECKPOINT)
def test_tensors_that_do_not_fit(
    refused: Callable[..., str],
    babi: Path,
    tmp_path: Path,
    verb: str,
    spoil: Callable[[dict[str, Any]], None],
) -> None:
    tensors = dict(checkpoint.read_tensors(checkpoint.peek(babi)))
    spoil(tensors)
    shutil.copytree(babi, tmp_path / "spoilt")
    data = b"".join(bytes(buffer) for buffer in pack(tensors, {}))
    (tmp_path / "spoilt" / "model.safetensors").write_bytes(data)
    line = refused(verb, tmp_path / "spoilt", *(["--text", STORY] if verb == "trace" else []))
    assert ("decoder.weight" if spoil is more else "readout.weight") in line


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{", '{"family": "universal_transformer"}', '{"family": "gpt"}', '{"model_type": "ouro"}',
        '{"family": "universal_transformer", "format": 1, "model": {"vocab": -1, "answers": 2}}',
        '{"family": "universal_transformer", "format": 1, "model": {"vocab": 3, "answers": 2, "heads": 7}}',
        '{"family": "universal_transformer", "format": 99, "model": {}}', "[" * 100_000, "\x00\x01",
    ],
)  # fmt: skip
def test_a_configuration_that_is_wrong(
    refused: Callable[..., str], babi: Path, tmp_path: Path, text: str
) -> None:
    shutil.copytree(babi, tmp_path / "spoilt")
    (tmp_path / "spoilt" / "config.json").write_text(text)
    for verb in VERBS_OF_A_CHECKPOINT:
        refused(verb, tmp_path / "spoilt", *(["--text", STORY] if verb == "trace" else []))


@pytest.mark.parametrize(
    "tokenizer",
    [
        {"kind": "unknown"}, {"kind": "sentences"}, {"kind": "sentences", "words": "a", "answers": []},
        {"kind": "symbols", "symbols": ["a", "a"]}, {"kind": "symbols", "symbols": [1]},
    ],
)  # fmt: skip
def test_a_tokenizer_that_is_wrong(
    refused: Callable[..., str], babi: Path, tmp_path: Path, tokenizer: dict[str, Any]
) -> None:
    shutil.copytree(babi, tmp_path / "spoilt")
    config = json.loads((babi / "config.json").read_text())
    (tmp_path / "spoilt" / "config.json").write_text(json.dumps({**config, "tokenizer": tokenizer}))
    refused("inspect", tmp_path / "spoilt")
    refused("trace", tmp_path / "spoilt", "--text", STORY)
    refused("eval", tmp_path / "spoilt")


def inspected(path: Path) -> tuple[int, str, str]:
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        code = main(["inspect", str(path), "--json"])
    return code, out.getvalue(), said.getvalue()


def holds(path: Path, one_line: OneLine) -> None:
    """Whatever the bytes: described, or refused in one line."""
    code, out, said = inspected(path)
    if code == 0:
        assert said == ""
        assert json.loads(out)["family"]
    else:
        assert (code, out) == (2, "")
        one_line(said)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any-bytes")


MANY = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(data=st.binary(max_size=300))
def test_any_bytes(scratch: Path, one_line: OneLine, data: bytes) -> None:
    (scratch / "any.safetensors").write_bytes(data)
    holds(scratch / "any.safetensors", one_line)


@MANY
@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), header=st.booleans())
def test_any_changed_byte(
    scratch: Path, one_line: OneLine, babi: Path, place: float, byte: int, header: bool
) -> None:
    data = bytearray((babi / "model.safetensors").read_bytes())
    size = 8 + int.from_bytes(data[:8], "little") if header else len(data)
    data[int(place * size)] = byte
    (scratch / "changed.safetensors").write_bytes(data)
    holds(scratch / "changed.safetensors", one_line)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@MANY
@given(path=st.integers(0, 60), value=JSON)
def test_any_value_in_the_configuration(
    scratch: Path, one_line: OneLine, babi: Path, path: int, value: Any
) -> None:
    config = json.loads((babi / "config.json").read_text())
    places: list[tuple[dict[str, Any], str]] = [(config, key) for key in config]
    places += [(config[part], key) for part in ("model", "tokenizer") for key in config[part]]
    table, key = places[path % len(places)]
    table[key] = value
    folder = scratch / "config"
    shutil.copytree(babi, folder, dirs_exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    holds(folder, one_line)

"""Checkpoints: a folder with config.json and model.safetensors, or one .safetensors with both.

`peek` reads headers only: no weights, no code.  Sources: `spec/contract.md` (Files); other families'
files are read as far as their names, shapes and configuration, so that `family.identify` can say what
they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ut_engine.errors import UserError
from ut_engine.files import (
    TensorInfo,
    header_length,
    judge,
    looks_like,
    ordinary,
    pack,
    parse_header,
    read_safetensors,
    write_atomically,
)

Array = NDArray[Any]

FAMILY = "universal_transformer"
FORMAT = 1
CONFIG = "config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"  # of weights in several files, as Hugging Face's libraries write them
SAMPLES = "samples.json"
MOST_CONFIG = 64_000_000
TRACE = "depthscope-trace"  # what a recorded run says it is (`ut_engine.run`)
PICKLES = (".pt", ".pth", ".bin", ".ckpt", ".pkl")


@dataclass(frozen=True, slots=True)
class Header:
    """What the files say before any weight is read.

    path: what was asked for.  weights: the files with the tensors.  config: the JSON object that came
    with them ({} when there is none).  tensors: by name.  size: bytes of all files together.
    prefix: what a wrapper put before every name in the files, taken off in `tensors`.
    """

    path: Path
    weights: tuple[Path, ...]
    config: Mapping[str, Any]
    tensors: Mapping[str, TensorInfo]
    size: int
    prefix: str = ""

    @property
    def name(self) -> str:
        return self.path.name.removesuffix(".safetensors")

    @property
    def parameters(self) -> int:
        return sum(info.count for info in self.tensors.values())


@dataclass(frozen=True, slots=True)
class LoadReport:
    """How the tensors of a file fit the model; everything but `matched` is a fault.

    wrapped: what is to say of a prefix that the names seem to carry from a wrapper, for a refusal.
    """

    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    misshapen: tuple[str, ...] = ()
    not_finite: tuple[str, ...] = ()
    wrapped: str = ""

    @property
    def faults(self) -> list[str]:
        """One short text per kind of fault, naming the tensors."""
        return [
            f"{kind} {name_some(names)}"
            for kind, names in (
                ("missing", self.missing),
                ("unexpected", self.unexpected),
                ("misshapen", self.misshapen),
                ("not finite (NaN or infinity):", self.not_finite),
            )
            if names
        ]

    def refuse(self, what: str) -> None:
        """Raise UserError when there is a fault."""
        if self.faults:
            said = (self.wrapped, *self.faults) if self.wrapped else self.faults
            listed = ", ".join(said).replace(";", ",")
            raise UserError(
                f"the weights of {what} do not fit its configuration: {listed}",
                "fetch or export the checkpoint again",
            )


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model ready to step.  model: of `ut_engine.torch`.  config: the model's options (UTConfig).
    tokenizer_config: JSON object, {} when there is none.  training: summary of how it was trained."""

    model: Any
    config: Any
    tokenizer_config: Mapping[str, Any]
    task: str
    report: LoadReport
    header: Header
    device: str = "cpu"
    training: Mapping[str, Any] = field(default_factory=dict)


# ---------------------------------------------------------------- reading headers


def peek(path: Path | str) -> Header:
    """Read what a checkpoint is, without weights and without running code; raises UserError."""
    path = Path(path)
    try:
        return _peek(path)
    except OSError as error:  # a folder that may not be entered, a file that goes meanwhile
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}", "check its permissions"
        ) from error


def _peek(path: Path) -> Header:
    if not path.is_dir():
        judge(path)
        tensors, metadata, size = read_header(path)
        if metadata.get("format") == TRACE:
            raise UserError(f"{path.name} is a recorded run, not a checkpoint", "open it as a recorded run")
        return Header(path, (path,), config_for(path, metadata), tensors, size)
    config_file = path / CONFIG
    files = weight_files(path)
    if not files and not config_file.exists():
        raise UserError(
            f"the folder {path.name} holds no checkpoint", f"choose one with {CONFIG} and {WEIGHTS}"
        )
    if not config_file.exists():
        raise UserError(f"the checkpoint {path.name} has no {CONFIG}", f"put its {CONFIG} beside the weights")
    config, config_size = read_config(config_file)
    if not files:
        raise no_weights(path)
    found: dict[str, TensorInfo] = {}
    total = config_size
    for file in files:
        judge(file)
        tensors, _, size = read_header(file)
        twice = sorted(found.keys() & tensors.keys())
        if twice:  # two checkpoints beside each other, not two parts of one
            raise UserError(
                f"the folder {path.name} holds several weights: {twice[0]} stands in {file.name} as well",
                "choose one of its .safetensors files",
            )
        found.update(tensors)
        total += size
    return Header(path, tuple(files), config, found, total)


def weight_files(folder: Path) -> list[Path]:
    """model.safetensors, else those its index names, else all .safetensors: one checkpoint in pieces."""
    if (folder / WEIGHTS).exists():
        return [folder / WEIGHTS]
    if (folder / INDEX).exists():
        return pieces(folder)
    return sorted(p for p in folder.glob("*.safetensors") if not p.name.endswith(".trace.safetensors"))


def pieces(folder: Path) -> list[Path]:
    """The files that the index names; raises UserError where one is not there, or not of this folder."""
    named = read_config(folder / INDEX)[0].get("weight_map")
    names = sorted({str(name) for name in named.values()}) if isinstance(named, dict) else []
    if not names or any(Path(name).name != name for name in names):
        raise UserError(f"{INDEX} of {folder.name} names no files of its folder", "fetch or save it again")
    absent = [name for name in names if not (folder / name).exists()]
    if absent:
        raise UserError(
            f"the checkpoint {folder.name} lacks {name_some(tuple(absent))}", "put all of its files there"
        )
    return [folder / name for name in names]


def no_weights(folder: Path) -> UserError:
    pickles = sorted(p.name for p in folder.iterdir() if p.suffix in PICKLES)
    if pickles:
        return UserError(
            f"the weights of {folder.name} are only there as {pickles[0]}, a pickle that may carry code",
            "save them as model.safetensors",
        )
    return UserError(f"the checkpoint {folder.name} has no {WEIGHTS}", "put its weights beside config.json")


def read_header(path: Path) -> tuple[dict[str, TensorInfo], dict[str, str], int]:
    """(tensors, metadata, file size) of a safetensors file; reads its header only."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        first = file.read(8)
        length = header_length(first, size, path.name)
        text = file.read(length)
    tensors, metadata = parse_header(text, size - 8 - length, path.name)
    return tensors, metadata, size


def read_config(path: Path) -> tuple[dict[str, Any], int]:
    """(JSON object, file size); raises UserError."""
    try:
        ordinary(path)
        size = path.stat().st_size
        if size > MOST_CONFIG:
            raise UserError(f"{path.name} is too large for a configuration", "choose another checkpoint")
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}", "check its permissions"
        ) from error
    looks = looks_like(data[:512])
    if looks is not None and "JSON" not in looks[0]:
        raise UserError(f"{path.name} {looks[0]}", looks[1])
    try:
        config = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path.name} is not JSON: {json_fault(error)}", "fetch or save it again") from error
    if not isinstance(config, dict):
        raise UserError(f"{path.name} holds no JSON object", "fetch or save it again")
    return config, size


def json_fault(error: Exception) -> str:
    """Where a text stops being JSON, or what else is wrong with it."""
    if isinstance(error, json.JSONDecodeError):
        return f"not understood from line {error.lineno}, column {error.colno} on"
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8"
    return "it is nested too deeply" if isinstance(error, RecursionError) else "a number in it is too long"


def config_for(path: Path, metadata: Mapping[str, str]) -> dict[str, Any]:
    """The configuration inside a file, else the one beside it (as of several checkpoints of one training)."""
    config = config_in(metadata)
    beside = path.parent / CONFIG
    if {"family", "model_type"} & config.keys() or not beside.is_file():
        return config
    return read_config(beside)[0]


def config_in(metadata: Mapping[str, str]) -> dict[str, Any]:
    """The configuration inside a file's metadata: under `config`, any other key, or spread over keys."""
    parsed: dict[str, Any] = {}
    for key, text in metadata.items():
        try:
            parsed[key] = json.loads(text)
        except (ValueError, RecursionError):
            parsed[key] = text
    whole = [value for value in parsed.values() if isinstance(value, dict) and "family" in value]
    first = parsed.get(CONFIG.removesuffix(".json"))
    if isinstance(first, dict):
        return first
    return whole[0] if whole else parsed


# ---------------------------------------------------------------- writing


def describe(
    model: Mapping[str, Any],
    task: str = "",
    tokenizer: Mapping[str, Any] | None = None,
    training: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The configuration document of this format: model is `UTConfig.to_dict()`."""
    return {
        "family": FAMILY,
        "format": FORMAT,
        "model": dict(model),
        "task": task,
        "tokenizer": dict(tokenizer or {}),
        "training": dict(training or {}),
    }


def save(path: Path | str, config: Mapping[str, Any], tensors: Mapping[str, Array]) -> None:
    """Write a checkpoint: a single file when the path ends in .safetensors, else a folder.

    config: from `describe`.  tensors: numpy arrays by the model's state-dict names.  Atomic file by
    file, weights first; the weights carry the same configuration, so that they open alone as well.
    """
    path = Path(path)
    arrays = {name: np.asarray(array) for name, array in tensors.items()}
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise UserError(f"the tensor {name} holds NaN or infinity", "train with a smaller learning rate")
    packed = pack(arrays, {"config": json.dumps(config, ensure_ascii=False)})
    if path.suffix == ".safetensors":
        write_atomically(path, packed)
        return
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"the folder {path.name} cannot be made: {error.strerror}", "choose another"
        ) from error
    write_atomically(path / WEIGHTS, packed)
    text = json.dumps(config, ensure_ascii=False, indent=1) + "\n"
    write_atomically(path / CONFIG, [text.encode("utf-8")])


def read_tensors(header: Header) -> dict[str, Array]:
    """All tensors of a header's files as read-only numpy arrays, without its prefix; raises UserError."""
    found: dict[str, Array] = {}
    for file in header.weights:
        found.update(read_safetensors(file)[0])
    return {name.removeprefix(header.prefix): array for name, array in found.items()}


# ---------------------------------------------------------------- shipped checkpoints


def shipped(root: Path) -> list[Header]:
    """Headers of the checkpoints in a folder, by name; damaged ones are left out."""
    return sorted(readable(root), key=lambda header: header.name) if root.is_dir() else []


def readable(root: Path) -> Iterator[Header]:
    for entry in root.iterdir():
        if (entry / CONFIG).exists() or entry.suffix == ".safetensors":
            try:
                yield peek(entry)
            except UserError:
                continue


def resolve(name: str | Path, root: Path | None = None) -> Path:
    """A path as it stands, or the shipped checkpoint of that name below `root`; raises UserError."""
    path = Path(name)
    if path.exists():
        return path
    names: list[str] = []
    if root is not None and root.is_dir():
        for header in shipped(root):
            if header.name == str(name):
                return header.path
            names.append(header.name)
    if os.sep in str(name) or "." in str(name) or not names:
        raise UserError(f"{name} does not exist", "check the path")
    raise UserError(f"there is no checkpoint {name!r}", f"give a path or one of {', '.join(names)}")


def file_stamp(header: Header) -> tuple[tuple[str, int, int], ...]:
    """(file, size, time in ns) of every file: changes when a checkpoint changed on disk."""
    files = [*header.weights, *([header.path / CONFIG] if header.path.is_dir() else [])]
    return tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)


def name_some(names: tuple[str, ...], most: int = 3) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")

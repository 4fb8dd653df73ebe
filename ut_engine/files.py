"""Files at the lowest level: atomic writes, and the safetensors layout read and written by hand.

The layout is `u64 length, JSON header, data` (safetensors 0.8).  It is packed here because
`safetensors.numpy.save` takes memory as if every array were contiguous, copies it twice, and words its
refusals differently from version to version; `unpack` judges by file facts and copies nothing.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ut_engine.errors import UserError

Array = NDArray[Any]
Buffer = bytes | memoryview

DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip
NAMES = {np.dtype(code): name for name, code in DTYPES.items()}
BYTES = {"BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1} | {
    name: np.dtype(code).itemsize for name, code in DTYPES.items()
}
MOST_HEADER = 100_000_000
ABANDONED_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """What a header says of one tensor; start and end are byte offsets into the data."""

    shape: tuple[int, ...]
    dtype: str
    start: int = 0
    end: int = 0

    @property
    def count(self) -> int:
        return math.prod(self.shape)


# ---------------------------------------------------------------- atomic writes


def write_atomically(path: Path, buffers: Iterable[Buffer]) -> None:
    """Write beside the target, flush to disk, rename over it: the old file stays whole until the end.

    Raises UserError when the folder is missing or read-only or the disk full; the old file is untouched
    then and the unfinished one removed.
    """
    path = Path(os.path.realpath(path))
    temporary: str | None = None
    try:
        remove_abandoned(path)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        with open(handle, "wb") as file:
            for buffer in buffers:
                file.write(buffer)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode_for(path))
        os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def mode_for(path: Path) -> int:
    """Permissions of the file that is replaced, or those the umask gives a new one."""
    with contextlib.suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system can (not on Windows)."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove_abandoned(path: Path) -> None:
    """Remove unfinished files that a killed writer of this target left over an hour ago."""
    for left in path.parent.glob(f".{glob_safe(path.name)}.*.part"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED_SECONDS:
                left.unlink()


def glob_safe(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def cannot_write(path: Path, error: OSError) -> UserError:
    """The one sentence for a failed write."""
    why = {
        errno.ENOSPC: ("the disk is full", "free some space or choose another folder"),
        errno.EDQUOT: ("the disk quota is used up", "free some space or choose another folder"),
        errno.EFBIG: ("the file would be larger than allowed here", "choose another folder"),
        errno.EROFS: ("the disk is read-only", "choose another folder"),
        errno.EACCES: ("writing there is not permitted", "choose another folder"),
        errno.EPERM: ("writing there is not permitted", "choose another folder"),
        errno.ENOENT: ("its folder does not exist", "create the folder or choose another one"),
        errno.ENOTDIR: ("its folder is a file", "choose another folder"),
        errno.EISDIR: ("a folder has that name", "choose another name"),
        errno.ENAMETOOLONG: ("the name is too long", "choose a shorter name"),
    }
    what, do = why.get(error.errno or 0, (error.strerror or str(error), "choose another folder"))
    return UserError(f"{path.name} cannot be written: {what}", do)


# ---------------------------------------------------------------- safetensors layout


def pack(tensors: Mapping[str, Array], metadata: Mapping[str, str]) -> list[Buffer]:
    """Arrays and text metadata as the buffers of one safetensors file (no copy of contiguous arrays)."""
    arrays = {name: storable(name, array) for name, array in tensors.items()}
    # Wide types first, so that every array starts aligned, as the safetensors library orders them.
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    offset = 0
    for name in order:
        array = arrays[name]
        end = offset + array.nbytes
        header[name] = {
            "dtype": NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    # reshape(-1): a memoryview with a zero in its shape cannot be cast to bytes.
    data = [arrays[name].reshape(-1).view(np.uint8).data for name in order if arrays[name].nbytes]
    return [len(text).to_bytes(8, "little"), text, *data]


def storable(name: str, array: Array) -> Array:
    """Contiguous, little-endian; a TypeError names an array of a type the format does not have."""
    array = np.asarray(array)
    little = array.dtype.newbyteorder("<") if array.dtype.byteorder == ">" else array.dtype
    if little not in NAMES:
        raise TypeError(f"{name} of type {array.dtype} cannot be stored")
    return np.require(array, dtype=little, requirements="C")


def unpack(data: Buffer, what: str = "the file") -> tuple[dict[str, Array], dict[str, str]]:
    """(read-only arrays that share `data`, metadata); raises UserError with the first fault found."""
    view = memoryview(data)
    length = header_length(bytes(view[:8]), len(view), what)
    infos, metadata = parse_header(bytes(view[8 : 8 + length]), len(view) - 8 - length, what)
    body = view[8 + length :]
    return {name: array_from(body, name, info, what) for name, info in infos.items()}, metadata


def array_from(body: memoryview, name: str, info: TensorInfo, what: str) -> Array:
    """A tensor as a read-only array; bfloat16, which numpy lacks, as the float32 it is the upper half of."""
    if info.dtype == "BF16":
        halves = np.frombuffer(body[info.start : info.end], "<u2").astype("<u4")
        widened = (halves << 16).view("<f4").reshape(info.shape)
        widened.flags.writeable = False
        return widened
    if info.dtype not in DTYPES:
        raise UserError(f"{what} stores {name} as {info.dtype}, which is not read here", "store it as F32")
    raw = body[info.start : info.end]
    if info.dtype == "BOOL" and np.any(np.frombuffer(raw, np.uint8) > 1):
        raise damaged(what, f"{name} holds bytes that are neither true nor false")
    array = np.frombuffer(raw, np.dtype(DTYPES[info.dtype])).reshape(info.shape)
    array.flags.writeable = False
    return array


def header_length(first: bytes, size: int, what: str) -> int:
    """The header's length, checked against the file's size before anything is read."""
    if len(first) < 8:
        raise UserError(f"{what} is cut short: it has {size} bytes", "fetch or save it again")
    length = int.from_bytes(first, "little")
    if length > MOST_HEADER:
        raise UserError(
            f"{what} is not a safetensors file", "choose a .safetensors file or a checkpoint folder"
        )
    if length > size - 8:
        raise UserError(
            f"{what} is cut short: its header of {length} bytes is incomplete", "fetch or save it again"
        )
    return length


def parse_header(text: bytes, body: int, what: str) -> tuple[dict[str, TensorInfo], dict[str, str]]:
    """Tensor facts and metadata; the tensors must cover the `body` bytes without gap or overlap."""
    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=no_repeats)
        if not isinstance(header, dict):
            raise ValueError("no object")
        metadata = header.pop("__metadata__", None) or {}
        infos = {name: tensor_info(entry) for name, entry in header.items()}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise damaged(what, "its header cannot be read") from error
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise damaged(what, "its metadata are not text")
    at = 0
    for name, info in sorted(infos.items(), key=lambda pair: (pair[1].start, pair[1].end)):
        if info.start != at or info.end - info.start != info.count * BYTES[info.dtype]:
            raise damaged(what, f"the place of {name} does not fit its shape")
        at = info.end
    if at > body:
        raise UserError(
            f"{what} is cut short: {at - body} of its bytes are missing", "fetch or save it again"
        )
    if at < body:
        raise damaged(what, f"{body - at} bytes follow its last tensor")
    return infos, metadata


def tensor_info(entry: Any) -> TensorInfo:
    shape = tuple(entry["shape"])
    start, end = entry["data_offsets"]
    numbers = (*shape, start, end)
    if entry["dtype"] not in BYTES or not all(type(n) is int and n >= 0 for n in numbers):
        raise ValueError("not a tensor entry")
    return TensorInfo(shape, entry["dtype"], start, end)


def no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def damaged(what: str, fault: str) -> UserError:
    return UserError(f"{what} is damaged: {fault}", "fetch or save it again")


# ---------------------------------------------------------------- what a file is


def judge(path: Path) -> None:
    """Refuse by facts (existence, size, first bytes) what cannot be a safetensors file; raises UserError."""
    what = path.name
    try:
        ordinary(path)
        with open(path, "rb") as file:
            first = file.read(512)
    except FileNotFoundError as error:
        raise UserError(f"{path} does not exist", "check the path") from error
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}", "check its permissions"
        ) from error
    looks = looks_like(first)
    if looks is not None:
        raise UserError(f"{what} {looks[0]}", looks[1])


def ordinary(path: Path) -> None:
    """Refuse folders, pipes and devices: opening a pipe waits for a writer, for ever if none comes."""
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise UserError(f"{path.name} is a folder", "choose a file")
    if not stat.S_ISREG(mode):
        raise UserError(f"{path.name} is no ordinary file", "choose another file")


def looks_like(first: bytes) -> tuple[str, str] | None:
    """(what it is, what to do) of first bytes that no safetensors file can have, else None."""
    text = first.lstrip().lower()
    if not first:
        return "is empty", "fetch or save it again"
    if first.startswith(b"version https://git-lfs"):
        return "is only a git-lfs pointer to the weights", "run 'git lfs pull' in its folder"
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        return "is a web page, not a checkpoint", "download the file itself, not its page"
    if first.startswith(b"PK\x03\x04"):
        return ("is a zip archive, such as torch.save writes, and may carry code",
                "save the weights as .safetensors")  # fmt: skip
    if first[:1] == b"\x80" and first[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05") and first[8:9] != b"{":
        return "is a Python pickle, which may carry code", "save the weights as .safetensors"
    if text.startswith(b"{") and first[8:9] != b"{":
        return "is a JSON file without weights", "choose the .safetensors file or its folder"
    return None


def read_safetensors(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """Judge, read and unpack a file; the arrays share one read-only buffer."""
    judge(path)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}", "check its permissions"
        ) from error
    return unpack(data, path.name)

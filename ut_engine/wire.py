"""Frames between window and engine: lengths, a JSON header, and tensors as one safetensors blob.

No pickle: what comes over the border is data.  A frame is `u32 header length, u64 blob length, header,
blob`, big-endian; a blob is what `ut_engine.codec` writes into files.
"""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from ut_engine.files import Buffer

PREFIX = struct.Struct(">IQ")
MOST_HEADER = 256 << 20
MOST_BLOB = 16 << 30


class BrokenFrame(EOFError):
    """The other side ended within a frame, or what came is no frame."""


class Sender:
    """Writes whole frames, one at a time, from any thread."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.lock = threading.Lock()

    def send(self, header: Mapping[str, Any], blob: Sequence[Buffer] = ()) -> None:
        """Raises OSError (BrokenPipeError) or ValueError when the other side or the stream is gone."""
        text = json.dumps(header).encode("ascii")  # escapes also carry undecodable file names
        size = sum(memoryview(part).nbytes for part in blob)
        with self.lock:
            self.stream.write(PREFIX.pack(len(text), size) + text)
            for part in blob:
                self.stream.write(part)
            self.stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytearray] | None:
    """The next frame as (header, blob); None when the other side closed between frames."""
    prefix = stream.read(PREFIX.size)
    if not prefix:
        return None
    if len(prefix) < PREFIX.size:
        raise BrokenFrame("the connection ended within a frame")
    length, size = PREFIX.unpack(prefix)
    if length > MOST_HEADER or size > MOST_BLOB:
        raise BrokenFrame("what came is no frame")
    try:
        header = json.loads(bytes(read_exactly(stream, length)))
    except ValueError as error:
        raise BrokenFrame("what came is no frame") from error
    if not isinstance(header, dict):
        raise BrokenFrame("what came is no frame")
    return header, read_exactly(stream, size)


def read_exactly(stream: BinaryIO, size: int) -> bytearray:
    buffer = bytearray(size)
    view = memoryview(buffer)
    at = 0
    while at < size:
        count = stream.readinto(view[at:])  # type: ignore[attr-defined]
        if not count:
            raise BrokenFrame("the connection ended within a frame")
        at += count
    return buffer

"""What the engine says, as values: one message for every frame, and one for its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from ut_engine.codec import decode_record
from ut_engine.files import unpack
from ut_engine.records import StepRecord
from ut_engine.run import RunInfo

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One thing the engine said.

    op: "ready", "opened" (data: card, samples), "started" (info), "record" (record), "tile" (values and what
    was asked), "progress" (data: done, total), "measured" (data: value), "cancelled", "done" (data: finished,
    dropped), "error" (data: for, what, do) or "lost" (data: what, do),
    after which nothing comes until `restart`.
    """

    op: str
    generation: int = 0
    request: int = 0
    data: Mapping[str, Any] = field(default_factory=dict)
    record: StepRecord | None = None
    values: Array | None = None
    info: RunInfo | None = None


def message_from(header: Mapping[str, Any], blob: bytearray) -> Message:
    """A frame as a message; raises UserError or ValueError for what is none."""
    op = str(header["op"])
    record, values, info = None, None, None
    if op == "record":
        record = decode_record(memoryview(blob))
    elif op == "tile":
        values = unpack(memoryview(blob))[0]["values"]
    elif op == "started":
        info = RunInfo.from_dict(header["info"])
    number = header.get("generation") or 0, header.get("request") or 0
    return Message(op, int(number[0]), int(number[1]), header, record, values, info)


def lacks_maps(record: StepRecord) -> bool:
    return any(entry.weights is None for entry in record.attention or ())


def ended(code: int) -> tuple[str, str]:
    """(what happened, what to do) of an engine that ended by itself."""
    do = "start it again, the records received are kept"
    if code == -9:
        return "the engine was killed, perhaps because the memory was used up", do
    if code < 0:
        return f"the engine crashed (signal {-code})", do
    return f"the engine ended (exit code {code})", do

"""One codec for file and wire: a record is a set of named tensors and a few facts.

Tensors are named `kind.side.step[.layer][.call]`; where a family has outer rounds or phases, `.oN` and
`.phase` follow.  The kinds are the record's own field names; the halting signal is `p`, the attention
kinds carry `_self` or `_cross` (`attention_self`, `entropy_self`, ...; a second entry `_self2`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ut_engine.errors import UserError
from ut_engine.files import Buffer, damaged, pack, unpack
from ut_engine.records import Address, Attention, Halting, StepRecord

Array = NDArray[Any]

STEP_KINDS = ("state", "output", "readout", "readout_state", "update_norm", "state_norm")
# kind on file -> field of Halting
HALTING_KINDS = {
    "p": "signal", "running": "running", "halted": "halted", "cumulative": "cumulative", "weight": "weight",
    "remainder": "remainder", "n_updates": "n_updates",
}  # fmt: skip
# kind on file, before _self or _cross -> field of Attention
ATTENTION_KINDS = {
    "attention": "weights", "attendable": "attendable", "entropy": "entropy", "largest": "largest",
    "query_index": "query_index", "key_index": "key_index", "queries": "queries", "keys": "keys",
    "row_mass": "row_mass",
}  # fmt: skip
BOOLEAN = ("real", "computed", "running", "halted")
MAY_BE_NAN = ("entropy", "largest")


def encode_record(record: StepRecord) -> bytes:
    """A record as one safetensors blob."""
    return b"".join(encode_parts(record))


def encode_parts(record: StepRecord) -> list[Buffer]:
    """The same as buffers that share the record's memory."""
    return pack(record_tensors(record), {"record": json.dumps(record_facts(record))})


def decode_record(blob: Buffer, what: str = "the record") -> StepRecord:
    """The record of a blob, its arrays sharing the blob's memory; raises UserError."""
    tensors, metadata = unpack(blob, what)
    record = record_from(read_json(metadata, "record", what), tensors, what)
    if tensors:
        raise damaged(what, f"{min(tensors)} belongs to no record")
    return record


def address_suffix(address: Address) -> str:
    """`side.step[.layer][.call][.oN][.phase]` without what is at its usual value."""
    parts = [address.side, str(address.step)]
    if address.layer or address.call:
        parts.append(str(address.layer))
    if address.call:
        parts.append(str(address.call))
    if address.outer:
        parts.append(f"o{address.outer}")
    if address.phase != "loop":
        parts.append(address.phase)
    return ".".join(parts)


def attention_names(kinds: Sequence[str]) -> list[str]:
    """`self`, `cross`, and `self2` for a second entry of one kind."""
    names = []
    for index, kind in enumerate(kinds):
        before = list(kinds[:index]).count(kind)
        names.append(kind if not before else f"{kind}{before + 1}")
    return names


def record_facts(record: StepRecord) -> dict[str, Any]:
    """What is no tensor: the address, which attention entries there are, the kind of halting."""
    address, attention, halting = record.address, record.attention, record.halting
    return {
        "step": address.step, "side": address.side, "outer": address.outer, "phase": address.phase,
        "layer": address.layer, "call": address.call,
        "attention": None if attention is None else [entry.kind for entry in attention],
        "halting": None if halting is None else halting.kind,
        "computed_after_halt": halting is None or halting.computed_after_halt,
    }  # fmt: skip


def record_tensors(record: StepRecord) -> dict[str, Array]:
    """Every array of a record under its name in the file."""
    suffix = address_suffix(record.address)
    return {f"{kind}.{suffix}": array for kind, array in kinds_of(record) if array is not None}


def kinds_of(record: StepRecord) -> Iterator[tuple[str, Array | None]]:
    yield "real", record.real
    yield "computed", record.computed
    yield "seconds", np.array(record.seconds, np.float64)
    for kind in STEP_KINDS:
        yield kind, getattr(record, kind)
    if record.halting is not None:
        for kind, name in HALTING_KINDS.items():
            yield kind, getattr(record.halting, name)
    entries = record.attention or ()
    for entry, name in zip(entries, attention_names([e.kind for e in entries]), strict=True):
        for kind, item in ATTENTION_KINDS.items():
            yield f"{kind}_{name}", getattr(entry, item)
        if entry.weights is None:
            yield f"size_{name}", np.array(entry.size, np.int64)


def record_from(facts: Any, tensors: MutableMapping[str, Array], what: str) -> StepRecord:
    """Rebuild a record, taking its tensors out of `tensors`; raises UserError naming the fault."""
    try:
        address = Address(
            **{name: facts[name] for name in ("step", "side", "outer", "phase", "layer", "call")}
        )
        kinds, halting_kind, after = facts["attention"], facts["halting"], facts["computed_after_halt"]
        names = attention_names(kinds or ())
        if not all(
            type(n) is int and n >= 0 for n in (address.step, address.outer, address.layer, address.call)
        ):
            raise ValueError("a step is no number")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged(what, "a record has no valid address") from error
    suffix = address_suffix(address)

    def take(kind: str) -> Array | None:
        return tensors.pop(f"{kind}.{suffix}", None)

    def must(kind: str) -> Array:
        array = take(kind)
        if array is None:
            raise damaged(what, f"{kind}.{suffix} is missing")
        return array

    try:
        halting = None
        if halting_kind is not None:
            found = {name: (must if kind in ("p", "running", "halted") else take)(kind)
                     for kind, name in HALTING_KINDS.items()}  # fmt: skip
            halting = Halting(kind=halting_kind, computed_after_halt=bool(after), **found)  # type: ignore[arg-type]
        entries = None
        if kinds is not None:
            entries = tuple(attention_from(kind, name, take) for kind, name in zip(kinds, names, strict=True))
        record = StepRecord(
            address, must("real"), must("computed"), attention=entries, halting=halting,
            seconds=float(must("seconds").item()), **{kind: take(kind) for kind in STEP_KINDS},
        )  # fmt: skip
        check_record(record)
    except (ValueError, TypeError) as error:
        if isinstance(error, UserError):
            raise
        raise damaged(what, f"step {address.step}: {error}") from error
    return record


def attention_from(kind: str, name: str, take: Callable[[str], Array | None]) -> Attention:
    found = {item: take(f"{stem}_{name}") for stem, item in ATTENTION_KINDS.items()}
    array = take(f"size_{name}")
    size = None
    if array is not None:
        batch, heads, queries, keys = (int(n) for n in array)
        size = (batch, heads, queries, keys)
    return Attention(kind=kind, size=size, **found)


def check_record(record: StepRecord) -> None:
    """What the record's own constructor leaves open: types of arrays, attention sizes; raises ValueError."""
    for kind, array in kinds_of(record):
        if kind in BOOLEAN and array is not None and array.dtype != np.bool_:
            raise ValueError(f"{kind} must be true or false, not {array.dtype}")
        if array is not None and array.dtype == np.bool_ and kind not in BOOLEAN:
            raise ValueError(f"{kind} must hold numbers")
    batch, positions = record.real.shape
    for entry in record.attention or ():
        assert entry.size is not None  # its constructor sees to that
        if len(entry.size) != 4 or min(entry.size) < 0:
            raise ValueError(f"the size of the attention cannot be {entry.size}")
        rows = positions if entry.query_index is None else entry.query_index.size
        columns = positions if entry.key_index is None and entry.kind == "self" else entry.size[3]
        if entry.size[0] != batch or entry.size[2] != rows or entry.size[3] != columns:
            raise ValueError(f"attention of size {entry.size} does not fit {batch} x {positions} positions")


def not_finite(record: StepRecord) -> list[str]:
    """Names of float tensors with NaN or infinity where a number is expected."""
    return [
        name
        for name, array in record_tensors(record).items()
        if array.dtype.kind == "f" and not name.startswith(MAY_BE_NAN) and not np.isfinite(array).all()
    ]


def read_json(metadata: Mapping[str, str], key: str, what: str) -> Any:
    """The JSON document under a metadata key; raises UserError."""
    try:
        return json.loads(metadata[key])
    except KeyError as error:
        raise damaged(what, f"its {key!r} entry is missing") from error
    except (ValueError, RecursionError) as error:
        raise damaged(what, f"its {key!r} entry is not JSON") from error

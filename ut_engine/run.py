"""A run: what was asked, and the records that came; saved as a trace that opens without the model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ut_engine.codec import (
    decode_record,
    encode_parts,
    encode_record,
    not_finite,
    read_json,
    record_facts,
    record_from,
    record_tensors,
)
from ut_engine.edits import edits_from
from ut_engine.errors import UserError
from ut_engine.files import damaged, pack, read_safetensors, write_atomically
from ut_engine.records import Address, StepRecord

__all__ = ["Run", "RunInfo", "decode_record", "encode_parts", "encode_record", "load_run"]

Array = NDArray[Any]
FORMAT = "depthscope-trace"
VERSION = 1
SUFFIX = ".trace.safetensors"
READOUTS = ("first", "every")
FINISHED = ("running", "done", "cancelled", "failed", "lost")


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What was asked of which model.

    labels: one per position (whole sentences or single symbols), of the first example.
    ids: [batch][position] or [batch][position][word], 0 = padding.
    marks: 0-based positions to watch (supporting facts).  story_order: positions in the order to show.
    answers: labels of the read-out classes.  expected: the right answer where it is known.
    readout: "first" (position 0 answers) or "every" position.
    cropped: sentences left out because the model takes no more.  dropped: what was not kept, and why.
    finished: "running", "done", "cancelled", "failed" or "lost" (the engine died).
    target: [position] ids given to a decoder, () when it wrote them itself.
    epsilon: of this run (the model's own is in `config`), None without ACT.
    edits: changes of p the run was made with, (kind, step, position, value) each, as `ut_engine.edits.Edit`.
    """

    family: str
    checkpoint: str
    config: Mapping[str, Any]
    parameters: int
    labels: tuple[str, ...]
    ids: tuple[Any, ...]
    task: str = ""
    text: str = ""
    marks: tuple[int, ...] = ()
    story_order: tuple[int, ...] = ()
    answers: tuple[str, ...] = ()
    expected: str | None = None
    readout: str = "first"
    device: str = "cpu"
    dtype: str = "float32"
    versions: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    max_steps: int = 0
    epsilon: float | None = None
    cropped: int = 0
    dropped: tuple[str, ...] = ()
    finished: str = "done"
    target: tuple[int, ...] = ()
    edits: tuple[tuple[str, int, int, float], ...] = ()

    def __post_init__(self) -> None:
        check_info(self)

    def _repr_html_(self) -> str:
        """For notebooks."""
        from ut_engine.html import info_html

        return info_html(self)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @classmethod
    def from_dict(cls, values: Any, what: str = "the run") -> RunInfo:
        """From a JSON object; raises UserError naming what is missing or wrong."""
        if not isinstance(values, dict):
            raise damaged(what, "its description is no object")
        names = {item.name for item in fields(cls)}
        needed = (f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)
        absent = [name for name in needed if name not in values]
        if absent:
            raise damaged(what, f"its description lacks {', '.join(absent)}")
        try:
            # Unknown names are those of a later version: they describe, they do not change what is read.
            return cls(**{name: tupled(value) for name, value in values.items() if name in names})
        except (TypeError, ValueError) as error:
            raise damaged(what, str(error)) from error


@dataclass(frozen=True, slots=True)
class Run:
    """A run and the records received so far, in order of arrival."""

    info: RunInfo
    records: tuple[StepRecord, ...] = ()

    @property
    def steps(self) -> int:
        """The last step computed, 0 before the first."""
        return max((record.step for record in self.records), default=0)

    @property
    def shape(self) -> tuple[int, int]:
        """(batch, position)."""
        return len(self.info.ids), len(self.info.labels)

    def _repr_html_(self) -> str:
        """For notebooks."""
        from ut_engine.html import run_html

        return run_html(self)

    def add(self, record: StepRecord) -> Run:
        return replace(self, records=(*self.records, record))

    def end(self, finished: str, dropped: tuple[str, ...] = ()) -> Run:
        """The same run with how it ended and what was not kept."""
        info = replace(self.info, finished=finished, dropped=(*self.info.dropped, *dropped))
        return replace(self, info=info)

    def of(self, side: str) -> tuple[StepRecord, ...]:
        """The records of the encoder or of the decoder."""
        return tuple(record for record in self.records if record.address.side == side)

    def at(self, step: int, side: str = "encoder") -> StepRecord | None:
        """The last record of a step of one side, None when there is none."""
        found = [record for record in self.of(side) if record.step == step]
        return found[-1] if found else None

    def save(self, path: Path | str) -> None:
        """Write the trace atomically (UserError when it cannot be; an old file stays as it was)."""
        tensors: dict[str, Array] = {}
        for record in self.records:
            tensors.update(record_tensors(record))
        metadata = {
            "format": FORMAT,
            "version": str(VERSION),
            "run": json.dumps(self.info.to_dict(), ensure_ascii=False),
            "records": json.dumps([record_facts(record) for record in self.records]),
            # A model that overflowed is recorded as it was; a NaN not listed here is damage.
            "not_finite": json.dumps([name for record in self.records for name in not_finite(record)]),
        }
        write_atomically(Path(path), pack(tensors, metadata))

    # ------------------------------------------------------------ curves

    def curve(self, kind: str, example: int = 0, side: str = "encoder") -> Array:
        """[step, position] of a halting array ("signal", "cumulative", "weight", "remainder", "n_updates",
        "running", "halted") or of "update_norm", "state_norm"; NaN where a record has none."""
        records = self.of(side)
        positions = records[0].real.shape[1] if records else self.shape[1]
        values = np.full((len(records), positions), np.nan)
        for index, record in enumerate(records):
            source = record if kind in ("update_norm", "state_norm") else record.halting
            array = None if source is None else getattr(source, kind)
            if array is not None:
                values[index] = array[example]
        return values

    def n_running(self, example: int | None = None, side: str = "encoder") -> list[int]:
        """Running real positions when each step began; of one example or of all."""
        chosen = slice(None) if example is None else slice(example, example + 1)
        return [int(record.running[chosen].sum()) for record in self.of(side)]

    def n_updates(self, example: int = 0, side: str = "encoder") -> Array:
        """[position] N after the last step; without halting how often it was computed; 0 at padding."""
        records = self.of(side)
        last = records[-1].halting if records else None
        if last is not None and last.n_updates is not None:
            return np.asarray(last.n_updates[example], np.float64)
        counts = np.zeros(self.shape[1] if not records else records[0].real.shape[1])
        for record in records:
            counts += record.running[example]
        return counts

    def entropy(self, row: int, example: int = 0, kind: str = "self", side: str = "encoder") -> Array:
        """[step, head] entropy in nats of a position's row; NaN where it was not computed or kept."""
        rows = [row_of(record, kind, "entropy", row, example) for record in self.of(side)]
        heads = max((len(values) for values in rows), default=0)
        filled = [values if len(values) else np.full(heads, np.nan) for values in rows]
        return np.array(filled).reshape(len(rows), heads)

    def ponder(self, example: int = 0, side: str = "encoder") -> Array:
        """[position] N + R after the last step; N alone without halting; 0 at padding."""
        updates, records = self.n_updates(example, side), self.of(side)
        last = records[-1].halting if records else None
        if last is None or last.n_updates is None or last.remainder is None:
            return updates
        return np.asarray(updates + last.remainder[example], np.float64)

    def predictions(
        self, position: int = 0, example: int = 0, side: str = "encoder"
    ) -> list[tuple[str, float] | None]:
        """(answer, probability) a position would give if the model stopped at each step."""
        return [self.prediction(record, position, example) for record in self.of(side)]

    def not_finite_from(self, side: str = "encoder") -> int | None:
        """The first step whose numbers are NaN or infinite, None where all are sound."""
        return next((record.step for record in self.of(side) if not record.finite), None)

    def prediction(self, record: StepRecord, position: int = 0, example: int = 0) -> tuple[str, float] | None:
        if record.readout is None or not record.readout.shape[2]:
            return None
        logits = record.readout[example, position].astype(np.float64)
        if not np.isfinite(logits).all():
            return None
        if record.address.side == "decoder":
            logits[0] = -np.inf  # padding: a decoder never writes it
        odds = np.exp(logits - logits.max())
        best = int(odds.argmax())
        name = self.info.answers[best] if best < len(self.info.answers) else str(best)
        return name, float(odds[best] / odds.sum())


def row_of(record: StepRecord, kind: str, name: str, row: int, example: int) -> Array:
    """[head] of a per-row number of the first attention entry of a kind; empty when it is not there."""
    for entry in record.attention or ():
        values = getattr(entry, name)
        if entry.kind == kind and values is not None and row < values.shape[2]:
            return np.asarray(values[example, :, row], np.float64)
    return np.empty(0)


def load_run(path: Path | str) -> Run:
    """Open a trace; raises UserError saying which file it is not, what is missing or what is wrong."""
    path = Path(path)
    tensors, metadata = read_safetensors(path)
    what = path.name
    check_format(metadata, what)
    info = RunInfo.from_dict(read_json(metadata, "run", what), what)
    facts = read_json(metadata, "records", what)
    allowed = read_json(metadata, "not_finite", what)
    if not isinstance(facts, list) or not isinstance(allowed, list):
        raise damaged(what, "its list of records is no list")
    records = tuple(record_from(fact, tensors, what) for fact in facts)
    if tensors:
        raise damaged(what, f"{min(tensors)} belongs to no record")
    check_records(info, records, {str(name) for name in allowed}, what)
    return Run(info, records)


def check_format(metadata: Mapping[str, str], what: str) -> None:
    """Refuse what is no trace, or one of a version that is not read here; raises UserError."""
    if metadata.get("format") != FORMAT:
        other = (
            "a checkpoint" if any('"family"' in value for value in metadata.values()) else "some other file"
        )
        raise UserError(f"{what} is {other}, not a recorded run", f"open a file that ends in {SUFFIX}")
    version = metadata.get("version")
    if version != str(VERSION):
        raise UserError(f"{what} has trace version {version}, not {VERSION}", "update the program")


def check_records(info: RunInfo, records: tuple[StepRecord, ...], allowed: set[str], what: str) -> None:
    """Every record must fit the run, stand once, and hold numbers; raises UserError."""
    seen: set[Address] = set()
    for record in records:
        if record.address in seen:
            raise damaged(what, f"step {record.step} stands twice")
        seen.add(record.address)
        if record.address.side == "encoder" and record.real.shape != (len(info.ids), len(info.labels)):
            raise damaged(
                what, f"step {record.step} has {record.real.shape[1]} positions, not {len(info.labels)}"
            )
        bad = [name for name in not_finite(record) if name not in allowed]
        if bad:
            raise damaged(what, f"{bad[0]} holds NaN or infinity")


def check_info(info: RunInfo) -> None:
    """Types and ranges of a run's description; raises ValueError."""
    texts = ("family", "checkpoint", "task", "text", "readout", "device", "dtype", "finished")
    for name in texts:
        if not isinstance(getattr(info, name), str):
            raise ValueError(f"{name} must be a text")
    for name in ("labels", "ids", "marks", "story_order", "answers", "dropped", "target"):
        if not isinstance(getattr(info, name), tuple):
            raise ValueError(f"{name} must be a list")
    for name in ("labels", "answers", "dropped"):
        if not all(isinstance(value, str) for value in getattr(info, name)):
            raise ValueError(f"{name} must hold texts")
    for name in ("parameters", "max_steps", "cropped"):
        if type(getattr(info, name)) is not int:
            raise ValueError(f"{name} must be a whole number")
    if any(edit.position >= len(info.labels) for edit in edits_from(info.edits)):
        raise ValueError("a change of the past is of a position that is not there")
    if not isinstance(info.config, Mapping) or not isinstance(info.versions, Mapping):
        raise ValueError("config and versions must be objects")
    if info.readout not in READOUTS or info.finished not in FINISHED:
        raise ValueError(f"readout {info.readout!r} or finished {info.finished!r} is unknown")
    count = len(info.labels)
    if not info.ids or not all(isinstance(row, tuple) and len(row) == count for row in info.ids):
        raise ValueError(f"ids must have {count} positions, one for every label")
    for name in ("marks", "story_order"):
        if not all(type(n) is int and 0 <= n < count for n in getattr(info, name)):
            raise ValueError(f"{name} must be positions from 0 to {count - 1}")
    for row in (*info.ids, info.target):
        for item in row:
            if not all(type(n) is int and n >= 0 for n in (item if isinstance(item, tuple) else (item,))):
                raise ValueError("ids must be whole numbers of 0 or more")


def tupled(value: Any) -> Any:
    """JSON lists as tuples, so that a loaded description equals the saved one."""
    return tuple(tupled(item) for item in value) if isinstance(value, list) else value

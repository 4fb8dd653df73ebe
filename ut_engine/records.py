"""Immutable records of a run: what one call of the shared layer computed.

One record per call, general enough for every recurrent-depth family: an address, the rows really
computed, the state (and the accumulated output where it differs), attention entries, halting, read-out.
Arrays are read-only numpy; axis names are those of `ut_engine.axes`; every array keeps the batch axis.
Steps count from 1, as in the paper; positions are 0-based indices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SIDES = ("encoder", "decoder")
ATTENTION_KINDS = ("self", "cross")
HALTING_KINDS = ("act", "exit_pdf", "q_value", "criterion", "sampled", "router")


@dataclass(frozen=True, slots=True)
class Address:
    """Which call this is: step t counts depth, never generated tokens."""

    step: int
    side: str = "encoder"
    outer: int = 0
    phase: str = "loop"
    layer: int = 0
    call: int = 0

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise ValueError(f"side {self.side!r} is not one of {SIDES}")
        if self.step < 0:
            raise ValueError(f"step {self.step} is negative")


@dataclass(frozen=True, slots=True)
class Capture:
    """What to keep of every step; what is off is None in the record."""

    attention: bool = True
    states: bool = True
    readout: bool = True
    derived: bool = True


@dataclass(frozen=True, slots=True)
class Attention:
    """Attention of one call, as the model used it.

    weights: [batch, head, query, key], rows sum to 1 (or to `row_mass`); None when only kept by the
        engine (then `size` says how large the map is).
    attendable: [batch, query] number of keys the row may read (for normalising the entropy).
    entropy: [batch, head, query] in nats; NaN for rows not computed.
    largest: [batch, head, query] largest weight; NaN for rows not computed.
    query_index / key_index: positions of the rows / columns when not all of them are present.
    queries / keys: [batch, head, position, dim] handles a tile can be built from.
    row_mass: [batch, head, query] sum of each row where it is not 1 (attention sinks).
    """

    kind: str
    weights: Array | None
    attendable: Array | None = None
    entropy: Array | None = None
    largest: Array | None = None
    query_index: Array | None = None
    key_index: Array | None = None
    queries: Array | None = None
    keys: Array | None = None
    row_mass: Array | None = None
    size: tuple[int, int, int, int] | None = None

    def __post_init__(self) -> None:
        if self.kind not in ATTENTION_KINDS:
            raise ValueError(f"attention kind {self.kind!r} is not one of {ATTENTION_KINDS}")
        freeze(self)
        if self.weights is not None:
            if self.weights.ndim != 4:
                raise ValueError(f"weights must be [batch, head, query, key], not {self.weights.shape}")
            if self.size is None:
                object.__setattr__(self, "size", tuple(self.weights.shape))
        if self.size is None:
            raise ValueError("an attention entry without weights must say its size")
        batch, heads, queries, _ = self.size
        need(self.entropy, (batch, heads, queries), "entropy")
        need(self.largest, (batch, heads, queries), "largest")
        need(self.row_mass, (batch, heads, queries), "row_mass")
        need(self.attendable, (batch, queries), "attendable")


@dataclass(frozen=True, slots=True)
class Halting:
    """Who still runs, per position; every array is [batch, position].

    signal: the raw signal (for "act" the halting probability p of this step).
    running: was running when the step began.  halted: has halted by its end.
    cumulative: accumulated probability h after the step.  weight: update weight w of this step.
    remainder: R (0 where none).  n_updates: N after the step.
    computed_after_halt: the state keeps being transformed after halting (`listing2`).
    """

    kind: str
    signal: Array
    running: Array
    halted: Array
    cumulative: Array | None = None
    weight: Array | None = None
    remainder: Array | None = None
    n_updates: Array | None = None
    computed_after_halt: bool = True

    def __post_init__(self) -> None:
        if self.kind not in HALTING_KINDS:
            raise ValueError(f"halting kind {self.kind!r} is not one of {HALTING_KINDS}")
        freeze(self)
        shape = self.running.shape
        for name in ("signal", "halted", "cumulative", "weight", "remainder", "n_updates"):
            need(getattr(self, name), shape, name)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What one step computed.

    state: [batch, position, dim] after the step (the loop state s').
    output: [batch, position, dim] accumulated output where it differs from the state (ACT), else None.
    real: [batch, position] False at padding.
    computed: [batch, position] rows really computed and used; the others are drawn hatched.
    readout: [batch, position, answer] logits as if the model stopped here, equal to forward(max_steps=t).
    readout_state: the same read from the plain last state (differs from readout only with ACT).
    update_norm: [batch, position] ||h_t - h_{t-1}||.  state_norm: [batch, position] ||h_{t-1}||.
    seconds: wall time the step took.
    """

    address: Address
    real: Array
    computed: Array
    state: Array | None = None
    output: Array | None = None
    attention: tuple[Attention, ...] | None = None
    halting: Halting | None = None
    readout: Array | None = None
    readout_state: Array | None = None
    update_norm: Array | None = None
    state_norm: Array | None = None
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        freeze(self)
        shape = self.real.shape
        if len(shape) != 2:
            raise ValueError(f"real must be [batch, position], not {shape}")
        need(self.computed, shape, "computed")
        need(self.update_norm, shape, "update_norm")
        need(self.state_norm, shape, "state_norm")
        for name in ("state", "output", "readout", "readout_state"):
            array = getattr(self, name)
            if array is not None and (array.ndim != 3 or array.shape[:2] != shape):
                raise ValueError(f"{name} must be [batch, position, ...] = {shape}, not {array.shape}")
        if self.halting is not None:
            need(self.halting.running, shape, "halting.running")

    @property
    def step(self) -> int:
        return self.address.step

    def _repr_html_(self) -> str:
        """For notebooks."""
        from ut_engine.html import record_html

        return record_html(self)

    @property
    def n_running(self) -> int:
        """Real positions that were running when the step began, over the batch."""
        return int(self.running.sum())

    @property
    def finite(self) -> bool:
        """Whether the rows computed hold neither NaN nor infinity, as those of a model that broke down do."""
        rows = self.real & self.computed
        arrays = [self.state, self.output, self.readout]
        arrays += [None if self.halting is None else self.halting.signal]
        arrays += [_by_row(entry.entropy, rows) for entry in self.attention or ()]
        return all(bool(np.isfinite(array[rows]).all()) for array in arrays if array is not None)

    @property
    def running(self) -> Array:
        """[batch, position] real and running; without halting those computed (an LSTM: the one just read)."""
        return self.real & (self.computed if self.halting is None else self.halting.running)


def _by_row(entropy: Array | None, rows: Array) -> Array | None:
    """[batch, head, query] -> [batch, query, head]; None where it is not of every row of the record."""
    if entropy is None or entropy.shape[2] != rows.shape[1]:
        return None
    return entropy.transpose(0, 2, 1)


def arrays_of(record: Any) -> Iterator[tuple[str, Array]]:
    """(name, array) of every array field that is set."""
    for item in fields(record):
        value = getattr(record, item.name)
        if isinstance(value, np.ndarray):
            yield item.name, value


def freeze(record: Any) -> None:
    """Make every array field read-only (through a view, so that the caller's buffer stays writable)."""
    for name, array in arrays_of(record):
        if array.flags.writeable:
            view = array.view()
            view.flags.writeable = False
            object.__setattr__(record, name, view)


def need(array: Array | None, shape: tuple[int, ...], name: str) -> None:
    """Raise ValueError unless the array is None or of that shape."""
    if array is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {array.shape}")

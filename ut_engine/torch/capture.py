"""From the loop's tensors to immutable records: the only place where tensors become numpy arrays."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ut_engine.records import Address, Array, Attention, Capture, Halting, StepRecord

if TYPE_CHECKING:
    from ut_engine.torch.model import Loop, UniversalTransformer


def to_array(tensor: Tensor) -> Array:
    """A tensor as a numpy array: the one conversion (bf16 and fp16 become float32, devices become CPU)."""
    tensor = tensor.detach()
    if tensor.dtype in (torch.bfloat16, torch.float16):
        tensor = tensor.float()
    array: np.ndarray[Any, Any] = tensor.cpu().numpy()
    return array


STRETCH = 1 << 17  # numbers worked on at a time: half a megabyte of float32


class MapRing:
    """Buffers for the maps of every step, allocated as the run goes so that a short run stays small.

    A fresh allocation of a large map costs more than computing it (page faults), so one block holds
    `BLOCK_BYTES` worth of steps; records keep views of it.
    """

    BLOCK_BYTES = 64 << 20

    def __init__(self, real: Tensor, heads: int, like: Tensor, cap: int) -> None:
        batch, length = real.shape
        self.shape = (batch, heads, length, length)
        one = batch * heads * length * length * like.element_size()
        self.per_block = max(1, min(cap, self.BLOCK_BYTES // max(one, 1)))
        self.like = like
        self.block: Tensor | None = None

    def slot(self, done: int) -> Tensor:
        """The buffer [batch, head, query, key] for the step after `done` steps."""
        place = done % self.per_block
        if place == 0 or self.block is None:
            self.block = self.like.new_empty((self.per_block, *self.shape))
        return self.block[place]


def record_of(
    model: UniversalTransformer,
    before: Loop,
    after: Loop,
    maps: Tensor | None,
    bias: Tensor | None,
    capture: Capture,
    started: float,
) -> StepRecord:
    """The record of the step that led from `before` to `after`."""
    config = model.config
    computed = after.running & after.real if config.act and config.state == "frozen" else after.real
    attention = None
    if maps is not None:
        attention = (attention_of(maps, bias, after.real, computed, capture),)
    readout = readout_state = update = norm = None
    if capture.readout:
        readout = to_array(model.read(model.stopped_output(after)))
        readout_state = to_array(model.read(after.state)) if config.act else None
    if capture.derived:
        update = to_array((after.state - before.state).norm(dim=-1))
        norm = to_array(before.state.norm(dim=-1))
    return StepRecord(
        address=Address(step=after.step),
        real=to_array(after.real),
        computed=to_array(computed),
        state=to_array(after.state) if capture.states else None,
        output=to_array(after.output) if capture.states and config.act else None,
        attention=attention,
        halting=halting_of(after, config.state == "listing2") if config.act else None,
        readout=readout,
        readout_state=readout_state,
        update_norm=update,
        state_norm=norm,
        seconds=time.perf_counter() - started,
    )


def attention_of(
    maps: Tensor, bias: Tensor | None, real: Tensor, computed: Tensor, capture: Capture
) -> Attention:
    """The entry of one map; rows that were not computed are zero in the map and NaN in what is derived."""
    if not bool(computed.all()):
        maps.masked_fill_(~computed[:, None, :, None], 0.0)
    attendable = attendable_of(bias, real)
    entropy = largest = None
    if capture.derived:
        missing = ~computed[:, None, :].expand(maps.shape[:3])
        entropy = to_array(row_entropy(maps).masked_fill(missing, torch.nan))
        largest = to_array(maps.amax(dim=-1).masked_fill(missing, torch.nan))
    return Attention(
        kind="self", weights=to_array(maps), attendable=to_array(attendable), entropy=entropy, largest=largest
    )


def row_entropy(maps: Tensor) -> Tensor:
    """H = -sum_j a_j ln a_j of every row (0 ln 0 = 0), [batch, head, query].

    In stretches that stay in cache; `log` is vectorised where `special.entr` is not (half the time).
    """
    length = maps.shape[-1]
    rows, entropy = maps.view(-1, length), maps.new_empty(maps.shape[:-1])
    stretch = max(1, min(len(rows), STRETCH // length))
    scratch, flat = maps.new_empty((stretch, length)), entropy.view(-1)
    for start in range(0, len(rows), stretch):
        some = rows[start : start + stretch]
        work = scratch[: len(some)]
        torch.clamp(some, min=torch.finfo(maps.dtype).tiny, out=work)
        work.log_().mul_(some)
        torch.sum(work, dim=-1, out=flat[start : start + stretch])
    return entropy.neg_()


def attendable_of(bias: Tensor | None, real: Tensor) -> Tensor:
    """How many keys each row may read, [batch, query]."""
    if bias is None or not bool(torch.isinf(bias).any()):
        return torch.full(real.shape, real.shape[1], dtype=torch.int32, device=real.device)
    counts: Tensor = (~torch.isinf(bias[:, 0])).sum(dim=-1).to(torch.int32)
    return counts.expand(real.shape)


def halting_of(loop: Loop, computed_after_halt: bool) -> Halting:
    """Who ran, who halted and the variables of listing 2 after the step."""
    return Halting(
        kind="act",
        signal=to_array(loop.p),
        running=to_array(loop.running),
        halted=to_array(loop.real & (loop.halting_probability >= 1.0)),
        cumulative=to_array(loop.halting_probability),
        weight=to_array(loop.weight),
        remainder=to_array(loop.remainders),
        n_updates=to_array(loop.n_updates).astype(np.int32),
        computed_after_halt=computed_after_halt,
    )

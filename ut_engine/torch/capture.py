"""From the loop's tensors to immutable records: the only place where tensors become numpy arrays."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ut_engine.records import Address, Array, Attention, Capture, Halting, StepRecord
from ut_engine.torch.attention import MASKED, Maps
from ut_engine.torch.layer import LayerMaps
from ut_engine.torch.loop import Loop, Setting, computed_rows, stopped_output

if TYPE_CHECKING:
    from ut_engine.torch.model import DepthModel


def to_array(tensor: Tensor) -> Array:
    """A tensor as a numpy array: the one conversion (bf16 and fp16 become float32, devices become CPU)."""
    tensor = tensor.detach()
    if tensor.dtype in (torch.bfloat16, torch.float16):
        tensor = tensor.float()
    array: np.ndarray[Any, Any] = tensor.cpu().numpy()
    return array


STRETCH = 1 << 16  # numbers worked on at a time, so that they stay in cache


class MapRing:
    """Buffers for the maps of every step, allocated as the run goes so that a short run stays small.

    A fresh allocation of a large map costs more than computing it (page faults), so one block holds
    `BLOCK_BYTES` worth of steps; records keep views of it.  The scores are scratch, reused by every step.
    """

    BLOCK_BYTES = 64 << 20

    def __init__(self, heads: int, like: Tensor, setting: Setting) -> None:
        batch, length, _ = like.shape
        self.own = Blocks((batch, heads, length, length), like, setting.cap)
        memory = setting.readings[0].memory
        self.cross = None
        if memory is not None:
            self.cross = Blocks((batch, heads, length, memory.keys.shape[2]), like, setting.cap)

    def slot(self, done: int) -> LayerMaps:
        """The buffers for the step after `done` steps."""
        return LayerMaps(self.own.slot(done), self.cross.slot(done) if self.cross else None)


class Blocks:
    """The ring of one kind of map, [batch, head, query, key] a step."""

    def __init__(self, shape: tuple[int, int, int, int], like: Tensor, cap: int) -> None:
        self.shape = shape
        one = math.prod(shape) * like.element_size()
        self.per_block = max(1, min(cap, MapRing.BLOCK_BYTES // max(one, 1)))
        self.scores = like.new_empty(shape)
        self.block = like.new_empty((0, *shape))

    def slot(self, done: int) -> Maps:
        place = done % self.per_block
        if place == 0:
            self.block = self.scores.new_empty((self.per_block, *self.shape))
        return Maps(self.block[place], self.scores)


def record_of(
    model: DepthModel,
    before: Loop,
    after: Loop,
    setting: Setting,
    maps: LayerMaps | None,
    capture: Capture,
    started: float,
) -> StepRecord:
    """The record of the step that led from `before` to `after`."""
    config = model.config
    computed = computed_rows(config, after, setting)
    layer = model.layer_of(after.step)
    attention = None
    if maps is not None:
        reading = setting.readings[layer]
        entries = [attention_of("self", maps.own, reading.bias, computed, capture)]
        if maps.cross is not None and reading.memory is not None:
            entries.append(attention_of("cross", maps.cross, reading.memory.bias, computed, capture))
        attention = tuple(entries)
    readout = readout_state = update = norm = None
    if capture.readout and model.reads_out:
        readout = to_array(model.read(stopped_output(config, after)))
        readout_state = to_array(model.read(after.state)) if config.act else None
    if capture.derived:
        update = to_array((after.state - before.state).norm(dim=-1))
        norm = to_array(before.state.norm(dim=-1))
    return StepRecord(
        address=Address(step=after.step, side=model.side, layer=layer),
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


def attention_of(kind: str, maps: Maps, bias: Tensor | None, computed: Tensor, capture: Capture) -> Attention:
    """The entry of one map; rows that were not computed are zero in the map and NaN in what is derived."""
    entropy = largest = None
    if capture.derived:
        entropy, largest = row_entropy(maps)
    if not bool(computed.all()):
        absent = ~computed[:, None, :]
        maps.weights.masked_fill_(absent[..., None], 0.0)
        if entropy is not None and largest is not None:
            entropy.masked_fill_(absent, torch.nan)
            largest.masked_fill_(absent, torch.nan)
    return Attention(
        kind=kind,
        weights=to_array(maps.weights),
        attendable=to_array(attendable_of(bias, maps.weights)),
        entropy=None if entropy is None else to_array(entropy),
        largest=None if largest is None else to_array(largest),
    )


def row_entropy(maps: Maps) -> tuple[Tensor, Tensor]:
    """Entropy H = -sum_j a_j ln a_j and largest weight of every row, each [batch, head, query].

    ln a_j = s_j - ln Z with Z from the largest of both, so that no logarithm is taken of a whole map (a
    tenth of the time); masked scores are finite, so 0 times them is 0.
    """
    length = maps.weights.shape[-1]
    weights, scores = maps.weights.view(-1, length), maps.scores.view(-1, length)
    largest = weights.amax(dim=-1)
    entropy = scores.amax(dim=-1) - largest.log()
    stretch = max(1, STRETCH // length)
    for start in range(0, len(weights), stretch):
        part = slice(start, start + stretch)
        entropy[part] -= torch.linalg.vecdot(weights[part], scores[part])
    shape = maps.weights.shape[:-1]
    return entropy.clamp_(min=0.0).view(shape), largest.view(shape)


def attendable_of(bias: Tensor | None, weights: Tensor) -> Tensor:
    """How many keys each row may read, [batch, query]."""
    batch, _, queries, keys = weights.shape
    if bias is None:
        return torch.full((batch, queries), keys, dtype=torch.int32, device=weights.device)
    readable = bias[:, 0] > MASKED / 2
    return readable.sum(dim=-1).to(torch.int32).expand(batch, queries)


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

"""What a fact does, and when: the run again with one position hidden from all others at some steps.

A position is hidden by the attention's own mask, the one that hides padding: no other position reads it, it
reads itself.  With nothing hidden the run is the untouched one; hidden at every step, a position is as good
as not there, but that it may be counted by what depends on the length.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ut_engine.torch.attention import MultiHeadAttention
from ut_engine.torch.layer import Reading
from ut_engine.torch.loop import Setting, caps_of, goes_on
from ut_engine.torch.model import DepthModel


@dataclass(frozen=True)
class Blocked:
    """One row for each example: probabilities [example, answer] and updates N [example], of position 0."""

    probabilities: Tensor
    n_updates: Tensor
    steps: int


def run_blocked(
    model: DepthModel, ids: Tensor, hidden: Sequence[int | None], steps: Collection[int]
) -> Blocked:
    """Run ids [position(, word)] once for each of `hidden`, a position that is hidden at these steps.

    hidden: positions from 0, None for nothing; the first must be None (what the others are compared with, in
    the same batch and through the same arithmetic).  steps: from 1.
    """
    if hidden[0] is not None:
        raise ValueError("the first example hides nothing")
    model.eval()
    with torch.inference_mode():
        embedded, real = model.embed_input(ids.expand(len(hidden), *ids.shape))
        loop, setting = model.start(embedded, real, caps_of(model.config, real, None), 0)
        seen = real.clone()
        for example, position in enumerate(hidden):
            if position is not None:
                seen[example, position] = False
        closed = _reading(model, setting, seen)
        open_ = tuple(replace(one, bias=None if one.bias is None else one.bias[:1]) for one in closed)
        while goes_on(model.config, loop, setting):
            readings = closed if loop.step + 1 in steps else open_
            loop = model.step(loop, replace(setting, readings=readings))
        odds = torch.softmax(model.read(loop.output)[:, 0].double(), dim=-1)
    return Blocked(odds, loop.n_updates[:, 0], loop.step)


def _reading(model: DepthModel, setting: Setting, seen: Tensor) -> tuple[Reading, ...]:
    """What every layer reads when only these positions [example, position] are seen by others."""
    found = []
    for layer, reading in zip(model.layers_with_weights(), setting.readings, strict=True):
        attention = layer.attention
        assert isinstance(attention, MultiHeadAttention)
        found.append(replace(reading, bias=attention.score_bias(seen)))
    return tuple(found)

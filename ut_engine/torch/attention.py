"""Multi-head attention (paper, eq. 1-3), to oneself or to a memory, with one explicit and one fused path.

Training and plain forwards use torch's fused product; a capture asks for the explicit one, which writes
scores and their softmax into a buffer the caller keeps, so that the map on screen *is* the map used.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ut_engine.spec import UTConfig

MASKED = -1e30  # finite, so that weight 0 times it is 0; exp of it is exactly 0


@dataclass(frozen=True)
class Maps:
    """Buffers [batch, head, query, key] one step fills: the weights used, and the scores before softmax."""

    weights: Tensor
    scores: Tensor


@dataclass(frozen=True)
class Memory:
    """What cross-attention reads, the same at every step.

    keys, values [batch, head, position, dim / heads]; bias: added to the scores, [batch, 1, 1, position].
    """

    keys: Tensor
    values: Tensor
    bias: Tensor | None


def alibi_slopes(heads: int) -> list[float]:
    """2^(-8 (h+1) / heads) for h = 0 ... heads-1 (Press et al. 2022)."""
    return [2.0 ** (-8.0 * (head + 1) / heads) for head in range(heads)]


def allowed_keys(real: Tensor, causal: bool, window: int) -> Tensor | None:
    """Which keys each row may read, [batch, 1, query, key] bool; None when all may be read.

    Padding is never read except by itself, so that no row is empty.
    """
    length = real.shape[1]
    if bool(real.all()) and not causal:
        return None
    index = torch.arange(length, device=real.device)
    allowed = real[:, None, :] | (index[:, None] == index[None, :])
    if causal:
        allowed = allowed & (index[None, :] <= index[:, None])
    if window:
        allowed = allowed & (index[None, :] > index[:, None] - window)
    return allowed[:, None]


def source_bias(real: Tensor, dtype: torch.dtype) -> Tensor | None:
    """What hides a source's padding from cross-attention, [batch, 1, 1, position]; None when there is none.

    A source that is nothing but padding is read as it is, so that no row is empty.
    """
    if bool(real.all()):
        return None
    readable = real | ~real.any(dim=1, keepdim=True)
    zero = torch.zeros((), dtype=dtype, device=real.device)
    return torch.where(readable, zero, torch.full_like(zero, MASKED))[:, None, None]


class MultiHeadAttention(nn.Module):
    """Projections, biased scores, softmax, output projection; heads are contiguous slices of d.

    causal: position i reads j <= i.  cross: reads a memory, whose places have no distance to ours.
    """

    def __init__(self, config: UTConfig, causal: bool, cross: bool = False) -> None:
        super().__init__()
        width, bias = config.d_model, config.projection_bias
        self.config = config
        self.causal = causal
        self.heads = config.heads
        self.query = nn.Linear(width, width, bias=bias)
        self.key = nn.Linear(width, width, bias=bias)
        self.value = nn.Linear(width, width, bias=bias)
        self.output = nn.Linear(width, width, bias=bias)
        if config.attention_bias == "relative" and not cross:
            self.relative = nn.Parameter(torch.zeros(config.heads, 2 * config.relative_clip + 1))

    def score_bias(self, real: Tensor) -> Tensor | None:
        """What is added to the scores, broadcastable to [batch, head, query, key]; None for nothing.

        The same at every step of a run, so it is computed once per run.
        """
        allowed = allowed_keys(real, self.causal, self.config.window)
        bias = self._position_bias(real.shape[1])
        if allowed is None:
            return bias
        weight = self.query.weight
        zero = torch.zeros((), dtype=weight.dtype, device=weight.device)
        base = zero if bias is None else bias
        return torch.where(allowed, base, torch.full_like(zero, MASKED))

    def _position_bias(self, length: int) -> Tensor | None:
        """ALiBi or clipped relative bias, [1, head, query, key]."""
        weight = self.query.weight
        index = torch.arange(length, device=weight.device)
        offset = index[None, :] - index[:, None]
        if self.config.attention_bias == "alibi":
            slopes = torch.tensor(alibi_slopes(self.heads), dtype=weight.dtype, device=weight.device)
            return (-slopes[:, None, None] * offset.abs().to(weight.dtype))[None]
        if self.config.attention_bias == "relative":
            clip = self.config.relative_clip
            bias: Tensor = self.relative[:, offset.clamp(-clip, clip) + clip]
            return bias[None]
        return None

    def remember(self, states: Tensor, real: Tensor) -> Memory:
        """Keys and values of a memory [batch, position, dim]; computed once, read at every step."""
        bias = source_bias(real, states.dtype)
        return Memory(self._split(self.key(states)), self._split(self.value(states)), bias)

    def forward(
        self, x: Tensor, bias: Tensor | None, maps: Maps | None = None, memory: Memory | None = None
    ) -> Tensor:
        """x [batch, position, dim] -> [batch, position, dim].

        maps: buffers to be filled with the scores and the weights used; None for the fused path.
        memory: read instead of x (cross-attention), with its own bias.
        """
        q = self._split(self.query(x))
        if memory is None:
            k, v = self._split(self.key(x)), self._split(self.value(x))
        else:
            k, v, bias = memory.keys, memory.values, memory.bias
        if maps is None:
            drop = self.config.dropout if self.training else 0.0
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=drop)
        else:
            torch.matmul(q * q.shape[-1] ** -0.5, k.transpose(-1, -2), out=maps.scores)
            if bias is not None:
                maps.scores.add_(bias)
            torch.softmax(maps.scores, dim=-1, out=maps.weights)
            mixed = maps.weights @ v
        joined = mixed.transpose(1, 2).reshape(x.shape)
        result: Tensor = self.output(joined)
        return result

    def _split(self, x: Tensor) -> Tensor:
        """[batch, position, dim] -> [batch, head, position, dim / heads]."""
        batch, length, width = x.shape
        return x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

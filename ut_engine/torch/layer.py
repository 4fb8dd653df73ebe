"""One layer of the encoder or the decoder (paper, eq. 4-5 and section 2.2): attention, then the transition.

A Universal Transformer is one such layer, run again and again; a Transformer is a stack of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from ut_engine.spec import UTConfig
from ut_engine.torch.attention import Maps, Memory, MultiHeadAttention
from ut_engine.torch.transition import transition_of


@dataclass(frozen=True)
class Reading:
    """What a layer reads besides the states: the same at every step.

    real [batch, position]; bias: added to the self-attention scores; memory: the decoder's source.
    """

    real: Tensor
    bias: Tensor | None
    memory: Memory | None = None


@dataclass(frozen=True)
class LayerMaps:
    """Buffers of one call: self-attention [batch, head, position, position], cross [.., position, source]."""

    own: Maps
    cross: Maps | None = None


def add_layer(module: nn.Module, config: UTConfig, causal: bool, decoder: bool) -> None:
    """Give a module the parts of one layer, as attributes (a Universal Transformer has them itself)."""
    module.attention = MultiHeadAttention(config, causal)
    module.transition = transition_of(config, causal)
    module.norm_attention = norm_of(config)
    module.norm_transition = norm_of(config)
    module.dropout = nn.Dropout(config.dropout)
    if decoder:
        module.cross = MultiHeadAttention(config, causal=False, cross=True)
        module.norm_cross = norm_of(config)


def norm_of(config: UTConfig) -> nn.Module:
    """A LayerNorm, or nothing with norm "none"."""
    return nn.Identity() if config.norm == "none" else nn.LayerNorm(config.d_model, eps=1e-6)


def run_layer(parts: Any, x: Tensor, reading: Reading, maps: LayerMaps | None = None) -> Tensor:
    """States [batch, position, dim] with their coordinates already added -> new states.

    post (paper): A = LN(x + Self(x)); C = LN(A + Cross(A)) in a decoder; LN(C + Transition(C)).
    pre (T2T):    y = x + Self(LN x);  z = y + Cross(LN y) in a decoder;  z + Transition(LN z).
    none: the same without LN.
    """
    own, cross = (None, None) if maps is None else (maps.own, maps.cross)
    drop = parts.dropout
    if parts.config.norm == "post":
        a = parts.norm_attention(x + drop(parts.attention(x, reading.bias, own)))
        if reading.memory is not None:
            a = parts.norm_cross(a + drop(parts.cross(a, None, cross, reading.memory)))
        after: Tensor = parts.norm_transition(a + drop(parts.transition(a, reading.real)))
        return after
    y: Tensor = x + drop(parts.attention(parts.norm_attention(x), reading.bias, own))
    if reading.memory is not None:
        y = y + drop(parts.cross(parts.norm_cross(y), None, cross, reading.memory))
    new: Tensor = drop(parts.transition(parts.norm_transition(y), reading.real))
    return y + new


class Layer(nn.Module):
    """One layer with weights of its own."""

    def __init__(self, config: UTConfig, causal: bool, decoder: bool = False) -> None:
        super().__init__()
        self.config = config
        add_layer(self, config, causal, decoder)

    def forward(self, x: Tensor, reading: Reading, maps: LayerMaps | None = None) -> Tensor:
        return run_layer(self, x, reading, maps)

"""Parameters and multiply-adds of Transformers with own or shared layers, counted array by array.

The accounting of the story (weights, biases and LayerNorms of every block, one tied embedding table, no
final LayerNorm) and what tensor2tensor really allocates are the same list of arrays with other switches.
A multiply-add is one multiplication and its addition: half of what is often called two FLOPs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from ut_engine.design import KERNELS, KINDS, Design, Weight, check_range, divisors, parameters, weights
from ut_engine.errors import UserError

WORK_KINDS = ("attention", "feed-forward", "recurrent", "halting", "scores", "softmax")


@dataclass(frozen=True, slots=True)
class Work:
    """Multiply-adds per token (or pair of a source and a target token) of one sort, over all layers."""

    name: str
    kind: str
    macs: int


@dataclass(frozen=True, slots=True)
class Switches:
    """What of the work is counted besides the blocks' weight products.

    softmax: the products outside the blocks: the softmax projection of every target token (of every token
        without a decoder) and those of a factorised embedding.
    hoisted: cross-attention keys and values once instead of at every step; only one shared layer reading a
        fixed encoder output can do that, so it changes nothing for layers of their own.
    length: L > 0 counts the attention scores too, 2 L d per token, attention and step (Q K^T and A V;
        masked cells included, as they are computed).
    """

    softmax: bool = False
    hoisted: bool = False
    length: int = 0

    def __post_init__(self) -> None:
        check_range("length", self.length, 0, 10**9)


@dataclass(frozen=True, slots=True)
class Cost:
    """The count of one design; ratios are to Transformer base counted the same way.

    breakdown: parameters by KINDS.  macs: multiply-adds by sort.  Both sum to their totals.
    """

    design: Design
    switches: Switches
    weights: tuple[Weight, ...]
    work: tuple[Work, ...]
    parameters: int
    block_parameters: int
    embedding_parameters: int
    macs_per_token: int
    ratio_parameters: float
    ratio_macs: float
    breakdown: Mapping[str, int]
    macs: Mapping[str, int]


def cost(design: Design, switches: Switches | None = None) -> Cost:
    """Count a design.  With a decoder the work is per pair of one source and one target token."""
    switches = switches or Switches()
    arrays, work = weights(design), work_of(design, switches)
    base = base_of(design)
    base_work = sum(one.macs for one in work_of(base, switches))
    macs = sum(one.macs for one in work)
    parameters = sum(one.count for one in arrays)
    return Cost(
        design=design,
        switches=switches,
        weights=arrays,
        work=work,
        parameters=parameters,
        block_parameters=sum(one.count for one in arrays if one.group == "blocks"),
        embedding_parameters=sum(one.count for one in arrays if one.group == "embedding"),
        macs_per_token=macs,
        ratio_parameters=parameters / sum(one.count for one in weights(base)),
        ratio_macs=macs / base_work,
        breakdown=_sums(KINDS, ((one.kind, one.count) for one in arrays)),
        macs=_sums(WORK_KINDS, ((one.kind, one.macs) for one in work)),
    )


def base_of(design: Design) -> Design:
    """Transformer base under the same accounting: attention biases, final LayerNorms, target-space table."""
    return Design(
        attention_bias=design.attention_bias, final_norm=design.final_norm, target_space=design.target_space
    )


# ---- work -------------------------------------------------------------------------------------------------


def macs(design: Design, switches: Switches | None = None) -> int:
    return sum(one.macs for one in work_of(design, switches or Switches()))


def work_of(design: Design, switches: Switches) -> tuple[Work, ...]:
    """Multiply-adds per token: every layer or step runs once; steps multiply work, not parameters.

    A pooler runs once a sequence, a table look-up multiplies nothing: neither is counted.
    """
    found = _recurrent(design) if design.lstm else _layers(design, switches)
    if switches.softmax:
        found.append(Work("softmax", "softmax", _softmax(design)))
    return tuple(found)


def _recurrent(design: Design) -> list[Work]:
    return [Work("LSTM gates", "recurrent", 8 * design.d_model**2 * design.depth)]


def _layers(design: Design, switches: Switches) -> list[Work]:
    d, f, depth = design.d_model, design.d_ff, design.depth
    transition = 2 * d * f
    if design.transition == "sepconv":
        transition += KERNELS[0] * d + KERNELS[1] * f
    found = [Work("encoder self-attention", "attention", 4 * d * d * depth)]
    if design.decoder:
        rounds = 1 if switches.hoisted and design.shared else depth
        found += [
            Work("decoder self-attention", "attention", 4 * d * d * depth),
            Work("cross-attention queries and output", "attention", 2 * d * d * depth),
            Work("cross-attention keys and values", "attention", 2 * d * d * rounds),
        ]
    found.append(Work("transition", "feed-forward", transition * depth * design.sides))
    if design.halting:
        found.append(Work("halting unit", "halting", d * depth * design.sides))
    if switches.length:
        attentions = 3 if design.decoder else 1
        found.append(Work("scores", "scores", 2 * switches.length * d * depth * attentions))
    return found


def _softmax(design: Design) -> int:
    """Products outside the blocks: V d, or V E and the factor d E once an input and once an output."""
    if design.d_embedding is None:
        return design.vocab * design.d_model
    factor = design.d_embedding * design.d_model
    return design.vocab * design.d_embedding + factor * (design.sides + 1)


# ---- the width that has a number of parameters ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Width:
    """a d^2 + b d + c = target, solved for d; width is the root rounded, excess its parameters - target.

    divisors: the numbers of heads the width can be split into.  nearest: the widths below and above it
    that the wished number of heads divides.
    """

    a: int
    b: int
    c: int
    target: int
    root: float
    width: int
    parameters: int
    excess: int
    divisors: tuple[int, ...]
    nearest: tuple[int, int]

    @property
    def equation(self) -> str:
        constant = f" + {self.c:,}" if self.c else ""
        return f"{self.a:,} d^2 + {self.b:,} d{constant} = {self.target:,}"


def solve_width(design: Design, target: int | None = None) -> Width:
    """The d_model at which the design, with d_ff = 4 d, has `target` parameters (default: base's).

    UserError when its tables alone have more.  With sharing and an encoder-decoder of V = 37,000:
    28 d^2 + 37,032 d = 63,082,496, d = 978.91.
    """
    target = parameters(base_of(design)) if target is None else target
    one, two, three = (parameters(_at_width(design, d)) for d in (1, 2, 3))
    a = (three - 2 * two + one) // 2  # the count is a polynomial of degree 2 in d
    b = two - one - 3 * a
    c = one - a - b
    if target <= a + b + c:
        what = f"no width has {target:,} parameters: the rest of the model alone has more"
        raise UserError(what, "choose a smaller vocabulary or a larger number of parameters")
    root = (-b + math.sqrt(b * b + 4 * a * (target - c))) / (2 * a)
    width = round(root)
    found = parameters(_at_width(design, width))
    below = max(width // design.heads, 1) * design.heads
    above = -(-width // design.heads) * design.heads
    return Width(a, b, c, target, root, width, found, found - target, divisors(width), (below, above))


def _at_width(design: Design, d_model: int) -> Design:
    return replace(design, d_model=d_model, d_ff=4 * d_model, heads=1)


def _sums(kinds: tuple[str, ...], pairs: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """Totals by kind; every kind is there, with 0 where there is none."""
    sums = dict.fromkeys(kinds, 0)
    for kind, count in pairs:
        sums[kind] += count
    return MappingProxyType(sums)

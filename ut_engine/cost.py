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

from ut_engine.errors import UserError
from ut_engine.spec import UTConfig

KINDS = ("embedding", "attention", "feed-forward", "norms", "biases", "other")
GROUPS = ("embedding", "blocks", "outside")
WORK_KINDS = ("attention", "feed-forward", "halting", "scores", "softmax")
TRANSITIONS = ("feedforward", "sepconv")
_KERNELS = (3, 5)  # T2T's separable convolutions: d -> d_ff, then d_ff -> d
_MOST = {"d_model": 10**6, "d_ff": 10**7, "heads": 10**4, "depth": 10**4, "vocab": 10**9}


@dataclass(frozen=True, slots=True)
class Weight:
    """Arrays of one shape: `copies` of them; kind (KINDS) is its bar in the breakdown, group its home."""

    name: str
    group: str
    kind: str
    shape: tuple[int, ...]
    copies: int = 1

    @property
    def count(self) -> int:
        return math.prod(self.shape) * self.copies


@dataclass(frozen=True, slots=True)
class Work:
    """Multiply-adds per token (or pair of a source and a target token) of one sort, over all layers."""

    name: str
    kind: str
    macs: int


@dataclass(frozen=True, slots=True)
class Design:
    """What is counted; the defaults are Transformer base (Vaswani et al. 2017).

    depth: layers N, or steps T of the one layer when `shared`.  decoder: encoder and decoder, else encoder
    only.  d_embedding: width of a factorised embedding (ALBERT), None for d_model.  tied: the softmax uses
    the embedding table, else it has a matrix of its own.  attention_bias: on q, k, v and output.
    transition: "feedforward" or "sepconv" (T2T's kernels 3 and 5).
    embedding_rows, embedding_norm, pooler: BERT's position and type rows, LayerNorm and pooler.
    final_norm: one more LayerNorm a side.  target_space, step_rows: rows of T2T's tables (the second one a
    side).  halting: the unit behind p, one a side.  extras: arrays of a particular model besides.
    """

    d_model: int = 512
    d_ff: int = 2048
    heads: int = 8
    depth: int = 6
    shared: bool = False
    vocab: int = 37_000
    d_embedding: int | None = None
    decoder: bool = True
    tied: bool = True
    attention_bias: bool = True
    transition: str = "feedforward"
    embedding_rows: int = 0
    embedding_norm: bool = False
    pooler: bool = False
    final_norm: bool = False
    target_space: int = 0
    step_rows: int = 0
    halting: bool = False
    extras: tuple[Weight, ...] = ()

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            _range(name, getattr(self, name), 1, most)
        if self.d_embedding is not None:
            _range("d_embedding", self.d_embedding, 1, _MOST["d_model"])
        if self.transition not in TRANSITIONS:
            known = ", ".join(TRANSITIONS)
            raise UserError(f"transition cannot be {self.transition!r}", f"use one of {known}")
        if self.d_model % self.heads:
            near = ", ".join(map(str, divisors(self.d_model)[:8]))
            raise UserError(
                f"d_model = {self.d_model} cannot be split into {self.heads} heads",
                f"choose a number of heads that divides it: {near}",
            )

    @property
    def layers(self) -> int:
        """Distinct layers a side: weight sets."""
        return 1 if self.shared else self.depth

    @property
    def sides(self) -> int:
        return 2 if self.decoder else 1


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
        _range("length", self.length, 0, 10**9)


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


# ---- parameters -------------------------------------------------------------------------------------------


def parameters(design: Design) -> int:
    return sum(one.count for one in weights(design))


def weights(design: Design) -> tuple[Weight, ...]:
    """Every array of the model, with its shape and how many of it there are."""
    sides = ("encoder", "decoder")[: design.sides]
    blocks = [one for side in sides for one in _block(design, side)]
    found = (*_embedding(design), *blocks, *_outside(design), *design.extras)
    return tuple(one for one in found if one.count)


def _embedding(design: Design) -> list[Weight]:
    width = design.d_embedding or design.d_model
    found = [Weight("embedding", "embedding", "embedding", (design.vocab, width))]
    if not design.tied:
        found.append(Weight("softmax", "embedding", "embedding", (width, design.vocab)))
    found.append(Weight("positions and types", "embedding", "embedding", (design.embedding_rows, width)))
    if design.embedding_norm:
        found.append(Weight("embedding LayerNorm", "embedding", "norms", (width,), 2))
    if design.d_embedding is not None:
        found.append(Weight("embedding projection", "embedding", "embedding", (width, design.d_model)))
        found.append(Weight("embedding projection bias", "embedding", "biases", (design.d_model,)))
    return found


def _block(design: Design, side: str) -> list[Weight]:
    d, f, n = design.d_model, design.d_ff, design.layers
    found = []
    for name in ("self-attention", "cross-attention")[: 1 if side == "encoder" else 2]:
        found.append(Weight(f"{side} {name} q, k, v, output", "blocks", "attention", (d, d), 4 * n))
        if design.attention_bias:
            found.append(Weight(f"{side} {name} biases", "blocks", "biases", (d,), 4 * n))
    if design.transition == "sepconv":
        for kernel, width in zip(_KERNELS, (d, f), strict=True):
            name = f"{side} depth-wise kernel {kernel}"
            found.append(Weight(name, "blocks", "feed-forward", (kernel, width), n))
    found.append(Weight(f"{side} transition", "blocks", "feed-forward", (d, f), 2 * n))
    found.append(Weight(f"{side} transition inner bias", "blocks", "biases", (f,), n))
    found.append(Weight(f"{side} transition outer bias", "blocks", "biases", (d,), n))
    norms = 2 if side == "encoder" else 3
    found.append(Weight(f"{side} LayerNorms", "blocks", "norms", (d,), 2 * norms * n))
    return found


def _outside(design: Design) -> list[Weight]:
    d, sides = design.d_model, design.sides
    found = [
        Weight("target-space table", "outside", "embedding", (design.target_space, d)),
        Weight("step table", "outside", "embedding", (design.step_rows, d), sides),
    ]
    if design.final_norm:
        found.append(Weight("final LayerNorm", "outside", "norms", (d,), 2 * sides))
    if design.halting:
        found.append(Weight("halting unit", "outside", "other", (d, 1), sides))
        found.append(Weight("halting bias", "outside", "biases", (1,), sides))
    if design.pooler:
        found.append(Weight("pooler", "outside", "other", (d, d)))
        found.append(Weight("pooler bias", "outside", "biases", (d,)))
    return found


# ---- work -------------------------------------------------------------------------------------------------


def macs(design: Design, switches: Switches | None = None) -> int:
    return sum(one.macs for one in work_of(design, switches or Switches()))


def work_of(design: Design, switches: Switches) -> tuple[Work, ...]:
    """Multiply-adds per token: every layer or step runs once; steps multiply work, not parameters.

    A pooler runs once a sequence, a table look-up multiplies nothing: neither is counted.
    """
    d, f, depth = design.d_model, design.d_ff, design.depth
    transition = 2 * d * f
    if design.transition == "sepconv":
        transition += _KERNELS[0] * d + _KERNELS[1] * f
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
    if switches.softmax:
        found.append(Work("softmax", "softmax", _softmax(design)))
    return tuple(found)


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


def divisors(number: int) -> tuple[int, ...]:
    small = [k for k in range(1, math.isqrt(number) + 1) if number % k == 0]
    return tuple(sorted({*small, *(number // k for k in small)}))


# ---- the engine's own models ------------------------------------------------------------------------------


def of_config(config: UTConfig, steps: int | None = None) -> Design:
    """The design of a model of this engine: its count is that of the real module's parameters."""
    d = config.d_model
    extras = [
        Weight("word mask", "embedding", "embedding", (config.words, d)),
        Weight("read-out", "outside", "other", (config.answers, d)),
        Weight("read-out bias", "outside", "biases", (config.answers,)),
    ]
    if config.attention_bias == "relative":
        shape = (config.heads, 2 * config.relative_clip + 1)
        extras.append(Weight("relative attention bias", "blocks", "attention", shape))
    return Design(
        d_model=d, d_ff=config.d_ff, heads=config.heads, depth=config.steps_allowed(steps), shared=True,
        vocab=config.vocab, decoder=False, attention_bias=config.projection_bias,
        final_norm=config.has_final_norm, halting=config.act, extras=tuple(extras),
        step_rows=config.max_steps if config.signal == "learned" else 0,
    )  # fmt: skip


def _range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise UserError(f"{name} = {value} is out of range", f"choose from {least:,} to {most:,}")


def _sums(kinds: tuple[str, ...], pairs: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """Totals by kind; every kind is there, with 0 where there is none."""
    sums = dict.fromkeys(kinds, 0)
    for kind, count in pairs:
        sums[kind] += count
    return MappingProxyType(sums)

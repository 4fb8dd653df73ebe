"""A Transformer as a list of arrays: what is counted, with which options.

Layers of their own or one shared layer, encoder and decoder or encoder only, an LSTM beside them; the extras
of BERT, ALBERT and tensor2tensor are switches of the same list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ut_engine.errors import UserError
from ut_engine.spec import UTConfig

KINDS = ("embedding", "attention", "feed-forward", "recurrent", "norms", "biases", "other")
GROUPS = ("embedding", "blocks", "outside")
TRANSITIONS = ("feedforward", "sepconv")
KERNELS = (3, 5)  # T2T's separable convolutions: d -> d_ff, then d_ff -> d
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
class Design:
    """What is counted; the defaults are Transformer base (Vaswani et al. 2017).

    depth: layers N, or steps T of the one layer when `shared`.  decoder: encoder and decoder, else encoder
    only.  d_embedding: width of a factorised embedding (ALBERT), None for d_model.  tied: the softmax uses
    the embedding table, else it has a matrix of its own.  attention_bias: on q, k, v and output.
    transition: "feedforward" or "sepconv" (T2T's kernels 3 and 5).
    embedding_rows, embedding_norm, pooler: BERT's position and type rows, LayerNorm and pooler.
    final_norm: one more LayerNorm a side.  norms: LayerNorms in the layers.  target_space, step_rows: rows of
    T2T's tables (the second one a side).  halting: the unit behind p, one a side.  extras: arrays of a
    particular model besides.
    lstm: stacked LSTM cells instead of Transformer layers (four gates, two bias vectors, as in torch).
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
    norms: bool = True
    target_space: int = 0
    step_rows: int = 0
    halting: bool = False
    lstm: bool = False
    extras: tuple[Weight, ...] = ()

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            check_range(name, getattr(self, name), 1, most)
        if self.d_embedding is not None:
            check_range("d_embedding", self.d_embedding, 1, _MOST["d_model"])
        if self.transition not in TRANSITIONS:
            known = ", ".join(TRANSITIONS)
            raise UserError(f"transition cannot be {self.transition!r}", f"use one of {known}")
        if self.lstm and (self.decoder or self.shared):
            raise UserError(
                "an LSTM has neither decoder nor shared layers here", "set decoder and shared to false"
            )
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
    if design.lstm:
        return [
            Weight("LSTM gates, input and state", "blocks", "recurrent", (4 * d, d), 2 * n),
            Weight("LSTM gate biases", "blocks", "biases", (4 * d,), 2 * n),
        ]
    found = []
    for name in ("self-attention", "cross-attention")[: 1 if side == "encoder" else 2]:
        found.append(Weight(f"{side} {name} q, k, v, output", "blocks", "attention", (d, d), 4 * n))
        if design.attention_bias:
            found.append(Weight(f"{side} {name} biases", "blocks", "biases", (d,), 4 * n))
    if design.transition == "sepconv":
        for kernel, width in zip(KERNELS, (d, f), strict=True):
            name = f"{side} depth-wise kernel {kernel}"
            found.append(Weight(name, "blocks", "feed-forward", (kernel, width), n))
    found.append(Weight(f"{side} transition", "blocks", "feed-forward", (d, f), 2 * n))
    found.append(Weight(f"{side} transition inner bias", "blocks", "biases", (f,), n))
    found.append(Weight(f"{side} transition outer bias", "blocks", "biases", (d,), n))
    norms = (2 if side == "encoder" else 3) if design.norms else 0
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


def of_config(config: UTConfig, steps: int | None = None) -> Design:
    """The design of a model of this engine: its count is that of the real module's parameters.

    steps: of the run to be counted; by default as many as the model usually takes at most (an LSTM: layers).
    """
    d = config.d_model
    universal = config.architecture == "universal"
    extras = [Weight("word mask", "embedding", "embedding", (config.words, d))]
    if not config.tied:
        extras.append(Weight("read-out", "outside", "other", (config.answers, d)))
        extras.append(Weight("read-out bias", "outside", "biases", (config.answers,)))
    if config.decoder and not config.tied:
        extras.append(Weight("target embedding", "embedding", "embedding", (config.answers, d)))
    if config.attention_bias == "relative":
        shape = (config.heads, 2 * config.relative_clip + 1)
        copies = config.layers * (2 if config.decoder else 1)
        extras.append(Weight("relative attention bias", "blocks", "attention", shape, copies))
    return Design(
        d_model=d, d_ff=config.d_ff, heads=config.heads, shared=universal, vocab=config.vocab,
        depth=config.steps_allowed(steps) if universal else config.layers, decoder=config.decoder,
        attention_bias=config.projection_bias, transition=config.transition, final_norm=config.has_final_norm,
        norms=config.norm != "none",
        step_rows=config.max_steps if config.signal == "learned" else 0, halting=config.act,
        lstm=config.architecture == "lstm", extras=tuple(extras),
    )  # fmt: skip


def divisors(number: int) -> tuple[int, ...]:
    small = [k for k in range(1, math.isqrt(number) + 1) if number % k == 0]
    return tuple(sorted({*small, *(number // k for k in small)}))


def check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise UserError(f"{name} = {value} is out of range", f"choose from {least:,} to {most:,}")

"""Published models as designs to be counted: the story's accounting, BERT and ALBERT, tensor2tensor's own.

Sizes: Vaswani et al. 2017 (base, big), tensor2tensor's universal_transformer_small and _base, Devlin et al.
2019 (BERT base), Lan et al. 2020 (ALBERT base).  The Universal Transformer paper names no sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from ut_engine.cost import Cost, cost
from ut_engine.design import Design
from ut_engine.errors import UserError

PAPER = "Universal Transformers, table 7"
VASWANI = "Vaswani et al. 2017: another paper, another set-up"


@dataclass(frozen=True, slots=True)
class Preset:
    """A published model; bleu: WMT14 English-German as printed in `source`, None where not reported."""

    design: Design
    title: str
    bleu: float | None = None
    source: str = ""


_BIG = Design(d_model=1024, d_ff=4096, heads=16)
_UT = replace(_BIG, shared=True)
_BERT = Design(
    d_model=768, d_ff=3072, heads=12, depth=12, vocab=30_522, decoder=False, embedding_rows=512 + 2,
    embedding_norm=True, pooler=True,
)  # fmt: skip

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "transformer-base": Preset(Design(), "Transformer base", 28.0, PAPER),
        "ut-small": Preset(Design(shared=True), "UT small", 26.8, PAPER),
        "ut-base": Preset(_UT, "UT base", 28.9, PAPER),
        "transformer-big": Preset(_BIG, "Transformer big", 28.4, VASWANI),
        "bert-base": Preset(_BERT, "BERT base"),
        "albert-base": Preset(replace(_BERT, shared=True, vocab=30_000, d_embedding=128), "ALBERT base"),
    }
)

_T2T = {
    "transformer-base": Design(),
    "ut-small": Design(shared=True),
    "ut-base": _UT,
    "ut-base-sepconv": replace(_UT, transition="sepconv"),
    "adaptive-ut-base": replace(_UT, halting=True),
    "transformer-big": _BIG,
}
T2T_NAMES = tuple(_T2T)


def preset(name: str) -> Preset:
    """A published model by its name; UserError for another."""
    if name not in PRESETS:
        raise UserError(f"there is no preset {name!r}", f"use one of {', '.join(PRESETS)}")
    return PRESETS[name]


@lru_cache(maxsize=16)
def counted(name: str) -> Cost:
    """Parameters and work of a preset by the story's accounting."""
    return cost(preset(name).design)


def tensor2tensor(name: str, vocab: int = 37_000) -> Design:
    """One of tensor2tensor's own configurations (T2T_NAMES) as it allocates it."""
    if name not in _T2T:
        raise UserError(f"tensor2tensor has no preset {name!r} here", f"use one of {', '.join(_T2T)}")
    return as_tensor2tensor(replace(_T2T[name], vocab=vocab))


def as_tensor2tensor(design: Design) -> Design:
    """What tensor2tensor really allocates: no attention biases, final LayerNorms, a target-space table of 32
    rows and, for a shared layer, a learned step table a side: a row a step, with ACT 2 x as many (its cap).
    """
    if design.pooler:
        raise UserError("BERT and ALBERT are not models of tensor2tensor", "count another preset that way")
    rows = design.depth * (2 if design.halting else 1) if design.shared else 0
    return replace(design, attention_bias=False, final_norm=True, target_space=32, step_rows=rows)

"""Every kind of encoder there is, small and random, and a padded input for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from ut_engine.spec import UTConfig
from ut_engine.torch.build import Encoder, build
from ut_engine.torch.model import UniversalTransformer
from ut_engine.torch.seq2seq import EncoderDecoder

SMALL: dict[str, Any] = {"vocab": 11, "answers": 4, "d_model": 16, "heads": 4, "d_ff": 24, "max_steps": 5}
TRANSFORMER: dict[str, Any] = {"architecture": "transformer", "layers": 3, "halting": "none"}
CELL: dict[str, Any] = {"architecture": "lstm", "halting": "none", "signal": "none"}
ACT: dict[str, Any] = {"halting_bias": -1.0}
KINDS: dict[str, dict[str, Any]] = {
    "UT": {"halting": "none"},
    "UT+ACT": ACT,
    "UT+ACT, frozen": {**ACT, "state": "frozen"},
    "UT+ACT, Graves": {**ACT, "mixing": "graves", "p_from": "new"},
    "UT, convolutions": {"halting": "none", "transition": "sepconv"},
    "UT+ACT, convolutions": {**ACT, "transition": "sepconv", "norm": "pre"},
    "UT, tied": {"halting": "none", "tied": True, "answers": 11},
    "UT, T = n": {"halting": "none", "steps_from": "length", "inject": True, "signal": "none"},
    "UT+ACT, T = log2 n": {**ACT, "steps_from": "log2"},
    "Transformer": TRANSFORMER,
    "Transformer, pre": {**TRANSFORMER, "norm": "pre", "attention_bias": "relative"},
    "Transformer, convolutions": {**TRANSFORMER, "transition": "sepconv", "tied": True, "answers": 11},
    "LSTM": CELL,
    "LSTM, two cells": {**CELL, "layers": 2, "norm": "pre"},
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def make(kind: str = "UT", seed: int = 0, **options: Any) -> Encoder:
    """A random encoder; with ACT its halting differs from position to position."""
    torch.manual_seed(seed)
    model = build(UTConfig(**{**SMALL, **KINDS[kind], **options}))
    assert not isinstance(model, EncoderDecoder)
    if isinstance(model, UniversalTransformer) and model.config.act:
        torch.nn.init.normal_(model.halting_unit.weight, std=0.4)
    return model.eval()


def padded_ids() -> torch.Tensor:
    """Three examples of 7, 4 and 3 symbols, padded at the end, and one gap."""
    ids = torch.from_numpy(np.random.default_rng(5).integers(1, 11, (3, 7)))
    ids[1, 4:] = 0
    ids[2, 3:] = 0
    ids[2, 1] = 0
    return ids

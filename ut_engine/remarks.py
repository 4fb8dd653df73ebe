"""What a user should know of a checkpoint before believing its runs: sentences, for window and command line.

Known failures are named on sight: a halting unit as it was initialised lets every position stop after the
same few steps (tensor2tensor's bias of 1 gives p = 0.731 and two steps).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ut_engine.checkpoint import Header
from ut_engine.spec import UTConfig

FREE = (
    "heads", "max_steps", "norm", "signal", "attention_bias", "causal", "window", "inject", "state", "mixing",
    "p_from", "epsilon", "readout", "steps_from",
)  # fmt: skip
"""Options that no tensor's shape tells: left out, they change the numbers without a word."""


def remarks(header: Header, config: UTConfig, tensors: Mapping[str, Any]) -> list[str]:
    """The sentences, without a full stop.  tensors: at least those of the halting units, as arrays."""
    return [
        *_wrapped(header),
        *_precision(header),
        *_left_out(header, config),
        *_untrained_halting(config, tensors),
    ]


def _wrapped(header: Header) -> Iterator[str]:
    if header.prefix:
        yield f"every name of its tensors begins with {header.prefix}, which is taken off"


def _precision(header: Header) -> Iterator[str]:
    stored = sorted({info.dtype for info in header.tensors.values()})
    if stored != ["F32"]:
        yield f"the weights are stored as {', '.join(stored)} and run in float32"


def _left_out(header: Header, config: UTConfig) -> Iterator[str]:
    options = header.config.get("model")
    if not isinstance(options, Mapping):
        return
    mattering = {item.name for item in fields(config)} & set(FREE)
    absent = [name for name in FREE if name in mattering and name not in options]
    if absent:
        taken = ", ".join(f"{name} = {getattr(config, name)}" for name in absent)
        yield f"its configuration leaves out {taken}: these usual values are taken"


def _untrained_halting(config: UTConfig, tensors: Mapping[str, Any]) -> Iterator[str]:
    for name in tensors:
        if not name.endswith("halting_unit.weight") or np.any(tensors[name]):
            continue
        bias = float(np.asarray(tensors[name.removesuffix("weight") + "bias"]).item())
        p = 1.0 / (1.0 + math.exp(-bias))
        steps = math.floor(config.threshold / p) + 1 if p > 0 else config.max_steps + 1
        if config.steps_from == "fixed" and steps > config.max_steps:
            yield f"the halting kernel is zero: p = {p:.3f} everywhere, so that nothing halts before the cap"
        else:
            yield f"the halting kernel is zero: p = {p:.3f} everywhere, so that all halt at step {steps}"

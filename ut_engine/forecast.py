"""How much memory a run will take, before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ut_engine.records import Capture

FLOAT = 4


def forecast(
    config: Mapping[str, Any], m: int, steps: int, batch: int = 1, capture: Capture | None = None
) -> int:
    """Bytes of a traced run of m positions: maps and states kept of every step, and one step's work.

    config: the model's options (`heads`, `d_model`, `d_ff`, `answers`, `halting`, `architecture`, `decoder`);
    float32.  A decoder is counted as long as the source, with its own maps and those of the source.
    """
    capture = capture or Capture()
    d, heads = int(config["d_model"]), int(config["heads"])
    one_map = map_bytes(config, m, batch)
    states = 2 if config.get("halting") == "act" else 1
    kept = one_map if capture.attention else 0
    if capture.states:
        kept += states * batch * m * d * FLOAT
    if capture.readout:
        kept += states * batch * m * int(config["answers"]) * FLOAT
    work = 2 * one_map + batch * m * (int(config["d_ff"]) + 6 * d) * FLOAT
    derived = batch * m * (2 * heads + 10) * FLOAT
    one_side = steps * (kept + derived)
    if not config.get("decoder"):
        return one_side + work
    cross = steps * one_map if capture.attention else 0
    return 2 * one_side + cross + work


def map_bytes(config: Mapping[str, Any], m: int, batch: int = 1) -> int:
    """Bytes of the self-attention maps of one step, all heads; an LSTM has none."""
    if config.get("architecture") == "lstm":
        return 0
    return batch * int(config["heads"]) * m * m * FLOAT

"""How many steps a checkpoint takes by itself, read off its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

USUAL = 8  # where the options do not say
MOST = 999  # steps that can be asked for; a T that follows the length may be more


def is_lstm(config: Mapping[str, Any]) -> bool:
    """An LSTM has neither heads nor attention, and takes one step a position."""
    return config.get("architecture") == "lstm"


def follow_length(config: Mapping[str, Any]) -> bool:
    """Whether the number of steps is no option of the model but follows from the input."""
    return is_lstm(config) or config.get("steps_from", "fixed") != "fixed"


def own_steps(config: Mapping[str, Any]) -> int:
    """T, the cap, or the number of layers; 0 where it follows from the input."""
    if follow_length(config):
        return 0
    if config.get("architecture") == "transformer":
        return int(config.get("layers", 1))
    return int(config.get("max_steps", USUAL) or USUAL)


def most_steps(config: Mapping[str, Any]) -> int:
    """The most steps one can ask of it."""
    ends = config.get("architecture") == "transformer" or config.get("signal") == "learned"
    return own_steps(config) or MOST if ends else MOST


def asked_steps(config: Mapping[str, Any], wanted: int) -> int:
    """What to ask for: as wanted, where the model can; its own number (0: follows the input) for 0."""
    return min(wanted, most_steps(config)) if wanted else own_steps(config)

"""Changes of the past: what a run does otherwise than the model would, at a step and a position.

Every change is one of p, so that the listing stays what decides who halts.  A changed run is computed again
from its start; as the model is deterministic, the steps before a change come out as they were.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ut_engine.errors import UserError
from ut_engine.spec import UTConfig

KINDS = ("p", "halt", "run")


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the past at one step (from 1) and position (from 0), in every example.

    kind: "p" sets the halting probability to `value`; "halt" makes the position halt there (p = 1);
    "run" keeps it running (p at most what is left below the threshold; Graves's rule still ends at the cap).
    """

    kind: str
    step: int
    position: int
    value: float = 0.0

    def __post_init__(self) -> None:
        whole = type(self.step) is int and type(self.position) is int
        if self.kind not in KINDS or not whole or self.step < 1 or self.position < 0:
            raise ValueError(f"{self} is no change of the past")
        number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        if not number or not 0 <= self.value <= 1:
            raise ValueError(f"{self} is no change of the past")

    def plain(self) -> tuple[str, int, int, float]:
        """As numbers and a name, for JSON."""
        return self.kind, self.step, self.position, float(self.value)


def edits_from(values: Any) -> tuple[Edit, ...]:
    """The edits of [[kind, step, position, value], ...]; raises ValueError for anything else."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise ValueError("edits must be a list")
    found = []
    for one in values:
        if not isinstance(one, Sequence) or isinstance(one, str) or len(one) != 4:
            raise ValueError(f"{one!r} is no change of the past: kind, step, position, value")
        found.append(Edit(*one))
    return tuple(found)


def check_edits(
    config: UTConfig, edits: Sequence[Edit], epsilon: float | None, positions: int | None = None
) -> None:
    """Raise UserError unless these changes, and this epsilon of the run (None: the model's), make sense."""
    if not edits and epsilon is None:
        return
    if not config.act:
        raise UserError("this model does not halt by ACT, so there is no p to change", "run it as it is")
    if config.decoder:
        raise UserError("the halting of an encoder-decoder cannot be changed", "run it as it is")
    if epsilon is not None and not (math.isfinite(epsilon) and 0.0 <= epsilon < 1.0):
        raise UserError(f"epsilon = {epsilon} is out of range", "choose from 0 up to, not including, 1")
    for edit in edits:
        if positions is not None and edit.position >= positions:
            raise UserError(
                f"there is no position {edit.position + 1} to change", f"choose from 1 to {positions}"
            )


def remaining(cumulative: float, p: float, threshold: float) -> float:
    """A p of at most the given one with which a running position's h + p stays below the threshold.

    It leaves no more than rounding asks for; 0 where nothing is left.
    """
    kept = min(p, max(math.nextafter(threshold, 0.0) - cumulative, 0.0))
    if cumulative + kept >= threshold:  # the difference was rounded up
        kept = math.nextafter(kept, 0.0)
    return max(kept, 0.0)

"""Measurements: what needs a model computed for it besides the run on screen, one file each.

A measurement is a module here with `measure(args, progress)`: args is plain JSON, what it returns a dict of
plain JSON (NaN allowed).  `progress(done, total)` is called now and then; it raises `Cancelled` when the
figures are no longer wanted, so a measurement needs to do nothing for it.  Wrong args raise UserError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module, util
from typing import Any

from ut_engine.errors import UserError

Progress = Callable[[int, int], None]
Measure = Callable[[Mapping[str, Any], Progress], dict[str, Any]]


class Cancelled(Exception):
    """Nobody waits for the figures any more."""


def find(name: str) -> Measure:
    """The measurement of a name; raises UserError where there is none."""
    if not (name.isidentifier() and util.find_spec(f"{__name__}.{name}")):
        raise UserError(
            f"there is no measurement {name!r}", "ask for one of those in ut_engine.torch.measures"
        )
    found: Measure = import_module(f"{__name__}.{name}").measure
    return found


def silent(done: int, total: int) -> None:
    """For whoever does not wait at a window."""

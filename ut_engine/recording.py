"""A whole run in one call, for scripts and notebooks: text or ids in, records out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ut_engine.checkpoint import Loaded
from ut_engine.prepare import Input, asked_of, prepare
from ut_engine.records import Capture
from ut_engine.run import Run


def record(
    loaded: Loaded,
    given: str | Sequence[Any] | Input,
    steps: int | None = None,
    capture: Capture | None = None,
) -> Run:
    """Run a checkpoint to the end and keep every record; UserError for what it cannot read.

    given: a text, token ids ([position] or [position][word]) or an `Input`.  steps: the cap, None for the
    model's own.  capture: what to keep, everything by default.
    """
    if isinstance(given, str):
        given = Input(text=given)
    elif not isinstance(given, Input):
        given = Input(ids=given)
    ids, info = prepare(loaded, given, steps)
    run = Run(info)
    for one in loaded.model.steps(ids, capture or Capture(), steps, **asked_of(info)):
        run = run.add(one)
    return run.end("done")

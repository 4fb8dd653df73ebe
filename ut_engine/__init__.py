"""Depthscope's engine: load a checkpoint, iterate over `model.steps(ids, capture)`, read the numbers.

    import ut_engine
    loaded = ut_engine.load("resources/checkpoints/babi")
    run = ut_engine.record(loaded, "Mary went to the office. Where is Mary?")  # everything, in one call
    for record in loaded.model.steps([[3, 1, 2]], ut_engine.Capture()):
        print(record.step, record.attention[0].weights.shape)

Names are looked up when first used, so that importing the package loads neither torch nor numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ut_engine.checkpoint import Header, Loaded, peek
    from ut_engine.edits import Edit
    from ut_engine.errors import UserError
    from ut_engine.family import identify, load
    from ut_engine.recording import record
    from ut_engine.records import Address, Attention, Capture, Halting, StepRecord
    from ut_engine.run import Run, RunInfo, load_run
    from ut_engine.spec import UTConfig

_HOMES = {
    "Address": "records",
    "Attention": "records",
    "Capture": "records",
    "Edit": "edits",
    "Halting": "records",
    "Header": "checkpoint",
    "Loaded": "checkpoint",
    "Run": "run",
    "RunInfo": "run",
    "StepRecord": "records",
    "UTConfig": "spec",
    "UserError": "errors",
    "identify": "family",
    "load": "family",
    "load_run": "run",
    "peek": "checkpoint",
    "record": "recording",
}

__all__ = [
    "Address",
    "Attention",
    "Capture",
    "Edit",
    "Halting",
    "Header",
    "Loaded",
    "Run",
    "RunInfo",
    "StepRecord",
    "UTConfig",
    "UserError",
    "identify",
    "load",
    "load_run",
    "peek",
    "record",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

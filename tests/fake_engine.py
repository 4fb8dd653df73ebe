"""An engine process without torch: the real host, a made-up model that fails when told to.

The number of steps asked for says what happens after one good step; run as a script by `test_border.py`.
"""

from __future__ import annotations

import ctypes
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ut_engine import host
from ut_engine.adapters import universal_transformer as adapter
from ut_engine.checkpoint import Header, Loaded, LoadReport
from ut_engine.records import Address, Attention, Capture, StepRecord
from ut_engine.torch import measures

WIRE = os.dup(1)
NO_MEMORY, NO_MEMORY_IN_TORCH, MISTAKE, EXIT, SEGFAULT, DEATH, GARBAGE = range(11, 18)


class Model:
    """Uniform attention and a state that counts."""

    def to(self, _: str) -> Model:
        return self

    def steps(self, ids: Any, capture: Capture, cap: int) -> Iterator[StepRecord]:
        batch, m = ids.shape[:2]
        real = np.ones((batch, m), bool)
        for t in range(1, cap + 1):
            print("a print must not break a frame")
            maps = Attention("self", np.full((batch, 2, m, m), 1 / m, np.float32))
            yield StepRecord(Address(t), real, real, np.full((batch, m, 2), float(t)), attention=(maps,))
            fail(cap)


def fail(cap: int) -> None:
    if cap == NO_MEMORY:
        raise MemoryError
    if cap == NO_MEMORY_IN_TORCH:
        raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried")
    if cap == MISTAKE:
        raise RuntimeError("shapes 3x4; and 5x6\ncannot be multiplied")
    if cap == EXIT:
        raise SystemExit(3)
    if cap == SEGFAULT:
        ctypes.string_at(0)
    if cap == DEATH:
        os._exit(7)
    if cap == GARBAGE:
        os.write(WIRE, b"garbage" * 9)


def load(header: Header, device: str) -> Loaded:
    tokenizer = header.config["tokenizer"]
    return Loaded(Model(), adapter.config_of(header), tokenizer, "babi", LoadReport(), header, device)


if __name__ == "__main__":
    device = types.ModuleType("ut_engine.torch.device")
    device.choose = lambda name: types.SimpleNamespace(name="cpu", reason="asked for")  # type: ignore[attr-defined]
    device.use_threads = lambda count: None  # type: ignore[attr-defined]
    sys.modules["ut_engine.torch.device"] = device
    adapter.load = load
    measures.__path__.append(str(Path(__file__).parent / "fake_measures"))
    host.main()

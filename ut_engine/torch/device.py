"""Which device computes: probed with a small real product, never trusted by name."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from ut_engine.errors import UserError

NAMES = ("auto", "cpu", "cuda", "mps")
THREADS = 1
NOT_HERE = "this machine or this build of torch has no"


@dataclass(frozen=True, slots=True)
class Device:
    """A device that computed a product correctly, and why it was chosen (a phrase for people)."""

    name: str
    reason: str


def choose(name: str = "auto") -> Device:
    """The device asked for, or with "auto" the first accelerator that works, else the CPU.

    Raises UserError for an unknown name and for a device asked for by name that does not work here.
    """
    kind = name.partition(":")[0]
    if kind not in NAMES or (":" in name and kind != "cuda"):
        raise UserError(f"there is no device {name!r}", f"use one of {', '.join(NAMES)}")
    if kind == "cpu":
        return Device("cpu", "asked for")
    if kind != "auto":
        fault = probe(name)
        if fault is not None:
            raise UserError(f"the device {name} cannot be used: {fault}", "use --device auto or cpu")
        return Device(name, "asked for")
    faults, missing = [], 0
    for candidate in ("cuda", "mps"):
        fault = probe(candidate)
        if fault is None:
            return Device(candidate, "the accelerator works")
        faults.append(f"{candidate}: {fault}")
        missing += int(fault.startswith(NOT_HERE))
    return Device("cpu", "no CUDA or MPS device was found" if missing == len(faults) else ", ".join(faults))


def probe(name: str) -> str | None:
    """None when the device multiplies two small matrices correctly, else what is wrong, in a phrase."""
    if name.startswith("cuda") and not torch.cuda.is_available():
        return f"{NOT_HERE} CUDA device"
    if name == "mps" and not torch.backends.mps.is_available():
        return f"{NOT_HERE} MPS device"
    try:
        a = torch.arange(64, dtype=torch.float32).reshape(8, 8) / 64
        product = (a.to(name) @ a.to(name)).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        return str(error).strip().split("\n")[0] or type(error).__name__
    return None if torch.allclose(product, a @ a, atol=1e-2) else "it multiplies two matrices wrongly"


def use_threads(count: int = THREADS) -> None:
    """CPU threads for torch; one by default, as two on a busy machine were measured several times slower."""
    torch.set_num_threads(max(1, count))

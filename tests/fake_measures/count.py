"""A measurement that counts: until told to stop, until a number, or until it fails or dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from itertools import count as numbers
from typing import Any

from ut_engine.errors import UserError
from ut_engine.torch.measures import Progress


def measure(args: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """args: to (a number, 0 never ends), then: "" or "refuse", "fail", "die"."""
    to, then = int(args["to"]), args.get("then", "")
    for done in numbers(1):
        progress(done, to)
        if done == to:
            break
    if then == "refuse":
        raise UserError("this cannot be counted", "count something else")
    if then == "fail":
        raise RuntimeError("no more numbers")
    if then == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"counted": to, "nothing": float("nan"), "pid": os.getpid()}

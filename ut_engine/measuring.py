"""Measurements on the engine's side of the border: one at a time, with progress, cancelled by number."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

PACE_SECONDS = 0.05  # between two messages about progress; more of them help nobody


class Measuring:
    """The measurements one host was asked for; `send` answers the window.

    Messages: {"op": "progress", request, done, total} now and then, then {"op": "measured", request, value}
    or {"op": "cancelled", request}; errors are raised.
    """

    def __init__(self, send: Callable[[Mapping[str, Any]], None]) -> None:
        self.send = send
        self.lock = threading.Lock()
        self.asked: set[int] = set()

    def ask(self, message: Mapping[str, Any]) -> None:
        """Note a measurement that will be run (main thread)."""
        with self.lock:
            self.asked.add(int(message["request"]))

    def cancel(self, message: Mapping[str, Any]) -> None:
        """End one at its next progress, or before it begins (main thread)."""
        with self.lock:
            self.asked.discard(int(message["request"]))

    def wanted(self, request: int) -> bool:
        with self.lock:
            return request in self.asked

    def run(self, message: Mapping[str, Any]) -> None:
        """Measure and answer (worker thread); raises what the measurement raises."""
        measures: Any = import_module(
            "ut_engine.torch.measures"
        )  # its files load torch, only in this process
        request = int(message["request"])
        about = {"request": request}
        said = -PACE_SECONDS

        def progress(done: int, total: int) -> None:
            nonlocal said
            if not self.wanted(request):
                raise measures.Cancelled
            if time.monotonic() - said >= PACE_SECONDS:
                said = time.monotonic()
                self.send({"op": "progress", **about, "done": int(done), "total": int(total)})

        try:
            progress(0, 0)
            value = measures.find(str(message["what"]))(message.get("args") or {}, progress)
            answer = {"op": "measured", **about, "value": value}
        except measures.Cancelled:
            answer = {"op": "cancelled", **about}
        finally:
            self.cancel(message)
        self.send(answer)

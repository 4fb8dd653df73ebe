"""Carries out `measure.*` effects in an engine process of its own: the open model's run is undisturbed.

The process is started at the first measurement and ended with the window, or when nothing was measured for
some minutes; one that is lost is started again at the next.  Measurements run one after the other; a newer
one of the same key takes the older one's place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.pane import Effect, Event
from app.qt.pump import CLOSE_SECONDS, Make
from ut_engine.client import Client
from ut_engine.errors import UserError
from ut_engine.message import Message as Answer

IDLE_MS = 300_000  # after the last measurement; torch and a model take some 400 MB meanwhile


class Laboratory(QObject):
    """Between the store and the measuring engine; `dispatch` takes events on the GUI thread.

    Effects: "measure.start" {key, what, args}, "measure.cancel" key.  Events: "measure.progress" {key, done,
    total}, then "measure.done" {key, value} or "measure.error" {key, what, do}; nothing after a cancel.
    """

    idle = Signal()
    """The last of the measurements asked for has ended."""
    _woken = Signal()

    def __init__(self, dispatch: Callable[[Event], None], make: Make, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.dispatch = dispatch
        self.client: Client | None = None
        self._make = make
        self._closed = False
        self._keys: dict[int, str] = {}  # request number -> key, of what is still wanted
        self.rest = QTimer(self, singleShot=True, interval=IDLE_MS)
        self.rest.timeout.connect(self._end)
        self._woken.connect(self._arrived, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        return bool(self._keys)

    def perform(self, effect: Effect) -> None:
        """Carry out one effect, once closed none; an engine that cannot start is the measurement's error."""
        if self._closed:
            return
        if effect.name == "measure.cancel":
            self._cancel(str(effect.value))
            self._rested()
            return
        key = str(effect.value["key"])
        self._cancel(key)
        self.rest.stop()
        try:
            request = self._ready().measure(str(effect.value["what"]), effect.value.get("args") or {})
        except UserError as error:
            self.dispatch(Event("measure.error", {"key": key, "what": error.what, "do": error.do}))
        else:
            self._keys[request] = key

    def _ready(self) -> Client:
        if self.client is None:
            self.client = self._make(self._woken.emit)
        elif not self._keys and not self.client.alive:
            self.client.restart()
            self.client.take()  # what the lost one said last is no word about the next measurement
        return self.client

    def _cancel(self, key: str) -> None:
        for request in [number for number, other in self._keys.items() if other == key]:
            del self._keys[request]
            if self.client is not None:
                self.client.cancel_measure(request)

    def _arrived(self) -> None:
        before = self.busy
        for answer in self.client.take() if self.client is not None else ():
            for event in self._events(answer):
                self.dispatch(event)
        if before:
            self._rested()

    def _rested(self) -> None:
        if not self.busy:
            self.rest.start()
            self.idle.emit()

    def _events(self, answer: Answer) -> Iterator[Event]:
        data = answer.data
        if answer.op == "lost" or (answer.op == "error" and data["for"] == "start"):
            lost, self._keys = self._keys, {}
            for key in lost.values():
                yield Event("measure.error", {"key": key, "what": data["what"], "do": data["do"]})
        if answer.request not in self._keys:
            return
        about: dict[str, Any] = {"key": self._keys[answer.request]}
        if answer.op == "progress":
            yield Event("measure.progress", {**about, "done": data["done"], "total": data["total"]})
            return
        del self._keys[answer.request]
        if answer.op == "measured":
            yield Event("measure.done", {**about, "value": data["value"]})
        elif answer.op == "error":
            yield Event("measure.error", {**about, "what": data["what"], "do": data["do"]})

    def close(self) -> None:
        """End the engine and wait for it, at most a second; a hanging one is killed."""
        self._closed = True
        self.rest.stop()
        self._keys.clear()
        self._end()

    def _end(self) -> None:
        client, self.client = self.client, None
        if client is not None:
            reaper = threading.Timer(CLOSE_SECONDS, client.process.kill)
            reaper.start()
            client.close()
            reaper.cancel()
            reaper.join()

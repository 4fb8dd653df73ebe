"""Carries out `engine.*` effects through the client and brings what the engine says back as events.

The engine is a process of its own, started when a checkpoint is first opened.  Recorded runs are read in a
thread, without engine.  Threads only queue and wake the GUI thread by a signal; nothing else is shared.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from app.engine_texts import told
from app.memory import available
from app.pane import Effect, Event
from app.paths import shipped
from ut_engine.checkpoint import peek
from ut_engine.client import Client
from ut_engine.errors import UserError
from ut_engine.files import ordinary
from ut_engine.forecast import forecast
from ut_engine.message import Message as Answer
from ut_engine.run import SUFFIX, Run, load_run
from ut_engine.tasks.babi import parse_story

CLOSE_SECONDS = 0.7
ENDS = ("done", "lost")  # of a run
Make = Callable[[Callable[[], None]], Client]


def engine(log: IO[Any] | int | None = None) -> Make:
    """How a client is made: its engine's log goes to an open file."""
    return lambda notify: Client(notify, stderr=log)


class Pump(QObject):
    """Between the store and the engine process; `dispatch` takes events on the GUI thread."""

    idle = Signal()
    """Nothing is being opened, read, computed or fetched any more."""
    _woken = Signal()

    def __init__(self, dispatch: Callable[[Event], None], make: Make, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.dispatch = dispatch
        self.client: Client | None = None
        self._make = make
        self._loaded: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._tiles: dict[int, Mapping[str, Any]] = {}
        self._opening = 0  # request number of the checkpoint being loaded
        self._running = False
        self._credits = 0  # granted and not yet used
        self._closed = False
        self._config: Mapping[str, Any] = {}
        self._woken.connect(self._arrived, Qt.ConnectionType.QueuedConnection)

    # ---- effects ----------------------------------------------------------------------------------------

    def perform(self, effect: Effect) -> None:
        """Carry out one `engine.*` effect; a program that cannot be started is said like a lost engine.

        Once closed, none: an engine that was started by what comes late would never be ended.
        """
        if self._closed:
            return
        try:
            EFFECTS[effect.name](self, effect.value)
        except UserError as error:
            self.dispatch(Event("engine.lost", {"what": error.what, "do": error.do}))

    @property
    def busy(self) -> bool:
        reading = not self._loaded.empty() or any(thread.is_alive() for thread in self._threads)
        computing = self._running and self._credits > 0  # without credits the model waits for the user
        return bool(self._opening or computing or self._tiles or reading)

    @property
    def fetching(self) -> bool:
        """Whether maps that were asked for have not come yet."""
        return bool(self._tiles)

    def _ready(self) -> Client:
        if self.client is None:
            self.client = self._make(self._woken.emit)
        return self.client

    def _open(self, path: Any) -> None:
        if is_trace(str(path)):
            self._in_thread(lambda: read_trace(str(path)))
            return
        self._opening = self._ready().open(with_shipped(str(path)))

    def _run(self, value: Mapping[str, Any]) -> None:
        self._running, self._credits = True, 0
        names = ("supports", "answer", "edits", "epsilon")
        optional = {key: value[key] for key in names if value.get(key) is not None}
        self._ready().run(
            value["generation"], text=value["text"], steps=value["steps"], device=value["device"], **optional
        )

    def _grant(self, n: Any) -> None:
        client = self._ready()
        client.grant(client.generation, int(n))
        self._credits += int(n)

    def _revoke(self, _: Any) -> None:
        client = self._ready()
        client.revoke(client.generation)
        self._credits = 0

    def _cancel(self, _: Any) -> None:
        """End the run; a checkpoint that is still loading can only be stopped with its engine."""
        if self.client is None:
            return
        if self._opening:
            self._restart(None)
        else:
            self.client.cancel(self.client.generation)

    def _restart(self, _: Any) -> None:
        self._opening, self._running = 0, False
        self._tiles.clear()
        if self.client is None:
            self._ready()
        else:
            self.client.restart()

    def _tile(self, value: Mapping[str, Any]) -> None:
        most = int(value["most"])
        head = int(value["head"])
        request = self._ready().tile(
            value["generation"], value["step"], head="mean" if head < 0 else head,
            rows=value.get("rows"), kind=value.get("kind", "self"), most=(most, most),
        )  # fmt: skip
        self._tiles[request] = value

    def _forecast(self, value: Mapping[str, Any]) -> None:
        if "heads" not in self._config or "d_model" not in self._config:
            return
        positions = count_positions(value["text"])
        size = forecast(self._config, positions, int(value["steps"]) or positions)  # 0: T follows the length
        self.dispatch(Event("engine.forecast", {"bytes": size, "free": available() or 0}))

    def _in_thread(self, work: Callable[[], Iterator[Event]]) -> None:
        def target() -> None:
            for event in work():
                self._loaded.put(event)
                self._woken.emit()

        thread = threading.Thread(target=target, name="file reader")
        self._threads = [other for other in self._threads if other.is_alive()] + [thread]
        thread.start()

    def _save(self, value: tuple[Run, str]) -> None:
        """Write a trace in a thread; what came of it arrives as a notice."""
        run, path = value
        self._in_thread(lambda: write_trace(run, path))

    # ---- messages ---------------------------------------------------------------------------------------

    def _arrived(self) -> None:
        """Everything that came since the last wake-up, as one batch; nothing after the end."""
        if self._closed:
            return
        while not self._loaded.empty():
            self.dispatch(self._loaded.get())
        for answer in self.client.take() if self.client is not None else ():
            failed = answer.op == "error" and answer.data["for"] == "run"
            self._running &= answer.op not in ENDS and not failed
            self._credits -= int(answer.op == "record")
            for event in self._events(answer):
                self.dispatch(event)
        if not self.busy:
            self.idle.emit()

    def _events(self, answer: Answer) -> Iterator[Event]:
        data = answer.data
        if answer.op == "opened" and answer.request == self._opening:
            self._opening = 0
            self._config = data["card"]["config"]
            yield Event("engine.opened", {"card": data["card"], "samples": data["samples"]})
        elif answer.op == "started":
            yield Event("engine.info", (answer.generation, answer.info))
        elif answer.op == "record":
            yield Event("engine.record", (answer.generation, answer.record))
        elif answer.op == "done":
            facts = {name: data.get(name) for name in ("finished", "dropped")}
            yield Event("engine.done", {"generation": answer.generation, **facts})
        elif answer.op == "tile":
            yield from self._tile_event(answer)
        elif answer.op == "error":
            yield from self._error_events(answer)
        elif answer.op == "lost":
            self._opening = 0
            self._tiles.clear()
            yield Event("engine.lost", {"what": data["what"], "do": data["do"]})

    def _tile_event(self, answer: Answer) -> Iterator[Event]:
        asked = self._tiles.pop(answer.request, None)
        if asked is None:
            return
        values = answer.values
        order = np.asarray(asked["order"], dtype=np.intp)
        if values is not None and values.shape == (len(order), len(order)):
            values = np.ascontiguousarray(values[np.ix_(order, order)])
            values.flags.writeable = False
        names = ("generation", "step", "head", "rows")
        told = {name: asked[name] for name in names if name in asked}
        yield Event("engine.tile", {**told, "values": values})

    def _error_events(self, answer: Answer) -> Iterator[Event]:
        if answer.data["for"] == "tile":
            yield from self._tile_event(answer)  # without values: the map is lost
            return
        if answer.data["for"] == "open":
            if answer.request != self._opening:
                return
            self._opening = 0
        facts = {"what": answer.data["what"], "do": answer.data["do"]}
        yield Event(
            "engine.error", {**facts, **({"generation": answer.generation} if answer.generation else {})}
        )

    # ---- the end ----------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the engine and wait for it, at most a second; a hanging one is killed."""
        self._closed = True
        client, self.client = self.client, None
        if client is not None:
            reaper = threading.Timer(CLOSE_SECONDS, client.process.kill)
            reaper.start()
            client.close()
            reaper.cancel()
            reaper.join()
        for thread in self._threads:
            thread.join()


EFFECTS: Mapping[str, Callable[[Pump, Any], None]] = {
    "engine.open": Pump._open,
    "engine.run": Pump._run,
    "engine.grant": Pump._grant,
    "engine.revoke": Pump._revoke,
    "engine.cancel": Pump._cancel,
    "engine.restart": Pump._restart,
    "engine.tile": Pump._tile,
    "engine.forecast": Pump._forecast,
    "engine.save": Pump._save,
}


def is_trace(path: str) -> bool:
    """Whether a path is a recorded run: by its name, else by what its first bytes say it is."""
    if path.endswith(SUFFIX):
        return True
    try:
        ordinary(Path(path))  # a pipe would hold up the window until somebody writes
        with open(path, "rb") as file:
            return b'"format":"depthscope-trace"' in file.read(4096)
    except (UserError, OSError, ValueError):
        return False  # a folder, or something the engine will complain about


def read_trace(path: str) -> Iterator[Event]:
    """The events of opening a recorded run; any fault becomes one sentence."""
    try:
        run = load_run(path)
    except UserError as error:
        yield Event("engine.error", {"what": error.what, "do": error.do})
    except MemoryError:
        facts = {
            "what": "the memory is not enough for this run",
            "do": "use a shorter input, fewer steps or no maps",
        }
        yield Event("engine.error", facts)
    else:
        yield Event("open.run", run)
        model = model_of(run, Path(path))
        if model is not None:
            yield Event("open.model", str(model))
        yield Event("shell.remember", str(Path(path).absolute()))


def with_shipped(path: str) -> str:
    """The path; where it names a shipped checkpoint and no checkpoint lies there, that one's path."""
    # os.path, which says False where Path raises: of a folder that may not be entered
    if os.path.isfile(path) or os.path.exists(os.path.join(path, "config.json")):
        return path
    return str(shipped().get(path, path))


def model_of(run: Run, path: Path) -> Path | None:
    """The checkpoint a recorded run was made with: beside the trace or shipped, of its name and size."""
    name = run.info.checkpoint
    if not name or Path(name).name != name:
        return None
    for candidate in (path.parent / name, path.parent / f"{name}.safetensors", shipped().get(name)):
        try:
            if candidate is not None and peek(candidate).parameters == run.info.parameters:
                return candidate.absolute()
        except (UserError, OSError, ValueError):
            continue
    return None


def write_trace(run: Run, path: str) -> Iterator[Event]:
    try:
        run.save(path)
    except UserError as error:
        yield Event("shell.notice", told(error.what, error.do))
    else:
        yield Event("shell.saved", str(Path(path).absolute()))


def count_positions(text: str) -> int:
    """Positions a text will have: its facts and the question, else its words, of one word its symbols."""
    try:
        return len(parse_story(text).facts) + 1
    except UserError:
        words = text.split()
        return len(words) if len(words) > 1 else len(text.strip()) + 1  # and the start symbol

"""The engine's side of the process border: `python -m ut_engine.host` serves one window over its pipes.

Three threads: the main one reads commands and is never busy, the worker opens checkpoints, computes (a
granted credit computes one step) and measures, a third serves pieces of maps.  The process ends with its
parent.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, BinaryIO

from ut_engine.card import card_of, samples_of
from ut_engine.checkpoint import Loaded, peek
from ut_engine.codec import encode_parts
from ut_engine.errors import UserError
from ut_engine.family import identify
from ut_engine.files import pack
from ut_engine.forecast import forecast
from ut_engine.measuring import Measuring
from ut_engine.prepare import Input, asked_of, prepare, versions
from ut_engine.records import Capture, StepRecord
from ut_engine.tiles import entry_of, mass, tile
from ut_engine.wire import BrokenFrame, Sender, receive

WHOLE_BYTES = 4 << 20  # larger maps stay here: serialising 32 MB was measured at 39 ms
GIVEN = ("text", "ids", "supports", "answer", "target", "edits", "epsilon")  # what an `Input` takes
KEEP_BYTES = 4 << 30  # of maps kept here; beyond it the oldest go, and the run says so


@dataclass(slots=True)
class Ticket:
    """One run asked for: its credits, and the maps that stayed here, by (step, side)."""

    message: Mapping[str, Any]
    generation: int
    credits: int = 0
    cancelled: bool = False
    kept: dict[tuple[int, str], StepRecord] = field(default_factory=dict)
    kept_bytes: int = 0
    lost_steps: list[int] = field(default_factory=list)


class Host:
    """Serves one connection."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self.source = source
        self.sender = Sender(sink)
        self.measuring = Measuring(self.sender.send)
        self.changed = threading.Condition()
        self.jobs: list[Callable[[], None]] = []
        self.tiles: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self.loaded: Loaded | None = None
        self.ticket: Ticket | None = None

    # ------------------------------------------------------------ commands (main thread)

    def serve(self) -> None:
        """Read commands until the other side closes; never returns to a caller that could hang on torch."""
        for target, name in ((self.work, "engine"), (self.serve_tiles, "tiles")):
            threading.Thread(target=target, name=name, daemon=True).start()
        self.queue_job(lambda: self.guard({"op": "start"}, self.hello))
        try:
            while (frame := receive(self.source)) is not None:
                header, _ = frame
                if header.get("op") == "close":
                    return
                self.command(header)
        except (BrokenFrame, OSError):
            return

    def command(self, message: Mapping[str, Any]) -> None:
        op = message.get("op")
        if op == "open":
            self.cancel()
            self.queue_job(lambda: self.guard(message, self.open))
        elif op == "run":
            self.start(message)
        elif op == "tile":
            self.tiles.put(message)
        elif op == "measure":
            self.measuring.ask(message)
            self.queue_job(lambda: self.guard(message, self.measuring.run))
        elif op == "measure.cancel":
            self.measuring.cancel(message)
        elif op in ("grant", "revoke", "cancel"):
            self.credit(str(op), message)

    def start(self, message: Mapping[str, Any]) -> None:
        ticket = Ticket(message, int(message["generation"]), int(message.get("credits", 0)))
        self.cancel(ticket)
        self.queue_job(lambda: self.guard(message, lambda _: self.run(ticket)))

    def cancel(self, following: Ticket | None = None) -> None:
        """End the current run at its next step; the maps it kept go with it."""
        with self.changed:
            if self.ticket is not None:
                self.ticket.cancelled = True
            self.ticket = following
            self.changed.notify_all()

    def credit(self, op: str, message: Mapping[str, Any]) -> None:
        """Grant, revoke or cancel; other generations than the current one are ignored."""
        with self.changed:
            ticket = self.ticket
            if ticket is None or ticket.generation != message.get("generation"):
                return
            if op == "grant":
                ticket.credits += int(message.get("n", 1))
            else:
                ticket.credits = 0
                ticket.cancelled |= op == "cancel"
            self.changed.notify_all()

    def queue_job(self, job: Callable[[], None]) -> None:
        with self.changed:
            self.jobs.append(job)
            self.changed.notify_all()

    # ------------------------------------------------------------ work (worker thread)

    def work(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.jobs)
                job = self.jobs.pop(0)
            try:
                job()
            except (OSError, ValueError):  # the window is gone; the main thread sees it as well
                os._exit(0)

    def guard(self, message: Mapping[str, Any], work: Callable[[Mapping[str, Any]], None]) -> None:
        """Do one job; whatever goes wrong in it becomes one sentence for the window."""
        try:
            work(message)
        except BrokenPipeError:
            raise
        except BaseException as error:
            what, do = sentence(error)
            asked = {key: message[key] for key in ("generation", "request") if key in message}
            self.sender.send({"op": "error", "for": message["op"], "what": what, "do": do, **asked})

    def hello(self, _: Mapping[str, Any]) -> None:
        device_module().use_threads(int(os.environ.get("OMP_NUM_THREADS") or 1))
        self.sender.send({"op": "ready", "versions": versions(), "pid": os.getpid()})

    def open(self, message: Mapping[str, Any]) -> None:
        """Load a checkpoint; one that cannot be loaded leaves the one before in place."""
        header = peek(message["path"])
        adapter, verdict = identify(header)
        device = device_module().choose(str(message.get("device") or "auto"))
        loaded: Loaded = adapter.load(header, device.name)
        self.loaded = loaded
        card = card_of(loaded, verdict.reason, device.reason)
        self.sender.send({"op": "opened", "request": message.get("request"), "card": card,
                          "samples": samples_of(header)})  # fmt: skip

    def run(self, ticket: Ticket) -> None:
        """One run, a step for every credit; ends with "done", or with "error" through `guard`."""
        message = ticket.message
        if ticket.cancelled:
            self.done(ticket, "cancelled")
            return
        if self.loaded is None:
            raise UserError("no checkpoint is open", "open one first")
        if message.get("device"):
            self.loaded = moved(self.loaded, device_module().choose(message["device"]).name)
        given = Input(**{key: message[key] for key in GIVEN if key in message})
        ids, info = prepare(self.loaded, given, message.get("steps"))
        capture = Capture(**message.get("capture", {}))
        need = forecast(info.config, ids.shape[1], info.max_steps, ids.shape[0], capture)
        self.sender.send({"op": "started", "generation": ticket.generation, "info": info.to_dict(),
                          "forecast": need})  # fmt: skip
        steps = self.loaded.model.steps(ids, capture, info.max_steps, **asked_of(info))
        last_side = "decoder" if info.config.get("decoder") else "encoder"
        finished = self.iterate(ticket, steps, info.max_steps, last_side)
        self.done(ticket, finished)

    def done(self, ticket: Ticket, finished: str) -> None:
        message = {"op": "done", "generation": ticket.generation, "finished": finished}
        self.sender.send(message | {"dropped": dropped_text(ticket)})

    def iterate(self, ticket: Ticket, steps: Any, cap: int, last_side: str = "encoder") -> str:
        """Advance the stepper while there are credits; returns how the run finished."""
        try:
            while self.credited(ticket):
                record = next(steps, None)
                if record is None:
                    return "done"
                self.deliver(ticket, record)
                # Known without computing, so it costs no credit.
                if record.address.side == last_side and ends(record, cap):
                    return "done"
            return "cancelled"
        finally:
            steps.close()

    def credited(self, ticket: Ticket) -> bool:
        """Wait for a credit and use it; False when the run is to stop."""
        with self.changed:
            self.changed.wait_for(lambda: ticket.credits > 0 or ticket.cancelled)
            ticket.credits -= 1
            return not ticket.cancelled

    def deliver(self, ticket: Ticket, record: StepRecord) -> None:
        """Send a record; of large maps only what was derived, the maps stay here."""
        limit = int(ticket.message.get("whole", WHOLE_BYTES))
        large = [e for e in record.attention or () if e.weights is not None and e.weights.nbytes > limit]
        if large:
            self.keep(ticket, record, sum(e.weights.nbytes for e in large if e.weights is not None))
            light = tuple(
                replace(e, weights=None, queries=None, keys=None) if any(e is one for one in large) else e
                for e in record.attention or ()
            )
            record = replace(record, attention=light)
        header = {"op": "record", "generation": ticket.generation, "step": record.step}
        self.sender.send(header, encode_parts(record))

    def keep(self, ticket: Ticket, record: StepRecord, size: int) -> None:
        with self.changed:
            ticket.kept[record.step, record.address.side] = replace(record, state=None, output=None)
            ticket.kept_bytes += size
            while ticket.kept_bytes > int(ticket.message.get("keep", KEEP_BYTES)) and len(ticket.kept) > 1:
                oldest = min(ticket.kept)
                del ticket.kept[oldest]
                ticket.kept_bytes -= size
                ticket.lost_steps.append(oldest[0])

    # ------------------------------------------------------------ pieces of maps (third thread)

    def serve_tiles(self) -> None:
        while True:
            message = self.tiles.get()
            try:
                self.guard(message, self.tile)
            except (OSError, ValueError):
                os._exit(0)

    def tile(self, message: Mapping[str, Any]) -> None:
        with self.changed:
            ticket = self.ticket
            if ticket is None or ticket.generation != message["generation"]:
                return
            record = ticket.kept.get((message["step"], message.get("side", "encoder")))
        if record is None:
            raise UserError(f"the map of step {message['step']} is not kept", "run again with fewer steps")
        weights = entry_of(record, message.get("kind", "self")).weights
        assert weights is not None  # only records with weights are kept
        example = int(message.get("example", 0))
        if message.get("marks") is not None:
            values = mass(weights, tuple(message["marks"]), example)
        else:
            spans = {name: message.get(name) for name in ("rows", "columns", "most")}
            values = tile(weights, message.get("head", "mean"), example, **spans)
        self.sender.send(message, pack({"values": values}, {}))


def device_module() -> Any:
    """`ut_engine.torch.device`, which loads torch: only in this process, only when first needed."""
    return import_module("ut_engine.torch.device")


def moved(loaded: Loaded, device: str) -> Loaded:
    """The same model on another device."""
    if device == loaded.device:
        return loaded
    return replace(loaded, model=loaded.model.to(device), device=device)


def ends(record: StepRecord, cap: int) -> bool:
    """No step can follow: the cap is reached or every real position has halted."""
    halting = record.halting
    if record.step >= cap:
        return True
    return halting is not None and halting.kind == "act" and bool((halting.halted | ~record.real).all())


def dropped_text(ticket: Ticket) -> list[str]:
    if not ticket.lost_steps:
        return []
    first, last = min(ticket.lost_steps), max(ticket.lost_steps)
    return [f"attention maps of steps {first} to {last}: no memory left to keep them"]


def sentence(error: BaseException) -> tuple[str, str]:
    """(what is wrong, what to do) for anything that can be raised in the engine."""
    if isinstance(error, UserError):
        return error.what, error.do
    text = str(error)
    wants_memory = ("out of memory", "not enough memory", "can't allocate", "failed to allocate")
    if (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or any(phrase in text.lower() for phrase in wants_memory)
    ):
        return "the memory is not enough for this run", "use a shorter input, fewer steps or no maps"
    first = text.strip().split("\n")[0]
    if isinstance(error, ImportError):
        return f"the engine cannot start: {first}".replace(";", ","), "install the program again"
    return (
        f"the model failed: {type(error).__name__}{': ' if first else ''}{first}".replace(";", ","),
        "try another input or device, and report this if it stays",
    )


def main() -> None:
    """Serve over standard input and output, which nothing else may write to from here on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's; we end when its pipe closes
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)  # a print anywhere in a model goes to the log, not into a frame
    Host(source, sink).serve()
    sys.stderr.flush()
    os._exit(0)  # torch's own teardown takes 0.4 s and may abort with a thread in it


if __name__ == "__main__":
    main()

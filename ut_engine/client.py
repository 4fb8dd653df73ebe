"""The window's side of the process border: starts the engine, asks, and receives records.  No Qt, no torch.

    with Client() as client:
        client.open("resources/checkpoints/babi")
        for record in client.records(text="Mary went to the office. Where is Mary?"):
            print(record.step)

A window uses the pieces: `open`, `run`, `grant`, `revoke`, `cancel`, `tile`, and `take` whenever `notify`
was called (from the reader thread, with nothing done there).  A granted credit computes one step.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from ut_engine.edits import Edit
from ut_engine.errors import UserError
from ut_engine.message import Message, ended, lacks_maps, message_from
from ut_engine.records import Capture, StepRecord
from ut_engine.run import Run
from ut_engine.wire import BrokenFrame, Sender, receive

AHEAD = 8  # credits given ahead while streaming
CLOSE_SECONDS = 3.0
COMMAND = (sys.executable, "-P", "-m", "ut_engine.host")


class Client:
    """One engine process.  Every method may be called from one thread; `notify` is called from another.

    command: what to start (a frozen program passes its own).  stderr: where the engine's log goes.
    notify: called after a message was queued; it must only wake somebody up.
    result: the current run with every record taken so far (None before "started"); it survives the engine.
    """

    def __init__(
        self,
        notify: Callable[[], None] | None = None,
        command: Sequence[str] = COMMAND,
        stderr: IO[Any] | int | None = None,
    ) -> None:
        self.notify = notify
        self.command_line = tuple(command)
        self.stderr = stderr
        self.inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self.generation = 0
        self.requests = 0
        self.result: Run | None = None
        self.streaming = False
        self.closing = threading.Event()
        self.start()

    # ------------------------------------------------------------ the process

    def start(self) -> None:
        """Start the engine; raises UserError when the program cannot be started."""
        self.closing = threading.Event()
        flags: dict[str, Any] = {"start_new_session": True}  # a Ctrl-C in the terminal is ours alone
        if sys.platform == "win32":
            flags = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
        try:
            self.process = subprocess.Popen(
                self.command_line,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.stderr,
                env=child_environment(),
                **flags,
            )
        except OSError as error:
            raise UserError(f"the engine cannot be started: {error.strerror}", "install it again") from error
        self.sender = Sender(cast(BinaryIO, self.process.stdin))
        self.reader = threading.Thread(
            target=self.read, args=(self.process, self.closing), name="engine reader", daemon=True
        )
        self.reader.start()

    @property
    def alive(self) -> bool:
        return not self.closing.is_set() and self.process.poll() is None

    def close(self) -> None:
        """End the engine and wait for it; nothing is left behind.  May be called twice."""
        self.closing.set()
        self.send({"op": "close"})
        with contextlib.suppress(OSError):
            self.process.stdin.close()  # type: ignore[union-attr]
        end_of(self.process)
        self.reader.join()
        self.process.stdout.close()  # type: ignore[union-attr]

    def restart(self) -> None:
        """Start again after the engine was lost (or hangs); the checkpoint has to be opened again."""
        self.closing.set()
        self.process.kill()
        self.close()
        self.end(Message("lost"))  # a run that was still going on
        self.streaming = False
        self.start()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------ asking

    def send(self, message: Mapping[str, Any]) -> None:
        """A dead engine is reported once, by the reader, as "lost"."""
        with contextlib.suppress(OSError, ValueError):
            self.sender.send(message)

    def open(self, path: Path | str, device: str = "auto") -> int:
        """Load a checkpoint; answered by "opened" or "error" with the returned request number."""
        self.requests += 1
        self.send({"op": "open", "request": self.requests, "path": str(path), "device": device})
        return self.requests

    def run(
        self,
        generation: int | None = None,
        *,
        text: str | None = None,
        ids: Sequence[Any] | None = None,
        steps: int | None = None,
        device: str | None = None,
        capture: Capture | None = None,
        supports: Sequence[int] | None = None,
        answer: str | None = None,
        target: Sequence[int] | None = None,
        edits: Sequence[Edit] = (),
        epsilon: float | None = None,
        credits: int = 0,
        limits: Mapping[str, int] | None = None,
    ) -> int:
        """Begin a run; answered by "started", then a "record" for every credit, then "done" or "error".

        generation: a number larger than any before (None: the next); messages of others are dropped.
        supports: 0-based facts of the story to mark.  target: ids for a decoder to be given.
        edits: changes of p; the run starts anew with them.  epsilon: of this run, None for the model's own.
        credits: steps granted at once.
        limits: {"whole": bytes of maps that still cross, "keep": bytes of maps the engine keeps}.
        """
        self.generation = self.generation + 1 if generation is None else generation
        self.result, self.streaming = None, False
        message: dict[str, Any] = {
            "op": "run",
            "generation": self.generation,
            "credits": credits,
            "capture": asdict(capture or Capture()),
            **(limits or {}),
        }
        optional = {"text": text, "ids": ids, "steps": steps, "device": device, "answer": answer,
                    "epsilon": epsilon, "edits": [edit.plain() for edit in edits] or None}  # fmt: skip
        for name, numbers in (("supports", supports), ("target", target)):
            optional[name] = None if numbers is None else [int(n) for n in numbers]
        self.send(message | {key: value for key, value in optional.items() if value is not None})
        return self.generation

    def grant(self, generation: int, n: int = 1) -> None:
        """Let the engine compute n more steps."""
        self.send({"op": "grant", "generation": generation, "n": n})

    def revoke(self, generation: int) -> None:
        """Take unused credits back; the step being computed still comes."""
        self.send({"op": "revoke", "generation": generation})

    def cancel(self, generation: int) -> None:
        """End the run at the next step; answered by "done" with finished "cancelled"."""
        self.send({"op": "cancel", "generation": generation})

    def play(self) -> None:
        """Stream: `take` and `wait` keep AHEAD credits given, one for every record taken."""
        if not self.streaming:
            self.streaming = True
            self.grant(self.generation, AHEAD)

    def pause(self) -> None:
        self.streaming = False
        self.revoke(self.generation)

    def step(self, n: int = 1) -> None:
        """Compute n steps and wait."""
        self.streaming = False
        self.grant(self.generation, n)

    def tile(
        self,
        generation: int,
        step: int,
        *,
        head: int | str = "mean",
        rows: tuple[int, int] | None = None,
        columns: tuple[int, int] | None = None,
        most: tuple[int, int] | None = None,
        marks: Sequence[int] | None = None,
        example: int = 0,
        kind: str = "self",
        side: str = "encoder",
    ) -> int:
        """Ask for a piece of a map the engine kept (its record has no weights); arguments as `tiles.tile`.

        With marks: the mass on these keys, [head, query].  Answered by "tile" or "error" with the
        returned request number.
        """
        self.requests += 1
        asked = {
            "op": "tile", "request": self.requests, "generation": generation, "step": step, "head": head,
            "rows": rows, "columns": columns, "most": most, "example": example, "kind": kind, "side": side,
            "marks": None if marks is None else [int(n) for n in marks],
        }  # fmt: skip
        self.send(asked)
        return self.requests

    def measure(self, what: str, args: Mapping[str, Any]) -> int:
        """Ask for a measurement (see `ut_engine.torch.measures`); args: plain JSON.

        Answered by "progress" now and then, then "measured" (data: value), "cancelled" or "error" with the
        returned request number.
        """
        self.requests += 1
        self.send({"op": "measure", "request": self.requests, "what": what, "args": dict(args)})
        return self.requests

    def cancel_measure(self, request: int) -> None:
        self.send({"op": "measure.cancel", "request": request})

    # ------------------------------------------------------------ receiving

    def take(self) -> list[Message]:
        """Everything that has arrived, in order, without waiting."""
        found = []
        with contextlib.suppress(queue.Empty):
            while True:
                message = self.accept(self.inbox.get_nowait())
                if message is not None:
                    found.append(message)
        return found

    def wait(self, timeout: float | None = None) -> Message | None:
        """The next message; None when none came in `timeout` seconds."""
        with contextlib.suppress(queue.Empty):
            while True:
                message = self.accept(self.inbox.get(timeout=timeout))
                if message is not None:
                    return message
        return None

    def accept(self, message: Message) -> Message | None:
        """Drop other generations, keep the run, top up the credits."""
        if message.generation and message.generation != self.generation:
            return None
        if message.op == "started" and message.info is not None:
            self.result = Run(message.info)
        elif message.op == "record" and message.record is not None and self.result is not None:
            self.result = self.result.add(message.record)
            if self.streaming:
                self.grant(self.generation)
        elif message.op in ("done", "error", "lost"):
            self.end(message)
        return message

    def end(self, message: Message) -> None:
        about_run = message.op != "error" or message.data.get("for") == "run"
        if self.result is None or not about_run or self.result.info.finished != "running":
            return
        finished = {"error": "failed", "lost": "lost"}.get(message.op) or str(message.data["finished"])
        dropped = list(message.data.get("dropped", ()))
        if finished == "lost" and any(lacks_maps(record) for record in self.result.records):
            dropped.append("attention maps that had not been fetched: the engine ended")
        self.result = self.result.end(finished, tuple(dropped))

    def records(self, **asked: Any) -> Iterator[StepRecord]:
        """Run and iterate, as over `model.steps`; closing the iterator cancels.  Arguments of `run`.

        Raises UserError for what the engine refuses, and when it is lost; `result` keeps what came.
        """
        generation = self.run(**asked)
        self.play()
        try:
            while True:
                message = self.expect(("record", "done"), generation)
                if message.op == "done":
                    return
                assert message.record is not None
                yield message.record
        finally:
            self.streaming = False
            self.cancel(generation)

    def opened(self, path: Path | str, device: str = "auto") -> Mapping[str, Any]:
        """Open and wait: the checkpoint's card; raises UserError."""
        request = self.open(path, device)
        card: Mapping[str, Any] = self.expect(("opened",), request=request).data["card"]
        return card

    def expect(self, ops: tuple[str, ...], generation: int = 0, request: int = 0) -> Message:
        """Wait for one of the kinds; raises UserError for our own error and when the engine is lost."""
        while True:
            message = self.wait()
            assert message is not None  # without a time limit there is always a next one, "lost" at last
            mine = message.request == request and message.generation in (0, generation)
            if message.op == "lost" or (message.op == "error" and (mine or message.data["for"] == "start")):
                raise UserError(message.data["what"], message.data["do"])
            if message.op in ops and mine:
                return message

    # ------------------------------------------------------------ reader thread

    def read(self, process: subprocess.Popen[bytes], closing: threading.Event) -> None:
        """Turn frames into messages until the engine ends; then say why, unless we ended it."""
        stream = cast(BinaryIO, process.stdout)
        try:
            while (frame := receive(stream)) is not None:
                self.put(message_from(*frame))
        except (BrokenFrame, UserError, OSError, ValueError):
            process.kill()  # what it says can no longer be trusted
        code = end_of(process)
        if not closing.is_set():
            what, do = ended(code)
            self.put(Message("lost", data={"what": what, "do": do, "code": code}))

    def put(self, message: Message) -> None:
        self.inbox.put(message)
        if self.notify is not None and not self.closing.is_set():
            self.notify()


def end_of(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a process that is about to end; one that does not is killed."""
    try:
        return process.wait(CLOSE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def child_environment() -> dict[str, str]:
    """Ours with one torch thread; from a checkout, this very package is found first.

    The C library is told to keep large blocks: a map of 32 MB handed back to the system at every step costs
    more page faults than computing it (half the time at 1,024 positions).
    """
    environment = dict(os.environ)
    environment.setdefault("MALLOC_MMAP_THRESHOLD_", str(1 << 30))
    environment.setdefault("MALLOC_TRIM_THRESHOLD_", str(1 << 32))
    environment.setdefault("OMP_NUM_THREADS", "1")
    home = Path(__file__).resolve().parent.parent
    if home.name not in ("site-packages", "dist-packages"):
        old = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = str(home) if not old else str(home) + os.pathsep + old
    return environment

"""Starts under bad conditions, for smoke.py: each ends in one clear sentence, or in a window that says it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from smoke import Smoke

PATIENCE = 60.0  # seconds
CLOSED = ("sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh")  # runs what follows without standard streams
UNSAVED = "The settings cannot be saved: {reason}."
UNUSABLE = "Some settings were not usable and are back at their defaults: {names}."


class Failed(Exception):
    """A check that is not met, in a sentence."""


class Window:
    """The program with its window off screen, from start to an end by Ctrl-C."""

    def __init__(self, smoke: Smoke, *arguments: str, **env: str) -> None:
        self.file = smoke.folder / f"witness-{time.monotonic_ns()}.jsonl"
        environment = {key: value for key, value in {**smoke.env, **env}.items() if value}
        self.process = subprocess.Popen(
            [*smoke.program, "_witness", str(self.file), *arguments], env=environment, cwd=smoke.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def until(self, what: str, true: Callable[[dict[str, Any]], object]) -> None:
        """Wait for a line of the witness; Failed where none comes."""
        last = time.monotonic() + PATIENCE
        while time.monotonic() < last and self.process.poll() is None:
            text = self.file.read_text("utf-8") if self.file.exists() else ""
            if any(true(json.loads(line)) for line in text.split("\n")[:-1]):
                return
            time.sleep(0.05)
        self.process.kill()
        raise Failed(f"{what} was not seen; {self.process.communicate()[1][-300:]}")

    def end(self, number: signal.Signals = signal.SIGINT, code: int = 130) -> str:
        self.process.send_signal(number)
        said = self.process.communicate(timeout=PATIENCE)[1]
        if self.process.returncode != code:
            raise Failed(f"ended with {self.process.returncode}, not {code}: {said[-300:]}")
        return said


def checks(smoke: Smoke) -> Iterator[Callable[[], str]]:
    """The checks, each bound to what it tries."""

    def bound(check: Callable[[Smoke], str]) -> Callable[[], str]:
        def run() -> str:
            return check(smoke)

        run.__name__ = check.__name__
        return run

    everywhere = (no_display, newer_settings, read_only_home, second_instance, missing_resource)
    posix = (closed_streams, folders_and_crash) if sys.platform == "linux" else ()
    yield from map(bound, (*everywhere, *posix))


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """What a refusal said: exactly one line."""
    lines: list[Any] = done.stderr.strip().splitlines()
    if len(lines) != 1 or not lines[0].startswith("depthscope: error: "):
        raise Failed(f"not one line: {done.stderr.strip()[-300:]}")
    return str(lines[0])


def no_display(smoke: Smoke) -> str:
    return one_line(smoke.call(*smoke.program, code=2, QT_QPA_PLATFORM="", DISPLAY="", WAYLAND_DISPLAY=""))


def newer_settings(smoke: Smoke) -> str:
    """Settings of a newer version: what is known is taken, the rest is said."""
    folder = smoke.folder / "newer"
    folder.mkdir()
    newer = {"language": "ko", "theme": "sepia", "hologram": {"depth": 3}}
    (folder / "settings.json").write_text(json.dumps(newer))
    window = Window(smoke, "babi", DEPTHSCOPE_CONFIG=str(folder))
    window.until("the notice", lambda line: UNUSABLE in line["notices"] and line["language"] == "ko")
    window.end()
    return UNUSABLE


def read_only_home(smoke: Smoke) -> str:
    """Neither settings nor logs can be written (a file stands where the folder would be)."""
    blocked = smoke.folder / "blocked"
    blocked.write_text("")
    window = Window(smoke, str(checkpoint(smoke)), DEPTHSCOPE_CONFIG=str(blocked / "x"))
    window.until("the notice", lambda line: UNSAVED in line["notices"])
    window.end()
    return UNSAVED


def checkpoint(smoke: Smoke) -> Path:
    return Path(smoke.program[0]).parent / "_internal" / "resources" / "checkpoints" / "parity-ut"


def second_instance(smoke: Smoke) -> str:
    """Two windows at once, with one folder of settings and logs."""
    folder = str(smoke.folder / "both")
    first, second = (Window(smoke, str(checkpoint(smoke)), DEPTHSCOPE_CONFIG=folder) for _ in range(2))
    for window in (first, second):
        window.until("a checkpoint", lambda line: line["phase"] == "ready")
    for window in (first, second):
        window.end()
    json.loads(Path(folder, "settings.json").read_text("utf-8"))
    return "two windows, each with its engine"


def missing_resource(smoke: Smoke) -> str:
    """A bundle one of whose files is lost; hard links, so that nothing is copied."""
    copy = smoke.folder / "damaged"
    subprocess.run(["cp", "-al", str(Path(smoke.program[0]).parent), str(copy)], check=False,
                   stderr=subprocess.DEVNULL)  # fmt: skip
    if not (copy / "depthscope").exists():
        return "not tried: no hard links between these folders"
    (copy / "_internal" / "resources" / "theme" / "window.qss").unlink()
    for arguments in (("shot", "--pane", "act", "-o", "x.png"), ("_bench", "paint")):
        said = one_line(smoke.call(str(copy / "depthscope"), *arguments, code=1))
        if "window.qss is missing" not in said:
            raise Failed(said)
    return said


def closed_streams(smoke: Smoke) -> str:
    """Without stdin, stdout and stderr; the first file that is opened must not get what is printed."""
    folder, out = smoke.folder / "closed", smoke.folder / "closed.trace.safetensors"
    env = {"DEPTHSCOPE_CONFIG": str(folder)}
    smoke.call(*CLOSED, *smoke.program, "trace", "parity-ut", "--text", "1 0 1", "-o", str(out), **env)
    smoke.call(*CLOSED, *smoke.program, "_bench", "paint", **env)
    texts = {file.name: file.read_text("utf-8") for file in (folder / "log").iterdir()}
    if not out.is_file() or any(texts.values()):
        raise Failed(f"the streams are taken by others: {texts}")
    return "a run is recorded, a window opens"


def folders_and_crash(smoke: Smoke) -> str:
    """Settings and logs go where the system wants them; a crash leaves its stack there."""
    home = smoke.folder / "집"
    home.mkdir()
    env = {"DEPTHSCOPE_CONFIG": "", "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "HOME": str(home)}
    window = Window(smoke, str(checkpoint(smoke)), **env)
    window.until("a checkpoint", lambda line: line["phase"] == "ready")
    window.end()
    window = Window(smoke, str(checkpoint(smoke)), **env)
    window.until("a checkpoint", lambda line: line["phase"] == "ready")
    window.end(signal.SIGSEGV, -signal.SIGSEGV)
    settings, log = home / ".config/depthscope/settings.json", home / ".local/state/depthscope"
    crash = (log / "crash.log").read_text("utf-8")
    if not settings.is_file() or "Segmentation fault" not in crash or "app/qt/application.py" not in crash:
        raise Failed(f"settings or stack are not there: {crash[:200]}")
    others = [
        str(path.relative_to(home)) for path in home.iterdir() if path.name not in (".config", ".local")
    ]
    if others:
        raise Failed(f"files where none belong: {', '.join(others)}")
    return f"{settings.relative_to(home)}, {(log / 'crash.log').relative_to(home)}"

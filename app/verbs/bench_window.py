"""The window's benchmarks: each run is a fresh child process, so that every start is a real one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from app.cli import child_command
from app.verbs.common import shipped
from ut_engine.errors import UserError
from ut_engine.measure import Measurement, alternate, median, percentile

CHILD_SECONDS = 120
STALL_MS, FRAME_MS, FIRST_PAINT = 50.0, 16.0, 1.3  # targets
SCREEN = {
    "name": "bench", "x": 0, "y": 0, "width": 1440, "height": 900, "dpr": 1,
    "logicalDpi": 96, "logicalBaseDpi": 96,
}  # fmt: skip
STORY = (
    "Mary went to the kitchen. John moved to the garden. Mary picked up the apple. "
    "Mary travelled to the office. Where is the apple?"
)
# What `open` is compared with: the least program that paints numbers in a main window.
FLOOR = """
import sys
import numpy as np
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def paintEvent(self, _):
        values = (np.random.default_rng(0).random((256, 256)) * 255).astype(np.uint8)
        painter = QPainter(self)
        painter.drawImage(self.rect(), QImage(values.data, 256, 256, 256, QImage.Format.Format_Grayscale8))
        painter.end()
class First(QObject):
    painted = False
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.painted = self.painted or isinstance(watched, QMainWindow)
        elif self.painted:
            import os
            sys.stdout.write('{"painted": true}\\n')
            sys.stdout.flush()
            os._exit(0)
        return False
app = QApplication([])
window = Window()
window.resize(1440, 900)
first = First()
app.installEventFilter(first)
window.show()
app.exec()
"""


def startup(runs: int) -> Iterator[Measurement]:
    """From the start of the process to the first painted window, in milliseconds."""
    with surroundings() as env:
        floor = (sys.executable, "-c", FLOOR)
        ways = [partial(until_painted, command, env) for command in (child_command("_bench", "paint"), floor)]
        ours, reference = alternate(ways, runs)
    yield Measurement(
        "startup", "process start to first paint", 1000 * median(ours), 1000 * median(reference),
        "a QMainWindow painting one numpy heat map", "ms", runs, FIRST_PAINT,
    )  # fmt: skip


def stream(runs: int) -> Iterator[Measurement]:
    """Longest stall and frame times from the start through a streamed run, in milliseconds.

    By the clock, and in processor time of the window's thread: what else runs on the machine reaches the
    clock only.  A plain widget that paints as much says what the machine is able to.
    """
    with surroundings() as env, tempfile.TemporaryDirectory(prefix="depthscope-bench-") as folder:
        plain = "a plain widget with as many texts and maps"
        yield from told(plain, child_command("_bench", "floor"), env, runs)
        for case, path, view in cases(Path(folder), small=runs == 1):
            yield from told(case, child_command("_bench", "stream", str(path), view), env, runs)


def told(case: str, command: Sequence[str], env: dict[str, str], runs: int) -> Iterator[Measurement]:
    found = []
    for _ in range(runs):
        found.append(watched(command, env))
    steps, load = found[0]["steps"], median([one["load"] for one in found])
    case = f"{case}, {steps} steps" if steps > 1 else case
    for clock, gaps, frames in (("", "gaps", "frames"), (" (processor)", "worked", "painted")):
        stall = 1000 * median([max(one[gaps]) for one in found])
        frame = 1000 * median([percentile(one[frames], 0.99) for one in found])
        limit = "target of the longest gap between two rounds of the event loop"
        yield Measurement("stream", f"{case}: longest stall{clock}", stall, STALL_MS, limit, "ms", runs, 1.0)
        limit = "target of the 99th percentile of frames (scene, diff and paint)"
        yield Measurement("stream", f"{case}: frame p99{clock}", frame, FRAME_MS, limit, "ms", runs, 1.0)
    what = "programs that wanted a processor meanwhile, beside the processors there are"
    yield Measurement("stream", f"{case}: load", load, float(os.cpu_count() or 1), what, "", runs)


def cases(folder: Path, small: bool) -> Iterator[tuple[str, Path, str]]:
    """(what it is, checkpoint, view state): the shipped one on a story, larger random ones with fixed T."""
    from app.view import to_text

    for name, path in shipped().items():
        if name == "babi" and not small:
            view = {"open": str(path), "run": "1", "text": STORY}
            yield "shipped checkpoint", path, to_text("inspector", view)
    for length, width, heads, steps in ((8, 16, 2, 3),) if small else ((64, 128, 8, 32), (256, 128, 8, 32)):
        path = random_checkpoint(folder / f"m{length}", width, heads, steps)
        text = " ".join("01"[place % 3 == 0] for place in range(length))
        view = {"open": str(path), "run": "1", "text": text, "steps": str(steps)}
        yield f"m={length} d={width} heads={heads}", path, to_text("inspector", view)


def random_checkpoint(path: Path, width: int, heads: int, steps: int) -> Path:
    """A model with random weights that reads 0 and 1; only its size matters here."""
    import numpy as np

    from ut_engine import checkpoint
    from ut_engine.adapters.universal_transformer import shapes
    from ut_engine.spec import UTConfig
    from ut_engine.tokenizer import SymbolTokenizer

    config = UTConfig(
        vocab=3, answers=2, d_model=width, heads=heads, d_ff=4 * width, max_steps=steps, halting="none",
        readout="every",
    )  # fmt: skip
    draws = np.random.default_rng(0)
    weights = {
        name: (draws.normal(size=shape) * width**-0.5).astype(np.float32)
        for name, shape in shapes(config).items()
    }
    known = SymbolTokenizer(("0", "1")).to_config()
    checkpoint.save(path, checkpoint.describe(config.to_dict(), "bench", known), weights)
    return path


@contextmanager
def surroundings() -> Iterator[dict[str, str]]:
    """The children's environment: settings of their own, and no screen where there is none."""
    from app.display import why_no_display
    from ut_engine.client import child_environment

    if getattr(sys, "frozen", False):
        raise UserError("the window's benchmarks start Python itself", "run them from an installation by pip")
    with tempfile.TemporaryDirectory(prefix="depthscope-bench-") as folder:
        env = {**child_environment(), "DEPTHSCOPE_CONFIG": folder}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling every module anew is not what is measured
        if "QT_QPA_PLATFORM" not in env and why_no_display() is not None:
            screen = Path(folder) / "screen.json"  # as large as the window is at its usual size
            screen.write_text(json.dumps({"screens": [SCREEN]}), "utf-8")
            env["QT_QPA_PLATFORM"] = f"offscreen:configfile={screen}"
        yield env


def until_painted(command: Sequence[str], env: dict[str, str]) -> float:
    """Seconds from starting the process until it says that it has painted."""
    started = time.perf_counter()
    with child(command, env) as process:
        line = process.stdout.readline() if process.stdout else b""
        taken = time.perf_counter() - started
    read(line, process)
    return taken


def watched(command: Sequence[str], env: dict[str, str]) -> dict[str, Any]:
    with child(command, env) as process:
        line = process.stdout.readline() if process.stdout else b""
    found = {**read(line, process), "load": busy()}
    if not found["gaps"] or not found["frames"] or not found["steps"]:
        raise RuntimeError(f"nothing was streamed: {found['notices']}")
    return found


def busy() -> float:
    """The load of the machine over the last minute; 0 where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


@contextmanager
def child(command: Sequence[str], env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield process
        process.wait(CHILD_SECONDS)
    finally:
        process.kill()
        process.wait()


def read(line: bytes, process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The child's report; what it complained of where there is none."""
    with process.stdout or open(os.devnull, "rb"), process.stderr or open(os.devnull, "rb") as stderr:
        said = stderr.read().decode(errors="replace").strip()
    found: dict[str, Any] = json.loads(line) if line else {"error": said or "it ended without a word"}
    if "error" in found:
        raise RuntimeError(f"a window under the stopwatch failed: {found['error']}")
    return found

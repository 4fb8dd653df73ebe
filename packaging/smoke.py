"""The packaged program beside its source: is everything in it, does its engine work, how fast does it start.

    python packaging/smoke.py [--bundle dist/depthscope] [--runs 5]

Run by the Python of the build's environment, which has all that the source needs.  No display is needed.
Prints a line for each check; exit status 1 where one is not met.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bad_starts
from bad_starts import Failed

ROOT = Path(__file__).resolve().parent.parent
SOURCE = (sys.executable, "-P", "-m", "app.cli")
ONLY_BUNDLED = {"licences/bundled.txt"}
STORY = "Mary went to the kitchen. John moved to the garden. Mary picked up the apple. Where is the apple?"
MOST_RATIO = 1.3
PLAN = """\
task = "parity"
[model]
d_model = 16
heads = 2
d_ff = 32
[train]
steps = 2
batch = 4
evaluate_every = 2
[data]
longest = 6
"""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bundle", type=Path, default=ROOT / "dist" / "depthscope")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    program = (str(options.bundle.resolve() / "depthscope"),)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="depthscope 시험 ") as folder:  # Korean and a space in every path
        smoke = Smoke(program, Path(folder), options.runs)
        for check in smoke.checks():
            try:
                found = check()
            except Failed as error:
                bad, found = bad + 1, f"NOT MET: {error}"
            print(f"smoke: {check.__name__.replace('_', ' ')}: {found}", flush=True)
    return 1 if bad else 0


class Smoke:
    def __init__(self, program: tuple[str, ...], folder: Path, runs: int) -> None:
        self.program, self.folder, self.runs = program, folder, runs
        self.env = {
            **os.environ, "DEPTHSCOPE_CONFIG": str(folder / "설정"), "QT_QPA_PLATFORM": "offscreen",
            "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT),
        }  # fmt: skip

    def checks(self) -> Iterator[Callable[[], str]]:
        yield from (
            self.contents, self.licences, self.pictures, self.engine, self.families, self.optimizer,
            self.window, self.start, *bad_starts.checks(self), self.no_leftover,
        )  # fmt: skip

    def call(self, *command: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
        environment = {key: value for key, value in {**self.env, **env}.items() if value}
        done = subprocess.run(command, env=environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300, check=False)  # fmt: skip
        if done.returncode != code:
            raise Failed(f"{command[1:3]} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        return done

    def contents(self) -> str:
        """Panes, families, verbs, messages, checkpoints and resources are those of the source."""
        ours, theirs = (
            json.loads(self.call(*way, "_probe", "contents").stdout) for way in (self.program, SOURCE)
        )
        ours["resources"] = [name for name in ours["resources"] if name not in ONLY_BUNDLED]
        for key, value in theirs.items():
            if ours[key] != value or not value:
                raise Failed(f"{key} differ: {difference(ours[key], value)}")
        counts = [f"{len(value)} {key}" for key, value in ours.items() if isinstance(value, list)]
        return f"version {ours['version']}, {', '.join(counts)}, {ours['messages']['ko']} messages in Korean"

    def pictures(self) -> str:
        """Every pane drawn, in both languages."""
        names = [pane["name"] for pane in json.loads(self.call(*self.program, "panes", "--json").stdout)]
        for lang in ("en", "ko"):
            out = self.folder / f"그림 {lang}"
            self.call(*self.program, "shot", "--pane", "all", "--lang", lang, "-o", str(out))
            small = [name for name in names if not (out / f"{name}.png").is_file()]
            if small:
                raise Failed(f"no picture of {', '.join(small)}")
        return f"{', '.join(names)} drawn in English and Korean"

    def engine(self) -> str:
        """A run of the shipped checkpoint says the same, number by number."""
        ours, theirs = (
            json.loads(self.call(*way, "trace", "babi", "--text", STORY, "--json").stdout)
            for way in (self.program, SOURCE)
        )
        for key in ("tokens", "steps", "n_updates", "prediction"):
            if ours[key] != theirs[key]:
                raise Failed(f"{key}: {ours[key]} in the bundle, {theirs[key]} in the source")
        return f"{ours['steps']} steps on {ours['device']}, as in the source"

    def licences(self) -> str:
        """The text of everything bundled names what is bundled."""
        inside = Path(self.program[0]).parent / "_internal"
        text = (inside / "resources" / "licences" / "bundled.txt").read_text("utf-8").lower()
        names = {file.name.partition("-")[0].lower() for file in inside.glob("*.dist-info")}
        names |= {"python", "sympy", "mpmath", "pyinstaller", "gnu lesser general public license"}
        names -= {"depthscope"}  # its own licence lies beside the program
        if missing := sorted(name for name in names if name.replace("_", "-") not in text.replace("_", "-")):
            raise Failed(f"no licence of {', '.join(missing)}")
        return f"{len(text) // 1000} thousand letters, {', '.join(sorted(names))}"

    def families(self) -> str:
        """Every shipped checkpoint runs: each has a model of its own kind."""
        names = [one["name"] for one in json.loads(self.call(*self.program, "checkpoints", "--json").stdout)]
        for name in names:
            place = Path(self.program[0]).parent / "_internal" / "resources" / "checkpoints" / name
            sample = json.loads((place / "samples.json").read_text("utf-8"))[0]["text"]
            self.call(*self.program, "trace", name, "--text", sample)
        return f"{', '.join(names)} run"

    def optimizer(self) -> str:
        """Training imports much that a run does not."""
        plan = self.folder / "plan.toml"
        plan.write_text(PLAN)
        self.call(*self.program, "train", "parity", "--config", str(plan), "--out", str(self.folder / "lab"))
        return "two steps of training"

    def window(self) -> str:
        """The window streams a run from an engine process of its own."""
        checkpoint = Path(self.program[0]).parent / "_internal" / "resources" / "checkpoints" / "babi"
        view = f"inspector?open={checkpoint}&run=1".replace(" ", "%20")
        said = json.loads(self.call(*self.program, "_bench", "stream", str(checkpoint), view).stdout)
        if not said.get("steps") or len(said["frames"]) < 2 or said["notices"]:
            raise Failed(f"nothing was streamed: {str(said)[:300]}")
        return f"{said['steps']} steps streamed, {len(said['frames'])} frames"

    def start(self) -> str:
        """Process start to first paint, the two in turns; the ratio of the medians."""
        for way in (self.program, SOURCE):
            self.painted(way)  # the first of each fills the page cache
        taken: dict[tuple[str, ...], list[float]] = {self.program: [], SOURCE: []}
        for _ in range(2):  # a moment in which the machine had other work gets a second look
            for _ in range(self.runs):
                for way, times in taken.items():
                    times.append(self.painted(way))
            ours, theirs = (1000 * statistics.median(times) for times in taken.values())
            runs = len(taken[SOURCE])
            said = f"{ours:.0f} ms, source {theirs:.0f} ms, ratio {ours / theirs:.2f} (medians of {runs})"
            if ours / theirs <= MOST_RATIO:
                return said
        raise Failed(f"{said}; at most {MOST_RATIO} was allowed")

    def painted(self, way: tuple[str, ...]) -> float:
        started = time.perf_counter()
        command = [*way, "_bench", "paint"]
        with subprocess.Popen(command, env=self.env, cwd=self.folder, stdout=subprocess.PIPE) as process:
            line = process.stdout.readline() if process.stdout else b""
            seconds = time.perf_counter() - started
        if b"painted" not in line:
            raise Failed(f"no window with {way[-1]}: {line!r}")
        return seconds

    def no_leftover(self) -> str:
        """No process of the bundle still runs."""
        left = []
        for place in Path("/proc").glob("[0-9]*/exe") if sys.platform == "linux" else ():
            try:
                if os.readlink(place) == self.program[0]:
                    left.append(place.parent.name)
            except OSError:
                continue
        if left:
            raise Failed(f"still running: {', '.join(left)}")
        return "nothing is left running"


def difference(ours: Any, theirs: Any) -> str:
    if not isinstance(ours, list):
        return f"{ours} in the bundle, {theirs} in the source"
    return f"only in one of the two: {sorted(set(ours) ^ set(theirs))}"


if __name__ == "__main__":
    sys.exit(main())

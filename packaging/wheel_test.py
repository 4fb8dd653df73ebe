"""`make wheel-test`: wheel and sdist, each installed alone in a fresh environment, hold all and run.

    python packaging/wheel_test.py        after `make wheel`

What they hold is compared with the checkout.  Packages come from the index or from pip's cache, as pinned.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import build
import bundle

ROOT = Path(__file__).resolve().parent.parent
STORY = "Mary went to the office. Where is Mary?"


def main() -> int:
    version = build.version(Path(sys.executable))
    for name in (f"depthscope-{version}-py3-none-any.whl", f"depthscope-{version}.tar.gz"):
        file = build.DIST / name
        if not file.is_file():
            print(f"wheel-test: {file} is not there; run `make wheel` first", file=sys.stderr)
            return 2
        with tempfile.TemporaryDirectory(prefix="depthscope 시험 ") as folder:
            tried(file, Path(folder), version)
        print(
            f"wheel-test: {name} ({file.stat().st_size / 1e6:.1f} MB) installs, holds all and runs",
            flush=True,
        )
    return 0


def tried(file: Path, folder: Path, version: str) -> None:
    """SystemExit with a sentence where something is not as it should be."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip = [str(scripts / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", str(ROOT / "constraints.txt"), str(file)], check=True)
    env = {
        **os.environ, "QT_QPA_PLATFORM": "offscreen", "DEPTHSCOPE_CONFIG": str(folder / "설정"),
        "OMP_NUM_THREADS": "1",
    }  # fmt: skip

    def said(*arguments: str) -> str:
        done = subprocess.run([str(scripts / "depthscope"), *arguments], cwd=folder, env=env, check=False,
                              capture_output=True, text=True, timeout=300)  # fmt: skip
        if done.returncode:
            raise SystemExit(f"wheel-test: NOT MET: {arguments}: {done.stderr.strip()[-400:]}")
        return done.stdout

    expect(said("--version") == f"depthscope {version}\n", "the version is another")
    held = json.loads(said("_probe", "contents"))
    files = sorted(Path(place, Path(name).name).relative_to("resources").as_posix()
                   for name, place in bundle.resources())  # fmt: skip
    expect(held["resources"] == files, f"resources differ: {sorted(set(held['resources']) ^ set(files))}")
    expect(held["panes"] and held["families"] and held["messages"]["ko"], f"something is empty: {held}")
    run: dict[str, Any] = json.loads(said("trace", "babi", "--text", STORY, "--json"))
    expect(run["steps"] > 1, "the shipped checkpoint does not run")
    said("shot", "--pane", "all", "-o", str(folder / "pictures"))
    drawn = {picture.stem for picture in (folder / "pictures").glob("*.png")}
    expect(drawn == set(held["panes"]), f"pictures of {sorted(drawn)} only")
    expect("painted" in said("_bench", "paint"), "no window")


def expect(true: object, text: str) -> None:
    if not true:
        raise SystemExit(f"wheel-test: NOT MET: {text}")


if __name__ == "__main__":
    sys.exit(main())

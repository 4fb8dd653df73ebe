"""`depthscope doctor`: is everything here that the program needs, and what to do where it is not."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.verbs.common import Result, shipped, table

EXAMPLE = "depthscope doctor"
JSON = True

PACKAGES = ("PySide6-Essentials", "pyqtgraph", "numpy", "torch", "safetensors")
_REINSTALL = "run `make setup`, or `python -m pip install depthscope` again"
_CHILD_SECONDS = 60


def arguments(parser: argparse.ArgumentParser) -> None:
    """None of its own."""


def run(_: argparse.Namespace) -> Result:
    found = list(_checks())
    rows = [("ok" if one["ok"] else "BAD", one["check"], one["found"]) for one in found]
    fixes = [f"{one['check']}: {one['fix']}" for one in found if not one["ok"]]
    end = ["", "to do:", *(f"  {fix}" for fix in fixes)] if fixes else ["", "everything is here"]
    return Result(found, "\n".join([table(("", "check", "found"), rows), *end]))


def _checks() -> Iterator[dict[str, Any]]:
    from app.cli import version

    yield _entry("depthscope", True, version(), "")
    new_enough = sys.version_info >= (3, 11)
    yield _entry("python", new_enough, platform.python_version(), "install Python 3.11 or newer")
    yield _entry("system", True, f"{platform.system()} {platform.release()} {platform.machine()}", "")
    for package in PACKAGES:
        yield _package(package)
    yield from _animation()
    yield _display()
    yield from _qt()
    yield _device()
    names = ", ".join(shipped())
    yield _entry("shipped checkpoints", bool(names), names or "none", _REINSTALL)
    yield from _folders()


def _entry(check: str, ok: bool, found: str, fix: str) -> dict[str, Any]:
    return {"check": check, "ok": ok, "found": found, "fix": None if ok else fix}


def _package(name: str) -> dict[str, Any]:
    try:
        found = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return _entry(name, False, "missing", _REINSTALL)
    wrong = name == "PySide6-Essentials" and not ((6, 11, 2) <= _numbers(found) < (6, 12))
    fix = 'python -m pip install "PySide6-Essentials>=6.11.2,<6.12" (others crash or break docking)'
    return _entry(name, not wrong, found, fix)


def _animation() -> Iterator[dict[str, Any]]:
    """What moving pictures are made with; none of it is needed for anything else."""
    try:
        pillow = importlib.metadata.version("pillow")
    except importlib.metadata.PackageNotFoundError:
        pillow = "not here: no WebP or GIF; python -m pip install 'depthscope[animation]'"
    yield _entry("Pillow (optional)", True, pillow, "")
    ffmpeg = shutil.which("ffmpeg") or "not here: no MP4; install ffmpeg"
    yield _entry("ffmpeg (optional)", True, ffmpeg, "")


def _numbers(text: str) -> tuple[int, ...]:
    parts = (part for part in text.split("+")[0].split("."))
    return tuple(int(part) for part in parts if part.isdigit())


def _display() -> dict[str, Any]:
    from app.display import why_no_display

    reason = why_no_display()
    fix = "start it in a desktop session, or draw without one: `depthscope shot` and `depthscope trace`"
    return _entry("display", reason is None, reason or "a window can be shown", fix)


def _qt() -> Iterator[dict[str, Any]]:
    from app.paths import resource

    folder = resource("fonts")
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".otf", ".ttf"))
    answer, why = _child("qt", *map(str, files))
    if answer is None:
        yield _entry("Qt platform plug-in", False, why, _REINSTALL)
        return
    yield _entry("Qt platform plug-in", True, f"{answer['plugin']} starts", "")
    good = bool(answer["families"]) and not answer["bad"]
    shown = ", ".join(answer["families"]) or "none in the bundle"
    if answer["bad"]:
        shown += f"; unreadable: {', '.join(answer['bad'])}"
    yield _entry("fonts", good, shown, _REINSTALL)


def _device() -> dict[str, Any]:
    answer, why = _child("torch")
    if answer is None:
        return _entry("device", False, why, _REINSTALL)
    reason = f" ({answer['reason']})" if answer["reason"] else ""
    return _entry("device", True, f"{answer['device']}{reason}", "")


def _child(*arguments: str) -> tuple[dict[str, Any] | None, str]:
    """What a child process printed as JSON, or None and the last line of its complaint."""
    from app.cli import child_command
    from ut_engine.client import child_environment

    try:
        child = subprocess.run(
            child_command("_probe", *arguments), env=child_environment(), stdin=subprocess.DEVNULL,
            capture_output=True, timeout=_CHILD_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, f"no answer within {_CHILD_SECONDS} seconds"
    lines = child.stdout.decode(errors="replace").splitlines()
    if child.returncode == 0 and lines:
        answer: dict[str, Any] = json.loads(lines[-1])
        return answer, ""
    complaint = child.stderr.decode(errors="replace").strip().splitlines()
    return None, complaint[-1] if complaint else f"ended with {child.returncode}"


def _folders() -> Iterator[dict[str, Any]]:
    from app.paths import config_dir, log_dir

    here = "give yourself write access or free some space"
    elsewhere = f"{here}, or name another folder in DEPTHSCOPE_CONFIG"
    for check, folder, fix in (
        ("settings folder", config_dir(), elsewhere),
        ("log folder", log_dir(), elsewhere),
        ("this folder", Path.cwd(), here),
    ):
        reason = _why_not_writable(folder)
        yield _entry(check, reason is None, f"{folder}: {reason or 'writable'}", fix)


def _why_not_writable(folder: Path) -> str | None:
    """None where a file can be made there (a folder not there yet: in its nearest parent that is)."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"depthscope")
            file.flush()
    except OSError as error:
        return (error.strerror or "not writable").lower()
    return None

"""`depthscope checkpoints`: what ships with the program."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from app.verbs.common import Result, shipped, table

EXAMPLE = "depthscope checkpoints"
JSON = True


def arguments(parser: argparse.ArgumentParser) -> None:
    """None of its own."""


def run(_: argparse.Namespace) -> Result:
    found = [_entry(name, path) for name, path in shipped().items()]
    rows = [(one["name"], one["family"], one["task"], one["parameters"], one["path"]) for one in found]
    head = ("name", "family", "task", "parameters", "path")
    return Result(found, table(head, rows) if rows else "no checkpoint ships with this build")


def _entry(name: str, path: Path) -> dict[str, Any]:
    from ut_engine.checkpoint import peek

    header = peek(path)
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    return {
        "name": name,
        "path": str(path),
        "task": config.get("task"),
        "family": config.get("family"),
        "parameters": header.parameters,
    }

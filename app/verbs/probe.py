"""Tried in a child process by `doctor`: Qt aborts where it cannot start, a broken torch just ends.

And what this build is made of, for the test of a packaged program.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

LATE = ("pyqtgraph",)  # imported by name where it is needed: a packager cannot see that


def run(argv: list[str]) -> dict[str, Any]:
    """`qt FONT ...` starts the offscreen plug-in and loads the fonts; `torch` chooses a device; `contents`
    names what this build is made of, to compare a packaged program with its source."""
    if argv[0] == "contents":
        return _contents()
    return _qt(argv[1:]) if argv[0] == "qt" else _torch()


def _contents() -> dict[str, Any]:
    """Panes, families, verbs, languages, checkpoints and resources, each found as the program finds it."""
    from app.cli import VERBS, parser_of, version
    from app.messages import LANGUAGES, catalogue
    from app.pane import all_panes
    from app.paths import resource
    from app.state import workspaces
    from app.verbs.common import shipped
    from ut_engine.family import families

    files = (path for path in resource().rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {
        "version": version(),
        "panes": list(all_panes()),
        "workspaces": [name for name, _ in workspaces(all_panes())],
        "families": [family.NAME for family in families()],
        "verbs": [name for name in VERBS if parser_of(name)],
        "messages": {code: len(vars(catalogue(code)).get("_catalog", ())) for code in LANGUAGES},
        "checkpoints": list(shipped()),
        "late": [name for name in LATE if import_module(name)],
        "resources": sorted(path.relative_to(resource()).as_posix() for path in files),
    }


def _qt(files: list[str]) -> dict[str, Any]:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtGui import QFontDatabase, QGuiApplication

    application = QGuiApplication([])
    numbers = [QFontDatabase.addApplicationFont(file) for file in files]
    families = {name for number in numbers for name in QFontDatabase.applicationFontFamilies(number)}
    bad = [file for file, number in zip(files, numbers, strict=True) if number < 0]
    return {"plugin": application.platformName(), "families": sorted(families), "bad": bad}


def _torch() -> dict[str, Any]:
    from ut_engine.torch.device import choose

    device = choose("auto")
    return {"device": device.name, "reason": device.reason}

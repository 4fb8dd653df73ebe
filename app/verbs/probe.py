"""Tried in a child process by `doctor`: Qt aborts where it cannot start, a broken torch just ends."""

from __future__ import annotations

import os
from typing import Any


def run(argv: list[str]) -> dict[str, Any]:
    """`qt FONT ...` starts the offscreen plug-in and loads the fonts; `torch` chooses a device."""
    return _qt(argv[1:]) if argv[0] == "qt" else _torch()


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

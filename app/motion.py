"""Does the desktop ask for less motion?  Read where that takes no program and no time; else False."""

from __future__ import annotations

import configparser
import ctypes
import os
import sys
from pathlib import Path

_SPI_GETCLIENTAREAANIMATION = 0x1042


def system_reduces() -> bool:
    """Windows: its switch for animations.  Linux: the settings files of GTK and KDE.  Elsewhere False."""
    if sys.platform == "win32":
        shown = ctypes.c_int(1)
        ctypes.windll.user32.SystemParametersInfoW(_SPI_GETCLIENTAREAANIMATION, 0, ctypes.byref(shown), 0)
        return not shown.value
    if sys.platform.startswith("linux"):
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        return _files_say(Path(home))
    return False


def _files_say(folder: Path) -> bool:
    for name in ("gtk-4.0/settings.ini", "gtk-3.0/settings.ini"):
        if _value(folder / name, "Settings", "gtk-enable-animations").lower() in ("0", "false"):
            return True
    factor = _value(folder / "kdeglobals", "KDE", "AnimationDurationFactor")
    try:
        return bool(factor) and float(factor) == 0
    except ValueError:
        return False


def _value(file: Path, section: str, key: str) -> str:
    """A value of an .ini file; "" where there is none or the file cannot be read."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    try:
        parser.read(file, encoding="utf-8")
        return parser.get(section, key, fallback="").strip()
    except (configparser.Error, OSError, UnicodeDecodeError):
        return ""

"""Where things lie: what ships with the program, and the two folders it may write to."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_NAME = "depthscope"


def resource(*parts: str) -> Path:
    """The path of a shipped file or folder, `resource("icons", "play.svg")`.

    `resources` lies beside `app` in a checkout, in an installed wheel and in a frozen program alike.
    """
    return Path(__file__).resolve().parent.parent.joinpath("resources", *parts)


def lost_file(error: BaseException | None) -> str | None:
    """What to say where an error came of a file that ships with the program and is not there; else None."""
    name = error.filename if isinstance(error, FileNotFoundError) else None
    if isinstance(name, str | Path) and str(name).startswith(str(resource())):
        return f"{name} is missing from the program's folder; install it again"
    return None


def shipped() -> dict[str, Path]:
    """The folders of the checkpoints that ship with the program, by name."""
    folder = resource("checkpoints")
    if not folder.is_dir():
        return {}
    return {path.name: path for path in sorted(folder.iterdir()) if (path / "config.json").is_file()}


def shipped_card(name: str) -> str:
    """The text of a shipped checkpoint's model card; OSError where it is not there."""
    return resource("checkpoints", name, "card.md").read_text("utf-8")


def config_dir() -> Path:
    """The folder of settings and recent files, perhaps not there yet; DEPTHSCOPE_CONFIG names another."""
    if own := os.environ.get("DEPTHSCOPE_CONFIG"):
        return Path(own)
    if sys.platform == "win32":
        return _from_variable("APPDATA", "AppData/Roaming") / _NAME
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support" / _NAME
    return _from_variable("XDG_CONFIG_HOME", ".config") / _NAME


def log_dir() -> Path:
    """The folder of log files, perhaps not there yet; `log` inside DEPTHSCOPE_CONFIG where that is set."""
    if own := os.environ.get("DEPTHSCOPE_CONFIG"):
        return Path(own) / "log"
    if sys.platform == "win32":
        return _from_variable("LOCALAPPDATA", "AppData/Local") / _NAME / "log"
    if sys.platform == "darwin":
        return Path.home() / "Library/Logs" / _NAME
    return _from_variable("XDG_STATE_HOME", ".local/state") / _NAME


def _from_variable(name: str, otherwise: str) -> Path:
    """The folder an environment variable names, else one inside the home folder."""
    value = os.environ.get(name, "")
    return Path(value) if os.path.isabs(value) else Path.home() / otherwise

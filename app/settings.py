"""What the program remembers between two starts, as one plain value and one small JSON file.

A setting is a field below with its default, and a line in `_CHECKS`; nothing else has to be touched.  A
file that cannot be read gives the defaults and a notice, and is kept beside as `settings.broken.json`.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from app.messages import LANGUAGES, Message, msg
from app.motion import system_reduces
from app.palette import THEMES

RECENT = 10
ANSWERS = 200  # of the quiz, kept at most
SCALES = (1.0, 1.25, 1.5, 1.75, 2.0)
CLASSROOM = 1.4  # times as large type in classroom mode
FILE = "settings.json"


@dataclass(frozen=True, slots=True)
class Settings:
    """language, theme: "" follows the system.  scale: text size, 1.0 to 2.0.

    geometry: x, y, width, height of the window in logical pixels, () before the first time.
    recent: paths, newest first.  checkpoint: the last one opened ("" the shipped one).
    letters: whether keys without Ctrl or Alt do something.  reduced_motion: nothing moves by itself.
    classroom: larger type, no side panels, slower play.  quiz: answers given, "question=answer" each.
    """

    language: str = ""
    theme: str = ""
    scale: float = 1.0
    geometry: tuple[int, ...] = ()
    maximized: bool = False
    workspace: str = ""
    recent: tuple[str, ...] = ()
    checkpoint: str = ""
    letters: bool = True
    reduced_motion: bool = False
    classroom: bool = False
    quiz: tuple[str, ...] = ()

    @property
    def text_scale(self) -> float:
        """The scale of text that is shown; never more than the largest that can be set."""
        return min(SCALES[-1], self.scale * CLASSROOM) if self.classroom else self.scale


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "language": lambda v: v == "" or (isinstance(v, str) and v in LANGUAGES),
    "theme": lambda v: v == "" or (isinstance(v, str) and v in THEMES),
    "scale": lambda v: _number(v) and SCALES[0] <= v <= SCALES[-1],
    "geometry": lambda v: v == () or (len(v) == 4 and all(type(n) is int and abs(n) < 100_000 for n in v)),
    "maximized": lambda v: isinstance(v, bool),
    "workspace": lambda v: isinstance(v, str),
    "recent": lambda v: all(isinstance(path, str) for path in v),
    "checkpoint": lambda v: isinstance(v, str),
    "letters": lambda v: isinstance(v, bool),
    "reduced_motion": lambda v: isinstance(v, bool),
    "classroom": lambda v: isinstance(v, bool),
    "quiz": lambda v: len(v) <= ANSWERS and all(isinstance(answer, str) for answer in v),
}


def checked(values: Mapping[str, Any]) -> tuple[Settings, tuple[str, ...]]:
    """Settings from a mapping, and the names whose values were no good; those keep their defaults."""
    good: dict[str, Any] = {}
    bad: list[str] = []
    for field in fields(Settings):
        if field.name not in values:
            continue
        value = values[field.name]
        if isinstance(getattr(Settings(), field.name), tuple):
            value = tuple(value) if isinstance(value, list | tuple) else None
        if value is not None and _CHECKS[field.name](value):
            good[field.name] = value
        else:
            bad.append(field.name)
    settings = Settings(**good)
    return replace(settings, recent=settings.recent[:RECENT]), tuple(bad)


def load(folder: Path) -> tuple[Settings, Message | None]:
    """The settings kept in a folder, and what to tell the user; never fails."""
    path = folder / FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(values, dict):
            raise ValueError("not a JSON object")
    except FileNotFoundError:
        return Settings(reduced_motion=system_reduces()), None
    except OSError as error:
        return Settings(), msg("The settings could not be read ({reason}); the defaults are used.",
                               reason=error.strerror or str(error))  # fmt: skip
    except (ValueError, RecursionError):  # JSON and UTF-8 errors are ValueErrors
        _keep(path)
        return Settings(), msg("The settings file was damaged; the defaults are used, the file was kept.")
    settings, bad = checked(values)
    if bad:
        return settings, msg("Some settings were not usable and are back at their defaults: {names}.",
                             names=", ".join(bad))  # fmt: skip
    return settings, None


def _keep(path: Path) -> None:
    """Put a damaged file aside, so that saving does not destroy what may be in it."""
    try:
        os.replace(path, path.with_suffix(".broken.json"))
    except OSError:
        pass  # a folder that may not be written to; saving will say so


def save(folder: Path, settings: Settings) -> None:
    """Write the settings, whole or not at all; OSError where the folder cannot be written to."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(asdict(settings), ensure_ascii=False, indent=1) + "\n"
    handle, name = tempfile.mkstemp(prefix=".settings-", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, folder / FILE)
    except BaseException:
        os.unlink(name)
        raise


def with_recent(settings: Settings, path: str) -> Settings:
    """The path first in the list of recent files, once, ten in all."""
    others = [other for other in settings.recent if other != path]
    return replace(settings, recent=(path, *others)[:RECENT])

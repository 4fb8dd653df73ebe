"""What verbs share: their result, strict JSON, aligned tables, and where a checkpoint's name leads."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import signal
import threading
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from app.paths import shipped as shipped
from ut_engine.errors import UserError


@dataclass(frozen=True, slots=True)
class Result:
    """What a verb found: the JSON document, and the same for people."""

    document: Any
    text: str


class Parser(argparse.ArgumentParser):
    """argparse whose complaints are user errors: one line, no usage text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def error(self, message: str) -> NoReturn:
        raise UserError(message, f"see `{self.prog} --help`")


def to_json(value: Any) -> str:
    """Strict JSON in ASCII (it survives every terminal and pipe); NaN and infinities become null."""
    return json.dumps(plain(value), allow_nan=False)


def plain(value: Any) -> Any:
    """Lists, dicts, numbers, texts and None only; arrays become nested lists."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # numpy arrays and scalars, without importing numpy here
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, os.PathLike) else value


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """An aligned table: numbers to the right, texts to the left; None is a dash."""
    numbers = [
        all(row[place] is None or _is_number(row[place]) for row in rows) for place in range(len(head))
    ]
    places = [_decimals([row[place] for row in rows]) for place in range(len(head))]
    cells = [[_cell(value, digits) for value, digits in zip(row, places, strict=True)] for row in rows]
    widths = [max(map(_width, column)) for column in zip(head, *cells, strict=True)]
    lines = []
    for row in [list(head), *cells]:
        padded = [
            " " * (width - _width(text)) + text if to_right else text + " " * (width - _width(text))
            for text, width, to_right in zip(row, widths, numbers, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _decimals(column: Sequence[Any]) -> int:
    """As many decimals for a whole column, so that its points stand below each other."""
    sizes = [abs(value) for value in column if isinstance(value, float) and math.isfinite(value)]
    return 4 if max(sizes, default=0.0) < 10 else 2


def _cell(value: Any, decimals: int) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.{decimals}f}" if math.isfinite(value) else "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def printable(text: str) -> str:
    """Control characters escaped: a name out of a file must not steer the terminal."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _width(text: str) -> int:
    """Columns on a terminal: wide East Asian characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def checkpoint_path(text: str) -> Path:
    """A path that exists, or the folder of a shipped checkpoint of that name.

    A checkpoint at the path wins; some other folder of that name does not.
    """
    path, names = Path(text), shipped()
    try:
        there = bool(text) and path.exists()
        if there and (text not in names or path.is_file() or (path / "config.json").exists()):
            return path
    except (OSError, ValueError):  # too long a name, a zero byte
        pass
    if text in names:
        return names[text]
    known = f", or the name of a shipped one: {', '.join(names)}" if names else ""
    raise UserError(f"there is no checkpoint {text!r}", f"give the path of a file or folder{known}")


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """While libraries load, Ctrl-C ends the process at once: nothing is being written yet, and an exception
    that crosses torch's native start-up code aborts the process with a message of its own."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    before = signal.signal(signal.SIGINT, _end_now)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end_now(*_: object) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.write(2, b"depthscope: interrupted\n")
    os._exit(130)


def whole(least: int, most: int) -> Any:
    """An argparse type: a whole number in a range, refused with the range."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{number} is not from {least:,} to {most:,}")
        return number

    return parse

"""Can the result be written where it is wanted?  Asked before anything is computed."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ut_engine.errors import UserError


def check_file(path: Path) -> None:
    """Raise UserError unless an ordinary file of that name can be made or replaced; leaves nothing there.

    A device or a pipe is refused: replacing one by a file would harm the system.
    """
    from ut_engine.files import cannot_write

    try:
        if path.is_dir():
            raise UserError(
                f"{path.name or path} cannot be written: a folder has that name", "choose another name"
            )
        if path.exists() and not path.is_file():
            raise UserError(f"{path} cannot be written: it is no ordinary file", "choose another name")
        if not path.name:
            raise UserError("the output has no name", "give the name of a file")
        if path.is_file() and not os.access(path, os.W_OK):
            raise UserError(f"{path.name} cannot be written: it is read-only", "choose another name")
        _probe(path.resolve().parent)
    except ValueError as error:  # a zero byte
        raise (
            error
            if isinstance(error, UserError)
            else UserError("the output's name is no file name", "change it")
        ) from None
    except OSError as error:
        raise cannot_write(path, error) from None


def check_folder(path: Path) -> None:
    """Raise UserError unless the folder is there, or can be made, and takes files; leaves nothing there."""
    from ut_engine.files import cannot_write

    try:
        nearest = path.resolve()
        while not nearest.exists() and nearest != nearest.parent:
            nearest = nearest.parent
        if not nearest.is_dir():
            raise UserError(f"{path} cannot be a folder: {nearest.name} is a file", "choose another folder")
        _probe(nearest)
    except ValueError as error:
        raise (
            error
            if isinstance(error, UserError)
            else UserError("the output's name is no folder name", "change it")
        ) from None
    except OSError as error:
        raise cannot_write(path, error) from None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to, of the same kind; renamed over it in the end, removed on failure."""
    unfinished = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def check_space(path: Path, size: int) -> None:
    """Raise UserError where the disk of the output has clearly less room than it will take."""
    try:
        free = shutil.disk_usage(path.resolve().parent).free
    except OSError:
        return  # the write itself will say
    if size > free:
        wants, has = f"{size / 2**30:.1f} GiB", f"{free / 2**30:.1f} GiB"
        what = f"{path.name} would take about {wants} and the disk has {has} left"
        raise UserError(what, "free some space, choose another folder, or keep less")


def _probe(folder: Path) -> None:
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".depthscope.") as file:
        file.write(bytes(4096))  # a full disk often still takes an empty file
        file.flush()

"""Compile the texts: every `.po` file of a language into its one `depthscope.mo`.

Run without arguments it does what is stale; `make` and the building of a wheel run it.  Needs Babel.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

TEXTS = Path(__file__).resolve().parent.parent / "resources" / "i18n"


def main() -> int:
    for language, sources in languages():
        target = language / "depthscope.mo"
        if not target.exists() or target.stat().st_mtime < max(map(modified, [*sources, language])):
            compile_language(language.name, sources, target)
    return 0


def languages() -> Iterator[tuple[Path, list[Path]]]:
    """The folders that hold `.po` files, and those files in order."""
    for language in sorted(TEXTS.iterdir()) if TEXTS.is_dir() else []:
        if sources := sorted(language.glob("*.po")):
            yield language, sources


def modified(path: Path) -> float:
    return path.stat().st_mtime


def compile_language(name: str, sources: list[Path], target: Path) -> None:
    """One catalogue from several; raises ValueError where two of them translate a text differently."""
    catalog = Catalog(locale=name)
    for source in sources:
        with source.open("rb") as file:
            part = read_po(file, locale=name, abort_invalid=True)
        for message in part:
            known = catalog.get(message.id, message.context) if message.id else None
            if known is not None and known.string != message.string:
                raise ValueError(f"{source.name}: {message.id!r} is translated differently elsewhere")
            if message.id:
                catalog[message.id] = message
    draft = target.with_suffix(f".{os.getpid()}")
    with draft.open("wb") as file:
        write_mo(file, catalog)
    os.replace(draft, target)
    # Writing the draft touched the folder, whose time tells whether a source was added or removed.
    os.utime(target, (modified(target.parent),) * 2)


if __name__ == "__main__":
    sys.exit(main())

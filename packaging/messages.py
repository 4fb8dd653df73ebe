"""Texts in other languages: what is missing, what is unused, and the compiled catalogues.

    python packaging/messages.py           names what is missing, unused or wrong; exit code 1 if anything is
    python packaging/messages.py update    adds missing messages, untranslated, to the .po files
    python packaging/messages.py compile   writes resources/i18n/LANGUAGE/depthscope.mo from all .po files

A language is a folder of .po files, one for each pane and `shell.po` for the rest, so that a pane's texts are
one file.  Messages are the literal arguments of `msg(...)` and `nmsg(...)` anywhere in `app`.
"""

from __future__ import annotations

import ast
import io
import string
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
I18N = ROOT / "resources" / "i18n"
LANGUAGES = ("ko",)
KEYWORDS = {"msg": 1, "nmsg": 2}  # function -> how many of its arguments are texts

Id = str | tuple[str, str]


def extracted() -> dict[Id, str]:
    """Every message of the program: id (or the pair one, many) -> the file it stands in first."""
    found: dict[Id, str] = {}
    for path in sorted((ROOT / "app").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"), name)):
            if isinstance(node, ast.Call) and (ids := ids_of(node, name)):
                found.setdefault(ids, name)
    return found


def ids_of(call: ast.Call, where: str) -> Id | None:
    """The message of one call; None for other calls, ValueError where its text is no literal."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if called not in KEYWORDS:
        return None
    texts = [getattr(argument, "value", None) for argument in call.args[: KEYWORDS[called]]]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{where}:{call.lineno}: the text of a message must be a literal")
    return texts[0] if len(texts) == 1 else (texts[0], texts[1])


def part_of(source: str) -> str:
    """The .po file for a message of a source file: its pane's, else the shell's."""
    name = Path(source).stem.lstrip("_").split("_")[0]
    return f"{name}.po" if "/panes/" in source else "shell.po"


def parts(language: str) -> dict[str, Catalog]:
    """The .po files of a language by name."""
    found = {}
    for path in sorted((I18N / language).glob("*.po")):
        found[path.name] = read_po(io.BytesIO(path.read_bytes()), locale=language)
    return found


def messages(language: str) -> Iterator[tuple[str, Message]]:
    for name, catalog in parts(language).items():
        yield from ((name, message) for message in catalog if message.id)


def faults(language: str) -> list[str]:
    """What is wrong with a language, a line each."""
    wanted, seen, lines = extracted(), {}, []
    for name, message in messages(language):
        if message.id in seen:
            lines.append(f"{name}: twice, also in {seen[message.id]}: {message.id!r}")
        seen[message.id] = name
        lines += [f"{name}: {fault}: {message.id!r}" for fault in wrong(message)]
    lines += [f"{place}: missing in {language}: {ids!r}" for ids, place in wanted.items() if ids not in seen]
    lines += [f"{name}: unused: {ids!r}" for ids, name in seen.items() if ids not in wanted]
    return lines


def wrong(message: Message) -> Iterator[str]:
    """Faults of one translation: none, uncertain, or with other places than the original."""
    ids = message.id if isinstance(message.id, tuple) else (message.id,)
    texts = message.string if isinstance(message.string, tuple) else (message.string,)
    if message.fuzzy:
        yield "fuzzy"
    if not all(texts):
        yield "not translated"
    elif any(places(text) != places(ids[-1]) for text in texts):
        yield f"places differ, {sorted(places(ids[-1]))} wanted"


def places(text: str) -> set[str]:
    """The named places of a format string; a broken one has a place of its own."""
    try:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    except ValueError:
        return {"(broken)"}


class Bare(Catalog):
    """A catalogue whose header holds no dates and versions: the same texts make the same file."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [("Content-Type", "text/plain; charset=utf-8"), ("Plural-Forms", self.plural_forms)]


def compiled(language: str) -> bytes:
    """All parts of a language as one .mo file; the same bytes for the same texts."""
    whole = Bare(locale=language, fuzzy=False)
    for _, message in messages(language):
        whole.add(message.id, message.string)
    out = io.BytesIO()
    write_mo(out, whole)
    return out.getvalue()


def update(language: str) -> int:
    """Add what is missing to the .po files, drop what is unused; the number of messages added."""
    wanted, known = extracted(), parts(language)
    there = {message.id for catalog in known.values() for message in catalog if message.id}
    for ids, source in wanted.items():
        if ids not in there:
            known.setdefault(part_of(source), Catalog(locale=language, fuzzy=False)).add(ids)
    for name, catalog in known.items():
        for message in list(catalog):
            if message.id and message.id not in wanted:
                catalog.delete(message.id)
        write_part(I18N / language / name, catalog)
    return len(wanted.keys() - there)


def write_part(path: Path, catalog: Catalog) -> None:
    """A .po file without dates and places, so that it changes only where texts do."""
    out = io.BytesIO()
    write_po(out, catalog, width=110, no_location=True, omit_header=True, sort_output=False)
    forms = catalog.plural_forms
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
    head += f'"Language: {catalog.locale}\\n"\n"Plural-Forms: {forms}\\n"\n\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + out.getvalue().decode("utf-8"), "utf-8")


def main(verb: str = "check") -> int:
    for language in LANGUAGES:
        if verb == "update":
            print(f"{language}: {update(language)} added")
        if verb == "compile":
            (I18N / language / "depthscope.mo").write_bytes(compiled(language))
    lines = [line for language in LANGUAGES for line in faults(language)]
    print(*lines, sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

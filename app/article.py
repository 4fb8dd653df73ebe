"""The article: a small part of Markdown, read into blocks; their words and numbers when they are wanted.

    # Title {#id}        ## Section {#id}       a paragraph, **strong**, *slanted*, [text](pane:view)
    > quotation          - item                 ^ caption            ~ the paragraph that leads in
    $formula-id$         ::inset key            {name}: a number of `figures`

Blocks stand apart by an empty line; formulas one below the other are one block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from app.messages import LANGUAGES
from app.paths import resource

STYLES = {">": "quote", "-": "item", "^": "caption", "~": "lead"}
_HEAD = re.compile(r"(#{1,2}) (.+?) \{#([a-z]+)\}")
_FORMULA = re.compile(r"\$([a-z0-9-]+)\$")
_INSET = re.compile(r"::inset ([a-z]+)")
_PART = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*|\*([^*]+)\*")
_FIGURE = re.compile(r"\{([a-z0-9_.-]+)\}")


@dataclass(frozen=True, slots=True)
class Run:
    """Words of one look.  link: "pane:...", where they lead."""

    text: str
    strong: bool = False
    slanted: bool = False
    link: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """kind: "title", "heading", "text", "lead", "quote", "item", "caption", "formula" or "inset".

    section: id of the heading it stands under.  text: as it was written.  names: ids of formulas, or an
    inset's key.  language: of its words and numbers.
    """

    kind: str
    section: str
    text: str = ""
    names: tuple[str, ...] = ()
    language: str = "en"

    @property
    def runs(self) -> tuple[Run, ...]:
        """Its words, with the numbers in them, which are computed now; KeyError for an unknown one."""
        return _runs(self.text, self.language) if self.text else ()

    @property
    def words(self) -> str:
        return "".join(run.text for run in self.runs)


def parse(text: str, language: str = "en") -> tuple[Block, ...]:
    """The blocks of an article; ValueError for what cannot be read."""
    blocks: list[Block] = []
    section = ""
    for part in re.split(r"\n\s*\n", text.strip()):
        part = part.strip()
        head = _HEAD.fullmatch(part)
        if head is not None:
            section = head[3]
            kind = "title" if len(head[1]) == 1 else "heading"
            blocks.append(Block(kind, section, head[2], language=language))
        else:
            blocks += _block(part, section, language)
    return tuple(blocks)


def _block(part: str, section: str, language: str) -> list[Block]:
    lines = part.splitlines()
    formulas = [_FORMULA.fullmatch(line.strip()) for line in lines]
    if all(formulas):
        return [Block("formula", section, names=tuple(found[1] for found in formulas if found))]
    inset = _INSET.fullmatch(part)
    if inset is not None:
        return [Block("inset", section, names=(inset[1],))]
    if part.startswith(("#", "$", "::")):
        raise ValueError(f"this cannot be read: {lines[0]!r}")
    if part[:2] == "- ":
        items = re.split(r"\n(?=- )", part)
        return [_words("item", section, item[2:], language) for item in items]
    kind = STYLES.get(part[0], "text") if part[1:2] == " " else "text"
    return [_words(kind, section, part if kind == "text" else part[2:], language)]


def _words(kind: str, section: str, text: str, language: str) -> Block:
    joined = " ".join(line.strip() for line in text.splitlines())
    for found in _PART.finditer(joined):
        if found[2] is not None and not found[2].startswith("pane:"):
            raise ValueError(f"{found[2]!r} is no link to a pane")
    return Block(kind, section, joined, language=language)


@lru_cache(maxsize=512)
def _runs(text: str, language: str) -> tuple[Run, ...]:
    runs, place, text = [], 0, _filled(text, language)
    for found in _PART.finditer(text):
        if found.start() > place:
            runs.append(Run(text[place : found.start()]))
        name, link, strong, slanted = found.groups()
        runs.append(Run(name or strong or slanted, strong is not None, slanted is not None, link or ""))
        place = found.end()
    if place < len(text):
        runs.append(Run(text[place:]))
    return tuple(runs)


def _filled(text: str, language: str) -> str:
    wanted = wanted_figures(text)
    if not wanted:
        return text
    from app.article_figures import figures  # what computes them is imported with the first one

    said = figures(wanted, language)
    return _FIGURE.sub(lambda found: said[found[1]], text)


def source(language: str) -> str:
    """The text as it was written; OSError where it is missing."""
    return resource("article", f"{language}.md").read_text("utf-8")


def wanted_figures(text: str) -> frozenset[str]:
    return frozenset(_FIGURE.findall(re.sub(r"\{#[a-z]+\}", "", text)))


@lru_cache(maxsize=len(LANGUAGES))
def article(language: str) -> tuple[Block, ...]:
    """The article in a language."""
    return parse(source(language), language)

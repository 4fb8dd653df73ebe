"""The article in every language at once: its blocks side by side, its sections, and where words are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from unicodedata import normalize

from app.article import Block, Run, article
from app.formulas import spoken
from app.messages import LANGUAGES, ByLanguage, Message, Text, msg
from app.scene import Equation, Passage, Span

WIDE = 80  # characters of a line
MOST_QUERY = 80


@dataclass(frozen=True, slots=True)
class Place:
    """One block of the article.  key: "section.number"; the heading of a section has number 0."""

    key: str
    section: str
    kind: str
    blocks: tuple[tuple[str, Block], ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self.blocks[0][1].names


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a word was found: the number of the place, and from where to where in its words."""

    place: int
    start: int
    end: int


@lru_cache(maxsize=1)
def places() -> tuple[Place, ...]:
    """The blocks in their order; the articles of all languages have the same ones."""
    found, count = [], dict[str, int]()
    for blocks in zip(*(article(language) for language in LANGUAGES), strict=True):
        section = blocks[0].section
        number = count.get(section, 0)
        count[section] = number + 1
        pairs = tuple(zip(LANGUAGES, blocks, strict=True))
        found.append(Place(f"{section}.{number}", section, blocks[0].kind, pairs))
    return tuple(found)


@lru_cache(maxsize=1)
def numbers() -> dict[str, int]:
    """Number of a place by its key."""
    return {place.key: k for k, place in enumerate(places())}


@lru_cache(maxsize=1)
def sections() -> tuple[tuple[str, Text], ...]:
    """(id, title) in their order."""
    return tuple(
        (place.section, ByLanguage(tuple((language, block.words) for language, block in place.blocks)))
        for place in places()
        if place.kind in ("title", "heading")
    )


@lru_cache(maxsize=1)
def order() -> tuple[str, ...]:
    """The sections' ids."""
    return tuple(section for section, _ in sections())


@lru_cache(maxsize=1)
def by_section() -> tuple[tuple[tuple[int, Place], ...], ...]:
    """The places of each section, with their numbers."""
    numbered = groupby(enumerate(places()), key=lambda one: one[1].section)
    return tuple(tuple(found) for _, found in numbered)


def known(at: str) -> str:
    """The key of a place: of a section's id that of its heading, "" for none there is."""
    key = at if "." in at else f"{at}.0"
    return key if key in numbers() else ""


# ---- searching --------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """As it is compared: composed, without a difference of case or of kinds of spaces."""
    return normalize("NFC", text).casefold().replace("\N{NO-BREAK SPACE}", " ")


@lru_cache(maxsize=16)
def hits(query: str, language: str) -> tuple[Hit, ...]:
    """Where the words stand in the article of a language, in its order."""
    wanted = plain(query.strip()[:MOST_QUERY])
    found: list[Hit] = []
    if not wanted or one_letter(wanted):
        return ()
    for number, place in enumerate(places()):
        text = plain(dict(place.blocks)[language].words)
        start = text.find(wanted)
        while start >= 0:
            found.append(Hit(number, start, start + len(wanted)))
            start = text.find(wanted, start + len(wanted))
    return tuple(found)


@lru_cache(maxsize=16)
def by_place(query: str, language: str) -> Mapping[int, tuple[Hit, ...]]:
    """The same by the number of the place."""
    found: dict[int, tuple[Hit, ...]] = {}
    for one in hits(query, language) if query else ():
        found[one.place] = (*found.get(one.place, ()), one)
    return found


def one_letter(query: str) -> bool:
    """A Latin letter alone stands everywhere, and is not searched; a Korean syllable may be a word."""
    letter = query.strip()
    return len(letter) == 1 and letter.isascii() and letter.isalpha()


def found_text(query: str, hit: int) -> Text:
    """How many there are, and which one is looked at."""
    if one_letter(query):
        return msg("Type two letters or more")
    texts: list[tuple[str, Message]] = []
    for language in LANGUAGES:
        count = len(hits(query, language))
        said = msg("Match {k} of {n}", k=hit % count + 1, n=count) if count else msg("Not in the article")
        texts.append((language, said))
    return ByLanguage(tuple(texts))


def goal(query: str, hit: int) -> Text:
    """The key of the place where the hit stands, in each language."""
    keys = []
    for language in LANGUAGES:
        found = hits(query, language)
        keys.append((language, places()[found[hit % len(found)].place].key if found else ""))
    return ByLanguage(tuple(keys))


# ---- drawing ----------------------------------------------------------------------------------------------


def mark(number: int, query: str, hit: int) -> Passage | Equation:
    """What stands at a place that is no figure, with what is found in it and, where it is here, the hit
    looked at; without a hit the very same for all that is searched.
    """
    if not any(number in by_place(query, language) for language in LANGUAGES):
        return _mark(number, "", None)
    all_hits = [hits(query, language) for language in LANGUAGES]
    here = any(one[hit % len(one)].place == number for one in all_hits if one)
    return _mark(number, query, hit if here else None)


@lru_cache(maxsize=512)
def _mark(number: int, query: str, hit: int | None) -> Passage | Equation:
    return _drawn(places()[number], number, query, hit)


def _drawn(place: Place, number: int, query: str, hit: int | None) -> Passage | Equation:
    """hit: counted on without end; None where none is looked at."""
    if place.kind == "formula":
        return Equation(place.key, place.names, display=True, alt=_spoken(place.names))
    spans: list[Span] = []
    here: list[int] = []
    for language, block in place.blocks:
        all_hits = hits(query, language) if query else ()
        looked = all_hits[hit % len(all_hits)] if all_hits and hit is not None else None
        own = by_place(query, language).get(number, ())
        for span, current in _spans(language, block, own, looked):
            here += [len(spans)] if current else []
            spans.append(span)
    large = place.kind in ("text", "quote", "item")
    return Passage(place.key, tuple(spans), place.kind, WIDE, large, True, tuple(here))


def _spoken(names: tuple[str, ...]) -> Message:
    said = spoken(names[0])
    for name in names[1:]:
        said = msg("{one}; {other}", one=said, other=spoken(name))
    return said


def _spans(
    language: str, block: Block, found: tuple[Hit, ...], looked: Hit | None
) -> list[tuple[Span, bool]]:
    """The spans of a block, cut where hits begin and end; with each whether it is the hit looked at."""
    spans, start = [], 0
    for run in block.runs:
        end = start + len(run.text)
        ends = {cut for hit in found for cut in (hit.start, hit.end) if start < cut < end}
        for left, right in pairwise(sorted({start, end} | ends)):
            hit = next((one for one in found if one.start <= left < one.end), None)
            words = run.text[left - start : right - start]
            spans.append((_span(language, run, words, hit is not None), hit is not None and hit == looked))
        start = end
    return spans


def _span(language: str, run: Run, words: str, found: bool) -> Span:
    event = "read.link" if run.link else ""
    # Hangul has no slanted letters: what is slanted in Latin script is bold there
    hangul = run.slanted and any("가" <= sign <= "힣" for sign in words)
    return Span(
        ByLanguage(((language, words),)), bold=run.strong or hangul, event=event, value=run.link or None,
        found=found, slanted=run.slanted and not hangul,
    )  # fmt: skip

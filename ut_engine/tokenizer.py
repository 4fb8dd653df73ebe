"""From a task's text to token ids and back to labels: sentences as positions, or symbols as positions.

A sentence is a row of word ids that the model sums to one vector (the bAbI form of the paper); a symbol is
one id.  Id 0 is padding everywhere.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ut_engine.errors import UserError
from ut_engine.tasks.babi import ACTORS, DROPS, GETS, MOVES, OBJECTS, ROOMS, Story, sentence_text

FEW = 5  # symbols or words of an example
LONGEST = 100  # characters of a word that is compared with the known ones
_CONFIG_HELP = "use a config.json that this program wrote"


@dataclass(frozen=True, slots=True)
class Encoded:
    """One input, ready for the model; positions are 0-based."""

    ids: npt.NDArray[np.int64]
    """[position, word] for sentences, [position] for symbols; 0 = padding."""
    labels: tuple[str, ...]
    """One per position: the whole sentence, or the symbol."""
    marks: tuple[int, ...]
    """Marked positions (supporting facts), ascending; those of cropped facts are gone."""
    story_order: tuple[int, ...]
    """The positions in the order in which people read them: facts as told, then the question."""
    cropped: int
    """How many facts were dropped to fit, the oldest first."""


@dataclass(frozen=True, slots=True)
class SentenceTokenizer:
    """Position 0 is the question, the facts count back from it: position 1 is the newest.

    Word ids are 1 + the index into `words`; `sentence_length` is the number of words of a row and
    `max_positions` counts the question too.
    """

    words: tuple[str, ...]
    answers: tuple[str, ...]
    sentence_length: int
    max_positions: int
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ids = {word: number for number, word in enumerate(self.words, start=1)}
        if len(ids) != len(self.words) or not self.words or not all(self.words):
            raise UserError("the tokenizer's words are empty or repeated", _CONFIG_HELP)
        if len(set(self.answers)) != len(self.answers) or not self.answers:
            raise UserError("the tokenizer's answers are empty or repeated", _CONFIG_HELP)
        if self.sentence_length < 1 or self.max_positions < 2:
            raise UserError("the tokenizer's lengths are too small", _CONFIG_HELP)
        object.__setattr__(self, "_ids", ids)

    def encode(self, story: Story) -> Encoded:
        """`ids` [1 + facts kept, sentence_length] int64.

        Raises UserError for an unknown word, a sentence that is too long, and a story without facts.
        """
        if not story.facts or not story.question:
            do = "give at least one fact and a question"
            shown = f', such as "{self.example}"' if self.example else ""
            raise UserError("the story has no facts or no question", do + shown)
        cropped = max(0, len(story.facts) - (self.max_positions - 1))
        kept = story.facts[cropped:]
        count = len(kept)
        rows = [self._row(sentence) for sentence in (story.question, *reversed(kept))]
        labels = [sentence_text(story.question, "?"), *(sentence_text(fact) for fact in reversed(kept))]
        positions = {len(story.facts) - index for index in story.supports}
        return Encoded(
            ids=np.array(rows, dtype=np.int64),
            labels=tuple(labels),
            marks=tuple(sorted(position for position in positions if 1 <= position <= count)),
            story_order=(*range(count, 0, -1), 0),
            cropped=cropped,
        )

    @property
    def example(self) -> str:
        """A story that this model reads, "" where it is told in other words than bAbI's."""
        actor, room = ("john", "office")
        told, asked = (actor, "went", "to", "the", room), ("where", "is", actor)
        if not self._ids.keys() >= {*told, *asked} or self.sentence_length < len(told):
            return ""
        return f"{sentence_text(told)} {sentence_text(asked, '?')}"

    def answer_id(self, story: Story) -> int:
        """The index of the story's answer in `answers`; UserError when it is none of them."""
        if story.answer not in self.answers:
            known = ", ".join(self.answers)
            raise UserError(f'"{story.answer}" is no answer of this model', f"its answers are {known}")
        return self.answers.index(story.answer)

    def to_config(self) -> dict[str, Any]:
        """What `from_config` reads back; plain JSON."""
        return {
            "kind": "sentences",
            "words": list(self.words),
            "answers": list(self.answers),
            "sentence_length": self.sentence_length,
            "max_positions": self.max_positions,
        }

    def _row(self, sentence: tuple[str, ...]) -> list[int]:
        if len(sentence) > self.sentence_length:
            raise UserError(
                f'"{sentence_text(sentence, "")}" has {len(sentence)} words',
                f"this model reads sentences of at most {self.sentence_length}",
            )
        try:
            ids = [self._ids[word] for word in sentence]
        except KeyError as error:
            raise self._unknown(str(error.args[0])) from None
        return ids + [0] * (self.sentence_length - len(ids))

    def _unknown(self, word: str) -> UserError:
        close = _close(word, self.words)
        do = _closest(close) if close else f'write sentences such as "{self.example}"'
        do = do if close or self.example else f"write words such as {', '.join(self.words[:FEW])}"
        return UserError(f'"{word}" is a word that this model does not know', do)


@dataclass(frozen=True, slots=True)
class SymbolTokenizer:
    """One position for each symbol; ids are 1 + the index into `symbols`.

    A text is split into single characters when every symbol is one character, else at white space.
    start: the symbol put before every text that does not begin with it, "" for none.  answers: what the
    model says, where that is not simply the symbols.
    """

    symbols: tuple[str, ...]
    max_positions: int | None = None  # None: any length
    start: str = ""
    answers: tuple[str, ...] = ()
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ids = {symbol: number for number, symbol in enumerate(self.symbols, start=1)}
        if len(ids) != len(self.symbols) or not self.symbols or not all(self.symbols):
            raise UserError("the tokenizer's symbols are empty or repeated", _CONFIG_HELP)
        if self.max_positions is not None and self.max_positions < 1:
            raise UserError("the tokenizer's length is too small", _CONFIG_HELP)
        if self.start and self.start not in ids:
            raise UserError("the tokenizer's start is none of its symbols", _CONFIG_HELP)
        if len(set(self.answers)) != len(self.answers):
            raise UserError("the tokenizer's answers are repeated", _CONFIG_HELP)
        object.__setattr__(self, "_ids", ids)

    def encode(self, text: str | Sequence[int]) -> Encoded:
        """`ids` [position] int64 from a text or from ids (1 ... number of symbols).

        Raises UserError for unknown symbols, ids out of range, an empty and a too long input.
        """
        if isinstance(text, str):
            pieces = self.pieces(text)
            if self.start and pieces and pieces[0] != self.start:
                pieces.insert(0, self.start)
            unknown = self.unknown(text)
            if unknown:
                what = f'"{unknown}" is a symbol that this model does not know'
                raise UserError(what, self._advice(unknown))
            ids = [self._ids[piece] for piece in pieces]
        else:
            ids = [int(number) for number in text]
            for number in ids:
                if not 1 <= number <= len(self.symbols):
                    raise UserError(f"token id {number} is unknown", f"use ids from 1 to {len(self.symbols)}")
        if not ids:
            raise UserError("the input is empty", "give at least one symbol")
        if self.max_positions is not None and len(ids) > self.max_positions:
            raise UserError(
                f"the input has {len(ids)} symbols", f"this model reads at most {self.max_positions}"
            )
        labels = tuple(self.symbols[number - 1] for number in ids)
        return Encoded(np.array(ids, dtype=np.int64), labels, (), tuple(range(len(ids))), 0)

    @property
    def single(self) -> bool:
        """Whether every symbol is one character, so that none needs to stand between them."""
        return all(len(symbol) == 1 for symbol in self.symbols)

    def pieces(self, text: str) -> list[str]:
        """The text's symbols, known or not."""
        return [piece for piece in text if not piece.isspace()] if self.single else text.split()

    def unknown(self, text: str) -> str:
        """The first of them that is not known, "" for none."""
        return next((piece for piece in self.pieces(text) if piece not in self._ids), "")

    def _advice(self, unknown: str) -> str:
        if close := _close(unknown, self.symbols):
            return _closest(close)
        shown = [symbol for symbol in self.symbols if symbol != self.start][:FEW]
        if self.single:
            return f"write symbols such as {''.join(shown)}"
        return f"write symbols with spaces between them, such as {' '.join(shown)}"

    def to_config(self) -> dict[str, Any]:
        """What `from_config` reads back; plain JSON."""
        config: dict[str, Any] = {"kind": "symbols", "symbols": list(self.symbols)}
        if self.max_positions is not None:
            config["max_positions"] = self.max_positions
        if self.start:
            config["start"] = self.start
        if self.answers:
            config["answers"] = list(self.answers)
        return config


def from_config(config: dict[str, Any]) -> SentenceTokenizer | SymbolTokenizer:
    """The tokenizer that `to_config` described; UserError when the description is no tokenizer's."""
    kind = config.get("kind") if isinstance(config, dict) else None
    if kind == "sentences":
        return SentenceTokenizer(
            _strings(config, "words"),
            _strings(config, "answers"),
            _whole_number(config, "sentence_length"),
            _whole_number(config, "max_positions"),
        )
    if kind == "symbols":
        limit = _whole_number(config, "max_positions") if "max_positions" in config else None
        start = config.get("start", "")
        if not isinstance(start, str):
            raise UserError('the tokenizer\'s "start" is no text', _CONFIG_HELP)
        answers = _strings(config, "answers") if "answers" in config else ()
        return SymbolTokenizer(_strings(config, "symbols"), limit, start, answers)
    raise UserError('the tokenizer\'s "kind" is neither "sentences" nor "symbols"', _CONFIG_HELP)


def babi_tokenizer() -> SentenceTokenizer:
    """The vocabulary of the tasks with 1, 2 and 3 supporting facts; the newest 40 facts are read."""
    verbs = chain.from_iterable(MOVES + GETS + DROPS)
    words = ("where", "is", "was", "before", "the", "there", *ACTORS, *ROOMS, *OBJECTS, *verbs)
    longest = 7  # "where was the football before the bathroom"
    return SentenceTokenizer(tuple(dict.fromkeys(words)), ROOMS, longest, 41)


def batch(encoded: Sequence[Encoded]) -> npt.NDArray[np.int64]:
    """The inputs' ids as one array, padded with 0: [batch, position, word] or [batch, position]."""
    if not encoded:
        raise ValueError("a batch needs at least one input")
    longest = max(len(one.ids) for one in encoded)
    ids = np.zeros((len(encoded), longest, *encoded[0].ids.shape[1:]), dtype=np.int64)
    for row, one in zip(ids, encoded, strict=True):
        row[: len(one.ids)] = one.ids
    return ids


def _close(word: str, known: tuple[str, ...]) -> list[str]:
    return difflib.get_close_matches(word[:LONGEST], known, n=3, cutoff=0.7)


def _closest(close: list[str]) -> str:
    return f"the closest known are: {', '.join(close)}"


def _strings(config: dict[str, Any], key: str) -> tuple[str, ...]:
    value = config.get(key)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UserError(f'the tokenizer\'s "{key}" is not a list of texts', _CONFIG_HELP)
    return tuple(value)


def _whole_number(config: dict[str, Any], key: str) -> int:
    value = config.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise UserError(f'the tokenizer\'s "{key}" is not a whole number', _CONFIG_HELP)
    return value

"""The bAbI question-answering tasks: stories, the official file format, and stories typed by a user.

Weston et al., "Towards AI-Complete Question Answering", 2015.  A file's line starts with its number in the
story (1 begins a new story); a statement ends in a full stop; a question line has the question, a tab, the
answer, a tab, and the line numbers of the supporting facts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ut_engine.errors import UserError

ACTORS = ("daniel", "john", "mary", "sandra")
ROOMS = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
OBJECTS = ("apple", "football", "milk")
MOVES = (
    ("journeyed", "to"),
    ("moved", "to"),
    ("travelled", "to"),
    ("went", "to"),
    ("went", "back", "to"),
)
GETS = (("got",), ("grabbed",), ("picked", "up"), ("took",))
DROPS = (("discarded",), ("dropped",), ("left",), ("put", "down"))

# Names as they are written; the files' other names matter only where a sentence is shown.
_NAMES = frozenset(ACTORS) | {"bill", "fred", "jeff", "julie"}
_FORMAT_HELP = "use the official bAbI format: 'NUMBER statement.' or 'NUMBER question?<tab>answer<tab>facts'"


@dataclass(frozen=True, slots=True)
class Story:
    """The facts told so far and one question about them; all words are lower case.

    `facts` are in story order, without full stops; `question` is without its question mark; several answers
    are joined by ","; `supports` are 0-based indices into `facts` in the order given by the file or the
    generator; `task` is "qa1" ... "qa20", or "" for a typed story.
    """

    facts: tuple[tuple[str, ...], ...]
    question: tuple[str, ...]
    answer: str
    supports: tuple[int, ...]
    task: str


def sentence_text(words: Sequence[str], end: str = ".") -> str:
    """The sentence as people write it: `("where", "is", "john"), "?"` gives "Where is John?"."""
    written = [
        word.capitalize() if place == 0 or word in _NAMES else word for place, word in enumerate(words)
    ]
    return " ".join(written) + end


def story_text(story: Story) -> str:
    """One sentence a line, the question last; `parse_story` reads it back."""
    lines = [sentence_text(fact) for fact in story.facts]
    return "\n".join([*lines, sentence_text(story.question, "?")])


def parse_story(text: str) -> Story:
    """Read a typed story: sentences ended by "." or a new line, the last one a question ending in "?".

    Raises UserError when there is no sentence, no question, or a question before the end.
    """
    pieces = re.findall(r"[^.?\n]+[.?]?", text)
    sentences = [(words, piece.rstrip().endswith("?")) for piece in pieces if (words := _words(piece))]
    if not sentences:
        raise UserError("the story is empty", "type some facts and a question, one sentence a line")
    *told, (question, asked) = sentences
    if not asked:
        do = 'end the last sentence with a question mark, such as "Where is John?"'
        raise UserError("the story does not end in a question", do)
    for words, is_question in told:
        if is_question:
            raise UserError(
                f'"{sentence_text(words, "?")}" is a question before the end of the story',
                "ask one question, as the last sentence",
            )
    return Story(tuple(words for words, _ in told), question, "", (), "")


def read_babi(path: str | Path) -> list[Story]:
    """Read a file in the official bAbI format (all 20 tasks): one Story for each question.

    A Story holds the facts told before its question; questions are not facts, so the file's line numbers
    are mapped to fact indices.  Raises UserError, with the line's number, on malformed files.
    """
    path = Path(path)
    name = re.match(r"(qa\d+)_", path.name)
    reader = _Reader(path.name, name.group(1) if name else "")
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors mark it
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserError(f"cannot read {path.name}: {reason}", "choose a readable bAbI file") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name} is not a text file", _FORMAT_HELP) from error
    for place, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            reader.line(place, line.strip())
    if not reader.stories:
        raise UserError(f"{path.name} holds no question", _FORMAT_HELP)
    return reader.stories


class _Reader:
    """The story being read: facts told so far and the fact index of each numbered line."""

    def __init__(self, file: str, task: str) -> None:
        self.file = file
        self.task = task
        self.stories: list[Story] = []
        self.facts: list[tuple[str, ...]] = []
        self.fact_of_line: dict[int, int] = {}
        self.number = 0

    def line(self, place: int, line: str) -> None:
        """Read the file's line `place` (from 1)."""
        number, _, rest = line.partition(" ")
        if not number.isascii() or not number.isdigit() or not rest:
            raise self._error(place, "does not start with a line number")
        if int(number) == 1:
            self.facts, self.fact_of_line = [], {}
        elif int(number) != self.number + 1:
            raise self._error(place, f"has number {number[:12]}, neither 1 nor one more than the line before")
        self.number = int(number)
        if "\t" in rest or "?" in rest:
            self._question(place, rest)
            return
        words = _words(rest)
        if not words or not rest.endswith("."):
            raise self._error(place, "is neither a statement ending in a full stop nor a question")
        self.fact_of_line[self.number] = len(self.facts)
        self.facts.append(words)

    def _question(self, place: int, rest: str) -> None:
        fields = [field.strip() for field in rest.split("\t")]
        if len(fields) != 3 or not fields[0].endswith("?") or not fields[1]:
            raise self._error(place, "is not a question, an answer and supporting facts with tabs between")
        question = _words(fields[0])
        if not question:
            raise self._error(place, "asks an empty question")
        supports = []
        for number in fields[2].split():
            fact = self.fact_of_line.get(int(number)) if number.isascii() and number.isdigit() else None
            if fact is None:
                raise self._error(place, f'names "{number[:12]}", which is no fact told before in its story')
            supports.append(fact)
        answer = fields[1].lower()
        self.stories.append(Story(tuple(self.facts), question, answer, tuple(supports), self.task))

    def _error(self, place: int, what: str) -> UserError:
        return UserError(f"{self.file}, line {place}, {what}", _FORMAT_HELP)


def _words(sentence: str) -> tuple[str, ...]:
    return tuple(re.sub(r"[.,?!;:]", " ", sentence.lower()).split())

"""An independent answer to stories with 1, 2 and 3 supporting facts: symbols, no learning.

It reads the facts backwards from the question and shares no code with the generator, so that each checks
the other; on the official files it finds every answer and every supporting fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ut_engine.errors import UserError
from ut_engine.tasks.babi import ACTORS, DROPS, GETS, MOVES, OBJECTS, ROOMS, Story, sentence_text


@dataclass(frozen=True, slots=True)
class _Event:
    index: int  # of the fact
    kind: str  # "move", "get" or "drop"
    actor: str
    target: str  # a room or an object


def track(story: Story) -> tuple[str, tuple[int, ...]]:
    """The answer and the supporting facts (0-based indices), from the facts and the question alone.

    "where is ACTOR": the actor's last move.  "where is the OBJECT": its last get or drop, and the last move
    of who carried it up to then (dropped) or up to now (held).  "where was the OBJECT before the ROOM": its
    last get or drop, the carrier's last move to the room with it, and the carrier's move before that.
    Raises UserError when the facts do not say, or a sentence is not of these tasks.
    """
    events = [_event(index, fact) for index, fact in enumerate(story.facts)]
    match story.question:
        case ("where", "is", actor) if actor in ACTORS:
            move = _first(_moves_back(events, actor, len(events)), story)
            return move.target, (move.index,)
        case ("where", "is", "the", item) if item in OBJECTS:
            last, moves = _carried(events, item, story)
            move = _first(iter(moves), story)
            return move.target, (last.index, move.index)
        case ("where", "was", "the", item, "before", "the", room) if item in OBJECTS and room in ROOMS:
            return _before(events, item, room, story)
    raise UserError(
        f'"{sentence_text(story.question, "?")}" is none of the questions with 1 to 3 supporting facts',
        'ask "Where is John?", "Where is the milk?" or "Where was the milk before the office?"',
    )


def _before(events: list[_Event], item: str, room: str, story: Story) -> tuple[str, tuple[int, ...]]:
    last, moves = _carried(events, item, story)
    taken = _taken(events, last)
    for move, previous in pairwise(moves):
        if move.index < taken:
            break
        if move.target == room:
            return previous.target, (last.index, move.index, previous.index)
    raise _unsaid(story)


def _carried(events: list[_Event], item: str, story: Story) -> tuple[_Event, list[_Event]]:
    """The object's last get or drop, and its carrier's moves up to its end of the trip, the newest first."""
    last = _first((event for event in reversed(events) if event.target == item), story)
    end = last.index if last.kind == "drop" else len(events)
    return last, list(_moves_back(events, last.actor, end))


def _taken(events: list[_Event], last: _Event) -> int:
    """Index of the get that began the object's last trip; -1 when the story does not tell it."""
    gets = (
        event.index
        for event in events[: last.index + 1]
        if (event.kind, event.target) == ("get", last.target)
    )
    return max(gets, default=-1)


def _moves_back(events: list[_Event], actor: str, end: int) -> Iterator[_Event]:
    return (event for event in reversed(events[:end]) if event.kind == "move" and event.actor == actor)


def _first(events: Iterator[_Event], story: Story) -> _Event:
    event = next(events, None)
    if event is None:
        raise _unsaid(story)
    return event


def _event(index: int, fact: tuple[str, ...]) -> _Event:
    words = fact[:-1] if fact[-1:] == ("there",) else fact
    if len(words) >= 4 and words[0] in ACTORS and words[-2] == "the":
        actor, verb, target = words[0], words[1:-2], words[-1]
        if verb in MOVES and target in ROOMS:
            return _Event(index, "move", actor, target)
        if verb in GETS + DROPS and target in OBJECTS:
            return _Event(index, "get" if verb in GETS else "drop", actor, target)
    raise UserError(
        f'"{sentence_text(fact)}" is no move, get or drop',
        'tell facts like "John went to the office." or "John took the milk."',
    )


def _unsaid(story: Story) -> UserError:
    return UserError(f'the facts do not answer "{sentence_text(story.question, "?")}"', "tell where it went")

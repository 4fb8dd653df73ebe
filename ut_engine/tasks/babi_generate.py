"""Our own stories with one, two and three supporting facts, after the official tasks qa1, qa2 and qa3.

Actors walk between rooms, pick up objects that lie where they are, and drop them.  Who starts where is not
told.  Two facts are told, then a question may be asked, and so on, as in the official files; a generated
Story is one question of such a simulation, cropped to its newest facts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ut_engine.errors import UserError
from ut_engine.tasks.babi import ACTORS, DROPS, GETS, MOVES, OBJECTS, ROOMS, Story

_QUESTIONS = 5  # the official simulations ask five questions each, between the facts
_FEWEST_FACTS = {1: 2, 2: 2, 3: 4}  # facts told come in twos; three supporting facts need four told
RECENT = 5  # the official files ask only about actors and objects of the last five facts
_TOO_LONG = 400  # facts after which a simulation is given up (the longest official story has 228)


@dataclass(frozen=True, slots=True)
class _Question:
    words: tuple[str, ...]
    answer: str
    supports: tuple[int, ...]  # indices into all facts of the simulation


def generate(
    hops: int, count: int, seed: int, max_facts: int = 40, min_facts: int = 2, recent: int = RECENT
) -> list[Story]:
    """`count` stories whose question needs `hops` (1, 2 or 3) supporting facts.

    Stories hold `min_facts` ... `max_facts` facts: longer ones are cropped to the newest, and those whose
    supporting facts would be cropped are passed over.  The first supporting fact is one of the newest
    `recent`, as in the official files; a larger number asks about older facts too.  Every story comes from
    a simulation of its own; the same arguments give the same stories.

    Supports are ordered as in the official files: the move (1 fact); the last get or drop, then the move
    (2); the last get or drop, the move to the room asked for, the move before it (3).  Raises UserError for
    impossible arguments.
    """
    _check(hops, count, seed, max_facts, min_facts, recent)
    draws = _Draws((seed, hops))
    stories: list[Story] = []
    while len(stories) < count:
        world = _World(draws, hops)
        question = _run(world, hops, draws, max_facts, min_facts, recent)
        if question is not None:
            stories.append(_story(world, question, f"qa{hops}", max_facts))
    return stories


def same_story(
    count: int, seed: int, max_facts: int = 40, min_facts: int = 4
) -> list[tuple[Story, Story, Story]]:
    """Control: one qa3 story asked a one-, a two- and a three-fact question, `count` times.

    The three questions are about one object and the actor who carried it last, so only the number of facts
    that a question needs differs: where the actor is, where the object is, where it was before a room.
    """
    _check(3, count, seed, max_facts, min_facts, RECENT)
    draws = _Draws((seed, 4))
    triples: list[tuple[Story, Story, Story]] = []
    while len(triples) < count:
        world = _World(draws, 3)
        third = _run(world, 3, draws, max_facts, min_facts, RECENT)
        if third is None:
            continue
        item = OBJECTS.index(third.words[3])
        first, second = world.ask_actor(world.carrier[item]), world.ask_object(item)
        if first is None or second is None:
            continue
        if min(first.supports + second.supports) < len(world.facts) - max_facts:
            continue
        one, two, three = (
            _story(world, question, f"qa{hops}", max_facts)
            for hops, question in enumerate((first, second, third), start=1)
        )
        triples.append((one, two, three))
    return triples


def _check(hops: int, count: int, seed: int, max_facts: int, min_facts: int, recent: int) -> None:
    if hops not in _FEWEST_FACTS:
        raise UserError(f"stories with {hops} supporting facts are unknown", "ask for 1, 2 or 3")
    if count < 0 or seed < 0:
        raise UserError("a number of stories or a seed is below zero", "use whole numbers from 0")
    if not max(min_facts, _FEWEST_FACTS[hops]) <= max_facts:
        raise UserError(
            f"no story with {hops} supporting facts has {min_facts} to {max_facts} facts",
            f"allow at least {max(min_facts, _FEWEST_FACTS[hops])} facts",
        )
    if recent < 1:
        raise UserError("no facts are left to ask about", "ask about at least the newest one")
    if min_facts > _TOO_LONG // 4:
        raise UserError(f"stories of {min_facts} facts are too long", f"use at most {_TOO_LONG // 4}")


def _run(
    world: _World, hops: int, draws: _Draws, max_facts: int, min_facts: int, recent: int
) -> _Question | None:
    """Tell facts until the question to keep, one of five drawn at random; None where it does not fit."""
    to_ask = 1 + draws.below(_QUESTIONS)
    while len(world.facts) < _TOO_LONG:
        world.tell()
        world.tell()
        question = world.ask(hops, recent)
        if question is None:
            continue
        to_ask -= 1
        if to_ask > 0 or len(world.facts) < min_facts:
            continue
        fits = min(question.supports) >= len(world.facts) - max_facts
        return question if fits else None
    return None


def _story(world: _World, question: _Question, task: str, max_facts: int) -> Story:
    dropped = max(0, len(world.facts) - max_facts)
    supports = tuple(index - dropped for index in question.supports)
    return Story(tuple(world.facts[dropped:]), question.words, question.answer, supports, task)


class _Draws:
    """Uniform draws from one numpy Generator, fetched in blocks: single calls would take most of the time."""

    def __init__(self, seed: tuple[int, int]) -> None:
        self._generator = np.random.default_rng(seed)
        self._block: list[float] = []

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit` - 1."""
        if not self._block:
            self._block = self._generator.random(16384).tolist()
        return int(self._block.pop() * limit)


class _World:
    """Who and what is where, the facts told, and what the questions' supports need to be found at once."""

    def __init__(self, draws: _Draws, hops: int) -> None:
        self._draws = draws
        self._objects = hops > 1
        self._gets_say_there = hops == 2  # as in the official files of qa2
        self.facts: list[tuple[str, ...]] = []
        self.room_of_actor = [draws.below(len(ROOMS)) for _ in ACTORS]
        self.room_of_object = [draws.below(len(ROOMS)) for _ in OBJECTS]
        self.held = [False for _ in OBJECTS]
        self.carrier = [-1 for _ in OBJECTS]  # the last one
        self.event = [-1 for _ in OBJECTS]  # index of the fact that last picked it up or dropped it
        self.trip = [(0, 0) for _ in OBJECTS]  # its last trip: first and end index into the carrier's moves
        self.moves: list[list[tuple[int, int]]] = [[] for _ in ACTORS]  # (index of the fact, room)

    def tell(self) -> None:
        """Tell one more fact: an actor and a kind of action are drawn until they are possible."""
        draws = self._draws
        while True:
            actor = draws.below(len(ACTORS))
            action = draws.below(3) if self._objects else 0
            room = self.room_of_actor[actor]
            if action == 0:
                goal = draws.below(len(ROOMS))
                if goal == room:  # drawn again: this is why the official stories have fewer moves
                    continue
                return self._move(actor, goal)
            items = [
                item
                for item in range(len(OBJECTS))
                if (
                    self.held[item] and self.carrier[item] == actor
                    if action == 2
                    else not self.held[item] and self.room_of_object[item] == room
                )
            ]
            if items:
                item = items[draws.below(len(items))]
                return self._get(actor, item) if action == 1 else self._drop(actor, item)

    def _move(self, actor: int, room: int) -> None:
        self.room_of_actor[actor] = room
        self.moves[actor].append((len(self.facts), room))
        verb = MOVES[self._draws.below(len(MOVES))]
        self.facts.append((ACTORS[actor], *verb, "the", ROOMS[room]))

    def _get(self, actor: int, item: int) -> None:
        self.held[item], self.carrier[item], self.event[item] = True, actor, len(self.facts)
        self.trip[item] = (len(self.moves[actor]), -1)
        self._tell_object(actor, GETS, item, self._gets_say_there)

    def _drop(self, actor: int, item: int) -> None:
        self.held[item], self.event[item] = False, len(self.facts)
        self.room_of_object[item] = self.room_of_actor[actor]
        self.trip[item] = (self.trip[item][0], len(self.moves[actor]))
        self._tell_object(actor, DROPS, item, False)

    def _tell_object(self, actor: int, verbs: tuple[tuple[str, ...], ...], item: int, there: bool) -> None:
        verb = verbs[self._draws.below(len(verbs))]
        there = there or self._draws.below(4) == 0
        self.facts.append((ACTORS[actor], *verb, "the", OBJECTS[item], *(("there",) if there else ())))

    def ask(self, hops: int, recent: int) -> _Question | None:
        """A question that takes `hops` facts, the first one of the newest `recent`; None if there is none."""
        oldest = len(self.facts) - recent
        if hops == 1:
            actors = [actor for actor, moves in enumerate(self.moves) if moves and moves[-1][0] >= oldest]
            return self.ask_actor(actors[self._draws.below(len(actors))]) if actors else None
        ask = self.ask_object if hops == 2 else self.ask_before
        asked = [ask(item) for item, event in enumerate(self.event) if event >= oldest]
        possible = [question for question in asked if question]
        return possible[self._draws.below(len(possible))] if possible else None

    def ask_actor(self, actor: int) -> _Question | None:
        """Where is the actor?  Supported by the actor's last move."""
        if not self.moves[actor]:
            return None
        fact, room = self.moves[actor][-1]
        return _Question(("where", "is", ACTORS[actor]), ROOMS[room], (fact,))

    def ask_object(self, item: int) -> _Question | None:
        """Where is the object?  Supported by its last get or drop and the carrier's last move with it.

        A dropped object may lie where its carrier found it: then the move that led there counts.
        """
        if self.event[item] < 0:
            return None
        first, end = self._last_trip(item)
        if end <= (first if self.held[item] else 0):
            return None
        fact, room = self.moves[self.carrier[item]][end - 1]
        return _Question(("where", "is", "the", OBJECTS[item]), ROOMS[room], (self.event[item], fact))

    def ask_before(self, item: int) -> _Question | None:
        """Where was the object before a room of its last trip?  The last arrival in that room counts."""
        if self.event[item] < 0:
            return None
        first, end = self._last_trip(item)
        moves = self.moves[self.carrier[item]]
        arrivals = {moves[index][1]: index for index in range(first, end)}  # later arrivals replace earlier
        places = [index for index in arrivals.values() if index > first]
        if not places:
            return None
        index = places[self._draws.below(len(places))]
        (fact_before, before), (fact, room) = moves[index - 1], moves[index]
        words = ("where", "was", "the", OBJECTS[item], "before", "the", ROOMS[room])
        return _Question(words, ROOMS[before], (self.event[item], fact, fact_before))

    def _last_trip(self, item: int) -> tuple[int, int]:
        first, end = self.trip[item]
        return first, len(self.moves[self.carrier[item]]) if self.held[item] else end

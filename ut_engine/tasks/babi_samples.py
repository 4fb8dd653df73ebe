"""Sample stories that ship with a checkpoint: one story asked three questions, and a few of each kind."""

from __future__ import annotations

from typing import Any

from ut_engine.tasks.babi import Story, story_text
from ut_engine.tasks.babi_generate import generate, same_story

HOPS = (1, 2, 3)
SEED = 40_000  # apart from training, validation and evaluation
SHORTEST, LONGEST = 7, 12  # facts: all sentences of a story are seen at once in the window
TRIED = 400


def samples(count: int = 4) -> list[dict[str, Any]]:
    """`count` samples for each number of supporting facts; the first of each share one story."""
    triple = next(triple for triple in same_story(TRIED, SEED) if telling(triple))
    found = []
    for hops in HOPS:
        rest = [story for story in generate(hops, TRIED, SEED) if SHORTEST <= len(story.facts) <= LONGEST]
        found += [sample(story, hops) for story in (triple[hops - 1], *rest[: count - 1])]
    return found


def telling(triple: tuple[Story, Story, Story]) -> bool:
    """Short, told from its beginning, and with three different answers: swapping the question shows."""
    told = SHORTEST <= len(triple[2].facts) <= LONGEST
    return told and len({story.answer for story in triple}) == 3


def sample(story: Story, hops: int) -> dict[str, Any]:
    question = story_text(story).splitlines()[-1]
    return {"name": question, "text": story_text(story), "answer": story.answer, "facts": hops}

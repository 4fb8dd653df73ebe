"""bAbI stories as training batches: generated stories only, a curriculum on their length, bucketed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ut_engine.tasks.babi import Story
from ut_engine.tasks.babi_generate import generate, same_story
from ut_engine.tasks.babi_samples import HOPS, samples
from ut_engine.tasks.data import Batch, Example, Group, collate
from ut_engine.tokenizer import SentenceTokenizer, babi_tokenizer


@dataclass(frozen=True)
class BabiData:
    """stories: per number of supporting facts.  The longest story grows from `shortest` facts to `max_facts`
    over the first `grow_steps` training steps; a batch holds one number of facts and similar lengths.

    shares: how often each number of facts is drawn.  older: share of stories whose question may ask about
    any told fact (the official files ask about the newest five only).  mixed: share of stories of the
    three-fact kind asked a one-, two- or three-fact question.  Validation stories come from other seeds.
    """

    stories: int = 40_000
    validation_stories: int = 500
    seed: int = 1
    max_facts: int = 40
    shortest: int = 8
    grow_steps: int = 3_000
    shares: tuple[float, float, float] = (1.0, 1.0, 1.0)
    bucket: int = 8
    older: float = 0.0
    mixed: float = 0.0

    @cached_property
    def tokenizer(self) -> SentenceTokenizer:
        return babi_tokenizer()

    @cached_property
    def pools(self) -> tuple[_Pool, ...]:
        older, mixed = round(self.stories * self.older), round(self.stories * self.mixed)
        triples = same_story(mixed, self.seed + 1_000, self.max_facts)
        return tuple(
            _Pool(
                examples(
                    generate(hops, self.stories - older - mixed, self.seed, self.max_facts)
                    + generate(hops, older, self.seed + 2_000, self.max_facts, recent=self.max_facts)
                    + [triple[hops - 1] for triple in triples],
                    self.tokenizer,
                )
            )
            for hops in HOPS
        )

    def sizes(self) -> dict[str, Any]:
        tokenizer = self.tokenizer
        return {
            "vocab": len(tokenizer.words) + 1,
            "answers": len(tokenizer.answers),
            "words": tokenizer.sentence_length,
            "readout": "first",
        }

    def batch(self, draws: np.random.Generator, step: int, size: int) -> Batch:
        """One number of facts, drawn by its share; stories of similar length within the curriculum."""
        share = np.asarray(self.shares) / sum(self.shares)
        pool = self.pools[int(draws.choice(len(HOPS), p=share))]
        longest = self.max_facts
        if self.grow_steps:
            grown = (self.max_facts - self.shortest) * min(1.0, step / self.grow_steps)
            longest = self.shortest + round(grown)
        return collate(pool.draw(draws, 1 + longest, size, self.bucket))

    def validation(self) -> tuple[Group, ...]:
        """Generated stories of another seed, by number of supporting facts."""
        return tuple(
            Group(
                fact_count(hops),
                tuple(examples(generate(hops, self.validation_stories, self.seed + 10_000), self.tokenizer)),
            )
            for hops in HOPS
        )

    def samples(self) -> list[dict[str, Any]]:
        return samples()


class _Pool:
    """Examples sorted by length, so that a batch can be cut from one stretch."""

    def __init__(self, unsorted: Iterable[Example]) -> None:
        self.examples = sorted(unsorted, key=lambda example: len(example.ids))
        self.lengths = np.array([len(example.ids) for example in self.examples])

    def draw(self, draws: np.random.Generator, longest: int, size: int, bucket: int) -> list[Example]:
        """`size` examples of one length bucket, none longer than `longest` positions if there are such."""
        end = int(np.searchsorted(self.lengths, longest, side="right")) or min(size, len(self.examples))
        length = self.lengths[int(draws.integers(end))]
        low = int(np.searchsorted(self.lengths, length - bucket // 2, side="left"))
        high = min(end, int(np.searchsorted(self.lengths, length + bucket // 2, side="right")))
        return [self.examples[place] for place in draws.integers(low, max(high, low + 1), size=size)]


def fact_count(hops: int) -> str:
    """The name of a group: "1 fact", "2 facts"."""
    return f"{hops} fact{'s' if hops > 1 else ''}"


def examples(stories: Sequence[Story], tokenizer: SentenceTokenizer) -> list[Example]:
    """Encoded stories; the answer is asked at position 0, the question."""
    made = []
    for story in stories:
        encoded = tokenizer.encode(story)
        targets = np.full(len(encoded.ids), -1, dtype=np.int64)
        targets[0] = tokenizer.answer_id(story)
        made.append(Example(encoded.ids, targets, encoded.marks, encoded.cropped))
    return made


def same_story_groups(count: int, seed: int, tokenizer: SentenceTokenizer) -> tuple[Group, ...]:
    """The control: the same stories, asked a one-, a two- and a three-fact question."""
    triples = same_story(count, seed, tokenizer.max_positions - 1)
    return tuple(
        Group(
            fact_count(hops),
            tuple(examples([t[hops - 1] for t in triples], tokenizer)),
        )
        for hops in HOPS
    )

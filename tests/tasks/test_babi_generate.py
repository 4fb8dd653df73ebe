"""Generated stories: well formed, answered by the independent tracker, and like the official ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ut_engine.errors import UserError
from ut_engine.tasks.babi import ROOMS, Story, parse_story, read_babi
from ut_engine.tasks.babi_generate import RECENT, generate, same_story
from ut_engine.tasks.babi_track import track

OFFICIAL = {1: "qa1_single-supporting-fact", 2: "qa2_two-supporting-facts", 3: "qa3_three-supporting-facts"}


def official(test_data: Path, hops: int) -> list[Story]:
    folder = test_data / "babi" / "en-1k"
    return [
        story for part in ("train", "test") for story in read_babi(folder / f"{OFFICIAL[hops]}_{part}.txt")
    ]


def shape(story: Story) -> tuple[float, ...]:
    """Facts, moves among them, how far back the oldest support is, whether the first support is a drop."""
    kinds = Counter(fact[-1] in ROOMS for fact in story.facts)
    first = story.facts[story.supports[0]]
    return (
        len(story.facts),
        kinds[True] / len(story.facts),
        len(story.facts) - min(story.supports),
        first[1] in ("discarded", "dropped", "left", "put"),
    )


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_tracker_answers_every_official_question_with_its_supports(test_data: Path, hops: int) -> None:
    stories = official(test_data, hops)
    assert len(stories) == 2000
    assert [story for story in stories if track(story) != (story.answer, story.supports)] == []


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_generated_stories_are_like_the_official_ones(test_data: Path, hops: int) -> None:
    """Means over 2,000 stories: facts, share of moves, oldest support, share of dropped objects.

    The bounds are some standard errors wide: the official questions come five from one simulation.
    """
    real = np.mean([shape(story) for story in official(test_data, hops)], axis=0)
    ours = np.mean([shape(story) for story in generate(hops, 2000, seed=5, max_facts=250)], axis=0)
    assert abs(ours[0] / real[0] - 1) < 0.12
    np.testing.assert_allclose(ours[1], real[1], atol=0.03)
    assert abs(ours[2] / real[2] - 1) < 0.1
    np.testing.assert_allclose(ours[3], real[3], atol=0.06)


def test_generated_vocabulary_is_the_official_one(test_data: Path) -> None:
    for hops in (1, 2, 3):
        real, ours = (
            {sentence for story in stories for sentence in (*story.facts, story.question)}
            for stories in (official(test_data, hops), generate(hops, 3000, seed=1))
        )
        assert real <= ours
        words = {word for sentence in ours for word in sentence}
        assert words == {word for sentence in real for word in sentence}


@settings(max_examples=60, deadline=None)
@given(
    hops=st.sampled_from([1, 2, 3]),
    seed=st.integers(0, 2**63),
    fewest=st.integers(0, 60),
    span=st.integers(0, 40),
    recent=st.integers(1, 60),
)
def test_any_generated_story(hops: int, seed: int, fewest: int, span: int, recent: int) -> None:
    most = max(fewest, 8) + span
    stories = generate(hops, 3, seed, max_facts=most, min_facts=fewest, recent=recent)
    assert len(stories) == 3
    assert stories == generate(hops, 3, seed, max_facts=most, min_facts=fewest, recent=recent)
    for story in stories:
        assert fewest <= len(story.facts) <= most
        assert story.task == f"qa{hops}"
        assert len(set(story.supports)) == len(story.supports) == hops
        assert all(0 <= index < len(story.facts) for index in story.supports)
        assert story.supports[0] >= len(story.facts) - recent
        assert story.answer in ROOMS
        assert track(story) == (story.answer, story.supports)


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_many_generated_stories_are_answered_by_the_tracker(hops: int) -> None:
    stories = [
        *generate(hops, 1500, 7),
        *generate(hops, 500, 8, max_facts=8),
        *generate(hops, 500, 9, recent=40),
    ]
    assert [story for story in stories if track(story) != (story.answer, story.supports)] == []


def test_crop_keeps_the_newest_facts() -> None:
    whole, short = generate(2, 200, seed=3, max_facts=250), generate(2, 200, seed=3, max_facts=40)
    by_question = {(story.question, story.facts[-40:]): story for story in whole}
    for story in short:
        before = by_question[story.question, story.facts]
        dropped = len(before.facts) - len(story.facts)
        assert story.supports == tuple(index - dropped for index in before.supports)


def test_seeds_and_counts() -> None:
    assert generate(3, 0, seed=0) == []
    assert generate(1, 20, seed=0) != generate(1, 20, seed=1)
    assert generate(2, 5, seed=0) == generate(2, 20, seed=0)[:5]
    assert RECENT == 5


def test_qa3_asks_mostly_about_the_last_move() -> None:
    """The official 2,000 questions: 0 moves back 80 %, 1 back 16 %, 2 back 3 %."""
    back: Counter[int] = Counter()
    for story in generate(3, 4000, seed=2):
        last, move, _ = story.supports
        actor = story.facts[move][0]
        end = last if last > move else len(story.facts)
        back[sum(fact[0] == actor and fact[-1] in ROOMS for fact in story.facts[move + 1 : end])] += 1
    assert 0.74 < back[0] / 4000 < 0.84
    assert 0.12 < back[1] / 4000 < 0.2
    assert 0.02 < back[2] / 4000 < 0.07


def test_same_story_asks_three_questions_of_one_story() -> None:
    triples = same_story(300, seed=4)
    assert len(triples) == 300
    assert triples == same_story(300, seed=4)
    for triple in triples:
        one, two, three = triple
        assert one.facts == two.facts == three.facts
        assert [len(story.supports) for story in triple] == [1, 2, 3]
        assert one.question[:2] == ("where", "is")
        assert two.question[-1] == three.question[3]
        assert one.question[-1] == one.facts[two.supports[0]][0]  # the actor who carried the object last
        assert 4 <= len(one.facts) <= 40
        for story in triple:
            assert track(story) == (story.answer, story.supports)


@pytest.mark.parametrize(
    "arguments",
    [
        {"hops": 0},
        {"hops": 4},
        {"count": -1},
        {"seed": -1},
        {"max_facts": 3},
        {"min_facts": 41},
        {"min_facts": 300, "max_facts": 300},
        {"recent": 0},
    ],
)
def test_impossible_arguments(arguments: dict[str, int]) -> None:
    with pytest.raises(UserError):
        generate(**({"hops": 3, "count": 1, "seed": 0} | arguments))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("John went to the office. Where is Mary?", "the facts do not answer"),
        ("John went to the office. Where is the milk?", "the facts do not answer"),
        ("John took the milk. Where is the milk?", "the facts do not answer"),
        (
            "John took the milk. John went to the office. Where was the milk before the office?",
            "do not answer",
        ),
        (
            "John took the milk. John went to the office. Where was the milk before the garden?",
            "do not answer",
        ),
        ("John flew to the office. Where is John?", "is no move, get or drop"),
        ("John went to the office. Is John in the office?", "is none of the questions"),
    ],
)
def test_the_tracker_says_what_it_cannot_answer(text: str, what: str) -> None:
    with pytest.raises(UserError, match=what):
        track(parse_story(text))


def test_the_tracker_on_a_typed_story() -> None:
    told = (
        "Mary went to the garden. Mary took the apple. John moved to the garden. Mary went to the office. "
        "Mary went back to the garden. Mary travelled to the office. "
    )
    assert track(parse_story(told + "Where is John?")) == ("garden", (2,))
    assert track(parse_story(told + "Where is the apple?")) == ("office", (1, 5))
    assert track(parse_story(told + "Where was the apple before the office?")) == ("garden", (1, 5, 4))
    assert track(parse_story(told + "Where was the apple before the garden?")) == ("office", (1, 4, 3))

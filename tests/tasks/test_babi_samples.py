"""The stories that ship: short, complete, answered by the tracker, one story shared by three questions."""

from __future__ import annotations

from ut_engine.tasks.babi import parse_story
from ut_engine.tasks.babi_samples import samples
from ut_engine.tasks.babi_track import track


def test_samples_are_complete_and_answered() -> None:
    found = samples(3)
    assert [one["facts"] for one in found] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    stories = [parse_story(one["text"]) for one in found]
    for one, story in zip(found, stories, strict=True):
        answer, supports = track(story)
        assert answer == one["answer"]
        assert len(supports) == one["facts"]
        assert 7 <= len(story.facts) <= 12
    shared = stories[0], stories[3], stories[6]
    assert len({story.facts for story in shared}) == 1
    assert len({track(story)[0] for story in shared}) == 3
    assert samples(3) == found

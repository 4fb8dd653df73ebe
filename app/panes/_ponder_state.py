"""What the pane about ponder time knows: one frozen value, and the stories it asks about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from app.messages import Text
from app.paths import shipped, shipped_card
from app.sorting import Order
from app.timeline import Timeline
from ut_engine.card_stories import StoryRow, tables
from ut_engine.errors import UserError
from ut_engine.tasks.babi import Story, parse_story, story_text
from ut_engine.tasks.babi_generate import same_story

LOOKS = ("babi", "lambada", "swap", "story")
HOPS = (1, 2, 3)
CHECKPOINT = "babi"
SHIPPED, OPEN = "shipped", "open"
POSITIONS = ("question", "all")
KINDS = ("onwards", "only")
MOST_STORIES = 200
MOST_FACTS, FEWEST_FACTS = 12, 7  # of a story drawn: all of its sentences are seen at once
SEED = 50_000  # apart from training, validation, evaluation and the samples
FOLD = 1200  # window width, at 100 % text size, below which all stands in one column
SLIM = 560  # below which the figure is chosen from a menu
REPORT, CONTROL, SWAP, STORY = "ponder.babi", "ponder.control", "ponder.swap", "ponder.hops"
"""Keys of the measurements."""


@dataclass(frozen=True, slots=True)
class Waited:
    """A measurement: what it was asked for, how far it is, what came of it.

    about: what was asked, so that an old answer is known for one.  value: {} until it is there.
    """

    about: str = ""
    done: int = 0
    total: int = 0
    value: Mapping[str, Any] = field(default_factory=dict)
    what: str = ""
    do: str = ""

    @property
    def waiting(self) -> bool:
        return bool(self.about) and not self.value and not self.what


@dataclass(frozen=True, slots=True)
class State:
    """look: which of the four figures.  positions: whose histogram.  seed: number of the story with three
    questions, 1 is the shipped one.  text: story of the last figure.  head: from 0, -1 the mean of all.

    opened: path and name of the open checkpoint where it answers stories.  model: which of both is asked.
    asked: measurements by key.  what, do: what is wrong with the story typed.
    sets: how the table of perplexities is sorted.
    """

    look: str = "babi"
    positions: str = "question"
    model: str = SHIPPED
    opened: tuple[str, str] = ("", "")
    seed: int = 1
    text: str = ""
    kind: str = "onwards"
    head: int | None = None
    asked: Mapping[str, Waited] = field(default_factory=dict)
    line: Timeline = field(default_factory=Timeline)
    narrow: bool = False
    slim: bool = False
    sets: Order | None = None
    what: Text = ""
    do: Text = ""

    def measured(self, key: str) -> Waited:
        return self.asked.get(key, Waited())

    @property
    def path(self) -> str:
        """The checkpoint that is asked, "" where there is none."""
        if self.model == OPEN and self.opened[0]:
            return self.opened[0]
        found = shipped().get(CHECKPOINT)
        return "" if found is None else str(found)

    @property
    def name(self) -> str:
        return self.opened[1] if self.model == OPEN and self.opened[0] else CHECKPOINT


def initial() -> State:
    return State(text=samples()[1][1] if len(samples()) > 1 else "")


@lru_cache(maxsize=1)
def samples() -> tuple[tuple[str, str, int], ...]:
    """(question, text, number of supporting facts) of the shipped stories; () without the checkpoint."""
    folder = shipped().get(CHECKPOINT)
    if folder is None:
        return ()
    found = json.loads((folder / "samples.json").read_text("utf-8"))
    firsts = [next(one for one in found if one["facts"] == hops) for hops in HOPS]  # they share one story
    rest = [one for one in found if one not in firsts]
    return tuple((one["name"], one["text"], int(one["facts"])) for one in (*firsts, *rest))


@lru_cache(maxsize=1)
def card() -> dict[str, tuple[StoryRow, ...]]:
    """The figures of the shipped checkpoint's card, {} where it does not ship."""
    try:
        return tables(shipped_card(CHECKPOINT)) if CHECKPOINT in shipped() else {}
    except OSError:
        return {}


@lru_cache(maxsize=64)
def triple(seed: int) -> tuple[str, str, str]:
    """One story asked a one-, a two- and a three-fact question, as texts; the first is the shipped one."""
    known = samples()
    if seed <= 1 and len(known) >= len(HOPS):
        return known[0][1], known[1][1], known[2][1]
    one, two, three = same_story(1, SEED + seed, MOST_FACTS, FEWEST_FACTS)[0]
    return story_text(one), story_text(two), story_text(three)


@lru_cache(maxsize=64)
def read(text: str) -> Story | None:
    """The story of a text, None where it is none."""
    try:
        return parse_story(text)
    except UserError:
        return None

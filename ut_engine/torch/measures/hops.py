"""What the question of a story reads at every step, and what hiding each fact at each step does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ut_engine.family import load
from ut_engine.torch.measures import Progress
from ut_engine.torch.story_run import hops


def measure(args: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """args: checkpoint (a path); text: the story and its question."""
    return hops(load(str(args["checkpoint"])), str(args["text"]), progress)

"""One story, several questions: N and rho of every position under each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ut_engine.family import load
from ut_engine.torch.measures import Progress
from ut_engine.torch.story_run import pondering


def measure(args: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """args: checkpoint (a path); texts: the story with each question."""
    loaded = load(str(args["checkpoint"]))
    texts = [str(text) for text in args["texts"]]
    runs = []
    for done, text in enumerate(texts):
        progress(done, len(texts))
        runs.append(pondering(loaded, text))
    return {"runs": runs}

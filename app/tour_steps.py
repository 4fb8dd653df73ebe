"""What a guided tour is: a list of views with a sentence each, whose numbers are computed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from app.messages import Message
from app.paths import shipped
from app.view import to_text

Values = Callable[[], Mapping[str, str]]
SAMPLE = 7  # of the shipped checkpoint: a question that needs two facts and runs on after it has them
HEAD = "3"  # of it: the head that was found, on validation stories, to read the facts
QUESTION = "1"  # positions count back from the question, the newest sentence
INSPECTOR, BABI = "inspector", "babi"


def nothing() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Step:
    """view: the pane as it is shown; with a checkpoint, what else is asked of it.

    said: its sentence; values: what stands in its places.  checkpoint: a shipped one that is opened and run.
    """

    view: str
    said: Message
    values: Values = nothing
    checkpoint: str = ""

    @property
    def link(self) -> str:
        """The whole view."""
        if not self.checkpoint:
            return self.view
        opened = {"open": self.checkpoint, "run": "1", "text": story(), "head": HEAD, "pin": QUESTION}
        return f"{to_text(INSPECTOR, opened)}&{self.view}"

    @property
    def sentence(self) -> Message:
        return Message(self.said.id, tuple(sorted(self.values().items())))


@dataclass(frozen=True, slots=True)
class Tour:
    id: str
    title: Message
    steps: tuple[Step, ...]


def figured(**names: str) -> Values:
    """Numbers of the article by the places they stand at."""

    def found() -> Mapping[str, str]:
        from app.article_figures import figures  # brings the engine, which a start does not wait for

        known = figures(names.values(), "en")
        return {place: known[name] for place, name in names.items()}

    return found


@lru_cache(maxsize=1)
def story() -> str:
    """The shipped sample of two facts."""
    samples = json.loads((shipped()[BABI] / "samples.json").read_text("utf-8"))
    return str(samples[SAMPLE - 1]["text"])

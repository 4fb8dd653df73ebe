"""What a question of the quiz is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.messages import Message, Text
from app.tour_steps import Values, nothing

ROUNDED = 0.01  # how far a number may be rounded, as a share of it


@dataclass(frozen=True, slots=True)
class Question:
    """text, why: with places that `values` fills.  view: the pane set up in the state that shows why.

    options: (id, text), of a choice; right: the one that is.  wrong: what to say to some of the others.
    number: the answer where one is asked for; slack: how far it may be rounded.  shows: what the view's scene
    must say (a test holds it to that).
    """

    id: str
    chapter: str
    text: Message
    why: Message
    view: str
    options: tuple[tuple[str, Text], ...] = ()
    right: str = ""
    wrong: Mapping[str, Message] | None = None
    number: Callable[[], float] | None = None
    slack: float = ROUNDED
    values: Values = nothing
    shows: tuple[str, ...] = ()

    @property
    def asked(self) -> Message:
        return filled(self.text, self.values())

    @property
    def explained(self) -> Message:
        return filled(self.why, self.values())


def filled(said: Message, values: Mapping[str, str]) -> Message:
    return Message(said.id, tuple(sorted(values.items())))

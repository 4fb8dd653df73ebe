"""What a question of the quiz is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app import view as views
from app.inset import Spot
from app.messages import Message, Text
from app.tour_steps import Values, nothing

WIDTH = 1200  # of the window, in px at 100 %, that a figure is told
FOLD = 900  # window width, at 100 % text size, below which the list of questions goes above
LIST = 236  # px at 100 %: that list
ROUNDED = 0.01  # how far a number may be rounded, as a share of it


@dataclass(frozen=True, slots=True)
class Figure:
    """What of the view's scene is shown below the explanation: one part, and above it what belongs to it.

    height: px at 100 % that it has at least.  tall: higher than wide, so that it stands beside the question.
    fills: it becomes larger where there is room.  below: width of the window, px at 100 %, below which it is
    told what room there is, and folds; folded: the height it has then at least.
    """

    part: str
    height: int
    above: tuple[str, ...] = ()
    tall: bool = False
    fills: bool = True
    below: int = FOLD
    folded: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """text, why: with places that `values` fills.  view: the pane set up in the state that shows why.

    options: (id, text), of a choice; right: the one that is.  wrong: what to say to some of the others.
    number: the answer where one is asked for; slack: how far it may be rounded.  shows: what the view's scene
    must say (a test holds it to that).  figure: the part of that scene which shows it here.
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
    figure: Figure = Figure("", 320)

    @property
    def spot(self) -> Spot:
        """The figure as a pane in small."""
        pane, view = views.from_text(self.view)
        one = self.figure
        return Spot(pane, tuple(view.items()), one.part, one.height, more=one.above)

    @property
    def asked(self) -> Message:
        return filled(self.text, self.values())

    @property
    def explained(self) -> Message:
        return filled(self.why, self.values())


def filled(said: Message, values: Mapping[str, str]) -> Message:
    return Message(said.id, tuple(sorted(values.items())))

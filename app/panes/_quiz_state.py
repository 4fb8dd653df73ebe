"""What the quiz knows: the question asked, the answers given; and what follows from an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from app import inset
from app.inset import Insets
from app.messages import Text, msg
from app.pane import Effect, Event, Selection
from app.panes._quiz_numbers import close, parse
from app.panes._quiz_question import FOLD, LIST, WIDTH, Question
from app.panes._quiz_questions import QUESTIONS
from app.scene import Column, Inset

Done = tuple["State", tuple[Effect, ...]]
NONE: Mapping[str, str] = MappingProxyType({})
SPOTS = {one.id: one.spot for one in QUESTIONS}
MORE = "quiz.more"  # told once the explanation has been painted
LONGEST = 60  # signs of an answer that are kept


@dataclass(frozen=True, slots=True)
class State:
    """at: number of the question asked, from 0.  answers: by question, an option's id or a number as typed.

    shown: the answer a view brought to the question asked, which neither counts nor stays.
    typed: what was typed and is no number; what: that this is so.
    cleared: the answers thrown away last, until the next answer; before: the question asked then.
    insets: the figure of the question asked, and of no other; figure: as it was drawn last.
    width: of the window, px at 100 %, at most WIDTH, from which on nothing changes.
    """

    at: int = 0
    answers: Mapping[str, str] = field(default_factory=lambda: NONE)
    shown: str = ""
    typed: str = ""
    what: Text = ""
    width: int = WIDTH
    cleared: Mapping[str, str] = field(default_factory=lambda: NONE)
    before: int = 0
    insets: Insets = field(default_factory=lambda: Insets(SPOTS))
    figure: Inset | None = None

    @property
    def narrow(self) -> bool:
        return self.width < FOLD

    @property
    def told(self) -> int:
        """The width that the figure of the question asked is told: WIDTH as long as it has room for all."""
        if self.width >= self.question.figure.below:
            return WIDTH
        return self.width if self.narrow else self.width - LIST

    @property
    def question(self) -> Question:
        return QUESTIONS[self.at]

    @property
    def answer(self) -> str:
        """The answer on screen, "" for none yet: what a view shows, else what was answered."""
        return self.shown or self.answers.get(self.question.id, "")

    @property
    def right(self) -> int:
        return sum(is_right(one, self.answers[one.id]) for one in QUESTIONS if one.id in self.answers)


def is_right(question: Question, answer: str) -> bool:
    if question.number is None:
        return answer == question.right
    value = parse(answer)
    return value is not None and close(value, question.number(), question.slack)


def is_answer(question: Question, answer: str) -> bool:
    """Whether this can be an answer at all."""
    if question.number is None:
        return answer in dict(question.options)
    return len(answer) <= LONGEST and parse(answer) is not None


def update(state: State, event: Event) -> Done:
    after, effects = _updated(state, event)
    return kept_apart(state, after), effects


def kept_apart(before: State, after: State) -> State:
    """Without the figure of another question, or of an answer that is no longer there."""
    if (before.at, before.answer) == (after.at, after.answer):
        return after
    return replace(after, insets=Insets(SPOTS), figure=None)


def _updated(state: State, event: Event) -> Done:
    name, value = event.name, event.value
    if name == "view.width":
        return widened(state, min(int(value), WIDTH))
    if name == "settings.quiz":
        return replace(state, answers=known(value)), ()
    if name == "quiz.answer":
        return answered(state, str(value))
    if name in ("quiz.go", "quiz.move"):
        at = int(value) if name == "quiz.go" else state.at + int(value)
        return going(state, at), ()
    if name == "quiz.again":
        left = {key: one for key, one in state.answers.items() if key != state.question.id}
        return kept(replace(state, answers=left, shown="", typed="", what=""))
    if name == "quiz.reset":
        return reset(state)
    if name == "quiz.undo":
        return undone(state)
    if name == "quiz.open":
        return state, (Effect("open.view", state.question.view),)
    if name == MORE and missing_figure(state):
        return drawn(state, Event("view.width", state.told))
    if name == "inset" and state.figure is not None:
        key, inner = value
        return drawn(state, inner) if key == state.question.id else (state, ())
    return state, ()


def widened(state: State, width: int) -> Done:
    """In a window of this width; the figure folds as its own pane would."""
    after = replace(state, width=width)
    if state.figure is None or after.told == state.told:
        return after, ()
    return drawn(after, Event("view.width", after.told))


def missing_figure(state: State) -> bool:
    """Whether the explanation still lacks its figure."""
    return bool(state.answer) and state.figure is None


def drawn(state: State, event: Event) -> Done:
    """The figure of the question asked after something happened in it."""
    key = state.question.id
    insets, effects = inset.update(state.insets, Event("inset", (key, event)))
    figure = inset.figure(insets, key, Selection())
    if not state.question.figure.fills:  # at the top, as it is
        below = Column(f"{key}/below", ())
        figure = replace(figure, body=Column(f"{key}/whole", (figure.body, below), (0, 1)))
    high = state.question.figure.folded if state.told < WIDTH else 0
    figure = replace(figure, height=max(figure.height, high), grows=True)
    return replace(state, insets=insets, figure=figure), effects


def going(state: State, at: int) -> State:
    at = min(max(at, 0), len(QUESTIONS) - 1)
    return replace(state, at=at, shown="", typed="", what="") if at != state.at else state


def reset(state: State) -> Done:
    """From the first question on, with no answers; those there were can be brought back."""
    if not state.answers:
        return state, ()
    return kept(State(width=state.width, cleared=state.answers, before=state.at))


def undone(state: State) -> Done:
    if not state.cleared:
        return state, ()
    return kept(State(at=state.before, answers=state.cleared, width=state.width))


def answered(state: State, answer: str) -> Done:
    """Taken once; wrong input is said and not counted."""
    answer = answer.strip()
    if state.answer or not answer:
        return state, ()
    if not is_answer(state.question, answer):
        what = msg("This is not a number. Write it like 5, 1.2 M or 34.9 %.")
        return replace(state, typed=answer[:LONGEST], what=what), ()
    answers = {**state.answers, state.question.id: answer}
    return kept(replace(state, answers=answers, typed="", what="", cleared=NONE))


def kept(state: State) -> Done:
    """Remembered from now on."""
    pairs = tuple(f"{key}={answer}" for key, answer in state.answers.items())
    return state, (Effect("settings.quiz", pairs),)


def known(pairs: tuple[str, ...]) -> Mapping[str, str]:
    """The answers remembered, those that still make sense."""
    found = dict(pair.partition("=")[::2] for pair in pairs)
    return {one.id: found[one.id] for one in QUESTIONS if one.id in found and is_answer(one, found[one.id])}

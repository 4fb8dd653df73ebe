"""Questions over all chapters: wrong answers are explained, and shown in the pane that knows better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.inset import awaited
from app.messages import Message, Text, msg
from app.pane import Effect, Event, Selection, all_panes
from app.panes import _quiz_state as st
from app.panes._quiz_question import LIST
from app.panes._quiz_questions import QUESTIONS
from app.panes._quiz_state import State
from app.panes.quiz import TITLE
from app.scene import (
    Button,
    Card,
    Column,
    Entry,
    Field,
    Form,
    Node,
    Passage,
    Prose,
    Row,
    Scene,
    Span,
    Table,
)
from app.timeline import Timeline

SHOWN: tuple[Mapping[str, str], ...] = (
    {"question": "base"},
    {"question": "halted", "answer": "copied"},
    {"question": "steps", "answer": "9"},
)
LARGEST: tuple[Mapping[str, str], ...] = ({"question": "mixed", "answer": "46 %"},)
ASKED = 820  # px at 100 %
LETTERS = "ABCDEFGH"


def initial() -> State:
    return State()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return st.update(state, event)


def scene(state: State, selection: Selection) -> Scene:
    """The questions at the left, the one asked in the middle; below, what leads to the others."""
    page = Column("page", *_page(state), scroll=True)
    asked = Column("asked", (page, _moves(state)), (1, 0))
    if state.narrow:
        root: Node = Column("quiz", (_score(state), asked), (0, 1))
    else:
        left = Column("left", (_score(state), _list(state), Column("left.rest", ())), (0, 0, 1), scroll=True)
        root = Row("quiz", (left, asked), (0, 1), (LIST, 420), (True, False))
    return Scene(root, TITLE, sentence(state), st.MORE if st.missing_figure(state) else "")


def _page(state: State) -> tuple[tuple[Node, ...], tuple[int, ...]]:
    """The question; once answered with its figure below, or beside it where that is tall."""
    card = _card(state)
    if not state.answer:
        return (card,), (1,)
    both = card, _figure(state)
    if _beside(state):
        return (Row("page.row", both, (2, 3)),), (1,)
    return both, (0, 1)


def _beside(state: State) -> bool:
    return state.question.figure.tall and not state.narrow


def _score(state: State) -> Card:
    answered = msg("{k} of {n}", k=len(state.answers), n=len(QUESTIONS))
    if state.cleared:  # the same button, so that the keyboard stays on it
        reset = Button(
            "quiz.reset", msg("Undo"), "quiz.undo", None, "undo-2", "icon", tip=msg("Bring the answers back")
        )
        spans = Span(msg("The answers were cleared.")), Span(" "), Span(msg("Undo"), event="quiz.undo")
        body: Node = Passage("score.cleared", spans, "caption")
    else:
        reset = Button(
            "quiz.reset", msg("Start over"), "quiz.reset", None, "rotate-ccw", "icon",
            enabled=bool(state.answers),
        )  # fmt: skip
        body = Table("score", ((msg("answered right"), f"{state.right}"), (msg("answered"), answered)))
    return Card("score.card", msg("Score"), body, tools=(reset,))


def _list(state: State) -> Card:
    """The numbers of the questions by chapter, each with how it was answered."""
    titles = {name: pane.TITLE for name, pane in all_panes().items()}
    rows: list[Node] = []
    for chapter in dict.fromkeys(one.chapter for one in QUESTIONS):
        numbers = [number for number, one in enumerate(QUESTIONS) if one.chapter == chapter]
        spans = [Span(titles.get(chapter, chapter)), Span("\n")]
        for number in numbers:
            spans += _numbered(state, number)
        here = (2 + 2 * numbers.index(state.at),) if state.at in numbers else ()
        rows.append(Passage(f"list.{chapter}", tuple(spans), "entry", here=here))
    return Card("list.card", msg("Questions"), Column("list", tuple(rows)))


def _numbered(state: State, number: int) -> tuple[Span, Span]:
    """A link, and the room behind it."""
    one = QUESTIONS[number]
    answer = state.answers.get(one.id, "")
    right = st.is_right(one, answer)
    sign = f" {_sign(right)}" if answer else ""
    role = ("ok" if right else "error") if answer else "accent"
    return Span(f"{number + 1}{sign}", role, event="quiz.go", value=number), Span("    ")


def _sign(right: bool) -> str:
    return "✓" if right else "✗"


def _card(state: State) -> Card:
    """The question; its options or where a number is typed; once answered, what is right and why."""
    one = state.question
    if state.answer:
        body = _answered(state)
    else:  # above the middle of the page, where the eye rests
        asked = Passage("question", (Span(one.asked),), "title")
        parts = Column("asked.middle", (asked, *_open(state)), wide=ASKED)
        body = Column(
            "asked.column", (Column("asked.above", ()), parts, Column("asked.below", ())), (2, 0, 3)
        )
    where = msg("Question {k} of {n}", k=state.at + 1, n=len(QUESTIONS))
    pane = all_panes().get(one.chapter)
    return Card("asked.card", where, body, pane.TITLE if pane else "")


def _answered(state: State) -> Column:
    asked = Passage("question", (Span(state.question.asked),), "heading")
    given, why = _given(state), _explained(state)
    if state.narrow or _beside(state):
        return _topped("asked.column", (asked, given, *why))
    both = _topped("given.column", (given,)), _topped("explained", why)
    return Column("asked.column", (asked, Row("answer", both, (4, 5))))


def _topped(key: str, parts: tuple[Node, ...]) -> Column:
    """Parts with what room there is below them."""
    return Column(key, (*parts, Column(f"{key}.rest", ())), (*(0 for _ in parts), 1))


def _open(state: State) -> list[Node]:
    one = state.question
    if one.number is None:
        fields: tuple[tuple[Field, ...], ...] = tuple(
            (Button(f"option.{name}", said, "quiz.answer", name, letter, "option"),)
            for letter, (name, said) in zip(LETTERS, one.options, strict=False)
        )
        return [Form("options", fields)]
    entry = Entry("quiz.entry", msg("Answer"), "quiz.answer", state.typed, msg("a number, then Enter"),
                  tip=msg("Rounded is fine: 1.2 M for 1,234,567, 35 % for 0.349"))  # fmt: skip
    wrong = [Prose("wrong", ((Span(state.what, "error"),),), "error")] if state.what else []
    row = Row("options.row", (Form("options", ((entry,),)), Column("options.rest", ())), (1, 1))
    return [row, *wrong]


def _given(state: State) -> Passage:
    """What was answered, and what is right; told by signs and words besides colours."""
    one, answer = state.question, state.answer
    right = st.is_right(one, answer)
    if one.number is not None:
        role = "ok" if right else "error"
        said = msg("{sign} {answer} is right.", sign=_sign(True), answer=answer)
        if not right:
            said = msg("{sign} {answer} is not right.", sign=_sign(False), answer=answer)
        return Passage("given", (Span(said, role, bold=True),), large=True)
    spans: list[Span] = []
    for name, text in one.options:
        chosen, true = name == answer, name == one.right
        role = "ok" if true else "error" if chosen else "dim"
        sign = _sign(true) if true or chosen else "·"
        said = msg("{sign} {option}", sign=sign, option=text)
        if chosen:
            said = msg("{sign} {option} (your answer)", sign=sign, option=text)
        spans += [Span(said, role, bold=chosen or true), Span("\n")]
    return Passage("given", tuple(spans[:-1]), large=True)


def _explained(state: State) -> tuple[Node, ...]:
    one, answer = state.question, state.answer
    parts: list[Node] = []
    special = (one.wrong or {}).get(answer)
    if special is not None:
        parts.append(Passage("special", (Span(special),), "quote", large=True))
    parts.append(Passage("why", (Span(one.explained),), large=True))
    return tuple(parts)


def _figure(state: State) -> Card:
    """What shows why: a part of the pane that knows, which can be moved; a place for it until it is drawn."""
    spot = st.SPOTS[state.question.id]
    pane = all_panes()[spot.pane]
    body = state.figure or awaited(state.question.id, spot.height, grows=True)
    see = Button("quiz.open", msg("See it: {pane}", pane=pane.TITLE), "quiz.open", icon="maximize-2")
    return Card("figure.card", msg("See why"), body, tools=(see,))


def _moves(state: State) -> Row:
    """What leads to other questions; made anew, as Tab follows the order of making."""
    last = state.at == len(QUESTIONS) - 1
    back = Button("quiz.back", msg("Back"), "quiz.move", -1, "chevron-left", enabled=state.at > 0)
    again = Button("quiz.again", msg("Answer again"), "quiz.again", icon="rotate-ccw")
    style = "primary" if state.answer and not last else "plain"
    on = Button("quiz.next", msg("Next question"), "quiz.move", 1, "chevron-right", style, not last)
    phase = "shown" if state.figure else "answered" if state.answer else "asked"
    fields = (back, *((again,) if state.answer else ()), on)
    forms = [Form(f"{field.key}.{phase}", ((field,),)) for field in fields]
    children: tuple[Node, ...] = (forms[0], Column("moves.rest", ()), *forms[1:])
    return Row("moves", children, (0, 1, *(0 for _ in forms[1:])))


# ---- the rest of a pane -----------------------------------------------------------------------------------


def timeline(state: State) -> Timeline | None:
    return None


def sentence(state: State) -> Message:
    """The question, and once it is answered whether that was right."""
    number = msg("Question {k} of {n}: {text}", k=state.at + 1, n=len(QUESTIONS), text=state.question.asked)
    if not state.answer:
        return number
    right = st.is_right(state.question, state.answer)
    said: Text = msg("Answered, and right.") if right else msg("Answered, but not right.")
    return msg("{where} {what}", where=number, what=said)


def caption(state: State) -> tuple[Text, ...]:
    return (TITLE, msg("Question {k} of {n}", k=state.at + 1, n=len(QUESTIONS)))


def shows_model(state: State) -> bool:
    """The numbers are the engine's, never the open model's."""
    return False


def to_view(state: State) -> dict[str, str]:
    view = {"question": state.question.id, "answer": state.answer}
    return {key: value for key, value in view.items() if value}


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """question: the one asked; answer: one to it, shown without being counted or remembered."""
    ids, after = [one.id for one in QUESTIONS], state
    if view.get("question") in ids:
        after = st.going(after, ids.index(view["question"]))
    answer = view.get("answer", "")
    shown = answer if answer and st.is_answer(after.question, answer) else ""
    return st.kept_apart(state, replace(after, shown=shown, typed="", what="")), ()

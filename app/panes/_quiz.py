"""Questions over all chapters: wrong answers are explained, and shown in the pane that knows better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.messages import Message, Text, msg
from app.pane import Effect, Event, Selection, all_panes
from app.panes import _quiz_state as st
from app.panes._quiz_questions import QUESTIONS
from app.panes._quiz_state import State
from app.panes.quiz import TITLE
from app.scene import Button, Card, Column, Entry, Field, Form, Node, Passage, Prose, Row, Scene, Span, Table
from app.timeline import Timeline

SHOWN: tuple[Mapping[str, str], ...] = (
    {"question": "base"},
    {"question": "halted", "answer": "copied"},
    {"question": "steps", "answer": "9"},
)
LARGEST: tuple[Mapping[str, str], ...] = ({"question": "mixed", "answer": "46 %"},)
LIST, ASKED = 236, 700  # px at 100 %


def initial() -> State:
    return State()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return st.update(state, event)


def scene(state: State, selection: Selection) -> Scene:
    """The questions at the left, the one asked in the middle."""
    asked = Column("asked", (_card(state), Column("asked.rest", ())), (0, 1), scroll=True, wide=ASKED)
    if state.narrow:
        root: Node = Column("quiz", (_score(state), asked), (0, 1))
    else:
        left = Column("left", (_score(state), _list(state), Column("left.rest", ())), (0, 0, 1), scroll=True)
        root = Row("quiz", (left, asked), (0, 1), (LIST, 420), (True, False))
    return Scene(root, TITLE, sentence(state))


def _score(state: State) -> Card:
    rows = (
        (msg("answered right"), f"{state.right}"), (msg("answered"), f"{len(state.answers)}"),
        (msg("questions in all"), f"{len(QUESTIONS)}"),
    )  # fmt: skip
    body: Node = Table("score", rows)
    if state.cleared:  # the same button, so that the keyboard stays on it
        reset = Button(
            "quiz.reset", msg("Undo"), "quiz.undo", None, "undo-2", "icon", tip=msg("Bring the answers back")
        )
        spans = Span(msg("The answers were cleared.")), Span(" "), Span(msg("Undo"), event="quiz.undo")
        body = Column("score.column", (body, Passage("score.cleared", spans, "caption")))
    else:
        reset = Button(
            "quiz.reset", msg("Start over"), "quiz.reset", None, "rotate-ccw", "icon",
            enabled=bool(state.answers),
        )  # fmt: skip
    return Card("score.card", msg("Score"), body, tools=(reset,))


def _list(state: State) -> Card:
    """The numbers of the questions by chapter, each with how it was answered."""
    titles = {name: pane.TITLE for name, pane in all_panes().items()}
    rows: list[Node] = []
    for chapter in dict.fromkeys(one.chapter for one in QUESTIONS):
        numbers = [number for number, one in enumerate(QUESTIONS) if one.chapter == chapter]
        spans = tuple(span for number in numbers for span in _numbered(state, number))
        here = (2 * numbers.index(state.at),) if state.at in numbers else ()
        rows.append(Passage(f"chapter.{chapter}", (Span(titles.get(chapter, chapter)),), "caption"))
        rows.append(Passage(f"list.{chapter}", spans, "entry", here=here))
    return Card("list.card", msg("Questions"), Column("list", tuple(rows)))


def _numbered(state: State, number: int) -> tuple[Span, Span]:
    """A link, and the room behind it."""
    one = QUESTIONS[number]
    answer = state.answers.get(one.id, "")
    right = st.is_right(one, answer)
    sign = f" {_sign(right)}" if answer else ""
    role = ("ok" if right else "error") if answer else "fg"
    return Span(f"{number + 1}{sign}", role, event="quiz.go", value=number), Span("    ")


def _sign(right: bool) -> str:
    return "✓" if right else "✗"


def _card(state: State) -> Card:
    """The question; its options or where a number is typed; once answered, why."""
    one = state.question
    parts: list[Node] = [Passage("question", (Span(one.asked),), "heading")]
    parts += [_given(state)] if state.answer else _open(state)
    if state.answer:
        parts += _explained(state)
    answered = "answered" if state.answer else "asked"
    parts.append(Form(f"moves.{answered}", (_moves(state),)))  # made anew: Tab follows the order of making
    where = msg("Question {k} of {n}", k=state.at + 1, n=len(QUESTIONS))
    pane = all_panes().get(one.chapter)
    return Card("asked.card", where, Column("question.column", tuple(parts)), pane.TITLE if pane else "")


def _open(state: State) -> list[Node]:
    one = state.question
    if one.number is None:
        fields: tuple[tuple[Field, ...], ...] = tuple(
            (Button(f"option.{name}", said, "quiz.answer", name),) for name, said in one.options
        )
        return [Form("options", fields)]
    entry = Entry("quiz.entry", msg("Answer"), "quiz.answer", state.typed, msg("a number, then Enter"),
                  tip=msg("Rounded is fine: 1.2 M for 1,234,567, 35 % for 0.349"))  # fmt: skip
    wrong = [Prose("wrong", ((Span(state.what, "error"),),), "error")] if state.what else []
    return [Form("options", ((entry,),)), *wrong]


def _given(state: State) -> Node:
    """What was answered, and what is right; told by signs and words besides colours."""
    one, answer = state.question, state.answer
    right = st.is_right(one, answer)
    if one.number is not None:
        role = "ok" if right else "error"
        said = msg("{sign} {answer} is right.", sign=_sign(True), answer=answer)
        if not right:
            said = msg("{sign} {answer} is not right.", sign=_sign(False), answer=answer)
        return Passage("given", (Span(said, role, bold=True),), large=True)
    rows: list[Node] = []
    for name, text in one.options:
        chosen, true = name == answer, name == one.right
        role = "ok" if true else "error" if chosen else "dim"
        sign = _sign(true) if true or chosen else "·"
        said = msg("{sign} {option}", sign=sign, option=text)
        if chosen:
            said = msg("{sign} {option} (your answer)", sign=sign, option=text)
        rows.append(Passage(f"option.{name}.given", (Span(said, role, bold=chosen or true),), large=True))
    return Column("given", tuple(rows))


def _explained(state: State) -> list[Node]:
    one, answer = state.question, state.answer
    parts: list[Node] = []
    special = (one.wrong or {}).get(answer)
    if special is not None:
        parts.append(Passage("special", (Span(special),), "quote", large=True))
    parts.append(Passage("why", (Span(one.explained),), large=True))
    pane = all_panes().get(one.view.partition("?")[0])
    if pane is not None:
        see = Button("quiz.open", msg("See it: {pane}", pane=pane.TITLE), "quiz.open", icon="maximize-2")
        parts.append(Form("see", ((see,),)))
    return parts


def _moves(state: State) -> tuple[Field, ...]:
    last = state.at == len(QUESTIONS) - 1
    back = Button("quiz.back", msg("Back"), "quiz.move", -1, "chevron-left", enabled=state.at > 0)
    again = Button("quiz.again", msg("Answer again"), "quiz.again", icon="rotate-ccw")
    style = "primary" if state.answer else "plain"
    on = Button("quiz.next", msg("Next question"), "quiz.move", 1, "chevron-right", style, not last)
    return (back, *((again,) if state.answer else ()), on)


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
    ids = [one.id for one in QUESTIONS]
    if view.get("question") in ids:
        state = st.going(state, ids.index(view["question"]))
    answer = view.get("answer", "")
    shown = answer if answer and st.is_answer(state.question, answer) else ""
    return replace(state, shown=shown, typed="", what=""), ()

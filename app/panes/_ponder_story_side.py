"""Left of the figure of one story: which story, what is answered, how to read the two maps."""

from __future__ import annotations

from app.engine_texts import said
from app.messages import Text, msg
from app.pane import Selection
from app.panes import _ponder_parts as parts
from app.panes import _ponder_state as st
from app.panes._ponder_state import State
from app.panes._ponder_story import readout, value
from app.scene import Button, Card, Choice, Column, Editor, Field, Form, Node, Prose, Span


def side(state: State, selection: Selection) -> tuple[Card, ...]:
    known = st.samples()
    names = tuple(
        (str(k), msg("{facts}: {question}", facts=parts.many(facts), question=question))
        for k, (question, _, facts) in enumerate(known)
    )
    here = next((str(k) for k, (_, text, _) in enumerate(known) if text == state.text), "own")
    options = names if here != "own" else (*names, ("own", msg("a story of your own")))
    fields: list[tuple[Field, ...]] = [(one,) for one in parts.chooser(state)]
    if options:
        fields.append((Choice("sample", msg("Story"), "ponder.sample", options, here, "bare"),))
    fields.append(
        (
            Editor(
                "text",
                msg("Story and question"),
                "ponder.text",
                state.text,
                msg("One sentence a line, the question last"),
            ),
        )
    )
    fields.append(
        (Button("run", msg("Run"), "ponder.run", icon="play", style="primary", enabled=bool(state.path)),)
    )
    inside: list[Node] = [Form("story.form", tuple(fields))]
    if state.what:
        wrong = msg("{what}. {do}.", what=said(str(state.what)), do=said(str(state.do)))
        inside.append(Prose("story.wrong", ((Span(wrong, "error"),),), "error"))
    inside.append(Prose("story.readout", readout(state, selection), "answer"))
    return (
        Card("story.card", msg("Story"), Column("story.side", tuple(inside)), state.name),
        Card("story.read.card", msg("How to read it"), _how(state)),
    )


def _how(state: State) -> Column:
    lines: list[Text] = [
        msg(
            "Left: where the question looks. Nearly even at step 1, sharp a few steps later; over many "
            "stories it "
            "grows broader again once the answer is there."
        ),
        msg(
            "Right: the same run again with one fact hidden from all other positions, and by how much "
            "the answer’s probability "
            "changes. Looking at a fact and needing it are two things."
        ),
    ]
    if state.kind == "onwards":
        lines.append(
            msg(
                "Hidden from step t on: where the colour ends, the fact had been taken in. The first "
                "column is a fact "
                "that is never read."
            )
        )
    else:
        lines.append(
            msg("Hidden at step t only: what can be read at another step as well is often not missed.")
        )
    return parts.prose("read.text", *lines, *_of_run(state))


def _of_run(state: State) -> list[Text]:
    """What is to be said of the run on screen."""
    found = value(state)
    if not found:
        return []
    n, rho = found["question_n"], f"{found['question_rho']:.2f}"
    lines: list[Text] = [
        msg("The question takes N = {n}, ρ = {rho}.", n=n, rho=rho),
        parts.STATES[found["state"]],
    ]
    if found["cropped"]:
        lines.append(
            msg(
                "The story was longer than the model takes: its first {n} facts were left out.",
                n=found["cropped"],
            )
        )
    return lines

"""Practice: faults of public implementations put into the listing, and predictions to be made."""

from __future__ import annotations

from app.messages import Message, Text, msg
from app.panes._act_state import State
from app.scene import Button, Choice, Field, Form, Node, Prose, Span, Switch
from ut_engine.faults import fault_names, load_fault

SYMPTOMS = {
    "precedence": msg("The output carries an offset: every entry is shifted by the same amount, "
                      "also where the weight is 0."),
    "no-mask": msg("Positions that halted long ago go on changing, and their probability leaves 1."),
    "last-state": msg("The halting runs as it should, yet the output does not depend on it."),
    "divided": msg("Positions that took many steps come out smaller than those that took few."),
    "broadcast": msg("No error, but positions influence each other's halting: watch the shapes."),
    "shared-zeros": msg("A remainder is there before any position halted."),
    "memory": msg("However many steps it takes, the output is what it was before the first."),
}  # fmt: skip
"""What a user would report; the cause is not given away."""

CAUSES = {
    "precedence": msg("Operator precedence: S·1 − w instead of S·(1 − w). Every step takes w off each entry; "
                      "a LayerNorm after it hides the offset."),
    "no-mask": msg("The mask of running positions is missing: a halted position passes the threshold again "
                   "at every step and adds its remainder once more."),
    "last-state": msg("The accumulator is computed and not returned: the last state is, so the weights "
                      "have no effect."),
    "divided": msg("The sum is divided by the number of steps. The weights sum to 1 already, so long "
                   "thinkers are shrunk."),
    "broadcast": msg("The halting unit keeps its last axis: [B, L, 1] against [B, L] spreads to [B, L, L], "
                     "so every position meets every p. It takes a squeeze of the last axis."),
    "shared-zeros": msg("Halting probability and remainder are one buffer of zeros, changed in place: line 4 "
                        "writes both. Updates have to make new arrays."),
    "memory": msg("The untouched memory is returned instead of the new mix, so the loop has no effect."),
}  # fmt: skip


def panel(state: State) -> tuple[Node, ...]:
    return (*_hunt(state), *_prediction(state))


def _hunt(state: State) -> tuple[Node, ...]:
    options: list[tuple[str, Text]] = [("", msg("no fault"))]
    options += [(name, msg("case {n}", n=k)) for k, name in enumerate(fault_names(), 1)]
    rows: list[tuple[Field, ...]] = [
        (Choice("hunt.fault", msg("Listing with"), "hunt.fault", tuple(options), state.setup.fault),)
    ]
    head = Prose("hunt.head", ((Span(msg("Find the fault"), "fg", bold=True),
                                Span(msg("real ones, from public code"), "dim")),))  # fmt: skip
    if not state.setup.fault:
        return head, Form("hunt.form", tuple(rows))
    line = state.cursor or (state.record.line if state.record else 1)
    rows.append((Button("hunt.accuse", msg("Line {n} is wrong", n=line), "hunt.accuse", style="primary"),
                 Button("hunt.show", msg("Show me"), "hunt.show")))  # fmt: skip
    symptom = Prose("hunt.symptom", ((Span(_symptom(state.setup.fault)),),))
    return (head, Form("hunt.form", tuple(rows)), symptom, *_verdict(state))


def _symptom(name: str) -> Message:
    return SYMPTOMS.get(name, msg("Something is wrong with the result."))


def _verdict(state: State) -> tuple[Node, ...]:
    if state.verdict is None:
        return ()
    kind, line = state.verdict
    fault = load_fault(state.setup.fault)
    if kind == "wrong":
        text = msg("Line {n} is as it should be. Look where a value first goes astray.", n=line)
        return (Prose("hunt.verdict", ((Span(text, "error"),),)),)
    told = msg("Yes, line {n}.", n=fault.line) if kind == "right" else msg("It is line {n}.", n=fault.line)
    lines: list[tuple[Span, ...]] = [(Span(told, "ok", bold=True),)]
    if fault.name in CAUSES:
        lines.append((Span(CAUSES[fault.name]),))
    if fault.right != fault.listing.lines[fault.line - 1].text:
        lines.append((Span(msg("It should read:"), "dim"),))
        lines += [(Span(row.replace("    ", "\u2003"), "fg", mono=True),) for row in fault.right.splitlines()]
    lines.append((Span(msg("seen in {source}", source=fault.source), "dim"),))
    return (Prose("hunt.verdict", tuple(lines)),)


def _prediction(state: State) -> tuple[Node, ...]:
    head = Prose("predict.head", ((Span(msg("Predict, then reveal"), "fg", bold=True),),))
    switch = Switch("predict.on", msg("Cover who halts until I have guessed"), "predict.on", state.predict)
    right, asked = state.answers
    parts: tuple[Node, ...] = (head, Form("predict.switch", ((switch,),)))
    if asked:
        text = msg("{n} of {m} right so far", n=right, m=asked)
        parts = (*parts, Prose("predict.score", ((Span(text, "dim"),),)))
    return parts

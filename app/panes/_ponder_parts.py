"""Parts that the figures about ponder time share: what waits, what is wrong, whose figures, which rule."""

from __future__ import annotations

from app.engine_texts import told
from app.holes import spread
from app.inset import tall
from app.messages import Text, msg
from app.panes import _ponder_state as st
from app.panes._ponder_state import State
from app.scene import Button, Choice, Column, Field, Form, Mark, Node, Passage, Progress, Prose, Span

TALL = 320  # px of a figure in a scrolled column
STATES = {
    "listing2": msg(
        "Halted states go on (as in Listing 2): every position is computed at every step; only a "
        "halted one’s output stays fixed."
    ),
    "frozen": msg(
        "Halted states are frozen (as in section 2.2): they are copied, the others still read them."
    ),
    "": msg("This checkpoint does not halt: N is the number of its steps."),
}
N_AND_RHO = msg(
    "N counts a position's updates; ρ = N + R adds its remainder. A position that halts has ρ above N and "
    "at most N + 1; ρ is at least 2."
)
NO_CHECKPOINT = msg(
    "The checkpoint “babi” does not ship with this copy of the program, so nothing can be measured."
)
NOT_YET = msg("Nothing has been measured with this checkpoint yet.")


def prose(key: str, *lines: Text, role: str = "fg") -> Column:
    """A paragraph a line, quieter where dim."""
    style = "caption" if role == "dim" else "compact"
    kept = [line for line in lines if line]
    return Column(key, tuple(Passage(f"{key}.{k}", (Span(line),), style) for k, line in enumerate(kept)))


def roomy(state: State, node: Mark) -> Node:
    """A figure, with a height of its own where the pane is scrolled."""
    return tall(node, TALL) if state.narrow else node


def filled(key: str, *children: Node) -> Column:
    """At the top, whatever room there is."""
    return Column(key, (*children, Column(f"{key}.rest", ())), (*(0 for _ in children), 1))


def plus_minus(mean: float, deviation: float, digits: int = 2) -> str:
    return spread(mean, deviation, digits)


def slot(state: State, key: str, label: Text) -> tuple[Node, ...]:
    """What stands where a measurement is waited for or has failed; () where its figures are there."""
    one = state.measured(key)
    if one.what:
        again = Button(f"{key}.again", msg("Try again"), "ponder.again", key, icon="rotate-ccw")
        return Prose(f"{key}.error", ((Span(told(one.what, one.do), "error"),),), "error"), Form(
            f"{key}.form", ((again,),)
        )
    if not one.waiting:
        return ()
    stop = Button(f"{key}.stop", msg("Cancel"), "ponder.cancel", key)
    return Progress(f"{key}.progress", label, one.done, one.total), Form(f"{key}.form", ((stop,),))


def chooser(state: State) -> tuple[Field, ...]:
    """Which checkpoint is asked, where there are two."""
    if not state.opened[0]:
        return ()
    options = (
        (st.SHIPPED, msg("{name} (shipped)", name=st.CHECKPOINT)),
        (st.OPEN, msg("{name} (open)", name=state.opened[1])),
    )
    return (Choice("model", msg("Checkpoint"), "ponder.model", options, state.model),)


def few(facts: int) -> Text:
    """The same where there is little room."""
    return (msg("1 fact"), msg("2 facts"), msg("3 facts"))[facts - 1]


def many(facts: int) -> Text:
    return (msg("1 supporting fact"), msg("2 supporting facts"), msg("3 supporting facts"))[facts - 1]

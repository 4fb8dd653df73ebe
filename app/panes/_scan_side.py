"""The right column of the scan by hand: the task, one position's window, the last step in numbers."""

from __future__ import annotations

from app.messages import Text, msg, nmsg
from app.panes import _scan_state as st
from app.panes._scan_hand import focus_of, without_signal
from app.panes._scan_state import State
from app.scene import Button, Card, Column, Form, Node, Passage, Prose, Sheet, Span, Table
from ut_engine.scan import ScanFrame, depths, settled_prefix, steps_needed

ABOUT = {
    "xor": msg("Goal: every position holds the parity of all bits up to it."),
    "sum10": msg("Goal: every position holds the sum of all digits up to it, modulo 10."),
    "carry": msg(
        "Binary addition: a place kills (k), propagates (p) or generates (g) a carry. Goal: "
        "every position holds what all places up to it do together."
    ),
    "permutation": msg(
        "Goal: every position holds the product of all permutations up to it. The order matters, "
        "and with five elements this is complete for NC¹ (Barrington 1989)."
    ),
}
SIGNS = {"xor": "⊕", "sum10": "+", "carry": "∘", "permutation": "∘"}


def side(state: State) -> tuple[Node, ...]:
    about = Card("about.card", msg("The task"), Prose("about", ((Span(ABOUT[state.operator], "dim"),),)))
    return about, _whole(state), _position(state)


def needed_cells(n: int) -> tuple[int, int]:
    """(cells that some position needs, all cells) of as many steps as n positions need."""
    need = depths(n)
    return int(need.sum()), int(need.max()) * n


def _whole(state: State) -> Card:
    """What is settled and right, at the step on screen and at the end."""
    last = state.scan.frames[-1]
    needs = (
        (msg("steps needed"), f"{state.needed:,}"),
        (msg("steps run"), f"{last.step:,}"),
    )
    columns: tuple[Text, ...] = ("", msg("step {t}", t=state.frame.step), msg("at the end"))
    now, end = _counts(state, state.frame), _counts(state, last)
    names = (
        msg("settled"),
        msg("first not guaranteed"),
        msg("right for this input"),
        msg("wrong"),
        msg("first wrong"),
    )
    rows = tuple(
        (Span(name, "dim"), Span(one, mono=True), Span(other, mono=True))
        for name, one, other in zip(names, now, end, strict=True)
    )
    parts: list[Node] = [
        Table("needs", needs, alt=msg("steps needed and run")),
        Sheet("whole", columns, rows, alt=msg("settled and right positions, now and at the end")),
    ]
    parts += _cells(state) if state.signal else (_no_signal(state),)
    title = nmsg("{i} position", "{i} positions", state.n, i=f"{state.n:,}")
    return Card("whole.card", title, Column("whole.column", tuple(parts)))


def _counts(state: State, frame: ScanFrame) -> tuple[str, ...]:
    """Settled, first not guaranteed, right, wrong, first wrong."""
    found = frame.n_settled, frame.first_open, frame.n_correct, state.n - frame.n_correct, frame.first_wrong
    return tuple("–" if value is None else f"{value:,}" for value in found)


def _cells(state: State) -> tuple[Node, ...]:
    """What ACT could save, and its table."""
    used, every = needed_cells(state.n)
    said = msg("One position needs no step.")
    if every:
        said = msg(
            "{k} of {n} cells are needed: with ACT each position could stop at its own depth.",
            k=f"{used:,}",
            n=f"{every:,}",
        )
    table = Button(
        "table.open",
        msg("Open these depths in the debugger"),
        "table.open",
        enabled=state.n > 1,
        tip=msg("ACT runs every position at least once, so position 1 halts at step 1"),
    )
    own = Button(
        "checkpoint.open",
        msg("Open the scan as a model"),
        "checkpoint.open",
        tip=msg("The shipped checkpoint `scan`: the same scan as weights set by hand, in the inspector"),
    )
    rows = ((table,), (own,)) if state.operator == st.XOR else ((table,),)
    return (Passage("cells", (Span(said),), "caption"), Form("cells.form", rows))


def _no_signal(state: State) -> Node:
    """Why the step signal matters."""
    first = state.needed
    said = msg(
        "Without a step signal the layer does the same thing every time. After T steps a "
        "position holds each earlier bit C(T, k) times: right for every input only when T + 1 is "
        "a multiple of {p}. The first such T is {t}; with a step signal T = {s} is enough.",
        p=f"{first + 1:,}",
        t=f"{first:,}",
        s=steps_needed(state.n),
    )
    here = settled_prefix(state.frame.step, False)
    now = nmsg(
        "After {n} step positions up to {p} are guaranteed.",
        "After {n} steps positions up to {p} are guaranteed.",
        state.frame.step,
        p=min(here, state.n),
    )
    lines = (
        Passage("no_signal.why", (Span(said),), "caption"),
        Passage("no_signal.now", (Span(now),), "caption"),
    )
    return Column("no_signal", lines)


def _position(state: State) -> Card:
    """The window of the cell under the pointer, else of the position looked at."""
    step, place = focus_of(state) or (state.frame.step, state.place)
    frame: ScanFrame = state.scan.frames[step]
    first, show = int(frame.first[place]), state.rule.show
    reads = int(frame.reads[place])
    need = int(depths(state.n)[place]) if state.signal else int(without_signal(state.n)[place])
    settled = bool(frame.settled[place])
    rows: list[tuple[Text | float, ...]] = [
        (msg("has seen"), f"{first + 1}–{place + 1}" if first < place else f"{place + 1}"),
        (msg("reads now"), "–" if reads < 0 else str(reads + 1)),
        (msg("made of"), made_of(state, step, place)),
        (msg("holds"), show(frame.values[place])),
        (msg("should hold"), show(state.scan.target[place])),
        (msg("settled"), msg("yes") if settled else nmsg("no, needs {n} step", "no, needs {n} steps", need)),
    ]
    title = msg("Position {i} after step {t}", i=place + 1, t=step)
    return Card("position.card", title, Table("position", tuple(rows), alt=title))


def made_of(state: State, step: int, place: int) -> str:
    """The two values a step combined, the earlier first; "–" where nothing was read."""
    reads = int(state.scan.frames[step].reads[place])
    if reads < 0:
        return "–"
    before, show = state.scan.frames[step - 1].values, state.rule.show
    return f"{show(before[reads])} {SIGNS[state.operator]} {show(before[place])}"

"""Controls of the depth grid, what it is a picture of, and the two notes that belong to it."""

from __future__ import annotations

from app import depth
from app.engine_texts import told
from app.messages import Text, msg
from app.panes import _grid_state as st
from app.panes._grid_state import State
from app.scene import Button, Card, Choice, Column, Entry, Field, Form, Node, Number, Passage, Prose, Span

SOURCES: tuple[tuple[str, Text], ...] = (
    (st.SCHEMATIC, msg("Schematic")),
    (st.FOUR, msg("Live: the four shipped models")),
    (st.OPEN, msg("Live: the open checkpoint")),
)
SHOWS: tuple[tuple[str, Text], ...] = (
    (st.ALL, msg("All four on one clock")),
    *st.NAMES.items(),
)
SCENARIOS: tuple[tuple[str, Text], ...] = (
    ("sentence", msg("sentence: one halts at once")),
    ("fresh", msg("fresh: all halt at step 2")),
    ("hesitant", msg("hesitant: none halts in 12 steps")),
    ("two-position", msg("two positions, repeated")),
)
STATES: tuple[tuple[str, Text], ...] = (("listing2", msg("goes on")), ("frozen", msg("frozen")))
COLOURS: tuple[tuple[str, Text], ...] = (("update", msg("update")), ("cosine", msg("cosine")))
QUOTE = "Parameters are tied across positions and time steps"
"""The label inside the paper's figure 1, as it is printed."""


def left(state: State) -> tuple[Node, ...]:
    return controls(state), notes(state)


def controls(state: State) -> Card:
    fields: list[tuple[Field, ...]] = [
        (Choice("grid.source", msg("Source"), "grid.source", SOURCES, state.source),)
    ]
    if state.source != st.OPEN:
        fields.append((Choice("grid.show", msg("Show"), "grid.show", SHOWS, state.show),))
    if state.source == st.SCHEMATIC:
        fields += _schematic(state)
    else:
        fields += _live(state)
    rows = tuple(fields)
    if state.narrow:  # below each other they would fill the window
        flat = [field for row in fields for field in row]
        rows = tuple(tuple(flat[k : k + 2]) for k in range(0, len(flat), 2))
    parts: list[Node] = [Form("grid.form", rows)]
    if state.what:
        parts.append(Prose("grid.error", ((Span(told(state.what, state.do), "error"),),), "error"))
    return Card("grid.controls", msg("Controls"), Column("grid.controls.in", tuple(parts)))


def _schematic(state: State) -> list[tuple[Field, ...]]:
    m = Number("grid.m", msg("positions m"), "grid.m", state.m, 1, st.MOST_POSITIONS)
    layers = Number(
        "grid.depth", msg("layers N, steps T"), "grid.depth", state.depth, 1, st.MOST_DEPTH,
        tip=msg("N of the Transformer, T of the UT, the most steps of ACT"),
    )  # fmt: skip
    case = Choice("grid.scenario", msg("ACT scenario"), "grid.scenario", SCENARIOS, state.scenario)
    semantics = Choice(
        "grid.state", msg("Halted state"), "grid.state", STATES, state.state, "segments",
        tip=msg("goes on: as the paper's listing; frozen: as its section 2.2"),
    )  # fmt: skip
    debug = Button("grid.act", msg("Open in the ACT debugger"), "grid.act")
    return [(m,), (layers,), (case,), (semantics,), (debug,)]


def _live(state: State) -> list[tuple[Field, ...]]:
    colour = Choice("grid.colour", msg("Colour"), "grid.colour", COLOURS, state.colour, "segments",
                    tip=msg("relative update of the state, or its cosine to the final one"))  # fmt: skip
    if state.source == st.OPEN:
        return [(colour,)]
    bits = Entry("grid.bits", msg("Bits"), "grid.bits", state.bits, hint=msg("0 and 1, then Enter"))
    draw = Button("grid.random", msg("Other bits"), "grid.random")
    return [(bits,), (draw,), (colour,)]


# ---- notes ------------------------------------------------------------------------------------------------


def notes(state: State) -> Card:
    """Whether a model runs, what is halted, what T may be; the paper's label."""
    lines: list[tuple[Text, str]] = [(_kind(state), "fg")]
    shown = {one.model for one in st.shown(state)}
    if "act" in shown:
        lines.append((_halted(state), "fg"))
    if shown & {"ut", "act"}:
        after = msg(
            "T can be chosen after training only where the step signal is a formula. With tensor2tensor's "
            "learned table there is no row beyond the trained depth. The paper reports no run with more "
            "steps at test time."
        )
        lines += [(_signal(state), "fg")] if state.source == st.OPEN and state.live.config else []
        lines.append((after, "dim"))
    quote = msg("“{words}”: label inside the paper's figure 1 (not verified in the text).", words=QUOTE)
    lines.append((quote, "dim"))
    words = tuple(
        Passage(f"grid.note{k}", (Span(text, role),), "compact" if role == "fg" else "caption")
        for k, (text, role) in enumerate(lines)
    )
    return Card("grid.notes", msg("What is shown"), Column("grid.notes.in", words))


def _kind(state: State) -> Text:
    if state.source == st.SCHEMATIC:
        return msg("Schematic: who computes when. No model runs.")
    if state.source == st.FOUR:
        return msg(
            "Live: models trained on prefix parity run on your bits. A cell shows what the "
            "read-out would answer if the model stopped there; the line below the grid is the "
            "right answer."
        )
    return msg("Live: the open checkpoint's own run.")


def _halted(state: State) -> Text:
    one = next(one for one in st.shown(state) if one.model == "act")
    if one.grid.state == "frozen":
        return msg(
            "Frozen, as in section 2.2 of the paper: a halted position's state is copied. It "
            "costs no further work, and the others can still read it."
        )
    return msg(
        "Goes on, as in the paper's listing 2: every cell is computed; once a position has halted, its "
        "cells no longer count."
    )


def _signal(state: State) -> Text:
    """Whether this checkpoint's T can be chosen."""
    config = state.live.config
    if config.get("signal") == "learned":
        return msg("This checkpoint has a learned table: at most {n} steps.", n=depth.own_steps(config))
    if config.get("signal") == "none":
        return msg("This checkpoint has no step signal: T can be chosen.")
    return msg("This checkpoint's step signal is a formula: T can be chosen.")

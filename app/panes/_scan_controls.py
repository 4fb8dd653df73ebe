"""Controls of the prefix-parity pane: input, layer, position looked at."""

from __future__ import annotations

from app.messages import Text, msg
from app.panes import _scan_state as st
from app.panes._scan_learned import findings_card
from app.panes._scan_state import State
from app.parts import slider
from app.scene import (
    Button,
    Card,
    Choice,
    Column,
    Entry,
    Field,
    Form,
    Node,
    Prose,
    Span,
    Switch,
)
from ut_engine.scan import MOST_POSITIONS

OPERATORS = {
    "xor": msg("prefix parity (xor)"),
    "sum10": msg("running sum modulo 10"),
    "carry": msg("carry look-ahead"),
    "permutation": msg("permutations of five"),
}
HINTS: dict[str, Text] = {
    "xor": "10110…",
    "sum10": "31415…",
    "carry": "kpgk… 1011+0110",
    "permutation": "23451 21345 …",
}
QUOTE = (
    "for any given choice of depth T, one can construct an input sequence of length N > T that cannot be "
    "processed correctly by a standard Transformer."
)
"""The paper, appendix B, word for word."""


def controls(state: State) -> tuple[Node, ...]:
    """Input, layer and what is looked at, one card each."""
    cards: list[Node] = [Card("input.card", msg("Input"), _input(state))]
    if state.tab == st.LEARNED:
        cards.append(findings_card())
    else:
        cards += [Card("layer.card", msg("Layer"), _layer(state)), _frame()]
    return tuple(cards)


def _input(state: State) -> Column:
    parts: list[Node] = []
    rows: list[tuple[Field, ...]] = []
    if state.tab == st.HAND:
        options = tuple(OPERATORS.items())
        rows.append(
            (Choice("operator", msg("Operation"), "control.operator", options, state.operator, "bare"),)
        )
    xor = state.operator == st.XOR
    presets = tuple(Button(f"preset.{n}", msg("{n} random", n=n), "control.preset", n) for n in st.PRESETS)
    rows.append(presets)
    if xor:
        rows[-1] += (Button("preset.ones", msg("all ones"), "control.preset", "ones"),)
    most = MOST_POSITIONS if state.tab == st.HAND else st.MOST_LEARNED
    rows += [
        (slider("length", msg("length n"), "control.length", min(state.n, most), 1, most),),
        (slider("seed", msg("seed"), "control.seed", state.seed, 0, st.MOST_SEED, state.kind == st.RANDOM),),
        (Entry("bits", msg("Symbols"), "control.bits", state.symbols, HINTS[state.operator]),),
    ]
    parts.append(Form("input.form", tuple(rows)))
    if state.what:
        parts.append(Prose("input.error", ((Span(state.what, "error"),),), "error"))
    return Column("input", tuple(parts))


def _layer(state: State) -> Form:
    modes = (("needed", msg("UT: as needed")), ("fixed", msg("fixed depth N")))
    mode = Choice(
        "mode",
        msg("Steps"),
        "control.mode",
        modes,
        "fixed" if state.depth else "needed",
        "segments",
        tip=msg(
            "as needed: the same layer, ⌈log₂ n⌉ times, as a Universal Transformer can; fixed: "
            "N, whatever the length"
        ),
    )
    depth = slider(
        "depth",
        msg("depth N"),
        "control.depth",
        state.depth or state.fixed,
        1,
        st.most_depth(state),
        bool(state.depth),
    )
    no_signal = Switch(
        "no_signal",
        msg("no step signal"),
        "control.no_signal",
        not state.signal,
        enabled=state.operator == st.XOR,
        tip=msg("The layer cannot know its step, so it always reads its left neighbour"),
    )
    look = slider("look", msg("position"), "control.look", state.place + 1, 1, state.n)
    return Form("layer.form", ((mode,), (depth,), (no_signal,), (look,)))


def _frame() -> Card:
    """What this shows and what it does not; the quotation is the paper's, word for word."""
    said = Span(
        msg(
            "A limit of this rule at a fixed depth, and of what training finds; not of all "
            "Transformers: constructions of constant depth are known for parity."
        )
    )
    quote = Span("“" + QUOTE + "”", slanted=True)
    source = Span(msg("The paper, appendix B; its argument assumes numbers of finite precision."), "dim")
    return Card("frame.card", msg("How far this goes"), Prose("frame", ((said,), (quote,), (source,))))

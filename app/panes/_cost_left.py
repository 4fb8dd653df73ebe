"""The calculator's controls: a preset, its sizes, and what of the work is counted."""

from __future__ import annotations

from app.messages import Text, msg
from app.panes import _cost_state as st
from app.panes._cost_state import State
from app.scene import Card, Choice, Column, Field, Form, Node, Number, Prose, Real, Span, Switch
from ut_engine.presets import PRESETS


def cards(state: State) -> tuple[Card, Card]:
    return _design(state), _counted(state)


def controls(state: State) -> Column:
    parts = *cards(state), Column("controls.rest", ())
    return Column("controls", parts, (0, 0, 1), scroll=True)


def filled(key: str, parts: tuple[Node, ...]) -> Column:
    """The parts at the top, whatever room there is."""
    return Column(key, (*parts, Column(f"{key}.rest", ())), (*(0 for _ in parts), 1))


def _design(state: State) -> Card:
    names: tuple[tuple[str, Text], ...] = tuple((name, one.title) for name, one in PRESETS.items())
    current = state.current
    options = names if current else (("", msg("your own")), *names)
    preset = Choice("cost.preset", msg("Preset"), "cost.preset", options, current)
    parts: list[Node] = [_form(preset), *_sizes(state), *_kind(state)]
    return Card("design.card", msg("Model"), filled("design", tuple(parts)))


def _sizes(state: State) -> list[Node]:
    design, asked = state.design, state.asked
    high = st.RANGES["d_model"][1]
    step = asked[1] if asked[0] % asked[1] == 0 else 1  # the slider goes from one fitting width to the next
    d = Real("cost.d_model", "d", "cost.d_model", asked[0], step if step > 1 else 1, high, step, 0,
             tip=msg("Width of a state; typed, or in steps of the number of heads"))  # fmt: skip
    heads = Number("cost.heads", msg("heads"), "cost.heads", asked[1], *st.RANGES["heads"],
                   tip=msg("They split d, so they do not change the counts"))  # fmt: skip
    link = Switch("cost.linked", msg("d_ff follows 4 d"), "cost.linked", state.linked)
    d_ff = Real("cost.d_ff", "d_ff", "cost.d_ff", design.d_ff, 64, st.RANGES["d_ff"][1], 64, 0,
                tip=msg("Inner width of the feed-forward network"))  # fmt: skip
    return [
        _form(d), *_wrong(state, "d_model"), _form(heads), *_wrong(state, "heads"), _form(d_ff), _form(link),
    ]  # fmt: skip


def _kind(state: State) -> list[Node]:
    design = state.design
    depth = Number("cost.depth", msg("steps T") if design.shared else msg("layers N"), "cost.depth",
                   design.depth, *st.RANGES["depth"])  # fmt: skip
    own = (("own", msg("own layers")), ("shared", msg("one shared")))
    sharing = Choice("cost.shared", msg("Layers"), "cost.shared", own, "shared" if design.shared else "own",
                     "segments")  # fmt: skip
    ends = (("both", msg("encoder + decoder")), ("encoder", msg("encoder")))
    sides = Choice("cost.sides", msg("Sides"), "cost.sides", ends, "both" if design.decoder else "encoder",
                   "segments")  # fmt: skip
    vocab = Real("cost.vocab", msg("vocabulary"), "cost.vocab", design.vocab, *st.RANGES["vocab"], 1000, 0,
                 slider=False, tip=msg("Rows of the one embedding table"))  # fmt: skip
    return [_form(depth), _form(sharing), _form(sides), _form(vocab)]


def _wrong(state: State, field: str) -> list[Node]:
    if state.wrong is None or state.wrong[0] != field:
        return []
    stays = msg("The figures are still of d = {d}, {heads} heads.", d=f"{state.design.d_model:,}",
                heads=state.design.heads)  # fmt: skip
    return [Prose(f"wrong.{field}", ((Span(state.wrong[1], "error"),), (Span(stays, "dim"),)), "error")]


def _counted(state: State) -> Card:
    """Switches that change the numbers, each with what it stands for on hover."""
    biases = Switch(
        "cost.biases", msg("attention biases"), "cost.biases", state.design.attention_bias,
        tip=msg("On q, k, v and output: the paper says affine, tensor2tensor has none"),
    )  # fmt: skip
    softmax = Switch(
        "cost.softmax", msg("softmax projection"), "cost.softmax", state.softmax,
        tip=msg("Work outside the blocks: the same for base and for a model of any depth"),
    )  # fmt: skip
    hoisted = Switch(
        "cost.hoisted", msg("cross K, V only once"), "cost.hoisted", state.hoisted,
        tip=msg("One shared layer reads the same encoder output at every step: keys and values can be kept"),
    )  # fmt: skip
    scores = Switch(
        "cost.scores", msg("scores at length"), "cost.scores", state.scores,
        tip=msg("Q K and A V: 2 L d a token, attention and step; they grow with the length L"),
    )  # fmt: skip
    length = Real("cost.length", "L", "cost.length", state.length, *st.RANGES["length"], 16, 0, slider=False,
                  enabled=state.scores, tip=msg("Tokens"))  # fmt: skip
    form = Form("counted.form", ((biases,), (softmax,), (hoisted,), (scores, length)))
    return Card("counted.card", msg("What counts"), form)


def _form(field: Field) -> Form:
    return Form(f"{field.key}.form", ((field,),))

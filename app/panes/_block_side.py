"""The column of words and numbers: what is looked at, its shape, its values in a real model; the sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from app.messages import Text, msg, nmsg
from app.panes import _block_parts as parts
from app.panes import _block_state as st
from app.panes._block_state import State
from app.scene import (
    Button,
    Card,
    Choice,
    Column,
    Equation,
    Field,
    Form,
    Node,
    Passage,
    Progress,
    Prose,
    Real,
    Sheet,
    Span,
    Table,
)

BADGE_NAMES = {"1": msg("1 weights"), "2": msg("2 coordinates"), "3": msg("3 transition")}
BADGE_LOOKS = {"1": "ut.self", "2": "ut.p", "3": "ut.tr"}
FIGURES = {
    "min": msg("min"), "mean": msg("mean"), "max": msg("max"), "norm": msg("length"), "std": msg("s.d."),
}  # fmt: skip
SHOWN_STEPS = 60  # rows of a run's values


def controls(state: State) -> tuple[Field, ...]:
    """Which block is drawn."""
    sides = ((st.ENCODER, msg("Encoder")), (st.DECODER, msg("Decoder")))
    norms = ((st.POST, msg("post-norm (paper)")), (st.PRE, msg("pre-norm (T2T)")))
    kinds = ((st.FEED_FORWARD, msg("feed-forward")), (st.SEPARABLE, msg("separable convolution")))
    feeds = ((st.FORCED, msg("training")), (st.OWN, msg("generating")))
    return (
        Choice("side", msg("Side"), "control.side", sides, state.side, "segments"),
        Choice("norm", msg("LayerNorm"), "control.norm", norms, state.norm, "segments",
               tip=msg("tensor2tensor's order is what most checkpoints have")),
        Choice("transition", msg("Transition"), "control.transition", kinds, state.transition, "segments"),
        Choice("feed", msg("Decoder input"), "control.feed", feeds, state.feed, "segments", state.decoder,
               tip=msg("What the decoder reads at the bottom")),
    )  # fmt: skip


def sizes(state: State) -> Card:
    """The current configuration; every shape and count follows it."""
    presets: list[tuple[str, Text]] = [
        ("base", msg("Transformer base, UT small")), ("ut-base", msg("UT base, Transformer big")),
    ]  # fmt: skip
    if state.config:
        presets.append(("open", state.name))
    presets.append(("", msg("own sizes")))
    names: dict[str, Text] = {
        "d": "d", "heads": msg("heads"), "d_ff": "d_ff", "m": msg("positions m"), "batch": msg("batch B"),
        "steps": msg("steps T, layers N"),
    }  # fmt: skip
    fields = [
        Real(f"size.{name}", text, f"size.{name}", getattr(state, name), least, most, 1.0, 0, slider=False)
        for (name, text), (least, most) in zip(names.items(), st.LIMITS.values(), strict=True)
    ]
    chosen = Choice("preset", msg("Sizes"), "control.preset", tuple(presets), state.preset, "bare")
    across = 1 if st.SINGLE <= state.width < st.NARROW else 2
    rows = (tuple(fields[k : k + across]) for k in range(0, len(fields), across))
    form = Form("sizes.form", ((chosen,), *rows))
    body: list[Node] = [form]
    if state.wrong:
        body.append(Prose("sizes.wrong", ((Span(state.wrong, "error"),),), "error"))
    return Card("sizes", msg("Sizes"), Column("sizes.column", tuple(body)))


# ---- what is looked at ------------------------------------------------------------------------------------


def detail(state: State) -> Card:
    """The part chosen: which it is, what is different about it, its shape, its values."""
    part = parts.PARTS[state.part]
    body: list[Node] = [_differences(state), *_words(state)]
    if part.formulas or state.part == "tr":
        body.append(_formulas(state))
    if part.shape:
        body.append(_shape(state))
        if not _rows(state):
            body.append(_overview(state))
    elif part.inner or state.part in parts.BOXES:
        body.append(_inside(state))
    body += _values(state)
    title = named(state.part, state)
    which: Text = msg("of step t") if state.diagram == st.UT else msg("of layer l")
    if part.badge:
        title, which = msg("Difference {n}", n=part.badge), title
    stretch = (*(0 for _ in body), 1)
    wide = state.width >= st.NARROW  # else the whole side is scrolled
    filled = Column("detail.column", (*body, Column("detail.rest", ())), stretch, scroll=wide)
    return Card("detail", title, filled, which)


def plain(text: str) -> str:
    """Raised and lowered letters as signs, for where nothing is raised: X^{t} -> Xᵗ."""
    raised = {"^{t-1}": "ᵗ⁻¹", "^{l-1}": "ˡ⁻¹", "^{t}": "ᵗ", "^{l}": "ˡ", "^{T}": "ᵀ", "^{N}": "ᴺ"}
    for marked, sign in raised.items():
        text = text.replace(marked, sign)
    return text.replace("_{enc}", " (enc)").replace("_{ff}", "_ff")


def _differences(state: State) -> Form:
    """The three differences by keyboard and mouse."""
    buttons = [Button(f"difference.{n}", BADGE_NAMES[n], "look", look) for n, look in BADGE_LOOKS.items()]
    narrow = st.SINGLE <= state.width < st.NARROW
    return Form("differences", tuple((one,) for one in buttons) if narrow else (tuple(buttons),))


def _words(state: State) -> list[Passage]:
    part = parts.PARTS[state.part]
    texts: list[Text] = [part.text] if part.text else []
    if part.badge:
        texts = [*parts.difference(part.badge, state)] + ([] if part.badge == "3" else texts)
    if state.part == "cross":
        texts.append(parts.crossing(state.diagram))
    if state.part == "feed":
        texts = [*parts.feeding(state)]
    if state.part == "next" and state.norm == st.PRE:
        texts.append(msg("With LayerNorm in front, one more LayerNorm follows the last step."))
    if state.part == "p" and state.diagram == st.LAYER:
        texts.append(msg("A Transformer has the position's part only."))
    return [Passage(f"detail.words.{k}", (Span(text),), "compact") for k, text in enumerate(texts)]


def _formulas(state: State) -> Equation:
    names = parts.PARTS[state.part].formulas
    if state.part == "tr":
        convolved = state.transition == st.SEPARABLE and state.diagram == st.UT
        names = ("transition-separable",) if convolved else ("transition-feed-forward",)
    if state.part == "self" and state.decoder:
        names = ("attention",)
    return Equation("detail.formulas", names, alt=msg("Formulas of this part"))


def _shape(state: State) -> Table:
    letters, numbers = parts.shape(state.part, state)
    rows: tuple[tuple[Text, Text], ...] = (
        (msg("shape"), plain(" × ".join(letters))),
        (msg("here"), " × ".join(f"{n:,}" for n in numbers)),
        (msg("elements"), f"{math.prod(numbers):,}"),
    )
    inside = parts.PARTS[state.part].within
    if inside:
        rows = ((msg("inside"), parts.written(inside, state.diagram, state)), *rows)
    return Table("detail.shape", rows, alt=msg("shape of the selected tensor"))


def _overview(state: State) -> Sheet:
    """All tensors of the diagram, with their shapes."""
    names = [look for look in parts.known(state) if look.startswith(f"{state.diagram}.")]
    names = [look for look in names if look.partition(".")[2] in parts.TENSORS and not look.endswith(".feed")]
    rows = tuple(
        (Span(named(look.partition(".")[2], state)), _letters(look.partition(".")[2], state))
        for look in names
    )
    current = names.index(state.look) if state.look in names else None
    columns = (msg("all tensors"), msg("shape"))
    alt = msg("all tensors of this diagram")
    return Sheet("detail.all", columns, rows, current, "look", tuple(names), alt)


def named(name: str, state: State) -> Text:
    """A part's name where nothing is raised or lowered."""
    found = parts.written(name, state.diagram, state)
    return plain(found) if isinstance(found, str) else found


def _letters(name: str, state: State) -> Span:
    return Span(plain(" × ".join(parts.shape(name, state)[0])), mono=True)


def _inside(state: State) -> Node:
    """What a box computes on the way, each to be looked at; and what it has learned."""
    part = parts.PARTS[state.part]
    found: list[Node] = []
    if part.inner:
        rows = [(Span(named(name, state)), _letters(name, state)) for name in part.inner]
        values = tuple(f"{state.diagram}.{name}" for name in part.inner)
        columns = (msg("tensor inside"), msg("shape"))
        found.append(Sheet("detail.inner", columns, tuple(rows), None, "look", values,
                           msg("tensors inside this part")))  # fmt: skip
    kind = state.transition if state.diagram == st.UT else st.FEED_FORWARD
    name = "norm" if state.part.startswith("norm") else state.part
    count = st.counts(st.design_of(state, kind))[f"{state.side} {name}"]
    told = msg("once for all steps") if state.diagram == st.UT else msg("in every layer")
    row = (msg("parameters"), msg("{n}, {how}", n=f"{count:,}", how=told))
    found.append(Table("detail.count", (row,), alt=msg("parameters of this part")))
    return Column("detail.inside", tuple(found))


# ---- values -----------------------------------------------------------------------------------------------


def _values(state: State) -> list[Node]:
    """Values of a real model: measured, being measured, or a button that asks for them."""
    if state.waiting:
        label = msg("Measuring {name}", name=state.of)
        bar = Progress("values.progress", label, state.done, state.total, msg("measuring the values"))
        stop = Button("values.cancel", msg("Cancel"), "values.cancel")
        return [bar, Form("values.stop", ((stop,),))]
    if state.what:
        error = Prose("values.error", ((Span(state.what, "error"),),), "error")
        return [error, _ask(state)]
    if state.values is None:
        return [_ask(state)]
    side, rows = st.measured(state), _rows(state)
    return _absent(state) if side is None or not rows else _measured(state, side, rows)


def _rows(state: State) -> Sequence[Sequence[float]]:
    """The measured values of the part looked at, a row a step; () where there are none."""
    side = st.measured(state)
    found: Sequence[Sequence[float]] = () if side is None else side["tensors"].get(state.part, ())
    return found


def _ask(state: State) -> Form:
    name = state.name or st.SHIPPED
    label = msg("Show the values in {name}", name=name)
    tip = msg("Runs this checkpoint on a sample input and reads the values inside its block")
    return Form("values.ask", ((Button("values.measure", label, "values.measure", tip=tip),),))


def _measured(state: State, side: Mapping[str, Any], rows: Sequence[Sequence[float]]) -> list[Node]:
    assert state.values is not None
    figures = state.values["figures"]
    t = msg("step") if state.diagram == st.UT else msg("layer")
    shown = [
        (Span(str(k), mono=True), *(Span(short(value), mono=True) for value in row))
        for k, row in enumerate(rows[:SHOWN_STEPS], 1)
    ]
    count = nmsg("{n} position", "{n} positions", int(side["positions"]))
    head = msg("Measured in {name}, {count}", name=state.values["name"], count=count)
    lines: list[tuple[Span, ...]] = [(Span(head, "dim"),)]
    if len(rows) > SHOWN_STEPS:
        lines.append((Span(msg("The first {n} of {m} steps.", n=SHOWN_STEPS, m=len(rows)), "dim"),))
    broken = next((k for k, row in enumerate(rows, 1) if not all(map(math.isfinite, row))), None)
    if broken is not None:
        lines.append((Span(_no_numbers(state, broken), "error"),))
    if state.values["config"]["norm"] != state.norm:
        lines.append((Span(_other_norm(state), "warning"),))
    columns = (t, *(FIGURES[name] for name in figures))
    table = Sheet("values.table", columns, tuple(shown), alt=msg("values by step"))
    return [Prose("values.head", tuple(lines)), table, _again(state)]


def _no_numbers(state: State, k: int) -> Text:
    if state.diagram == st.UT:
        return msg("No numbers (NaN or infinity) from step {k} on.", k=k)
    return msg("No numbers (NaN or infinity) from layer {k} on.", k=k)


def _again(state: State) -> Form:
    fits = Button("values.fit", msg("Show this model's block and sizes"), "values.fit")
    return Form("values.again", ((fits,),))


def _other_norm(state: State) -> Text:
    assert state.values is not None
    norm = state.values["config"]["norm"]
    if norm == "none":
        return msg("This model has no LayerNorm in its block.")
    words = {st.POST: msg("post-norm"), st.PRE: msg("pre-norm")}
    return msg("This model is {norm}, and its values were measured in that order.", norm=words[norm])


def _absent(state: State) -> list[Node]:
    """Measured, but not this."""
    assert state.values is not None
    if state.part in parts.BOXES or state.part in ("feed", "enc"):
        return []
    name = state.values["name"]
    if st.measured(state) is not None:
        text = msg("{name} has no such tensor.", name=name)
    elif state.decoder and "decoder" not in state.values["sides"]:
        text = msg("{name} is an encoder only.", name=name)
    elif state.diagram == st.UT:
        text = msg("{name} is a Transformer: its values are in the other diagram.", name=name)
    else:
        text = msg("{name} is a Universal Transformer: its values are in the other diagram.", name=name)
    return [Prose("values.absent", ((Span(text, "dim"),),))]


def short(value: float) -> str:
    """Three figures, as wide as a column of the table; "–" where there is no number."""
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    if value == 0:
        return "0"
    if size >= 1e5 or size < 1e-3:
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e").replace("-", "−")
    text = f"{value:.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"
    return (text if size >= 0.1 else f"{value:.3f}").replace("-", "−")

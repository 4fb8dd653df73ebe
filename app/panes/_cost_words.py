"""What the calculator says: why the two come apart, the width, BERT and ALBERT, the real module."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.engine_texts import told
from app.messages import Text, msg
from app.panes import _cost_state as st
from app.panes._cost_figures import KINDS, of_base, times, whole
from app.panes._cost_state import Check, State
from app.scene import (
    Amount,
    Amounts,
    Button,
    Field,
    Form,
    Line,
    Node,
    Plot,
    Progress,
    Prose,
    Rule,
    Scale,
    Span,
)
from ut_engine.cost import Cost, Switches, Width, macs, solve_width
from ut_engine.design import parameters
from ut_engine.errors import UserError
from ut_engine.presets import PRESETS

NAMES: dict[str, Text] = {"why": msg("The reason"), "width": msg("Width"), "albert": "ALBERT"}
HEADS = (8, 16)  # of base and big: what a width found should split into


def prose(key: str, *lines: Text | tuple[Span, ...], style: str = "body") -> Prose:
    made = tuple(line if isinstance(line, tuple) else (Span(line),) for line in lines)
    return Prose(key, made, style)


# ---- why --------------------------------------------------------------------------------------------------


def why(state: State) -> tuple[Node, ...]:
    """The story's own four models explain it; every number is counted as the switches say."""
    base, ut, big = (st.cost_of(name, state) for name in ("transformer-base", "ut-base", "transformer-big"))
    ratio, work = f"{big.parameters / ut.parameters:.2f}", times(big.macs_per_token / ut.macs_per_token)
    if ut.macs_per_token == big.macs_per_token:
        first = msg("Big has {r} times UT base's parameters at the same work.", r=ratio)
    else:
        first = msg("Big has {r} times UT base's parameters at {q} times its work.", r=ratio, q=work)
    matrices = msg(
        "Doubling d and d_ff makes each matrix 4 times larger; sharing divides the layers by "
        "{n}. So UT base's blocks have {b} of base's parameters, while the work, {n} steps of "
        "it, is {q} times base's.",
        n=base.design.depth, b=f"{ut.block_parameters / base.block_parameters:.3f}", q=times(ut.ratio_macs),
    )  # fmt: skip
    table = msg(
        "The paper's table 7 says all base results have the same number of parameters; tensor2tensor's "
        "comment gives similar capacity as its reason for widening. Counted, UT base has {r} times base's.",
        r=times(ut.ratio_parameters),
    )  # fmt: skip
    limits = msg(
        "The same work with more parameters usually wins when work is the limit; sharing pays when "
        "parameters are."
    )  # fmt: skip
    return (
        Prose("why.big", ((Span(first, bold=True),),)),
        prose("why.matrices", matrices),
        prose("why.table", table),
        prose("why.limits", limits),
    )


# ---- the width --------------------------------------------------------------------------------------------


def width(state: State) -> tuple[Node, ...]:
    """The width at which one shared layer has base's parameters: equation, root, and what divides it."""
    try:
        found = solve_width(replace(state.design, shared=True))
    except UserError as error:
        return (prose("width.none", told(error.what, error.do), style="error"),)
    missing = [str(heads) for heads in HEADS if found.width % heads]
    equation = found.equation.replace("^2", "²").replace(" d", " d")
    lines: list[Node] = [
        prose("width.head", msg("One shared layer with d_ff = 4 d has base's parameters where")),
        Prose("width.equation", ((Span(equation, "accent", mono=True),),)),
        prose("width.root", msg("d = {root}, rounded {d}: {n} parameters, {e} against base.",
                                root=f"{found.root:.2f}", d=found.width, n=whole(found.parameters),
                                e=f"{found.excess:+,}".replace("-", "−"))),
        prose("width.heads", _split(found, missing)),
        _curve(state, found),
        Form("width.use", ((*(_use(width) for width in dict.fromkeys((found.width, *found.nearest))),),)),
    ]  # fmt: skip
    return tuple(lines)


def _split(found: Width, missing: list[str]) -> Text:
    names = ", ".join(map(str, found.divisors[:8])) + (", …" if len(found.divisors) > 8 else "")
    if len(missing) == len(HEADS):
        return msg(
            "{d} splits into neither {a} nor {b} heads, only into {names}; the nearest that fit the heads "
            "chosen are {below} and {above}.",
            d=found.width, a=HEADS[0], b=HEADS[1], names=names, below=found.nearest[0],
            above=found.nearest[1],
        )  # fmt: skip
    return msg("{d} splits into {names} heads.", d=found.width, names=names)


def _use(width: int) -> Button:
    return Button(f"cost.use.{width}", msg("use d = {d}", d=width), "cost.use", width)


def _curve(state: State, found: Width) -> Plot:
    """Parameters of the shared model over its width, with base's number."""
    high = max(2 * found.root, 8.0)
    d = np.linspace(1, high, 60)
    y = found.a * d * d + found.b * d + found.c
    return Plot(
        "width.curve", (Line(msg("one shared layer"), d, y, "c1", width=2),), Scale("d", 0, high),
        Scale(msg("parameters"), 0, float(y[-1])),
        (Rule(msg("base"), found.target), Rule(f"{found.root:.2f}", found.root, True)),
        height=150, alt=msg("Parameters of one shared layer over its width; they reach base's at d = {root}",
                root=f"{found.root:.2f}"),
    )  # fmt: skip


# ---- BERT and ALBERT --------------------------------------------------------------------------------------


def albert(state: State) -> tuple[Node, ...]:
    """The same sharing in two published encoders, and the second saving that is no sharing."""
    bert, small = (st.preset_of(name, state) for name in st.ENCODERS)
    alone, paper = replace(bert, shared=True), replace(bert, vocab=small.vocab, pooler=False)
    costs = [st.counted(one, state.switches) for one in (bert, alone, small)]
    sharing = msg(
        "Sharing alone takes BERT base to about {a} M; the rest is the embedding, factorised through a width "
        "of {e}.", a=f"{costs[1].parameters / 1e6:.1f}", e=small.d_embedding,
    )  # fmt: skip
    named = msg(
        "With V = {v} and no pooler BERT base has {n}: the “108 M” of the ALBERT paper.",
        v=whole(small.vocab), n=whole(parameters(paper)),
    )  # fmt: skip
    work, other = costs[0].macs_per_token, costs[2].macs_per_token
    if work == other:
        stays = msg("The work of inference stays: {w} multiply-adds a token in both.", w=whole(work))
    else:
        stays = msg(
            "The work of inference: {w} multiply-adds a token, {q} in ALBERT.", w=whole(work), q=whole(other)
        )
    return (
        _encoders(costs), prose("albert.sharing", sharing), prose("albert.paper", named),
        prose("albert.work", stays),
    )  # fmt: skip


def _encoders(costs: list[Cost]) -> Amounts:
    names: tuple[Text, ...] = (PRESETS["bert-base"].title, msg("shared alone"), PRESETS["albert-base"].title)
    rows = []
    for name, one in zip(names, costs, strict=True):
        parts = tuple(
            (KINDS[k][0], float(n), KINDS[k][1]) for k, n in one.breakdown.items() if k in KINDS and n
        )
        ratio = times(one.parameters / costs[0].parameters)
        note: Text = "" if one is costs[0] else msg("{r} × BERT", r=ratio)
        rows.append(Amount(name, parts, whole(one.parameters), note=note))
    alt = msg("Parameters of BERT base, of BERT base with one shared layer, and of ALBERT base")
    return Amounts(
        "albert", tuple(rows), event="cost.preset", values=("bert-base", "", "albert-base"), alt=alt
    )


# ---- the real module --------------------------------------------------------------------------------------


def asked(state: State) -> Check | None:
    """The check of the very design on screen."""
    return state.check if state.check is not None and state.check.design == state.design else None


def check_tools(state: State) -> tuple[Field, ...]:
    found = asked(state)
    if not state.checkable or (found is not None and found.value is not None):
        return ()
    if found is not None and found.waits:
        return (Button("cost.cancel", msg("Cancel"), "cost.cancel"),)
    return (Button("cost.check", msg("Check with the real module"), "cost.check", style="primary"),)


def check(state: State) -> Node:
    """Our count beside what the engine's own module and torch's counter say of it."""
    found = asked(state)
    if not state.checkable:
        no = msg("The engine's own models have no BERT tables or pooler, so only the formula is shown.")
        return Prose("check.no", ((Span(no, "dim"),),), "readout")
    if found is None:
        said = msg("The engine builds this very model, without values, and counts with torch.")
        return Prose("check.note", ((Span(said, "dim"),),), "readout")
    if found.waits:
        waits = msg("The real module is built and run on {n} tokens …", n=st.CHECKED)
        return Progress("check.waits", waits, *found.done)
    return prose("check.failed", found.failed, style="error") if found.failed else _answer(found)


def _answer(found: Check) -> Prose:
    assert found.value is not None
    value, design = found.value, found.design
    length = int(value["length"])
    ours = length * macs(design, Switches(hoisted=True, length=length))
    scores = ours - length * macs(design, Switches(hoisted=True))
    ran = {"n": length, "s": whole(scores)}
    if not design.decoder:
        how = msg("of {n} tokens; {s} are attention scores", **ran)
    elif design.shared:
        how = msg("of {n} tokens a side, cross keys and values once; {s} are attention scores", **ran)
    else:
        how = msg("of {n} tokens a side; {s} are attention scores", **ran)
    lines = [
        *_equal(msg("parameters"), parameters(design), int(value["parameters"]), "sum(p.numel())"),
        *_equal(msg("multiply-adds"), ours, int(value["multiply_adds"]), "FLOPs / 2"),
        (Span(how, "dim"),),
    ]
    return Prose("check.answer", tuple(lines), "readout")


def _equal(name: Text, ours: int, theirs: int, what: str) -> list[tuple[Span, ...]]:
    sign, role = ("=", "ok") if ours == theirs else ("≠", "error")
    sides = Span(whole(ours), mono=True), Span(sign, role, bold=True), Span(whole(theirs), mono=True)
    lines: list[tuple[Span, ...]] = [(Span(name, "dim"), *sides, Span(what, "dim", mono=True))]
    if ours != theirs:
        off = f"{theirs - ours:+,}".replace("-", "−")
        lines.append((Span(msg("They differ by {n}.", n=off), "error"),))
    return lines


def sentence(state: State, name: Text) -> Text:
    now, base = state.cost, of_base(state)
    work = msg("multiply-adds a pair of tokens") if state.design.decoder else msg("multiply-adds a token")
    return msg(
        "{name}: {n} parameters, {r} times base's {b}; {w} {work}, {q} times base's",
        name=name, n=whole(now.parameters), r=times(now.ratio_parameters), b=whole(base.parameters),
        w=whole(now.macs_per_token), work=work, q=times(now.ratio_macs),
    )  # fmt: skip

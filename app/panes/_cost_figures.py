"""The calculator's figures: parameters against work, the breakdown, the published models in a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from app.ends import log_ends
from app.messages import Message, Text, msg
from app.panes import _cost_state as st
from app.panes._cost_state import State
from app.scene import Amount, Amounts, Line, Plot, Rule, Scale, Sheet, Span
from app.sorting import sorted_sheet
from ut_engine.cost import Cost, base_of
from ut_engine.presets import PAPER, PRESETS, VASWANI

Named = tuple[Text, str]  # what people call it, and its colour
KINDS: Mapping[str, Named] = {
    "embedding": (msg("embedding"), "c1"),
    "attention": (msg("attention"), "c2"),
    "feed-forward": (msg("feed-forward"), "c3"),
    "norms": (msg("LayerNorms"), "c4"),
    "biases": (msg("biases"), "c5"),
    "other": (msg("pooler"), "c6"),
}
WORK: Mapping[str, Named] = {
    "attention": (msg("attention"), "c2"),
    "feed-forward": (msg("feed-forward"), "c3"),
    "scores": (msg("attention scores"), "c4"),
    "softmax": (msg("softmax projection"), "c1"),
}
USES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # multiply-adds a parameter, of the lines in the scatter


def whole(count: int) -> str:
    return f"{count:,}"


def times(ratio: float) -> str:
    """A ratio to base in few digits: 4, 1.067, 0.417; one that would be written as 0 in two that count."""
    if 0 < ratio < 5e-4:
        return f"{ratio:.2g}"
    if ratio >= 1000:
        return f"{ratio:,.0f}"
    return f"{ratio:.4g}" if ratio >= 100 else f"{ratio:.3f}".rstrip("0").rstrip(".")


def unit(state: State) -> Message:
    """What the work is counted per."""
    return msg("a pair of tokens") if state.design.decoder else msg("a token")


def of_base(state: State) -> Cost:
    """Transformer base counted the same way."""
    return st.counted(base_of(state.design), state.switches)


# ---- the scatter ------------------------------------------------------------------------------------------


def scatter(state: State) -> Plot:
    """Each published model as a point, the one on screen as another; diagonals of equal use."""
    base, now = of_base(state), state.cost
    lines = [_points(state, *group) for group in _groups(state)]
    place = np.array([now.macs_per_token], np.float64), np.array([now.parameters], np.float64)
    label = "" if state.current else msg("yours")  # a published one is named already
    lines.append(
        Line(msg("on screen"), *place, "fg", "points", labels=(label,), tips=(_tip(now),), sign="diamond")
    )
    x, y = (log_ends(one for line in lines for one in axis(line)) for axis in (_x, _y))
    rules = (
        Rule(msg("base's parameters"), base.parameters), Rule(msg("base's work"), base.macs_per_token, True),
    )  # fmt: skip
    return Plot(
        "scatter", (*_uses(x, y), *lines),
        Scale(msg("multiply-adds of {unit}", unit=unit(state)), *x, log=True),
        Scale(msg("parameters"), *y, log=True), rules,
        ids=tuple(str(k) for k in range(-len(_uses(x, y)), len(lines))),
        point_event="cost.point", alt=_alt(state),
    )  # fmt: skip


def _groups(state: State) -> list[tuple[Text, tuple[str, ...], str, str]]:
    """(name, presets, colour, sign) of the published points."""
    groups: list[tuple[Text, tuple[str, ...], str, str]] = [
        (msg("Universal Transformers, table 7"), _story(PAPER), "c1", "ring"),
        ("Vaswani et al. 2017", _story(VASWANI), "c2", "square"),
    ]
    if not state.design.decoder:
        groups.append((msg("encoder only, a token"), st.ENCODERS, "c3", "dot"))
    return groups


def pointed(state: State, value: tuple[str, int]) -> str:
    """The preset behind a point of the scatter, "" for the one on screen."""
    group, index = int(value[0]), int(value[1])
    groups = _groups(state)
    names = groups[group][1] if 0 <= group < len(groups) else ()
    return names[index] if index < len(names) else ""


def _story(source: str) -> tuple[str, ...]:
    return tuple(name for name in st.STORY if PRESETS[name].source == source)


def _points(state: State, name: Text, presets: tuple[str, ...], role: str, sign: str) -> Line:
    costs = [st.cost_of(one, state) for one in presets]
    labels = []
    for one in presets:
        bleu = PRESETS[one].bleu
        labels.append(PRESETS[one].title if bleu is None else f"{PRESETS[one].title} · {bleu:.1f}")
    return Line(
        name, np.array([one.macs_per_token for one in costs], np.float64),
        np.array([one.parameters for one in costs], np.float64), role, "points", labels=tuple(labels),
        tips=tuple(map(_tip, costs)), sign=sign,
    )  # fmt: skip


def _tip(one: Cost) -> Message:
    return msg(
        "{n} parameters, {r} × base\n{w} multiply-adds, {q} × base",
        n=whole(one.parameters), r=times(one.ratio_parameters), w=whole(one.macs_per_token),
        q=times(one.ratio_macs),
    )  # fmt: skip


def _x(line: Line) -> list[float]:
    return [float(one) for one in line.x]


def _y(line: Line) -> list[float]:
    return [float(one) for one in line.y]


def _uses(x: tuple[float, float], y: tuple[float, float]) -> tuple[Line, ...]:
    """Lines on which every parameter is used equally often a token: work = k x parameters."""
    lines = []
    for k in USES:
        low, high = max(x[0], k * y[0]), min(x[1], k * y[1])
        if high < low * 1.5:
            continue
        ends = np.array([low, high])
        word = msg("{k} a parameter", k=f"{k:g}") if k != 1 else msg("1 multiply-add a parameter")
        lines.append(Line("", ends, ends / k, "faint", "dashed", labels=("", word), width=1, quiet=True))
    return tuple(lines)


def _alt(state: State) -> Message:
    now = state.cost
    return msg(
        "Parameters against multiply-adds, log axes: {name} has {r} of base's parameters, {q} of its work",
        name=title(state), r=times(now.ratio_parameters), q=times(now.ratio_macs),
    )  # fmt: skip


def title(state: State) -> Text:
    return PRESETS[state.current].title if state.current else msg("your own model")


# ---- bars -------------------------------------------------------------------------------------------------


def breakdown(state: State) -> Amounts:
    """Where the parameters are, against base."""
    alt = msg("Parameters of {name} by kind, beside those of Transformer base", name=title(state))
    return _bars("breakdown", KINDS, state.cost.breakdown, of_base(state).breakdown, alt)


def work(state: State) -> Amounts:
    """Where the multiply-adds are, against base."""
    alt = msg("Multiply-adds of {name} by kind, beside those of Transformer base", name=title(state))
    bars = _bars("work", WORK, state.cost.macs, of_base(state).macs, alt)
    return replace(bars, heads=((0, msg("Multiply-adds of {unit}", unit=unit(state))),))


def _bars(
    key: str, kinds: Mapping[str, Named], mine: Mapping[str, int], base: Mapping[str, int], alt: Message
) -> Amounts:
    shown = [kind for kind in kinds if mine[kind] or base[kind]]
    totals = [sum(counts[kind] for kind in shown) for counts in (mine, base)]
    parts = [
        tuple((kinds[kind][0], float(counts[kind]), kinds[kind][1]) for kind in shown)
        for counts in (mine, base)
    ]
    rows = [
        Amount(msg("on screen"), parts[0], whole(totals[0]), note=_note(*totals), strong=True),
        Amount(msg("base"), parts[1], whole(totals[1])),
    ]
    for kind in shown:
        name, role = kinds[kind]
        part = ((name, float(mine[kind]), role),)
        rows.append(Amount(name, part, whole(mine[kind]), note=_note(mine[kind], base[kind])))
    return Amounts(key, tuple(rows), legend=False, alt=alt)


def _note(count: int, base: int) -> Text:
    return msg("{r} × base", r=times(count / base)) if base else ""


# ---- the published models ---------------------------------------------------------------------------------


def table(state: State) -> Sheet:
    """The published models, and one's own where it is none of them; a click takes one up."""
    times_base = msg("× base")
    columns: tuple[Text, ...] = (
        msg("model"), msg("parameters"), times_base, msg("multiply-adds"), times_base, "BLEU",
    )  # fmt: skip
    current, rows = state.current, []
    for name in st.STORY:
        one = PRESETS[name]
        bleu = f"{one.bleu:.1f}" + (" ¹" if one.source == PAPER else " ²")
        rows.append(_row(one.title, st.cost_of(name, state), bleu))
    if current not in st.STORY:
        rows.append(_row(title(state), state.cost, "–"))
    place = st.STORY.index(current) if current in st.STORY else len(rows) - 1
    made = Sheet(
        "presets", columns, tuple(rows), place, "cost.preset", (*st.STORY, current)[: len(rows)],
        alt=msg("published models and the one on screen: parameters, work and BLEU"),
    )  # fmt: skip
    return sorted_sheet(made, state.sort, "cost.sort")


def _row(name: Text, one: Cost, bleu: str) -> tuple[Span, ...]:
    cells = (
        whole(one.parameters),
        times(one.ratio_parameters),
        whole(one.macs_per_token),
        times(one.ratio_macs),
    )
    return tuple(Span(text) for text in (name, *cells, bleu))

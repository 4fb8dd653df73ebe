"""The two diagrams: the same parts at the same heights, so that what one lacks is a gap in it."""

from __future__ import annotations

from itertools import pairwise

from app.messages import Text, msg
from app.panes import _block_parts as parts
from app.panes import _block_state as st
from app.panes._block_state import State
from app.scene import Box, Equation, Graph, Wire

MIDDLE, LEFT, RIGHT, LOOP = 205.0, 88.0, 341.0, 414.0  # columns: flow, residual, inputs, way back
WIDTH = 446.0
HIGH = {"tensor": 29.0, "sum": 22.0, "box": 35.0}
WIDE = {"tensor": 92.0, "sum": 22.0, "box": 172.0}
GAP, CLOSE, HEAD, EDGE = 15.0, 11.5, 26.0, 5.0  # CLOSE: between the many parts of a decoder

ORDERS = {
    (st.ENCODER, st.POST): ("h", "plus", "x", "self", "sum1", "norm1", "a", "tr", "sum2", "norm2", "next"),
    (st.ENCODER, st.PRE): ("h", "plus", "x", "norm1", "self", "sum1", "a", "norm2", "tr", "sum2", "next"),
    (st.DECODER, st.POST): ("h", "plus", "x", "self", "sum1", "norm1", "a", "cross", "sumc", "normc", "b",
                            "tr", "sum2", "norm2", "next"),
    (st.DECODER, st.PRE): ("h", "plus", "x", "norm1", "self", "sum1", "a", "normc", "cross", "sumc", "b",
                           "norm2", "tr", "sum2", "next"),
}  # fmt: skip
"""Parts from the bottom up."""
ROLES = {"self": "c1", "cross": "c1", "tr": "c2", "norm1": "dim", "norm2": "dim", "normc": "dim"}


def diagram(state: State, which: str) -> Graph:
    """which: "ut" or "tf"."""
    order = ORDERS[state.side, state.norm]
    places, height = heights(order)
    boxes = [_frame(which, places, gap_of(order))]
    boxes += [_box(state, which, name, places[name]) for name in order if which == st.UT or name != "x"]
    boxes += _inputs(state, which, places)
    current = state.part if state.diagram == which else ""
    current = parts.PARTS[current].within or current if current else ""
    return Graph(
        f"{which}.graph",
        tuple(boxes),
        (*_flow(which, order), *_residuals(state, which, places), *_sides(state, which, places)),
        WIDTH,
        height,
        f"{which}.{current}" if current else "",
        "look",
        _alt(state, which),
    )


def heights(order: tuple[str, ...]) -> tuple[dict[str, float], float]:
    """(y of every part's middle, height of the whole), from the top down."""
    gap = gap_of(order)
    y, places = EDGE, {}
    for name in reversed(order):
        high = HIGH[style_of(name)]
        if name == order[-2]:
            y += HEAD - gap / 2 + (GAP - gap)  # the frame's name stands there
        places[name] = y + high / 2
        y += high + gap
    return places, y - gap + EDGE


def gap_of(order: tuple[str, ...]) -> float:
    return CLOSE if len(order) > 12 else GAP


def style_of(name: str) -> str:
    if name in parts.BOXES:
        return "box"
    return "tensor" if name in parts.TENSORS else "sum"


def _box(state: State, which: str, name: str, y: float) -> Box:
    style = style_of(name)
    if name == "plus" and which == st.LAYER:  # where the residual branch leaves
        return Box(f"{which}.{name}", "", MIDDLE, y, 5, 5, "sum")
    if style == "sum":
        return Box(f"{which}.{name}", "+", MIDDLE, y, WIDE[style], HIGH[style], style)
    part = parts.PARTS[name]
    return Box(
        f"{which}.{name}", parts.symbol(name, which, state), MIDDLE, y, WIDE[style], HIGH[style], style,
        ROLES.get(name, "accent"), _note(state, which, name), part.badge, f"{which}.{name}", part.text,
    )  # fmt: skip


def _note(state: State, which: str, name: str) -> Text:
    """Which transition it is, where there is room."""
    if name != "tr" or which != st.UT:
        return ""
    return msg("separable convolution") if state.transition == st.SEPARABLE else msg("feed-forward")


def _frame(which: str, places: dict[str, float], gap: float) -> Box:
    """Around one round of the block."""
    top = places["next"] + HIGH["tensor"] / 2 + gap * 0.6
    bottom = places["h"] - HIGH["tensor"] / 2 - gap * 0.5
    name = msg("same weights") if which == st.UT else msg("own weights")
    left, right = LEFT - 44, RIGHT + 43
    middle, wide = (left + right) / 2, right - left
    return Box(f"{which}.frame", name, middle, (top + bottom) / 2, wide, bottom - top, "frame",
               "accent" if which == st.UT else "dim")  # fmt: skip


def _inputs(state: State, which: str, places: dict[str, float]) -> list[Box]:
    """What comes in from the side."""
    at = places["plus"] if which == st.UT else places["h"]
    tip = parts.PARTS["p"].text
    found = [
        Box(f"{which}.p", parts.symbol("p", which, state), RIGHT, at, 62, HIGH["tensor"], "tensor", badge="2",
            value=f"{which}.p", tip=tip)
    ]  # fmt: skip
    if state.decoder:
        symbol, tip = parts.symbol("enc", which, state), parts.PARTS["enc"].text
        found.append(Box(f"{which}.enc", symbol, RIGHT, places["cross"], 74, HIGH["tensor"], "tensor",
                         value=f"{which}.enc", tip=tip))  # fmt: skip
        forced = state.feed == st.FORCED
        text = msg("right target,\nshifted by one") if forced else msg("its own\nsymbols so far")
        found.append(Box(f"{which}.feed", text, 70, places["h"], 130, 38, "box", "c3",
                         value=f"{which}.feed"))  # fmt: skip
    return found


def _flow(which: str, order: tuple[str, ...]) -> list[Wire]:
    names = [name for name in order if which == st.UT or name != "x"]
    return [
        Wire(f"{which}.{one}", f"{which}.{other}", arrow=not (which == st.LAYER and other == "plus"))
        for one, other in pairwise(names)
    ]


def _residuals(state: State, which: str, places: dict[str, float]) -> list[Wire]:
    first = "x" if which == st.UT else "plus"
    pairs = [(first, "sum1"), ("a", "sum2")]
    if state.decoder:
        pairs = [(first, "sum1"), ("a", "sumc"), ("b", "sum2")]
    return [
        Wire(f"{which}.{one}", f"{which}.{other}", through=((LEFT, places[one]), (LEFT, places[other])))
        for one, other in pairs
    ]


def _sides(state: State, which: str, places: dict[str, float]) -> list[Wire]:
    found = []
    if which == st.UT:
        back = ((LOOP, places["next"]), (LOOP, places["h"]))
        found.append(Wire("ut.p", "ut.plus", msg("every step"), role="accent"))
        found.append(Wire("ut.next", "ut.h", "t → t + 1", back, "accent", dashed=True))
    else:
        found.append(Wire("tf.p", "tf.h", msg("once"), dashed=True))
    if state.decoder:
        found += [Wire(f"{which}.enc", f"{which}.cross"), Wire(f"{which}.feed", f"{which}.h", dashed=True)]
    return found


def _alt(state: State, which: str) -> Text:
    """The diagram in one sentence."""
    name = msg("decoder") if state.decoder else msg("encoder")
    order = msg("LayerNorm after each sum") if state.norm == st.POST else msg("LayerNorm before each part")
    if which == st.UT:
        return msg("Diagram of the {side} at step t: coordinates are added, then attention, then the "
                   "transition, each with a residual branch; {order}; back to the start for the next step.",
                   side=name, order=order)  # fmt: skip
    return msg("Diagram of the {side}'s layer l: attention, then the feed-forward, each with a residual "
               "branch; {order}; positions are added only before the first layer.",
               side=name, order=order)  # fmt: skip


# ---- equations --------------------------------------------------------------------------------------------


def equations(state: State, which: str) -> Equation:
    """The same block as formulas; a click looks at the part each is about."""
    rows = _rows(state, which)
    looks = [f"{which}.{look}" for _, look, _ in rows]
    within = parts.PARTS[state.part].within or state.part
    here = looks.index(f"{which}.{within}") if f"{which}.{within}" in looks else None
    if here == 0 and rows[0][0] == "ut-start":  # H⁰ has no coordinates: they are added in the step
        here = 1
    return Equation(
        f"{which}.equations",
        tuple(name for name, _, _ in rows),
        badges=tuple(badge for _, _, badge in rows),
        current=here if state.diagram == which else None,
        event="look",
        values=tuple(looks),
        alt=msg("Equations of the step") if which == st.UT else msg("Equations of the layer"),
    )


def _rows(state: State, which: str) -> list[tuple[str, str, str]]:
    """(formula, what it is about, badge)."""
    start = "ut" if which == st.UT else "layer"
    side = "-decoder" if state.decoder else ""
    end = "" if state.norm == st.POST else "-pre"
    rows = []
    if which == st.LAYER:
        rows.append(("layer-input", "p", "2"))
    else:
        rows.append(("ut-input" if state.norm == st.PRE else "ut-start", "p", "2"))
    rows.append((f"{start}{side}-attention{end}", "self", "1"))
    if state.decoder:
        rows.append((f"{start}-decoder-cross{end}", "cross", ""))
    rows.append((f"{start}{side}-transition{end}", "tr", "3"))
    if state.norm == st.PRE:
        rows.append((f"{start}-output-pre", "next", ""))
    return rows

"""One block: the Universal Transformer's step t beside the Transformer's layer l, as diagrams and equations.

Three differences are marked; a click on any part explains it, with its shape and its values in a real model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.messages import Message, Text, msg
from app.pane import Effect, Event, Selection
from app.panes import _block_events as events
from app.panes import _block_graph as graph
from app.panes import _block_parts as parts
from app.panes import _block_side as side
from app.panes import _block_state as st
from app.panes._block_state import State
from app.panes.block import TITLE
from app.scene import Card, Column, Form, Node, Row, Scene
from app.timeline import Timeline
from app.view import whole

SHOWN: tuple[dict[str, str], ...] = (
    {"look": "ut.p"},
    {"norm": "pre", "look": "ut.x"},
    {"transition": "sepconv", "look": "ut.tr"},
    {"side": "decoder", "look": "ut.cross"},
    {"side": "decoder", "feed": "own", "norm": "pre", "look": "ut.feed", "m": "24"},
)
LARGEST: tuple[dict[str, str], ...] = (
    {"side": "decoder", "look": "tf.w", "d": "16384", "heads": "256", "d_ff": "65536", "m": "16384",
     "batch": "4096", "steps": "999"},
)  # fmt: skip


def initial() -> State:
    return State()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    return events.update(state, event)


def scene(state: State, selection: Selection) -> Scene:
    """What is drawn in a row at the top; explanation and sizes at the left; the two blocks side by side."""
    universal, layer = _card(state, st.UT), _card(state, st.LAYER)
    detail, sizes = side.detail(state), side.sizes(state)
    cards = (universal, layer)
    pair = Column("pair", cards) if state.width < st.STACKED else Row("pair", cards, (1, 1))
    if state.width < st.SINGLE:
        root: Node = Column("block", (_top(state), pair, detail, sizes), scroll=True)
        return Scene(root, TITLE, sentence(state))
    blocks = Column("blocks", (pair,), scroll=True)
    if state.width < st.NARROW:
        rest = Column("left.rest", ())
        left = Column("left", (detail, sizes, rest), (0, 0, 1), scroll=True)
    else:
        left = Column("left", (detail, sizes), (1, 0))
    body = Row("body", (left, blocks), (0, 1), (250 if state.width < st.NARROW else 316, 560), (True, False))
    return Scene(Column("block", (_top(state), body), (0, 1)), TITLE, sentence(state))


def _top(state: State) -> Row | Column:
    forms = [Form(f"{field.key}.form", ((field,),)) for field in side.controls(state)]
    if state.width < st.STACKED:
        return Column("top", tuple(forms))
    if state.width < st.NARROW:
        return Column("top", (Row("top.one", tuple(forms[:2])), Row("top.two", tuple(forms[2:]))))
    return Row("top", tuple(forms), (4, 6, 7, 5))


def _card(state: State, which: str) -> Card:
    universal = which == st.UT
    title = msg("Universal Transformer") if universal else msg("Transformer")
    name = msg("decoder") if state.decoder else msg("encoder")
    where = msg("{side}, step t", side=name) if universal else msg("{side}, layer l", side=name)
    body = Column(f"{which}.column", (graph.diagram(state, which), graph.equations(state, which)), (1, 0))
    return Card(f"{which}.card", title, body, where)


def timeline(state: State) -> Timeline | None:
    """A block has no steps of its own."""
    return None


def sentence(state: State) -> Message:
    """What is drawn, and what is looked at."""
    name = msg("decoder") if state.decoder else msg("encoder")
    norm = msg("LayerNorm after each sum") if state.norm == st.POST else msg("LayerNorm before each part")
    looked = side.named(state.part, state)
    return msg("The {side}'s step t of a Universal Transformer beside layer l of a Transformer, {norm}; "
               "looked at: {what}.", side=name, norm=norm, what=looked)  # fmt: skip


def caption(state: State) -> tuple[Text, ...]:
    """What stands under an exported picture."""
    kind = msg("separable convolution") if state.transition == st.SEPARABLE else msg("feed-forward")
    norm = msg("post-norm (paper)") if state.norm == st.POST else msg("pre-norm (T2T)")
    sizes = msg("d = {d}, d_ff = {f}, {k} heads", d=state.d, f=state.d_ff, k=state.heads)
    return (msg("Decoder") if state.decoder else msg("Encoder"), norm, kind, sizes)


def shows_model(state: State) -> bool:
    """Whether values of a model are on screen."""
    found = st.measured(state)
    return found is not None and state.part in found["tensors"]


# ---- views ------------------------------------------------------------------------------------------------

USUAL = State()
NAMES = {"side": st.SIDES, "norm": st.NORMS, "transition": st.TRANSITIONS, "feed": st.FEEDS}


def to_view(state: State) -> dict[str, str]:
    """Block, sizes and what is looked at; only what is not usual, but always the look."""
    view = {name: getattr(state, name) for name in NAMES if getattr(state, name) != getattr(USUAL, name)}
    for name in st.LIMITS:
        if getattr(state, name) != getattr(USUAL, name):
            view[name] = str(getattr(state, name))
    return {**view, "look": state.look}


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """The state a view asks for; what is unknown or out of range stays as usual."""
    options = {
        name: view[name] if view.get(name, "") in allowed else getattr(USUAL, name)
        for name, allowed in NAMES.items()
    }
    now = events.changed(state, options)
    usual = {name: int(getattr(USUAL, name)) for name in st.LIMITS}
    found = {name: whole(view, name, *st.LIMITS[name], usual[name]) for name in st.LIMITS}
    if found["d"] % found["heads"]:
        found |= {name: usual[name] for name in ("d", "heads")}
    now = events.sized(now, preset="base" if found == usual else "", **found)
    look = view.get("look", USUAL.look)
    return events.settled(replace(now, look=look if look in parts.known(now) else USUAL.look, wrong="")), ()

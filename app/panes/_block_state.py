"""What the block pane knows: which block is drawn, its sizes, what is looked at, and measured values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from app.messages import Text
from ut_engine.design import Design, weights

ENCODER, DECODER = "encoder", "decoder"
POST, PRE = "post", "pre"
FEED_FORWARD, SEPARABLE = "feedforward", "sepconv"
FORCED, OWN = "forced", "own"
UT, LAYER = "ut", "tf"
SIDES, NORMS, TRANSITIONS, FEEDS = (ENCODER, DECODER), (POST, PRE), (FEED_FORWARD, SEPARABLE), (FORCED, OWN)

KEY = "block.values"
SHIPPED = "babi"  # the model measured where none is open
NARROW, SINGLE, STACKED = 1140, 1010, 760

LIMITS = {
    "d": (1, 16_384), "heads": (1, 256), "d_ff": (1, 65_536), "m": (1, 16_384), "batch": (1, 4096),
    "steps": (1, 999),
}  # fmt: skip
"""Sizes one may choose: name -> (least, most)."""


@dataclass(frozen=True, slots=True)
class State:
    """look: what is explained, "ut.x": diagram and part.  sizes: by the names of LIMITS.

    preset: "base", "ut-base", "open" or "" (own sizes).  path, name, config: of the open checkpoint.
    values: what `ut_engine.torch.measures.block` found; of: the checkpoint asked; waiting: it is under way.
    what: why it failed.  wrong: what is wrong with the sizes.  width: of the window, px at 100 %.
    """

    side: str = ENCODER
    norm: str = POST
    transition: str = FEED_FORWARD
    feed: str = FORCED
    look: str = "ut.self"
    d: int = 512
    heads: int = 8
    d_ff: int = 2048
    m: int = 20
    batch: int = 1
    steps: int = 6
    preset: str = "base"
    path: str = ""
    name: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] | None = None
    of: str = ""
    waiting: bool = False
    done: int = 0
    total: int = 0
    what: Text = ""
    wrong: Text = ""
    width: int = 1280

    @property
    def diagram(self) -> str:
        return self.look.partition(".")[0]

    @property
    def part(self) -> str:
        return self.look.partition(".")[2]

    @property
    def decoder(self) -> bool:
        return self.side == DECODER


def measured(state: State) -> Mapping[str, Any] | None:
    """The values of the side shown and of the diagram looked at; None where there are none."""
    if state.values is None:
        return None
    universal = state.values["config"]["architecture"] == "universal"
    if universal != (state.diagram == UT):
        return None
    found: Mapping[str, Any] | None = state.values["sides"].get(state.side)
    return found


def design_of(state: State, transition: str) -> Design:
    """One pair of layers of the sizes chosen, counted by the story's rules."""
    return Design(
        d_model=state.d, d_ff=state.d_ff, heads=state.heads, depth=1, vocab=1, transition=transition
    )


@lru_cache(maxsize=64)
def counts(design: Design) -> Mapping[str, int]:
    """Parameters of one layer: of a "<side>", and by part, "<side> self", "cross", "tr", "norm" (each)."""
    found: dict[str, int] = {}
    for one in weights(design):
        side = one.name.partition(" ")[0]
        for word, part in (("self-attention", "self"), ("cross-attention", "cross"), ("LayerNorms", "norms"),
                           ("transition", "tr"), ("kernel", "tr")):  # fmt: skip
            if word in one.name:
                found[f"{side} {part}"] = found.get(f"{side} {part}", 0) + one.count
                found[side] = found.get(side, 0) + one.count
    for side, norms in ((ENCODER, 2), (DECODER, 3)):
        found[f"{side} norm"] = found[f"{side} norms"] // norms
    return found

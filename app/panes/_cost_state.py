"""What the calculator knows: a design, what of its work is counted, and what was typed wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from app.messages import Message, Text, msg
from app.sorting import Order
from ut_engine.cost import Cost, Switches, cost
from ut_engine.design import Design, divisors
from ut_engine.presets import PRESETS, preset

START = "ut-base"
STORY = ("transformer-base", "ut-small", "ut-base", "transformer-big")
ENCODERS = ("bert-base", "albert-base")
TABS = ("why", "width", "albert")
RANGES: Mapping[str, tuple[int, int]] = {
    "d_model": (1, 8192), "d_ff": (1, 65_536), "heads": (1, 128), "depth": (1, 128), "vocab": (2, 1_000_000),
    "length": (1, 16_384),
}  # fmt: skip
CHECKED = 4  # tokens a side that the real module is run on
ARGS = ("d_model", "d_ff", "heads", "depth", "vocab", "shared", "decoder", "attention_bias")


@dataclass(frozen=True, slots=True)
class Check:
    """What the real module said of `design`; value None while it is waited for, failed: why there is none."""

    design: Design
    value: Mapping[str, Any] | None = None
    done: tuple[int, int] = (0, 0)
    failed: Text = ""

    @property
    def waits(self) -> bool:
        return self.value is None and not self.failed


@dataclass(frozen=True, slots=True)
class State:
    """preset: the one the design started from.  linked: d_ff follows 4 d.

    asked: d and number of heads as typed; where they do not go together, wrong says so beside its field and
    the figures are still of `design`.  scores, length: whether attention scores count, at which length.
    sort: how the published models are sorted.
    """

    preset: str = START
    design: Design = PRESETS[START].design
    linked: bool = True
    softmax: bool = False
    hoisted: bool = False
    scores: bool = False
    length: int = 64
    tab: str = TABS[0]
    asked: tuple[int, int] = (PRESETS[START].design.d_model, PRESETS[START].design.heads)
    wrong: tuple[str, Text] | None = None
    check: Check | None = None
    narrow: bool = False
    single: bool = False
    sort: Order | None = None

    @property
    def switches(self) -> Switches:
        return Switches(self.softmax, self.hoisted, self.length if self.scores else 0)

    @property
    def cost(self) -> Cost:
        return counted(self.design, self.switches)

    @property
    def current(self) -> str:
        """The preset the design is, "" for one's own."""
        return next((name for name in PRESETS if preset_of(name, self) == self.design), "")

    @property
    def checkable(self) -> bool:
        """Whether the engine can build the design: no tables and poolers of BERT's kind."""
        plain = Design()
        options = (item.name for item in fields(Design) if item.name not in ARGS)
        return all(getattr(self.design, name) == getattr(plain, name) for name in options)


@lru_cache(maxsize=64)
def counted(design: Design, switches: Switches) -> Cost:
    return cost(design, switches)


def preset_of(name: str, state: State) -> Design:
    """A published design under the state's accounting (attention biases or none)."""
    return replace(preset(name).design, attention_bias=state.design.attention_bias)


def cost_of(name: str, state: State) -> Cost:
    return counted(preset_of(name, state), state.switches)


def with_size(state: State, name: str, value: int) -> State:
    """Another d or number of heads; where they do not go together that is said, and the figures stay."""
    d, heads = (value, state.asked[1]) if name == "d_model" else (state.asked[0], value)
    if d % heads:
        return replace(state, asked=(d, heads), wrong=(name, unfit(name, d, heads)))
    d_ff = min(4 * d, RANGES["d_ff"][1]) if state.linked else state.design.d_ff
    design = replace(state.design, d_model=d, heads=heads, d_ff=d_ff)
    return replace(state, asked=(d, heads), design=design, wrong=None)


def with_design(state: State, design: Design) -> State:
    """A whole design; what was typed wrong is forgotten."""
    return replace(state, design=design, asked=(design.d_model, design.heads), wrong=None)


def unfit(name: str, d: int, heads: int) -> Message:
    """Why a width and a number of heads do not go together, and what would."""
    if name == "heads":
        near = sorted(sorted(divisors(d), key=lambda one: (abs(one - heads), one))[:4])
        return msg(
            "{heads} heads cannot share d = {d} evenly: choose a divisor of d, such as {near}",
            d=f"{d:,}", heads=heads, near=", ".join(map(str, near)),
        )  # fmt: skip
    near = sorted({max(d // heads, 1) * heads, (d // heads + 1) * heads})
    return msg(
        "d = {d} cannot be split into {heads} heads: choose a multiple of {heads}, such as {near}",
        d=f"{d:,}", heads=heads, near=", ".join(f"{one:,}" for one in near),
    )  # fmt: skip


def args_of(design: Design) -> dict[str, Any]:
    """What the measurement "cost" is asked."""
    return {name: getattr(design, name) for name in ARGS} | {"length": CHECKED}

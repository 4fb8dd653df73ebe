"""What the parts of a block are: name, shape and one explanation each.

Letters of the shapes: B examples, m positions, n those of the encoder's input, d and d_ff widths, k heads.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.messages import Text, msg, nmsg
from app.panes import _block_state as st
from app.panes._block_state import State

STATES = ("B", "m", "d")
HEADS = ("B", "k", "m", "d/k")


@dataclass(frozen=True, slots=True)
class Part:
    """shape: letters, () for a part that computes.  within: the box it is inside of.  badge: its difference.

    inner: tensors inside a box.  formulas: its own.
    """

    text: Text
    shape: tuple[str, ...] = ()
    within: str = ""
    badge: str = ""
    inner: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()


NORM = msg("Every vector is brought to mean 0 and variance 1, then scaled and shifted channel by channel.")
PARTS = {
    "h": Part(msg("What the block starts from: one vector of width d for every position."), STATES),
    "p": Part(msg("Two sinusoids in every channel, one of the position, one of the step."), ("m", "d"),
              badge="2", formulas=("coordinates-even", "coordinates-odd")),
    "x": Part(msg("State and coordinates together: attention reads this sum, and the residual branch carries "
                  "it on."), STATES),
    "self": Part(msg("Every position reads the others, in k heads at once."), badge="1",
                 inner=("q", "k", "v", "w", "s"), formulas=("attention", "multi-head", "head")),
    "q": Part(msg("What each position asks for; d / k channels per head."), HEADS, "self"),
    "k": Part(msg("What each position is found by."), HEADS, "self"),
    "v": Part(msg("What each position hands over."), HEADS, "self"),
    "w": Part(msg("How much each position reads from each other one; every row adds up to 1."),
              ("B", "k", "m", "m"), "self", formulas=("attention",)),
    "s": Part(msg("The output of attention: the heads side by side, through the output matrix."), STATES,
              "self"),
    "a": Part(msg("The states after self-attention."), STATES),
    "cross": Part(msg("Queries come from the decoder; keys and values from the encoder's last state, the "
                      "same at every step."), inner=("cw", "c"), formulas=("attention",)),
    "cw": Part(msg("How much each target position reads from each source position."), ("B", "k", "m", "n"),
               "cross"),
    "c": Part(msg("The output of cross-attention."), STATES, "cross"),
    "enc": Part(msg("The encoder's last state. The decoder reads it at every step and never changes it."),
                ("B", "n", "d")),
    "b": Part(msg("The states after cross-attention."), STATES),
    "tr": Part(msg("What every position does by itself after reading the others."), badge="3",
               inner=("inner", "f")),
    "inner": Part(msg("Inside the transition, after the ReLU: the widest tensor of the block."),
                  ("B", "m", "d_{ff}"), "tr"),
    "f": Part(msg("The output of the transition."), STATES, "tr"),
    "next": Part(msg("What the block hands on: the same shape as at the bottom, so it can go round again."),
                 STATES),
    "norm1": Part(NORM),
    "norm2": Part(NORM),
    "normc": Part(NORM),
    "feed": Part("", STATES),
}  # fmt: skip

TENSORS = tuple(name for name, part in PARTS.items() if part.shape)
BOXES = ("self", "cross", "tr", "norm1", "norm2", "normc")


def known(state: State) -> tuple[str, ...]:
    """Parts of the two diagrams as they are drawn now, with their diagram: "ut.x"."""
    decoder = ("cross", "cw", "c", "enc", "b", "normc", "feed")
    names = [name for name in PARTS if state.decoder or name not in decoder]
    return (*(f"ut.{name}" for name in names), *(f"tf.{name}" for name in names if name != "x"))


def symbol(name: str, diagram: str, state: State) -> Text:
    """How a part is written in its diagram; `^{}` is raised, `_{}` lowered."""
    found = written(name, diagram, state)
    return found if diagram == st.UT or name not in BOXES else msg("{name}_{{l}}", name=found)


def written(name: str, diagram: str, state: State) -> Text:
    """A part's name, in the letters of its diagram, without the layer its weights are of."""
    t = "t" if diagram == st.UT else "l"
    last = "T" if diagram == st.UT else "N"
    letters = {
        "h": f"H^{{{t}-1}}", "p": "P^{t}" if diagram == st.UT else "P", "x": "X^{t}", "a": f"A^{{{t}}}",
        "b": f"B^{{{t}}}", "next": f"H^{{{t}}}", "enc": f"H^{{{last}}}_{{enc}}", "q": "Q", "k": "K", "v": "V",
    }  # fmt: skip
    if name in letters:
        return letters[name]
    words: dict[str, Text] = {
        "self": msg("Causal self-attention") if state.decoder else msg("Multi-head self-attention"),
        "cross": msg("Cross-attention"),
        "tr": msg("Transition") if diagram == st.UT else msg("Feed-forward"),
        "w": msg("attention weights"),
        "cw": msg("attention weights"),
        "s": msg("attention output"),
        "c": msg("attention output"),
        "inner": msg("inner values"),
        "f": msg("transition output"),
        "feed": msg("the decoder's input"),
    }
    return words.get(name, "LayerNorm")


def shape(name: str, state: State) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """(letters, numbers) of a tensor's shape; n is as long as m here."""
    sizes = {
        "B": state.batch, "m": state.m, "n": state.m, "d": state.d, "k": state.heads,
        "d_{ff}": state.d_ff, "d/k": state.d // state.heads,
    }  # fmt: skip
    letters = PARTS[name].shape
    return letters, tuple(sizes[letter] for letter in letters)


def difference(number: str, state: State) -> tuple[Text, ...]:
    """What is explained of one of the three differences, with the numbers of the sizes chosen."""
    own = st.counts(st.design_of(state, st.FEED_FORWARD))
    if number == "1":
        universal = st.counts(st.design_of(state, state.transition))
        once, each = universal[state.side], own[state.side]
        return (
            msg("The weights carry no layer index: the same matrices at every step."),
            nmsg("Here: {once} parameters, run once. One layer of its own has {each}.",
                 "Here: {once} parameters, run {n} times. A stack of {n} layers has {n} times {each}: {all}.",
                 state.steps, once=f"{once:,}", each=f"{each:,}", all=f"{each * state.steps:,}"),
        )  # fmt: skip
    if number == "2":
        return (
            msg("The coordinates are added again at every step, with the step's own part; a Transformer adds "
                "positions once, before its first layer."),
            msg("So the block is told where it is, and at which step: with the same weights and "
                "no step signal it could only do the same thing each time."),
        )  # fmt: skip
    convolved = st.counts(st.design_of(state, st.SEPARABLE))
    return (
        msg("The transition is a choice: a position-wise feed-forward, or depth-wise separable convolutions "
            "that look at neighbours too (tensor2tensor: 3, then 5 wide)."),
        msg("Feed-forward: {n} parameters; separable convolution: {m}.", n=f"{own[f'{state.side} tr']:,}",
            m=f"{convolved[f'{state.side} tr']:,}"),
    )  # fmt: skip


def feeding(state: State) -> tuple[Text, ...]:
    """Where the decoder's input comes from."""
    over = msg(
        "The recurrence is over depth only; nothing goes from one position to the next but by attention."
    )
    if state.feed == st.FORCED:
        return (
            msg("Training: the decoder is given the right target, shifted by one, so that every position "
                "predicts its own symbol from those before it (teacher forcing)."),
            nmsg("All {m} positions at once: {n} step in all.",
                 "All {m} positions at once: {n} steps in all.", state.steps, m=state.m),
            over,
        )  # fmt: skip
    return (
        msg("Generating: the decoder reads what it wrote so far; each new symbol needs a pass of its own."),
        msg("{m} symbols of {t} steps each: {n} steps, one after another.", m=state.m, t=state.steps,
            n=f"{state.m * state.steps:,}"),
        over,
    )  # fmt: skip


def crossing(diagram: str) -> Text:
    """What fixed keys and values are good for."""
    if diagram == st.UT:
        return msg("With shared weights they are the same vectors each time, so they can be computed once.")
    return msg("Every layer has weights of its own, so every layer computes keys and values of its own.")

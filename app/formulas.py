"""The typeset formulas: where each is drawn, and how it is read aloud.

The outlines, resources/formulas/ID.svg, are made from formulas.toml beside them by `packaging/formulas.py`:
nothing is typeset while the program runs.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from app.messages import Message, msg
from app.paths import resource

EM = 20.0
"""Units of an em in a drawing; its baseline is at y = 0."""

_BOX = re.compile(r'viewBox="([^"]*)"')
_DATA = re.compile(r' d="([^"]*)"')
_STROKE = re.compile(r"([MLQCZ])([^MLQCZ]*)")

SPOKEN: dict[str, Message] = {
    "ut-start": msg("the first state is the embedding alone"),
    "ut-input": msg("the input of step t is the state of step t minus 1 plus the coordinates of step t"),
    "ut-attention": msg(
        "A of step t is the layer norm of: the state of step t minus 1 plus the coordinates of "
        "step t, plus multi-head self-attention over that same sum"
    ),
    "ut-transition": msg(
        "the state of step t is the layer norm of A of step t plus the transition of A of step t"
    ),
    "ut-attention-pre": msg(
        "A of step t is the input of step t plus multi-head self-attention over its layer norm"
    ),
    "ut-transition-pre": msg("the state of step t is A of step t plus the transition of its layer norm"),
    "ut-output-pre": msg("the output is the layer norm of the state of the last step T"),
    "ut-decoder-attention": msg(
        "decoder: A of step t is the layer norm of the state plus the coordinates, plus causal "
        "self-attention over that same sum"
    ),
    "ut-decoder-cross": msg(
        "decoder: B of step t is the layer norm of A plus multi-head attention from A to the "
        "encoder's last state"
    ),
    "ut-decoder-transition": msg(
        "decoder: the state of step t is the layer norm of B plus the transition of B"
    ),
    "ut-decoder-attention-pre": msg(
        "decoder: A of step t is the input of step t plus causal self-attention over its layer norm"
    ),
    "ut-decoder-cross-pre": msg(
        "decoder: B of step t is A plus multi-head attention from the layer norm of A to the "
        "encoder's last state"
    ),
    "ut-decoder-transition-pre": msg(
        "decoder: the state of step t is B plus the transition of its layer norm"
    ),
    "layer-input": msg("the first state is the embedding plus the position code, added once"),
    "layer-attention": msg(
        "A of layer l is the layer norm of the state below plus that layer's own multi-head "
        "self-attention over it"
    ),
    "layer-transition": msg(
        "the state of layer l is the layer norm of A plus that layer's own feed-forward of A"
    ),
    "layer-attention-pre": msg(
        "A of layer l is the state below plus that layer's own multi-head self-attention over its layer norm"
    ),
    "layer-transition-pre": msg(
        "the state of layer l is A plus that layer's own feed-forward of its layer norm"
    ),
    "layer-output-pre": msg("the output is the layer norm of the state of the last layer N"),
    "layer-decoder-attention": msg(
        "decoder: A of layer l is the layer norm of the state below plus that layer's own causal "
        "self-attention over it"
    ),
    "layer-decoder-cross": msg(
        "decoder: B of layer l is the layer norm of A plus that layer's own multi-head attention "
        "from A to the encoder's last state"
    ),
    "layer-decoder-transition": msg(
        "decoder: the state of layer l is the layer norm of B plus that layer's own feed-forward of B"
    ),
    "layer-decoder-attention-pre": msg(
        "decoder: A of layer l is the state below plus that layer's own causal self-attention "
        "over its layer norm"
    ),
    "layer-decoder-cross-pre": msg(
        "decoder: B of layer l is A plus that layer's own multi-head attention from the layer "
        "norm of A to the encoder's last state"
    ),
    "layer-decoder-transition-pre": msg(
        "decoder: the state of layer l is B plus that layer's own feed-forward of its layer norm"
    ),
    "attention": msg(
        "attention of Q, K and V is the softmax of Q times K transposed over the square root of "
        "the width of a head, times V"
    ),
    "multi-head": msg("multi-head self-attention of H is all heads side by side, times the output matrix"),
    "head": msg("head j is the attention of H with its own query, key and value matrices"),
    "transition-feed-forward": msg(
        "feed-forward of x is the rectified x times W 1 plus b 1, times W 2 plus b 2"
    ),
    "transition-separable": msg(
        "the separable convolution is one of kernel 5 over the rectified one of kernel 3"
    ),
    "decoder-output": msg(
        "the probability of symbol i given those before it and the encoder's last state is the "
        "softmax of the decoder's last state at i times the output matrix"
    ),
    "coordinates-even": msg(
        "the coordinates at an even channel 2 j are the sine of i over 10000 to the 2 j over d, "
        "plus the sine of t over the same"
    ),
    "coordinates-odd": msg(
        "the coordinates at an odd channel 2 j plus 1 are the cosine of i over 10000 to the 2 j "
        "over d, plus the cosine of t over the same"
    ),
    "coordinates-frequency": msg("frequency j is 10000 to the minus 2 j over d"),
    "coordinates-t2t": msg(
        "tensor2tensor's code of position i: all sines of i times each frequency, then all cosines"
    ),
    "coordinates-frequency-t2t": msg(
        "in tensor2tensor, frequency j is 10000 to the minus j over d halves minus 1"
    ),
    "coordinates-norm": msg(
        "the squared length of the coordinates of position i at step t is d plus twice the sum "
        "over j of the cosine of i minus t times frequency j"
    ),
    "coordinates-peak": msg(
        "the coordinates are longest where position and step agree: the square root of 2 d"
    ),
    "coordinates-position": msg("a position code alone has the length square root of d halves"),
    "coordinates-product": msg(
        "the product of the codes of positions i and k is the sum over j of the cosine of i minus "
        "k times frequency j"
    ),
    "act-probability": msg(
        "the halting probability of position i at step t is the sigmoid of w times its input plus b"
    ),
    "act-steps": msg(
        "N of i is the smallest n for which the halting probabilities of steps 1 to n add up to "
        "at least 1 minus epsilon"
    ),
    "act-steps-listing": msg(
        "N of i is the smallest n for which the halting probabilities of steps 1 to n add up to "
        "more than 1 minus epsilon"
    ),
    "act-remainder": msg(
        "the remainder of i is 1 minus the halting probabilities of all steps before the last"
    ),
    "act-cost": msg("the ponder cost of i is its number of updates plus its remainder"),
    "act-weight": msg(
        "the weight of step t is its halting probability before the last step, the remainder at "
        "it, and 0 after it"
    ),
    "act-mix-basic": msg(
        "basic mixing: the output after step t is its weight times the new state plus one minus "
        "that weight times the output before"
    ),
    "act-mix-accumulated": msg(
        "accumulated mixing: the output is the sum of every step's weight times its state"
    ),
    "act-effective": msg(
        "under basic mixing the effective weight of state k is its weight times one minus each later weight"
    ),
    "act-effective-sum": msg("the effective weights add up to 1 minus the product of one minus each weight"),
    "act-loss": msg("the loss is the task's loss plus tau times the mean ponder cost of the positions"),
    "act-gradient": msg(
        "the gradient of the ponder cost by a halting probability is minus 1 before the last step and 0 at it"
    ),
    "scan-target": msg("y i is x 1 xor x 2 and so on up to x i"),
    "scan-step": msg(
        "at step t position i takes its own value of the step before xor that of position i minus "
        "2 to the t minus 1"
    ),
    "scan-window": msg("after step t position i has seen the positions from i minus 2 to the t plus 1 to i"),
    "scan-steps": msg("the number of steps is the logarithm of n to base 2, rounded up"),
    "scan-no-signal": msg(
        "without a step signal position i holds, after T steps, the sum of the bits k places "
        "before it times the binomial coefficient T over k, modulo 2"
    ),
    "entropy": msg(
        "the entropy of row i is minus the sum over j of its attention weight times the logarithm of it"
    ),
    "entropy-normalised": msg(
        "the entropy divided by the logarithm of the number of positions it may attend to"
    ),
    "effective-positions": msg("the effective number of attended positions is e to the entropy"),
    "relative-update": msg(
        "the relative update is the length of the change of a state over the length of the state before"
    ),
    "parameters-attention": msg("parameters of an attention: 4 d squared plus 4 d"),
    "parameters-feed-forward": msg("parameters of a feed-forward: 2 d d ff plus d ff plus d"),
    "parameters-norm": msg("parameters of a layer norm: 2 d"),
    "parameters-layer": msg("parameters of a layer: 4 d squared plus 2 d d ff, and small terms"),
    "parameters-encoder": msg(
        "parameters of an encoder layer: an attention, a feed-forward and two layer norms"
    ),
    "parameters-decoder": msg(
        "parameters of a decoder layer: two attentions, a feed-forward and three layer norms"
    ),
    "parameters-total": msg(
        "all parameters: the embedding, V times d, plus L pairs of layers of 28 d squared plus 32 d each"
    ),
    "work-total": msg("work for a pair of tokens: T times 28 d squared"),
    "width-equation": msg("28 d squared plus V plus 32, times d, equals the parameters wanted"),
}
"""How each formula is read aloud, by id."""

Stroke = tuple[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Outline:
    """A drawing and its box, in units of EM an em.  data: the strokes as they stand in the file."""

    data: str
    left: float
    top: float
    wide: float
    high: float

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        """("M", "L", "Q", "C" or "Z", its numbers) one after the other; ValueError for a damaged drawing.

        Read where it is drawn: a page of formulas needs all their boxes at once, and few of their drawings.
        """
        return tuple(
            (letter, tuple(float(number) for number in numbers.split()))
            for letter, numbers in _STROKE.findall(self.data)
        )


def spoken(name: str) -> Message:
    """How a formula is read aloud; KeyError for one there is not."""
    return SPOKEN[name]


@cache
def latex() -> dict[str, str]:
    """The source of every formula, by id."""
    return dict(tomllib.loads(resource("formulas", "formulas.toml").read_text("utf-8")))


@cache
def outline(name: str) -> Outline:
    """The drawing of a formula; OSError for one that is not compiled, ValueError for one that is damaged."""
    text = resource("formulas", f"{name}.svg").read_text("utf-8")
    box, data = _BOX.search(text), _DATA.search(text)
    if box is None or data is None:
        raise ValueError(f"{name}: no outline in this drawing")
    left, top, wide, high = (float(number) for number in box[1].split())
    return Outline(data[1], left, top, wide, high)

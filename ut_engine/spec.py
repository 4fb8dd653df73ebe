"""The hyperparameters of a Universal Transformer and its siblings, named as in the paper or in tensor2tensor.

Pure data with its own checks, so that a header can be read and judged without torch.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from ut_engine.errors import UserError

CHOICES = {
    "norm": ("post", "pre", "none"),
    "signal": ("paper", "t2t", "learned", "none"),
    "halting": ("none", "act"),
    "state": ("listing2", "frozen"),
    "mixing": ("basic", "accumulated", "graves"),
    "p_from": ("input", "new"),
    "attention_bias": ("none", "alibi", "relative"),
    "readout": ("first", "every"),
    "architecture": ("universal", "transformer", "lstm"),
    "transition": ("feedforward", "sepconv"),
    "steps_from": ("fixed", "length", "log2"),
}
MOST_STEPS = 999
MOST_POSITIONS = 16_384


@dataclass(frozen=True, slots=True)
class UTConfig:
    """Universal Transformer (Dehghani et al. 2019), fixed T or ACT, or one of its siblings.

    vocab: input symbols, id 0 is padding.  answers: classes of the read-out.
    words: words per position when a position is a sentence, 0 when it is one symbol.
    d_model, heads, d_ff: widths.  max_steps: T, or the cap on steps with ACT.
    norm: "post" (paper, eq. 4-5), "pre" (T2T) or "none" (for weights set by hand: no LayerNorm in the layer);
        final_norm None means the usual one: on with "pre" only.
    signal: coordinate signal added at every step: "paper" (eq. 6-7, 1-based), "t2t" (sinusoids of T2T,
        halves, 0-based), "learned" (T2T's default: its position sinusoid and a learned step table with
        max_steps rows) or "none".
    attention_bias: "none", "alibi" (symmetric distance unless causal) or "relative" (learned, clipped at
        relative_clip).  causal: position i reads j <= i; window > 0: only j > i - window (needs causal).
    inject: the embedded input is added again at every step.
    halting: "none" (fixed T) or "act"; with ACT: state, mixing, p_from, epsilon, halting_bias (initial),
        ponder_weight (weight of mean(N + R) in the loss), charge_cap (charge 1 - h at the cap, where
        the ponder cost has no gradient otherwise).
    projection_bias: biases on q, k, v and output (the paper says affine, T2T has none).
    dropout: in training, on attention weights, ReLU and residual branches (LSTM: its input and output).

    architecture: "universal" (one layer, run T times), "transformer" (`layers` layers with weights of their
        own, each run once, positions added to the input only) or "lstm" (`layers` stacked cells, one position
        after the other; it is causal by nature and has neither attention nor coordinates).
    transition: "feedforward" or "sepconv" (T2T's depth-wise separable convolutions, 3 then 5 wide).
    decoder: an encoder-decoder; `answers` is then the number of target symbols, 0 = padding, and every
        encoder option holds for both sides (the decoder is always causal).  end_id: the target symbol that
        ends a generated output, 0 for none.
    tied: input, target and softmax share one embedding table (the softmax then has no bias, as in T2T).
    steps_from: T is "fixed" (max_steps), the "length" n (real positions of the example; of the source with a
        decoder) or "log2", ceil(log2 n) + 1.
    position_offset: in training every example's positions start at a random 0 ... position_offset later.
    """

    vocab: int
    answers: int
    words: int = 0
    d_model: int = 64
    heads: int = 4
    d_ff: int = 256
    max_steps: int = 8
    norm: str = "post"
    final_norm: bool | None = None
    signal: str = "paper"
    attention_bias: str = "none"
    relative_clip: int = 8
    causal: bool = False
    window: int = 0
    inject: bool = False
    halting: str = "act"
    state: str = "listing2"
    mixing: str = "basic"
    p_from: str = "input"
    epsilon: float = 0.01
    halting_bias: float = 1.0
    ponder_weight: float = 0.01
    charge_cap: bool = False
    projection_bias: bool = True
    dropout: float = 0.0
    readout: str = "first"
    architecture: str = "universal"
    layers: int = 1
    transition: str = "feedforward"
    decoder: bool = False
    end_id: int = 0
    tied: bool = False
    steps_from: str = "fixed"
    position_offset: int = 0

    def __post_init__(self) -> None:
        for check in (_check_types, _check_choices, _check_sizes, _check_combinations):
            check(self)

    @property
    def act(self) -> bool:
        return self.halting == "act"

    @property
    def has_final_norm(self) -> bool:
        return self.norm == "pre" if self.final_norm is None else self.final_norm

    @property
    def threshold(self) -> float:
        """theta = 1 - epsilon."""
        return 1.0 - self.epsilon

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> UTConfig:
        """Build from a JSON object; unknown or missing names are refused by name (UserError)."""
        known = {item.name for item in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            close = difflib.get_close_matches(unknown[0], known, 1)
            do = f"did you mean {close[0]}?" if close else "take it out of the configuration"
            raise UserError(f"unknown model option {unknown[0]!r}", do)
        missing = [name for name in ("vocab", "answers") if name not in values]
        if missing:
            raise UserError(f"the model option {missing[0]!r} is missing", "add it to the configuration")
        return cls(**values)

    def usual_steps(self, positions: int | None = None) -> int:
        """Steps of a run nobody cut short: T, layers, or (LSTM) positions.

        positions: real positions of the example; None: as many as may be asked for.
        """
        if self.architecture == "transformer":
            return self.layers
        if self.architecture == "universal" and self.steps_from == "fixed":
            return self.max_steps
        if positions is None:
            return MOST_POSITIONS if self.architecture == "lstm" else MOST_STEPS
        if self.architecture == "universal" and self.steps_from == "log2":
            return max(positions - 1, 0).bit_length() + 1  # ceil(log2 n) + 1
        return max(positions, 1)

    def steps_allowed(self, steps: int | None = None, positions: int | None = None) -> int:
        """The cap on a run's steps, checked; None gives the usual one (of `positions` real positions).

        1 ... 999, or up to n where T follows the length and n is more: 999 bounds what is typed, not what a
        model does by itself.  At most the rows of a learned step table, or the layers of a Transformer.  An
        LSTM takes as many steps as there are positions, so that any cap is one, and long inputs are no error.
        """
        if self.architecture == "lstm" and (steps is None or steps >= 1):
            return min(self.usual_steps(positions), MOST_POSITIONS if steps is None else steps)
        usual = self.usual_steps(positions)
        steps = usual if steps is None else steps
        most = max(MOST_STEPS, usual) if self.steps_from != "fixed" else MOST_STEPS
        if not 1 <= steps <= most:
            raise UserError(f"{steps} steps cannot be run", f"choose between 1 and {most} steps")
        if self.architecture == "transformer" and steps > self.layers:
            raise UserError(
                f"the Transformer has {self.layers} layers, so there is no step {steps}",
                f"run at most {self.layers} steps",
            )
        if self.signal == "learned" and steps > self.max_steps:
            raise UserError(
                f"the learned step signal has {self.max_steps} rows, so step {steps} has no signal",
                f"run at most {self.max_steps} steps",
            )
        return steps


def _refuse(what: str, do: str) -> None:
    raise UserError(what, do)


def _check_types(config: UTConfig) -> None:
    for item in fields(config):
        value = getattr(config, item.name)
        kind = str(item.type)
        if kind == "int":
            good = isinstance(value, int) and not isinstance(value, bool)
        elif kind == "float":
            good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        elif kind == "str":
            good = isinstance(value, str)
        else:
            good = isinstance(value, bool) or (kind != "bool" and value is None)
        if not good:
            _refuse(f"the model option {item.name} cannot be {value!r}", f"give it a value of kind {kind}")


def _check_choices(config: UTConfig) -> None:
    for name, allowed in CHOICES.items():
        value = getattr(config, name)
        if value not in allowed:
            _refuse(f"{name} cannot be {value!r}", f"use one of {', '.join(allowed)}")


def _check_sizes(config: UTConfig) -> None:
    for name, least, most in (
        ("vocab", 2, 10**7), ("answers", 1, 10**7), ("words", 0, 10**4),
        ("d_model", 1, 10**6), ("heads", 1, 10**4), ("d_ff", 1, 10**7),
        ("max_steps", 1, MOST_STEPS), ("relative_clip", 1, 10**5), ("window", 0, 10**6),
        ("layers", 1, MOST_STEPS), ("end_id", 0, 10**7), ("position_offset", 0, 10**6),
    ):  # fmt: skip
        if not least <= getattr(config, name) <= most:
            _refuse(f"{name} = {getattr(config, name)} is out of range", f"choose from {least} to {most}")
    if not 0.0 <= config.epsilon < 1.0:
        _refuse(f"epsilon = {config.epsilon} is out of range", "choose from 0 up to, not including, 1")
    if not 0.0 <= config.dropout < 1.0:
        _refuse(f"dropout = {config.dropout} is out of range", "choose from 0 up to, not including, 1")
    if config.ponder_weight < 0:
        _refuse(f"ponder_weight = {config.ponder_weight} is negative", "choose 0 or more")


def _check_combinations(config: UTConfig) -> None:
    if config.d_model % config.heads:
        _refuse(
            f"d_model = {config.d_model} cannot be split into {config.heads} heads",
            "choose a number of heads that divides d_model",
        )
    if config.signal != "none" and config.d_model % 2:
        _refuse(f"signal {config.signal!r} needs an even d_model", "choose an even d_model")
    if config.window and not config.causal:
        _refuse("a window needs causal attention", "set causal to true or window to 0")
    if config.charge_cap and not config.act:
        _refuse("charge_cap needs halting 'act'", "set halting to 'act' or charge_cap to false")
    if config.charge_cap and config.mixing == "graves":
        _refuse("charge_cap does nothing with mixing 'graves', which has a remainder there", "turn it off")
    _check_architecture(config)
    _check_decoder(config)
    if config.steps_from != "fixed" and config.signal == "learned":
        _refuse("steps_from needs a step signal without an end", "choose another signal than 'learned'")
    if config.position_offset and config.signal == "none":
        _refuse("position_offset needs a coordinate signal", "choose a signal or set position_offset to 0")
    if config.tied and config.answers != config.vocab:
        _refuse(
            f"a tied table needs as many answers as vocab, not {config.answers} and {config.vocab}",
            "set tied to false or give both the same size",
        )


def _check_architecture(config: UTConfig) -> None:
    """What a Transformer or an LSTM cannot have, each named with the architecture."""
    kind = config.architecture
    if kind == "universal":
        if config.layers != 1:
            _refuse("layers counts the layers of architecture 'transformer' or 'lstm'", "set layers to 1")
        return
    foreign: dict[str, tuple[object, ...]] = {
        "halting": ("none",),
        "inject": (False,),
        "steps_from": ("fixed",),
        "signal": ("none", "paper", "t2t"),
    }
    if kind == "lstm":
        foreign |= {
            "signal": ("none",), "attention_bias": ("none",), "window": (0,), "decoder": (False,),
            "transition": ("feedforward",),
        }  # fmt: skip
    for name, allowed in foreign.items():
        value = getattr(config, name)
        if value not in allowed:
            listed = ", ".join(str(one) for one in allowed)
            _refuse(
                f"architecture {kind!r} cannot have {name} = {value!r}",
                f"set {name} to {listed}" if len(allowed) == 1 else f"set {name} to one of {listed}",
            )


def _check_decoder(config: UTConfig) -> None:
    if config.decoder and config.readout != "every":
        _refuse("a decoder answers at every position, not with readout 'first'", "set readout to 'every'")
    if config.decoder and config.answers < 2:
        _refuse("a decoder needs answers besides 0, which is padding", "choose 2 answers or more")
    if config.end_id and not config.decoder:
        _refuse("end_id needs a decoder", "set decoder to true or end_id to 0")
    if config.decoder and config.end_id >= config.answers:
        _refuse(f"end_id = {config.end_id} is no target symbol", f"choose from 0 to {config.answers - 1}")

"""Cases that between them hold every valid pair of option values, with random weights and inputs.

The list of what cannot go together is kept here by hand, apart from the engine's own checks.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ut_engine.spec import UTConfig
from ut_engine.torch.build import Model
from ut_engine.torch.build import build as build_model

Case = dict[str, Any]
Setting = tuple[str, Any]
Pair = frozenset[Setting]

VOCAB, ANSWERS = 7, 3
FACTORS: dict[str, tuple[Any, ...]] = {
    "words": (0, 3),
    "d_model": (8, 4, 5),
    "heads": (1, 2, 4),
    "d_ff": (6, 11),
    "max_steps": (1, 3, 6),
    "norm": ("post", "pre", "none"),
    "final_norm": (None, True, False),
    "signal": ("paper", "t2t", "learned", "none"),
    "attention_bias": ("none", "alibi", "relative"),
    "relative_clip": (1, 8),
    "causal": (False, True),
    "window": (0, 2),
    "inject": (False, True),
    "halting": ("none", "act"),
    "state": ("listing2", "frozen"),
    "mixing": ("basic", "accumulated", "graves"),
    "p_from": ("input", "new"),
    "epsilon": (0.01, 0.3, 0.0),
    "halting_bias": (1.0, -3.0),
    "ponder_weight": (0.01, 0.0),
    "charge_cap": (False, True),
    "projection_bias": (True, False),
    "dropout": (0.0, 0.2),
    "readout": ("first", "every"),
    "architecture": ("universal", "transformer", "lstm"),
    "layers": (1, 2),
    "transition": ("feedforward", "sepconv"),
    "decoder": (False, True),
    "end_id": (0, 2),
    "tied": (False, True),
    "steps_from": ("fixed", "length", "log2"),
    "position_offset": (0, 4),
    # not options of the model:
    "halts": ("mixed", "never", "at once"),
    "batch": ("padded", "one", "single position"),
    "moved": (0, 3),
}
NOT_OPTIONS = ("halts", "batch", "moved")
# Under each of these certain options are at work, so that a pair is not covered by a case where it is idle.
BUSY: tuple[Case, ...] = (
    {"halting": "act", "halts": "mixed", "max_steps": 6, "batch": "padded", "decoder": False},
    {"decoder": True, "readout": "every", "halting": "act", "halts": "mixed", "max_steps": 3},
    {"architecture": "transformer", "layers": 2, "batch": "padded"},
    {"architecture": "lstm", "batch": "padded"},
)


def forbidden(a: Setting, b: Setting) -> bool:
    """Two settings that cannot go together."""
    both = dict((a, b))
    return (
        (both.get("window", 0) > 0 and both.get("causal") is False)
        or (both.get("charge_cap") is True and both.get("halting") == "none")
        or (both.get("charge_cap") is True and both.get("mixing") == "graves")
        or (both.get("d_model") == 5 and both.get("heads", 1) > 1)
        or (both.get("d_model") == 5 and both.get("signal", "none") != "none")
        or (both.get("position_offset", 0) > 0 and both.get("signal") == "none")
        or (both.get("position_offset", 0) > 0 and both.get("d_model") == 5)  # which has no signal
        or (both.get("steps_from", "fixed") != "fixed" and both.get("signal") == "learned")
        or (both.get("decoder") is True and both.get("readout") == "first")
        or (both.get("end_id", 0) > 0 and both.get("decoder") is False)
        or (both.get("end_id", 0) > 0 and both.get("readout") == "first")
        or (both.get("layers", 1) > 1 and both.get("architecture") == "universal")
        or (own_layers(both) and shared_only(both))
        or (both.get("architecture") == "lstm" and no_lstm(both))
    )


def own_layers(both: Case) -> bool:
    """Weights of its own for every layer, or cells: no layer is run twice."""
    return both.get("architecture", "universal") != "universal" or both.get("layers", 1) > 1


def shared_only(both: Case) -> bool:
    """What only a shared layer has."""
    return (
        both.get("halting") == "act"
        or both.get("charge_cap") is True
        or both.get("inject") is True
        or both.get("steps_from", "fixed") != "fixed"
        or both.get("signal") == "learned"
    )


def no_lstm(both: Case) -> bool:
    """What an LSTM has none of: coordinates, attention, a decoder, a transition."""
    return (
        both.get("signal", "none") != "none"
        or both.get("position_offset", 0) > 0
        or both.get("attention_bias", "none") != "none"
        or both.get("window", 0) > 0
        or both.get("decoder") is True
        or both.get("end_id", 0) > 0
        or both.get("transition", "feedforward") != "feedforward"
    )


def all_pairs(fixed: Mapping[str, Any] | None = None) -> tuple[set[Pair], set[Pair]]:
    """Every pair of settings of two different factors, some of them fixed: (valid, forbidden)."""
    factors = FACTORS | {name: (value,) for name, value in (fixed or {}).items()}
    valid: set[Pair] = set()
    refused: set[Pair] = set()
    for first, second in itertools.combinations(factors, 2):
        for x, y in itertools.product(factors[first], factors[second]):
            a, b = (first, x), (second, y)
            if forbidden(a, b):
                refused.add(frozenset((a, b)))
            elif not any(forbidden(one, other) for one in (a, b) for other in (fixed or {}).items()):
                valid.add(frozenset((a, b)))
    return valid, refused


def in_order(pairs: set[Pair]) -> list[Pair]:
    """The same order in every process (a set of strings has none)."""
    return sorted(pairs, key=lambda pair: sorted(map(repr, pair)))


def pairs_of(case: Case) -> set[Pair]:
    return {frozenset(pair) for pair in itertools.combinations(case.items(), 2)}


def covering_cases(seed: int = 1, fixed: Mapping[str, Any] | None = None) -> list[Case]:
    """A greedy set of full cases: each starts from a pair still missing and adds the most missing pairs."""
    chance = random.Random(seed)
    missing, _ = all_pairs(fixed)
    order = in_order(missing)
    chance.shuffle(order)
    cases: list[Case] = []
    for pair in order:
        if pair in missing:
            case = _complete({**(fixed or {}), **dict(pair)}, missing, chance)
            missing -= pairs_of(case)
            cases.append(case)
    return cases


def _complete(case: Case, missing: set[Pair], chance: random.Random) -> Case:
    rest = [name for name in FACTORS if name not in case]
    chance.shuffle(rest)
    for name in rest:
        fitting = [
            value
            for value in FACTORS[name]
            if not any(forbidden((name, value), other) for other in case.items())
        ]
        gains = [sum(frozenset(((name, v), other)) in missing for other in case.items()) for v in fitting]
        best = max(gains)
        case[name] = chance.choice([v for v, gain in zip(fitting, gains, strict=True) if gain == best])
    return case


def options_of(case: Case) -> dict[str, Any]:
    """The model's options of a case."""
    chosen = {name: value for name, value in case.items() if name not in NOT_OPTIONS}
    return {"vocab": VOCAB, "answers": VOCAB if case["tied"] else ANSWERS, **chosen}


def random_weights(o: Mapping[str, Any], halts: str, seed: int) -> dict[str, NDArray[np.float64]]:
    """A state dict by the names and shapes of the format; entries only where an option needs them."""
    rng = np.random.default_rng(seed)
    shapes = all_shapes(o)
    weights: dict[str, NDArray[np.float64]] = {}
    for name, shape in shapes.items():
        if "norm_" in name:
            weights[name] = rng.normal(1.0 if name.endswith("weight") else 0.0, 0.2, shape)
        elif "halting_unit" in name:
            bias, spread = {"mixed": (-0.8, 0.5), "never": (-9.0, 0.01), "at once": (9.0, 0.01)}[halts]
            weights[name] = rng.normal(0.0, spread, shape) if name.endswith("weight") else np.array([bias])
        else:
            # Without norms states grow from step to step; small weights keep every softmax weight above 0.
            weights[name] = rng.normal(0.0, 0.15 if o["norm"] == "none" else 0.6, shape)
    return weights


def all_shapes(o: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Shape of every tensor, written down apart from the engine's own list."""
    if not o["decoder"]:
        return side_shapes(o, False, not o["tied"])
    left, right = side_shapes(o, False, False), side_shapes(o, True, not o["tied"])
    return {f"encoder.{n}": s for n, s in left.items()} | {f"decoder.{n}": s for n, s in right.items()}


def side_shapes(o: Mapping[str, Any], decoder: bool, reads_out: bool) -> dict[str, tuple[int, ...]]:
    d = o["d_model"]
    shapes: dict[str, tuple[int, ...]] = {}
    if not (decoder and o["tied"]):
        shapes["embed.weight"] = (o["answers"] if decoder else o["vocab"], d)
    if o["words"] and not decoder:
        shapes["word_mask"] = (o["words"], d)
    if o["signal"] == "learned":
        shapes["step_table"] = (o["max_steps"], d)
    if o["architecture"] == "universal":
        shapes |= layer_shapes(o, decoder)
    for index in range(o["layers"]):
        if o["architecture"] == "transformer":
            shapes |= {f"layers.{index}.{name}": shape for name, shape in layer_shapes(o, decoder).items()}
        if o["architecture"] == "lstm":
            shapes |= {f"lstm.weight_{kind}_l{index}": (4 * d, d) for kind in ("ih", "hh")}
            shapes |= {f"lstm.bias_{kind}_l{index}": (4 * d,) for kind in ("ih", "hh")}
    if o["halting"] == "act":
        shapes |= {"halting_unit.weight": (1, d), "halting_unit.bias": (1,)}
    final = o["norm"] == "pre" if o["final_norm"] is None else o["final_norm"]
    if final:
        shapes |= {"norm_final.weight": (d,), "norm_final.bias": (d,)}
    if reads_out:
        shapes |= {"readout.weight": (o["answers"], d), "readout.bias": (o["answers"],)}
    return shapes


def layer_shapes(o: Mapping[str, Any], decoder: bool) -> dict[str, tuple[int, ...]]:
    d, f = o["d_model"], o["d_ff"]
    shapes: dict[str, tuple[int, ...]] = {}
    for kind in ("attention", "cross") if decoder else ("attention",):
        for name in ("query", "key", "value", "output"):
            shapes[f"{kind}.{name}.weight"] = (d, d)
            if o["projection_bias"]:
                shapes[f"{kind}.{name}.bias"] = (d,)
        if o["norm"] != "none":
            shapes |= {f"norm_{kind}.weight": (d,), f"norm_{kind}.bias": (d,)}
    if o["attention_bias"] == "relative":
        shapes["attention.relative"] = (o["heads"], 2 * o["relative_clip"] + 1)
    if o["transition"] == "sepconv":
        shapes |= {"transition.inner_kernel": (d, 3), "transition.outer_kernel": (f, 5)}
    shapes |= {"transition.inner.weight": (f, d), "transition.inner.bias": (f,)}
    shapes |= {"transition.outer.weight": (d, f), "transition.outer.bias": (d,)}
    if o["norm"] != "none":
        shapes |= {"norm_transition.weight": (d,), "norm_transition.bias": (d,)}
    return shapes


def random_ids(o: Mapping[str, Any], batch: str, seed: int) -> NDArray[np.int64]:
    """Input ids [batch, position(, word)]; "padded" has gaps at the end, inside, and one empty example."""
    rng = np.random.default_rng(seed)
    rows, length = {"padded": (4, 5), "one": (1, 4), "single position": (2, 1)}[batch]
    real = np.ones((rows, length), dtype=bool)
    if batch == "padded":
        real[1, 3:] = False
        real[2, [0, 2]] = False
        real[3] = False
    if not o["words"]:
        return np.where(real, rng.integers(1, o["vocab"], (rows, length)), 0)
    ids = rng.integers(1, o["vocab"], (rows, length, o["words"]))
    ids[rng.random(ids.shape) < 0.3] = 0
    ids[..., 0] = np.maximum(ids[..., 0], 1)  # a real sentence has a word
    return np.where(real[..., None], ids, 0)


def random_target(o: Mapping[str, Any], batch: str, seed: int) -> NDArray[np.int64]:
    """Target ids [batch, position]; "padded" has them of several lengths, one with a gap, one empty."""
    rng = np.random.default_rng(seed)
    rows, length = {"padded": (4, 4), "one": (1, 3), "single position": (2, 1)}[batch]
    target = rng.integers(1, o["answers"], (rows, length))
    if batch == "padded":
        target[0, 2:] = 0
        target[1, 1] = 0
        target[2] = 0
    return target


def build(case: Case, seed: int) -> tuple[Model, dict[str, Any], Any, Any]:
    """(model in float64, options, weights, ids) of a case."""
    options = options_of(case)
    weights = random_weights(options, case["halts"], seed)
    model = build_model(UTConfig.from_dict(options)).double().eval()
    model.load_state_dict({name: torch.as_tensor(value) for name, value in weights.items()}, strict=True)
    return model, options, weights, random_ids(options, case["batch"], seed + 1)


CASES = [case for seed, fixed in enumerate(({}, *BUSY), start=1) for case in covering_cases(seed, fixed)]


def numbers_of(decoder: bool, lstm: bool = False) -> list[int]:
    """Places in CASES of the encoder-decoders, of the LSTMs, or of the other encoders."""
    return [
        n
        for n, case in enumerate(CASES)
        if case["decoder"] == decoder and (case["architecture"] == "lstm") == lstm
    ]

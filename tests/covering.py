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
from ut_engine.torch.model import UniversalTransformer

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
    "norm": ("post", "pre"),
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
    # not options of the model:
    "halts": ("mixed", "never", "at once"),
    "batch": ("padded", "one", "single position"),
}
NOT_OPTIONS = ("halts", "batch")
# Options of the model's siblings, which this reference does not cover and which are off by default.
SIBLINGS = {
    "architecture", "layers", "transition", "decoder", "end_id", "tied", "steps_from", "position_offset",
}  # fmt: skip
# Under these every option of ACT is at work, so that a pair is not covered by a case where it is idle.
BUSY: Case = {"halting": "act", "halts": "mixed", "max_steps": 6, "batch": "padded"}


def forbidden(a: Setting, b: Setting) -> bool:
    """Two settings that cannot go together."""
    both = dict((a, b))
    return (
        (both.get("window", 0) > 0 and both.get("causal") is False)
        or (both.get("charge_cap") is True and both.get("halting") == "none")
        or (both.get("charge_cap") is True and both.get("mixing") == "graves")
        or (both.get("d_model") == 5 and both.get("heads", 1) > 1)
        or (both.get("d_model") == 5 and both.get("signal", "none") != "none")
    )


def all_pairs(fixed: Mapping[str, Any] | None = None) -> tuple[set[Pair], set[Pair]]:
    """Every pair of settings of two different factors, some of them fixed: (valid, forbidden)."""
    factors = FACTORS | {name: (value,) for name, value in (fixed or {}).items()}
    valid: set[Pair] = set()
    refused: set[Pair] = set()
    for first, second in itertools.combinations(factors, 2):
        for x, y in itertools.product(factors[first], factors[second]):
            a, b = (first, x), (second, y)
            (refused if forbidden(a, b) else valid).add(frozenset((a, b)))
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
    return {"vocab": VOCAB, "answers": ANSWERS, **chosen}


def random_weights(o: Mapping[str, Any], halts: str, seed: int) -> dict[str, NDArray[np.float64]]:
    """A state dict by the names and shapes of the format; entries only where an option needs them."""
    rng, d, f = np.random.default_rng(seed), o["d_model"], o["d_ff"]
    shapes: dict[str, tuple[int, ...]] = {"embed.weight": (o["vocab"], d)}
    if o["words"]:
        shapes["word_mask"] = (o["words"], d)
    if o["signal"] == "learned":
        shapes["step_table"] = (o["max_steps"], d)
    for name in ("query", "key", "value", "output"):
        shapes[f"attention.{name}.weight"] = (d, d)
        if o["projection_bias"]:
            shapes[f"attention.{name}.bias"] = (d,)
    if o["attention_bias"] == "relative":
        shapes["attention.relative"] = (o["heads"], 2 * o["relative_clip"] + 1)
    shapes |= {"transition.inner.weight": (f, d), "transition.inner.bias": (f,)}
    shapes |= {"transition.outer.weight": (d, f), "transition.outer.bias": (d,)}
    shapes |= {"readout.weight": (o["answers"], d), "readout.bias": (o["answers"],)}
    weights: dict[str, NDArray[np.float64]] = {
        name: rng.normal(0.0, 0.6, shape) for name, shape in shapes.items()
    }
    norms = ["norm_attention", "norm_transition"]
    final = o["norm"] == "pre" if o["final_norm"] is None else o["final_norm"]
    for name in norms + (["norm_final"] if final else []):
        weights[f"{name}.weight"] = rng.normal(1.0, 0.2, d)
        weights[f"{name}.bias"] = rng.normal(0.0, 0.2, d)
    if o["halting"] == "act":
        bias, spread = {"mixed": (-0.8, 0.5), "never": (-9.0, 0.01), "at once": (9.0, 0.01)}[halts]
        weights["halting_unit.weight"] = rng.normal(0.0, spread, (1, d))
        weights["halting_unit.bias"] = np.array([bias])
    return weights


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


def build(case: Case, seed: int) -> tuple[UniversalTransformer, dict[str, Any], Any, Any]:
    """(model in float64, options, weights, ids) of a case."""
    options = options_of(case)
    weights = random_weights(options, case["halts"], seed)
    model = UniversalTransformer(UTConfig.from_dict(options)).double().eval()
    model.load_state_dict({name: torch.as_tensor(value) for name, value in weights.items()}, strict=True)
    return model, options, weights, random_ids(options, case["batch"], seed + 1)


CASES = covering_cases(seed=1) + covering_cases(seed=2, fixed=BUSY)

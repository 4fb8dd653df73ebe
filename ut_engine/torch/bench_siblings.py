"""What capturing costs the siblings: a traced run of each model beside its own forward that keeps nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ut_engine.measure import Measurement, alternate, median, seconds
from ut_engine.records import Capture, StepRecord
from ut_engine.spec import UTConfig
from ut_engine.torch.build import Model, build
from ut_engine.torch.seq2seq import EncoderDecoder

FUSED = "the same forward through fused attention, nothing kept"
CELLS = "torch's fused cells over all positions, nothing kept"
SYMBOLS = 1000


def kinds(steps: int) -> dict[str, dict[str, Any]]:
    """The options of every sibling, equally deep where it has depth; ACT with a low p, so that it goes on."""
    fixed: dict[str, Any] = {"halting": "none", "max_steps": steps}
    return {
        "UT, T fixed": fixed,
        "UT+ACT": {"halting": "act", "max_steps": steps, "halting_bias": -3.0},
        "UT, separable convolutions": {**fixed, "transition": "sepconv"},
        "Transformer": {"halting": "none", "architecture": "transformer", "layers": steps},
        "LSTM": {"halting": "none", "architecture": "lstm", "signal": "none"},
        "encoder-decoder": {**fixed, "decoder": True, "readout": "every"},
    }


def siblings(length: int, width: int, heads: int, steps: int, runs: int, name: str) -> Iterator[Measurement]:
    """Milliseconds a record, batch 1, all maps kept, of every model; the weights are random.

    A step of the LSTM is one position: its forward runs them all inside torch, the trace comes back to Python
    after each.  The decoder reads a given target as long as the source.
    """
    for kind, options in kinds(steps).items():
        torch.manual_seed(0)
        config = UTConfig(
            vocab=SYMBOLS, answers=16, d_model=width, heads=heads, d_ff=4 * width, **options
        )  # fmt: skip
        model = build(config).eval()
        ids = torch.randint(1, config.vocab, (1, length))
        target = torch.randint(1, config.answers, (1, length))
        count = len(traced(model, ids, target))
        works: list[Callable[[], object]] = [
            partial(traced, model, ids, target),
            partial(forward, model, ids, target),
        ]
        times = alternate([partial(seconds, work) for work in works], runs)
        ours, plain = (1000 * median(values) / count for values in times)
        reference = CELLS if config.architecture == "lstm" else FUSED
        case = f"{kind}, m={length} d={width} steps={count}"
        yield Measurement(name, case, ours, plain, reference, "ms/step", runs)


def traced(model: Model, ids: Tensor, target: Tensor) -> list[StepRecord]:
    capture = Capture(attention=True, states=False, readout=False, derived=False)
    if isinstance(model, EncoderDecoder):
        return list(model.steps(ids, capture, target=target))
    return list(model.steps(ids, capture))


def forward(model: Model, ids: Tensor, target: Tensor) -> object:
    return model(ids, target) if isinstance(model, EncoderDecoder) else model(ids)

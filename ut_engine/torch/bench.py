"""What capturing costs: a run that keeps every map beside the same forward that keeps none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor, nn

from ut_engine.measure import Measurement, alternate, median, seconds
from ut_engine.records import Capture, StepRecord
from ut_engine.spec import UTConfig
from ut_engine.torch.bench_siblings import FUSED, siblings
from ut_engine.torch.model import UniversalTransformer

NAME = "engine"
MAPS = Capture(attention=True, states=False, readout=False, derived=False)
TARGETS = {64: 1.25, 256: 1.25, 1024: 1.8}  # of the traced run against the fused forward
SIBLINGS = 256  # positions at which the siblings are timed
PEER = "torch's nn.TransformerEncoderLayer looped as often, nothing kept"


def measure(
    lengths: Sequence[int] = (64, 256, 1024), width: int = 256, heads: int = 8, steps: int = 6, runs: int = 9
) -> Iterator[Measurement]:
    """Milliseconds a step on one thread, batch 1, for every length; two comparisons each.

    The traced run is timed with all maps kept to its end; a second line keeps everything the inspector
    shows (states, read-outs and entropies besides).  The siblings follow, each against its own forward.
    """
    with one_thread(), torch.inference_mode():
        torch.manual_seed(0)
        model = build(width, heads, steps)
        peer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True).eval()
        for length in lengths:
            yield from of_length(model, peer, length, steps, runs)
        yield from siblings(min(lengths[-1], SIBLINGS), width, heads, steps, runs, NAME)


def build(width: int, heads: int, steps: int) -> UniversalTransformer:
    """A fixed-T model of the paper's block; its weights do not matter for the time."""
    config = UTConfig(
        vocab=1000, answers=16, d_model=width, heads=heads, d_ff=4 * width, max_steps=steps, halting="none"
    )
    return UniversalTransformer(config).eval()


def of_length(
    model: UniversalTransformer, peer: nn.Module, length: int, steps: int, runs: int
) -> Iterator[Measurement]:
    ids = torch.randint(1, model.config.vocab, (1, length))
    embedded = model.embed_input(ids)[0].clone()
    works: list[Callable[[], object]] = [
        partial(traced, model, ids, MAPS),
        partial(traced, model, ids, Capture()),
        partial(model.forward, ids),
        partial(looped, peer, embedded, steps),
    ]
    times = alternate([partial(seconds, work) for work in works], runs)
    maps, everything, fused, other = (1000 * median(values) / steps for values in times)
    case = f"m={length} d={model.config.d_model} heads={model.config.heads} T={steps}"
    target = TARGETS.get(length)
    yield Measurement(NAME, f"{case} maps kept", maps, fused, FUSED, "ms/step", runs, target)
    yield Measurement(NAME, f"{case} everything kept", everything, fused, FUSED, "ms/step", runs)
    yield Measurement(NAME, f"{case} maps kept, against torch", maps, other, PEER, "ms/step", runs)


def traced(model: UniversalTransformer, ids: Tensor, capture: Capture) -> list[StepRecord]:
    return list(model.steps(ids, capture))


def looped(layer: nn.Module, state: Tensor, steps: int) -> Tensor:
    for _ in range(steps):
        state = layer(state)
    return state


@contextmanager
def one_thread() -> Iterator[None]:
    """Two threads on two busy cores can be slower than one, and blur every ratio."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)

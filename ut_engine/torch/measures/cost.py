"""The count of a design against the real module: its parameters, and half of torch's FLOP counter.

The module is built and run on torch's meta device: shapes without numbers, so that the largest is as quick as
the smallest and takes no memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from ut_engine.spec import UTConfig
from ut_engine.torch.build import Model, build
from ut_engine.torch.capture import MapRing
from ut_engine.torch.loop import Loop, Setting, goes_on
from ut_engine.torch.measures import Progress
from ut_engine.torch.model import DepthModel
from ut_engine.torch.seq2seq import EncoderDecoder

OPTIONS = ("d_model", "d_ff", "heads", "depth", "vocab", "shared", "decoder", "attention_bias")


def measure(args: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """args: OPTIONS as in `ut_engine.design.Design`, and length, tokens of each side.

    parameters: sum(p.numel()).  multiply_adds: of `length` tokens (pairs with a decoder), without the
    embedding and the softmax; scores are in it, and a shared layer's cross-attention keys and values once.
    UserError for a design the engine's models cannot have.
    """
    config, length = config_of(args), int(args["length"])
    steps = config.layers if config.architecture == "transformer" else config.max_steps
    total = steps * (2 if config.decoder else 1)
    with torch.device("meta"):
        model = build(config)
    parameters = sum(weight.numel() for weight in model.parameters())
    return {
        "parameters": parameters,
        "multiply_adds": multiply_adds(model, length, lambda done: progress(done, total)),
        "length": length,
    }


def config_of(args: Mapping[str, Any]) -> UTConfig:
    """The plainest model of the engine with these sizes: fixed T, no halting, one tied table."""
    shared, vocab, depth = bool(args["shared"]), int(args["vocab"]), int(args["depth"])
    return UTConfig(
        vocab=vocab, answers=vocab, d_model=int(args["d_model"]), heads=int(args["heads"]),
        d_ff=int(args["d_ff"]), max_steps=depth if shared else 1, layers=1 if shared else depth,
        architecture="universal" if shared else "transformer", signal="none", halting="none",
        projection_bias=bool(args["attention_bias"]), decoder=bool(args["decoder"]), readout="every",
        tied=True,
    )  # fmt: skip


def multiply_adds(model: Model, length: int, done: Any = lambda count: None) -> int:
    """Half of the FLOPs of one run over `length` tokens a side, on the explicit attention path."""
    width = model.config.d_model
    states = torch.empty((1, length, width), device="meta")
    real = torch.ones((1, length), dtype=torch.bool, device="meta")
    model.eval()
    padding = _NothingIsPadding()  # type: ignore[no-untyped-call]
    with torch.no_grad(), padding, FlopCounterMode(display=False) as counter:
        if isinstance(model, EncoderDecoder):
            caps = [model.config.usual_steps()]
            last = _run(model.encoder, *model.encoder.start(states, real, caps, 0), done, 0)
            read = (model.encoder.normalise(last.output), real)
            _run(model.decoder, *model.decoder.start(states, real, caps, 0, read), done, last.step)
        else:
            assert isinstance(model, DepthModel)
            _run(model, *model.start(states, real, [model.config.usual_steps()], 0), done, 0)
    return int(counter.get_total_flops()) // 2


def _run(side: DepthModel, loop: Loop, setting: Setting, done: Any, before: int) -> Loop:
    ring = MapRing(side.config.heads, loop.state, setting)
    while goes_on(side.config, loop, setting):
        loop = side.step(loop, setting, ring.slot(loop.step))
        done(before + loop.step)
    return loop


class _NothingIsPadding(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Tensors without numbers cannot say whether every position is real: here they all are."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function is torch.ops.aten._local_scalar_dense.default and isinstance(args[0], Tensor):
            return True
        if function is torch.ops.aten.is_nonzero.default:
            return True
        return function(*args, **(kwargs or {}))

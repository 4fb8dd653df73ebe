"""What the tensors inside a block hold, step after step: the real modules, listened to while they run.

args: {"checkpoint": path, "text": ""}; without a text the first sample beside the weights is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ut_engine.card import first_text
from ut_engine.errors import UserError
from ut_engine.family import load
from ut_engine.prepare import Input, prepare
from ut_engine.torch.capture import MapRing
from ut_engine.torch.coordinates import step_signal
from ut_engine.torch.layer import LayerMaps
from ut_engine.torch.loop import Loop, Setting, goes_on
from ut_engine.torch.measures import Progress
from ut_engine.torch.model import DepthModel
from ut_engine.torch.seq2seq import EncoderDecoder

FIGURES = ("min", "mean", "max", "norm", "std")
PARTS = ("attention", "norm_attention", "cross", "norm_cross", "transition", "norm_transition")

Heard = dict[str, Tensor]


def measure(args: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """{"name", "text", "config", "figures", "sides"}: sides: what `listened` says of each.

    UserError for a model without such a block, or an input it cannot read.
    """
    loaded = load(str(args["checkpoint"]))
    text = str(args.get("text") or "") or first_text(loaded.header)
    model = loaded.model
    if not isinstance(model, DepthModel | EncoderDecoder):
        raise UserError(
            f"{loaded.header.name} has no block of attention and transition",
            "open a Transformer of some kind",
        )
    ids, info = prepare(loaded, Input(text=text))
    model.eval()
    with torch.inference_mode():
        sides = both_sides(model, torch.as_tensor(ids), info.max_steps, progress)
    return {
        "name": loaded.header.name,
        "text": text,
        "config": loaded.config.to_dict(),
        "figures": list(FIGURES),
        "sides": sides,
    }


def both_sides(
    model: DepthModel | EncoderDecoder, ids: Tensor, steps: int, progress: Progress
) -> dict[str, Any]:
    """The encoder, and the decoder over its own greedy answer where there is one."""
    if isinstance(model, DepthModel):
        loop, setting = model.start(*model.embed_input(ids), [steps] * len(ids), 0)
        return {"encoder": listened(model, loop, setting, progress)[0]}
    begun = model.start_encoder(ids, steps, 0)
    first, source = listened(model.encoder, *begun, progress)
    target = model.generate_from(source, ids.shape[1] + 1, steps, 0)
    second, _ = listened(model.decoder, *model.start_decoder(target, source, steps, 0), progress)
    return {"encoder": first, "decoder": second}


def listened(
    model: DepthModel, loop: Loop, setting: Setting, progress: Progress
) -> tuple[dict[str, Any], Loop]:
    """({"positions", "steps", "tensors": name -> a row of FIGURES a step}, the loop's last variables).

    Names are those of the pane: h (the state before), p (what is added), x, q, k, v, w (attention weights), s
    (attention's answer), a, cw and c (the same of cross-attention), b (after it), inner, f (the transition's
    answer), next (the state after).  Only real positions count.
    """
    rows: dict[str, list[list[float]]] = {}
    real = loop.real
    ring = MapRing(model.config.heads, loop.state, setting)  # the explicit path: the maps are those used
    while goes_on(model.config, loop, setting):
        layer = model.layers_with_weights()[model.layer_of(loop.step + 1)]
        before, maps = loop, ring.slot(loop.step)
        with heard(layer) as said:
            loop = model.step(loop, setting, maps)
        found = named(model, said, before, setting) | weights(maps)
        for name, tensor in found.items():
            rows.setdefault(name, []).append(summary(tensor, real))
        progress(loop.step, setting.cap)
    positions = int(real.sum())
    return {"positions": positions, "steps": loop.step, "tensors": rows}, loop


@contextmanager
def heard(layer: nn.Module) -> Iterator[Heard]:
    """What the modules of a layer are given ("in") and answer ("out") while they run."""
    said: Heard = {}
    handles = []

    def listen(name: str, module: nn.Module) -> None:
        def note(_: nn.Module, given: tuple[Any, ...], answer: Tensor) -> None:
            said[f"{name}.in"], said[f"{name}.out"] = given[0], answer

        handles.append(module.register_forward_hook(note))

    for name in PARTS:
        module = getattr(layer, name, None)
        if isinstance(module, nn.Module):
            listen(name, module)
    for name in ("query", "key", "value"):
        listen(name, getattr(layer.attention, name))
    listen("inner", layer.transition.inner)  # type: ignore[arg-type]
    try:
        yield said
    finally:
        for handle in handles:
            handle.remove()


def named(model: DepthModel, said: Heard, before: Loop, setting: Setting) -> Heard:
    """The tensors of a step by the pane's names."""
    config = model.config
    post = config.norm == "post"
    x = said["attention.in"] if post else said["norm_attention.in"]
    found = {"h": before.state}
    signal = signal_of(model, before, setting)
    if signal is not None:
        found["p"] = signal.expand_as(x)
    found |= {"x": x, "q": said["query.out"], "k": said["key.out"], "v": said["value.out"]}
    found["s"] = said["attention.out"]
    crossed = "cross.out" in said
    if post:
        found["a"] = said["norm_attention.out"]
    else:
        found["a"] = said["norm_cross.in" if crossed else "norm_transition.in"]
    if crossed:
        found["c"] = said["cross.out"]
        found["b"] = said["norm_cross.out"] if post else said["norm_transition.in"]
    found |= {"inner": said["inner.out"].relu(), "f": said["transition.out"]}
    found["next"] = said["norm_transition.out"] if post else said["norm_transition.in"] + found["f"]
    return found


def weights(maps: LayerMaps) -> Heard:
    """Attention weights as [batch, position, head, position read]."""
    found = {"w": maps.own.weights.transpose(1, 2)}
    if maps.cross is not None:
        found["cw"] = maps.cross.weights.transpose(1, 2)
    return found


def signal_of(model: DepthModel, before: Loop, setting: Setting) -> Tensor | None:
    """P^t of this step; None where nothing is added (a Transformer's later layers)."""
    if setting.positions is None:
        return None
    if model.config.architecture != "universal":
        return setting.positions if before.step == 0 else None
    table = getattr(model, "step_table", None)
    return setting.positions + step_signal(model.config, before.step + 1, before.state, table)


def summary(tensor: Tensor, real: Tensor) -> list[float]:
    """FIGURES over the real positions; norm: the mean length of a position's vector (of a row of weights)."""
    values = tensor[real].double()
    norm = values.norm(dim=-1).mean()
    found = values.min(), values.mean(), values.max(), norm, values.std(correction=0)
    return [float(one) for one in found]

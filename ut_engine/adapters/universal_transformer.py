"""The project's own format: a Universal Transformer or a sibling, with config.json and strict weights."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from ut_engine.checkpoint import FORMAT, Header, Loaded, LoadReport, read_tensors
from ut_engine.errors import UserError
from ut_engine.spec import UTConfig

NAME = "universal_transformer"
TITLE = "a Universal Transformer of this program"
READ = {"F32", "F16", "F64", "BF16"}
"""How the weights may be stored."""


def score(header: Header) -> tuple[float, str]:
    """Certain when the configuration says so, never otherwise."""
    if header.config.get("family") == NAME:
        return 1.0, f"its configuration names the family {NAME}"
    return 0.0, "its configuration does not name this family"


def config_of(header: Header) -> UTConfig:
    """The model's options, checked; raises UserError."""
    version = header.config.get("format")
    if version != FORMAT:
        raise UserError(
            f"{header.path.name} has checkpoint format {version!r}, not {FORMAT}", "update the program"
        )
    options = header.config.get("model")
    if not isinstance(options, dict):
        raise UserError(f"the configuration of {header.path.name} has no 'model' object", "add it")
    for name in ("tokenizer", "training"):
        if not isinstance(header.config.get(name, {}), dict):
            raise UserError(f"{name!r} in the configuration of {header.path.name} is no object", "correct it")
    return UTConfig.from_dict(options)


def shapes(config: UTConfig) -> dict[str, tuple[int, ...]]:
    """Every tensor such a model has, by its state-dict name; linear weights are [out, in]."""
    if not config.decoder:
        return side_shapes(config, decoder=False)
    sides = {name: side_shapes(config, decoder=name == "decoder") for name in ("encoder", "decoder")}
    return {f"{side}.{name}": shape for side, found in sides.items() for name, shape in found.items()}


def side_shapes(config: UTConfig, decoder: bool) -> dict[str, tuple[int, ...]]:
    """The tensors of an encoder-only model, or of one side of an encoder-decoder."""
    d = config.d_model
    found: dict[str, tuple[int, ...]] = {}
    if not (decoder and config.tied):
        found["embed.weight"] = (config.answers if decoder else config.vocab, d)
    if config.words and not decoder:
        found["word_mask"] = (config.words, d)
    if config.architecture == "lstm":
        for layer in range(config.layers):
            for kind in ("ih", "hh"):
                found[f"lstm.weight_{kind}_l{layer}"] = (4 * d, d)
                found[f"lstm.bias_{kind}_l{layer}"] = (4 * d,)
    elif config.architecture == "transformer":
        own = layer_shapes(config, decoder)
        for layer in range(config.layers):
            found |= {f"layers.{layer}.{name}": shape for name, shape in own.items()}
    else:
        found |= {"step_table": (config.max_steps, d)} if config.signal == "learned" else {}
        found |= layer_shapes(config, decoder)
        found |= linear("halting_unit", 1, d) if config.act else {}
    if config.has_final_norm:
        found |= norm("final", d)
    if decoder == config.decoder and not config.tied:
        found |= linear("readout", config.answers, d)
    return found


def layer_shapes(config: UTConfig, decoder: bool) -> dict[str, tuple[int, ...]]:
    """One layer; in a decoder with cross-attention."""
    d, inner = config.d_model, config.d_ff
    found: dict[str, tuple[int, ...]] = {}
    for name in ("attention", "transition", *(("cross",) if decoder else ())):
        found |= norm(name, d) if config.norm != "none" else {}
    for kind in ("attention", "cross") if decoder else ("attention",):
        for name in ("query", "key", "value", "output"):
            found[f"{kind}.{name}.weight"] = (d, d)
            if config.projection_bias:
                found[f"{kind}.{name}.bias"] = (d,)
    if config.attention_bias == "relative":
        found["attention.relative"] = (config.heads, 2 * config.relative_clip + 1)
    if config.transition == "sepconv":
        found |= {"transition.inner_kernel": (d, 3), "transition.outer_kernel": (inner, 5)}
    return found | linear("transition.inner", inner, d) | linear("transition.outer", d, inner)


def norm(name: str, width: int) -> dict[str, tuple[int, ...]]:
    return {f"norm_{name}.weight": (width,), f"norm_{name}.bias": (width,)}


def linear(name: str, outputs: int, inputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def unwrapped(header: Header, config: UTConfig) -> Header:
    """The header without the prefix that a wrapper put before every name, where the rest then fits exactly.

    Such are `_orig_mod.` of a compiled model, `module.` of a data-parallel one, `model.` of a trainer's.
    """
    prefix = shared_prefix(header, config)
    if not prefix or _fit(header, config).faults == []:
        return header
    bare = _without(header, prefix)
    return header if _fit(bare, config).faults else bare


def compare(header: Header, config: UTConfig) -> LoadReport:
    """How the file's tensors fit the options, by names and shapes alone; a likely prefix is named."""
    report = _fit(header, config)
    if not report.faults:
        return report
    if prefix := shared_prefix(header, config):
        bare = _fit(_without(header, prefix), config)
        return replace(bare, wrapped=f"even without the prefix {prefix} of every name")
    prefix, count = likely_prefix(header, config)
    if 2 * count <= len(header.tensors):
        return report
    return replace(report, wrapped=f"{count} of {len(header.tensors)} names begin with {prefix}")


def shared_prefix(header: Header, config: UTConfig) -> str:
    """The likely prefix where every name has it, "" else."""
    prefix, _ = likely_prefix(header, config)
    return prefix if all(name.startswith(prefix) for name in header.tensors) else ""


def likely_prefix(header: Header, config: UTConfig) -> tuple[str, int]:
    """(what stands most often before a name that the model has, how often); ("", 0) for none."""
    wanted = shapes(config)
    deepest = max(name.count(".") for name in wanted) + 1
    found: Counter[str] = Counter()
    for name in header.tensors:
        _, *rest = name.rsplit(".", deepest)
        ends = (".".join(rest[place:]) for place in range(len(rest)))
        found.update(name.removesuffix(end) for end in ends if end in wanted)
    return found.most_common(1)[0] if found else ("", 0)


def _without(header: Header, prefix: str) -> Header:
    bare = {name.removeprefix(prefix): info for name, info in header.tensors.items()}
    return replace(header, tensors=bare, prefix=prefix)


def _fit(header: Header, config: UTConfig) -> LoadReport:
    wanted, found = shapes(config), header.tensors
    misshapen = [
        f"{name} {list(found[name].shape)} instead of {list(shape)}"
        for name, shape in wanted.items()
        if name in found and found[name].shape != shape
    ]
    return LoadReport(
        matched=tuple(n for n in wanted if n in found and found[n].shape == wanted[n]),
        missing=tuple(n for n in wanted if n not in found),
        unexpected=tuple(n for n in found if n not in wanted),
        misshapen=tuple(misshapen),
    )


def load(header: Header, device: str = "cpu") -> Loaded:
    """Build the model and fill every tensor; UserError names each that does not fit or is not finite."""
    config = config_of(header)
    header = unwrapped(header, config)
    report = compare(header, config)
    report.refuse(header.path.name)
    state = state_dict(header)
    bad = tuple(name for name, tensor in state.items() if not bool(tensor.isfinite().all()))
    report = LoadReport(report.matched, not_finite=bad)
    report.refuse(header.path.name)

    from ut_engine.torch.build import build

    model: Any = build(config)
    model.load_state_dict(state, strict=True)
    model.to(device)
    model.eval()
    return Loaded(
        model=model,
        config=config,
        tokenizer_config=header.config.get("tokenizer", {}),
        task=str(header.config.get("task", "")),
        report=report,
        header=header,
        device=device,
        training=header.config.get("training", {}),
    )


def in_float32(header: Header) -> dict[str, Any]:
    """The tensors as numpy float32, in which the model runs; what is too large for it becomes infinity."""
    stored = {info.dtype for info in header.tensors.values()}
    if not stored <= READ:
        raise UserError(
            f"{header.path.name} stores weights as {', '.join(sorted(stored))}", "store them as F32"
        )
    with np.errstate(over="ignore"):
        return {name: np.asarray(array, np.float32) for name, array in read_tensors(header).items()}


def state_dict(header: Header) -> dict[str, Any]:
    """The tensors as float32, whatever the file stores (half precisions, bfloat16 and double included)."""
    import torch

    return {name: torch.from_numpy(np.array(array)) for name, array in in_float32(header).items()}

"""The project's own format: a Universal Transformer with config.json and strict weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from ut_engine.checkpoint import FORMAT, Header, Loaded, LoadReport, read_tensors
from ut_engine.errors import UserError
from ut_engine.spec import UTConfig

NAME = "universal_transformer"
TITLE = "a Universal Transformer of this program"


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
    d, inner, heads = config.d_model, config.d_ff, config.heads
    found: dict[str, tuple[int, ...]] = {"embed.weight": (config.vocab, d)}
    if config.words:
        found["word_mask"] = (config.words, d)
    if config.signal == "learned":
        found["step_table"] = (config.max_steps, d)
    for name in ("query", "key", "value", "output"):
        found[f"attention.{name}.weight"] = (d, d)
        if config.projection_bias:
            found[f"attention.{name}.bias"] = (d,)
    if config.attention_bias == "relative":
        found["attention.relative"] = (heads, 2 * config.relative_clip + 1)
    found |= linear("transition.inner", inner, d) | linear("transition.outer", d, inner)
    norms = ["norm_attention", "norm_transition", *(["norm_final"] if config.has_final_norm else [])]
    for name in norms:
        found |= {f"{name}.weight": (d,), f"{name}.bias": (d,)}
    if config.act:
        found |= linear("halting_unit", 1, d)
    return found | linear("readout", config.answers, d)


def linear(name: str, outputs: int, inputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def compare(header: Header, config: UTConfig) -> LoadReport:
    """How the file's tensors fit the options, by names and shapes alone."""
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
    report = compare(header, config)
    report.refuse(header.path.name)
    state = state_dict(header)
    bad = tuple(name for name, tensor in state.items() if not bool(tensor.isfinite().all()))
    report = LoadReport(report.matched, not_finite=bad)
    report.refuse(header.path.name)

    from ut_engine.torch.model import UniversalTransformer

    model: Any = UniversalTransformer(config)
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


def state_dict(header: Header) -> dict[str, Any]:
    """The tensors as float32, whatever the file stores (half precisions, bfloat16 and double included)."""
    import torch

    stored = {info.dtype for info in header.tensors.values()}
    if stored <= {"F32", "F16", "F64"}:
        arrays = read_tensors(header)
        return {name: torch.from_numpy(np.array(array, np.float32)) for name, array in arrays.items()}
    if not stored <= {"F32", "F16", "F64", "BF16"}:
        raise UserError(
            f"{header.path.name} stores weights as {', '.join(sorted(stored))}", "store them as F32"
        )
    from safetensors.torch import load as read_bytes

    found: dict[str, Any] = {}
    for path in header.weights:
        with open(path, "rb") as file:  # bytes, never a path: native code garbles names on some systems
            found.update(read_bytes(file.read()))
    return {name: tensor.float() for name, tensor in found.items()}

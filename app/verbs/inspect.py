"""`depthscope inspect`: what a checkpoint is, told from its header, its configuration and plain numbers.

No code a file may carry is run and torch is not imported.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from app.verbs.common import Result, checkpoint_path, table

if TYPE_CHECKING:
    from ut_engine.checkpoint import Header
    from ut_engine.spec import UTConfig

EXAMPLE = "depthscope inspect babi --json"
JSON = True

_MOST_BYTES = 1 << 30  # larger files are not read just to look for NaN


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="a file, a folder, or a shipped one's name")


def run(arguments: argparse.Namespace) -> Result:
    from ut_engine.checkpoint import peek
    from ut_engine.family import identify

    header = peek(checkpoint_path(arguments.checkpoint))
    adapter, verdict = identify(header)
    config: UTConfig = adapter.config_of(header)
    header = adapter.unwrapped(header, config)
    adapter.compare(header, config).refuse(header.path.name)
    warnings = [*_about_weights(header, config), *_about_use(header, config)]
    found = {
        "name": header.name,
        "path": str(header.path),
        "family": adapter.NAME,
        "reason": verdict.reason,
        "task": header.config.get("task") or None,
        "config": config.to_dict(),
        "parameters": header.parameters,
        "halting": _halting(config),
        "tokenizer": header.config.get("tokenizer") or None,
        "training": header.config.get("training") or None,
        "tensors": [
            {"name": name, "dtype": info.dtype, "shape": list(info.shape)}
            for name, info in header.tensors.items()
        ],
        "bytes": header.size,
        "warnings": warnings,
    }
    return Result(found, _text(found, config))


def _halting(config: UTConfig) -> dict[str, Any]:
    if not config.act:
        fixed = config.architecture != "lstm" and config.steps_from == "fixed"
        return {"kind": "none", "steps": config.usual_steps() if fixed else None, "steps_are": _depth(config)}
    names = (
        "epsilon",
        "max_steps",
        "steps_from",
        "state",
        "mixing",
        "p_from",
        "halting_bias",
        "ponder_weight",
        "charge_cap",
    )
    options = {name: getattr(config, name) for name in names}
    return {"kind": "act", "threshold": config.threshold, "steps_are": f"at most {_depth(config)}", **options}


def _depth(config: UTConfig) -> str:
    """How many steps a run takes, in words; with ACT how many at most."""
    if config.architecture == "lstm":
        return "one step a position"
    if config.architecture == "transformer":
        return f"{config.layers} layers, each run once"
    followed = {"length": "as many steps as positions", "log2": "ceil(log2 n) + 1 steps for n positions"}
    return followed.get(config.steps_from, f"{config.max_steps} steps")


def _shape(config: UTConfig) -> tuple[str, str]:
    """(widths, block) of what this architecture has."""
    if config.architecture == "lstm":
        cells = "cell" if config.layers == 1 else "cells, one on the other"
        return f"d_model {config.d_model}", f"{config.layers} LSTM {cells}; no attention, no coordinates"
    widths = f"d_model {config.d_model}, heads {config.heads}, d_ff {config.d_ff}"
    parts = [f"norm {config.norm}", f"signal {config.signal}", f"bias {config.attention_bias}"]
    if config.causal:
        parts.append(f"causal, window {config.window}" if config.window else "causal")
    parts += ["input added at every step"] if config.inject else []
    parts += ["separable convolutions"] if config.transition == "sepconv" else []
    parts += ["an encoder and a decoder"] if config.decoder else []
    return widths, ", ".join(parts)


def _about_weights(header: Header, config: UTConfig) -> Iterator[str]:
    """Refuses what cannot run (UserError), NaN and infinity too; then the remarks on the checkpoint."""
    import numpy as np

    from ut_engine.adapters.universal_transformer import in_float32
    from ut_engine.checkpoint import LoadReport
    from ut_engine.remarks import remarks

    tensors = {} if header.size > _MOST_BYTES else in_float32(header)
    bad = tuple(name for name, values in tensors.items() if not np.isfinite(values).all())
    LoadReport(not_finite=bad).refuse(header.path.name)
    yield from remarks(header, config, tensors)
    if not tensors:
        yield "the weights were not searched for NaN and infinity"


def _about_use(header: Header, config: UTConfig) -> Iterator[str]:
    from ut_engine.tokenizer import from_config

    tokenizer = header.config.get("tokenizer")
    if tokenizer:
        from_config(tokenizer)  # a UserError here is better than one in the middle of a run
    else:
        yield "it has no tokenizer: give input as --tokens"
    if config.signal == "learned":
        yield f"its step signal is a table of {config.max_steps} rows: it cannot run longer"


def _text(found: dict[str, Any], config: UTConfig) -> str:
    halting, tokenizer = found["halting"], found["tokenizer"] or {}
    widths, block = _shape(config)
    if halting["kind"] == "act":
        shown = ", ".join(f"{name} {halting[name]}" for name in ("mixing", "state", "epsilon"))
        halts = f"ACT, {halting['steps_are']}, {shown}"
    else:
        halts = f"none: {halting['steps_are']}"
    known = tokenizer.get("words") or tokenizer.get("symbols") or []
    rows = [
        ("path", found["path"]),
        ("family", f"{found['family']} ({found['reason']})"),
        ("task", found["task"] or "-"),
        (
            "parameters",
            f"{found['parameters']:,} in {len(found['tensors'])} tensors, {found['bytes']:,} bytes",
        ),
        ("widths", widths),
        ("block", block),
        ("halting", halts),
        ("tokenizer", f"{tokenizer['kind']}, {len(known)} known" if tokenizer else "-"),
        *(("warning", text) for text in found["warnings"]),
    ]
    return table((found["name"], ""), rows)

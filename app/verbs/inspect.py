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
_PLAIN = {"F64", "F32", "F16"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="a file, a folder, or a shipped one's name")


def run(arguments: argparse.Namespace) -> Result:
    from ut_engine.checkpoint import peek
    from ut_engine.family import identify

    header = peek(checkpoint_path(arguments.checkpoint))
    adapter, verdict = identify(header)
    config: UTConfig = adapter.config_of(header)
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
    return Result(found, _text(found))


def _halting(config: UTConfig) -> dict[str, Any]:
    if not config.act:
        return {"kind": "none", "steps": config.max_steps}
    names = (
        "epsilon",
        "max_steps",
        "state",
        "mixing",
        "p_from",
        "halting_bias",
        "ponder_weight",
        "charge_cap",
    )
    return {"kind": "act", "threshold": config.threshold, **{name: getattr(config, name) for name in names}}


def _about_weights(header: Header, config: UTConfig) -> Iterator[str]:
    """Refuses NaN and infinity (UserError); warns of a halting unit that cannot tell positions apart."""
    from ut_engine.checkpoint import LoadReport, read_tensors

    stored = {info.dtype for info in header.tensors.values()}
    if stored != {"F32"}:
        yield f"the weights are stored as {', '.join(sorted(stored))} and run in float32"
    if header.size > _MOST_BYTES or not stored <= _PLAIN:
        yield "the weights were not searched for NaN and infinity"
        return
    import numpy as np

    tensors = read_tensors(header)
    bad = tuple(name for name, values in tensors.items() if not np.isfinite(values).all())
    LoadReport(not_finite=bad).refuse(header.path.name)
    for name in (name for name in tensors if name.endswith("halting_unit.weight")):
        if np.any(tensors[name]):
            continue
        p = 1.0 / (1.0 + float(np.exp(-tensors[name.replace("weight", "bias")].item())))
        yield f"the halting kernel is zero: p = {p:.3f} everywhere, as at the start of training"


def _about_use(header: Header, config: UTConfig) -> Iterator[str]:
    from ut_engine.tokenizer import from_config

    tokenizer = header.config.get("tokenizer")
    if tokenizer:
        from_config(tokenizer)  # a UserError here is better than one in the middle of a run
    else:
        yield "it has no tokenizer: give input as --tokens"
    if config.signal == "learned":
        yield f"its step signal is a table of {config.max_steps} rows: it cannot run longer"


def _text(found: dict[str, Any]) -> str:
    halting, config, tokenizer = found["halting"], found["config"], found["tokenizer"] or {}
    if halting["kind"] == "act":
        shown = ", ".join(f"{name} {halting[name]}" for name in ("mixing", "state", "epsilon"))
        halts = f"ACT, at most {halting['max_steps']} steps, {shown}"
    else:
        halts = f"none, {halting['steps']} steps"
    known = tokenizer.get("words") or tokenizer.get("symbols") or []
    rows = [
        ("path", found["path"]),
        ("family", f"{found['family']} ({found['reason']})"),
        ("task", found["task"] or "-"),
        (
            "parameters",
            f"{found['parameters']:,} in {len(found['tensors'])} tensors, {found['bytes']:,} bytes",
        ),
        ("widths", f"d_model {config['d_model']}, heads {config['heads']}, d_ff {config['d_ff']}"),
        ("block", f"norm {config['norm']}, signal {config['signal']}, bias {config['attention_bias']}"),
        ("halting", halts),
        ("tokenizer", f"{tokenizer['kind']}, {len(known)} known" if tokenizer else "-"),
        *(("warning", text) for text in found["warnings"]),
    ]
    return table((found["name"], ""), rows)

"""Which family a checkpoint belongs to: every file in `adapters/` scores its header, with a reason.

An adapter has `NAME`, `TITLE`, `score(header) -> (0 ... 1, reason)` without torch, and
`load(header, device) -> Loaded`, which may import torch.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ut_engine.checkpoint import Header, Loaded, peek
from ut_engine.errors import UserError

# how model_type in config.json begins -> what people call it
KNOWN = {
    "ouro": "an Ouro checkpoint", "huginn": "a Huginn checkpoint", "albert": "an ALBERT checkpoint",
    "hrm_text": "an HRM-Text checkpoint", "dory": "a Dory checkpoint",
    "inkling": "an Inkling checkpoint",
    "bert": "a BERT checkpoint", "gpt2": "a GPT-2 checkpoint", "llama": "a Llama checkpoint",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """One family's opinion of a file: score 0 (not mine) ... 1 (certain), and why."""

    family: str
    score: float
    reason: str


def names() -> list[str]:
    """Files of the adapters, found by walking their folder; none is imported."""
    walked = pkgutil.iter_modules(import_module("ut_engine.adapters").__path__)
    return sorted(item.name for item in walked if not item.name.startswith("_"))


def families() -> list[ModuleType]:
    """The adapters."""
    return [import_module(f"ut_engine.adapters.{name}") for name in names()]


def verdicts(header: Header) -> list[Verdict]:
    """Every family's opinion, best first."""
    found = [Verdict(adapter.NAME, *adapter.score(header)) for adapter in families()]
    return sorted(found, key=lambda verdict: (-verdict.score, verdict.family))


def identify(header: Header) -> tuple[ModuleType, Verdict]:
    """The one family that claims the file; raises UserError when none or several do."""
    ranked = verdicts(header)
    if not ranked or ranked[0].score <= 0:
        can = ", ".join(adapter.TITLE for adapter in families())
        raise UserError(
            f"{header.path.name} {seems(header)}, which is not opened here", f"open one of: {can}"
        )
    best = ranked[0]
    tied = [verdict.family for verdict in ranked if verdict.score == best.score]
    if len(tied) > 1:
        raise UserError(
            f"{header.path.name} could be of several families: {', '.join(tied)}",
            "name the family in its config.json",
        )
    return next(adapter for adapter in families() if best.family == adapter.NAME), best


def seems(header: Header) -> str:
    """What a file looks like, for a refusal."""
    config = header.config
    kind = config.get("model_type")
    if isinstance(kind, str):
        known = [title for start, title in KNOWN.items() if kind.startswith(start)]
        return f"looks like {known[0] if known else 'a checkpoint'} (model_type {kind})"
    if isinstance(config.get("family"), str):
        return f"says it is of the family {config['family']!r}"
    if not header.tensors:
        return "has no tensors"
    return f"has tensors such as {next(iter(header.tensors))} but no configuration that says what it is"


def load(path: Path | str, device: str = "cpu") -> Loaded:
    """Peek, identify and load a checkpoint; raises UserError.  Imports torch."""
    header = peek(path)
    adapter, _ = identify(header)
    loaded: Any = adapter.load(header, device)
    assert isinstance(loaded, Loaded)
    return loaded

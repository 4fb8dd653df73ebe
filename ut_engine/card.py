"""What the engine tells the window about an open checkpoint."""

from __future__ import annotations

import json
from typing import Any

from ut_engine.checkpoint import SAMPLES, Header, Loaded, file_stamp
from ut_engine.errors import UserError


def card_of(loaded: Loaded, reason: str, device_reason: str) -> dict[str, Any]:
    """What the window says of an open checkpoint; plain JSON."""
    header = loaded.header
    return {
        "name": header.name,
        "path": str(header.path),
        "family": header.config.get("family", ""),
        "reason": reason,
        "config": loaded.config.to_dict(),
        "parameters": header.parameters,
        "bytes": header.size,
        "task": loaded.task,
        "tokenizer": dict(loaded.tokenizer_config),
        "training": dict(loaded.training),
        "device": loaded.device,
        "device_reason": device_reason,
        "stored": sorted({info.dtype for info in header.tensors.values()}),
        "stamp": file_stamp(header),
        "warnings": [],
    }


def samples_of(header: Header) -> list[Any]:
    """The sample inputs beside the weights; damaged ones are no reason not to open the checkpoint."""
    path = header.path / SAMPLES
    try:
        found = json.loads(path.read_text("utf-8")) if header.path.is_dir() else []
    except (OSError, ValueError):
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def first_text(header: Header) -> str:
    """The first sample input that has a text; UserError where the checkpoint brings none."""
    for one in samples_of(header):
        if one.get("text"):
            return str(one["text"])
    raise UserError(f"{header.name} brings no sample input", "type one in the inspector and run it")

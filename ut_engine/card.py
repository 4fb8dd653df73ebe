"""What the engine tells the window about an open checkpoint."""

from __future__ import annotations

import json
from typing import Any

from ut_engine.checkpoint import SAMPLES, Header, Loaded, file_stamp
from ut_engine.errors import UserError
from ut_engine.remarks import remarks


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
        "warnings": warnings_of(loaded),
    }


def warnings_of(loaded: Loaded) -> list[str]:
    """What to know before believing its runs."""
    halting = {}
    if loaded.config.act:
        from ut_engine.torch.capture import to_array

        weights = loaded.model.state_dict().items()
        halting = {name: to_array(tensor) for name, tensor in weights if "halting_unit." in name}
    found = remarks(loaded.header, loaded.config, halting)
    if not loaded.tokenizer_config:
        found.append("it has no tokenizer: type token ids such as 1 2 3")
    return found


def samples_of(header: Header) -> list[Any]:
    """The sample inputs beside the weights; damaged ones are no reason not to open the checkpoint."""
    path = header.path / SAMPLES
    try:
        found = json.loads(path.read_text("utf-8")) if path.is_file() else []
    except (OSError, ValueError):
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def first_text(header: Header) -> str:
    """The first sample input that has a text; UserError where the checkpoint brings none."""
    for one in samples_of(header):
        if one.get("text"):
            return str(one["text"])
    raise UserError(f"{header.name} brings no sample input", "type one in the inspector and run it")

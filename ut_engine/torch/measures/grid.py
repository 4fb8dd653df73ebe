"""Depth grids of several checkpoints on one input: update, cosine, read-out and halting of every cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ut_engine.cells import cells_of
from ut_engine.errors import UserError
from ut_engine.family import load
from ut_engine.prepare import Input, prepare
from ut_engine.records import Capture
from ut_engine.run import Run
from ut_engine.torch.measures import Progress

KEPT = Capture(attention=False, states=True, readout=True, derived=True)
MOST = 16  # checkpoints


def measure(args: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """args: {"checkpoints": paths, "text": what all of them read, "steps": their cap or None}.

    Returns {"text", "grids": [`Cells.to_dict()` in the order asked]}.  Raises UserError for a checkpoint that
    cannot be opened and for a text that one of them cannot read.
    """
    paths, text = args.get("checkpoints"), args.get("text")
    if not isinstance(paths, list | tuple) or not 1 <= len(paths) <= MOST:
        raise UserError("no checkpoints were named", f"name 1 to {MOST} of them")
    if not isinstance(text, str) or not text.strip():
        raise UserError("there is no text to read", "type one")
    steps = args.get("steps")
    grids = []
    for k, path in enumerate(paths):
        progress(k, len(paths))
        loaded = load(path)
        ids, info = prepare(loaded, Input(text=text), steps)
        if info.config.get("decoder"):
            raise UserError("an encoder-decoder has two grids", "choose a model with an encoder only")
        run = Run(info)
        for record in loaded.model.steps(ids, KEPT, steps):
            run = run.add(record)
            progress(k, len(paths))
        cells = cells_of(run.info, run.records)
        assert cells is not None
        grids.append(cells.to_dict())
    progress(len(paths), len(paths))
    return {"text": text, "grids": grids}

"""Accuracy, N and rho of a babi checkpoint on generated stories: what `depthscope eval` reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ut_engine.family import load
from ut_engine.torch.eval_run import evaluate_checkpoint
from ut_engine.torch.measures import Progress


def measure(args: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """args: checkpoint (a path); same_story: the same stories, asked with one, two and three facts."""
    loaded = load(str(args["checkpoint"]))
    report = evaluate_checkpoint(loaded, same_story=bool(args.get("same_story")), progress=progress)
    return {**report, "name": loaded.header.name}

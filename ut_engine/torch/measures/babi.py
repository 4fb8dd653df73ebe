"""Accuracy, N and rho of a babi checkpoint on generated stories: what `depthscope eval` reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ut_engine.family import load
from ut_engine.torch.eval_run import evaluate_checkpoint
from ut_engine.torch.measures import Progress


def measure(args: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """args: checkpoint (a path); same_story: the same stories, asked with one, two and three facts.

    The report of `depthscope eval`, and the checkpoint that was asked: its path and its name.
    """
    path = str(args["checkpoint"])
    loaded = load(path)
    report = evaluate_checkpoint(loaded, same_story=bool(args.get("same_story")), progress=progress)
    return {**report, "checkpoint": path, "name": loaded.header.name}

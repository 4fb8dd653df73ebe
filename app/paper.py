"""The paper's printed figures, as they ship in `resources/tables/paper.json` with their source."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from app.paths import resource

CITATION = (
    "Dehghani, Gouws, Vinyals, Uszkoreit, Kaiser: Universal Transformers, ICLR 2019, arXiv:1807.03819v3"
)


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """Every table by its key, with caption, rows and notes as in the file."""
    found: dict[str, Any] = json.loads(resource("tables", "paper.json").read_text("utf-8"))["tables"]
    return found


@lru_cache(maxsize=1)
def facts_told() -> dict[int, float]:
    """Mean number of facts before a question of the official bAbI test files, by supporting facts."""
    found = json.loads(resource("tables", "babi.json").read_text("utf-8"))["facts_told"]
    return {int(facts): float(mean) for facts, mean in found.items()}


def pondered(facts: int) -> tuple[float, float]:
    """bAbI: mean ponder time over all positions and its printed deviation, by supporting facts (1, 2, 3)."""
    row = tables()["babi_ponder_time_by_supporting_facts"]["rows"][str(facts)]
    return float(row["mean"]), float(row["pm"])


def lambada_steps() -> tuple[float, float]:
    """LAMBADA: mean number of steps of the best model with dynamic halting, and its printed deviation."""
    row = tables()["lambada_ponder_time"]
    return float(row["mean"]), float(row["pm"])


@dataclass(frozen=True, slots=True)
class Figure:
    """One printed number, NaN where the table has none; deviation: what stands behind its ±."""

    value: float = math.nan
    deviation: float | None = None


def rows(key: str, paths: Sequence[tuple[str, ...]]) -> tuple[tuple[str, tuple[Figure, ...]], ...]:
    """(name, figures) of every row of a table, in the printed order; a path leads to each figure."""
    found = tables()[key]["rows"]
    return tuple((name, tuple(_figure(row, path) for path in paths)) for name, row in found.items())


def _figure(row: Any, path: tuple[str, ...]) -> Figure:
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    if isinstance(row, dict):
        return Figure(float(row["mean"]), float(row["pm"]))
    return Figure() if row is None else Figure(float(row))

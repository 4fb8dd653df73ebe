"""The figures between the paragraphs: other panes in small."""

from __future__ import annotations

from collections.abc import Mapping

from app.inset import Spot

WIDTH = 860  # of the window, in px at 100 %, that a figure is told

SPOTS: Mapping[str, Spot] = {
    "coords": Spot("coords", (("part", "sum"),)),
    "grid": Spot("grid"),
    "cost": Spot("cost"),
    "scan": Spot("scan"),
    "act": Spot("act", (("source", "fresh"),), "lanes", 300),
    "ponder": Spot("ponder"),
}

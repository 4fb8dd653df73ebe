"""The figures between the paragraphs: other panes in small."""

from __future__ import annotations

from collections.abc import Mapping

from app.inset import Spot

WIDTH = 860  # of the window, in px at 100 %, that a figure is told

GRID = (("source", "schematic"), ("show", "all"), ("m", "8"), ("depth", "6"), ("scenario", "sentence"),
        ("state", "frozen"), ("tick", "4"))  # fmt: skip
SPOTS: Mapping[str, Spot] = {
    "coords": Spot("coords", (("m", "200"), ("t", "60"), ("look", "60")), "lengths", 330),
    "grid": Spot("grid", GRID, "grid.all", 520),
    "cost": Spot("cost", (), "scatter", 520, more=("cost.preset.form", "cost.d_model.form", "cost.depth.form",
                                                   "cost.shared.form")),
    "scan": Spot("scan", (("n", "40"), ("seed", "1"), ("step", "3")), "grid", 360, more=("layer.form",)),
    "act": Spot("act", (("source", "fresh"), ("line", "14")), "lanes", 460),
    "ponder": Spot("ponder", (), "ponder", 340),
}  # fmt: skip

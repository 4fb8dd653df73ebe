"""Colours, colour maps, sizes and type of both themes, named by what they mean; for Qt and SVG alike.

A scene names a role ("running"), never a colour.  Hues are those of Okabe and Ito, so running and halted
survive colour blindness; halted is a hatch besides.  `TEXT_PAIRS` and `GRAPHIC_PAIRS` are every pair of
roles that meets on screen: tests hold them to the contrast of WCAG 2 (4.5 for text, 3 for graphics).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from app.paths import resource

if TYPE_CHECKING:  # numpy comes when a map is first asked for: the first paint needs colours only
    import numpy as np
    from numpy.typing import NDArray

DARK: Final = {
    "bg": "#1e1f22",  # behind the panels, in text fields
    "panel": "#25262a",
    "raised": "#2d2f34",  # buttons, head picker, empty track
    "hover": "#34373d",
    "border": "#3a3c42",
    "outline": "#7d828b",  # of an indicator that must be seen to be used
    "grid": "#303238",
    "fg": "#e3e5e8",
    "dim": "#9da2aa",
    "faint": "#70757e",  # decoration only
    "accent": "#5b9dff",
    "accent_soft": "#23406b",  # the chosen tab, a selected row
    "accent_mid": "#3f5b85",  # computed, not yet looked at
    "on_accent": "#10141a",
    "running": "#56b4e9",
    "halts": "#e69f00",
    "halts_text": "#e69f00",
    "remainder": "#d58bb8",
    "breakpoint": "#ff6b6b",
    "error": "#ff8585",
    "warning": "#ffcf5c",
    "ok": "#2fbf8f",
    "on_ok": "#0f1512",
    "changed": "#ffcf5c",
    "changed_bg": "#4a3c12",
    "hatch": "#80858e",  # strokes of what is absent, copied or not counted
    "hatch_bg": "#34373d",
    "ink": "#ffffff",  # outlines over a map: ink inside, halo around
    "halo": "#000000",
    "map_dark": "#000000",  # numbers in cells of a map: one on bright cells, the other on dark ones
    "map_light": "#ffffff",
    "c1": "#b7c7f8",  # c1 ... c6: things of one sort told apart, each with a sign or a name of its own
    "c2": "#fe8f68",
    "c3": "#25faa3",
    "c4": "#fc41a5",
    "c5": "#d5a914",
    "c6": "#b680e8",
    "scrim": "#101114",
}
LIGHT: Final = {
    "bg": "#f5f6f8",
    "panel": "#ffffff",
    "raised": "#f0f1f4",
    "hover": "#e4e7ec",
    "border": "#d5d8de",
    "outline": "#80868f",
    "grid": "#e6e8ec",
    "fg": "#1b1f24",
    "dim": "#545a64",
    "faint": "#8b919b",
    "accent": "#1f62d0",
    "accent_soft": "#dbe7fb",
    "accent_mid": "#9cb8e5",
    "on_accent": "#ffffff",
    "running": "#0072b2",
    "halts": "#c96a00",
    "halts_text": "#a85800",
    "remainder": "#a8447f",
    "breakpoint": "#c62828",
    "error": "#b3261e",
    "warning": "#7a5200",
    "ok": "#00795a",
    "on_ok": "#ffffff",
    "changed": "#7a5200",
    "changed_bg": "#fff1c2",
    "hatch": "#80868f",
    "hatch_bg": "#eceef1",
    "ink": "#14171b",
    "halo": "#ffffff",
    "map_dark": "#000000",
    "map_light": "#ffffff",
    "c1": "#023ada",
    "c2": "#762f05",
    "c3": "#077454",
    "c4": "#aa2683",
    "c5": "#926a03",
    "c6": "#510e9b",
    "scrim": "#e9ebef",
}
THEMES: Final = {"light": LIGHT, "dark": DARK}
PRINTED: Final = {name: {**theme, "bg": theme["panel"]} for name, theme in THEMES.items()}
"""On a sheet of paper: no ink for the ground between the panels."""

CATEGORIES: Final = ("c1", "c2", "c3", "c4", "c5", "c6")
"""Colours of series, 20 and more apart (CIE76) to every kind of colour vision; names at lines wear them."""
_SURFACES = ("bg", "panel", "raised")
TEXT_PAIRS: Final = (
    *((text, surface) for text in ("fg", "dim") for surface in (*_SURFACES, "hover")),
    *(
        (text, surface)
        for text in ("accent", "ok", "error", "halts_text", "warning")
        for surface in _SURFACES[:2]
    ),
    *((text, "panel") for text in ("remainder", "breakpoint", "running")),
    *((text, "panel") for text in CATEGORIES),
    ("fg", "accent_soft"),
    ("fg", "scrim"),
    ("on_accent", "accent"),
    ("on_ok", "ok"),
    ("changed", "changed_bg"),
)
GRAPHIC_PAIRS: Final = tuple(
    (role, surface)
    for role in ("accent", "outline", "running", "halts", "remainder", "breakpoint", "ok", "hatch", "faint")
    for surface in ("panel",)
) + (
    ("accent", "bg"),  # a focus ring around a text field
    ("accent", "raised"),
    ("outline", "bg"),
    ("hatch", "hatch_bg"),
    ("ink", "halo"),
)
DECORATION: Final = {
    "border": "edges of cards, which stand apart by their ground as well",
    "grid": "lines behind curves and between rows",
    "accent_mid": "the part of the scrubber that is computed, told in words beside it",
}
"""Roles without a pair, and why nothing is lost where they are not seen."""
FILL: Final = 0.45
"""Share of a role's colour in the fill of a cell that carries text."""

SPACE: Final = {"xs": 4, "s": 8, "m": 12, "l": 16, "xl": 24}
"""Gaps in logical pixels at 100 %."""
TYPE: Final = {
    "tiny": 11, "small": 12, "body": 13, "title": 14, "display": 20, "mono": 12, "math": 16,
    "reading": 16, "headline": 26,
}  # fmt: skip
"""Type sizes in logical pixels at 100 %."""

FAMILIES: Final = {
    "text": ("Pretendard", "DejaVu Sans"),
    "mono": ("JetBrains Mono", "Pretendard", "DejaVu Sans"),
    "math": ("STIX Two Math", "Pretendard", "DejaVu Sans"),
}
"""Bundled families, in the order they are asked for a glyph; never the system's own CJK faces."""

_MAPS = {
    ("attention", "dark"): "cividis",
    ("attention", "light"): "CET-L17",  # white at 0: ink is attention
    ("diverging", "dark"): "CET-D6",
    ("diverging", "light"): "CET-D1A",
}


@cache
def _tables() -> dict[str, NDArray[np.uint8]]:
    import numpy as np

    with np.load(resource("colormaps.npz"), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def colormap(theme: str, kind: str = "attention") -> NDArray[np.uint8]:
    """The colour table of one kind ("attention" for values from 0, "diverging" around 0): uint8 [256, 3]."""
    return _tables()[_MAPS[kind, theme]]


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb" (WCAG 2.2)."""
    channels = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)

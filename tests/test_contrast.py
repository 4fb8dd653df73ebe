"""Every pair of colours that meets on screen can be told apart; colour maps are what they claim to be."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from app import palette


@pytest.mark.parametrize("theme", palette.THEMES)
@pytest.mark.parametrize("pair", palette.TEXT_PAIRS, ids=lambda pair: " on ".join(pair))
def test_text_can_be_read(theme: str, pair: tuple[str, str]) -> None:
    one, other = (palette.THEMES[theme][role] for role in pair)
    assert palette.contrast(one, other) >= 4.5


@pytest.mark.parametrize("theme", palette.THEMES)
@pytest.mark.parametrize("pair", palette.GRAPHIC_PAIRS, ids=lambda pair: " on ".join(pair))
def test_graphics_can_be_seen(theme: str, pair: tuple[str, str]) -> None:
    one, other = (palette.THEMES[theme][role] for role in pair)
    assert palette.contrast(one, other) >= 3


SEEN_BY = {
    "all cones": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                        [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                          [-0.011820, 0.042940, 0.968881]]),
    "no blue": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                         [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip
"""Linear RGB as eyes lacking one kind of cone see it (Machado, Oliveira and Fernandes 2009, severity 1)."""


def lab(linear: np.ndarray) -> np.ndarray:
    """CIE L*a*b* (D65) of linear sRGB [3]."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ linear.clip(0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", palette.THEMES)
@pytest.mark.parametrize("eyes", SEEN_BY)
def test_colours_of_series_are_far_apart_to_all_eyes(theme: str, eyes: str) -> None:
    seen = []
    for role in palette.CATEGORIES:
        colour = palette.THEMES[theme][role]
        srgb = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
        linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
        seen.append(lab(SEEN_BY[eyes] @ linear))
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) >= 20


def test_contrast_has_the_known_ends() -> None:
    assert palette.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert palette.contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


def test_both_themes_know_the_same_roles() -> None:
    assert palette.LIGHT.keys() == palette.DARK.keys()


def test_attention_maps_run_one_way() -> None:
    """Lightness is monotone, dark to bright in the dark theme, page to ink in the light one."""
    for theme, sign in (("dark", 1), ("light", -1)):
        table = palette.colormap(theme)
        assert table.shape == (256, 3)
        assert table.dtype == np.uint8
        light = np.array([palette.luminance("#{:02x}{:02x}{:02x}".format(*row)) for row in table.tolist()])
        assert (np.diff(light) * sign > -2e-3).all()
    assert palette.colormap("light")[0].tolist() == [255, 255, 255]


@pytest.mark.parametrize("name", ["cividis", "CET-L17", "CET-D1A", "CET-D6"])
def test_tables_are_those_of_pyqtgraph(name: str) -> None:
    colormap = pytest.importorskip("pyqtgraph").colormap
    with np.load(palette.resource("colormaps.npz")) as file:
        assert np.array_equal(file[name], colormap.get(name).getLookupTable(nPts=256, alpha=False))

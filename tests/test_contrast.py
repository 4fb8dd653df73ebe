"""Every pair of colours that meets on screen can be told apart; colour maps are what they claim to be."""

from __future__ import annotations

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

"""Every pane's figure as SVG, at first, middle and last step: languages, themes and sizes in pairs."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.pane import all_panes
from app.qt import application
from app.qt import theme as themes
from app.qt.studio import Studio
from app.qt.theme import Theme
from tests import goldens

PANES = all_panes()
CASES = [
    ("first", "en", "light", 1280, 672),
    ("middle", "ko", "dark", 1280, 672),
    ("last", "en", "dark", 1440, 772),
    ("last", "ko", "light", 1440, 772),
]
"""Every pair of language, theme and size once (800 and 900 less the window's two bars)."""
SLACK = 1.0  # pixels: another build of the font library may place a sign a little aside


@pytest.mark.parametrize(("place", "language", "theme", "wide", "high"), CASES)
@pytest.mark.parametrize("name", PANES)
def test_figures_are_as_they_were(
    name: str, place: str, language: str, theme: str, wide: int, high: int,
    qapp: QApplication, pytestconfig: pytest.Config,
) -> None:  # fmt: skip
    themes.apply(application.make_application(), Theme("light"))  # whatever other tests left
    studio = Studio(Theme(theme), language, (wide, high))
    studio.show_scene(goldens.scene_at(PANES[name], place, wide))
    text = goldens.figure_text(studio.svg().decode("utf-8"))
    studio.close_down()
    file = f"{name}/{place}-{language}-{theme}-{wide}.svg"
    goldens.check(file, text, pytestconfig.getoption("--golden-update"), SLACK)


@pytest.mark.parametrize("name", list(PANES)[:2])
def test_a_figure_does_not_depend_on_how_the_window_looks(name: str, qapp: QApplication) -> None:
    app, drawn = application.make_application(), []
    for shown in (Theme("dark", 2.0), Theme("light", 1.0), Theme("light", 1.5)):
        themes.apply(app, shown)
        studio = Studio(Theme("light"), "en", (1280, 672))
        studio.show_scene(goldens.scene_at(PANES[name], "middle", 1280))
        drawn.append(goldens.figure_text(studio.svg().decode("utf-8")))
        studio.close_down()
    assert drawn[0] == drawn[1] == drawn[2]

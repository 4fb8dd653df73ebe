"""No pane scrolls sideways, whatever the window and the size of its text: what finds no room stands below."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.pane import all_panes
from app.qt.frame import LEAST
from app.settings import Settings
from tests.qt import whole

CHAPTERS = sorted(set(all_panes()) - {"act", "inspector"})  # those have tests of their own
SIZES = [(*LEAST, 1.0), (1100, 700, 1.0), (1190, 700, 1.0), (1440, 900, 1.5), (1440, 900, 2.0)]


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}-{size[2]:g}")
@pytest.mark.parametrize("pane", CHAPTERS)
def test_nothing_lies_beside_the_window(
    pane: str, size: tuple[int, int, float], language: str, qtbot: Any, qapp: QApplication
) -> None:
    wide, high, scale = size
    settings = Settings(workspace=pane, language=language, scale=scale)
    with whole.window(qtbot, pane, (wide, high), settings) as shell:
        shell.refresh()
        for _ in range(6):  # layouts settle in steps
            QApplication.processEvents()
        assert shell.areas[pane].horizontalScrollBar().maximum() == 0

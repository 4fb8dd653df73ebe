"""The window at its smallest and with larger text: nothing lies beside it, no buttons overlap."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.qt.frame import LEAST
from app.settings import Settings
from tests.qt import whole

SMALL = [(*LEAST, 1.0), (1152, 720, 1.0), (1280, 800, 1.0), (1440, 900, 1.5), (1280, 800, 1.25)]


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(("wide", "high", "scale"), SMALL)
def test_the_inspector_needs_no_horizontal_scroll_bar(
    wide: int, high: int, scale: float, language: str, qapp: QApplication
) -> None:
    with whole.session(Settings(language=language, scale=scale), (wide, high)) as session:
        whole.show(session, "inspector", "middle")
        assert session.shell.areas["inspector"].horizontalScrollBar().maximum() == 0

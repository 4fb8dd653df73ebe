"""No pane scrolls sideways, whatever the window and the size of its text: what finds no room stands below."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.pane import all_panes
from app.panes._quiz_questions import QUESTIONS
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


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
@pytest.mark.parametrize("question", ["shared", "ticks", "lineage"])  # the widest figures
def test_the_figure_below_an_answered_question_folds(
    question: str, scale: float, qtbot: Any, qapp: QApplication
) -> None:
    one = next(one for one in QUESTIONS if one.id == question)
    answer = one.right if one.number is None else f"{one.number():g}"
    settings = Settings(workspace="quiz", scale=scale, quiz=(f"{question}={answer}",))
    with whole.window(qtbot, "quiz", LEAST, settings) as shell:
        shell.store.dispatch("open.view", f"quiz?question={question}")
        whole.settle(shell)
        assert shell.store.state.pane_state.figure is not None
        assert shell.areas["quiz"].horizontalScrollBar().maximum() == 0

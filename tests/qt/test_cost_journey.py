"""The calculator in the real window, by keyboard: a model is taken up, changed, typed wrong, and checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QPushButton, QWidget

from app.panes._cost_state import State
from app.qt.marks.chart import PlotView
from app.qt.session import Session
from app.qt.window import Shell
from app.settings import Settings
from tests.qt import whole
from tests.qt.whole import press, tab_to

KEY = Qt.Key


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with whole.session(Settings(workspace="cost"), (1280, 800)) as found:
        whole.show(found, "cost", "first")
        yield found


def state(session: Session) -> State:
    return session.store.state.pane_state  # type: ignore[no-any-return]


def typed(shell: Shell, spin: QDoubleSpinBox, text: str) -> None:
    spin.selectAll()
    for sign in text:
        press(shell, ord(sign), text=sign)
    press(shell, KEY.Key_Return)


def on_screen(session: Session) -> str:
    """All that is read aloud or written in labels of the visible pane."""
    return " ".join(
        getattr(one, "text", str)() for one in session.window.findChildren(QWidget) if one.isVisible()
    )


def test_from_a_published_model_to_ones_own_and_to_the_real_module(session: Session, qtbot: Any) -> None:
    d = tab_to(session.shell, "d", QDoubleSpinBox)
    typed(session.shell, d, "1000")
    assert state(session).design.d_model == 1024
    assert "d = 1,000 cannot be split into 16 heads" in on_screen(session)
    typed(session.shell, d, "976")
    assert (state(session).design.d_model, state(session).design.d_ff) == (976, 3904)
    assert "cannot be split" not in on_screen(session)
    tab_to(session.shell, "softmax projection", QCheckBox)
    press(session.shell, KEY.Key_Space)
    assert state(session).softmax
    tab_to(session.shell, "Check with the real module", QPushButton)
    press(session.shell, KEY.Key_Space)
    check = state(session).check
    assert check is not None
    qtbot.waitUntil(lambda: not state(session).check.waits, timeout=60_000)  # type: ignore[union-attr]
    whole.settle(session)
    found = state(session).check
    assert found is not None
    assert found.failed == ""
    assert on_screen(session).count(f"{state(session).cost.parameters:,}") >= 2
    assert "≠" not in on_screen(session)


def test_a_point_of_the_scatter_is_taken_up_by_keyboard(session: Session) -> None:
    view = next(one for one in session.window.findChildren(PlotView) if one.isVisible())
    view.setFocus()
    press(session.shell, KEY.Key_Right)
    press(session.shell, KEY.Key_Return)
    assert state(session).current in ("transformer-base", "ut-small")
    assert view.isVisible()

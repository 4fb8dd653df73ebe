"""Block and lineage in the real window, by keyboard and by mouse: explained, switched, measured, opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication

from app.panes._block_state import State
from app.qt.marks.equation import EquationView
from app.qt.marks.graph import GraphView
from app.qt.window import Shell
from tests.qt import whole
from tests.qt.whole import press, settle, tab_until

KEY = Qt.Key
ROW = [-1.0, 0.0, 1.0, 2.0, 0.5]


@pytest.fixture
def window(qtbot: Any, qapp: QApplication) -> Iterator[Shell]:
    with whole.window(qtbot, "block", (1280, 800)) as shell:
        yield shell


def graph(window: Shell, key: str) -> GraphView:
    return next(view for view in window.frame.findChildren(GraphView) if view.mark and view.mark.key == key)


def looked(window: Shell) -> str:
    state = window.store.state.panes["block"]
    assert isinstance(state, State)
    return state.look


def test_the_block_is_explained_switched_and_measured_without_a_mouse(window: Shell) -> None:
    tab_until(window, lambda widget: isinstance(widget, GraphView) and widget.mark.key == "ut.graph")
    for key, expected in ((KEY.Key_Down, "ut.x"), (KEY.Key_Up, "ut.self"), (KEY.Key_Up, "ut.norm1")):
        press(window, key)
        press(window, KEY.Key_Return)
        assert looked(window) == expected
    tab_until(window, lambda widget: isinstance(widget, EquationView) and widget.mark.key == "tf.equations")
    press(window, KEY.Key_Down)
    press(window, KEY.Key_Down)
    press(window, KEY.Key_Return)
    assert looked(window) == "tf.tr"
    tab_until(window, lambda widget: widget.accessibleName() == "Side: Encoder")
    press(window, KEY.Key_Right)
    assert looked(window) == "tf.cross"
    assert "ut.cross" in {box.id for box in graph(window, "ut.graph").mark.boxes}
    button = tab_until(window, lambda widget: "babi" in widget.accessibleName())
    assert isinstance(button, QAbstractButton)
    press(window, KEY.Key_Space)
    state = window.store.state.panes["block"]
    assert state.waiting
    sizes = {"d_model": 64, "heads": 4, "d_ff": 256, "max_steps": 4, "layers": 1}
    config = {"architecture": "universal", "norm": "pre", "transition": "feedforward", **sizes}
    side = {"positions": 9, "steps": 2, "tensors": {"x": [ROW, ROW]}}
    value = {"name": "babi", "text": "", "config": config, "sides": {"encoder": side},
             "figures": ["min", "mean", "max", "norm", "std"]}  # fmt: skip
    window.store.dispatch("measure.done", {"key": "block.values", "value": value})
    window.store.dispatch("values.fit")
    settle(window)
    state = window.store.state.panes["block"]
    assert (state.side, state.norm, state.d, state.m) == ("encoder", "pre", 64, 9)


def test_a_click_on_the_time_line_leads_to_a_checkpoint(window: Shell, qtbot: Any) -> None:
    window.store.dispatch("shell.pane", "lineage")
    settle(window)
    view = graph(window, "time")
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.box_rect("act").center().toPoint())
    settle(window)
    assert window.store.state.panes["lineage"].look == "act"
    button = next(
        one for one in window.frame.findChildren(QAbstractButton) if one.accessibleName() == "Open parity-act"
    )
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(window)
    assert window.store.state.current == "inspector"
    assert window.store.state.panes["inspector"].path == "parity-act"

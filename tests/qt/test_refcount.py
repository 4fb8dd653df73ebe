"""PySide6 6.12.0 loses a reference to None at every void call and so kills Python 3.11 within seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

CALLS = 1000
NOISE = 50  # what the interpreter itself may drop meanwhile


def lost(call: Callable[[], object]) -> int:
    """References to None that `CALLS` calls drop (None is immortal, and so never dropped, from 3.12 on)."""
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        call()
    return before - sys.getrefcount(None)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on")
def test_the_probe_sees_a_loss() -> None:
    held = [None] * CALLS
    assert lost(lambda: held.pop() or 0) > NOISE


def test_void_calls_keep_references_to_none(qtbot: QtBot) -> None:
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    label = QLabel()
    qtbot.addWidget(label)
    painter = QPainter(image)
    calls: dict[str, Callable[[], object]] = {
        "setOpacity": lambda: painter.setOpacity(0.5),
        "setPen": lambda: painter.setPen(Qt.GlobalColor.red),
        "fillRect": lambda: painter.fillRect(QRect(0, 0, 2, 2), Qt.GlobalColor.blue),
        "setText": lambda: label.setText("x"),
        "processEvents": lambda: QCoreApplication.processEvents(),
    }
    losses = {name: lost(call) for name, call in calls.items()}
    painter.end()
    assert {name: loss for name, loss in losses.items() if loss > NOISE} == {}

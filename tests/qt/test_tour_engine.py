"""The tour that needs a checkpoint, with the real engine: what its sentences say is what the model does."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.pane import all_panes
from app.qt.pump import Pump
from app.qt.store import Store
from app.reduce import start
from app.settings import Settings
from app.tour_steps import HEAD, story
from ut_engine.client import Client
from ut_engine.metrics import normalised_entropy, row_entropy

PATIENCE = 60_000
PANES = ("inspector", "ponder")


@pytest.fixture
def store(qapp: QApplication) -> Iterator[Store]:
    """The panes of the tour with a real engine."""
    panes = {name: pane for name, pane in all_panes().items() if name in PANES}
    made = Store(start(Settings(), panes, "en", "light"), panes)
    pump = Pump(made.send, lambda notify: Client(notify, stderr=subprocess.DEVNULL))
    made.perform["engine"] = pump.perform
    yield made
    made._clock.stop()
    pump.close()


def test_attention_sharpens_and_broadens_again(store: Store, qtbot: Any) -> None:
    def run() -> Any:
        return store.state.panes["inspector"]

    store.dispatch("shell.tour", "sharpen")
    qtbot.waitUntil(lambda: run().phase == "done", timeout=PATIENCE)
    assert run().text == story()
    assert (run().head, run().pinned, run().line.current) == (int(HEAD) - 1, 0, 1)
    rows = [record.attention[0].weights[0, run().head, 0] for record in run().records]
    entropy = normalised_entropy(row_entropy(np.stack(rows)), len(rows[0]))
    marks = np.stack(rows)[:, list(run().info.marks)].sum(axis=1)
    assert entropy[0] > 0.7
    assert entropy[3] == entropy.min() < 0.1
    assert entropy[5] > 0.4
    assert marks[3] > 0.95
    generation = run().generation
    places = []
    for _ in range(4):
        store.dispatch("shell.tour.move", 1)
        places.append(run().line.current)
    assert places == [2, 4, 4, 6]
    assert run().generation == generation  # the same run all along
    assert not store.state.notices

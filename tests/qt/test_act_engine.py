"""A changed past of a shipped model, from the pane through the engine's process and back."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.pane import Effect, all_panes
from app.panes import _act_state as st
from app.panes._act_state import State
from app.qt.pump import Pump
from app.qt.store import Store
from app.reduce import start
from app.settings import Settings
from ut_engine import family
from ut_engine.client import Client
from ut_engine.edits import Edit

MODEL = Path(__file__).resolve().parents[2] / "resources" / "checkpoints" / "parity-act"
PATIENCE = 60_000


@pytest.fixture
def store(qapp: QApplication) -> Iterator[Store]:
    """The debugger alone with a real engine."""
    panes = {"act": all_panes()["act"]}
    made = Store(start(Settings(), panes, "en", "light"), panes)
    pump = Pump(made.send, lambda notify: Client(notify, stderr=subprocess.DEVNULL))
    made.perform["engine"] = pump.perform
    yield made
    made._clock.stop()
    pump.close()


def test_a_frozen_model_is_changed_through_the_engine(store: Store, qtbot: Any) -> None:
    def state() -> State:
        found = store.state.panes["act"]
        assert isinstance(found, State)
        return found

    def still(steps: int, branches: int = 1) -> bool:
        now = state()
        there = now.setup.states is not None and now.live.rerun is None and len(now.branches) == branches
        return there and now.trace.steps >= steps

    store.dispatch("control.source", "live")
    store.perform["engine"](Effect("engine.open", str(MODEL)))
    qtbot.waitUntil(lambda: state().live.path != "", timeout=PATIENCE)
    store.dispatch("run.start")
    qtbot.waitUntil(lambda: still(1), timeout=PATIENCE)
    store.dispatch("transport.group_forward")
    store.dispatch("transport.group_forward")
    qtbot.waitUntil(lambda: still(2), timeout=PATIENCE)
    assert state().setup.state == "frozen"
    old = state().trace
    store.dispatch("edit.step", 1)
    store.dispatch("edit.set", ("halt", 0, 1.0))
    qtbot.waitUntil(lambda: still(2, 2), timeout=PATIENCE)
    store.dispatch("transport.last")
    qtbot.waitUntil(lambda: state().trace.finished and state().live.phase == st.DONE, timeout=PATIENCE)
    info = state().live.info
    assert info is not None
    assert info.edits == (("halt", 1, 0, 1.0),)
    model = family.load(MODEL).model
    direct = list(model.steps(np.array(info.ids), max_steps=info.max_steps, edits=[Edit("halt", 1, 0, 1.0)]))
    assert state().trace.steps == len(direct)
    for end, record in zip(state().trace.ends, direct, strict=True):
        np.testing.assert_array_equal(end["transformed_state"], record.state[0])
    assert state().branches[0].trace is old
    assert state().ghost == 0

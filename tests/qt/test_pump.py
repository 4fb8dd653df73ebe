"""The way from a typed story to records and back, through a real engine process without torch."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.messages import Message
from app.pane import Effect, Event, all_panes
from app.paths import shipped
from app.qt import pump as pump_module
from app.qt.open_files import outcome, there
from app.qt.pump import Pump, count_positions, is_trace, model_of, with_shipped
from app.qt.store import Store
from app.reduce import start
from app.settings import Settings
from tests.panes import made
from ut_engine.checkpoint import peek
from ut_engine.records import Address, StepRecord
from ut_engine.run import Run, RunInfo

PATIENCE = 20_000


class Rig:
    """A store with the real inspector, a pump and an engine; every event is kept."""

    def __init__(self, make: Any) -> None:
        panes = {"inspector": all_panes()["inspector"]}
        self.store = Store(start(Settings(), panes, "en", "light"), panes)
        self.seen: list[str] = []
        self.pump = Pump(self.take, make)
        self.store.perform["engine"] = self.pump.perform
        self.effects: list[Effect] = []
        self.store.perform["file"] = self.effects.append

    def take(self, event: Event) -> None:
        self.seen.append(event.name)
        self.store.send(event)

    @property
    def state(self) -> Any:
        return self.store.state.pane_state


@pytest.fixture
def rig(qapp: QApplication, fake_engine: Any) -> Iterator[Rig]:
    made = Rig(fake_engine)
    yield made
    made.store._clock.stop()
    made.pump.close()


@pytest.fixture
def opened(rig: Rig, model_path: Path, qtbot: Any) -> Rig:
    rig.store.dispatch("open.path", str(model_path))
    qtbot.waitUntil(lambda: rig.state.phase == "ready", timeout=PATIENCE)
    return rig


def test_a_checkpoint_opens_and_is_remembered(opened: Rig, model_path: Path) -> None:
    assert opened.state.card.name == "작은 모형"
    assert opened.state.text.startswith("Mary went")
    assert opened.store.state.settings.recent == (str(model_path),)
    assert opened.store.state.opened.device == "cpu"
    assert opened.state.forecast["bytes"] > 0


def test_records_stream_in_while_one_may_pause_and_resume(opened: Rig, qtbot: Any) -> None:
    opened.store.dispatch("control.steps", 9)
    opened.store.dispatch("run.step")
    qtbot.waitUntil(lambda: len(opened.state.records) == 1, timeout=PATIENCE)
    assert opened.state.phase == "paused"
    opened.store.dispatch("transport.toggle")
    qtbot.waitUntil(lambda: opened.state.phase == "done", timeout=PATIENCE)
    assert [record.step for record in opened.state.records] == list(range(1, 10))
    assert opened.seen.index("engine.info") < opened.seen.index("engine.record")
    assert not opened.pump.busy


def test_a_second_run_drops_what_is_left_of_the_first(opened: Rig, qtbot: Any) -> None:
    opened.store.dispatch("control.steps", 9)
    opened.store.dispatch("run.start")
    opened.store.dispatch("control.steps", 4)
    opened.store.dispatch("run.start")
    qtbot.waitUntil(lambda: opened.state.phase == "done", timeout=PATIENCE)
    assert len(opened.state.records) == 4
    assert opened.state.info.max_steps == 4


def test_a_killed_engine_keeps_the_records_and_starts_again(opened: Rig, qtbot: Any) -> None:
    opened.store.dispatch("run.step")
    qtbot.waitUntil(lambda: len(opened.state.records) == 1, timeout=PATIENCE)
    assert opened.pump.client is not None
    os.kill(opened.pump.client.process.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: opened.state.phase == "failed", timeout=PATIENCE)
    assert len(opened.state.records) == 1
    assert "killed" in opened.state.what
    opened.store.dispatch("run.restart")
    qtbot.waitUntil(lambda: opened.state.phase == "ready" or opened.state.card.name != "", timeout=PATIENCE)
    qtbot.waitUntil(lambda: not opened.pump.busy, timeout=PATIENCE)
    opened.store.dispatch("run.start")
    qtbot.waitUntil(lambda: opened.state.phase == "done", timeout=PATIENCE)
    assert len(opened.state.records) == 6


def test_what_cannot_be_opened_is_said_and_the_program_goes_on(rig: Rig, qtbot: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.safetensors"
    page.write_text("<html>not found</html>")
    rig.store.dispatch("open.path", str(page))
    qtbot.waitUntil(lambda: rig.state.what != "", timeout=PATIENCE)
    assert "web page" in rig.state.what
    assert rig.store.state.settings.recent == ()
    assert not rig.pump.busy


def test_a_wrong_story_is_said_where_it_was_typed(opened: Rig, qtbot: Any) -> None:
    opened.store.dispatch("input.text", "Mary went to the office.")
    opened.store.dispatch("run.start")
    qtbot.waitUntil(lambda: opened.state.what != "", timeout=PATIENCE)
    assert "question" in opened.state.what
    assert opened.state.where == "run"


def test_loading_can_be_cancelled(rig: Rig, model_path: Path, qtbot: Any) -> None:
    rig.store.dispatch("open.path", str(model_path))
    rig.store.dispatch("run.cancel")
    assert rig.state.phase == "no checkpoint"
    assert not rig.pump.busy
    rig.store.dispatch("open.path", str(model_path))
    qtbot.waitUntil(lambda: rig.state.phase == "ready", timeout=PATIENCE)


def recorded() -> Run:
    one = np.ones((1, 2), bool)
    info = RunInfo("universal_transformer", "m", {"heads": 1}, 5, ("a", "b"), ((1, 2),), max_steps=2)
    return Run(info, tuple(StepRecord(Address(t), one, one) for t in (1, 2)))


def test_a_recorded_run_opens_without_an_engine(rig: Rig, qtbot: Any, tmp_path: Path) -> None:
    path = tmp_path / "기록.trace.safetensors"
    rig.pump.perform(Effect("engine.save", (recorded(), str(path))))
    qtbot.waitUntil(lambda: bool(rig.store.state.notices), timeout=PATIENCE)
    rig.store.dispatch("open.path", str(path))
    qtbot.waitUntil(lambda: rig.state.phase == "recorded", timeout=PATIENCE)
    assert rig.pump.client is None
    assert rig.store.state.opened.recorded
    assert rig.store.state.settings.recent == (str(path),)
    assert rig.store.state.settings.checkpoint == ""


def test_a_trace_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    recorded().save(tmp_path / "renamed.safetensors")
    assert is_trace(str(tmp_path / "renamed.safetensors"))
    (tmp_path / "other.safetensors").write_bytes(b"12345678{}")
    assert not is_trace(str(tmp_path / "other.safetensors"))
    assert not is_trace(str(tmp_path))


def test_a_run_that_cannot_be_written_is_said(rig: Rig, qtbot: Any, tmp_path: Path) -> None:
    (tmp_path / "x.trace.safetensors").mkdir()
    rig.pump.perform(Effect("engine.save", (recorded(), str(tmp_path / "x.trace.safetensors"))))
    qtbot.waitUntil(lambda: bool(rig.store.state.notices), timeout=PATIENCE)
    assert isinstance(rig.store.state.notices[0], Message)
    assert rig.store.state.settings.recent == ()


def test_an_engine_that_cannot_start_is_said(qapp: QApplication, model_path: Path) -> None:
    from ut_engine.client import Client

    rig = Rig(lambda notify: Client(notify, command=("/no/such/program",)))
    rig.store.dispatch("open.path", str(model_path))
    assert rig.state.phase == "failed"
    assert "cannot be started" in rig.state.what
    rig.pump.close()


@pytest.mark.parametrize(("text", "count"), [("A b.\nC d.\nWhere is c?", 3), ("1 0 1 1", 4), ("", 1)])
def test_positions_are_counted_before_a_run(text: str, count: int) -> None:
    assert count_positions(text) == count


def test_a_recorded_run_has_its_own_name_and_finds_its_model_beside_it(
    opened: Rig, model_path: Path, qtbot: Any
) -> None:
    file = model_path.parent / "기록.trace.safetensors"
    opened.store.dispatch("run.start")
    qtbot.waitUntil(lambda: opened.state.phase == "done", timeout=PATIENCE)
    opened.state.run.save(str(file))
    opened.store.dispatch("open.path", str(file))
    qtbot.waitUntil(lambda: not opened.pump.busy and opened.state.model != "", timeout=PATIENCE)
    assert (opened.store.state.opened.name, opened.store.state.opened.recorded) == (file.name, True)
    assert Path(opened.state.model) == model_path
    opened.store.dispatch("open.live")
    qtbot.waitUntil(lambda: opened.state.phase == "done", timeout=PATIENCE)
    assert (opened.store.state.opened.name, opened.store.state.opened.recorded) == (model_path.name, False)


def test_the_model_of_a_recorded_run_has_its_name_and_size(model_path: Path, tmp_path: Path) -> None:
    def found(**changes: Any) -> Path | None:
        return model_of(Run(made.info(**changes), ()), model_path.parent / "a.trace.safetensors")

    size = peek(model_path).parameters
    assert found(checkpoint=model_path.name, parameters=size) == model_path
    assert found(checkpoint=model_path.name, parameters=size + 1) is None
    assert found(checkpoint=f"../{model_path.parent.name}/{model_path.name}", parameters=size) is None
    assert found(checkpoint="", parameters=size) is None
    babi = shipped()["babi"]
    assert found(checkpoint="babi", parameters=peek(babi).parameters) == babi


def test_a_view_may_name_a_checkpoint_that_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert with_shipped("babi") == str(shipped()["babi"])
    assert with_shipped("no such") == "no such"
    (tmp_path / "babi").mkdir()
    assert with_shipped("babi") == str(shipped()["babi"])  # any folder of that name is no checkpoint
    (tmp_path / "babi" / "config.json").write_text("{}")
    assert with_shipped("babi") == "babi"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_does_not_hold_up_the_window(rig: Rig, qtbot: Any, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.safetensors"
    os.mkfifo(pipe)
    assert not is_trace(str(pipe))
    rig.store.dispatch("open.path", str(pipe))
    qtbot.waitUntil(lambda: rig.state.what != "", timeout=PATIENCE)
    assert "no ordinary file" in rig.state.what


def test_a_recorded_run_larger_than_the_memory_is_said(
    rig: Rig, qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.qt.pump.load_run", lambda path: (_ for _ in ()).throw(MemoryError))
    rig.store.dispatch("open.path", str(tmp_path / "large.trace.safetensors"))
    qtbot.waitUntil(lambda: rig.state.what != "", timeout=PATIENCE)
    assert "memory" in rig.state.what


def test_a_folder_that_may_not_be_entered_is_left_to_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window asks what lies there before it opens or lets fall: that must not fail."""

    path, look = str(tmp_path / "m"), os.stat

    def denied(asked: Any, **more: Any) -> object:
        if str(asked).startswith(path):
            raise PermissionError(13, "Permission denied")
        return look(asked, **more)

    monkeypatch.setattr(os, "stat", denied)
    assert with_shipped(path) == path
    assert there(Path(path))
    outcome([path])  # may name no kind, but raises nothing
    assert not is_trace(path)


def test_what_comes_after_the_end_starts_no_engine(
    qapp: QApplication, model_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed while a file is being read: an engine started for what it says would never be ended."""
    path = tmp_path / "slow.trace.safetensors"
    recorded().save(path)
    made: list[object] = []
    rig = Rig(lambda notify: made.append(notify) or 1 / 0)
    reading, go_on = threading.Event(), threading.Event()
    real = pump_module.read_trace

    def slow(name: str) -> Iterator[Event]:
        reading.set()
        go_on.wait(PATIENCE / 1000)
        yield from real(name)

    monkeypatch.setattr(pump_module, "read_trace", slow)
    rig.store.dispatch("open.path", str(path))
    assert reading.wait(PATIENCE / 1000)
    threading.Timer(0.05, go_on.set).start()
    rig.pump.close()
    for _ in range(20):
        QApplication.processEvents()
    assert rig.seen == []
    rig.store.dispatch("open.path", str(model_path))
    assert made == []

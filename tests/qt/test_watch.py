"""A checkpoint that changes on disk is offered once, and only when it is whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.qt.watch import Watch


def put(file: Path, text: str, when: int) -> None:
    file.write_text(text, encoding="utf-8")
    os.utime(file, ns=(when, when))


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.usefixtures("qapp")
def test_a_change_is_told_once_when_it_has_settled(tmp_path: Path, single: bool) -> None:
    weights, told = tmp_path / "model.safetensors", list[str]()
    put(weights, "one", 1)
    watch = Watch()
    watch.changed.connect(told.append)
    path = str(weights if single else tmp_path)
    watch.watch(path)
    for _ in range(3):
        watch.look()
    assert told == []
    put(weights, "two", 2)
    watch.look()
    put(weights, "two and more", 3)
    watch.look()
    assert told == []  # still being written
    for _ in range(3):
        watch.look()
    assert told == [path]
    weights.unlink()
    for _ in range(3):
        watch.look()
    assert told == [path]
    watch.stop()


@pytest.mark.usefixtures("qapp")
def test_other_files_of_the_folder_do_not_count(tmp_path: Path) -> None:
    put(tmp_path / "model.safetensors", "one", 1)
    watch, told = Watch(), list[str]()
    watch.changed.connect(told.append)
    watch.watch(str(tmp_path))
    put(tmp_path / "log.txt", "more", 2)
    for _ in range(3):
        watch.look()
    assert told == []
    watch.watch("")
    watch.look()
    assert told == []


def test_it_looks_by_itself(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.qt.watch.EVERY_MS", 5)
    put(tmp_path / "model.safetensors", "one", 1)
    watch = Watch()
    watch.watch(str(tmp_path))
    with qtbot.waitSignal(watch.changed, timeout=5000):
        put(tmp_path / "model.safetensors", "two", 2)
    watch.stop()


@pytest.mark.usefixtures("qapp")
def test_what_changes_while_it_is_read_counts(tmp_path: Path) -> None:
    """Between the reading of the weights and the card's arrival lie seconds, at the first opening."""
    weights, told = tmp_path / "model.safetensors", list[str]()
    put(weights, "one", 1)
    watch = Watch()
    watch.changed.connect(told.append)
    watch.expect(str(tmp_path))
    put(weights, "two", 2)
    watch.watch(str(tmp_path))
    watch.look()
    watch.look()
    assert told == [str(tmp_path)]
    watch.watch(str(tmp_path))  # opened again without being expected: as it is now
    watch.look()
    assert told == [str(tmp_path)]
    watch.stop()

"""What About tells of the program: the system report, and the licences of what was bundled."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app import cli, paths
from app.qt import dialogs, faults


def test_the_report_names_what_a_fault_depends_on(qtbot: QtBot) -> None:
    dialogs.copy_report()
    from PySide6.QtGui import QGuiApplication

    text = QGuiApplication.clipboard().text()
    for word in ("Depthscope", "Python", "PySide6", "torch", "numpy", "Qt plug-in", "screen", "log in"):
        assert word in text


def test_licences_of_a_bundle_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialogs, "resource", lambda *parts: tmp_path.joinpath(*parts))
    assert "libfoo (MIT)" not in dialogs.licences()
    (tmp_path / "licences").mkdir()
    (tmp_path / "licences" / "bundled.txt").write_text("libfoo (MIT)")
    assert "libfoo (MIT)" in dialogs.licences()


def test_a_lost_file_of_the_program_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = paths.resource("theme", "window.qss.gone")

    def fails(_: list[str]) -> int:
        lost.read_text()
        return 0

    monkeypatch.setattr(cli, "_run", fails)
    assert cli.main(["panes"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert str(lost) in said[0]
    assert "install it again" in said[0]


def test_a_missing_file_of_the_user_is_no_lost_file(tmp_path: Path) -> None:
    error = FileNotFoundError(2, "No such file", str(tmp_path / "mine"))
    assert paths.lost_file(error) is None
    assert paths.lost_file(ValueError()) is None


@pytest.mark.usefixtures("qapp")
def test_in_the_window_a_lost_file_is_said_last() -> None:
    """The fault's dialog shows the last line in large."""
    caught = faults.Faults()
    texts: list[str] = []
    caught._caught.connect(texts.append)
    error = FileNotFoundError(2, "No such file", str(paths.resource("article", "xx.md")))
    caught.catch(FileNotFoundError, error, None)
    assert texts[0].splitlines()[-1].endswith("xx.md is missing from the program's folder; install it again")

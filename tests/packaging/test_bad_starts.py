"""Starts that fail where nobody reads stderr, and standard streams that are not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import cli
from app.qt import faults

ROOT = Path(__file__).resolve().parents[2]
CLOSED = """
import os, sys
for number in range(3):
    os.close(number)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@pytest.fixture
def boxed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    said: list[str] = []
    monkeypatch.setattr(faults, "box", said.append)
    return said


def started(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["depthscope", *arguments])
    monkeypatch.setattr(cli, "_leave", lambda code: code)
    return cli.main()


def test_from_the_desktop_a_refusal_is_a_dialog(monkeypatch: pytest.MonkeyPatch, boxed: list[str]) -> None:
    monkeypatch.setenv(cli.UNREAD, "1")
    assert started(monkeypatch, "open", "gone.trace.safetensors") == 2
    assert len(boxed) == 1
    assert boxed[0].startswith("depthscope: error: ")
    assert "gone.trace.safetensors" in boxed[0]
    assert cli.UNREAD not in os.environ  # our own child processes have a reader: us


def test_without_stderr_a_refusal_is_a_dialog(monkeypatch: pytest.MonkeyPatch, boxed: list[str]) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert started(monkeypatch, "open", "gone.trace.safetensors") == 2
    assert len(boxed) == 1


@pytest.mark.parametrize("arguments", [("open", "gone"), ("trace", "gone", "--text", "1")])
def test_in_a_terminal_it_is_not(
    monkeypatch: pytest.MonkeyPatch, boxed: list[str], arguments: tuple[str, ...]
) -> None:
    if arguments[0] == "trace":  # a verb that shows no window asks nobody to click
        monkeypatch.setenv(cli.UNREAD, "1")
    assert started(monkeypatch, *arguments) == 2
    assert boxed == []


def test_where_no_dialog_can_be_shown_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    monkeypatch.setattr("app.display.why_no_display", lambda **_: "there is no screen")
    monkeypatch.setattr("PySide6.QtWidgets.QMessageBox.critical", lambda *each: shown.append(each))
    faults.box("a sentence")
    assert shown == []
    monkeypatch.setattr("app.display.why_no_display", lambda **_: None)
    faults.box("a line\ndepthscope: error: a sentence")
    assert [each[2] for each in shown] == ["A sentence"]  # type: ignore[index]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows numbers its streams otherwise")
def test_closed_streams_are_not_taken_by_files(tmp_path: Path) -> None:
    """What is printed must not end up in the first file that is opened."""
    script = (
        "import os, sys; sys.argv = ['depthscope', '--version']; from app import cli; cli.main();"
        f"file = open({str(tmp_path / 'first')!r}, 'w'); assert file.fileno() > 2; os.write(1, b'lost')"
    )
    command = [sys.executable, "-c", CLOSED, "-c", script]
    done = subprocess.run(command, cwd=ROOT, timeout=60, check=False)
    assert done.returncode == 0
    assert (tmp_path / "first").read_text() == ""

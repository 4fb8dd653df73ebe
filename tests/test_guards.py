"""The guards of conftest.py bite: a run of bad tests, each of which must fail, for its own reason."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BAD = '''"""Every test here does what no test may."""
import socket, subprocess, sys, threading, warnings
import pytest
from PySide6.QtCore import qWarning
from PySide6.QtWidgets import QWidget

kept = []

def test_good(qtbot):
    qtbot.addWidget(QWidget())
    threading.Thread(target=int).start()
    subprocess.run([sys.executable, "-S", "-c", ""], check=True)

def test_thread():
    kept.append(threading.Event())
    threading.Thread(target=kept[-1].wait, daemon=True, name="forgotten").start()

def test_child():
    kept.append(subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE))

def test_window(qapp):
    kept.append(QWidget())

def test_network():
    with socket.socket() as sock:
        sock.connect(("192.0.2.1", 80))

def test_warning():
    warnings.warn("old", DeprecationWarning)

def test_qt_warning(qapp):
    qWarning("Qt is unhappy")
'''
REASONS = {
    "test_thread": "thread forgotten",
    "test_child": r"child process \d+",
    "test_window": "window <PySide6.QtWidgets.QWidget",
    "test_network": "no network in tests",
    "test_warning": "DeprecationWarning: old",
    "test_qt_warning": "Qt is unhappy",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("guards")
    conftest = (ROOT / "tests" / "conftest.py").read_text("utf-8")
    shortened = re.sub(r"^GRACE = .*$", "GRACE = 0.2", conftest, flags=re.MULTILINE)
    assert shortened != conftest
    (folder / "conftest.py").write_text(shortened, "utf-8")
    (folder / "test_bad.py").write_text(BAD, "utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        str(ROOT / "pyproject.toml"),
    ]
    command += ["--rootdir", str(folder), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100).stdout


@pytest.mark.parametrize("name", REASONS)
def test_a_bad_test_fails_for_its_reason(name: str, report: str) -> None:
    sections = re.split(r"^_{3,} (?:ERROR at teardown of )?(\w+) _{3,}$", report, flags=re.MULTILINE)
    found = dict(zip(sections[1::2], sections[2::2], strict=True))
    assert name in found, report
    assert re.search(REASONS[name], found[name]), found[name]


def test_a_good_one_passes(report: str) -> None:
    assert "test_good" not in report

"""What holds for every test: no screen, no network, own settings, nothing left behind."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before anything imports Qt
os.environ.setdefault("OMP_NUM_THREADS", "1")  # two torch threads on two busy cores are slower than one

import gc
import itertools
import multiprocessing
import multiprocessing.resource_tracker
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background, where a shell has Ctrl-C ignored; children would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

GRACE = 5.0  # seconds a thread or child may take to end after its test
_numbers = itertools.count(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden-update", action="store_true", help="write golden files anew, to be looked at")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a `gpu` test where there is none; torch is imported only when such a test comes."""
    if item.get_closest_marker("gpu"):
        import torch

        if not (torch.cuda.is_available() or torch.backends.mps.is_available()):
            pytest.skip("no accelerator here")


@pytest.fixture
def test_data() -> Path:
    """The folder with the official files, which do not ship with the program."""
    name = os.environ.get("DEPTHSCOPE_TEST_DATA")
    if not name:
        pytest.skip("DEPTHSCOPE_TEST_DATA names no folder with the official files")
    folder = Path(name)
    assert folder.is_dir(), f"DEPTHSCOPE_TEST_DATA is not a folder: {folder}"
    return folder


@pytest.fixture(scope="session")
def _settings_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("settings")


@pytest.fixture(autouse=True)
def own_settings(_settings_base: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings folder of its own for every test; it does not exist yet."""
    folder = _settings_base / str(next(_numbers))
    monkeypatch.setenv("DEPTHSCOPE_CONFIG", str(folder))
    return folder


def _is_local(sock: socket.socket, address: Any) -> bool:
    if sock.family not in (socket.AF_INET, socket.AF_INET6):
        return True  # a socket of this machine
    host = str(address[0])
    return host in ("localhost", "::1") or host.startswith("127.")


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Connecting to anything but this machine raises."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
        yield


def _guarded(connect: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        if not _is_local(self, address):
            raise AssertionError(f"a test wants to reach {address!r}: no network in tests")
        return connect(self, address)

    return guarded


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """A thread, child process or window that outlives its test fails it."""
    threads, children, windows = set(threading.enumerate()), _children(), _windows()
    yield
    left = [f"thread {thread.name}" for thread in _unfinished(threads)]
    left += [f"child process {pid}" for pid in _surviving(children)]
    if _windows() - windows:
        gc.collect()  # a window in a reference cycle is not one that was forgotten
        left += [f"window {window!r}" for window in _windows() - windows]
    assert not left, "left behind: " + ", ".join(left)


def _unfinished(before: set[threading.Thread]) -> list[threading.Thread]:
    """Threads started since, still alive after the grace; those Python only met (dummies) are Qt's."""
    started = [
        thread
        for thread in threading.enumerate()
        if thread not in before and not isinstance(thread, threading._DummyThread)
    ]
    for thread in started:
        thread.join(GRACE)
    return [thread for thread in started if thread.is_alive()]


def _children() -> set[int]:
    """Process ids of our living children (Linux; elsewhere those of multiprocessing)."""
    multiprocessing.active_children()  # reaps the finished
    tasks = Path("/proc/self/task")
    if not tasks.is_dir():
        return {child.pid for child in multiprocessing.active_children() if child.pid}
    found: set[int] = set()
    for task in tasks.iterdir():
        try:
            found.update(int(pid) for pid in (task / "children").read_text().split())
        except OSError:
            continue  # a thread that ended meanwhile
    tracker = getattr(multiprocessing.resource_tracker._resource_tracker, "_pid", None)
    return {pid for pid in found - {tracker} if _is_running(pid)}


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _surviving(before: set[int]) -> list[int]:
    """Children started since that outlive the grace; they are killed, so that the run can end."""
    survivors = []
    for pid in sorted(_children() - before):
        if not hasattr(os, "pidfd_open"):
            survivors.append(pid)
            continue
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            continue  # ended meanwhile
        if not select.select([handle], [], [], GRACE)[0]:
            survivors.append(pid)
            os.kill(pid, signal.SIGKILL)
        os.close(handle)
    return survivors


def _windows() -> set[Any]:
    """Top-level widgets without a parent, once those told to go (deleteLater) are gone."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return set()
    core = sys.modules["PySide6.QtCore"]
    core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete.value)
    return {widget for widget in widgets.QApplication.topLevelWidgets() if widget.parent() is None}

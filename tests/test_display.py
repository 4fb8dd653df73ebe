"""The program knows beforehand that no window can be shown, and says why in one clause."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.display import missing_libraries, why_no_display

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")


def environ(**changes: str) -> dict[str, str]:
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return {**{name: value for name, value in os.environ.items() if name not in names}, **changes}


def test_no_variable_no_display() -> None:
    assert why_no_display(environ=environ()) == "neither DISPLAY nor WAYLAND_DISPLAY is set"
    assert why_no_display(environ=environ(DISPLAY="", QT_QPA_PLATFORM="xcb")) is not None


def test_a_plug_in_without_a_screen_is_taken_at_its_word() -> None:
    assert why_no_display(environ=environ(QT_QPA_PLATFORM="offscreen")) is None
    assert why_no_display(environ=environ(QT_QPA_PLATFORM="vnc:size=800x600")) is None


def test_a_display_where_nothing_answers() -> None:
    reason = why_no_display(environ=environ(DISPLAY=":6543"), probe=False)
    assert reason is not None
    assert ":6543" in reason or "lacks" in reason  # lacks: where the libraries are missing too
    assert "\n" not in reason


def test_a_compositor_that_answers_and_one_that_does_not(tmp_path: Path) -> None:
    env = environ(WAYLAND_DISPLAY="wl", XDG_RUNTIME_DIR=str(tmp_path))
    assert why_no_display(environ=env, probe=False) == "no compositor answers at WAYLAND_DISPLAY=wl"
    with listening(tmp_path / "wl"):
        assert why_no_display(environ=env, probe=False) is None
        assert why_no_display(environ=env | {"DISPLAY": ":6543"}, probe=False) is None
        assert why_no_display(environ=env | {"QT_QPA_PLATFORM": "xcb"}, probe=False) is not None


def test_the_probe_survives_a_plug_in_that_aborts(tmp_path: Path) -> None:
    env = environ(WAYLAND_DISPLAY="wl", XDG_RUNTIME_DIR=str(tmp_path), QT_QPA_PLATFORM="wayland")
    with listening(tmp_path / "wl") as server:
        hang_up = threading.Thread(target=close_every_connection, args=(server, 2))
        hang_up.start()
        reason = why_no_display(environ=env)
        server.shutdown(socket.SHUT_RDWR)
        hang_up.join()
    assert reason is not None
    assert reason.startswith("Qt's platform plug-in fails: ")
    assert "\n" not in reason


@contextmanager
def listening(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        yield server


def close_every_connection(server: socket.socket, most: int) -> None:
    """A compositor that hangs up at once, so that Qt's plug-in gives up."""
    for _ in range(most):
        try:
            server.accept()[0].close()
        except OSError:  # shut down: nobody came
            return


def test_missing_libraries_are_named() -> None:
    assert missing_libraries(["libc.so.6", "libnowhere.so.7"]) == ["libnowhere.so.7"]

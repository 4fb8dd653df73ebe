"""The program knows beforehand that no window can be shown, and says why in one clause."""

from __future__ import annotations

import os
import sys

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


def test_the_probe_survives_a_plug_in_that_aborts() -> None:
    reason = why_no_display(environ=environ(WAYLAND_DISPLAY="nobody-there"))
    assert reason is not None
    assert reason.startswith("Qt's platform plug-in fails: ")
    assert "\n" not in reason


def test_missing_libraries_are_named() -> None:
    assert missing_libraries(["libc.so.6", "libnowhere.so.7"]) == ["libnowhere.so.7"]

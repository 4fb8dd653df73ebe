"""What the desktop says about motion, where it can be read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.motion import system_reduces

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads the files of Linux desktops"
)


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=0\n", True),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations = false\n", True),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=1\n", False),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n", True),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n", False),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=often\n", False),
        ("kdeglobals", "\x00no settings", False),
    ],
)
def test_files_of_the_desktop(
    file: str, text: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert system_reduces() is False
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text, "utf-8")
    assert system_reduces() is expected

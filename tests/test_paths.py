"""Shipped files are found, and the writable folders follow the variables and the platform."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.paths import config_dir, log_dir, lost_file, resource, shipped_card

FONTS = [
    "Pretendard-Regular.otf",
    "Pretendard-SemiBold.otf",
    "JetBrainsMono-Regular.ttf",
    "JetBrainsMono-Bold.ttf",
    "STIXTwoMath-Regular.ttf",
    "DejaVuSans.ttf",
]


@pytest.mark.parametrize("name", FONTS)
def test_every_font_lies_beside_its_licence(name: str) -> None:
    font = resource("fonts", name)
    assert font.read_bytes()[:4] in (b"OTTO", b"\0\1\0\0")
    family = name.partition("-")[0].partition(".")[0]
    assert "copyright" in resource("fonts", f"{family}-LICENSE.txt").read_text("utf-8").lower()


def test_icons_take_the_colour_of_the_text() -> None:
    icons = [path for path in resource("icons").glob("*.svg") if path.stem != "depthscope"]
    assert len(icons) > 20
    assert [path.name for path in icons if 'stroke="currentColor"' not in path.read_text("utf-8")] == []


def test_a_variable_names_the_folders(own_settings: Path) -> None:
    assert config_dir() == own_settings
    assert log_dir() == own_settings / "log"
    assert not own_settings.exists()


@pytest.mark.parametrize(
    ("platform", "variables", "config", "log"),
    [
        ("linux", {}, ".config/depthscope", ".local/state/depthscope"),
        (
            "linux",
            {"XDG_CONFIG_HOME": "{home}/c", "XDG_STATE_HOME": "{home}/s"},
            "c/depthscope",
            "s/depthscope",
        ),
        ("linux", {"XDG_CONFIG_HOME": "not/absolute"}, ".config/depthscope", ".local/state/depthscope"),
        ("darwin", {}, "Library/Application Support/depthscope", "Library/Logs/depthscope"),
        ("win32", {}, "AppData/Roaming/depthscope", "AppData/Local/depthscope/log"),
        ("win32", {"APPDATA": "{home}/r"}, "r/depthscope", "AppData/Local/depthscope/log"),
    ],
)
def test_without_it_they_are_where_the_platform_keeps_them(
    platform: str,
    variables: dict[str, str],
    config: str,
    log: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("DEPTHSCOPE_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(home=tmp_path))
    assert config_dir() == tmp_path / config
    assert log_dir() == tmp_path / log


def test_the_card_of_what_ships_is_read_and_a_missing_one_is_an_error_of_its_file() -> None:
    assert shipped_card("babi").startswith("# babi")
    with pytest.raises(FileNotFoundError) as caught:
        shipped_card("nowhere")
    assert "install it again" in str(lost_file(caught.value))

"""Settings: kept and read back, and a broken file costs nothing but a notice."""

from __future__ import annotations

import json
import os
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import settings as module
from app.settings import RECENT, Settings, checked, load, save, with_recent


def test_no_file_gives_the_defaults_without_a_word(tmp_path: Path) -> None:
    assert load(tmp_path / "not there") == (Settings(), None)


def test_what_is_saved_is_read_back(tmp_path: Path) -> None:
    kept = Settings(
        language="ko", theme="dark", scale=1.5, geometry=(-10, 20, 1440, 900), maximized=True,
        workspace="inspector", recent=("/a/모델", "/b"), checkpoint="/a/모델", letters=False,
        reduced_motion=True,
        classroom=True, quiz=("steps=9",),
    )  # fmt: skip
    assert all(getattr(kept, field.name) != field.default for field in fields(Settings))
    save(tmp_path / "new" / "folder", kept)
    assert load(tmp_path / "new" / "folder") == (kept, None)
    assert os.listdir(tmp_path / "new" / "folder") == [module.FILE]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_a_broken_file_is_kept_aside_and_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / module.FILE).write_bytes(content)
    settings, notice = load(tmp_path)
    assert settings == Settings()
    assert notice is not None
    assert (tmp_path / "settings.broken.json").read_bytes() == content


def test_one_wrong_value_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / module.FILE).write_text(json.dumps({"scale": 9, "theme": "dark", "recent": "x", "old": 1}))
    settings, notice = load(tmp_path)
    assert settings == Settings(theme="dark")
    assert notice is not None
    assert dict(notice.args)["names"] == "scale, recent"


NAMES = [field.name for field in fields(Settings)]
SCALARS = st.none() | st.booleans() | st.floats() | st.integers() | st.text()
ANYTHING = st.recursive(SCALARS, lambda inner: st.lists(inner), max_leaves=5)


@given(st.dictionaries(st.sampled_from(NAMES), ANYTHING))
def test_any_json_gives_settings_that_pass_their_own_checks(values: dict[str, object]) -> None:
    settings, _ = checked(values)
    assert checked({field.name: getattr(settings, field.name) for field in fields(Settings)}) == (
        settings,
        (),
    )


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, Settings(theme="dark"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save(tmp_path, Settings(theme="light"))
    monkeypatch.undo()
    assert load(tmp_path) == (Settings(theme="dark"), None)
    assert os.listdir(tmp_path) == [module.FILE]


def test_recent_files_are_ten_and_each_once() -> None:
    settings = Settings()
    for n in range(15):
        settings = with_recent(settings, str(n))
    settings = with_recent(settings, "9")
    assert settings.recent == ("9", "14", "13", "12", "11", "10", "8", "7", "6", "5")
    assert len(settings.recent) == RECENT
    assert checked({"recent": [str(n) for n in range(20)]})[0] == replace(
        Settings(), recent=tuple(map(str, range(10)))
    )

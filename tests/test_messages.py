"""Texts: every one is translated, none is stale, the compiled files are in step, places are filled."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from app.messages import LANGUAGES, Message, Translator, catalogue, msg, nmsg

ROOT = Path(__file__).resolve().parent.parent
HANGUL = re.compile("[가-힣]")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("messages_tool", ROOT / "packaging" / "messages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_message_is_translated_and_none_is_stale(tool: ModuleType) -> None:
    assert set(tool.LANGUAGES) == set(LANGUAGES) - {"en"}
    assert [fault for language in tool.LANGUAGES for fault in tool.faults(language)] == []


def test_compiled_files_are_in_step(tool: ModuleType) -> None:
    for language in tool.LANGUAGES:
        kept = (tool.I18N / language / "depthscope.mo").read_bytes()
        assert kept == tool.compiled(language), "run: python packaging/messages.py compile"


def test_the_tool_sees_what_is_wrong(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "a.py").write_text('msg("new")\nmsg("{x} left", x=1)\nnmsg("{n} a", "{n} b", 3)\n')
    (tmp_path / "i18n" / "ko").mkdir(parents=True)
    (tmp_path / "i18n" / "ko" / "shell.po").write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
        'msgid "old"\nmsgstr "옛"\n\nmsgid "{x} left"\nmsgstr "{y} 남음"\n\n'
        'msgid "{n} a"\nmsgid_plural "{n} b"\nmsgstr[0] ""\n',
        "utf-8",
    )
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "I18N", tmp_path / "i18n")
    lines = sorted(fault.split(": ", 1)[1] for fault in tool.faults("ko"))
    assert lines == [
        "missing in ko: 'new'",
        "not translated: ('{n} a', '{n} b')",
        "places differ, ['x'] wanted: '{x} left'",
        "unused: 'old'",
    ]
    assert tool.update("ko") == 1
    assert "missing" not in " ".join(tool.faults("ko"))
    (tmp_path / "app" / "a.py").write_text("msg(text)\n")
    with pytest.raises(ValueError, match=r"a\.py:1"):
        tool.extracted()


def test_english_is_the_id_itself() -> None:
    english = Translator("en")
    assert english.text(msg("{n} of {m} steps", n=3, m=8)) == "3 of 8 steps"
    assert english.text(nmsg("{n} step", "{n} steps", 1)) == "1 step"
    assert english.text(nmsg("{n} step", "{n} steps", 2)) == "2 steps"
    assert english.text("100 % {as typed}") == "100 % {as typed}"
    assert english.text(msg("")) == ""


def test_korean_fills_places_and_messages_inside_messages() -> None:
    korean = Translator("ko")
    assert korean.text(nmsg("{n} step computed", "{n} steps computed", 6)) == "6단계 계산됨"
    inner = nmsg("{n} frame dropped", "{n} frames dropped", 0)
    assert korean.text(msg("{ms} ms per step · {frames}", ms="3.1", frames=inner)) == (
        "단계당 3.1 ms · 버린 프레임 0"
    )
    assert korean.text(msg("Inspector")) == "검사기"


def test_texts_from_outside_are_never_taken_for_format_strings() -> None:
    assert Translator("en").text(msg("{what}. {do}.", what="{0.__class__}", do="x")) == "{0.__class__}. x."


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(KeyError):
        catalogue("xx")


def test_every_pane_and_command_speaks_korean() -> None:
    from app.commands import COMMANDS
    from app.pane import all_panes
    from app.state import WORKSPACES

    korean = Translator("ko")
    texts = [pane.TITLE for pane in all_panes().values()] + [command.text for command in COMMANDS]
    for text in (*texts, *WORKSPACES.values()):
        assert isinstance(text, Message)
        assert HANGUL.search(korean.text(text)), text

"""The table of commands: unique, complete, and reached from a Hangul input source too."""

from __future__ import annotations

import pytest

from app.commands import COMMANDS, chord, commands, grouped, is_plain, shortcut_map
from app.messages import msg
from app.pane import Event
from app.paths import resource

TABLE = commands([("inspector", msg("Inspector")), ("read", msg("Read"))])


def test_ids_and_keys_are_unique() -> None:
    assert len({command.id for command in TABLE}) == len(TABLE)
    assert shortcut_map(TABLE)["Alt+2"].event == Event("shell.workspace", "read")


def test_two_commands_with_one_key_are_refused() -> None:
    with pytest.raises(ValueError, match="both want Alt"):
        shortcut_map([TABLE[-1], commands([("x", msg("x")), ("y", msg("y"))])[-1]])


def test_icons_are_there() -> None:
    missing = [c.icon for c in COMMANDS if c.icon and not resource("icons", f"{c.icon}.svg").is_file()]
    assert missing == []


def test_groups_hold_every_command_once() -> None:
    listed = [command for _, group in grouped(TABLE) for command in group]
    assert sorted(c.id for c in listed) == sorted(c.id for c in TABLE)


@pytest.mark.parametrize(
    ("key", "id"),
    [
        ("Space", "steps.toggle"), ("J", "steps.reverse"), ("K", "steps.pause"), ("L", "steps.play"),
        ("[", "steps.group_back"), ("]", "steps.group_forward"), (",", "steps.back"), (".", "steps.forward"),
        ("Home", "steps.first"), ("End", "steps.last"), ("Esc", "view.unpin"), ("?", "help.keys"),
        ("Ctrl+O", "file.open"), ("Ctrl+S", "file.save"), ("Ctrl+Shift+F", "view.full_screen"),
    ],
)  # fmt: skip
def test_the_keys_people_know(key: str, id: str) -> None:
    assert shortcut_map(TABLE)[key].id == id


@pytest.mark.parametrize(
    ("sign", "modifiers", "expected"),
    [
        ("j", {}, "J"), ("J", {"shift": True}, "J"), ("ㅓ", {}, "J"), ("ㅏ", {}, "K"), ("ㅣ", {}, "L"),
        ("ㅂ", {"ctrl": True}, "Ctrl+Q"), ("ㅐ", {"ctrl": True}, "Ctrl+O"), ("ㅒ", {"shift": True}, "O"),
        ("ㄹ", {"ctrl": True, "shift": True}, "Ctrl+Shift+F"), ("?", {"shift": True}, "?"),
        ("［", {}, "["), ("Space", {}, "Space"), ("F5", {"shift": True}, "Shift+F5"),
        ("1", {"alt": True}, "Alt+1"), ("+", {"ctrl": True, "shift": True}, "Ctrl++"),
    ],
)  # fmt: skip
def test_chords(sign: str, modifiers: dict[str, bool], expected: str) -> None:
    assert chord(sign, **modifiers) == expected


@pytest.mark.parametrize("key", ["J", "F", "?", "Space", "Home", "[", "Shift+Home"])
def test_text_fields_keep_plain_signs(key: str) -> None:
    assert is_plain(key)


@pytest.mark.parametrize("key", ["Ctrl+O", "Alt+1", "F5", "Shift+F5", "Ctrl+Shift+F", "F10"])
def test_other_keys_work_while_one_types(key: str) -> None:
    assert not is_plain(key)

"""Every command of the program in one table: menus, the shortcut map and the `?` help are made from it.

Keys are written as chords, "Ctrl+Shift+F", "J", "?": the sign a US keyboard has there, whatever the input
source.  Under a Hangul input source ㅓ is J and Ctrl+ㅐ is Ctrl+O (`chord`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.messages import Message, Text, msg
from app.pane import Event

FILE, VIEW, STEPS, RUN, HELP, GO, LEARN = (
    msg("File"), msg("View"), msg("Steps"), msg("Run"), msg("Help"), msg("Go to"), msg("Learn"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Command:
    """id: unique, dotted.  keys: chords, the first one is shown.  icon: of resources/icons."""

    id: str
    group: Message
    text: Text
    event: Event
    keys: tuple[str, ...] = ()
    icon: str = ""


TOURS: tuple[tuple[str, Message], ...] = (
    ("shared", msg("What is shared")),
    ("apart", msg("Why parameters and work come apart")),
    ("depth", msg("Why depth must grow with length")),
    ("life", msg("One position's life under ACT")),
    ("sharpen", msg("Watch attention sharpen")),
)
"""(id, title) of the guided tours; their steps (`app/tours.py`) are read when one is started."""


def is_plain(chord: str) -> bool:
    """Whether a chord is a sign or an editing key, which belongs to a text field while one types."""
    function = chord.removeprefix("Shift+")
    return not chord.startswith(("Ctrl+", "Alt+")) and not (function[:1] == "F" and function[1:].isdigit())


def _command(
    id: str, group: Message, text: Message, event: str, keys: str = "", icon: str = "", value: Any = None
) -> Command:
    return Command(id, group, text, Event(event, value), tuple(keys.split()), icon)


COMMANDS: tuple[Command, ...] = (
    _command(
        "file.open", FILE, msg("Open a checkpoint or a recorded run…"), "shell.open", "Ctrl+O", "folder-open"
    ),
    _command("file.open_folder", FILE, msg("Open a checkpoint folder…"), "shell.open_folder", "Ctrl+Shift+O"),
    _command("file.save", FILE, msg("Save this run…"), "run.save", "Ctrl+S", "save"),
    _command("file.export", FILE, msg("Export…"), "shell.export", "Ctrl+Shift+E", "download"),
    _command("file.copy_picture", FILE, msg("Copy the picture"), "shell.copy_picture", "Ctrl+Alt+C", "copy"),
    _command("file.copy_view", FILE, msg("Copy view link"), "shell.copy_view", "Ctrl+Shift+C", "copy"),
    _command("file.paste_view", FILE, msg("Paste view link"), "shell.paste_view", "Ctrl+Shift+V"),
    _command("file.quit", FILE, msg("Quit"), "shell.quit", "Ctrl+Q"),
    _command("run.start", RUN, msg("Run"), "run.start", "Ctrl+Return", "play"),
    _command("run.cancel", RUN, msg("Stop the run"), "run.cancel", "Shift+F5", "square"),
    _command("run.restart", RUN, msg("Start the engine again"), "run.restart", icon="refresh-cw"),
    _command("steps.toggle", STEPS, msg("Play or pause"), "transport.toggle", "Space", "play"),
    _command("steps.back", STEPS, msg("One step or line back"), "transport.back", ",", "step-back"),
    _command(
        "steps.forward", STEPS, msg("One step or line forward"), "transport.forward", ". F10", "step-forward"
    ),
    _command(
        "steps.group_back", STEPS, msg("One whole step back"), "transport.group_back", "[", "chevron-left"
    ),
    _command(
        "steps.group_forward",
        STEPS,
        msg("One whole step forward"),
        "transport.group_forward",
        "] Shift+F11",
        "chevron-right",
    ),
    _command("steps.stop_back", STEPS, msg("Back to the last stop"), "transport.stop_back", "<", "rewind"),
    _command(
        "steps.stop_forward",
        STEPS,
        msg("On to the next stop"),
        "transport.stop_forward",
        "F5 >",
        "fast-forward",
    ),
    _command("steps.first", STEPS, msg("First step"), "transport.first", "Home", "skip-back"),
    _command("steps.last", STEPS, msg("Last step"), "transport.last", "End", "skip-forward"),
    _command("steps.reverse", STEPS, msg("Play backwards"), "transport.reverse", "J"),
    _command("steps.pause", STEPS, msg("Pause"), "transport.pause", "K", "pause"),
    _command("steps.play", STEPS, msg("Play; again: twice as fast"), "transport.faster", "L", "play"),
    _command("line.stop", RUN, msg("Stop at this line, or not"), "line.stop", "F9"),
    _command("line.run_to", RUN, msg("Run to this line"), "line.run_to", "Ctrl+F10"),
    _command("line.into", RUN, msg("This line, position by position"), "line.into", "F11"),
    _command(
        "view.next_pane", VIEW, msg("Next pane of this workspace"), "shell.neighbour", "Ctrl+PgDown", value=1
    ),
    _command(
        "view.last_pane",
        VIEW,
        msg("Previous pane of this workspace"),
        "shell.neighbour",
        "Ctrl+PgUp",
        value=-1,
    ),
    _command("view.unpin", VIEW, msg("Unpin the position"), "pin", "Esc"),
    _command(
        "view.language", VIEW, msg("Language: English, 한국어"), "shell.language", "Ctrl+Shift+L", "languages"
    ),
    _command("view.theme", VIEW, msg("Light or dark"), "shell.theme", "Ctrl+Shift+D", "sun-moon"),
    _command("view.larger", VIEW, msg("Larger text"), "shell.scale", "Ctrl++ Ctrl+=", value=1),
    _command("view.smaller", VIEW, msg("Smaller text"), "shell.scale", "Ctrl+-", value=-1),
    _command("view.normal", VIEW, msg("Text at 100 %"), "shell.scale", "Ctrl+0", value=0),
    _command("view.full_screen", VIEW, msg("Full screen"), "shell.full_screen", "Ctrl+Shift+F"),
    _command("view.classroom", VIEW, msg("Classroom mode on or off"), "shell.classroom", "Ctrl+Shift+M"),
    _command("view.motion", VIEW, msg("Reduced motion on or off"), "shell.motion"),
    _command("view.letters", VIEW, msg("Single-letter keys on or off"), "shell.letters"),
    _command("view.settings", VIEW, msg("Settings…"), "shell.settings", "Ctrl+,", "settings"),
    _command("learn.find", LEARN, msg("Search the article"), "shell.find", "Ctrl+F", "search"),
    _command("learn.next", LEARN, msg("Find next"), "read.next", "F3"),
    _command("learn.back", LEARN, msg("Find previous"), "read.back", "Shift+F3"),
    *(
        _command(f"tour.{name}", LEARN, msg("Tour: {title}", title=title), "shell.tour", value=name)
        for name, title in TOURS
    ),
    _command("tour.next", LEARN, msg("Tour: next stop"), "shell.tour.move", "F8 PgDown Alt+Right", value=1),
    _command("tour.back", LEARN, msg("Tour: previous stop"), "shell.tour.move", "F7 PgUp Alt+Left", value=-1),
    _command("tour.close", LEARN, msg("Tour: close it"), "shell.tour.close", "Shift+F8"),
    _command("help.palette", HELP, msg("Find a command"), "shell.palette", "Ctrl+K Ctrl+Shift+P", "search"),
    _command("help.keys", HELP, msg("Commands and keys"), "shell.keys", "?", "keyboard"),
    _command("help.log", HELP, msg("Open the log folder"), "shell.log"),
    _command("help.about", HELP, msg("About Depthscope, licences"), "shell.about"),
)


def commands(
    workspaces: Sequence[tuple[str, Message]] = (), panes: Sequence[tuple[str, Message]] = ()
) -> tuple[Command, ...]:
    """The whole table, with one command for each workspace (name, title) there is and each other pane."""
    goes = (
        _command(f"go.{name}", GO, title, "shell.workspace", f"Alt+{k}" if k <= 9 else "", value=name)
        for k, (name, title) in enumerate(workspaces, start=1)
    )
    first = dict(workspaces)
    others = (
        _command(f"go.{name}", GO, title, "shell.pane", value=name)
        for name, title in panes
        if name not in first
    )
    return (*COMMANDS, *goes, *others)


def shortcut_map(table: Sequence[Command]) -> Mapping[str, Command]:
    """Chord -> command; ValueError when two commands want the same one."""
    found: dict[str, Command] = {}
    for command in table:
        for key in command.keys:
            if key in found:
                raise ValueError(f"{command.id} and {found[key].id} both want {key}")
            found[key] = command
    return found


def shown_key(chord: str) -> str:
    """A chord as it is printed under a button or in help."""
    return {"Return": "Enter"}.get(chord, chord.replace("Return", "Enter"))


def grouped(table: Sequence[Command]) -> tuple[tuple[Message, tuple[Command, ...]], ...]:
    """The commands under their groups, both in the order of the table."""
    groups = dict.fromkeys(command.group for command in table)
    return tuple((group, tuple(c for c in table if c.group == group)) for group in groups)


_JAMO = dict(
    zip("ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ", "QWERTYUIOPASDFGHJKLZXCVBNM", strict=True)
)
_JAMO |= dict(zip("ㅃㅉㄸㄲㅆㅒㅖ", "QWERTOP", strict=True))  # with Shift
_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}


def chord(sign: str, ctrl: bool = False, alt: bool = False, shift: bool = False) -> str:
    """The chord of a key press.

    sign: a named key ("Space", "Home", "Return") or what the key writes under the current input source,
    "j", "J", "ㅓ", "?".  Shift is part of a chord only where the sign does not show it already.
    """
    if len(sign) == 1:
        sign = _JAMO.get(sign, _FULL_WIDTH.get(ord(sign), sign)).upper()
        shift = shift and (sign.isalpha() and (ctrl or alt))
    parts = ("Ctrl+" if ctrl else "", "Alt+" if alt else "", "Shift+" if shift else "")
    return "".join(parts) + sign

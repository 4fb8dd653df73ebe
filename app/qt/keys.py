"""From a Qt key event to a chord of app/commands.py, whatever the input source writes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from app.commands import chord, is_plain

NAMED: Mapping[int, str] = {
    Qt.Key.Key_Space: "Space", Qt.Key.Key_Home: "Home", Qt.Key.Key_End: "End", Qt.Key.Key_Return: "Return",
    Qt.Key.Key_Enter: "Return", Qt.Key.Key_Escape: "Esc", Qt.Key.Key_Tab: "Tab", Qt.Key.Key_Left: "Left",
    Qt.Key.Key_Right: "Right", Qt.Key.Key_Up: "Up", Qt.Key.Key_Down: "Down",
    Qt.Key.Key_PageUp: "PgUp", Qt.Key.Key_PageDown: "PgDown",
}  # fmt: skip

# Where a key lies, for input sources that write neither Latin letters nor jamo (a Cyrillic one, say).
_X11 = {24 + k: sign for k, sign in enumerate("QWERTYUIOP[]")}
_X11 |= {38 + k: sign for k, sign in enumerate("ASDFGHJKL")}
_X11 |= {52 + k: sign for k, sign in enumerate("ZXCVBNM,.")}
_MAC = {
    38: "J",
    40: "K",
    37: "L",
    33: "[",
    30: "]",
    43: ",",
    47: ".",
    31: "O",
    1: "S",
    3: "F",
    12: "Q",
    8: "C",
}


def chord_of(event: QKeyEvent) -> str:
    """The chord of a key press; "" for one that writes nothing (Shift alone, a dead key)."""
    modifiers = event.modifiers()
    return chord(
        _sign(event),
        ctrl=bool(modifiers & Qt.KeyboardModifier.ControlModifier),
        alt=bool(modifiers & Qt.KeyboardModifier.AltModifier),
        shift=bool(modifiers & Qt.KeyboardModifier.ShiftModifier),
    )


def _sign(event: QKeyEvent) -> str:
    key = event.key()
    if key in NAMED:
        return NAMED[key]
    if Qt.Key.Key_F1 <= key <= Qt.Key.Key_F35:
        return f"F{key - Qt.Key.Key_F1 + 1}"
    text = event.text()
    sign = text if len(text) == 1 and text.isprintable() else chr(key) if 0x20 < key < 0x10000 else ""
    known = sign.isascii() or 0x3130 <= ord(sign or " ") <= 0x318F or 0xFF00 < ord(sign or " ") < 0xFF5F
    return sign if known and sign else _by_place(event) or sign


def _by_place(event: QKeyEvent) -> str:
    if sys.platform == "win32":
        code = event.nativeVirtualKey()
        return chr(code) if 0x30 <= code <= 0x5A else ""
    if sys.platform == "darwin":
        return _MAC.get(event.nativeVirtualKey(), "")
    return _X11.get(event.nativeScanCode(), "")


def takes_text(widget: QWidget | None) -> bool:
    """Whether plain signs belong to this widget because one types into it."""
    if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        return not widget.isReadOnly()
    return isinstance(widget, QAbstractSpinBox) or (isinstance(widget, QComboBox) and widget.isEditable())


EDITING = ("Alt+Left", "Alt+Right", "Ctrl+Alt+C")
"""Chords that move through a text, or write a letter on some keyboards."""


class Chords(QObject):
    """Chords with Ctrl or Alt come to the program before they come to what has the focus in a window.

    Qt's sliders and menus page down at Ctrl+PgDown, its text fields cut the line off at Ctrl+K and write the
    digit of Alt+1.  act: takes a key if it is one of the program's; whether it was.
    """

    def __init__(self, frame: QWidget, act: Callable[[QKeyEvent], bool], app: QApplication) -> None:
        super().__init__(frame)
        self.frame, self.act = frame, act
        app.focusChanged.connect(self._moved)

    def _moved(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None:
            old.removeEventFilter(self)
        if new is not None and new.window() is self.frame and new is not self.frame:
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        wanted = chord_of(event)
        widget = watched if isinstance(watched, QWidget) else None
        if is_plain(wanted) or (wanted in EDITING and takes_text(widget)):
            return False
        return self.act(event)

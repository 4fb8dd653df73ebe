"""The fields of a form, as immutable values; a renderer tells what the user does as events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.messages import Text


@dataclass(frozen=True, slots=True)
class Editor:
    """Text of several lines; the renderer keeps what is being typed while `text` follows it."""

    key: str
    label: Text
    event: str
    text: str
    hint: Text = ""
    enabled: bool = True
    tip: Text = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several (value, text); style: "menu", "bare" (a menu without its label) or "segments"."""

    key: str
    label: Text
    event: str
    options: tuple[tuple[str, Text], ...]
    value: str
    style: str = "menu"
    enabled: bool = True
    tip: Text = ""


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number between low and high, by slider and by typing."""

    key: str
    label: Text
    event: str
    value: int
    low: int
    high: int
    enabled: bool = True
    tip: Text = ""


@dataclass(frozen=True, slots=True)
class Real:
    """A number with decimals, by slider and by typing."""

    key: str
    label: Text
    event: str
    value: float
    low: float
    high: float
    step: float = 0.01
    decimals: int = 2
    slider: bool = True
    enabled: bool = True
    tip: Text = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of text, told when it is confirmed (Enter); of a search also when it is emptied."""

    key: str
    label: Text
    event: str
    text: str = ""
    hint: Text = ""
    enabled: bool = True
    tip: Text = ""
    search: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    key: str
    label: Text
    event: str
    on: bool
    enabled: bool = True
    tip: Text = ""


@dataclass(frozen=True, slots=True)
class Button:
    """style: "primary", "plain", "icon" (the label is then its name and tip) or "option" (one to choose; its
    text wraps, and `icon` is the letter in front).
    """

    key: str
    label: Text
    event: str
    value: Any = None
    icon: str = ""
    style: str = "plain"
    enabled: bool = True
    tip: Text = ""


Field = Editor | Choice | Number | Real | Entry | Switch | Button

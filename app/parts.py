"""Pieces of scenes that several panes put together alike."""

from __future__ import annotations

from app.messages import Text
from app.scene import Column, Node, Real


def stacked(key: str, parts: tuple[Node, ...]) -> Column:
    """One below the other at the top, as high as they want; scrolled where they have no room."""
    rest = Column(f"{key}.rest", ())
    return Column(key, (*parts, rest), (*(0 for _ in parts), 1), scroll=True)


def slider(key: str, label: Text, event: str, value: int, low: int, high: int, enabled: bool = True) -> Real:
    """A whole number with a slider over all of its range; it stands still where there is one value only."""
    usable = enabled and high > low
    return Real(key, label, event, value, low, max(high, low + 1), 1, 0, enabled=usable)

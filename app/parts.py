"""Pieces of scenes that several panes put together alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from app.messages import Text
from app.scene import Card, Column, Lattice, Node, Plot, Real, Row

TALL = {Plot: 180, Lattice: 260}
"""px of a figure in a column that is scrolled."""

N = TypeVar("N", bound=Node)


def stacked(key: str, parts: tuple[Node, ...]) -> Column:
    """One below the other at the top, as high as they want; scrolled where they have no room."""
    rest = Column(f"{key}.rest", ())
    return Column(key, (*parts, rest), (*(0 for _ in parts), 1), scroll=True)


def taller(node: N) -> N:
    """The same with room for every figure in it, for a column that is scrolled; a height given stays."""
    if isinstance(node, Card):
        return replace(node, body=taller(node.body))
    if isinstance(node, Row | Column):
        return replace(node, children=tuple(map(taller, node.children)))
    if isinstance(node, Plot | Lattice) and not node.height:
        return replace(node, height=TALL[type(node)])
    return node


def slider(key: str, label: Text, event: str, value: int, low: int, high: int, enabled: bool = True) -> Real:
    """A whole number with a slider over all of its range; it stands still where there is one value only."""
    usable = enabled and high > low
    return Real(key, label, event, value, low, max(high, low + 1), 1, 0, enabled=usable)

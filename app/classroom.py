"""Classroom mode: larger type (`Settings.text_scale`), side panels hidden, slower play."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from app.scene import Card, Column, Node, Row, Scene, Tabs

SLOWER = 2.0  # times as long a step is shown

T = TypeVar("T")


def without_sides(scene: Scene) -> Scene:
    """The scene without the parts that its rows call side panels (`Row.aside`)."""
    root = _kept(scene.root)
    return scene if root is scene.root else replace(scene, root=root)


def _kept(node: Node) -> Node:
    """The same node where nothing in it is hidden, so that what is shown is not drawn again."""
    if isinstance(node, Card):
        body = _kept(node.body)
        return node if body is node.body else replace(node, body=body)
    if not isinstance(node, Row | Column | Tabs):
        return node
    aside = node.aside if isinstance(node, Row) else ()
    stays = [k for k in range(len(node.children)) if not (k < len(aside) and aside[k])]
    children = tuple(_kept(node.children[k]) for k in stays)
    bare = [k for k, child in enumerate(children) if _emptied(node.children[stays[k]], child)]
    if bare and isinstance(node, Row | Column):  # a gap would be left of it
        stays = [place for k, place in enumerate(stays) if k not in bare]
        children = tuple(child for k, child in enumerate(children) if k not in bare)
    if len(stays) == len(node.children) and all(map(_same, children, node.children)):
        return node
    if isinstance(node, Row):
        stretch, least = _picked(node.stretch, stays), _picked(node.least, stays)
        return replace(node, children=children, stretch=stretch, least=least, aside=())
    if isinstance(node, Column):
        return replace(node, children=children, stretch=_picked(node.stretch, stays))
    return replace(node, children=children)


def _emptied(before: Node, after: Node) -> bool:
    """Whether a row held nothing but side panels."""
    return isinstance(after, Row) and not after.children and before is not after


def _same(one: Node, other: Node) -> bool:
    return one is other


def _picked(values: tuple[T, ...], stays: list[int]) -> tuple[T, ...]:
    return tuple(values[k] for k in stays if k < len(values))

"""A scene mark by mark: a view that shows each in turn is made in parts, and answers between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from app.scene import Card, Column, Inset, Node, Row, Scene


def growing(scene: Scene) -> Iterator[Scene]:
    """The scene with ever more of its marks, the whole last."""
    for root in grown(scene.root):
        yield replace(scene, root=root)


def grown(node: Node) -> Iterator[Node]:
    """The node with ever more of its marks, the whole last."""
    if isinstance(node, Card | Inset):
        yield from (replace(node, body=part) for part in grown(node.body))
        return
    if not isinstance(node, Row | Column) or not node.children:
        yield node
        return
    for k, child in enumerate(node.children):
        for part in grown(child):
            yield replace(node, children=(*node.children[:k], part))

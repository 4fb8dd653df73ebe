"""A widget for any node of a scene, and what an inset's nodes need in place of the view."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app import scene as sc
from app.pane import Event
from app.qt.boxes import BoxNode, TabsNode
from app.qt.cards import CardNode
from app.qt.marks.base import Look, discard
from app.qt.nodes import Maker, MarkNode, NodeView

WIDGET_MOST = (1 << 24) - 1  # Qt's largest size of a widget


class InsetNode(NodeView):
    """Another pane's figure: its events are told with its key."""

    def __init__(self, node: sc.Inset, view: Maker) -> None:
        super().__init__(node, view)
        self.node = node
        self.inside = _Inside(self)
        self.box = QVBoxLayout(self)
        self.box.setContentsMargins(0, 0, 0, 0)
        self.body: NodeView | None = None

    def show_node(self, node: sc.Node) -> None:
        assert isinstance(node, sc.Inset)
        self.node = node
        body = self.inside.node(node.body, self.body, self)
        if body is not self.body:
            if self.body is not None:
                self.box.removeWidget(self.body)
                discard(self.body)
            self.box.addWidget(body)
            self.body, self.parts = body, [body]
        height = self.view.look.theme.px(node.height)
        self.setMinimumHeight(height)
        self.setMaximumHeight(WIDGET_MOST if node.grows else height or WIDGET_MOST)

    def restyle(self, look: Look) -> None:
        if self.body is not None:
            self.body.restyle(look)


class _Inside:
    """What the nodes of an inset need of the view: the outer one's, with their events wrapped."""

    def __init__(self, inset: InsetNode) -> None:
        self.inset = inset

    @property
    def look(self) -> Look:
        return self.inset.view.look

    @property
    def root(self) -> NodeView | None:
        return self.inset.view.root

    def node(self, node: sc.Node, before: NodeView | None, within: QWidget | None = None) -> NodeView:
        kept = before is not None and before.key == node.key and before.node_type is type(node)
        shown = before if before is not None and kept else made(node, self, within)
        shown.show_node(node)
        return shown

    def worked(self, painting: float = 0.0) -> None:
        self.inset.view.worked(painting)

    def late(self, coming: NodeView | None = None) -> bool:
        return self.inset.view.late(coming)

    def tell(self, event: Event) -> None:
        self.inset.view.tell(Event(self.inset.node.event, (self.inset.key, event)))

    def enlarge(self, key: str) -> None:
        self.inset.view.enlarge(key)


def made(node: sc.Node, view: Maker, within: QWidget | None = None) -> NodeView:
    """A new widget for a node, in its place before it is filled: the style of all that is in a widget is
    worked out anew whenever it gets another parent.
    """
    if isinstance(node, sc.Inset):
        found: NodeView = InsetNode(node, view)
    elif isinstance(node, sc.Row | sc.Column):
        found = BoxNode(node, view)
    elif isinstance(node, sc.Tabs):
        found = TabsNode(node, view)
    else:
        found = CardNode(node, view) if isinstance(node, sc.Card) else MarkNode(node, view)
    if within is not None:
        found.setParent(within)
    return found

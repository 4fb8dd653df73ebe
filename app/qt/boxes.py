"""Nodes that hold several others: rows and columns, which may scroll, and tabs."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from app import scene as sc
from app.pane import Event
from app.qt.marks.base import Look, discard, spaced
from app.qt.nodes import Maker, MarkNode, NodeView
from app.qt.scrolled import Scrolled

MOST_AWAY = 4  # marks out of the scene kept by a box


class BoxNode(NodeView):
    """A row or a column, in a scroll area where it may be taller than the window."""

    def __init__(self, node: sc.Row | sc.Column, view: Maker) -> None:
        super().__init__(node, view)
        down = isinstance(node, sc.Column)
        direction = QBoxLayout.Direction.TopToBottom if down else QBoxLayout.Direction.LeftToRight
        self.area: Scrolled | None = None
        self.inside: QWidget = self
        self.body: QWidget = self  # what is at most `wide`
        self.place, self.turn, self.reached = "", 0, ""
        if isinstance(node, sc.Column) and node.scroll:
            self.inside = self.body = QWidget()
            self.area = Scrolled(self.inside, self._within, self._by_key)
            self.area.reached.connect(self._reached)
            self.area.verticalScrollBar().rangeChanged.connect(self._make_room)
            outer = QVBoxLayout(self)
            outer.setContentsMargins(0, 0, 0, 0)
            outer.addWidget(self.area)
        if isinstance(node, sc.Column) and node.wide:
            self.body = QWidget()
            middle = QHBoxLayout(self.inside)
            middle.setContentsMargins(0, 0, 0, 0)
            middle.addStretch(1)
            middle.addWidget(self.body, 1000)
            middle.addStretch(1)
        self.box = QBoxLayout(direction, self.body)
        self._away: dict[str, NodeView] = {}  # marks that are not in the scene now, to be shown again
        self.box.setContentsMargins(0, 0, 0, 0)

    def show_node(self, node: sc.Node) -> None:
        assert isinstance(node, sc.Row | sc.Column)
        spaced(self.box, self.view.look.theme.space("m" if self._outer(node) else "s"))
        old = self._away | {part.key: part for part in self.parts}
        parts, self.waiting = [], False
        for child in node.children:
            before = old.get(child.key)
            if not self.view.late(before):
                parts.append(self.view.node(child, before, self.body))
            else:  # as it was, or not yet there
                self.waiting = True
                parts += [before] if before is not None and before in self.parts else []
        if parts != self.parts:
            self._arrange(parts)
        whole = len(parts) == len(node.children)  # else they would go to the wrong ones
        for k, share in enumerate(node.stretch if whole else ()):
            self.box.setStretch(k, share)
        if isinstance(node, sc.Row):
            for part, least in zip(parts, node.least if whole else (), strict=False):
                wide = self.view.look.theme.px(least)
                if wide != part.least:  # each layout above would be done anew
                    part.least = wide
                    part.updateGeometry()
        else:
            self._show_column(node)

    def _show_column(self, node: sc.Column) -> None:
        if node.wide:
            self.body.setMaximumWidth(self.view.look.theme.px(node.wide))
        if self.area is None:
            return
        if node.place != self.place:
            self.place = node.place
            policy = Qt.FocusPolicy.StrongFocus if node.place else Qt.FocusPolicy.NoFocus
            self.area.setFocusPolicy(policy)  # a text is scrolled by keys
            self.area.setObjectName("reading" if node.place else "")
        if node.turn != self.turn:
            self.turn, self.reached = node.turn, self.view.look.text(node.show)
            self.area.aim(self.reached)
            QTimer.singleShot(0, self, self._tell_place)

    def _tell_place(self) -> None:
        """What is read now: what was aimed at may be elsewhere in this language than the pane took it for."""
        if self.place and self.reached:
            self.view.tell(Event(self.place, self.reached))

    def _within(self, key: str) -> NodeView | None:
        return next((part for part in self.body.findChildren(NodeView) if part.key == key), None)

    def _by_key(self) -> dict[str, QWidget]:
        """What can be held in its place while a text is read."""
        return {part.key: part for part in self.parts} if self.place else {}

    def _reached(self) -> None:
        """Tell which child is at the top, once for each."""
        if self.area is None or not self.place:
            return
        bar = self.area.verticalScrollBar()
        here = bar.value() + self.view.look.theme.px(40)
        end = bar.value() == bar.maximum()
        above = [part for part in self.parts if end or self.area.top_of(part) <= here]
        key = above[-1].key if above else ""
        if key and key != self.reached:
            self.reached = key
            self.view.tell(Event(self.place, key))

    def minimumSizeHint(self) -> QSize:
        """A scroll area does not pass on how wide its inside must be."""
        hint = super().minimumSizeHint()
        if self.area is None:
            return hint
        wide = self.inside.minimumSizeHint().width() + self.view.look.theme.px(14)  # the scroll bar and a gap
        return hint.expandedTo(QSize(wide, 0))

    def _make_room(self, _: int, most: int) -> None:
        """Keep the cards clear of the scroll bar while there is one."""
        layout = self.inside.layout()
        assert layout is not None
        layout.setContentsMargins(0, 0, self.view.look.theme.px(4) if most else 0, 0)

    @staticmethod
    def _outer(node: sc.Row | sc.Column) -> bool:
        """Whether it holds cards (which stand further apart than marks), now or as it is read."""
        return bool(isinstance(node, sc.Column) and node.place) or any(
            isinstance(child, sc.Card | sc.Row | sc.Column) for child in node.children
        )

    def _arrange(self, parts: list[NodeView]) -> None:
        for part in self.parts:
            self.box.removeWidget(part)
            if part not in parts and isinstance(part, MarkNode) and part.leave():
                self._away[part.key] = part
            elif part not in parts:
                discard(part)
        for part in parts:
            kept = self._away.pop(part.key, None)
            if kept is not None and kept is not part:  # another kind of mark has its key now
                discard(kept)
            self.box.addWidget(part)
            part.show()
        self.parts = parts
        self._forget(MOST_AWAY)

    def _forget(self, most: int) -> None:
        while len(self._away) > most:
            discard(self._away.pop(next(iter(self._away))))

    def restyle(self, look: Look) -> None:
        self._forget(0)
        for part in self.parts:
            part.restyle(look)


class TabsNode(NodeView):
    def __init__(self, node: sc.Tabs, view: Maker) -> None:
        super().__init__(node, view)
        self.tabs = QTabWidget()
        self.tabs.currentChanged.connect(self._chosen)
        self.node = node
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.tabs)

    def show_node(self, node: sc.Node) -> None:
        assert isinstance(node, sc.Tabs)
        self.node = node
        old = {part.key: part for part in self.parts}
        parts = [self.view.node(child, old.get(child.key)) for child in node.children]
        self.tabs.blockSignals(True)
        if parts != self.parts:
            self.tabs.clear()
            for part in parts:
                self.tabs.addTab(part, "")
            self.parts = parts
            self.tabs.setCurrentIndex(node.current)
        for k, title in enumerate(node.titles):
            text = self.view.look.text(title)
            if text != self.tabs.tabText(k):  # the bar is laid out and painted anew
                self.tabs.setTabText(k, text)
        if node.event:
            self.tabs.setCurrentIndex(node.current)
        self.tabs.blockSignals(False)

    def _chosen(self, index: int) -> None:
        if self.node.event:
            self.view.tell(Event(self.node.event, index))

    def restyle(self, look: Look) -> None:
        for part in self.parts:
            part.restyle(look)
        for k, title in enumerate(self.node.titles):
            self.tabs.setTabText(k, look.text(title))

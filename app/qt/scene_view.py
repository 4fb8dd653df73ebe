"""Scene -> widgets, by difference: a mark is touched only when it is a new value.

Widgets are kept by key from scene to scene, so focus, scroll places and text being typed stay.  Every card
with a drawing can be turned over: its back is a table of the same numbers.
"""

from __future__ import annotations

import math
import time

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import (
    QVBoxLayout,
    QWidget,
)

from app import scene as sc
from app.messages import Translator
from app.pane import Event
from app.qt.marks.base import Look, MarkView, discard
from app.qt.marks.form import FormView
from app.qt.nodes import CardNode, NodeView, made
from app.qt.theme import Theme


class SceneView(QWidget):
    """Shows scenes of one pane.

    happened(Event): what the user did; text being typed is told before anything else.
    """

    happened = Signal(object)

    def __init__(self, theme: Theme, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = Look(theme, translator)
        self.silent = False  # a picture being made announces nothing
        self.scene: sc.Scene | None = None
        self.root: NodeView | None = None
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._telling = False
        self._owed: set[str] = set()  # keys of cards that wait for the next turn
        self._first: set[str] = set()  # of those that waited for this one
        self._seconds = self._until = math.inf
        self._rest = QTimer(self, singleShot=True, interval=0)
        self._rest.timeout.connect(self._show_rest)

    def show_scene(self, scene: sc.Scene, seconds: float = math.inf) -> None:
        """Show a scene; what equals the one shown is left alone.

        seconds: what may be spent in this turn of the event loop; the cards left over follow in the next.
        """
        self._rest.stop()
        self._seconds, self._until = seconds, time.perf_counter() + seconds
        owed, self._owed = self._owed, set()
        self._first = owed
        before, self.scene = self.scene, scene
        root = self.node(scene.root, self.root)
        if self._owed:
            self._rest.start()
        if root is not self.root:
            if self.root is not None:
                self._box.removeWidget(self.root)
                discard(self.root)
            self._box.addWidget(root)
            root.show()  # a layout would show it only in the next turn of the event loop
            self.root = root
        if before is None or before.alt != scene.alt:
            self._announce()

    def restyle(self, theme: Theme, translator: Translator) -> None:
        """Another theme, scale or language, at once; data, focus and typed text stay."""
        self.look = Look(theme, translator)
        if self.root is not None:
            self.root.restyle(self.look)
            self._announce()
            self._tell_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell a pane that folds how wide the window is, in pixels at 100 % text size."""
        super().resizeEvent(event)
        self._tell_width()

    def _tell_width(self) -> None:
        window = self.window()
        if window is not self:
            self.happened.emit(Event("view.width", round(window.width() / self.look.theme.scale)))

    def flush(self) -> None:
        """Tell what is being typed now (before a run starts by key, say)."""
        for form in self.findChildren(FormView):
            form.flush()

    def mark_view(self, key: str) -> MarkView | None:
        """The widget of a mark, by key."""
        found = (
            view for view in self.findChildren(MarkView) if view.mark is not None and view.mark.key == key
        )
        return next(found, None)

    def node(self, node: sc.Node, before: NodeView | None) -> NodeView:
        """The widget of a node: the one before where it is the same place, else a new one."""
        if before is None or before.node_type is not type(node) or before.key != node.key:
            before = made(node, self)
        elif isinstance(before, CardNode) and self._left_over(before, node):
            return before
        before.show_node(node)
        return before

    def _left_over(self, card: CardNode, node: sc.Node) -> bool:
        """Whether a card waits for the next turn; one that has waited already does not."""
        late = time.perf_counter() > self._until and node.key not in self._first
        if late and not sc.same(card.node, node):
            self._owed.add(node.key)
            return True
        return False

    def _show_rest(self) -> None:
        if self.scene is not None:
            self.show_scene(self.scene, self._seconds)

    def tell(self, event: Event) -> None:
        """Pass an event on, after the text that is still being typed."""
        if not self._telling:
            self._telling = True
            try:
                self.flush()
            finally:
                self._telling = False
        self.happened.emit(event)

    def _announce(self) -> None:
        """The scene in a sentence, for screen readers."""
        if self.scene is None:
            return
        text = self.look.text(self.scene.alt)
        self.setAccessibleName(self.look.text(self.scene.title))
        self.setAccessibleDescription(text)
        if QAccessible.isActive() and not self.silent:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

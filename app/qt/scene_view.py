"""Scene -> widgets, by difference: a mark is touched only when it is a new value.

Widgets are kept by key from scene to scene, so focus, scroll places and text being typed stay.  Every card
with a drawing can be turned over: its back is a table of the same numbers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QVBoxLayout,
    QWidget,
)

from app import scene as sc
from app.messages import Translator
from app.pane import Event
from app.qt.cards import CardNode
from app.qt.marks.base import Look, MarkView, discard
from app.qt.marks.form import FormView
from app.qt.nodes import NodeView
from app.qt.theme import Theme
from app.qt.tree import made

SHOWING = 0.6  # of a turn: what is shown for the first time is laid out and painted too
HEAD_SECONDS = 0.002  # for other controls in a card's head
MAKING_SECONDS = 0.006  # for marks that were not there
OTHERS = (
    0.35  # of a turn: when others took more of it, a card that does not fit waits, though it be the first
)
UNSEEN_MS = 16  # until the next turn where nothing is painted between them
LEAST_SECONDS = 0.004  # of a turn, for a card that is shown in parts


class SceneView(QWidget):
    """Shows scenes of one pane.

    happened(Event): what the user did; text being typed is told before anything else.
    enlarged: the key of a drawing that is to be shown large.  painted: with all that was shown, in this turn.
    """

    happened = Signal(object)
    enlarged = Signal(str)
    painted = Signal()

    def __init__(self, theme: Theme, translator: Translator, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = Look(theme, translator)
        self.silent = False  # a picture being made announces nothing
        self.scene: sc.Scene | None = None
        self.root: NodeView | None = None
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._telling = False
        self._owed: dict[str, CardNode] = {}  # cards that wait for a turn of the event loop, longest first
        self._turn: set[str] = set()  # of those whose turn this is
        self._seconds = self._left = math.inf
        self._end, self._shown = math.inf, 0  # of this turn; cards shown in it
        self._spent = 0.0  # seconds used and promised since the last painting
        self.unseen = False  # whether cards were shown that have not been painted yet
        self._next: sc.Scene | None = None  # to be shown in the next turn
        self._begun: dict[str, CardNode] = {}  # cards of which this turn showed a part
        self._inside = self._worked = 0  # cards being shown; marks shown in this turn
        self._halt = math.inf  # when what is left of a card must wait
        self._until = math.inf  # the same, less the seconds that painting what was shown will take
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self.show_rest)
        self._after = QTimer(self, singleShot=True)  # a whole scene was painted, or had nothing to paint
        self._after.timeout.connect(self._ask_more)
        self.asked: sc.Scene | None = None  # after which more was asked for

    def show_scene(self, scene: sc.Scene, seconds: float = math.inf, taken: float = 0.0) -> None:
        """Show a scene; what equals the one shown is left alone.

        seconds: what may be spent in this turn of the event loop, painting included; the cards left over
        follow in the next ones, the one that has waited longest first; of a card that takes longer than all
        of it, first a part.  taken: of them, by others in this turn.
        """
        self._rest.stop()
        self._spent += taken
        self._seconds, self._left, self._next = seconds, seconds - self._spent, scene
        if self.root is not None and taken > OTHERS * seconds:
            self._rest.start(UNSEEN_MS)
            return
        started = time.perf_counter()
        self._end, self._shown = started + self._left, 0
        most = max(self._left, LEAST_SECONDS)
        self._halt, self._until, self._worked = started + SHOWING * most, started + most, 0
        self._turn, self._begun = set(), {}
        spent = self._spent
        for key, card in self._owed.items():
            if (self._turn or self.unseen) and expected(card) > self._left:
                break
            self._turn.add(key)
            self._spend(card)
        before, self.scene = self.scene, scene
        root = self.node(scene.root, self.root, self)
        for key in self._turn:
            self._owed.pop(key, None)
        self._owed |= self._begun
        if self._owed:
            self._rest.start(UNSEEN_MS)
        if root is not self.root:
            self._take(root)
        if before is None or before.alt != scene.alt:
            self._announce()
        self._wait_for_more(UNSEEN_MS)
        self._spent = max(self._spent, spent + time.perf_counter() - started)

    def _take(self, root: NodeView) -> None:
        if self.root is not None:
            self._box.removeWidget(self.root)
            discard(self.root)
        self._box.addWidget(root)
        root.show()  # a layout would show it only in the next turn of the event loop
        self.root = root

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

    def node(self, node: sc.Node, before: NodeView | None, within: QWidget | None = None) -> NodeView:
        """The widget of a node: the one before where it is the same place, else a new one."""
        if before is None or before.node_type is not type(node) or before.key != node.key:
            before = made(node, self, within)
        if isinstance(before, CardNode) and isinstance(node, sc.Card) and self._left_over(before, node):
            return before
        if not isinstance(before, CardNode):
            before.show_node(node)
            return before
        self._inside += 1
        try:
            before.show_node(node)
        finally:
            self._inside -= 1
        if before.unfinished:
            self._begun[before.key] = before
        return before

    def worked(self, painting: float = 0.0) -> None:
        """A mark was shown or a card's head made, which painting will take some seconds."""
        self._worked += 1
        self._until -= painting

    def late(self, coming: NodeView | None = None) -> bool:
        """Whether the rest of the card being shown waits for the next turn; something is shown in each.

        coming: what comes next, which is to be painted in this turn too.
        """
        if not self._inside or not self._worked or self._halt == math.inf:
            return False
        painting = coming.painting() if coming is not None else 0.0
        return time.perf_counter() > min(self._halt, self._until - painting)

    def _left_over(self, card: CardNode, node: sc.Card) -> bool:
        """Whether a card waits for a later turn."""
        if self._left == math.inf:
            return False
        if card.key in self._turn:
            card.coming = node
            late = self._shown and time.perf_counter() > self._end  # others took longer than expected
            self._turn -= {card.key} if late else set()
            self._shown += not late
            self.unseen |= not late and self.isVisible()
            return bool(late)
        if not card.unfinished and sc.same(card.node, node):
            self._owed.pop(card.key, None)
            return True
        card.coming = node
        if not self._owed.keys() - self._turn and expected(card) <= self._left:
            self.unseen = self.isVisible()
            self._spend(card)
            self._shown += 1
            return False
        self._owed[card.key] = card  # in its old place, though it may be another card of this name
        return True

    def _spend(self, card: CardNode) -> None:
        self._left -= expected(card)
        self._spent += expected(card)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.window().installEventFilter(self)
        self._wait_for_more(UNSEEN_MS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Painted with everything in it: the next turn has all its time again, and comes at once."""
        if event.type() == QEvent.Type.UpdateRequest:
            self._spent, self.unseen = 0.0, False
            self.painted.emit()  # first, as a new scene is to come before what is left of this one
            if self._rest.isActive():
                self._rest.start(0)
            else:
                self._wait_for_more(0)
        return False

    def _wait_for_more(self, ms: int) -> None:
        if self._unasked() is not None:
            self._after.start(ms)

    def _unasked(self) -> sc.Scene | None:
        """The scene, where its pane has more to show and was not asked for it."""
        scene = self.scene
        return scene if scene is not None and scene.more and scene is not self.asked else None

    def _ask_more(self) -> None:
        """Once for each scene, and not by a view nobody sees."""
        scene = self._unasked()
        if scene is not None and self.isVisible() and not self._owed:
            self.asked = scene
            self.happened.emit(Event(scene.more))

    def show_rest(self) -> None:
        """What was left over, as much of it as fits into this turn."""
        self._spent, self.unseen = 0.0, False
        if self._next is not None:
            self.show_scene(self._next, self._seconds)

    def tell(self, event: Event) -> None:
        """Pass an event on, after the text that is still being typed."""
        if not self._telling:
            self._telling = True
            try:
                self.flush()
            finally:
                self._telling = False
        self.happened.emit(event)

    def enlarge(self, key: str) -> None:
        self.enlarged.emit(key)

    def _announce(self) -> None:
        """The scene in a sentence, for screen readers."""
        if self.scene is None:
            return
        text = self.look.text(self.scene.alt)
        self.setAccessibleName(self.look.text(self.scene.title))
        self.setAccessibleDescription(text)
        if QAccessible.isActive() and not self.silent:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))


def expected(card: CardNode) -> float:
    """Seconds that showing another node in a card, and painting it, are likely to take."""
    now, coming, more = card.node, card.coming, 0.0
    if card.body is None:
        more = HEAD_SECONDS + MAKING_SECONDS
    elif coming is not None:
        more += HEAD_SECONDS * (keys(now.tools) != keys(coming.tools))
        more += MAKING_SECONDS * (keys(sc.walk(now.body)) != keys(sc.walk(coming.body)))
    return card.seconds + card.painting() + more


def keys(parts: Iterable[Any]) -> list[str]:
    return [one.key for one in parts]

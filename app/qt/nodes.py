"""The widgets of a scene's tree: rows and columns, tabs, cards, and the place of one mark.

They are kept by key from scene to scene; every card with a drawing can be turned over to a table.
"""

from __future__ import annotations

import time
from typing import Protocol

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetItem,
)

from app import scene as sc
from app.messages import msg
from app.pane import Event
from app.qt.icons import icon
from app.qt.marks.amounts import AmountsView
from app.qt.marks.arcs import ArcsView
from app.qt.marks.base import Look, MarkView, Painted, discard, resized, spaced
from app.qt.marks.cells import CellsView
from app.qt.marks.chart import PlotView
from app.qt.marks.code import CodeView
from app.qt.marks.curve import CurveView
from app.qt.marks.equation import EquationView
from app.qt.marks.film import FilmView
from app.qt.marks.form import Fields, FormView
from app.qt.marks.graph import GraphView
from app.qt.marks.heatmap import HeatmapView
from app.qt.marks.lanes import LanesView
from app.qt.marks.lattice import LatticeView
from app.qt.marks.passage import PassageView
from app.qt.marks.sheet import FormulaView, SheetView
from app.qt.marks.stack import SharesView, StackView
from app.qt.marks.text import ProgressView, ProseView, Short, TableView
from app.qt.scrolled import Scrolled
from app.qt.theme import Theme
from app.qt.twin import TwinTable
from app.render.tables import twin

VIEWS: dict[type, type[MarkView]] = {
    sc.Prose: ProseView,
    sc.Table: TableView,
    sc.Heatmap: HeatmapView,
    sc.Arcs: ArcsView,
    sc.Film: FilmView,
    sc.Curve: CurveView,
    sc.Cells: CellsView,
    sc.Code: CodeView,
    sc.Lanes: LanesView,
    sc.Stack: StackView,
    sc.Shares: SharesView,
    sc.Sheet: SheetView,
    sc.Formula: FormulaView,
    sc.Graph: GraphView,
    sc.Equation: EquationView,
    sc.Passage: PassageView,
    sc.Plot: PlotView,
    sc.Amounts: AmountsView,
    sc.Form: FormView,
    sc.Progress: ProgressView,
    sc.Lattice: LatticeView,
}
WIDGET_MOST = (1 << 24) - 1  # Qt's largest size of a widget
MOST_AWAY = 4  # marks out of the scene kept by a box
FRAME_SECONDS = 0.0005  # of painting a card without its marks
DRAWN = (
    sc.Heatmap,
    sc.Arcs,
    sc.Film,
    sc.Curve,
    sc.Cells,
    sc.Code,
    sc.Lanes,
    sc.Stack,
    sc.Lattice,
    sc.Plot,
    sc.Amounts,
    sc.Graph,
    sc.Equation,
)


class Maker(Protocol):
    """What a node needs of the view it belongs to."""

    @property
    def look(self) -> Look: ...

    @property
    def root(self) -> NodeView | None: ...

    def node(self, node: sc.Node, before: NodeView | None, within: QWidget | None = None) -> NodeView: ...

    def worked(self, painting: float = 0.0) -> None: ...

    def late(self, coming: NodeView | None = None) -> bool: ...

    def tell(self, event: Event) -> None: ...

    def enlarge(self, key: str) -> None: ...


class NodeView(QWidget):
    """The widget of one node of the tree."""

    def __init__(self, node: sc.Node, view: Maker) -> None:
        super().__init__()
        self.view = view
        self.key = node.key
        self.node_type = type(node)
        self.least = 0  # px, by the row it stands in
        self.parts: list[NodeView] = []
        self.waiting = False  # whether something directly in it waits for the next turn

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(self.least, 0))

    def hasHeightForWidth(self) -> bool:
        """Not the whole scene: one wrapped line would make a scroll area around it give it all its wishes."""
        return self is not self.view.root and super().hasHeightForWidth()

    def show_node(self, node: sc.Node) -> None:
        raise NotImplementedError

    def restyle(self, look: Look) -> None:
        raise NotImplementedError

    @property
    def unfinished(self) -> bool:
        """Whether some of it is to be shown in the next turn."""
        return self.waiting or any(part.unfinished for part in self.parts)

    def painting(self) -> float:
        """Seconds that painting the marks in it is likely to take."""
        return sum(part.painting() for part in self.parts)


class MarkNode(NodeView):
    """One mark.  Its layouts end here: what is around it is laid out anew only where the mark's size changed.

    Any new text of a label asks every layout above for more, up to the window, whether or not it needs it.
    """

    def __init__(self, node: sc.Mark, view: Maker) -> None:
        super().__init__(node, view)
        self.mark_view = VIEWS[type(node)](view.look)
        self.mark_view.happened.connect(view.tell)
        self.mark_view.halted = self._halted
        if isinstance(self.mark_view, CurveView):
            self.mark_view.enlarged.connect(view.enlarge)
        self.mark_view.setParent(self)
        self._item = QWidgetItem(self.mark_view)
        self._sizes: object = None  # that the layouts above know of
        self._tall: dict[int, int] = {}  # heights for widths

    def show_node(self, node: sc.Node) -> None:
        shown = self.mark_view
        if shown.mark is None or shown.unfinished or not sc.same(shown.mark, node):
            shown.show_mark(node)
            self.setSizePolicy(shown.sizePolicy())
            self._compare()
            self.view.worked(self.painting())

    @property
    def unfinished(self) -> bool:
        return self.mark_view.unfinished

    def _halted(self) -> bool:
        """Whether a mark of which a part was made waits with the rest."""
        self.view.worked()
        return self.view.late()

    def leave(self) -> bool:
        """Out of the scene, whether it is kept: a sentence comes and goes, and making it anew takes long."""
        if not isinstance(self.mark_view, ProseView | Painted):
            return False  # a form that came back would hold what was typed into the old one
        self.hide()
        self.mark_view.mark = None
        return True

    def _compare(self) -> None:
        """Tell the layouts above where the mark wants another size than they know of."""
        item = self._item
        self._tall.clear()
        tall = self.heightForWidth(self.width()) if item.hasHeightForWidth() else 0
        sizes = item.sizeHint(), item.minimumSize(), item.maximumSize(), tall
        item.setGeometry(self.rect())  # within this place a mark may still move
        if sizes != self._sizes:
            self._sizes = sizes
            resized(self)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._compare()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._item.setGeometry(self.rect())

    def sizeHint(self) -> QSize:
        hint = self._item.sizeHint()
        return QSize(hint.width(), self.heightForWidth(hint.width())) if self.hasHeightForWidth() else hint

    def minimumSizeHint(self) -> QSize:
        return self._item.minimumSize().expandedTo(QSize(self.least, 0))

    def hasHeightForWidth(self) -> bool:
        return self is not self.view.root and self._item.hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        known = self._tall.get(width) if self.isVisible() else None  # unseen it hears of no changes
        if known is None:
            known = self._tall[width] = self._item.heightForWidth(width)
        return known

    def restyle(self, look: Look) -> None:
        self.mark_view.restyle(look)
        self._compare()

    def painting(self) -> float:
        return self.mark_view.seconds


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
            self.area = Scrolled(self.inside, self._within)
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

    def _within(self, key: str) -> NodeView | None:
        return next((part for part in self.body.findChildren(NodeView) if part.key == key), None)

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
        """Whether it holds cards (which stand further apart than marks)."""
        return any(isinstance(child, sc.Card | sc.Row | sc.Column) for child in node.children)

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


class CardNode(NodeView):
    """A panel: title, subtitle, small controls, the body; turned over, a table of its numbers."""

    def __init__(self, node: sc.Card, view: Maker) -> None:
        super().__init__(node, view)
        self.node = node
        self.coming: sc.Card | None = None  # what it is to show next
        frame = QFrame()
        frame.setObjectName("card")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)
        self.column = QVBoxLayout(frame)
        self.title, self.subtitle = QLabel(), Short(mode=Qt.TextElideMode.ElideRight)
        self.title.setProperty("tone", "title")
        self.subtitle.setProperty("tone", "dim")
        self.tools = Fields(view.look, bare=True)
        self.tools.happened.connect(view.tell)
        self.turn = QToolButton()
        self.turn.setProperty("flat", "true")
        self.turn.setCheckable(True)
        self.turn.toggled.connect(self._turned)
        self.large = QToolButton()
        self.large.setProperty("flat", "true")
        self.large.clicked.connect(self._enlarge)
        self.head = QHBoxLayout()
        self.head.addWidget(self.title)
        self.head.addWidget(self.subtitle, 1)
        self.head.addWidget(self.tools)
        self.head.addWidget(self.large)
        self.head.addWidget(self.turn)
        self.column.addLayout(self.head)
        self.stack = QStackedWidget()
        self.column.addWidget(self.stack, 1)
        self.body: NodeView | None = None
        self.table: TwinTable | None = None
        self.seconds = 0.0  # that the last change of it took, without painting
        self._theme: Theme | None = None
        self._head: object = None  # what its first line was made from

    def show_node(self, node: sc.Node) -> None:
        assert isinstance(node, sc.Card)
        started = time.perf_counter()
        before, self.node = self.node, node
        body = self.view.node(node.body, self.body, self.stack)
        if body is not self.body:
            if self.body is not None:
                self.stack.removeWidget(self.body)
                discard(self.body)
            self.stack.insertWidget(0, body)
            self.body, self.parts = body, [body]
            self.stack.setCurrentIndex(1 if self.turn.isChecked() and self.table is not None else 0)
        head = node.title, node.subtitle, node.tools, self.view.look
        if head != self._head or type(before.body) is not type(node.body):
            self.waiting = self.view.late()
            self._head = None if self.waiting else head
            if not self.waiting:
                self._decorate()
                self.view.worked()
        if self.turn.isChecked():
            self._fill_table()
        self.seconds = time.perf_counter() - started

    @property
    def unfinished(self) -> bool:
        return self.body is None or super().unfinished

    def painting(self) -> float:
        return FRAME_SECONDS + (self.body.painting() if self.body is not None else 0.0)

    def _decorate(self) -> None:
        node, look = self.node, self.view.look
        theme = look.theme
        self.title.setText(look.text(node.title))
        self.subtitle.set_whole(look.text(node.subtitle))
        self.tools.setVisible(bool(node.tools))
        self.tools.show_fields((node.tools,) if node.tools else (), look)
        drawn = self._drawn()
        self.turn.setVisible(drawn is not None)
        self.large.setVisible(isinstance(drawn, sc.Curve))
        if theme != self._theme:
            self._theme = theme
            self.turn.setIcon(icon("table", theme, "dim", 14))
            self.large.setIcon(icon("maximize-2", theme, "dim", 14))
            self.column.setContentsMargins(theme.px(13), theme.px(8), theme.px(13), theme.px(10))
            self.column.setSpacing(theme.px(6))
            self.head.setSpacing(theme.px(9))
        self.turn.setToolTip(look.text(msg("Show these numbers as a table")))
        name = msg("{title}: show as a table", title=node.title)
        self.turn.setAccessibleName(look.text(name))
        self.large.setToolTip(look.text(msg("Show this curve large")))
        self.large.setAccessibleName(look.text(msg("{title}: show large", title=node.title)))

    def _drawn(self) -> sc.Mark | None:
        """The drawing of this card."""
        for inner in sc.walk(self.node.body):
            if isinstance(inner, DRAWN):
                return inner
        return None

    def _enlarge(self) -> None:
        mark = self._drawn()
        if mark is not None:
            self.view.enlarge(mark.key)

    def _turned(self, over: bool) -> None:
        if over:
            self._fill_table()
        self.stack.setCurrentIndex(1 if over else 0)

    def _fill_table(self) -> None:
        mark = self._drawn()
        found = None if mark is None else twin(mark)
        if found is None:
            return
        if self.table is None:
            self.table = TwinTable()
            self.stack.addWidget(self.table)
        self.table.show_twin(found, self.view.look, self.view.look.text(self.node.title))

    def restyle(self, look: Look) -> None:
        self._decorate()
        if self.turn.isChecked():
            self._fill_table()
        if self.body is not None:
            self.body.restyle(look)


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
        self.setMaximumHeight(height or WIDGET_MOST)

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

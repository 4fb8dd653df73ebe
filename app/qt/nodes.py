"""What the widgets of a scene's tree share, the place of one mark, and which item draws which mark (`VIEWS`).

They are kept by key from scene to scene.  Boxes and cards have rooms of their own (`boxes.py`, `cards.py`);
`tree.py` makes the widget of any node.
"""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget, QWidgetItem

from app import scene as sc
from app.pane import Event
from app.qt.marks.amounts import AmountsView
from app.qt.marks.arcs import ArcsView
from app.qt.marks.base import Look, MarkView, Painted, resized
from app.qt.marks.cells import CellsView
from app.qt.marks.chart import PlotView
from app.qt.marks.code import CodeView
from app.qt.marks.curve import CurveView
from app.qt.marks.equation import EquationView
from app.qt.marks.film import FilmView
from app.qt.marks.form import FormView
from app.qt.marks.graph import GraphView
from app.qt.marks.heatmap import HeatmapView
from app.qt.marks.lanes import LanesView
from app.qt.marks.lattice import LatticeView
from app.qt.marks.passage import PassageView
from app.qt.marks.sheet import FormulaView, SheetView
from app.qt.marks.stack import SharesView, StackView
from app.qt.marks.text import ProgressView, ProseView, TableView

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
LARGE = (sc.Curve, sc.Plot)  # marks that can be shown in a window of their own


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
        if isinstance(self.mark_view, CurveView | PlotView):
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

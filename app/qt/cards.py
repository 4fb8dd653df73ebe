"""Cards: a title with small controls over a body; one with a drawing can be turned over to a table."""

from __future__ import annotations

import time

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
)

from app import scene as sc
from app.messages import Text, msg
from app.qt.icons import icon
from app.qt.marks.base import Look, discard
from app.qt.marks.form import Fields
from app.qt.marks.text import Short
from app.qt.nodes import DRAWN, LARGE, Maker, NodeView
from app.qt.theme import Theme
from app.qt.twin import TwinTable
from app.render.tables import twin

FRAME_SECONDS = 0.0005  # of painting a card without its marks


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
            policy = QSizePolicy.Policy
            grows = body.sizePolicy().verticalPolicy() != policy.Maximum  # as a film's, never too high
            self.setSizePolicy(policy.Preferred, policy.Preferred if grows else policy.Maximum)
            self.stack.setCurrentIndex(1 if self.turn.isChecked() and self.table is not None else 0)
        keys = self._drawn() is not None, *(one.key for one in self._large())
        head = node.title, node.subtitle, node.tools, self.view.look, keys
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
        self.turn.setVisible(self._drawn() is not None)
        self.large.setVisible(bool(self._large()))
        if theme != self._theme:
            self._theme = theme
            for button in (self.turn, self.large):  # else they keep their size when type grows
                button.setIconSize(QSize(theme.px(16), theme.px(16)))
            self.turn.setIcon(icon("table", theme, "dim", 14))
            self.large.setIcon(icon("maximize-2", theme, "dim", 14))
            self.column.setContentsMargins(theme.px(13), theme.px(8), theme.px(13), theme.px(10))
            self.column.setSpacing(theme.px(6))
            self.head.setSpacing(theme.px(9))
        self.turn.setToolTip(look.text(msg("Show these numbers as a table")))
        name = msg("{title}: show as a table", title=node.title)
        self.turn.setAccessibleName(look.text(name))
        curve = all(isinstance(one, sc.Curve) for one in self._large())
        tip = msg("Show this curve large") if curve else msg("Show this chart large")
        self.large.setToolTip(look.text(tip))
        self.large.setAccessibleName(look.text(msg("{title}: show large", title=node.title)))

    def _drawn(self) -> sc.Mark | None:
        """The drawing of this card."""
        for inner in sc.walk(self.node.body):
            if isinstance(inner, DRAWN):
                return inner
        return None

    def _large(self) -> list[sc.Curve | sc.Plot]:
        """The drawings of this card that can be shown large; a plot that waits for its numbers cannot."""
        if not self.node.large:
            return []
        found = [one for one in sc.walk(self.node.body) if isinstance(one, LARGE)]
        return [one for one in found if isinstance(one, sc.Curve) or one.lines]

    def _enlarge(self) -> None:
        """The drawing at once; of several, the one that is chosen."""
        marks = self._large()
        if len(marks) == 1:
            self.view.enlarge(marks[0].key)
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for mark in marks:
            name = self.view.look.text(chart_name(mark))
            action = menu.addAction(name.replace("&", "&&"))
            action.triggered.connect(lambda *_, key=mark.key: self.view.enlarge(key))
        menu.popup(self.large.mapToGlobal(self.large.rect().bottomLeft()))

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


def chart_name(mark: sc.Curve | sc.Plot) -> Text:
    """What it shows over what."""
    x, y = (mark.x_name, mark.y_name) if isinstance(mark, sc.Curve) else (mark.x.name, mark.y.name)
    return msg("{y} by {x}", y=y, x=x) if x and y else mark.alt

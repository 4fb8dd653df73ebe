"""The row under the top bar: the panes of the visible workspace, where it has more than one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from app.messages import Message, Text
from app.pane import Event
from app.qt.marks.base import discard
from app.qt.theme import Theme

HEIGHT = 34


class PaneBar(QFrame):
    """wanted: an event the user asked for."""

    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panebar")
        self.tabs: dict[str, QPushButton] = {}
        self._shown: object = None
        self._layout = QHBoxLayout(self)
        self._layout.addStretch(1)
        self.hide()

    def show_panes(
        self, panes: tuple[tuple[str, Message], ...], current: str, theme: Theme, say: Callable[[Text], str]
    ) -> None:
        """panes: (name, title) in their order; one alone needs no bar."""
        self.setVisible(len(panes) > 1)
        texts = tuple((name, say(title)) for name, title in panes)
        if (texts, theme) != self._shown:
            self._shown = texts, theme
            self._fill(texts, theme)
        for name, tab in self.tabs.items():
            tab.setChecked(name == current)

    def _fill(self, texts: tuple[tuple[str, str], ...], theme: Theme) -> None:
        self.setFixedHeight(theme.px(HEIGHT))
        self._layout.setContentsMargins(theme.px(16), 0, theme.px(16), 0)
        self._layout.setSpacing(theme.px(2))
        for tab in self.tabs.values():
            self._layout.removeWidget(tab)
            discard(tab)
        self.tabs = {}
        for k, (name, text) in enumerate(texts):
            tab = self._tab(name)
            tab.setText(text)
            bold = QFontMetrics(theme.font("body", bold=True)).horizontalAdvance(text)
            tab.setMinimumWidth(bold + 2 * theme.px(10) + 4)  # it is bold when chosen
            self._layout.insertWidget(k, tab)

    def _tab(self, name: str) -> QPushButton:
        tab = self.tabs[name] = tab_button("panetab")
        tab.clicked.connect(lambda _=False: self.wanted.emit(Event("shell.pane", name)))
        return tab


def tab_button(name: str) -> QPushButton:
    """One of several of which one is chosen; name: of its style."""
    tab = QPushButton()
    tab.setObjectName(name)
    tab.setCheckable(True)
    tab.setAutoExclusive(True)
    tab.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return tab

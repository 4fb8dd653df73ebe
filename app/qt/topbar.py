"""The bar at the top: workspaces at the left; file, device, search, theme and language at the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QWidget

from app.commands import Command, grouped, shown_key
from app.messages import Message, Text, msg
from app.pane import Event
from app.qt import icons
from app.qt.pane_bar import tab_button
from app.qt.theme import Theme
from app.state import AppState

HEIGHT = 48
NAME_WIDTH, LEAST_NAME = 260, 48  # px of a file's name
EDGE = 2  # of a tab, in the style sheet
TOOLS = {"help.palette": "search", "view.theme": "sun-moon", "view.language": "languages"}


class TopBar(QFrame):
    """wanted: an event the user asked for."""

    wanted = Signal(object)

    def __init__(
        self,
        spaces: Sequence[tuple[str, Message]],
        table: Sequence[Command],
        homes: Mapping[str, str],
        parent: QWidget | None = None,
    ) -> None:
        """homes: the first pane of every pane's workspace, which its tab is named by."""
        super().__init__(parent)
        self.setObjectName("topbar")
        self.spaces, self.table, self.homes = spaces, table, homes
        self.commands = {command.id: command for command in table}
        self.theme = Theme()
        self.tabs: dict[str, QPushButton] = {}
        self._layout = QHBoxLayout(self)
        self.folded = self.classroom = False
        self._name = self._device = ""
        self.here = ""  # the workspace's first pane
        self._shown: object = None  # what it was filled from
        self.space = self._tool()  # in place of the tabs where they have no room
        self.space.setObjectName("space")
        self._layout.addWidget(self.space)
        for name, _ in spaces:
            self._layout.addWidget(self._tab(name))
        self._layout.addStretch(1)
        self.device, self.recorded = QLabel(), QLabel()
        self.device.setProperty("tone", "small")
        self.recorded.setProperty("tone", "key")
        self.file = self._tool()
        self.menu = self._tool()
        for button in (self.space, self.file):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.say: Callable[[Text], str] = str
        self.recent: Sequence[str] = ()
        self._give_menu(self.file, self._fill_file)
        self._give_menu(self.menu, self._fill_menu)
        self._give_menu(self.space, self._fill_spaces)
        self.tools = {id: self._tool(id) for id in TOOLS}
        self.leave = self._tool("view.classroom")
        self.leave.setProperty("flat", False)
        for widget in self._last():
            self._layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)

    def _tab(self, name: str) -> QPushButton:
        tab = self.tabs[name] = tab_button("tab")
        tab.clicked.connect(lambda _=False: self.wanted.emit(Event("shell.workspace", name)))
        return tab

    @staticmethod
    def _give_menu(button: QToolButton, fill: Callable[[QMenu], None]) -> None:
        """A menu that is made anew each time it is opened."""
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.aboutToShow.connect(menu.clear)
        menu.aboutToShow.connect(lambda: fill(menu))
        button.setMenu(menu)

    def _tool(self, id: str = "") -> QToolButton:
        button = QToolButton()
        button.setProperty("flat", True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if id:
            button.clicked.connect(lambda _=False: self.wanted.emit(self.commands[id].event))
        return button

    # ---- look -------------------------------------------------------------------------------------------

    def restyle(self, theme: Theme, say: Callable[[Text], str], state: AppState) -> None:
        self.theme, self.say, self._shown = theme, say, None
        self.setFixedHeight(theme.px(HEIGHT))
        self._layout.setContentsMargins(theme.px(16), 0, theme.px(16), 0)
        self._layout.setSpacing(theme.px(6))
        for k, (name, title) in enumerate(self.spaces, start=1):
            self.tabs[name].setText(say(title))
            chosen = QFontMetrics(theme.font("title", bold=True)).horizontalAdvance(say(title))
            self.tabs[name].setMinimumWidth(chosen + 2 * theme.px(14) + 2 * EDGE)  # it is bold when chosen
            self.tabs[name].setToolTip(f"Alt+{k}" if k <= 9 else "")
        size = QSize(theme.px(18), theme.px(18))
        for id, button in self.tools.items():
            command = self.commands[id]
            button.setIcon(icons.icon(TOOLS[id], theme, "dim"))
            button.setIconSize(size)
            button.setAccessibleName(say(command.text))
            button.setToolTip(f"{say(command.text)} ({shown_key(command.keys[0])})")
        self.leave.setIcon(icons.icon("x", theme, "fg"))
        self.leave.setIconSize(size)
        self.leave.setText(say(msg("Leave classroom mode")))
        self.leave.setAccessibleName(self.leave.text())
        self.leave.setToolTip(f"{self.leave.text()} ({shown_key(self.commands['view.classroom'].keys[0])})")
        self.space.setIcon(icons.icon("list", theme, "fg"))
        self.space.setIconSize(size)
        self.space.setToolTip(say(msg("Workspaces")))
        self.menu.setIcon(icons.icon("list", theme, "dim"))
        self.menu.setIconSize(size)
        self.menu.setAccessibleName(say(msg("All commands")))
        self.menu.setToolTip(say(msg("All commands")))
        self.file.setIcon(icons.icon("folder-open", theme, "dim"))
        self.file.setIconSize(size)
        self.recorded.setText(say(msg("recorded run")))
        self.show_state(state, say)

    def _fill_menu(self, menu: QMenu) -> None:
        for group, commands in grouped(self.table):
            part = menu.addMenu(self.say(group))
            for command in commands:
                self._entry(part, command)

    def _entry(self, menu: QMenu, command: Command) -> None:
        key = f"\t{shown_key(command.keys[0])}" if command.keys else ""  # the part after a tab stands right
        action = menu.addAction(self.say(command.text).replace("&", "&&") + key)
        if command.icon:
            action.setIcon(icons.icon(command.icon, self.theme, "dim", size=16))
        action.triggered.connect(lambda _=False: self.wanted.emit(command.event))

    def show_state(self, state: AppState, say: Callable[[Text], str]) -> None:
        """Fill it anew where something it tells has changed since the last time, or its style has."""
        settings, opened = state.settings, state.opened
        self.recent = settings.recent
        shown = settings.classroom, self.homes[state.current], opened.name, opened.device, opened.recorded
        if shown != self._shown:
            self._shown = shown
            self._fill(state, say)
        for name, tab in self.tabs.items():  # a click checks one by itself
            tab.setChecked(name == self.here)

    def _fill(self, state: AppState, say: Callable[[Text], str]) -> None:
        self.classroom, self.here = state.settings.classroom, self.homes[state.current]
        self.leave.setVisible(self.classroom)
        opened = state.opened
        name = opened.name or say(msg("Open…"))
        self._name, self._device = name, opened.device
        self.file.setToolTip(
            " · ".join(filter(None, (opened.name, opened.device)))
            or say(msg("Open a checkpoint or a recorded run…"))
        )
        self.file.setAccessibleName(say(msg("File: {name}", name=name)))
        self.device.setText(opened.device)
        self.recorded.setVisible(opened.recorded)
        self._fold()

    def _fold(self) -> None:
        """All tabs where they have room, else a menu; in a class, whose type is larger, the one shown.

        Where even that is too much, the way out of the class is a cross, then the file's name is shortened,
        then its device is said on hover only; at last the name of the workspace is shortened.
        """
        self.leave.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.device.setVisible(bool(self._device))
        whole = self.theme.px(NAME_WIDTH)
        self._shorten(whole)
        here = self.say(dict(self.spaces)[self.here])
        self.space.setText(" " + here)
        self.space.setAccessibleName(here)
        self.folded = False
        self.folded = not self.classroom and self._over(*self._first()) > 0
        if self._over(*self._first()) > 0:
            self.leave.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        if self.classroom and self._over(*self._first()) > 0:
            self.folded = True
        if (over := self._over(*self._first())) > 0:
            wide = min(QFontMetrics(self.theme.font()).horizontalAdvance(self._name), whole)
            self._shorten(max(wide - over, self.theme.px(LEAST_NAME)))
        if self._over(*self._first()) > 0:
            self.device.hide()
        over, metrics = max(self._over(*self._first()), 0), QFontMetrics(self.theme.font())
        if over and self.folded:
            wide = metrics.horizontalAdvance(self.space.text()) - over
            self.space.setText(metrics.elidedText(self.space.text(), Qt.TextElideMode.ElideRight, wide))
        self.space.setVisible(self.folded)
        for name, tab in self.tabs.items():
            tab.setVisible(not self.folded and (name == self.here or not self.classroom))

    def _first(self) -> tuple[QWidget, ...]:
        """What stands at the left."""
        if self.folded:
            return (self.space,)
        return (self.tabs[self.here],) if self.classroom else tuple(self.tabs.values())

    def _last(self) -> tuple[QWidget, ...]:
        """What stands at the right."""
        return self.leave, self.recorded, self.file, self.device, *self.tools.values(), self.menu

    def _over(self, *first: QWidget) -> int:
        """Pixels the bar has too few with these at its left."""
        shown = (*first, *(widget for widget in self._last() if not widget.isHidden()))
        wide = sum(max(one.sizeHint().width(), one.minimumWidth()) for one in shown)
        margins = self._layout.contentsMargins()
        return wide + len(shown) * self._layout.spacing() + margins.left() + margins.right() - self.width()

    def _shorten(self, width: int) -> None:
        metrics = QFontMetrics(self.theme.font())
        text = " " + metrics.elidedText(self._name, Qt.TextElideMode.ElideMiddle, width)
        if text != self.file.text():
            self.file.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.here:
            self._fold()

    def minimumSizeHint(self) -> QSize:
        """Tabs that have no room become a menu: they do not keep the window wide."""
        return QSize(0, super().minimumSizeHint().height())

    def _fill_spaces(self, menu: QMenu) -> None:
        for k, (name, title) in enumerate(self.spaces, start=1):
            action = menu.addAction(self.say(title).replace("&", "&&") + (f"\tAlt+{k}" if k <= 9 else ""))
            action.setCheckable(True)
            action.setChecked(name == self.here)
            action.triggered.connect(
                lambda _=False, name=name: self.wanted.emit(Event("shell.workspace", name))
            )

    def _fill_file(self, menu: QMenu) -> None:
        for id in ("file.open", "file.open_folder", "file.save", "file.export"):
            self._entry(menu, self.commands[id])
        if not self.recent:
            return
        menu.addSection(self.say(msg("Recent files")))
        for path in self.recent:
            parts = PurePath(path)
            action = menu.addAction(f"{parts.name}\t{parts.parent.name}".replace("&", "&&"))
            action.setToolTip(path)
            action.triggered.connect(lambda _=False, path=path: self.wanted.emit(Event("open.path", path)))
        menu.addSeparator()
        action = menu.addAction(self.say(msg("Forget recent files")))
        action.triggered.connect(lambda: self.wanted.emit(Event("shell.recent.clear")))

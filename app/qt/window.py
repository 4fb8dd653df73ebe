"""The window: top bar, notices, the visible pane, transport; it draws the store's state and sends events."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QScrollArea,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.commands import commands, shortcut_map
from app.messages import Message, Text, Translator, msg
from app.pane import Effect, Event
from app.qt import dialogs, icons, open_files
from app.qt import theme as themes
from app.qt.keys import chord_of, takes_text
from app.qt.marks.base import Look
from app.qt.store import Store
from app.qt.theme import Theme
from app.qt.topbar import TopBar
from app.qt.transport import Transport
from app.state import workspaces
from ut_engine.run import Run

SIZE, LEAST = (1440, 900), (1024, 640)


class Window(QMainWindow):
    """The one window.

    make_view: makes the widget that shows one pane's scenes (`SceneView`, or a test's).
    closing: emitted once, before the window goes.
    """

    closing = Signal()

    def __init__(self, store: Store, make_view: Callable[[Look], QWidget]) -> None:
        super().__init__()
        self.store, self.make_view = store, make_view
        self.table = commands(workspaces(store.panes))
        self.keys = shortcut_map(self.table)
        self.views: dict[str, QWidget] = {}
        self.areas: dict[str, QScrollArea] = {}
        self.look = self._look()
        self._styled: tuple[str, str, float] | None = None
        self.setWindowIcon(icons.program_icon())
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._apply()  # before any widget is made: later ones take over the first font they see
        self._build()
        for prefix in ("file", "dialog", "window", "clipboard", "log"):
            store.perform[prefix] = self.perform
        store.redraw.connect(self.refresh)
        self.refresh()
        self.setFocus()  # on nothing in particular: Space plays

    def _build(self) -> None:
        self.topbar = TopBar(workspaces(self.store.panes), self.table)
        self.transport = Transport({command.id: command for command in self.table})
        self.stack = QStackedWidget()
        self.notices = QVBoxLayout()
        self.notices.setSpacing(0)
        self._shown_notices: tuple[object, ...] = ()
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.topbar)
        column.addLayout(self.notices)
        column.addWidget(self.stack, 1)
        column.addWidget(self.transport)
        centre = QWidget()
        centre.setLayout(column)
        self.setCentralWidget(centre)
        self.drop = QLabel(self)
        self.drop.setObjectName("drop")
        self.drop.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.drop.setWordWrap(True)
        self.drop.hide()
        self.topbar.wanted.connect(self.store.send)
        self.transport.wanted.connect(self.store.send)

    # ---- drawing ----------------------------------------------------------------------------------------

    def _look(self) -> Look:
        state = self.store.state
        return Look(Theme(state.theme, state.settings.scale), Translator(state.language))

    def refresh(self) -> None:
        """Show the store's state; what did not change costs next to nothing."""
        state = self.store.state
        style = (state.language, state.theme, state.settings.scale)
        if style != self._styled:
            self._restyle(style)
        view = self._view(state.current)
        self.stack.setCurrentWidget(self.areas[state.current])
        scene = self.store.scene()
        view.show_scene(scene)  # type: ignore[attr-defined]
        self.topbar.show_state(state, self.look.text)
        line = self.store.line
        self.transport.setVisible(line is not None or self.stack.count() == 1)
        self.transport.show_line(line, state.seconds, self.store.undrawn)
        self._show_notices(state.notices)
        self._show_hint(state.hint)
        name = f"{state.opened.name} — " if state.opened.name else ""
        self.setWindowTitle(f"{name}Depthscope")

    def _restyle(self, style: tuple[str, str, float]) -> None:
        self._styled = style
        self.look = self._look()
        theme = self.look.theme
        self._apply()
        self.setMinimumSize(QSize(*LEAST))
        self.topbar.restyle(theme, self.look.text, self.store.state)
        self.transport.restyle(theme, self.look.text)
        self._shown_notices = ()
        for view in self.views.values():
            view.restyle(theme, self.look.translator)  # type: ignore[attr-defined]
            view.setContentsMargins(*[theme.space("m")] * 4)

    def _apply(self) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        themes.apply(app, self.look.theme)

    def _view(self, name: str) -> QWidget:
        if name not in self.views:
            view = self.make_view(self.look)
            view.happened.connect(self.store.send)  # type: ignore[attr-defined]
            view.setContentsMargins(*[self.look.theme.space("m")] * 4)
            area = QScrollArea()  # for a window smaller than the pane at this text size
            area.setWidgetResizable(True)
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            area.setWidget(view)
            self.views[name], self.areas[name] = view, area
            self.stack.addWidget(area)
        return self.views[name]

    def _show_notices(self, texts: tuple[Text, ...]) -> None:
        if texts == self._shown_notices:
            return
        self._shown_notices = texts
        while (item := self.notices.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for text in texts:
            self.notices.addWidget(self._notice(text))

    def _notice(self, text: Text) -> QFrame:
        frame = QFrame()
        frame.setObjectName("notice")
        row = QHBoxLayout(frame)
        px = self.look.theme.px
        row.setContentsMargins(px(18), px(4), px(12), px(4))
        label = QLabel(self.look.text(text))
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        close = QToolButton()
        close.setProperty("flat", True)
        close.setIcon(icons.icon("x", self.look.theme, "changed"))
        close.setAccessibleName(self.look.text(msg("Close this notice")))
        close.clicked.connect(lambda: self.store.dispatch("shell.notice.close", text))
        row.addWidget(label, 1)
        row.addWidget(close)
        return frame

    def _show_hint(self, hint: Text) -> None:
        self.drop.setVisible(bool(hint))
        if hint:
            self.drop.setText(self.look.text(hint))
            self._place_drop()
            self.drop.raise_()

    def _place_drop(self) -> None:
        gap = self.look.theme.space("l")
        self.drop.setGeometry(self.rect().adjusted(gap, gap, -gap, -gap))

    # ---- input ------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys nobody below took: the table of commands."""
        command = self.keys.get(chord_of(event))
        settings = self.store.state.settings
        chord = chord_of(event)
        bare = not chord.startswith(("Ctrl+", "Alt+")) and len(chord.removeprefix("Shift+")) == 1
        typed = takes_text(QApplication.focusWidget()) and not chord.startswith(
            ("Ctrl+", "Alt+", "F", "Shift+F")
        )
        if command is None or typed or (bare and not settings.letters and chord != "?"):
            super().keyPressEvent(event)
            return
        event.accept()
        self.store.send(command.event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        path, words = open_files.dropped(event.mimeData())
        if words is None:
            return
        event.setDropAction(Qt.DropAction.CopyAction if path else Qt.DropAction.IgnoreAction)
        event.accept()  # refused ones too, so that the overlay can say why
        self.store.dispatch("shell.hint", words)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.store.dispatch("shell.hint", "")

    def dropEvent(self, event: QDropEvent) -> None:
        path, words = open_files.dropped(event.mimeData())
        self.store.dispatch("shell.hint", "")
        if path is not None:
            event.acceptProposedAction()
            self.store.dispatch("open.path", path)
        elif words is not None:
            self.store.dispatch("shell.notice", words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_drop()

    def closeEvent(self, event: QCloseEvent) -> None:
        place = self.geometry()
        normal = self.isMaximized() or self.isFullScreen()
        geometry = () if normal else (place.x(), place.y(), place.width(), place.height())
        self.store.dispatch("shell.geometry", (geometry, self.isMaximized()))
        self.hide()  # gone at once, whatever the engine still does
        self.closing.emit()
        event.accept()

    # ---- effects ----------------------------------------------------------------------------------------

    def perform(self, effect: Effect) -> None:
        """Effects that need the window: files, dialogs, the clipboard, the window itself."""
        WINDOW_EFFECTS[effect.name](self, effect.value)

    def say(self, text: Message) -> str:
        return self.look.text(text)

    def _choose(self, folder: bool) -> None:
        open_files.choose(self, self.look.text, self._opened, folder)

    def _opened(self, path: str) -> None:
        self.store.dispatch("open.path", path)

    def _save(self, _: Any) -> None:
        run = getattr(self.store.state.pane_state, "run", None)
        if run is None:
            return
        write = partial(self._write, run)
        open_files.choose_save(self, self.look.text, run.info.checkpoint, write)

    def _write(self, run: Run, path: str) -> None:
        self.store.dispatch("shell.write", (run, path))

    def _full_screen(self, _: Any) -> None:
        self.showNormal() if self.isFullScreen() else self.showFullScreen()

    def _show_keys(self, _: Any) -> None:
        dialog = dialogs.KeysDialog(self.table, self.look.theme, self.look.text, self)
        dialog.chosen.connect(lambda command: self.store.send(command.event))
        dialog.open()

    def _show_about(self, _: Any) -> None:
        dialogs.AboutDialog(self.look.theme, self.look.text, self).open()

    def show_fault(self, text: str) -> None:
        """The dialog for an error nobody expected."""
        dialogs.ErrorDialog(text, self.look.theme, self.look.text, self).open()

    def _paste(self, _: Any) -> None:
        self.store.send(Event("open.view", QGuiApplication.clipboard().text()))


WINDOW_EFFECTS: dict[str, Callable[[Window, Any], Any]] = {
    "file.choose": lambda window, _: window._choose(folder=False),
    "file.choose_folder": lambda window, _: window._choose(folder=True),
    "file.save": Window._save,
    "dialog.keys": Window._show_keys,
    "dialog.about": Window._show_about,
    "window.full_screen": Window._full_screen,
    "window.close": lambda window, _: window.close(),
    "clipboard.copy": lambda _, text: QGuiApplication.clipboard().setText(text),
    "clipboard.paste": Window._paste,
    "log.open": lambda *_: dialogs.open_log(),
}

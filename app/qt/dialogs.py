"""Dialogs of the program: commands and keys (`?`), an error nobody expected, about and licences."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.commands import Command, grouped, shown_key
from app.messages import Text, msg
from app.paths import config_dir, log_dir, resource
from app.qt import icons
from app.qt.theme import Theme

Say = Callable[[Text], str]
COMMAND = Qt.ItemDataRole.UserRole


class Dialog(QDialog):
    """A window over the window: title, body, buttons at the right end."""

    def __init__(self, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = QVBoxLayout(self)
        margin = theme.space("l")
        self.body.setContentsMargins(margin, margin, margin, margin)
        self.body.setSpacing(theme.space("m"))

    def buttons(self, *pairs: tuple[str, Callable[[], object]]) -> list[QPushButton]:
        """A row of buttons; the last one is the main one."""
        row, made = QHBoxLayout(), []
        row.addStretch(1)
        for text, action in pairs:
            button = QPushButton(text)
            button.clicked.connect(lambda _=False, action=action: action())
            row.addWidget(button)
            made.append(button)
        made[-1].setProperty("primary", True)
        made[-1].setDefault(True)
        self.body.addLayout(row)
        return made


class KeysDialog(Dialog):
    """Every command with its keys; typing narrows the list, Enter does the one chosen.

    chosen: the Command.
    """

    chosen = Signal(object)

    def __init__(
        self, table: Sequence[Command], theme: Theme, say: Say, parent: QWidget | None = None
    ) -> None:
        super().__init__(say(msg("Commands and keys")), theme, parent)
        self.resize(theme.px(560), theme.px(620))
        self.filter = QLineEdit(placeholderText=say(msg("Type to find a command")))
        self.filter.setAccessibleName(say(msg("Find a command")))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._narrow)
        self.filter.installEventFilter(self)
        self.tree = QTreeWidget()
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setAccessibleName(say(msg("Commands and keys")))
        self.tree.itemActivated.connect(self._take)
        hint = QLabel(
            say(msg("Enter does the chosen command. In a grid: arrows move, Enter pins, Esc unpins."))
        )
        hint.setProperty("tone", "small")
        hint.setWordWrap(True)
        for widget in (self.filter, self.tree, hint):
            self.body.addWidget(widget)
        self._fill(table, say)
        self.filter.setFocus()

    def _fill(self, table: Sequence[Command], say: Say) -> None:
        for group, commands in grouped(table):
            top = QTreeWidgetItem(self.tree, [say(group)])
            top.setFont(0, self.theme.font("body", bold=True))
            top.setFlags(Qt.ItemFlag.ItemIsEnabled)
            for command in commands:
                keys = ("   ".join(map(shown_key, command.keys))).replace("Ctrl++   Ctrl+=", "Ctrl++")
                item = QTreeWidgetItem(top, [say(command.text), keys])
                item.setData(0, COMMAND, command)
                item.setFont(1, self.theme.font("small", "mono"))
        self.tree.expandAll()
        self.tree.setColumnWidth(0, self.theme.px(330))
        self._choose_first()

    def _groups(self) -> list[QTreeWidgetItem]:
        return self.tree.findItems("", Qt.MatchFlag.MatchContains)  # the top level

    def _items(self) -> list[QTreeWidgetItem]:
        return [item for group in self._groups() for item in children(group)]

    def _choose_first(self) -> None:
        first = next((item for item in self._items() if not item.isHidden()), None)
        if first is not None:
            self.tree.setCurrentItem(first)

    def _narrow(self, text: str) -> None:
        words = text.lower().split()
        for item in self._items():
            said = f"{item.text(0)} {item.text(1)} {item.data(0, COMMAND).id}".lower()
            item.setHidden(not all(word in said for word in words))
        for group in self._groups():
            group.setHidden(all(item.isHidden() for item in children(group)))
        self._choose_first()

    def _take(self, item: QTreeWidgetItem | None) -> None:
        command = item.data(0, COMMAND) if item is not None else None
        if command is not None and item is not None and not item.isHidden():
            self.accept()
            self.chosen.emit(command)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down in the text field move in the list, Enter takes."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                self.tree.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.tree.currentItem())
                return True
        return super().eventFilter(watched, event)


def children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    found = (item.child(k) for k in range(item.childCount()))
    return [child for child in found if child is not None]


class ErrorDialog(Dialog):
    """An error nobody expected: what, where, Copy, Open log, Continue.  The program goes on."""

    def __init__(self, text: str, theme: Theme, say: Say, parent: QWidget | None = None) -> None:
        super().__init__(say(msg("Something went wrong")), theme, parent)
        self.resize(theme.px(620), theme.px(360))
        self.text = text
        last = text.strip().splitlines()[-1] if text.strip() else ""
        head = QLabel(say(msg("The program made a mistake and goes on. Your data is untouched.")))
        head.setProperty("tone", "title")
        head.setWordWrap(True)
        what = QLabel(last)
        what.setProperty("tone", "error")
        what.setWordWrap(True)
        what.setTextFormat(Qt.TextFormat.PlainText)
        self.details = QPlainTextEdit(text)
        self.details.setReadOnly(True)
        self.details.setFont(theme.font("small", "mono"))
        self.details.setAccessibleName(say(msg("Details")))
        for widget in (head, what, self.details):
            self.body.addWidget(widget)
        self.buttons(
            (say(msg("Copy")), self.copy),
            (say(msg("Open log")), open_log),
            (say(msg("Continue")), self.accept),
        )

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{versions()}\n\n{self.text}")


class AboutDialog(Dialog):
    """What this is, versions, and the licences of what ships with it."""

    def __init__(self, theme: Theme, say: Say, parent: QWidget | None = None) -> None:
        super().__init__(say(msg("About Depthscope")), theme, parent)
        self.resize(theme.px(620), theme.px(520))
        head = QHBoxLayout()
        picture = QLabel()
        picture.setPixmap(icons.program_icon().pixmap(theme.px(56), theme.px(56)))
        name = QLabel("Depthscope")
        name.setProperty("tone", "display")
        head.addWidget(picture)
        head.addWidget(name)
        head.addStretch(1)
        self.body.addLayout(head)
        what = QLabel(
            say(msg("Watch a Universal Transformer think: every step, every head, every decision to halt."))
        )
        what.setWordWrap(True)
        facts = QLabel(versions())
        facts.setProperty("tone", "small")
        facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.body.addWidget(what)
        self.body.addWidget(facts)
        texts = QTextBrowser()
        texts.setAccessibleName(say(msg("Licences")))
        texts.setPlainText(licences())
        self.body.addWidget(texts)
        self.buttons((say(msg("Copy system report")), copy_report), (say(msg("Close")), self.accept))


def copy_report() -> None:
    QGuiApplication.clipboard().setText(report())


def report() -> str:
    """What someone who looks into a fault asks first; in English, whatever the window speaks."""
    from importlib.metadata import PackageNotFoundError, version

    lines = [versions(), "packaged program" if getattr(sys, "frozen", False) else "installed from source"]
    for name in ("torch", "numpy", "safetensors"):
        try:
            lines.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            lines.append(f"{name} is missing")
    lines.append(f"Qt plug-in {QGuiApplication.platformName()}")
    for screen in QGuiApplication.screens():
        size = screen.size()
        lines.append(f"screen {size.width()} x {size.height()} at {screen.devicePixelRatio():g}")
    lines += [f"settings in {config_dir()}", f"log in {log_dir()}"]
    return "\n".join(lines)


def versions() -> str:
    """Versions of what matters for a report, one line."""
    from importlib.metadata import PackageNotFoundError, version

    import PySide6

    try:
        own = version("depthscope")
    except PackageNotFoundError:
        own = "(not installed)"
    parts = {
        "Depthscope": own, "Python": platform.python_version(), "Qt": qVersion(),
        "PySide6": PySide6.__version__, "on": platform.platform(),
    }  # fmt: skip
    return " · ".join(f"{name} {value}" for name, value in parts.items())


COLOUR_MAPS = (
    "Colour maps: cividis (CC0); CET-L17, CET-D1A and CET-D6 by Peter Kovesi (CC BY 4.0), "
    "as pyqtgraph ships them."
)


def licences() -> str:
    """The licence texts of fonts and icons that lie beside them, then those of the bundled libraries."""
    files = sorted(resource().rglob("*LICENSE*"))
    parts = [f"{file.stem.removesuffix('-LICENSE')}\n\n{file.read_text('utf-8')}" for file in files]
    bundled = resource("licences", "bundled.txt")  # made with the packaged program
    if bundled.is_file():
        parts.append(bundled.read_text("utf-8"))
    return "\n\n————————\n\n".join([COLOUR_MAPS, *parts])


def open_log() -> None:
    """Show the folder of log files in the system's file manager."""
    folder = log_dir()
    folder.mkdir(parents=True, exist_ok=True)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

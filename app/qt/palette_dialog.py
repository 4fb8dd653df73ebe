"""The command palette: type a few letters of a command in either language, Enter does it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.commands import Command, shown_key
from app.fuzzy import score
from app.messages import LANGUAGES, Translator, msg
from app.qt.dialogs import Dialog
from app.qt.marks.base import Look

COMMAND = Qt.ItemDataRole.UserRole
WIDTH, HEIGHT = 560, 420
MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class PaletteDialog(Dialog):
    """A field and the commands that fit what is typed, the best first.  chosen: the Command."""

    chosen = Signal(object)

    def __init__(
        self, table: Sequence[Command], language: str, look: Look, parent: QWidget | None = None
    ) -> None:
        super().__init__(look.text(msg("Find a command")), look.theme, parent)
        self.look, self.table = look, table
        others = [Translator(code) for code in LANGUAGES if code != language]
        self.words = [
            (look.text(command.text), look.text(command.group), [one.text(command.text) for one in others])
            for command in table
        ]
        px = look.theme.px
        self.resize(px(WIDTH), px(HEIGHT))
        self.field = QLineEdit(placeholderText=look.text(msg("Type to find a command")))
        self.field.setAccessibleName(look.text(msg("Find a command")))
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(look.text(msg("Commands")))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the field keeps the keyboard
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._take)
        self.none = QLabel(look.text(msg("No command fits.")))
        self.none.setProperty("tone", "dim")
        for widget in (self.field, self.list, self.none):
            self.body.addWidget(widget)
        self._fill("")
        self.field.setFocus()

    def _fill(self, text: str) -> None:
        """The commands that fit, the best first; the table's order where they fit alike."""
        found = []
        for k, (command, (name, group, others)) in enumerate(zip(self.table, self.words, strict=True)):
            said = [name, *others, f"{group} {name}", command.id, " ".join(command.keys)]
            best = max(score(text, one) for one in said)
            if best > 0:
                found.append((-best, k))
        self.list.clear()
        for _, k in sorted(found):
            self._add(self.table[k], self.words[k][0], self.words[k][1])
        self.list.setCurrentRow(0)
        self.list.setVisible(bool(found))
        self.none.setVisible(not found)

    def _add(self, command: Command, name: str, group: str) -> None:
        keys = "   ".join(dict.fromkeys(map(shown_key, command.keys)))
        item = QListWidgetItem(f"{group}: {name}")
        item.setData(COMMAND, command)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{group}: {name} {keys}".strip())
        self.list.addItem(item)
        if keys:
            label = QLabel(keys)
            label.setFont(self.theme.font("small", "mono"))
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            label.setContentsMargins(0, 0, self.theme.px(8), 0)
            label.setProperty("tone", "dim")
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self.list.setItemWidget(item, label)

    def _take(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.accept()
            self.chosen.emit(item.data(COMMAND))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down in the field move in the list, Enter takes."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in MOVES:
                self.list.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)

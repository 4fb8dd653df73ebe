"""Effects that need the window: files, dialogs, the clipboard, the window itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit

from app.pane import Effect, Event
from app.qt import dialogs, open_files, tables
from app.qt.marks.form import Fields
from app.qt.palette_dialog import PaletteDialog
from app.qt.settings_dialog import SettingsDialog

if TYPE_CHECKING:
    from app.qt.window import Shell


def perform(shell: Shell, effect: Effect) -> None:
    """Carry out one of `EFFECTS`."""
    EFFECTS[effect.name](shell, effect.value)


def _choose(shell: Shell, folder: bool) -> None:
    open_files.choose(shell, shell.look.text, partial(shell.store.dispatch, "open.path"), folder)


def _save(shell: Shell, _: Any) -> None:
    run = getattr(shell.store.state.pane_state, "run", None)
    if run is None:
        return

    def write(path: str) -> None:
        shell.store.dispatch("shell.write", (run, path))

    open_files.choose_save(shell, shell.look.text, run.info.checkpoint, write)


def _table(shell: Shell, path: Any) -> None:
    tables.open_table(shell, shell.look.text, shell.store.dispatch, path)


def _export(shell: Shell, _: Any) -> None:
    shell.exporting.ask()


def _picture(shell: Shell, _: Any) -> None:
    shell.exporting.copy()


def _close(shell: Shell, _: Any) -> None:
    shell.frame.close()


def _full_screen(shell: Shell, _: Any) -> None:
    shell.frame.showNormal() if shell.frame.isFullScreen() else shell.frame.showFullScreen()


def _keys(shell: Shell, _: Any) -> None:
    dialog = dialogs.KeysDialog(shell.table, shell.look.theme, shell.look.text, shell)
    dialog.chosen.connect(lambda command: shell.store.send(command.event))
    dialog.open()


def _palette(shell: Shell, _: Any) -> None:
    dialog = PaletteDialog(shell.table, shell.store.state.language, shell.look, shell)
    dialog.chosen.connect(lambda command: shell.store.send(command.event))
    dialog.open()


def _settings(shell: Shell, _: Any) -> None:
    dialog = SettingsDialog(shell.store, shell.look, shell)
    shell.store.redraw.connect(dialog.refresh)
    dialog.outdated.connect(partial(_settings, shell, None))
    dialog.open()


def _about(shell: Shell, _: Any) -> None:
    dialogs.AboutDialog(shell.look.theme, shell.look.text, shell).open()


def _focus(shell: Shell, key: str) -> None:
    """The keyboard to a field of the visible pane, by its key."""
    shell.refresh()
    view = shell.visible()
    for fields in view.findChildren(Fields):
        for (name, _), field in fields.views.items():
            if name == key:
                inner = field.findChild(QLineEdit)
                if inner is not None:
                    inner.setFocus(Qt.FocusReason.ShortcutFocusReason)
                    inner.selectAll()


def _paste(shell: Shell, _: Any) -> None:
    shell.store.send(Event("open.view", QGuiApplication.clipboard().text()))


EFFECTS: Mapping[str, Callable[[Shell, Any], Any]] = {
    "file.choose": lambda shell, _: _choose(shell, folder=False),
    "file.choose_folder": lambda shell, _: _choose(shell, folder=True),
    "file.save": _save,
    "file.table": _table,
    "dialog.keys": _keys,
    "dialog.palette": _palette,
    "dialog.settings": _settings,
    "dialog.export": _export,
    "clipboard.picture": _picture,
    "dialog.about": _about,
    "window.focus": _focus,
    "window.full_screen": _full_screen,
    "window.close": _close,
    "clipboard.copy": lambda _, text: QGuiApplication.clipboard().setText(text),
    "clipboard.paste": _paste,
    "log.open": lambda *_: dialogs.open_log(),
}

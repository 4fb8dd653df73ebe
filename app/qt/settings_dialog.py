"""Settings: everything that is remembered and can be chosen, in one dialog that shows its effect at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLabel, QWidget

from app.messages import LANGUAGES, Message, msg
from app.qt.dialogs import Dialog
from app.qt.marks.base import Look
from app.qt.store import Store
from app.settings import SCALES

SWITCHES: dict[str, tuple[Message, str]] = {
    "classroom": (msg("Classroom mode: larger type, side panels hidden, slower play"), "shell.classroom"),
    "reduced_motion": (msg("Reduced motion: nothing plays or fades by itself"), "shell.motion"),
    "letters": (msg("Single-letter keys (J, K, L, …)"), "shell.letters"),
}


class SettingsDialog(Dialog):
    """Sends the events that the keys send; what is shown follows the store.

    outdated: its own texts are in another language now; it has closed.
    """

    outdated = Signal()

    def __init__(self, store: Store, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look.text(msg("Settings")), look.theme, parent)
        self.store, self.look = store, look
        self.form = QFormLayout()
        self.form.setHorizontalSpacing(look.theme.space("l"))
        self.form.setVerticalSpacing(look.theme.space("m"))
        self.body.addLayout(self.form)
        themes = {"light": look.text(msg("light")), "dark": look.text(msg("dark"))}
        sizes = {scale: f"{100 * scale:.0f} %" for scale in SCALES}
        self.language = self._choice(msg("Language"), dict(LANGUAGES), "shell.language")
        self.colours = self._choice(msg("Colours"), themes, "shell.theme")
        self.text_size = self._choice(msg("Text size"), sizes, "shell.scale")
        self.switches = {name: self._switch(name) for name in SWITCHES}
        note = QLabel(look.text(msg("Changes are kept at once.")))
        note.setProperty("tone", "small")
        self.body.addWidget(note)
        self.buttons((look.text(msg("Close")), self.accept))
        self.refresh()

    def _choice(self, name: Message, options: dict[Any, str], event: str) -> QComboBox:
        box = QComboBox()
        for value, text in options.items():
            box.addItem(text, value)
        box.setAccessibleName(self.look.text(name))
        box.activated.connect(lambda k: self.store.dispatch(event, box.itemData(k)))
        self.form.addRow(self.look.text(name), box)
        return box

    def _switch(self, name: str) -> QCheckBox:
        text, event = SWITCHES[name]
        box = QCheckBox(self.look.text(text))
        box.clicked.connect(self._sender(event))
        self.body.addWidget(box)
        return box

    def _sender(self, event: str) -> Callable[[], None]:
        return lambda: self.store.dispatch(event)

    def refresh(self) -> None:
        """Show what is set now."""
        state = self.store.state
        if state.language != self.look.translator.language:
            self.accept()
            self.outdated.emit()
            return
        self.language.setCurrentIndex(self.language.findData(state.language))
        self.colours.setCurrentIndex(self.colours.findData(state.theme))
        self.text_size.setCurrentIndex(self.text_size.findData(state.settings.scale))
        for name, switch in self.switches.items():
            switch.setChecked(getattr(state.settings, name))

"""The export dialog: format, figure, colours, scale and caption, with a word on what will be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLabel, QWidget

from app import animation, exports
from app.messages import Message, Text, msg, nmsg
from app.qt.dialogs import Dialog
from app.qt.marks.base import Look
from app.trouble import Trouble, sentence
from ut_engine.errors import UserError

FORMATS: dict[str, Message] = {
    "png": msg("PNG picture"),
    "svg": msg("SVG drawing, text stays text"),
    "pdf": msg("PDF page, text stays text"),
    "csv": msg("CSV, the numbers behind it"),
    "webp": msg("WebP, every step in motion"),
    "gif": msg("GIF, every step in motion"),
    "frames": msg("Folder of PNG pictures, one a step"),
    "mp4": msg("MP4 film, made by your own ffmpeg"),
}
SCALED = ("png", "webp", "gif", "frames", "mp4")
WIDTH = 460


@dataclass(frozen=True, slots=True)
class Choices:
    """theme: "" as shown.  figure: key of a card, "" for the whole pane."""

    kind: str = "png"
    figure: str = ""
    theme: str = ""
    scale: int = 2
    caption: bool = True


class ExportDialog(Dialog):
    """chosen: Choices.  copied: the picture is wanted on the clipboard instead."""

    chosen = Signal(object)
    copied = Signal()

    def __init__(
        self,
        figures: Sequence[exports.Figure],
        steps: int,
        last: Choices | None,
        look: Look,
        parent: QWidget | None = None,
    ) -> None:
        """steps: how many there are to export.  last: what was chosen before."""
        say = look.text
        super().__init__(say(msg("Export")), look.theme, parent)
        self.look, self.steps = look, steps
        self.setMinimumWidth(look.theme.px(WIDTH))
        self.form = QFormLayout()
        self.form.setHorizontalSpacing(look.theme.space("l"))
        self.form.setVerticalSpacing(look.theme.space("m"))
        self.body.addLayout(self.form)
        kinds = {kind: text for kind, text in FORMATS.items() if kind in exports.STILLS or steps > 1}
        themes: dict[str, Text] = {"": msg("as shown"), "light": msg("light"), "dark": msg("dark")}
        last = last or Choices()
        self.kind = self._choice(msg("Format"), dict(kinds), last.kind)
        self.figure = self._choice(msg("Figure"), {one.key: one.title for one in figures}, last.figure)
        self.theme_box = self._choice(msg("Colours"), themes, last.theme)
        scales: dict[str, Text] = {str(n): f"{n}×" for n in exports.SCALES}
        self.scale = self._choice(msg("Scale"), scales, str(last.scale))
        self.caption = QCheckBox(say(msg("Caption with model, step, head, scale and source")))
        self.caption.setChecked(last.caption)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setProperty("tone", "small")
        self.body.addWidget(self.caption)
        self.body.addWidget(self.note)
        made = self.buttons(
            (say(msg("Copy the picture")), self._copy),
            (say(msg("Cancel")), self.reject),
            (say(msg("Export…")), self._choose),
        )
        self.go = made[-1]
        self.kind.currentIndexChanged.connect(self._describe)
        self._describe()
        self.kind.setFocus()

    def _choice(self, name: Message, options: dict[str, Text], value: str) -> QComboBox:
        box = QComboBox()
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for key, text in options.items():
            box.addItem(self.look.text(text), key)
        box.setCurrentIndex(max(0, box.findData(value)))
        box.setAccessibleName(self.look.text(name))
        self.form.addRow(self.look.text(name), box)
        return box

    def _describe(self) -> None:
        """What fits the format, and why it cannot be had where it cannot."""
        kind = str(self.kind.currentData())
        self.scale.setEnabled(kind in SCALED)
        for widget in (self.caption, self.theme_box):
            widget.setEnabled(kind != "csv")
        text: Text = ""
        ready = True
        try:
            animation.check(kind)
        except UserError as error:
            text, ready = sentence(error) if isinstance(error, Trouble) else str(error), False
        else:
            if kind in exports.MOVING:
                text = nmsg("{n} step will be exported.", "{n} steps will be exported.", self.steps)
        self.note.setText(self.look.text(text))
        self.note.setVisible(bool(text))
        self.go.setEnabled(ready)

    def choices(self) -> Choices:
        return Choices(
            str(self.kind.currentData()), str(self.figure.currentData()), str(self.theme_box.currentData()),
            int(self.scale.currentData()), self.caption.isChecked(),
        )  # fmt: skip

    def _choose(self) -> None:
        self.accept()
        self.chosen.emit(self.choices())

    def _copy(self) -> None:
        self.accept()
        self.copied.emit()

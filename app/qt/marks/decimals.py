"""Fields for a number with decimals and for one line of text."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QSlider

from app.qt.marks.base import Look
from app.qt.marks.fields import FieldView


class RealView(FieldView):
    """A number with decimals: typed, or by a slider."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.label, self.spin = self.small(""), QDoubleSpinBox()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.spin.setKeyboardTracking(False)
        self.spin.valueChanged.connect(self.tell)
        self.slider.valueChanged.connect(lambda place: self.tell(self._value(place)))
        self.slider.setMinimumWidth(40)
        for widget, share in ((self.label, 0), (self.slider, 1), (self.spin, 0)):
            self.box.addWidget(widget, share)

    def _value(self, place: int) -> float:
        return float(round(self.field.low + place * self.field.step, 9))

    def refresh(self) -> None:
        field = self.field
        with QSignalBlocker(self.spin), QSignalBlocker(self.slider):
            self.spin.setDecimals(field.decimals)
            self.spin.setRange(field.low, field.high)
            self.spin.setSingleStep(field.step)
            self.spin.setValue(field.value)
            self.slider.setRange(0, round((field.high - field.low) / field.step))
            self.slider.setValue(round((field.value - field.low) / field.step))
        self.slider.setVisible(field.slider)
        self.box.setStretch(2, int(not field.slider))
        self.label.setText(self.look.text(field.label))
        for widget in (self.spin, self.slider):
            self.name(widget)


class EntryView(FieldView):
    """One line of text, told when Enter is pressed, or what was searched is taken away."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.label, self.edit = self.small(""), QLineEdit()
        self.edit.returnPressed.connect(lambda: self.tell(self.edit.text()))
        self.edit.textEdited.connect(self._edited)
        self.box.addWidget(self.label)
        self.box.addWidget(self.edit, 1)
        self._known: str | None = None

    def _edited(self, text: str) -> None:
        if self.field.search and not text and self.field.text:
            self.tell("")

    def refresh(self) -> None:
        if self.field.text != self._known:
            self._known = self.field.text
            self.edit.setText(self.field.text)
        style = ("body", "text") if self.field.search else ("mono", "mono")
        self.edit.setFont(self.look.theme.font(*style))
        self.edit.setPlaceholderText(self.look.text(self.field.hint))
        self.label.setText(self.look.text(self.field.label))
        self.label.setVisible(bool(self.field.label))
        self.name(self.edit)

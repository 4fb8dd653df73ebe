"""Controls: one widget for each kind of field.

A field's widget is set from the scene without telling anything back; what the user does is told once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QToolButton,
    QWidget,
)

from app.pane import Event
from app.qt.icons import icon
from app.qt.keys import takes_text
from app.qt.marks.base import Look, discard, resized, spaced
from app.qt.marks.option import OptionButton
from app.qt.painting import painting
from app.scene import Button, Choice, Editor, Entry, Field, Number, Real, Switch

TYPING_MS = 250  # a pause in typing after which the text is told
SLIDER = 24  # steps the slider reaches at least; more are typed


class FieldView(QWidget):
    """One field.  happened: an Event."""

    happened = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        self.field: Any = None
        self.box = QHBoxLayout(self)
        self.box.setContentsMargins(0, 0, 0, 0)

    def show_field(self, field: Any, look: Look) -> None:
        self.field, self.look = field, look
        self.setEnabled(field.enabled)
        self.refresh()

    def refresh(self) -> None:
        raise NotImplementedError

    def flush(self) -> None:
        """Tell what is still on its way."""

    def tell(self, value: Any) -> None:
        self.happened.emit(Event(self.field.event, value))

    def name(self, widget: QWidget) -> None:
        """Name and explanation for screen readers, the explanation as a tip."""
        text, tip = self.look.text(self.field.label), self.look.text(self.field.tip)
        widget.setAccessibleName(text)
        widget.setAccessibleDescription(tip)
        widget.setToolTip(tip)

    def small(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setProperty("tone", "dim")
        return label


class _Edit(QPlainTextEdit):
    """As high as a few lines, more where there is room."""

    def sizeHint(self) -> QSize:
        lines = self.fontMetrics().lineSpacing()
        return QSize(12 * lines, 6 * lines)

    def minimumSizeHint(self) -> QSize:
        lines = self.fontMetrics().lineSpacing()
        return QSize(8 * lines, 4 * lines)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.hasFocus():
            self.ensureCursorVisible()  # the end, where the question stands


class EditorView(FieldView):
    """Several lines; told after a pause in typing, when the focus leaves, and before anything else."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.edit = _Edit()
        self.edit.setTabChangesFocus(True)
        self.edit.installEventFilter(self)
        self.timer = QTimer(self, singleShot=True, interval=TYPING_MS)
        self.timer.timeout.connect(self.flush)
        self.edit.textChanged.connect(self.timer.start)
        self.box.addWidget(self.edit)
        self._known = ""

    def refresh(self) -> None:
        self.name(self.edit)
        font = self.look.theme.font("small")
        self.edit.setFont(font)
        self.edit.setPlaceholderText(self.look.text(self.field.hint))
        # The scene's text is an answer to what was told; only another text replaces what is being typed.
        if self.field.text != self._known:
            self._known = self.field.text
            if self.edit.toPlainText() != self._known:
                with QSignalBlocker(self.edit):
                    self.edit.setPlainText(self._known)
                self.edit.moveCursor(QTextCursor.MoveOperation.Start)  # a story is read from its beginning
                self.timer.stop()

    def flush(self) -> None:
        self.timer.stop()
        text = self.edit.toPlainText()
        if self.field is not None and text != self._known:
            self._known = text
            self.tell(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.edit and event.type() == QEvent.Type.FocusOut and isinstance(event, QFocusEvent):
            self.flush()
        return False


class _Menu(QComboBox):
    """A text too long for it ends in an ellipsis; the list that opens is as wide as its texts."""

    def room(self, option: QStyleOptionComboBox) -> int:
        """Width there is for the text."""
        control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        return self.style().subControlRect(control, option, part, self).width()

    def whole(self) -> int:
        """How wide it would be with the whole text that is chosen."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self.fontMetrics().horizontalAdvance(self.currentText()) + self.width() - self.room(option)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)  # as a QStylePainter does
            option = QStyleOptionComboBox()
            self.initStyleOption(option)
            option.currentText = self.fontMetrics().elidedText(
                self.currentText(), Qt.TextElideMode.ElideRight, self.room(option)
            )
            self.style().drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option, painter, self)
            self.style().drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option, painter, self)


class MenuView(FieldView):
    """One of several, from a menu; its label stands before it, or above where both have no room."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.label = self.small("")
        self.menu = _Menu()
        self.menu.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.menu.setMinimumContentsLength(4)
        self.menu.activated.connect(self._chosen)
        self.box.addWidget(self.label)
        self.box.addWidget(self.menu, 1)
        self.bare = False

    def refresh(self) -> None:
        options = [(value, self.look.text(text)) for value, text in self.field.options]
        with QSignalBlocker(self.menu):
            if options != [(self.menu.itemData(k), self.menu.itemText(k)) for k in range(self.menu.count())]:
                self.menu.clear()
                for value, text in options:
                    self.menu.addItem(text, value)
            self.menu.setCurrentIndex(self.menu.findData(self.field.value))
        self.label.setText(self.look.text(self.field.label))
        self.label.setVisible(not self.bare)
        if self.bare and self.field.style != "bare":  # in a card's title: as wide as its longest text
            self.menu.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.name(self.menu)
        if not self.menu.toolTip():
            self.menu.setToolTip(self.menu.currentText())
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fold()

    def _fold(self) -> None:
        if self.bare or not self.isVisible():
            return
        wide = self.label.sizeHint().width() + self.box.spacing() + self.menu.whole()
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        direction = down if wide > self.width() else across
        if direction != self.box.direction():
            self.box.setDirection(direction)
            resized(self)

    def _chosen(self, index: int) -> None:
        self.tell(self.menu.itemData(index))


class SegmentsView(FieldView):
    """One of a few, side by side."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.group = QButtonGroup(self)
        self.label = self.small("")
        self.box.addWidget(self.label)
        self.buttons: dict[str, QPushButton] = {}
        self.bare = False

    def refresh(self) -> None:
        spaced(self.box, self.look.theme.px(4))
        self.label.setText(self.look.text(self.field.label))
        self.label.setVisible(not self.bare)
        wanted = [value for value, _ in self.field.options]
        if list(self.buttons) != wanted:
            self._rebuild(wanted)
        for value, text in self.field.options:
            button = self.buttons[value]
            self.group.setExclusive(False)  # none may be chosen
            button.setText(self.look.text(text))
            button.setChecked(value == self.field.value)
            button.setAccessibleName(f"{self.look.text(self.field.label)}: {self.look.text(text)}")
            button.setToolTip(self.look.text(self.field.tip))
        self.group.setExclusive(True)

    def _rebuild(self, wanted: list[str]) -> None:
        for button in self.buttons.values():
            self.group.removeButton(button)
            self.box.removeWidget(button)
            discard(button)
        self.buttons = {}
        for value in wanted:
            button = QPushButton()
            button.setCheckable(True)
            button.setProperty("segment", "true")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(self._teller(value))
            self.group.addButton(button)
            self.box.addWidget(button, 0 if self.bare else 1)
            self.buttons[value] = button

    def _teller(self, value: str) -> Callable[[], None]:
        return lambda: self.tell(value)


class NumberView(FieldView):
    """A whole number: typed, or by a slider over its usual range."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.label, self.spin = self.small(""), QSpinBox()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.spin.setKeyboardTracking(False)
        self.spin.valueChanged.connect(self.tell)
        self.slider.valueChanged.connect(self.tell)
        self.slider.setMinimumWidth(40)
        for widget, share in ((self.label, 0), (self.slider, 1), (self.spin, 0)):
            self.box.addWidget(widget, share)

    def refresh(self) -> None:
        field = self.field
        with QSignalBlocker(self.spin), QSignalBlocker(self.slider):
            self.spin.setRange(field.low, field.high)
            self.spin.setValue(field.value)
            self.slider.setRange(field.low, min(field.high, max(SLIDER, field.value)))
            self.slider.setValue(field.value)
        self.label.setText(self.look.text(field.label))
        for widget in (self.spin, self.slider):
            self.name(widget)


class SwitchView(FieldView):
    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.check = QCheckBox()
        self.check.clicked.connect(self.tell)
        self.box.addWidget(self.check, 1)

    def refresh(self) -> None:
        self.check.setText(self.look.text(self.field.label))
        self.check.setChecked(self.field.on)
        self.name(self.check)


def _button(style: str, look: Look) -> QPushButton | QToolButton:
    if style == "icon":
        return QToolButton()
    return OptionButton(look) if style == "option" else QPushButton()


class ButtonView(FieldView):
    """A button; an icon button's label is its name and tip."""

    def __init__(self, look: Look, style: str) -> None:
        super().__init__(look)
        self.button = _button(style, look)
        if style == "icon":
            self.button.setProperty("flat", "true")
        elif style == "primary":
            self.button.setProperty("primary", "true")
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to the transport
        self.button.clicked.connect(self._clicked)
        wide = QSizePolicy.Policy.Fixed if style == "icon" else QSizePolicy.Policy.Preferred
        if style != "option":
            self.button.setSizePolicy(wide, QSizePolicy.Policy.Fixed)
        self.box.addWidget(self.button)

    def _clicked(self) -> None:
        """A click with the mouse ends typing: Space is for the transport again."""
        if not self.button.hasFocus() and takes_text(QApplication.focusWidget()):
            self.window().setFocus()
        self.tell(self.field.value)

    def refresh(self) -> None:
        field, theme = self.field, self.look.theme
        self.name(self.button)
        if isinstance(self.button, OptionButton):
            self.button.show_option(field.icon, self.look.text(field.label), self.look)
            return
        if field.style == "icon":
            self.button.setToolTip(self.look.text(field.tip or field.label))
        else:
            gap = " " if field.icon else ""  # the style sheet leaves none between icon and text
            self.button.setText(gap + self.look.text(field.label))
        if field.icon:
            role = "on_accent" if field.style == "primary" and field.enabled else "fg"
            self.button.setIcon(icon(field.icon, theme, role, 16))
            self.button.setIconSize(QSize(theme.px(16), theme.px(16)))


def kind(field: Field) -> str:
    """Fields of one kind can be shown by one widget."""
    style = field.style if isinstance(field, Choice | Button) else ""
    return f"{type(field).__name__} {style}"


def make(field: Field, look: Look, bare: bool = False) -> FieldView:
    """The widget of a field.  bare: without a label of its own (in a card's title)."""
    view: FieldView
    if isinstance(field, Editor):
        view = EditorView(look)
    elif isinstance(field, Number):
        view = NumberView(look)
    elif isinstance(field, Real | Entry):
        from app.qt.marks.decimals import EntryView, RealView  # they are fields themselves

        view = RealView(look) if isinstance(field, Real) else EntryView(look)
    elif isinstance(field, Switch):
        view = SwitchView(look)
    elif isinstance(field, Button):
        view = ButtonView(look, field.style)
    else:
        view = SegmentsView(look) if field.style == "segments" else MenuView(look)
        view.bare = bare or field.style == "bare"
    return view

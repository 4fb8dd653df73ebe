"""A column that may be taller than the window: scrolled to a part of it, and telling which part is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QScrollArea, QSlider, QWidget

TURNED = (QSlider, QComboBox, QAbstractSpinBox)  # what a wheel changes
WATCHED = "wheel"


class Scrolled(QScrollArea):
    """find: the widget of a key inside.  parts: those one below the other, by key.

    reached: the user has scrolled.  A part that was aimed at stays at the top while the layout settles
    (texts find their height only once they know their width), until the user scrolls; from then on what
    was at the top stays where it was, whatever comes or grows above it.  Who went to the beginning or the end
    of a text stays there, though more of it comes.
    """

    reached = Signal()

    def __init__(
        self,
        inside: QWidget,
        find: Callable[[str], QWidget | None],
        parts: Callable[[], Mapping[str, QWidget]] = dict,
    ) -> None:
        super().__init__()
        self._find, self._parts, self._aim, self._moving = find, parts, "", False
        self._held: tuple[str, int] = "", 0  # key of the part at the top, and how much of it is above
        self._wanted = -1  # where the user scrolled to
        self._last = False  # which was as far down as one can
        self._edge = 0  # of a text, wherever that will be: -1 at its beginning, 1 at its end
        self._watch = QTimer(self, singleShot=True, interval=0)  # a layout asks several times in a turn
        self._watch.timeout.connect(self._watch_fields)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inside)
        self.viewport().setAutoFillBackground(False)
        inside.setAutoFillBackground(False)
        inside.installEventFilter(self)
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(lambda low, high: self.settle())
        bar.actionTriggered.connect(self._taken)
        bar.valueChanged.connect(self._moved)

    def aim(self, key: str) -> None:
        """Bring the part of this key to the top, now and as long as the layout is changing."""
        self._aim, self._held, self._wanted, self._edge = key, ("", 0), -1, 0
        self.settle()

    def settle(self) -> None:
        if self._edge:
            self._to_edge()
            return
        key, above = (self._aim, 0) if self._aim else self._held
        part = self._find(key) if self._aim else self._parts().get(key)
        if part is not None:
            bar = self.verticalScrollBar()
            self._moving = True
            bar.setValue(self.top_of(part) + above)
            self._moving = False
            if self._last and bar.value() < bar.maximum():  # what is at the top is read, not what is last
                self._last = False
                self.reached.emit()

    def _to_edge(self) -> None:
        """To what is the beginning or the end by now, which is another part of the text."""
        bar = self.verticalScrollBar()
        self._wanted = bar.maximum() if self._edge > 0 else bar.minimum()
        bar.setValue(self._wanted)
        self.reached.emit()

    def top_of(self, part: QWidget) -> int:
        """Where a part begins, from the top of what is scrolled."""
        inside = self.widget()
        return part.mapTo(inside, QPoint(0, 0)).y() if inside is not None else 0

    def _taken(self, action: int) -> None:
        """The user scrolls: what will be at the top stays there.

        Where nothing moves, what was aimed at may be still to come: it is waited for.
        """
        bar, parts = self.verticalScrollBar(), self._parts()
        edge = self._edge_at(action) if parts else 0
        if self._aim and not edge and bar.sliderPosition() == bar.value():
            return
        value = self._wanted = bar.sliderPosition()
        above = [key for key, part in parts.items() if self.top_of(part) <= value] or list(parts)[:1]
        self._held = (above[-1], value - self.top_of(parts[above[-1]])) if above else ("", 0)
        self._aim, self._edge = "", edge

    def _edge_at(self, action: int) -> int:
        """The edge that was asked for: by its key, or by dragging the bar to it."""
        bar, asked = self.verticalScrollBar(), QSlider.SliderAction
        for edge, by_key, value in (
            (-1, asked.SliderToMinimum, bar.minimum()),
            (1, asked.SliderToMaximum, bar.maximum()),
        ):
            if action == by_key.value or (bar.isSliderDown() and bar.sliderPosition() == value):
                return edge
        return 0

    def _moved(self, value: int) -> None:
        """By hand; a layout that is short for a moment moves it too."""
        if not self._moving and value == self._wanted:
            self._last = value == self.verticalScrollBar().maximum()
            self.reached.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Wheel and isinstance(watched, TURNED):
            return self._passes_by(watched, event)
        if watched is self.widget() and kind in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._watch.start()
            self.settle()
        return super().eventFilter(watched, event)

    def _watch_fields(self) -> None:
        inside = self.widget()
        for field in inside.findChildren(QWidget) if inside is not None else ():
            if isinstance(field, TURNED) and not field.property(WATCHED):
                field.setProperty(WATCHED, True)
                field.installEventFilter(self)

    def _passes_by(self, field: QWidget, event: QEvent) -> bool:
        """A wheel that turns over a field without the keyboard scrolls on, and changes nothing by the way."""
        if isinstance(event, QWheelEvent) and not field.hasFocus():
            self.wheelEvent(event)
            return True
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.settle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Home and End as in a text; the window has other uses for them where nothing is read."""
        bar = self.verticalScrollBar()
        if event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            home = event.key() == Qt.Key.Key_Home
            bar.triggerAction(
                QSlider.SliderAction.SliderToMinimum if home else QSlider.SliderAction.SliderToMaximum
            )
            return
        super().keyPressEvent(event)

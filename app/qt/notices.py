"""The notices below the top bar, each with a button that closes it; what only informs goes by itself."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QEnterEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout

from app.messages import Text, msg
from app.qt import icons
from app.qt.marks.base import Look, discard

PASSING_MS = 8000  # that a notice stays which only informs; long enough to read a path


class Notice(QFrame):
    """One of them.  closed: its button was pressed.  left: pointer and keyboard are elsewhere again."""

    closed = Signal()
    left = Signal()

    def __init__(self, text: Text, look: Look) -> None:
        super().__init__()
        self.setObjectName("notice")
        self.text = text
        self.pointed = False
        self.row = QHBoxLayout(self)
        self.label, self.button = QLabel(), QToolButton()
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.button.setProperty("flat", True)
        self.button.clicked.connect(self.closed)
        self.button.installEventFilter(self)
        self.row.addWidget(self.label, 1)
        self.row.addWidget(self.button)
        self.restyle(look)

    def restyle(self, look: Look) -> None:
        px = look.theme.px
        self.row.setContentsMargins(px(18), px(4), px(12), px(4))
        self.label.setText(look.text(self.text))
        self.button.setIcon(icons.icon("x", look.theme))
        self.button.setAccessibleName(look.text(msg("Close this notice")))
        self.button.setToolTip(look.text(msg("Close this notice")))

    @property
    def held(self) -> bool:
        """Whether someone is at it."""
        return self.pointed or self.button.hasFocus()

    def announce(self) -> None:
        """For screen readers."""
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.label.text()))

    def enterEvent(self, event: QEnterEvent) -> None:
        self.pointed = True
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed = False
        super().leaveEvent(event)
        self.left.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.left.emit()
        return False


class Notices(QVBoxLayout):
    """close: called with the text of a notice that is to be closed."""

    def __init__(self, close: Callable[[Text], None]) -> None:
        super().__init__()
        self.setSpacing(0)
        self._close = close
        self._shown: tuple[object, ...] = ()
        self._look: Look | None = None
        self.notices: dict[Text, Notice] = {}
        self.clocks: dict[Text, QTimer] = {}

    def show_texts(self, texts: tuple[Text, ...], passing: tuple[Text, ...], look: Look) -> None:
        """passing: those among them that only inform.  What did not change costs next to nothing."""
        if (texts, passing, look) == self._shown:
            return
        self._shown = texts, passing, look
        for text in [one for one in self.notices if one not in texts]:
            self._remove(text)
        for place, text in enumerate(texts):
            if text not in self.notices:
                self._add(text, look)
            elif look != self._look:
                self.notices[text].restyle(look)
            self.insertWidget(place, self.notices[text])
        self._look = look
        for text in texts:
            self._time(text, text in passing)

    def focused(self) -> Text | None:
        """The notice the keyboard is at."""
        return next((text for text, one in self.notices.items() if one.button.hasFocus()), None)

    def _add(self, text: Text, look: Look) -> None:
        notice = self.notices[text] = Notice(text, look)
        notice.closed.connect(lambda: self._close(text))
        notice.left.connect(lambda: self._start(text))
        notice.announce()

    def _remove(self, text: Text) -> None:
        """A notice that had the keyboard gives it back to nobody in particular: Space plays."""
        self._stop(text)
        notice = self.notices.pop(text)
        if notice.button.hasFocus():
            notice.window().setFocus()
        self.removeWidget(notice)
        discard(notice)

    def _time(self, text: Text, passing: bool) -> None:
        if not passing:
            self._stop(text)
        elif text not in self.clocks:
            clock = self.clocks[text] = QTimer(self, singleShot=True, interval=PASSING_MS)
            clock.timeout.connect(lambda: self._passed(text))
            clock.start()

    def _stop(self, text: Text) -> None:
        clock = self.clocks.pop(text, None)
        if clock is not None:
            clock.stop()
            clock.deleteLater()

    def _start(self, text: Text) -> None:
        if text in self.clocks and not self.notices[text].held:
            self.clocks[text].start()

    def _passed(self, text: Text) -> None:
        """Its time is over; while someone is at it, it begins anew once they leave."""
        if text in self.notices and not self.notices[text].held:
            self._close(text)

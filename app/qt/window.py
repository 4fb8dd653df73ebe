"""What is in the window: top bar, notices, the visible pane, transport.

It draws the store's state and sends events; it decides nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractSlider,
    QApplication,
    QLabel,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.commands import commands, is_plain, shortcut_map
from app.growing import growing
from app.messages import Text, Translator
from app.pane import Effect, Event
from app.qt import dialogs, icons, open_files, window_effects
from app.qt import theme as themes
from app.qt.cards import CardNode
from app.qt.exporting import Exporting
from app.qt.frame import Frame
from app.qt.keys import Chords, chord_of, takes_text
from app.qt.marks.base import Look
from app.qt.notices import Notices
from app.qt.pane_bar import PaneBar
from app.qt.plots import Plots
from app.qt.scene_view import UNSEEN_MS, SceneView
from app.qt.store import Store
from app.qt.theme import Theme
from app.qt.topbar import TopBar
from app.qt.transport import Transport
from app.state import OPENER, homes, neighbours, workspaces

if TYPE_CHECKING:
    from app.qt.tour_bar import TourBar

READING = "reading"  # name of the scroll area of a text
PAGES = {
    "PgDown": QAbstractSlider.SliderAction.SliderPageStepAdd,
    "Space": QAbstractSlider.SliderAction.SliderPageStepAdd,
    "PgUp": QAbstractSlider.SliderAction.SliderPageStepSub,
    "Home": QAbstractSlider.SliderAction.SliderToMinimum,
    "End": QAbstractSlider.SliderAction.SliderToMaximum,
}


class Shell(QWidget):
    """What is in the window.

    make_view: makes the widget that shows one pane's scenes (`SceneView`, or a test's).
    Made by `build`; until then it is empty and hidden.
    """

    def __init__(self, frame: Frame, store: Store, make_view: Callable[[Look], QWidget]) -> None:
        super().__init__(frame)
        self.hide()
        self.frame, self.store, self.make_view = frame, store, make_view
        panes = [(name, pane.TITLE) for name, pane in store.panes.items()]
        self.table = commands(workspaces(store.panes), panes)
        self.keys = shortcut_map(self.table)
        self.views: dict[str, QWidget] = {}
        self.areas: dict[str, QScrollArea] = {}
        self.look = self._look()
        self.fetching: Callable[[], bool] = bool  # whether maps are still to come from the engine
        self.exporting = Exporting(self)
        self.plots = Plots(self, lambda: self.look, self.key)
        self.plots.happened.connect(store.send)
        self.turn: float | None = None  # seconds a scene may take of one turn of the event loop; None: all
        self._styled: tuple[str, str, float, bool] | None = None
        self._waiting = QTimer(self, singleShot=True)  # for what was shown to be painted
        self._waiting.timeout.connect(self.draw)

    def build(self) -> None:
        """Make everything and show it in the window."""
        for _ in self.stages():
            pass

    def stages(self) -> Iterator[None]:
        """The same in parts of some milliseconds, so that the window answers between them."""
        self._apply()  # before any widget is made: later ones take over the first font they see
        self._build()
        yield
        self._restyle(self._style())
        yield
        width = round(self.frame.width() / self.look.theme.scale)
        self.store.dispatch("view.width", width)  # now rather than when the pane has been laid out
        self.store.scene()
        yield
        view = self._view(self.store.state.current)
        yield
        for scene in growing(self.store.scene()):
            view.show_scene(scene)  # type: ignore[attr-defined]
            for widget in view.findChildren(QWidget):
                widget.ensurePolished()
            yield
        parts = [*view.findChildren(CardNode), self.topbar, self.transport]
        for part in parts:
            part.setUpdatesEnabled(False)
        self.frame.shell = self
        Chords(self.frame, self.key, QApplication.instance())  # type: ignore[arg-type]
        self.frame.setCentralWidget(self)
        self.show()
        self.frame.setWindowIcon(icons.program_icon())
        for prefix in ("file", "dialog", "window", "clipboard", "log"):
            self.store.perform[prefix] = self.perform
        self.store.redraw.connect(self.refresh)
        self.refresh()
        self.frame.setFocus()  # on nothing in particular: Space plays
        for part in parts:  # a window painted for the first time all at once would stand still for a moment
            yield
            part.setUpdatesEnabled(True)
            part.repaint()  # alone, too: what is asked for within some milliseconds would be painted together

    def _build(self) -> None:
        panes = self.store.panes
        self.topbar = TopBar(workspaces(panes), self.table, homes(panes))
        self.panebar = PaneBar()
        self.transport = Transport({command.id: command for command in self.table})
        self.tourbar: TourBar | None = None  # made with the first tour
        self.stack = QStackedWidget()
        self.notices = Notices(partial(self.store.dispatch, "shell.notice.close"))
        self.bars = QVBoxLayout()  # how far exports are
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.topbar)
        column.addWidget(self.panebar)
        self.tours = QVBoxLayout()
        column.addLayout(self.tours)
        column.addLayout(self.notices)
        column.addLayout(self.bars)
        column.addWidget(self.stack, 1)
        column.addWidget(self.transport)
        self.drop = QLabel(self)
        self.drop.setObjectName("drop")
        self.drop.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.drop.setWordWrap(True)
        self.drop.hide()
        self.topbar.wanted.connect(self.store.send)
        self.panebar.wanted.connect(self.store.send)
        self.transport.wanted.connect(self.store.send)

    # ---- drawing ----------------------------------------------------------------------------------------

    def _look(self) -> Look:
        state = self.store.state
        return Look(Theme(state.theme, state.settings.text_scale), Translator(state.language))

    def _style(self) -> tuple[str, str, float, bool]:
        state = self.store.state
        return state.language, state.theme, state.settings.text_scale, state.settings.reduced_motion

    def refresh(self) -> None:
        """Show the store's state, but first let be painted what was shown: a frame is made of one of them."""
        view = self.views.get(self.store.state.current)
        if self.turn is None or not isinstance(view, SceneView) or not view.unseen:
            self.draw()
        elif not self._waiting.isActive():
            self._waiting.start(UNSEEN_MS // 2)  # sooner than the view goes on with what is left

    def _painted(self) -> None:
        if self._waiting.isActive():
            self._waiting.start(0)

    def draw(self) -> None:
        """Show the store's state; what did not change costs next to nothing."""
        self._waiting.stop()
        state, started = self.store.state, time.perf_counter()
        if self._style() != self._styled:
            self._restyle(self._style())
        view = self._view(state.current)
        self._turn_to(self.areas[state.current])
        scene = self.store.scene()
        self.plots.follow(scene)
        self.topbar.show_state(state, self.look.text)
        around = neighbours(self.store.panes, state.current)
        self.panebar.show_panes(around, state.current, self.look.theme, self.look.text)
        self._show_tour()
        line = self.store.line
        self.transport.setVisible(line is not None)
        seconds = state.seconds if state.current == OPENER else ()  # times of the run that is seen there
        self.transport.show_line(line, seconds, self.store.undrawn)
        self.notices.show_texts(state.notices, state.passing, self.look)
        self._show_hint(state.hint)
        name = f"{state.opened.name} — " if state.opened.name else ""
        self.frame.setWindowTitle(f"{name}Depthscope")
        if self.turn is None:
            view.show_scene(scene)  # type: ignore[attr-defined]
        else:
            taken = time.perf_counter() - started
            view.show_scene(scene, self.turn, taken)  # type: ignore[attr-defined]

    def _restyle(self, style: tuple[str, str, float, bool]) -> None:
        self._styled = style
        self.look = self._look()
        theme = self.look.theme
        self._apply()
        self.topbar.restyle(theme, self.look.text, self.store.state)
        self.transport.restyle(theme, self.look.text)
        for view in self.views.values():
            view.restyle(theme, self.look.translator)  # type: ignore[attr-defined]
            view.setContentsMargins(*[theme.space("m")] * 4)

    def _apply(self) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        themes.apply(app, self.look.theme)
        themes.set_motion(app, self.store.state.settings.reduced_motion)

    def _view(self, name: str) -> QWidget:
        if name not in self.views:
            view = self.make_view(self.look)
            view.happened.connect(partial(self._told, name))  # type: ignore[attr-defined]
            if isinstance(view, SceneView):
                view.enlarged.connect(self.plots.open)
                view.painted.connect(self._painted)
            view.setContentsMargins(*[self.look.theme.space("m")] * 4)
            area = QScrollArea()  # for a window smaller than the pane at this text size
            area.setWidgetResizable(True)
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            area.setWidget(view)
            self.views[name], self.areas[name] = view, area
            self.stack.addWidget(area)
        return self.views[name]

    def _told(self, name: str, event: Event) -> None:
        """What a view says.  More of a pane that is being left is asked for again once it is back."""
        view, away = self.views.get(name), name != self.store.state.current
        if away and isinstance(view, SceneView) and view.scene is not None and event.name == view.scene.more:
            view.asked = None
        else:
            self.store.send(event)

    def visible(self) -> QWidget:
        """What shows the pane that is open; a key may come before the frame that would make it."""
        if self.store.state.current not in self.views:
            self.draw()
        return self.views[self.store.state.current]

    def _show_tour(self) -> None:
        """The bar of a guided tour; what it needs is imported when one is started."""
        state = self.store.state
        if state.tour is None and self.tourbar is None:
            return
        from app.qt.tour_bar import TourBar
        from app.touring import place_of

        if self.tourbar is None:
            self.tourbar = TourBar({command.id: command for command in self.table})
            self.tourbar.wanted.connect(self.store.send)
            self.tours.addWidget(self.tourbar)
        self.tourbar.show_place(place_of(state), self.look.theme, self.look.text)

    def _show_hint(self, hint: Text) -> None:
        self.drop.setVisible(bool(hint))
        if hint:
            self.drop.setText(self.look.text(hint))
            self.place_drop()
            self.drop.raise_()

    def place_drop(self) -> None:
        gap = self.look.theme.space("l")
        self.drop.setGeometry(self.rect().adjusted(gap, gap, -gap, -gap))

    def _turn_to(self, area: QScrollArea) -> None:
        """Show a pane.  A field that Qt hands the focus on to would swallow Space and the letters."""
        if self.stack.currentWidget() is area:
            return
        self.stack.setCurrentWidget(area)
        focus = QApplication.focusWidget()
        if focus is not None and takes_text(focus) and area.isAncestorOf(focus):
            self.frame.setFocus()

    # ---- input ------------------------------------------------------------------------------------------

    def key(self, event: QKeyEvent) -> bool:
        """A key nobody below took: the table of commands.  Whether it was one of them."""
        chord = chord_of(event)
        if chord == "Esc" and self._close_notice():
            event.accept()
            return True
        command = self.keys.get(chord)
        letter = len(chord) == 1 and chord.isalpha()
        typing = is_plain(chord) and takes_text(QApplication.focusWidget())
        if command is None or typing or (letter and not self.store.state.settings.letters):
            return False
        event.accept()
        if not self._scroll(chord):
            self.store.send(command.event)
        return True

    def _close_notice(self) -> bool:
        """The one the keyboard is at, else the newest where nothing is pinned; whether there was one."""
        state = self.store.state
        text = self.notices.focused()
        if text is None and state.notices and state.selection.pinned is None:
            text = state.notices[-1]
        if text is None:
            return False
        self.store.dispatch("shell.notice.close", text)
        return True

    def _scroll(self, chord: str) -> bool:
        """Keys that turn the pages of a text, where one is on screen and no tour goes on by them."""
        action = PAGES.get(chord)
        if action is None or self.store.state.tour is not None:
            return False
        area = self.visible().findChild(QScrollArea, READING)
        if area is None:
            return False
        area.verticalScrollBar().triggerAction(action)
        return True

    def drag(self, event: QDragEnterEvent) -> None:
        """Say what dropping would do."""
        path, words = open_files.dropped(event.mimeData())
        if words is None:
            return
        event.setDropAction(Qt.DropAction.CopyAction if path else Qt.DropAction.IgnoreAction)
        event.accept()  # refused ones too, so that the overlay can say why
        self.store.dispatch("shell.hint", words)

    def drag_left(self) -> None:
        self.store.dispatch("shell.hint", "")

    def dropped(self, event: QDropEvent) -> None:
        path, words = open_files.dropped(event.mimeData())
        self.store.dispatch("shell.hint", "")
        if path is not None:
            event.acceptProposedAction()
            self.store.dispatch("open.path", path)
        elif words is not None:
            self.store.dispatch("shell.notice", words)

    def keep_geometry(self) -> None:
        """Have the window's place remembered."""
        frame, place = self.frame, self.frame.geometry()
        large = frame.isMaximized() or frame.isFullScreen()
        geometry = () if large else (place.x(), place.y(), place.width(), place.height())
        self.store.dispatch("shell.geometry", (geometry, frame.isMaximized()))

    # ---- effects ----------------------------------------------------------------------------------------

    def perform(self, effect: Effect) -> None:
        """Effects that need the window: files, dialogs, the clipboard, the window itself."""
        window_effects.perform(self, effect)

    def show_fault(self, text: str) -> None:
        """The dialog for an error nobody expected."""
        dialogs.ErrorDialog(text, self.look.theme, self.look.text, self).open()

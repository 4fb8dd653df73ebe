"""Which curves and plots are shown large, and what they need first.

pyqtgraph draws the curves; it is imported in a thread once the first run has been shown, or when the first
curve is asked for, and never waited for.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.messages import Text
from app.pane import Event
from app.qt.curve_dialog import CurveDialog
from app.qt.large import LargeDialog
from app.qt.marks.base import Look
from app.qt.plot_dialog import PlotDialog
from app.scene import Card, Curve, Inset, Node, Plot, Scene, Tabs, children, same

IDLE_MS = 1500  # after the first run, before pyqtgraph is imported


@dataclass(frozen=True, slots=True)
class Found:
    """A drawing of a scene and the title of what it stands in.  insets: around it, the innermost first."""

    title: Text
    mark: Curve | Plot
    insets: tuple[Inset, ...]

    def told(self, event: Event) -> Event:
        """What the user did in it, as the pane shown hears it."""
        for inset in self.insets:
            event = Event(inset.event, (inset.key, event))
        return event


class Plots(QObject):
    """The drawings that are open large, by their key.

    look: how to draw now; happened(Event): what the user did in one.  key: takes chords of the program that
    were pressed in one; whether it was one.
    """

    happened = Signal(object)
    _loaded = Signal()

    def __init__(
        self, window: QWidget, look: Callable[[], Look], key: Callable[[QKeyEvent], bool] = lambda _: False
    ) -> None:
        super().__init__(window)
        self.window, self.look, self.key = window, look, key
        self.open_ones: dict[str, LargeDialog] = {}
        self.asked: list[str] = []
        self.scene: Scene | None = None
        self._ready = False
        self._thread: threading.Thread | None = None
        self._idle = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._idle.timeout.connect(self.load)
        self._loaded.connect(self._open_asked, Qt.ConnectionType.QueuedConnection)

    def later(self) -> None:
        """Import pyqtgraph when the window has been quiet for a moment."""
        if self._thread is None:
            self._idle.start()

    def load(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._import, name="import of pyqtgraph")
            self._thread.start()

    def _import(self) -> None:
        importlib.import_module("pyqtgraph")
        self._loaded.emit()

    def open(self, key: str) -> None:
        """Show a drawing of the scene large; an open one comes to the front."""
        found = find(self.scene, key)
        if found is None or isinstance(found.mark, Plot) or self._ready:
            self._open(key)
        else:
            self.asked.append(key)
            self.load()

    def _open_asked(self) -> None:
        self._ready = True
        asked, self.asked = self.asked, []
        for key in asked:
            self._open(key)

    def _open(self, key: str) -> None:
        found = find(self.scene, key)
        if key in self.open_ones:
            self.open_ones[key].raise_()
            self.open_ones[key].activateWindow()
        elif found is not None:
            dialog = self._made(found)
            dialog.happened.connect(lambda event: self._tell(key, event))
            dialog.passed = self.key
            dialog.finished.connect(lambda _: self.open_ones.pop(key, None))
            self.open_ones[key] = dialog
            dialog.show()

    def _made(self, found: Found) -> LargeDialog:
        if isinstance(found.mark, Plot):
            return PlotDialog(found.title, found.mark, self.look(), self.window)
        return CurveDialog(found.title, found.mark, self.look(), self.window)

    def _tell(self, key: str, event: Event) -> None:
        found = find(self.scene, key)
        if found is not None:
            self.happened.emit(found.told(event))

    def follow(self, scene: Scene) -> None:
        """The scene shown now; what is not in it closes, what has another look is made anew."""
        self.scene = scene
        for key, dialog in list(self.open_ones.items()):
            found = find(scene, key)
            new = found is not None and type(found.mark) is type(dialog.mark)
            if found is None or not new or dialog.look is not self.look():
                dialog.close()
                if found is not None:
                    self.open(key)
            elif not same(dialog.mark, found.mark):
                dialog.show_mark(found.title, found.mark)

    def close(self) -> None:
        """A thread in an import at exit would abort the process.  May be called twice."""
        self._idle.stop()
        self.blockSignals(True)  # nobody hears that the import is done
        self.asked.clear()
        for dialog in list(self.open_ones.values()):
            dialog.close()
        if self._thread is not None:
            self._thread.join()


def find(scene: Scene | None, key: str) -> Found | None:
    """The curve or plot of this key."""
    return None if scene is None else _find(scene.root, key, scene.title, ())


def _find(node: Node, key: str, title: Text, insets: tuple[Inset, ...]) -> Found | None:
    if isinstance(node, Curve | Plot):
        return Found(title, node, insets) if node.key == key else None
    title = node.title if isinstance(node, Card) else title
    insets = (node, *insets) if isinstance(node, Inset) else insets
    titles = node.titles if isinstance(node, Tabs) else ()
    tries = (
        _find(child, key, titles[k] if k < len(titles) else title, insets)
        for k, child in enumerate(children(node))
    )
    return next((found for found in tries if found is not None), None)

"""The whole window on a pane's states, without an engine: for pictures, labels, focus, and by keyboard."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.pane import Event, Pane, all_panes
from app.qt import application
from app.qt import theme as themes
from app.qt.frame import Frame
from app.qt.scene_view import SceneView
from app.qt.session import Session
from app.qt.store import Store
from app.qt.window import Shell
from app.reduce import start
from app.settings import Settings
from tests.panes import made

PLACES = ("first", "middle", "last")
NONE = Qt.KeyboardModifier.NoModifier
PATIENCE = 20  # seconds
TABS = 160  # presses of Tab after which something is not reached


@contextmanager
def session(settings: Settings, size: tuple[int, int] = (1280, 800)) -> Iterator[Session]:
    """The program's window of one size, shown, with every pane there is."""
    application.make_application()
    found = Session(settings, all_panes(), lambda _: None)
    try:
        found.window.setMinimumSize(0, 0)
        found.window.setFixedSize(*size)
        found.build()
        found.window.show()
        yield found
    finally:
        found.close()
        found.window.hide()
        found.window.deleteLater()


def show(found: Session, pane: str, place: str) -> None:
    """One pane at its first, middle or last step; a made-up run is open where the pane takes one.

    The application is dressed again: what other tests wear is taken off before every test.
    """
    themes.apply(QApplication.instance(), found.shell.look.theme)  # type: ignore[arg-type]
    found.store.dispatch("shell.workspace", pane)
    if accepts_run(found.store.panes[pane]):
        found.store.dispatch("open.run", made.run())
    found.store.dispatch("shell.workspace", pane)
    line = found.store.line
    if line is not None and line.computed:
        found.store.dispatch("transport.seek", step_at(place, line.computed))
    settle(found)


def accepts_run(pane: Pane) -> bool:
    empty = pane.initial()
    return pane.update(empty, Event("open.run", made.run()))[0] is not empty


def step_at(place: str, computed: int) -> int:
    return {"first": 1, "middle": (computed + 1) // 2, "last": computed}[place]


def settle(found: Session | Shell) -> None:
    """All that is shown, and what its pane has more to show."""
    found.store.flush()
    turns, late = 0, time.monotonic() + PATIENCE
    while turns < 4 or found.store.scene().more:  # layouts settle in steps
        assert time.monotonic() < late, "a pane has ever more to show"
        QApplication.processEvents()
        found.store.flush()
        turns += 1


# ---- one pane, by keyboard --------------------------------------------------------------------------------


@contextmanager
def window(
    qtbot: Any, pane: str, size: tuple[int, int] = (1440, 900), settings: Settings | None = None
) -> Iterator[Shell]:
    """The shell with every pane there is, one of them shown; nobody carries out its effects."""
    themes.load_fonts()
    panes = all_panes()
    store = Store(start(settings or Settings(workspace=pane), panes, "en", "light"), panes)
    frame = Frame(themes.Theme())
    shell = Shell(frame, store, lambda look: SceneView(look.theme, look.translator))
    shell.build()
    frame.resize(*size)
    qtbot.addWidget(frame)
    frame.show()
    qtbot.waitExposed(frame)
    try:
        yield shell
    finally:
        store._clock.stop()


def press(shell: Shell, key: int, modifiers: Qt.KeyboardModifier = NONE, text: str = "") -> None:
    """A key as the platform sends it: to what has the focus."""
    target = QApplication.focusWidget() or shell.frame
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(target, QKeyEvent(kind, key, modifiers, text))
    settle(shell)


def tab_until(shell: Shell, wanted: Callable[[QWidget], bool], name: str = "what is wanted") -> Any:
    """Tab until such a thing has the focus."""
    for _ in range(TABS):
        focus = QApplication.focusWidget()
        if focus is not None and wanted(focus):
            return focus
        press(shell, Qt.Key.Key_Tab)
    raise AssertionError(f"{name} is not reached by Tab")


def tab_to(shell: Shell, name: str, kind: type[QWidget] = QWidget) -> Any:
    """Tab until something of that name and kind has the focus."""

    def wanted(focus: QWidget) -> bool:
        return isinstance(focus, kind) and name in (focus.accessibleName(), getattr(focus, "text", str)())

    return tab_until(shell, wanted, repr(name))


def mark_view(shell: Shell, key: str) -> Any:
    """What paints a mark of the pane shown."""
    return shell.views[shell.store.state.current].mark_view(key)  # type: ignore[attr-defined]


def tab_to_mark(shell: Shell, key: str) -> Any:
    view = mark_view(shell, key)
    return tab_until(shell, lambda focus: focus is view, key)


def seconds_to_screen(shell: Shell, steps: Iterable[int]) -> float:
    """From going to a step to its picture; the median of some."""
    taken = []
    for step in steps:
        shell.store.dispatch("transport.seek", step)
        started = time.perf_counter()
        shell.store.flush()
        QApplication.processEvents()
        taken.append(time.perf_counter() - started)
    return median(taken)

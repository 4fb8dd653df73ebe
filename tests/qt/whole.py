"""The whole window on a pane's states, without an engine: for pictures, labels and focus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtWidgets import QApplication

from app.pane import Event, Pane, all_panes
from app.qt import application
from app.qt import theme as themes
from app.qt.session import Session
from app.settings import Settings
from tests.panes import made

PLACES = ("first", "middle", "last")


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


def settle(found: Session) -> None:
    found.store.flush()
    for _ in range(4):  # layouts settle in steps
        QApplication.processEvents()
        found.store.flush()

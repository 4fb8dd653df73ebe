"""Pictures of the window as it is shown, off screen: build, show a view, wait for its run, grab."""

from __future__ import annotations

import time

from PySide6.QtCore import QEventLoop, QPoint, QTimer
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from app import view as views
from app.pane import Event, all_panes
from app.qt import session as sessions
from app.qt.session import Session
from app.settings import Settings
from app.state import OPENER
from ut_engine.errors import UserError

LONGEST_MS = 120_000
TURN_MS, MOST_TURNS = 10, 50


def complete(pane: str, view: str | None) -> str:
    """The view with what a picture needs: a checkpoint to open and a run of it."""
    name, values = views.from_text(view) if view else (pane, {})
    shipped = sessions.shipped_checkpoint()
    if name == OPENER and "open" not in values and shipped is not None:
        values = {**sessions.demonstration(shipped), **values}
    return views.to_text(name, values)


def taken(settings: Settings, view: str, size: tuple[int, int], scale: float) -> QPixmap:
    """The window of `size` logical pixels on a view, `scale` picture pixels for each."""
    session = Session(settings, all_panes(), lambda _: None)
    try:
        window = session.window
        window.setMinimumSize(0, 0)
        window.setFixedSize(*size)
        session.build()
        window.show()
        settle(session, view)
        return grab(window, scale)
    finally:
        session.close()
        session.window.hide()
        session.window.deleteLater()


def settle(session: Session, view: str) -> None:
    """Show a view and wait until everything it asks for has come."""
    session.store.send(Event("open.view", view))
    if session.store.state.notices:
        notice = session.store.state.notices[-1]
        raise UserError(session.shell.look.text(notice).rstrip("."), "copy a view from a window")
    rest(session)
    what = getattr(session.store.state.pane_state, "what", "")
    if what:  # said in the window; nobody reads a picture of it
        raise UserError(what, getattr(session.store.state.pane_state, "do", "") or "correct the view")
    grown(session)
    session.store.flush()
    steady(session.window)


def grown(session: Session) -> None:
    """Wait until a pane that shows the nearest first has shown all of it."""
    late = time.monotonic() + LONGEST_MS / 1000
    while session.store.scene().more:
        if time.monotonic() > late:
            raise UserError("the pane was not drawn in two minutes", "use a smaller view")
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, TURN_MS)


def rest(session: Session) -> None:
    """Wait until nothing is run and nothing measured; what ends may have asked for more."""
    loop = QEventLoop()
    session.pump.idle.connect(loop.quit)
    session.laboratory.idle.connect(loop.quit)
    late = QTimer(loop, singleShot=True)
    late.timeout.connect(loop.quit)
    late.start(LONGEST_MS)
    while session.pump.busy or session.laboratory.busy:
        if not late.isActive():
            raise UserError("the run did not end in two minutes", "use fewer steps")
        loop.exec()


def steady(window: QWidget) -> None:
    """Wait until nothing moves any more: layouts settle in steps, some of them a turn of the loop later."""
    places: list[tuple[int, int, int, int]] = []
    same = 0
    for _ in range(MOST_TURNS):
        loop = QEventLoop()
        QTimer.singleShot(TURN_MS, loop.quit)
        loop.exec()
        now = [widget.geometry().getRect() for widget in window.findChildren(QWidget)]
        same = same + 1 if now == places else 0
        if same == 2:
            return
        places = now  # type: ignore[assignment]


def grab(window: QWidget, scale: float) -> QPixmap:
    """The window with `scale` picture pixels per logical pixel."""
    if window.devicePixelRatioF() == scale:
        return window.grab()
    picture = QPixmap(window.size() * scale)
    picture.setDevicePixelRatio(scale)
    with QPainter(picture) as painter:
        window.render(painter, QPoint())
    return picture

"""Start and end of the program, and pictures of it: `run` shows the window, `shot` draws it off screen.

Order at start: settings, Qt, fonts, theme, window, first paint; then the engine process and, in a thread,
pyqtgraph, whose import would cost the first paint a quarter of a second.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from PySide6.QtCore import (
    QEvent,
    QEventLoop,
    QLibraryInfo,
    QLocale,
    QObject,
    QPoint,
    QSocketNotifier,
    Qt,
    QTimer,
    QTranslator,
)
from PySide6.QtGui import QGuiApplication, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from app import settings as kept
from app import view as views
from app.cli import child_command
from app.messages import LANGUAGES, msg
from app.pane import Effect, Event, all_panes
from app.paths import config_dir, log_dir, resource
from app.qt import faults, pump, theme
from app.qt.marks.base import Look
from app.qt.scene_view import SceneView
from app.qt.store import Store
from app.qt.window import SIZE, Window
from app.reduce import start
from app.settings import Settings
from app.state import OPENER, Panes
from ut_engine.client import Client
from ut_engine.errors import UserError

SAVE_MS = 400
SHOT_MS = 120_000
UNSEEN_MS = 1_000


class Session:
    """One window with its store and engine; whoever makes it closes it."""

    def __init__(
        self, settings: Settings, panes: Panes, save: Callable[[Settings], None], log: IO[Any] | None = None
    ) -> None:
        self.store = Store(start(settings, panes, system_language(), theme.system_theme()), panes)
        self.pump = pump.Pump(self.store.send, engine(log))
        self.store.perform["engine"] = self.pump.perform
        self.store.perform["settings"] = self._settings
        self._save = save
        self._saving = QTimer(singleShot=True, interval=SAVE_MS)
        self._saving.timeout.connect(self.save)
        self._words = QtWords()
        self._words.show(self.store.state.language)
        self.store.redraw.connect(lambda: self._words.show(self.store.state.language))
        self.window = Window(self.store, make_view)
        self.window.closing.connect(self.close)

    def play_from_start(self) -> None:
        """Play the run that has just ended, unless the user is already doing something else."""
        line = self.store.line
        if line is not None and line.current == line.computed > 1 and not line.playing:
            self.store.dispatch("transport.first")
            self.store.dispatch("transport.play")

    def _settings(self, effect: Effect) -> None:
        self._saving.start()  # a slider of settings is one write

    def save(self) -> None:
        """Keep the settings; a folder that cannot be written to is said once."""
        self._saving.stop()
        try:
            self._save(self.store.state.settings)
        except OSError as error:
            reason = error.strerror or str(error)
            self.store.dispatch("shell.notice", msg("The settings cannot be saved: {reason}.", reason=reason))

    def close(self) -> None:
        """Explicit order: settings, engine, then what Qt owns.  May be called twice."""
        self.save()
        self.pump.close()
        self.store.blockSignals(True)  # nothing is drawn any more
        self._words.show("en")


def engine(log: IO[Any] | None) -> pump.Make:
    """The engine is this very program, frozen or not."""
    return lambda notify: Client(notify, command=child_command("_engine"), stderr=log)


def make_view(look: Look) -> QWidget:
    return SceneView(look.theme, look.translator)


class QtWords:
    """Qt's own words (Save, Cancel, ...) in the language shown."""

    def __init__(self) -> None:
        self.language = ""
        self.translator: QTranslator | None = None

    def show(self, language: str) -> None:
        if language == self.language:
            return
        self.language = language
        if self.translator is not None:
            QApplication.removeTranslator(self.translator)
            self.translator = None
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        translator = QTranslator()
        if language != "en" and translator.load(f"qtbase_{language}", folder):
            QApplication.installTranslator(translator)
            self.translator = translator


# ---- the program ------------------------------------------------------------------------------------------


def run(path: str | None = None, settings_overrides: Mapping[str, Any] | None = None) -> int:
    """Show the window until it is closed; the exit code.  UserError where this PySide6 must not be used.

    path: a checkpoint or a recorded run; None: what was open last, else the checkpoint that ships.
    settings_overrides: settings for this start only.
    """
    check_qt()
    log = faults.Log(log_dir())
    folder = config_dir()
    settings, notice = kept.load(folder)
    app = make_application()
    caught = faults.Faults()
    caught.install()
    settings = replace(settings, **(settings_overrides or {}))
    session = Session(settings, all_panes(), lambda new: kept.save(folder, new), log.engine)
    caught.happened.connect(session.window.show_fault)
    if notice is not None:
        session.store.dispatch("shell.notice", notice)
    interrupted = Interrupts(session.window.close)
    place(session.window, settings)
    later: list[threading.Thread] = []
    AfterPaint(session.window, lambda: later.append(after_first_paint(session, path)))
    code = app.exec()
    for thread in later:
        thread.join()  # a thread in an import at exit would abort the process
    session.close()
    caught.remove()
    interrupted.remove()
    log.close()
    return 130 if interrupted.happened else code


class AfterPaint(QObject):
    """Calls once, when the window has been painted for the first time (a timer of 0 ms comes before that)."""

    def __init__(self, window: QWidget, act: Callable[[], object]) -> None:
        super().__init__(window)
        self._act = act
        window.installEventFilter(self)
        QTimer.singleShot(UNSEEN_MS, self._once)  # a window that starts minimised is not painted

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self._once)
        return False

    def _once(self) -> None:
        act, self._act = self._act, lambda: None
        act()


def after_first_paint(session: Session, path: str | None) -> threading.Thread:
    """Open what is to be opened, and import pyqtgraph meanwhile; returns the importing thread."""
    last = session.store.state.settings.checkpoint
    shipped = shipped_checkpoint()
    if path or (last and Path(last).exists() and Path(last) != shipped):
        session.store.dispatch("open.path", os.path.abspath(path or last))
    elif shipped is not None:
        demonstrate(session, shipped)
    thread = threading.Thread(target=import_pyqtgraph, name="import pyqtgraph")
    thread.start()  # after the engine's start, which would wait for the import's locks
    return thread


def demonstrate(session: Session, checkpoint: Path) -> None:
    """Run the shipped checkpoint on its first sample, then play the steps from the first: no empty page."""
    once = Qt.ConnectionType.SingleShotConnection
    if not session.store.state.settings.reduced_motion:
        session.pump.idle.connect(session.play_from_start, once)
    session.store.dispatch("open.view", views.to_text(OPENER, {"open": str(checkpoint), "run": "1"}))


def import_pyqtgraph() -> None:
    """The first import is slow; curves ask for it when they are first shown."""
    import pyqtgraph

    pyqtgraph.setConfigOptions(imageAxisOrder="row-major", antialias=True)  # type: ignore[no-untyped-call]


def check_qt() -> None:
    """Refuse a PySide6 that loses references to None: it ends the process after some thousand frames."""
    if sys.version_info >= (3, 12):
        return  # None is immortal there
    from PySide6.QtGui import QPainterPath

    path = QPainterPath()
    if faults.lost_references(lambda: path.moveTo(0.0, 0.0)) > 500:
        import PySide6

        raise UserError(
            f"PySide6 {PySide6.__version__} damages Python {sys.version_info[0]}.{sys.version_info[1]}",
            "install another one: pip install 'PySide6-Essentials>=6.11.2,<6.12'",
        )


def make_application() -> QApplication:
    """The one QApplication, with the bundled fonts; an existing one is used again."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        QApplication.setApplicationName("depthscope")
        QApplication.setApplicationDisplayName("Depthscope")
        QApplication.setDesktopFileName("depthscope")
        app = QApplication([sys.argv[0] if sys.argv else "depthscope"])
    theme.load_fonts()
    return app


def system_language() -> str:
    """The user's language where there are texts in it, else English."""
    code = QLocale.system().name()[:2]
    return code if code in LANGUAGES else "en"


def shipped_checkpoint() -> Path | None:
    """The checkpoint that ships with the program; None in a checkout without one."""
    found = sorted(file.parent for file in resource("checkpoints").glob("*/config.json"))
    best = [folder for folder in found if folder.name == "babi"]
    return next(iter(best + found), None)


def place(window: Window, settings: Settings) -> None:
    """Show the window where it was, if a screen is still there; else in the middle at its usual size."""
    screen = QGuiApplication.primaryScreen().availableGeometry()
    width, height = min(SIZE[0], screen.width()), min(SIZE[1], screen.height())
    window.resize(width, height)
    if len(settings.geometry) == 4:
        x, y, wide, high = settings.geometry
        inside = any(
            other.availableGeometry().contains(x + 40, y + 20) for other in QGuiApplication.screens()
        )
        if inside:
            window.setGeometry(x, y, wide, high)
    window.showMaximized() if settings.maximized else window.show()


class Interrupts:
    """Ctrl-C in the terminal closes the window: Python handlers only run when Qt comes back to Python."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.happened = False
        self._act = act
        self._pair = socket.socketpair()
        for end in self._pair:
            end.setblocking(False)
        self._old = signal.set_wakeup_fd(self._pair[1].fileno(), warn_on_full_buffer=False)
        self._handler = signal.signal(signal.SIGINT, self._caught)
        self._notifier = QSocketNotifier(self._pair[0].fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(lambda: self._pair[0].recv(64))

    def _caught(self, *_: object) -> None:
        self.happened = True
        QTimer.singleShot(0, self._act)

    def remove(self) -> None:
        self._notifier.setEnabled(False)
        signal.signal(signal.SIGINT, self._handler)
        signal.set_wakeup_fd(self._old)
        for end in self._pair:
            end.close()


# ---- pictures ---------------------------------------------------------------------------------------------


def shot(
    pane: str,
    out: Path | str,
    view: str | None = None,
    lang: str = "en",
    theme: str = "light",
    size: tuple[int, int] = SIZE,
    scale: float = 1.0,
    text_scale: float = 1.0,
) -> None:
    """Write a picture (PNG) of a pane as the window shows it, transport and all.

    view: a view state; None runs the shipped checkpoint on its first sample (the inspector).
    size: of the window in logical pixels.  scale: picture pixels per logical pixel.
    Raises UserError where the view is none, or the engine says why it cannot run.
    """
    if QGuiApplication.instance() is None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        os.environ["QT_SCALE_FACTOR"] = f"{scale:g}"
    check_qt()
    make_application()
    import_pyqtgraph()
    settings = Settings(language=lang, theme=theme, scale=text_scale, workspace=pane)
    session = Session(settings, all_panes(), lambda _: None)
    try:
        window = session.window
        window.setMinimumSize(0, 0)
        window.setFixedSize(*size)
        window.show()
        settle(session, complete_view(pane, view))
        picture = grab(window, scale)
    finally:
        session.close()
        session.window.deleteLater()
    if not picture.save(str(out), "PNG"):
        raise UserError(f"{out} could not be written", "choose another file")


def complete_view(pane: str, view: str | None) -> str:
    """The view with what a picture needs: a checkpoint to open and a run of it."""
    name, values = views.from_text(view) if view else (pane, {})
    shipped = shipped_checkpoint()
    if name == OPENER and "open" not in values and shipped is not None:
        values = {"open": str(shipped), "run": "1", **values}
    return views.to_text(name, values)


def settle(session: Session, view: str) -> None:
    """Show a view and wait until everything it asks for has come."""
    session.store.perform["settings"] = lambda _: None
    loop = QEventLoop()
    session.pump.idle.connect(loop.quit)
    session.store.send(Event("open.view", view))
    if session.store.state.notices:
        notice = session.store.state.notices[-1]
        raise UserError(session.window.look.text(notice).rstrip("."), "copy a view from a window")
    if session.pump.busy:
        QTimer.singleShot(SHOT_MS, loop, loop.quit)
        loop.exec()
    if session.pump.busy:
        raise UserError("the run did not end in two minutes", "use fewer steps")
    session.store.flush()
    for _ in range(3):  # layouts settle in steps
        QApplication.processEvents()


def grab(window: QWidget, scale: float) -> QPixmap:
    """The window with `scale` picture pixels per logical pixel."""
    if window.devicePixelRatioF() == scale:
        return window.grab()
    picture = QPixmap(window.size() * scale)
    picture.setDevicePixelRatio(scale)
    painter = QPainter(picture)
    window.render(painter, QPoint())
    painter.end()
    return picture

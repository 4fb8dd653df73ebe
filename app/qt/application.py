"""Start and end of the program: `run` shows the window, `shot` draws it off screen.

Order at start: settings, Qt, fonts, colours, the bare window and its first paint.  Only then a thread imports
the rest (numpy, panes, marks), the GUI thread makes it part by part, and the engine process starts.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QSocketNotifier, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

from app import settings as kept
from app.paths import config_dir, log_dir
from app.qt import faults, theme
from app.qt.frame import SIZE, Frame
from app.settings import Settings
from ut_engine.errors import UserError

if TYPE_CHECKING:
    from app.qt.session import Session

START_FAULT = "Depthscope could not start; install it again, or report this. / 시작하지 못했습니다."
"""Plain, and in both languages: what would say it better may be what failed."""

TITLE_BAR = 40  # px, more than any desktop's
TURN_SECONDS = 0.006  # for a scene, the bars and as many cards as fit; the rest of 16 ms is to spare


def run(path: str | None = None, settings_overrides: Mapping[str, Any] | None = None) -> int:
    """Show the window until it is closed; the exit code.  UserError where this PySide6 must not be used.

    path: a checkpoint or a recorded run; None: what was open last, else the checkpoint that ships.
    settings_overrides: settings for this start only.
    """
    check_qt()
    log = faults.Log(log_dir())
    settings, notice = kept.load(config_dir())
    settings = replace(settings, **(settings_overrides or {}))
    app = make_application()
    look = theme.Theme(settings.theme or theme.system_theme(), settings.text_scale)
    theme.apply(app, look)
    frame = Frame(look)
    starting = Start(frame, settings, log, path)
    if notice is not None:
        starting.notices.append(notice)
    caught = faults.Faults()
    caught.install()
    caught.happened.connect(starting.show_fault)
    interrupted = Interrupts(frame.close)
    place(frame, settings)
    code = app.exec()
    starting.end()
    caught.remove()
    interrupted.remove()
    log.close()
    return 130 if interrupted.happened else 1 if starting.failed else code


class Start(QObject):
    """What follows the first paint, in order: import in a thread, make part by part, open."""

    _imported = Signal()

    def __init__(self, frame: Frame, settings: Settings, log: faults.Log, path: str | None) -> None:
        super().__init__()
        self.frame, self.settings, self.log, self.path = frame, settings, log, path
        self.notices: list[Any] = []
        self.session: Session | None = None
        self.failed = False
        self._stages: Iterator[None] = iter(())
        self._thread = threading.Thread(target=self._import, name="import")
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._next)
        self._imported.connect(self._begin, Qt.ConnectionType.QueuedConnection)
        frame.painted.connect(self._thread.start, Qt.ConnectionType.QueuedConnection)

    def _import(self) -> None:
        """In the thread: what the first paint did without."""
        importlib.import_module("app.qt.session")
        self._panes = importlib.import_module("app.pane").all_panes()
        make_classes()
        self._imported.emit()

    def _begin(self) -> None:
        from app.qt.session import Session

        if self.frame.isVisible():  # not closed meanwhile
            folder = config_dir()
            save = lambda settings: kept.save(folder, settings)  # noqa: E731
            self.session = Session(self.settings, self._panes, save, self.log.engine, self.frame)
            self._stages = self.session.stages()
            self._turn.start()

    def _next(self) -> None:
        """One part more; after the last one, open something."""
        if self.session is None or not self.frame.isVisible():
            self._turn.stop()
        elif next(self._stages, self) is self:
            self._turn.stop()
            self.session.shell.turn = TURN_SECONDS
            gc.freeze()  # the program itself is never garbage: a full collection need not look at it again
            for notice in self.notices:
                self.session.store.dispatch("shell.notice", notice)
            self.session.open(self.path)

    def show_fault(self, text: str) -> None:
        """A fault of the finished window is shown and it goes on; of one half made it is the end."""
        if self.session is not None and self.frame.shell is not None:
            self.session.shell.show_fault(text)
            return
        self._turn.stop()
        if self.failed or not self.frame.isVisible():
            return
        self.failed = True
        print(text, file=sys.stderr, end="")
        box = QMessageBox(
            QMessageBox.Icon.Critical, "Depthscope", f"{START_FAULT}\n\n{text.strip().splitlines()[-1]}",
            QMessageBox.StandardButton.Close, self.frame,
        )  # fmt: skip
        box.setDetailedText(text)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.finished.connect(self.frame.close)
        box.open()

    def end(self) -> None:
        """A thread in an import at exit would abort the process; the engine ends with the session."""
        if self._thread.ident is not None:
            self._thread.join()
        if self.session is not None:
            self.session.close()


def make_classes() -> None:
    """Have PySide make its classes now: it does so on first use, many at once, in 50 ms of the GUI thread."""
    for name in ("QtCore", "QtGui", "QtWidgets"):
        module = importlib.import_module(f"PySide6.{name}")
        for part in dir(module):
            getattr(module, part)


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


def place(window: Frame, settings: Settings) -> None:
    """Show the window where it was, if a screen is still there; else in the middle at its usual size."""
    screen = QGuiApplication.primaryScreen().availableGeometry()
    # the title bar's height is known only once the window is shown
    width, height = min(SIZE[0], screen.width()), min(SIZE[1], screen.height() - TITLE_BAR)
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
    from app.qt import pictures

    settings = Settings(language=lang, theme=theme, scale=text_scale, workspace=pane)
    picture = pictures.taken(settings, pictures.complete(pane, view), size, scale)
    if not picture.save(str(out), "PNG"):
        raise UserError(f"{out} could not be written", "choose another file")

"""What happens when the program itself fails: a log file, a dialog, and it goes on.

Exceptions in slots, paint events and threads all end here.  The same fault is shown once; a painting that
fails at every frame does not fill the screen with dialogs.
"""

from __future__ import annotations

import faulthandler
import logging
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, qInstallMessageHandler

from app.paths import lost_file

LOG = logging.getLogger("depthscope")
LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
LOG_BYTES, LOG_FILES = 1 << 20, 3


class Faults(QObject):
    """Catches what nobody caught.  happened: the traceback as text, on the GUI thread, each fault once."""

    happened = Signal(str)
    _caught = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._seen: set[str] = set()
        self._before: tuple[Any, Any] | None = None
        self._caught.connect(self.happened, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        self._before = sys.excepthook, threading.excepthook
        sys.excepthook = self.catch
        threading.excepthook = lambda args: self.catch(args.exc_type, args.exc_value, args.exc_traceback)

    def remove(self) -> None:
        if self._before is not None:
            sys.excepthook, threading.excepthook = self._before
            self._before = None

    def catch(
        self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Log a fault, and show it unless the same one was shown."""
        if issubclass(kind, KeyboardInterrupt | SystemExit):
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        if lost := lost_file(error):
            text += f"{lost}\n"  # the last line is what is read first
        LOG.error("%s", text)
        if text not in self._seen:
            self._seen.add(text)
            self._caught.emit(text)


class Log:
    """The log files of one start: a rotating one of ours, the engine's, and one for crashes.

    engine: open file for the engine's log, None where the folder cannot be written to.
    """

    def __init__(self, folder: Path) -> None:
        self.engine: IO[Any] | None = None
        self._crashes: IO[Any] | None = None
        self._handler: logging.Handler | None = None
        LOG.setLevel(logging.INFO)
        qInstallMessageHandler(_from_qt)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._open(folder)
        except OSError:
            self.close()

    def _open(self, folder: Path) -> None:
        from logging.handlers import (
            RotatingFileHandler,
        )  # with half the network behind it: not before it is used

        self._crashes = open(folder / "crash.log", "a", encoding="utf-8")  # noqa: SIM115 — as long as we run
        self.engine = open(folder / "engine.log", "a", encoding="utf-8")  # noqa: SIM115 — another window's too
        if self.engine.tell() > LOG_BYTES:
            self.engine.truncate(0)
        self._handler = RotatingFileHandler(
            folder / "depthscope.log", maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True
        )
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        LOG.addHandler(self._handler)
        faulthandler.enable(self._crashes)  # a file: a windowed program has no stderr

    def close(self) -> None:
        qInstallMessageHandler(None)
        if self._handler is not None:
            faulthandler.disable()
            LOG.removeHandler(self._handler)
            self._handler.close()
        for file in (self._crashes, self.engine):
            if file is not None:
                file.close()
        self._crashes = self.engine = self._handler = None


def box(text: str) -> None:
    """Say in a dialog why there is no window; nothing where no dialog can be shown either.

    text: what stderr gets; its last line is the sentence.
    """
    from PySide6.QtWidgets import QApplication, QMessageBox

    from app.display import why_no_display

    if why_no_display(probe=False) is None:
        application = QApplication.instance() or QApplication(["depthscope"])
        application.setApplicationName("Depthscope")
        sentence = text.splitlines()[-1].removeprefix("depthscope: ").removeprefix("error: ")
        QMessageBox.critical(None, "Depthscope", f"{sentence[:1].upper()}{sentence[1:]}")


def _from_qt(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    LOG.log(LEVELS.get(kind, logging.WARNING), "Qt: %s", message)


def lost_references(calls: Callable[[], object], count: int = 1000) -> int:
    """How many references to None a thousand void Qt calls lost (0 for a sound PySide6)."""
    before = sys.getrefcount(None)
    for _ in range(count):
        calls()
    return max(0, before - sys.getrefcount(None))

"""One window with its store and its engine, from the moment everything is imported to the end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from PySide6.QtCore import QLibraryInfo, QLocale, Qt, QTimer, QTranslator
from PySide6.QtWidgets import QApplication, QWidget

from app import view as views
from app.cli import child_command
from app.messages import LANGUAGES, msg
from app.pane import Effect, Event
from app.paths import resource
from app.qt import pump, theme
from app.qt.frame import Frame
from app.qt.laboratory import Laboratory
from app.qt.marks.base import Look
from app.qt.scene_view import SceneView
from app.qt.store import Store
from app.qt.watch import Watch
from app.qt.window import Shell
from app.reduce import start
from app.settings import Settings
from app.state import OPENER, Panes
from ut_engine.client import Client

SAVE_MS = 400


class Session:
    """Whoever makes it builds it (`build`, or part by part) and closes it.

    frame: the window that is shown already; None makes one.  save: keeps the settings, may raise OSError.
    """

    def __init__(
        self,
        settings: Settings,
        panes: Panes,
        save: Callable[[Settings], None],
        log: IO[Any] | None = None,
        frame: Frame | None = None,
    ) -> None:
        self.store = Store(start(settings, panes, system_language(), theme.system_theme()), panes)
        self.watch = Watch()
        self.watch.changed.connect(lambda path: self.store.dispatch("engine.changed", path))
        self.pump = pump.Pump(self._said, engine(log))
        self.laboratory = Laboratory(self.store.send, engine(log))
        self.store.perform["engine"] = self._engine
        self.store.perform["measure"] = self.laboratory.perform
        self.store.perform["settings"] = self._settings
        self._save = save
        self._saving = QTimer(singleShot=True, interval=SAVE_MS)
        self._saving.timeout.connect(self.save)
        self._words = QtWords()
        self.store.redraw.connect(lambda: self._words.show(self.store.state.language))
        state = self.store.state
        self.window = frame or Frame(theme.Theme(state.theme, settings.text_scale))
        self.shell = Shell(self.window, self.store, make_view)
        self.shell.fetching = lambda: self.pump.fetching
        self.pump.idle.connect(self._rested)
        self.window.closing.connect(self.close)

    def stages(self) -> Iterator[None]:
        """Make what is in the window, in parts of some milliseconds."""
        self._words.show(self.store.state.language)
        yield
        yield from self.shell.stages()

    def build(self) -> None:
        for _ in self.stages():
            pass

    def open(self, path: str | None) -> None:
        """Open what was asked for, else what was open last; of the shipped one show what it can do."""
        last = self.store.state.settings.checkpoint
        shipped = shipped_checkpoint()
        wanted = path or (last if last and os.path.exists(last) else shipped)
        if wanted is None:
            return
        here = self.store.state.current
        if shipped is not None and Path(wanted).absolute() == shipped:
            self.demonstrate(shipped)
        else:
            self.store.dispatch("open.path", os.path.abspath(wanted))
        if path is None and self.store.state.current != here:
            self.store.dispatch("shell.workspace", here)  # as it was left

    def _engine(self, effect: Effect) -> None:
        if effect.name == "engine.open":
            self.watch.expect(str(Path(pump.with_shipped(str(effect.value)))))
        self.pump.perform(effect)

    def _said(self, event: Event) -> None:
        """What the engine says; the files of what it opened are watched."""
        if event.name == "engine.opened":
            self.watch.watch(str(event.value.get("card", event.value).get("path", "")))
        self.store.send(event)

    def demonstrate(self, checkpoint: Path) -> None:
        """Run the shipped checkpoint on its first sample, then play it from step 1: no empty page."""
        if not self.store.state.settings.reduced_motion:
            self.pump.idle.connect(self.play_from_start, Qt.ConnectionType.SingleShotConnection)
        self.store.dispatch("open.view", views.to_text(OPENER, demonstration(checkpoint)))

    def play_from_start(self) -> None:
        """Play the run that has just ended, unless the user is already doing something else."""
        line = self.store.line
        if line is not None and line.current == line.computed > 1 and not line.playing:
            self.store.dispatch("transport.first")
            self.store.dispatch("transport.play")

    def _rested(self) -> None:
        """Nothing is computed any more; once a run has been shown there is time to import the large plot."""
        line = self.store.line
        if line is not None and line.computed:
            self.shell.plots.later()

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
        self.watch.stop()
        self.shell.exporting.close()
        self.shell.plots.close()
        self.pump.close()
        self.laboratory.close()
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
        self.language = "en"
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


def system_language() -> str:
    """The user's language where there are texts in it, else English."""
    code = QLocale.system().name()[:2]
    return code if code in LANGUAGES else "en"


def demonstration(checkpoint: Path) -> dict[str, str]:
    """What shows a shipped checkpoint at its best: its first sample, and the head that reads the facts.

    That head was fixed on validation stories in training; without one the mean of the heads is shown.
    """
    view = {"open": str(checkpoint), "run": "1"}
    try:
        head = json.loads((checkpoint / "config.json").read_text("utf-8"))["training"]["gold_head"]
    except (OSError, ValueError, KeyError, TypeError):
        return view
    return {**view, "head": str(head)} if isinstance(head, int) else view


def shipped_checkpoint() -> Path | None:
    """The checkpoint that ships with the program; None in a checkout without one."""
    found = sorted(file.parent for file in resource("checkpoints").glob("*/config.json"))
    best = [folder for folder in found if folder.name == "babi"]
    return next(iter(best + found), None)

"""Exports from the window: ask how and where, paint step by step while the window answers, write, say so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton

from app import exports
from app.messages import Message, Text, msg
from app.pane import Event
from app.qt.cards import CardNode
from app.qt.export import Export, Wish, picture
from app.qt.export_dialog import Choices, ExportDialog
from app.qt.marks.base import discard
from app.qt.theme import Theme
from app.scene import Scene
from app.state import selection_of
from app.trouble import sentence, trouble
from ut_engine.errors import UserError

if TYPE_CHECKING:
    from app.qt.window import Shell

WAIT_MS = 15
CARD = (900, 640)  # of a card that is not on screen


class Exporting(QObject):
    """What the shell asks for: `ask` with a dialog, `copy` the picture at once."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.shell = shell
        self.job: Job | None = None
        self.last: Choices | None = None
        self._said: Text = ""
        self.folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)

    # ---- what is to be exported -------------------------------------------------------------------------

    def moment(self, paper: bool = False) -> tuple[Scene, Text]:
        """The visible pane's scene and caption, now; paper: as it is laid out for a sheet."""
        store = self.shell.store
        pane, state = store.panes[store.state.current], store.state.pane_state
        caption = exports.caption(pane, state, store.state.opened, store.line)
        opened = exports.whole_of(pane, state)
        if not paper and opened is state:
            return store.scene(), caption
        if paper:
            opened, _ = pane.update(opened, Event("view.width", exports.PAPER_SIZE[0]))
        return pane.scene(opened, selection_of(store.state, store.panes)), caption

    def size(self, figure: str) -> tuple[int, int]:
        """The figure's size on screen, in logical pixels."""
        view = self.shell.visible()
        if not figure and exports.paper_of(self.shell.store.panes[self.shell.store.state.current]):
            return exports.PAPER_SIZE
        found = [card for card in view.findChildren(CardNode) if card.key == figure]
        if figure and not found:
            return CARD
        if found:
            gap = 2 * self.shell.look.theme.space("m")
            return found[0].width() + gap, found[0].height() + gap
        bars = self.shell.topbar.height() + self.shell.transport.height()
        return view.width(), self.shell.height() - bars  # notices take no room in a picture

    # ---- asking -----------------------------------------------------------------------------------------

    def ask(self) -> None:
        """The dialog: format, figure, theme, scale, caption."""
        if self.job is not None:
            self.say(msg("An export is still being made."))
            return
        line = self.shell.store.line
        computed = line.computed if line is not None else 0
        figures = exports.figures(self.moment()[0])
        dialog = ExportDialog(figures, computed, self.last, self.shell.look, self.shell)
        dialog.chosen.connect(self.ask_where)
        dialog.copied.connect(self.copy)
        dialog.open()

    def ask_where(self, choices: Choices) -> QFileDialog | None:
        """Ask for the file; its suffix is filled in."""
        self.last = choices
        store, say = self.shell.store, self.shell.look.text
        suffix = exports.KINDS[choices.kind]
        step = store.line.current if store.line is not None and choices.kind in exports.STILLS else 0
        name = exports.stem(store.state.opened, store.state.current, step) + suffix
        dialog = QFileDialog(self.shell, say(msg("Export")), self.folder)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        filters = f"{choices.kind.upper()} (*{suffix})" if suffix else say(msg("Folder of frames"))
        dialog.setNameFilter(filters if suffix else f"{filters} (*)")
        dialog.selectFile(name)
        dialog.fileSelected.connect(lambda path: self.start(choices, Path(path)))
        dialog.open()
        return dialog

    def start(self, choices: Choices, path: Path) -> None:
        """Begin; what comes of it is said in a notice."""
        state = self.shell.store.state
        self.folder = str(path.parent)
        theme = Theme(choices.theme or state.theme, self.shell.look.theme.scale)
        try:
            path = exports.named(path, choices.kind)
            line = self.shell.store.line
            steps = exports.steps_of(line) if choices.kind in exports.MOVING else ()
            paper = not choices.figure and exports.paper_of(self.shell.store.panes[state.current])
            wish = Wish(
                choices.kind, path, theme, state.language, self.size(choices.figure), choices.scale,
                choices.figure, choices.caption, exports.pace_of(line), paper,
            )  # fmt: skip
            self.job = Job(self, Export(wish, len(steps) or 1), steps)
        except UserError as error:
            self.say(sentence(error))
            return
        self.job.begin()

    def ended(self, words: Message | None, passing: bool = False) -> None:
        self.job = None
        if words is not None:
            self.say(words, passing)

    def say(self, text: Text, passing: bool = False) -> None:
        """A notice, in place of the one before.  passing: it only informs, and goes by itself."""
        self.shell.store.dispatch("shell.notice.close", self._said)
        self.shell.store.dispatch("shell.said" if passing else "shell.notice", text)
        self._said = text

    def copy(self) -> None:
        """The visible pane as a picture on the clipboard."""
        scene, caption = self.moment()
        look = self.shell.look
        theme = Theme(look.theme.name, look.theme.scale)
        image = picture(scene, caption, theme, look.translator.language, self.size(""))
        QGuiApplication.clipboard().setImage(image)
        self.say(msg("The picture was copied."), passing=True)

    def close(self) -> None:
        """The window goes: whatever is being made is dropped."""
        if self.job is not None:
            self.job.cancel()


class Job(QObject):
    """One export in parts: a moment painted a turn, the file encoded in a thread.

    steps: those of a moving picture; the window shows each as it is painted, then goes back to where it was.
    """

    def __init__(self, owner: Exporting, export: Export, steps: tuple[int, ...]) -> None:
        super().__init__(owner)
        self.owner, self.export, self.steps = owner, export, steps
        self.store = owner.shell.store
        line = self.store.line
        self._back = (
            ("transport.last", None) if line is None or line.live else ("transport.seek", line.current)
        )
        self._pane = self.store.state.current
        self._next = 0
        self._thread: threading.Thread | None = None
        self._files: list[bytes] = []
        self._error: UserError | None = None
        self._turn = QTimer(self)
        self._turn.timeout.connect(self._go_on)
        self.bar: Bar | None = None

    def begin(self) -> None:
        if self.steps:
            self.bar = Bar(self.owner, len(self.steps), self.cancel)
            self.store.dispatch("transport.seek", self.steps[0])
            self._turn.start(0)
            return
        try:
            self.export.add(*self.owner.moment(self.export.wish.paper))
            path = self.export.write(self.export.files())
        except UserError as error:
            self._end(sentence(error))
        else:
            self._end(msg("Exported: {path}", path=str(path)), passing=True)

    def _go_on(self) -> None:
        try:
            if self._thread is not None:
                self._wait()
            elif self._next < len(self.steps):
                self._paint()
            else:
                self._thread = threading.Thread(target=self._encode, name="export")
                self._thread.start()
                self._turn.setInterval(WAIT_MS)
        except UserError as error:
            self._end(sentence(error))

    def _paint(self) -> None:
        """One step, once everything it shows has come; the user may have moved meanwhile."""
        line = self.store.line
        if self.store.state.current != self._pane or line is None:
            raise trouble(msg("The export was stopped: another pane was opened"), msg("Start it again"))
        if line.current != self.steps[self._next]:
            self.store.dispatch("transport.seek", self.steps[self._next])
        waiting = self.owner.shell.fetching()
        self._turn.setInterval(WAIT_MS if waiting else 0)
        if waiting:
            return
        self.export.add(*self.owner.moment())
        self._next += 1
        if self.bar is not None:
            self.bar.show_done(self._next)
        if self._next < len(self.steps):
            self.store.dispatch("transport.seek", self.steps[self._next])

    def _encode(self) -> None:
        """In the thread."""
        try:
            self._files = self.export.files()
        except UserError as error:
            self._error = error
        except Exception as error:  # a fault of an encoder costs one export
            self._error = trouble(
                msg("The picture could not be made: {why}", why=str(error)), msg("Choose another format")
            )

    def _wait(self) -> None:
        assert self._thread is not None
        if self._thread.is_alive():
            return
        if self._error is not None:
            raise self._error
        path = self.export.write(self._files)
        self._end(msg("Exported: {path}", path=str(path)), passing=True)

    def cancel(self) -> None:
        self._end(None)

    def _end(self, words: Message | None, passing: bool = False) -> None:
        self._turn.stop()
        if self._thread is not None:
            self._thread.join()
        self.export.close()
        if self.bar is not None:
            discard(self.bar)
            if self.store.state.current == self._pane:
                self.store.dispatch(*self._back)
        self.owner.ended(words, passing)
        self.deleteLater()


class Bar(QFrame):
    """How far an export is, with a way to stop it; among the notices."""

    def __init__(self, owner: Exporting, total: int, stop: Callable[[], None]) -> None:
        super().__init__()
        self.setObjectName("notice")
        say, px = owner.shell.look.text, owner.shell.look.theme.px
        row = QHBoxLayout(self)
        row.setContentsMargins(px(18), px(4), px(12), px(4))
        text = say(msg("Exporting {n} steps", n=total))
        self.progress = QProgressBar()
        self.progress.setRange(0, total)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(text)
        cancel = QPushButton(say(msg("Cancel")))
        cancel.clicked.connect(stop)
        row.addWidget(QLabel(text))
        row.addWidget(self.progress, 1)
        row.addWidget(cancel)
        owner.shell.bars.addWidget(self)

    def show_done(self, count: int) -> None:
        self.progress.setValue(count)

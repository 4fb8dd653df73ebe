"""Ways to open and save: dialogs, drag and drop with a word on what will happen."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.messages import Message, Text, msg
from ut_engine.run import SUFFIX

WEIGHTS = (".safetensors", ".pt", ".pth", ".bin")
Say = Callable[[Text], str]


def dropped(data: QMimeData) -> tuple[str | None, Message | None]:
    """(path that would be opened, what will happen); None, None for a drag that holds no files."""
    if not data.hasUrls():
        return None, None
    paths = [url.toLocalFile() for url in data.urls()]
    return outcome(paths)


def outcome(paths: Sequence[str]) -> tuple[str | None, Message]:
    """What dropping these does: (path to open or None, the words)."""
    if len(paths) != 1:
        return None, msg("Drop one file or folder at a time")
    path = Path(paths[0])
    if not paths[0] or not there(path):
        return None, msg("Only files of this computer can be opened")
    if os.path.isdir(path):
        return str(path), msg("Open the checkpoint folder {name}", name=path.name)
    if path.name.endswith(SUFFIX):
        return str(path), msg("Open the recorded run {name}", name=path.name)
    if path.suffix.lower() in WEIGHTS:
        return str(path), msg("Open the checkpoint {name}", name=path.name)
    if path.suffix.lower() in (".csv", ".tsv"):
        return str(path), msg("Open the table of p {name} in the debugger", name=path.name)
    return None, msg("{name} is neither a checkpoint nor a recorded run", name=path.name)


def there(path: Path) -> bool:
    """Whether it is there; what lies in a folder that may not be entered is: opening it says why not."""
    try:
        return path.exists()
    except OSError:
        return True


def choose(parent: QWidget, say: Say, opened: Callable[[str], None], folder: bool = False) -> QFileDialog:
    """Ask for a file (or a folder) to open, without stopping the window."""
    title = msg("Open a checkpoint folder") if folder else msg("Open a checkpoint or a recorded run")
    dialog = QFileDialog(parent, say(title))
    if folder:
        dialog.setFileMode(QFileDialog.FileMode.Directory)
    else:
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        kinds = " ".join(f"*{suffix}" for suffix in WEIGHTS)
        dialog.setNameFilters(
            [f"{say(msg('Checkpoints and recorded runs'))} ({kinds})", f"{say(msg('All files'))} (*)"]
        )
    return _asked(dialog, opened)


def choose_save(parent: QWidget, say: Say, name: str, chosen: Callable[[str], None]) -> QFileDialog:
    """Ask where to write a recorded run; the suffix is filled in."""
    dialog = QFileDialog(parent, say(msg("Save this run")))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(f"{say(msg('Recorded runs'))} (*{SUFFIX})")
    dialog.selectFile((name or "run") + SUFFIX)
    return _asked(dialog, lambda path: chosen(path if path.endswith(SUFFIX) else path + SUFFIX))


def _asked(dialog: QFileDialog, chosen: Callable[[str], None]) -> QFileDialog:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(chosen)
    dialog.open()
    return dialog

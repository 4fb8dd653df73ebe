"""Tables of halting probabilities from files: a dialog, and the text that goes to the debugger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QWidget

from app.engine_texts import told
from app.messages import Text, msg
from ut_engine.act_table import read_table
from ut_engine.errors import UserError

SUFFIXES = (".csv", ".tsv", ".txt")
Dispatch = Callable[[str, Any], None]


def open_table(parent: QWidget, say: Callable[[Text], str], dispatch: Dispatch, path: str | None) -> None:
    """Read a table, asking for the file where none is named; what is wrong with it becomes a notice."""
    if path is not None:
        _read(dispatch, path)
        return
    dialog = QFileDialog(parent, say(msg("Open a table of p")))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    kinds = " ".join(f"*{suffix}" for suffix in SUFFIXES)
    dialog.setNameFilters([f"{say(msg('Tables'))} ({kinds})", f"{say(msg('All files'))} (*)"])
    dialog.fileSelected.connect(lambda chosen: _read(dispatch, chosen))
    dialog.open()


def _read(dispatch: Dispatch, path: str) -> None:
    try:
        read_table(path)
    except UserError as error:
        dispatch("shell.notice", told(error.what, error.do))
    else:
        dispatch("table.opened", Path(path).read_text(encoding="utf-8-sig"))

"""Writes down what the window shows while someone uses it: the packaged program's test reads that.

`depthscope _witness FILE [PATH]` is the ordinary program; after every redraw a line of JSON goes to FILE.
Keys and clicks come from outside, nothing here acts on the program.
"""

from __future__ import annotations

import json
import time
from typing import IO, TYPE_CHECKING, Any

from PySide6.QtWidgets import QApplication

from app.qt import application

if TYPE_CHECKING:
    from app.qt.store import Store


def begin(path: str) -> None:
    """From here on the program writes what it shows to `path`."""
    file = open(path, "w", encoding="utf-8", buffering=1)  # noqa: SIM115 — as long as we run
    begin_session = application.Start._begin

    def begun(start: application.Start) -> None:
        begin_session(start)
        if start.session is not None:
            store = start.session.store
            store.redraw.connect(lambda: note(file, store))

    setattr(application.Start, "_begin", begun)  # noqa: B010  (for the length of this process)


def note(file: IO[str], store: Store) -> None:
    file.write(json.dumps({"at": time.monotonic(), **shown(store)}) + "\n")


def shown(store: Store) -> dict[str, Any]:
    """The step, the pane, the look; of a run the mean entropy of its first row (the question's) by step."""
    state, line = store.state, store.line
    pane = state.pane_state
    records = getattr(pane, "records", ())
    window = QApplication.activeWindow()
    return {
        "pane": state.current,
        "phase": getattr(pane, "phase", ""),
        "current": line.current if line else 0,
        "computed": line.computed if line else 0,
        "playing": line.playing if line else 0,
        "language": state.language,
        "theme": state.theme,
        "opened": state.opened.name,
        "device": state.opened.device,
        "notices": [getattr(text, "id", str(text)) for text in state.notices],
        "dialog": window.windowTitle() if window else "",
        "entropy": [entropy(record) for record in records],
    }


def entropy(record: Any) -> float | None:
    """Mean over the heads of the first position's entropy, in nats; None where it was not computed."""
    for entry in record.attention or ():
        if entry.entropy is not None and entry.size and entry.entropy.shape[-1]:
            value = float(entry.entropy[0, :, 0].mean())
            return value if value == value else None
    return None

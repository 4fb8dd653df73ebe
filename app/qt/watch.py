"""Notices that the open checkpoint changed on disk, as one does while it is being trained."""

from __future__ import annotations

import os
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

EVERY_MS = 2000
Stamp = tuple[tuple[str, int, int], ...]


class Watch(QObject):
    """Looks at the files of one checkpoint from time to time: a few `stat` calls, no thread.

    changed: the path, once for each change, when two looks in a row agree (nothing is being written).
    """

    changed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = ""
        self._known: Stamp = ()
        self._seen: Stamp = ()
        self._before: tuple[str, Stamp] = "", ()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.look)

    def expect(self, path: str) -> None:
        """A checkpoint is about to be read: what changes from here on may not have been read."""
        self._before = path, stamp(path)

    def watch(self, path: str) -> None:
        """From now on this checkpoint, as it was when it was expected, else as it is now; "": nothing."""
        self.path = path
        self._seen = stamp(path)
        self._known = self._before[1] if self._before[0] == path else self._seen
        self._before = "", ()
        self._timer.start() if path else self._timer.stop()

    def look(self) -> None:
        now = stamp(self.path)
        settled, self._seen = now == self._seen, now
        if now and settled and now != self._known:  # a checkpoint that is gone is not offered
            self._known = now
            self.changed.emit(self.path)

    def stop(self) -> None:
        self._timer.stop()


def stamp(path: str) -> Stamp:
    """(file, size, time in ns) of a checkpoint's files; () where there are none."""
    return tuple(sorted(_stamps(path)))


def _stamps(path: str) -> Iterator[tuple[str, int, int]]:
    try:
        if os.path.isdir(path):
            names = [
                name for name in os.listdir(path) if name.endswith(".safetensors") or name == "config.json"
            ]
            files = [os.path.join(path, name) for name in names]
        else:
            files = [path]
        for file in files:
            facts = os.stat(file)
            yield file, facts.st_size, facts.st_mtime_ns
    except OSError:
        return

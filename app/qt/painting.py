"""A painter for a paint event: ended whatever happens, and what was raised goes to the hook for faults.

An exception that leaves a paint event is still pending when Qt calls the next one, in the middle of its own
work; with a painter left open besides, the process ends (PySide6 6.11: a segmentation fault).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget


@contextmanager
def painting(widget: QWidget) -> Iterator[QPainter]:
    """The painter of a widget in its paint event; a fault costs this drawing, not the program."""
    with QPainter(widget) as painter:
        try:
            yield painter
        except Exception:
            sys.excepthook(*sys.exc_info())

"""Whether what a window shows fits it: a list of sentences that say what does not, of any pane.

Sideways: what lies beside the pane, or beside the inside of a scrolled column.  Below: what a pane that is
meant to be seen at once hides below its edge.  Cut: labels, buttons and lists of choices smaller than their
text.  Covered: neighbours in one layout that lie over each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QLabel,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from app.qt.marks.base import Painted
from app.qt.marks.text import Short
from app.qt.nodes import NodeView
from app.qt.session import Session
from app.qt.window import Shell

SLACK = 1  # px: half pixels are rounded either way


def faults(found: Session | Shell) -> list[str]:
    """All that does not fit in the pane shown and the bars around it."""
    shell = found.shell if isinstance(found, Session) else found
    return [*sideways(shell), *cut(shell), *covered(shell), *squeezed(shell)]


def below(shell: Shell) -> int:
    """Pixels of the pane shown that are scrolled away; columns in it may scroll by themselves."""
    return shell.areas[shell.store.state.current].verticalScrollBar().maximum()


def sideways(shell: Shell) -> Iterator[str]:
    area = shell.areas[shell.store.state.current]
    if away := area.horizontalScrollBar().maximum():
        yield f"sideways: the pane by {away} px"
    for inner in area.findChildren(QScrollArea):
        inside = inner.widget()
        if inner.isVisible() and inside is not None:
            away = inside.minimumSizeHint().width() - inner.viewport().width()
            if away > SLACK:
                yield f"sideways: {name(inner)} by {away} px"


def cut(window: QWidget) -> Iterator[str]:
    """Labels and buttons smaller than their text; not those that shorten themselves and say it on hover."""
    for widget in seen(window):
        if isinstance(widget, QComboBox):
            text, room = chosen(widget)
            if text > room + SLACK:
                yield f"cut: {widget.currentText()!r} {room} px for {text}"
        elif isinstance(widget, QLabel | QAbstractButton) and not isinstance(widget, Short):
            need = needed(widget)
            if widget.text() and (
                widget.width() + SLACK < need.width() or widget.height() + SLACK < need.height()
            ):
                yield (
                    f"cut: {widget.text()[:60]!r} {widget.width()} x {widget.height()} "
                    f"for {need.width()} x {need.height()} in {name(widget)}"
                )


def needed(widget: QLabel | QAbstractButton) -> QSize:
    """What its text needs, with its margins."""
    if isinstance(widget, QLabel) and widget.wordWrap():
        return QSize(0, widget.heightForWidth(widget.width()))
    return widget.minimumSizeHint()


def chosen(box: QComboBox) -> tuple[int, int]:
    """Widths of the choice shown: (needed, there)."""
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
    room = box.style().subControlRect(control, option, part, box).width()
    return box.fontMetrics().horizontalAdvance(box.currentText()), room


def covered(window: QWidget) -> Iterator[str]:
    """Neighbours of one layout that lie over each other."""
    for parent in [window, *seen(window)]:
        layout = parent.layout()
        if layout is None or isinstance(parent, QAbstractScrollArea):
            continue
        children = [one for one in parent.children() if isinstance(one, QWidget) and one.isVisible()]
        held = [one for one in children if layout.indexOf(one) >= 0]
        for one, other in combinations(held, 2):
            both = one.geometry().intersected(other.geometry())
            if both.width() > SLACK and both.height() > SLACK:
                yield f"covered: {name(one)} and {name(other)} by {both.width()} x {both.height()}"


def squeezed(window: QWidget) -> Iterator[str]:
    """Drawings smaller than the least they can be read at."""
    for mark in seen(window):
        if isinstance(mark, Painted):
            least = mark.minimumSizeHint()
            if mark.width() + SLACK < least.width() or mark.height() + SLACK < least.height():
                yield (
                    f"squeezed: {name(mark)} {mark.width()} x {mark.height()} "
                    f"for {least.width()} x {least.height()}"
                )


def seen(window: QWidget) -> Iterator[QWidget]:
    """Visible widgets of the window; of what can be scrolled, all of it."""
    for widget in window.findChildren(QWidget):
        if widget.isVisible():
            yield widget


def name(widget: QWidget) -> str:
    """The key of the node it belongs to, and what it is."""
    above: QWidget | None = widget
    while above is not None and not isinstance(above, NodeView):
        above = above.parentWidget()
    key = above.key if above is not None else ""
    return f"{key}:{type(widget).__name__}"

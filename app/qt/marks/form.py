"""Forms: rows of fields, kept from scene to scene so that focus and typed text stay."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.qt.marks.base import Look, MarkView, discard, spaced
from app.qt.marks.fields import FieldView, kind, make
from app.scene import Button, Editor, Field, Form


class Fields(QWidget):
    """Rows of fields, kept by key from scene to scene, so that focus and typed text stay."""

    happened = Signal(object)

    def __init__(self, look: Look, bare: bool = False) -> None:
        super().__init__()
        self.bare = bare
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.views: dict[tuple[str, str], FieldView] = {}
        self.lines: list[QWidget] = []
        self.shape: tuple[tuple[tuple[str, str], ...], ...] = ()
        self.look = look

    def show_fields(self, rows: tuple[tuple[Field, ...], ...], look: Look) -> None:
        self.look = look
        spaced(self.column, look.theme.px(8))
        shape = tuple(tuple((field.key, kind(field)) for field in row) for row in rows)
        if shape != self.shape:
            self._arrange(rows, shape)
        for row in rows:
            for field in row:
                view = self.views[field.key, kind(field)]
                if view.field != field or view.look is not look:
                    view.show_field(field, look)

    def _arrange(self, rows: tuple[tuple[Field, ...], ...], shape: Any) -> None:
        """Lay the rows out anew; rows and fields that stay keep their widgets."""
        old, gone = dict(zip(self.shape, self.lines, strict=True)), dict(self.views)
        self.views, self.lines, self.shape = {}, [], shape
        for places in set(shape) & set(old):
            self.views |= {place: gone.pop(place) for place in places}
        for k, (row, places) in enumerate(zip(rows, shape, strict=True)):
            line = old.pop(places) if places in old else self._line(row, places, gone)
            if self.column.indexOf(line) != k:
                self.column.insertWidget(k, line, int(any(isinstance(field, Editor) for field in row)))
            self.lines.append(line)
        for view in gone.values():
            discard(view)
        for line in old.values():
            self.column.removeWidget(line)
            discard(line)

    def _line(self, row: tuple[Field, ...], places: Any, kept: dict[tuple[str, str], FieldView]) -> QWidget:
        """A row of fields, of those kept as far as there are any."""
        line = QWidget()
        box = QHBoxLayout(line)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(self.look.theme.px(6))
        for field, place in zip(row, places, strict=True):
            view = self.views[place] = kept.pop(place) if place in kept else self._made(field)
            box.addWidget(view, 0 if isinstance(field, Button) and field.style == "icon" else 1)
        return line

    def _made(self, field: Field) -> FieldView:
        view = make(field, self.look, self.bare)
        view.happened.connect(self.happened)
        return view

    def flush(self) -> None:
        for view in self.views.values():
            view.flush()


class FormView(MarkView):
    """Shows a Form."""

    mark: Form

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.fields = Fields(look)
        self.fields.happened.connect(self.happened)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.fields)

    def refresh(self) -> None:
        self.fields.show_fields(self.mark.fields, self.look)
        tall = any(isinstance(field, Editor) for row in self.mark.fields for field in row)
        policy = QSizePolicy.Policy.Expanding if tall else QSizePolicy.Policy.Fixed
        self.setSizePolicy(QSizePolicy.Policy.Preferred, policy)
        super().refresh()

    def flush(self) -> None:
        self.fields.flush()

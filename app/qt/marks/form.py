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
        """Lay the rows out anew; fields that stay keep their widgets."""
        kept, old_lines = self.views, self.lines
        self.views, self.lines, self.shape = {}, [], shape
        for row in rows:
            line = QWidget()
            box = QHBoxLayout(line)
            box.setContentsMargins(0, 0, 0, 0)
            box.setSpacing(self.look.theme.px(6))
            for field in row:
                place = field.key, kind(field)
                view = kept.pop(place, None) or self._made(field)
                self.views[place] = view
                box.addWidget(view, 0 if isinstance(field, Button) and field.style == "icon" else 1)
            tall = any(isinstance(field, Editor) for field in row)
            self.column.addWidget(line, int(tall))
            self.lines.append(line)
        for view in kept.values():
            discard(view)
        for line in old_lines:
            self.column.removeWidget(line)
            discard(line)

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

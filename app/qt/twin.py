"""The table on the back of a drawing, as a model of Qt."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QTableView, QWidget

from app.qt.marks.base import Look
from app.render.tables import Twin

Index = QModelIndex | QPersistentModelIndex


class TwinTable(QTableView):
    """The table itself; Ctrl+C copies what is selected, or all of it, for a spreadsheet."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAlternatingRowColors(True)
        self.verticalHeader().hide()
        self.numbers: TwinModel | None = None

    def show_twin(self, table: Twin, look: Look, name: str) -> None:
        """Other numbers; the place scrolled to and, where the size is the same, the selection stay."""
        if self.numbers is None:
            self.numbers = TwinModel(table, look, self)
            self.setModel(self.numbers)
        else:
            self.numbers.replace(table, look)
        self.setAccessibleName(name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.numbers is not None:
            QGuiApplication.clipboard().setText(self.copied())
            event.accept()
        else:
            super().keyPressEvent(event)

    def copied(self) -> str:
        """What is selected as lines of cells with tabs between; with one cell or none, all with titles."""
        model = self.numbers
        if model is None:
            return ""
        chosen = {(index.row(), index.column()) for index in self.selectedIndexes()}
        if len(chosen) > 1:
            rows = sorted({row for row, _ in chosen})
            columns = sorted({column for _, column in chosen})
            lines = [[model.text(r, c) if (r, c) in chosen else "" for c in columns] for r in rows]
        else:
            titles = [model.look.text(title) for title in model.titles]
            every = range(model.columnCount())
            lines = [titles, *([model.text(r, c) for c in every] for r in range(model.rowCount()))]
        return "\n".join("\t".join(line) for line in lines)


class TwinModel(QAbstractTableModel):
    """The numbers of a mark, read-only."""

    def __init__(self, table: Twin, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.titles, self.rows = table
        self.look = look

    def replace(self, table: Twin, look: Look) -> None:
        """Other numbers in the same places, or another table."""
        same = len(table[1]) == len(self.rows) and len(table[0]) == len(self.titles)
        if not same:
            self.beginResetModel()
        (self.titles, self.rows), self.look = table, look
        if not same:
            self.endResetModel()
        elif self.rows and self.titles:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.titles) - 1))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.titles) - 1)

    def text(self, row: int, column: int) -> str:
        return str(self.data(self.index(row, column)))

    def rowCount(self, parent: Index | None = None) -> int:
        return len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return len(self.titles)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        value = row[index.column()] if index.column() < len(row) else ""
        if role == Qt.ItemDataRole.DisplayRole:
            if isinstance(value, float):
                return "–" if value != value else f"{value:.4f}".rstrip("0").rstrip(".")
            return self.look.text(value)
        if role == Qt.ItemDataRole.TextAlignmentRole and isinstance(value, float):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self.look.text(self.titles[section])
        return None

"""The table on the back of a drawing, as a model of Qt."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from app.qt.marks.base import Look
from app.render.tables import Twin

Index = QModelIndex | QPersistentModelIndex


class TwinModel(QAbstractTableModel):
    """The numbers of a mark, read-only."""

    def __init__(self, table: Twin, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.titles, self.rows = table
        self.look = look

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

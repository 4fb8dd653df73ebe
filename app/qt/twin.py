"""The table on the back of a drawing, as a model of Qt; a click on a column's head sorts it."""

from __future__ import annotations

import math

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from app.holes import sign
from app.messages import Text, msg
from app.qt.marks.base import Look
from app.render.tables import Row, Twin
from app.sorting import Order, heard, places

Index = QModelIndex | QPersistentModelIndex


def said(value: Text | float, look: Look) -> str:
    """A cell as it is written."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return "–" if math.isnan(value) else sign(value)
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return look.text(value)


class TwinTable(QTableView):
    """The table itself; Ctrl+C copies what is selected, or all of it, for a spreadsheet."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAlternatingRowColors(True)
        self.verticalHeader().hide()
        self.heads = Heads(self)
        self.setHorizontalHeader(self.heads)
        self.heads.sectionClicked.connect(self.sort)
        self.numbers: TwinModel | None = None

    def show_twin(self, table: Twin, look: Look, name: str) -> None:
        """Other numbers; the place scrolled to and, where the size is the same, the selection stay."""
        if self.numbers is None:
            self.numbers = TwinModel(table, look, self)
            self.setModel(self.numbers)
        else:
            self.numbers.replace(table, look)
        self.setAccessibleName(name)
        self.heads.show_order(self.numbers.order, self.numbers.look)

    def sort(self, column: int) -> None:
        """Ascending, descending, then as it was."""
        if self.numbers is not None:
            self.numbers.sort_by(column)
            self.heads.show_order(self.numbers.order, self.numbers.look)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.numbers is not None:
            QGuiApplication.clipboard().setText(self.copied())
            event.accept()
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.heads.at = max(self.currentIndex().column(), 0)
            self.heads.setFocus(Qt.FocusReason.OtherFocusReason)
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


class Heads(QHeaderView):
    """The titles: Up from the first row, then Left and Right to one, Enter or Space sorts, Down goes back."""

    def __init__(self, table: TwinTable) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.table, self.at = table, 0
        self.setSectionsClickable(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def show_order(self, order: Order | None, look: Look) -> None:
        """An arrow at the column the table is sorted by."""
        self.setSortIndicatorShown(order is not None)
        if order is not None:
            directions = Qt.SortOrder
            self.setSortIndicator(
                order.column, directions.DescendingOrder if order.down else directions.AscendingOrder
            )
        self.setToolTip(look.text(msg("Sort by a column: click its title")))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key), 0)
        if by and self.count():
            self.at = min(max(self.at + by, 0), self.count() - 1)
            self.table.scrollTo(self.table.model().index(0, self.at))
            self.viewport().update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.table.sort(self.at)
        elif key == Qt.Key.Key_Down:
            self.table.setCurrentIndex(self.table.model().index(0, self.at))
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        super().paintSection(painter, rect, logicalIndex)
        if self.hasFocus() and logicalIndex == self.at:
            painter.setPen(QPen(self.palette().highlight().color(), 2))
            painter.drawRect(rect.adjusted(1, 1, -2, -2))


class TwinModel(QAbstractTableModel):
    """The numbers of a mark, read-only, in the order they were sorted into.

    rows: as they are shown; `_rows`: as the mark has them.
    """

    def __init__(self, table: Twin, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.titles, self._rows = table
        self.look = look
        self.order: Order | None = None
        self.rows = self._sorted()

    def _sorted(self) -> tuple[Row, ...]:
        if self.order is None:
            return self._rows
        column = self.order.column
        cells = tuple(said(row[column], self.look) if column < len(row) else "" for row in self._rows)
        found = (row[column] if column < len(row) else "" for row in self._rows)
        values = tuple(value if isinstance(value, float) else None for value in found)
        return tuple(self._rows[k] for k in places(cells, self.order.down, values))

    def sort_by(self, column: int) -> None:
        """A click on a head."""
        self.order = heard(self.order, column, len(self.titles))
        self.layoutAboutToBeChanged.emit()
        self.rows = self._sorted()
        self.layoutChanged.emit()

    def replace(self, table: Twin, look: Look) -> None:
        """Other numbers in the same places, or another table."""
        same = len(table[1]) == len(self._rows) and len(table[0]) == len(self.titles)
        if not same:
            self.beginResetModel()
        if len(table[0]) != len(self.titles):
            self.order = None
        (self.titles, self._rows), self.look = table, look
        self.rows = self._sorted()
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
            return said(value, self.look)
        if role == Qt.ItemDataRole.TextAlignmentRole and isinstance(value, float):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self.look.text(self.titles[section])
        return None

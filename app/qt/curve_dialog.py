"""A curve on its own, large: zoom and shift, a cross-hair with its numbers, copying them.

The one use of pyqtgraph; `app.qt.plots` has it imported before one is made.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from app.messages import Text, msg
from app.pane import Event
from app.qt.large import LargeDialog
from app.qt.marks.base import Look, mixed
from app.scene import Array, Curve

MOST_THIN = 64  # faint lines drawn


class CurveDialog(LargeDialog):
    """A Curve large.  Dragging shifts, the wheel zooms, Left / Right read the next step, Esc closes.

    A click looks at a step as in the small curve.
    """

    mark: Curve

    def __init__(self, title: Text, curve: Curve, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(title, curve, look, parent)
        self.step = max(curve.current, 1)
        self.plot = self._make_plot()
        self.readout = QLabel()
        self.readout.setTextFormat(Qt.TextFormat.PlainText)
        self.readout.setFont(look.theme.font("small", "mono"))
        self.readout.setFixedHeight(look.theme.px(22))  # a place of its own: nothing jumps
        self.log = QCheckBox(look.text(msg("Logarithmic scale")))
        self.log.toggled.connect(self._redraw)
        for widget in (self.plot, self.readout, self.log):
            self.body.addWidget(widget, int(widget is self.plot))
        say = look.text
        self.buttons(
            (say(msg("Copy values")), self.copy), (say(msg("Whole curve")), self.whole),
            (say(msg("Close")), self.close),
        )  # fmt: skip
        self.show_mark(title, curve)

    def _make_plot(self) -> Any:
        graph = importlib.import_module("pyqtgraph")
        graph.setConfigOptions(imageAxisOrder="row-major", antialias=True, useOpenGL=False)
        theme, plot = self.look.theme, graph.PlotWidget(parent=self, enableMenu=False)
        plot.setBackground(theme.color("panel"))
        item = plot.getPlotItem()
        item.hideButtons()
        item.showGrid(x=True, y=True, alpha=0.2)
        item.addLegend(
            offset=(-theme.px(12), theme.px(12)), brush=theme.color("panel"), pen=theme.color("border"),
            labelTextColor=theme.color("fg"), labelTextSize=f"{theme.px(12)}px",
        )  # fmt: skip
        for side in ("left", "bottom"):
            axis = item.getAxis(side)
            axis.setPen(theme.color("border"))
            axis.setTextPen(theme.color("dim"))
            axis.setStyle(tickFont=theme.font("small"))
            axis.enableAutoSIPrefix(False)
        pen = graph.mkPen(theme.color("dim"), width=1, style=Qt.PenStyle.DashLine)
        self.cross = graph.InfiniteLine(angle=90, pen=pen), graph.InfiniteLine(angle=0, pen=pen)
        self.now = graph.InfiniteLine(angle=90, pen=graph.mkPen(theme.color("accent"), width=theme.px(1)))
        for line in (self.now, *self.cross):
            item.addItem(line, ignoreBounds=True)
        self.cross[1].hide()  # until the pointer is somewhere
        plot.scene().sigMouseMoved.connect(self._moved)
        plot.scene().sigMouseClicked.connect(lambda _: self.happened.emit(Event(self.mark.event, self.step)))
        return plot

    # ---- what is shown ----------------------------------------------------------------------------------

    def show_mark(self, title: Text, mark: Curve) -> None:
        self.setWindowTitle(self.look.text(title))
        if mark.current != self.mark.current:
            self.step = max(mark.current, 1)
        self.mark = mark
        self.plot.setAccessibleName(self.look.text(title))
        self.plot.setAccessibleDescription(self.look.text(mark.alt))
        self._redraw()

    def values(self) -> list[Array]:
        """The named lines as they are drawn: [step], NaN where undefined or not to be drawn."""
        return [self._drawn(np.asarray(one.y, np.float64)) for one in self.mark.series]

    def _drawn(self, y: Array) -> Array:
        """A logarithm has no place for zero and less."""
        return np.where(y > 0, y, np.nan) if self.log.isChecked() else y

    def _redraw(self, *_: object) -> None:
        graph, curve, theme = importlib.import_module("pyqtgraph"), self.mark, self.look.theme
        item = self.plot.getPlotItem()
        for line in list(item.listDataItems()):
            item.removeItem(line)
        lines = [np.asarray(one.y, np.float64) for one in curve.series]
        self.log.setEnabled(any(bool((line > 0).any()) for line in lines))
        item.setLogMode(x=False, y=self.log.isChecked())
        faint = graph.mkPen(mixed(theme.color("panel"), theme.color("dim"), 0.35), width=1)
        for y in curve.thin[:MOST_THIN] if curve.thin is not None else ():
            self._add(item, np.asarray(y, np.float64), faint, None)
        for one, y in zip(curve.series, lines, strict=True):
            style = Qt.PenStyle.DashLine if one.dashed else Qt.PenStyle.SolidLine
            pen = graph.mkPen(theme.color(one.role), width=theme.px(one.width), style=style)
            self._add(item, y, pen, self.look.text(one.name))
        item.setLabel("bottom", self.look.text(curve.x_name), color=theme.tokens["dim"])
        item.setLabel("left", self.look.text(curve.y_name), color=theme.tokens["dim"])
        item.setLimits(xMin=0, xMax=curve.steps + 1)
        self.now.setPos(curve.current)
        self.now.setVisible(curve.current >= 1)
        self._read()

    def _add(self, item: Any, y: Array, pen: Any, name: str | None) -> None:
        y = self._drawn(y)
        if np.isfinite(y).any():
            item.plot(np.arange(1, len(y) + 1, dtype=np.float64), y, pen=pen, name=name, connect="finite")

    def _read(self) -> None:
        """The numbers at the step under the cross-hair."""
        parts = [self.look.text(msg("t = {t}", t=self.step))]
        for one in self.mark.series:
            y = one.y[self.step - 1] if self.step <= len(one.y) else math.nan
            parts.append(f"{self.look.text(one.name)} {y:.6g}" if math.isfinite(y) else "")
        self.readout.setText("    ".join(part for part in parts if part))
        self.cross[0].setPos(self.step)

    # ---- what the user does -----------------------------------------------------------------------------

    def _moved(self, point: QPointF) -> None:
        at = self.plot.getPlotItem().vb.mapSceneToView(point)
        self.cross[1].setPos(at.y())
        self.cross[1].show()
        self._look(round(at.x()))

    def _look(self, step: int) -> None:
        self.step = min(max(step, 1), max(self.mark.steps, 1))
        self._read()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        else:
            self._look(self.step + by)

    def whole(self) -> None:
        self.plot.getPlotItem().enableAutoRange()

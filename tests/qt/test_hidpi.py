"""The window on finer screens: every pane looks as it does on a plain one, only sharper.

Its pictures with more pixels for a logical one are shrunk to the plain size and compared square by square: a
word in the wrong place, a map of the wrong size or a line that is gone changes how dark a square is on
average; sharper edges hardly do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap

from app.qt.marks.strokes import pattern
from app.qt.theme import Theme
from tests.qt.fine import SIZE

Grey = NDArray[np.float64]
SQUARE = 16  # px of a side
MOST = 24.0  # grey levels of 256 that the average of a square may differ by
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return taken(tmp_path_factory.mktemp("plain"), 1.0)


def taken(folder: Path, ratio: float) -> Path:
    """Pictures of every pane at a ratio."""
    known = {
        "QT_SCALE_FACTOR": f"{ratio:g}",
        "QT_QPA_PLATFORM": "offscreen",
        "DEPTHSCOPE_CONFIG": str(folder / "settings"),
    }
    command = (sys.executable, "-m", "tests.qt.fine", str(folder))
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **known}, capture_output=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1.5, *(pytest.param(k, marks=pytest.mark.long) for k in (1.25, 2.0))])
def test_every_pane_looks_the_same_on_a_finer_screen(plain: Path, tmp_path: Path, ratio: float) -> None:
    fine = taken(tmp_path, ratio)
    names = sorted(path.name for path in plain.glob("*.png"))
    assert len(names) > 20
    apart = {name: worst(plain / name, fine / name, ratio) for name in names}
    assert {name: one for name, one in apart.items() if one[0] > MOST} == {}


def worst(plain: Path, fine: Path, ratio: float) -> tuple[float, int, int]:
    """The largest difference of a square, and where it is: x, y."""
    one, other = QImage(str(plain)), QImage(str(fine))
    assert (other.width(), other.height()) == (round(SIZE[0] * ratio), round(SIZE[1] * ratio))
    found = np.abs(squares(one) - squares(other))
    row, col = np.unravel_index(found.argmax(), found.shape)
    return round(float(found.max()), 1), int(col) * SQUARE, int(row) * SQUARE


def squares(image: QImage) -> Grey:
    """Average grey of every square, of the picture at its plain size."""
    small = image.scaled(*SIZE, mode=Qt.TransformationMode.SmoothTransformation)
    values = levels(small)
    rows, cols = (side // SQUARE for side in values.shape)
    cut = values[: rows * SQUARE, : cols * SQUARE]
    averages: Grey = cut.reshape(rows, SQUARE, cols, SQUARE).mean(axis=(1, 3))
    return averages


def levels(image: QImage) -> Grey:
    """[row, column]: grey levels."""
    flat = image.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(flat.constBits(), np.uint8).reshape(flat.height(), flat.bytesPerLine())
    return rows[:, : flat.width()].astype(float)


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0, 3.0])
def test_strokes_of_one_tile_go_on_in_the_next(ratio: float, qapp: object) -> None:
    """Whole pixels a tile: along every diagonal of a hatch the ink is the same."""
    tile = pattern(5, 1.0, Theme().color("fg"), ratio)
    side = tile.width()
    picture = QPixmap(4 * side, 4 * side)
    picture.fill(Qt.GlobalColor.white)
    painter = QPainter(picture)
    tile.setDevicePixelRatio(1.0)
    painter.drawTiledPixmap(QRectF(0, 0, 4 * side, 4 * side), tile)
    painter.end()
    dark = levels(picture.toImage())
    along = [dark[k, 4 * side - 1 - k] for k in range(4 * side)]
    assert max(along) - min(along) < 40
    assert max(along) < 160

"""The whole window as pictures: one of every pane, light and dark, English and Korean taking turns."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from app.pane import all_panes
from app.settings import Settings
from tests import goldens
from tests.qt import whole

LOOKS = [("en", "light"), ("ko", "dark"), ("en", "dark"), ("ko", "light")]
TWICE = ("inspector", "act")


def looks(pane: str) -> list[tuple[str, str]]:
    """Chosen by the name, so that another pane changes nothing; of two panes the other look as well."""
    first = sum(pane.encode()) % 4
    return [LOOKS[first], LOOKS[first ^ 1]] if pane in TWICE else [LOOKS[first]]


CASES = [(pane, *look) for pane in all_panes() for look in looks(pane)]
KEPT = QSize(640, 400)  # half the window: small files, and letters that move by a hair do not matter
MEAN, PART = 1.5, 0.01  # grey levels on average; share of pixels that are clearly different
CLEARLY = 48


def picture(pane: str, language: str, theme: str) -> QImage:
    with whole.session(Settings(language=language, theme=theme)) as session:
        whole.show(session, pane, "middle")
        image = QImage(session.window.size(), QImage.Format.Format_RGB32)
        painter = QPainter(image)
        session.window.render(painter, QPoint())
        painter.end()
    ratio, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    return image.scaled(KEPT, ratio, smooth).convertToFormat(QImage.Format.Format_RGB888)


def pixels(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = [bytes(image.constScanLine(y))[: 3 * image.width()] for y in range(image.height())]
    return np.frombuffer(b"".join(rows), np.uint8).reshape(image.height(), image.width(), 3).astype(int)


def apart(one: QImage, other: QImage) -> tuple[float, float]:
    """(mean difference in grey levels, share of pixels that differ clearly)."""
    difference = np.abs(pixels(one) - pixels(other))
    return float(difference.mean()), float((difference.max(axis=2) > CLEARLY).mean())


@pytest.mark.parametrize(("pane", "language", "theme"), CASES)
def test_the_window_looks_as_it_did(
    pane: str, language: str, theme: str, qapp: QApplication, pytestconfig: pytest.Config
) -> None:
    now = picture(pane, language, theme)
    file = goldens.FOLDER / "shots" / f"{pane}-{language}-{theme}.png"
    if pytestconfig.getoption("--golden-update"):
        file.parent.mkdir(parents=True, exist_ok=True)
        assert now.save(str(file), "PNG")
        return
    assert file.is_file(), f"{file.name} is not golden yet: run pytest --golden-update and look at the result"
    mean, part = apart(now, QImage(str(file)))
    assert mean < MEAN, f"{file.name}: {mean:.2f} grey levels apart (--golden-update if that is meant)"
    assert part < PART, f"{file.name}: {part:.1%} of the picture differ (--golden-update if that is meant)"


def test_pictures_of_no_case_are_removed() -> None:
    wanted = {"-".join(case) + ".png" for case in CASES}
    assert {file.name for file in (goldens.FOLDER / "shots").iterdir()} == wanted
    assert {(language, theme) for _, language, theme in CASES} == set(LOOKS)


def test_a_difference_is_seen(qapp: QApplication) -> None:
    one = QImage(100, 100, QImage.Format.Format_RGB888)
    one.fill(0xFF808080)
    other = one.copy()
    assert apart(one, other) == (0.0, 0.0)
    painter = QPainter(other)
    painter.fillRect(0, 0, 20, 10, Qt.GlobalColor.white)
    painter.end()
    mean, part = apart(one, other)
    assert (mean > MEAN, part) == (True, 0.02)

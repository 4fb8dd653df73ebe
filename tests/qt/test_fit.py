"""Every pane fits its window: nothing beside or below it, no text cut, nothing covered (see fits.py).

Two windows for every pane in every run: the smallest one, and large type in Korean before a class.  All
sizes, scales and languages are `long`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.messages import LANGUAGES
from app.pane import all_panes
from app.qt.frame import LEAST
from app.qt.session import Session
from app.settings import Settings
from tests.qt import fits, whole

PANES = list(all_panes())
SIZES = (LEAST, (1280, 800), (1440, 900))
SCALES = (1.0, 1.25, 1.5, 2.0)
USUAL = [(Settings(language="en"), LEAST), (Settings(language="ko", classroom=True), (1280, 800))]
EVERY = [
    (Settings(language=language, scale=scale, classroom=classroom), size)
    for language, scale, classroom, size in product(LANGUAGES, SCALES, (False, True), SIZES)
]


def named(one: tuple[Settings, tuple[int, int]]) -> str:
    settings, (wide, high) = one
    return f"{settings.language}-{wide}x{high}-{settings.scale:g}{'-class' * settings.classroom}"


@pytest.fixture(scope="module", params=USUAL, ids=named)
def session(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Session]:
    settings, size = request.param
    with whole.session(settings, size) as found:
        yield found


@pytest.mark.parametrize("pane", PANES)
def test_it_fits(session: Session, pane: str, qtbot: QtBot) -> None:
    whole.show(session, pane, "middle")

    def fits_at_last() -> None:
        """A text of many figures settles in many turns."""
        assert wrong(session) == []

    qtbot.waitUntil(fits_at_last)


def wrong(session: Session) -> list[str]:
    below = fits.below(session.shell)
    return [f"{below} px below"] * (below > 0) + fits.faults(session)


@pytest.mark.long
@pytest.mark.parametrize("where", EVERY, ids=named)
def test_every_pane_fits_every_window(
    where: tuple[Settings, tuple[int, int]], qapp: QApplication, qtbot: QtBot
) -> None:
    settings, size = where
    with whole.session(settings, size) as found:
        for pane in PANES:
            whole.show(found, pane, "middle")

            def fits_at_last(pane: str = pane) -> None:
                assert {pane: wrong(found)} == {pane: []}

            qtbot.waitUntil(fits_at_last)


def test_what_does_not_fit_is_found(session: Session, qtbot: QtBot) -> None:
    """A label too long for its place, in front of another, in the pane shown."""
    whole.show(session, "quiz", "middle")
    view = session.shell.views["quiz"]
    intruder = QWidget(view)
    qtbot.addWidget(intruder)
    box = QVBoxLayout(intruder)
    labels = QLabel("a label of some words"), QLabel("another one")
    for label in labels:
        box.addWidget(label)
    intruder.show()
    whole.settle(session)
    labels[0].setGeometry(0, 0, 40, 30)
    labels[1].setGeometry(10, 10, 200, 40)
    kinds = {fault.split(":")[0] for fault in fits.faults(session)}
    intruder.hide()
    assert kinds == {"cut", "covered"}

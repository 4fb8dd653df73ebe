"""Every pane fits its window: nothing beside or below it, no text cut, nothing covered (see fits.py).

Two windows for every pane in every run: the smallest one, and large type in Korean before a class.  All
sizes, scales and languages are `long`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QVBoxLayout, QWidget
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
    if session.shell.areas.get(session.store.state.current) is not session.shell.stack.currentWidget():
        return ["another pane is still shown"]
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


def test_a_low_window_takes_from_the_film_and_the_map_and_large_type_scrolls_one_column(
    qapp: QApplication,
) -> None:
    with whole.session(Settings(language="en"), LEAST) as low:
        whole.show(low, "inspector", "middle")
        film, heat = (low.shell.views["inspector"].mark_view(key) for key in ("film", "map"))  # type: ignore[attr-defined]
        assert film.minimumSizeHint().height() <= film.height() < film.sizeHint().height()
        sides = {rect.width() for rect in film.frames()}
        assert len(sides) == 1
        assert 36 <= sides.pop() < 92
        assert heat.height() >= 170
    with whole.session(Settings(language="en", scale=1.5), (1280, 800)) as large:
        px = large.shell.look.theme.px
        whole.show(large, "inspector", "middle")
        scene = large.store.scene()
        assert scene.root.key == "single"
        assert large.shell.views["inspector"].mark_view("map").height() >= px(300)  # type: ignore[attr-defined]
        whole.show(large, "coords", "middle")
        found = {key: large.shell.views["coords"].mark_view(key) for key in ("signal", "lengths")}  # type: ignore[attr-defined]
        assert found["signal"].height() >= px(300)
        assert found["lengths"].height() >= px(180)


def test_what_does_not_fit_is_found(qtbot: QtBot) -> None:
    """A label too narrow for its text, a choice too, and one label in front of another."""
    window = QWidget()
    qtbot.addWidget(window)
    box = QVBoxLayout(window)
    first, second, choice = QLabel("a label of some words"), QLabel("another one"), QComboBox()
    choice.addItem("a choice of some words")
    for widget in (first, second, choice):
        box.addWidget(widget)
    window.show()
    assert [*fits.cut(window), *fits.covered(window)] == []
    first.setGeometry(0, 0, 40, 30)
    second.setGeometry(10, 10, 200, 40)
    choice.setGeometry(0, 100, 80, 30)
    assert [fault.split(" ")[1] for fault in fits.cut(window)] == ["'a", "'a"]
    assert len(list(fits.covered(window))) == 1

"""No label is cut and none covers another, in any pane, in either language, at 1280 x 800."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app import scene as sc
from app.messages import LANGUAGES
from app.pane import all_panes
from app.qt.marks.base import Painted
from app.qt.marks.text import Short
from app.qt.session import Session
from app.qt.theme import Theme
from app.settings import Settings
from tests import svgs
from tests.qt import whole

SIZE = (1280, 800)
PANES = list(all_panes())


@pytest.fixture(scope="module", params=list(LANGUAGES))
def session(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Session]:
    with whole.session(Settings(language=request.param), SIZE) as found:
        yield found


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("pane", PANES)
def test_every_text_is_whole_and_alone(session: Session, pane: str, place: str) -> None:
    whole.show(session, pane, place)
    for part in parts(session):
        found = visible(part)
        assert svgs.overlaps(found) == []
        assert cut(found, session) == []
    assert len(visible(session.window)) > 12
    assert tight(session.window) == []


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_the_bars_have_room_at_the_largest_type(language: str, qapp: QApplication) -> None:
    with whole.session(Settings(language=language, scale=2.0), (1440, 900)) as large:
        for pane in PANES:
            whole.show(large, pane, "middle")
            for bar in (large.shell.topbar, large.shell.transport):
                assert svgs.overlaps(visible(bar)) == []
                assert tight(bar) == []


def parts(session: Session) -> tuple[QWidget, ...]:
    """What lies side by side in the window, each drawn by itself: the pane may be under its scroll bars."""
    shell = session.shell
    return shell.topbar, shell.views[session.store.state.current], shell.transport


def visible(part: QWidget) -> list[svgs.Placed]:
    """Its texts, but for those behind a scroll bar."""
    inside = QRectF(part.rect()).adjusted(-1, -1, 1, 1)
    places = [
        (_placed(mark.rect(), mark, part), _placed(mark.visibleRegion().boundingRect(), mark, part))
        for mark in part.findChildren(Painted)
    ]

    def scrolled_away(box: QRectF) -> bool:
        """In the part of a mark that its scroll area hides: an SVG has it all the same."""
        own = [seen for whole_, seen in places if whole_.contains(box)]
        return bool(own) and not any(seen.intersects(box) for seen in own)

    found = [text for text in svgs.texts(svgs.drawn(part)) if not text.hidden and inside.contains(text.box)]
    return [text for text in found if not scrolled_away(text.box)]


def _placed(rect: QRect, mark: QWidget, part: QWidget) -> QRectF:
    return QRectF(rect.translated(mark.mapTo(part, QPoint())))


def cut(found: list[svgs.Placed], session: Session) -> list[str]:
    """Texts that end in an ellipsis and whose whole is nowhere at hand: on hover, or in a readout line."""
    tips = [widget.toolTip() for widget in session.window.findChildren(QWidget) if widget.toolTip()]
    at_hand = [*tips, *own_words(session.store.scene())]
    meant = {widget.text().strip() for widget in texted(session.window) if not isinstance(widget, Short)}
    lost = []
    for text in {one.text.strip() for one in found if one.text.strip().endswith("…")}:
        start = text.removesuffix("…").rstrip()
        so_far = start.isdigit()  # "3 …": three up to now
        if text not in meant and not so_far and not any(one.startswith(start) for one in at_hand):
            lost.append(text)
    return lost


def own_words(scene: sc.Scene) -> set[str]:
    """Labels that are the user's own: a mark shortens them, its readout line says them whole."""
    found: set[str] = set()
    for mark in sc.marks(scene):
        for axis in (getattr(mark, "rows", None), getattr(mark, "cols", None)):
            if isinstance(axis, sc.Axis):
                found.update((*axis.labels, *axis.full))
    return found


def texted(window: QWidget) -> list[QLabel | QAbstractButton]:
    """Visible labels and buttons with a text."""
    every = [*window.findChildren(QLabel), *window.findChildren(QAbstractButton)]
    return [widget for widget in every if widget.isVisible() and widget.text()]


def tight(window: QWidget) -> list[str]:
    """Labels and buttons smaller than their text; not those that shorten themselves and say it on hover."""
    found = []
    for widget in texted(window):
        if isinstance(widget, Short):
            continue
        need = widget.minimumSizeHint()
        wraps = isinstance(widget, QLabel) and widget.wordWrap()
        wide, high = (0, widget.heightForWidth(widget.width())) if wraps else (need.width(), need.height())
        if widget.width() + 1 < wide or widget.height() + 1 < high:
            found.append(f"{widget.text()}: {widget.width()} x {widget.height()} for {wide} x {high}")
    return found


def test_what_is_cut_or_covered_is_found(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    labels = [QLabel(text, window) for text in ("Alphabet", "Bet", "Cut …")]
    for label, x in zip(labels, (0, 20, 300), strict=True):
        label.setFont(Theme(plain=True).font())
        label.setGeometry(x, 0, 40 if label is labels[0] else 90, 30)
    window.resize(400, 40)
    window.show()
    found = svgs.texts(svgs.drawn(window))
    assert [text.text for text in found] == ["Alphabet", "Bet", "Cut …"]
    assert svgs.overlaps(found) == [("Alphabet", "Bet")]
    assert [line.split(":")[0] for line in tight(window)] == ["Alphabet"]

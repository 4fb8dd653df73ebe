"""For those who look closely, use the keyboard or listen: contrast as painted, focus, twins, sentences."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QImage, QPainter
from PySide6.QtWidgets import QApplication, QTableView, QWidget

from app import palette
from app.messages import LANGUAGES
from app.pane import all_panes
from app.qt import scene_view
from app.qt.cards import CardNode
from app.qt.marks.base import Painted
from app.qt.nodes import DRAWN, VIEWS
from app.qt.session import Session
from app.render.tables import twin
from app.scene import Card, marks, walk
from app.settings import Settings
from tests import svgs
from tests.qt import whole

PANES = list(all_panes())


@pytest.fixture(scope="module", params=list(palette.THEMES))
def session(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Session]:
    with whole.session(Settings(theme=request.param)) as found:
        yield found


@pytest.mark.parametrize("pane", PANES)
def test_every_text_can_be_read_on_what_is_painted_under_it(session: Session, pane: str) -> None:
    tokens = palette.THEMES[session.store.state.theme]
    whole.show(session, pane, "middle")
    weak = []
    for text, colour, ground in svgs.on_grounds(svgs.drawn(session.window)):
        off = colour == tokens["faint"]  # a button that cannot be used now
        if ground and not off and palette.contrast(colour, ground) < 4.5:
            weak.append(f"{text}: {colour} on {ground}, {palette.contrast(colour, ground):.2f}")
    assert weak == []


@pytest.mark.parametrize("pane", PANES)
def test_faint_text_is_only_on_what_cannot_be_used(session: Session, pane: str) -> None:
    tokens = palette.THEMES[session.store.state.theme]
    whole.show(session, pane, "middle")
    off = {
        widget.text().strip()  # type: ignore[attr-defined]
        for widget in session.window.findChildren(QWidget)
        if not widget.isEnabled() and hasattr(widget, "text")
    }
    found = svgs.on_grounds(svgs.drawn(session.window))
    assert [text for text, colour, _ in found if colour == tokens["faint"] and text.strip() not in off] == []


def shot(window: QWidget, area: QRect) -> QImage:
    image = QImage(area.size(), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    window.render(painter, QPoint(), area)
    painter.end()
    return image


def focusable(session: Session) -> list[QWidget]:
    return [
        widget
        for widget in session.window.findChildren(QWidget)
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.visibleRegion().isEmpty()
    ]  # fmt: skip


@pytest.mark.parametrize("pane", PANES)
def test_the_focus_is_seen_on_every_widget_that_can_have_it(session: Session, pane: str) -> None:
    whole.show(session, pane, "middle")
    session.window.activateWindow()
    session.window.setFocus()
    unseen, reached = [], 0
    widgets = focusable(session)
    for widget in widgets:
        area = QRect(widget.mapTo(session.window, QPoint()), widget.size()).adjusted(-3, -3, 3, 3)
        session.window.setFocus()
        before = shot(session.window, area)
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        QApplication.processEvents()
        holder = QApplication.focusWidget()
        mine = holder is not None and (holder is widget or widget.isAncestorOf(holder))
        reached += mine
        if mine and shot(session.window, area) == before:
            unseen.append(f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}")
    assert unseen == []
    assert reached > max(8, 0.8 * len(widgets))


@pytest.mark.parametrize("pane", PANES)
def test_what_can_have_the_focus_has_a_name(session: Session, pane: str) -> None:
    whole.show(session, pane, "middle")
    nameless = []
    for widget in focusable(session):
        interface = QAccessible.queryAccessibleInterface(widget)
        said = interface.text(QAccessible.Text.Name) or interface.text(QAccessible.Text.Description)
        if not said.strip() and not any(one.accessibleName() for one in ancestors(widget)):
            nameless.append(f"{type(widget).__name__} in {type(widget.parent()).__name__}")
    assert nameless == []


def ancestors(widget: QWidget) -> Iterator[QWidget]:
    above = widget.parentWidget()
    while above is not None and not isinstance(above, CardNode):
        yield above
        above = above.parentWidget()


def test_every_kind_of_painted_mark_has_a_twin() -> None:
    painted = {mark for mark, view in VIEWS.items() if issubclass(view, Painted)}
    assert painted <= {*DRAWN} | {mark for mark in painted if mark.__name__ in ("Shares", "Sheet", "Formula")}


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("pane", PANES)
def test_every_painted_mark_on_screen_has_rows_in_its_twin(session: Session, pane: str, place: str) -> None:
    whole.show(session, pane, place)
    painted = [mark for mark in marks(session.store.scene()) if issubclass(VIEWS[type(mark)], Painted)]
    for mark in painted:
        table = twin(mark)
        assert table is not None, f"{mark.key} has no table"
        assert all(len(row) <= len(table[0]) for row in table[1]), f"{mark.key}: rows wider than its titles"


@pytest.mark.parametrize("pane", PANES)
def test_a_drawing_can_be_turned_to_its_table_by_keyboard(session: Session, pane: str, qtbot: object) -> None:
    whole.show(session, pane, "middle")
    turned = 0
    for card in session.window.findChildren(CardNode):
        if card.isVisible() and card.turn.isVisible():
            assert card.turn.focusPolicy() & Qt.FocusPolicy.TabFocus
            card.turn.click()
            table = card.stack.currentWidget()
            assert isinstance(table, QTableView)
            assert table.model().rowCount() > 0
            card.turn.click()
            turned += 1
    cards = [node for node in walk(session.store.scene().root) if isinstance(node, Card)]
    drawn = [mark for card in cards for mark in walk(card.body) if isinstance(mark, DRAWN)]
    assert bool(turned) == bool(drawn)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("pane", PANES)
def test_each_step_is_announced_in_one_sentence(
    session: Session, pane: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(scene_view.QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(scene_view, "QAccessibleAnnouncementEvent", lambda view, text: said.append(text))
    monkeypatch.setattr(scene_view.QAccessible, "updateAccessibility", lambda event: None)
    session.store.dispatch("shell.language", language)
    whole.show(session, pane, "first")
    line = session.store.line
    if line is None or line.computed < 2:
        assert session.shell.look.text(session.store.scene().alt)
        return
    said.clear()
    session.store.dispatch("transport.forward")
    session.store.flush()
    assert len(said) == 1
    state = session.store.state
    assert said[0] == session.shell.look.text(session.store.panes[pane].sentence(state.pane_state))
    assert "\n" not in said[0]
    session.store.dispatch("shell.language", "en")
    session.store.flush()

"""The command palette, by keyboard only, in both languages; the settings dialog; classroom mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from app.classroom import without_sides
from app.commands import COMMANDS, commands, shown_key
from app.fuzzy import score
from app.messages import LANGUAGES, Translator
from app.pane import Event
from app.qt.marks.base import Look
from app.qt.palette_dialog import COMMAND, PaletteDialog
from app.qt.session import Session
from app.qt.settings_dialog import SWITCHES, SettingsDialog
from app.qt.theme import Theme
from app.scene import Card, Column, Prose, Row, Scene, Tabs
from app.settings import Settings
from tests.qt import whole

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PALETTE_KEYS = [(Qt.Key.Key_K, CTRL), (Qt.Key.Key_P, CTRL | SHIFT)]


@pytest.fixture
def session(qapp: QApplication) -> Iterator[Session]:
    with whole.session(Settings()) as found:
        whole.show(found, "inspector", "middle")
        yield found


def press(target: Any, key: Qt.Key, modifiers: Any = Qt.KeyboardModifier.NoModifier, text: str = "") -> None:
    QApplication.sendEvent(target, QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text))


def palette(session: Session) -> PaletteDialog:
    found = session.window.findChildren(PaletteDialog)
    assert len(found) == 1
    return found[0]


def names(dialog: PaletteDialog) -> list[str]:
    return [dialog.list.item(k).data(COMMAND).id for k in range(dialog.list.count())]


# ---- fitting --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_is_found_by_its_own_name(language: str) -> None:
    translator = Translator(language)
    for command in COMMANDS:
        name = translator.text(command.text)
        best = max(COMMANDS, key=lambda other: score(name, translator.text(other.text)))
        assert score(name, name) == score(name, translator.text(best.text)) > 0


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("exp", "Export…"), ("EXPORT", "Export…"), ("vw lnk", "Copy view link"), ("링크", "보기 링크 복사"),
        ("ㄴㅂㄴㄱ", "내보내기…"), ("복사 링크", "보기 링크 복사"), ("", "anything"),
    ],
)  # fmt: skip
def test_what_fits(typed: str, text: str) -> None:
    assert score(typed, text) > 0


@pytest.mark.parametrize(
    ("typed", "text"), [("xyz", "Export…"), ("tropxe", "Export…"), ("ㅋㅋ", "내보내기…")]
)
def test_what_does_not_fit(typed: str, text: str) -> None:
    assert score(typed, text) == 0


def test_whole_words_before_starts_before_scattered_letters() -> None:
    scores = [score("text", one) for one in ("Larger text", "Textbook", "Context", "Take every x to it")]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


# ---- the dialog -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "modifiers"), PALETTE_KEYS)
def test_by_keyboard_from_opening_to_doing(session: Session, key: Any, modifiers: Any, qtbot: Any) -> None:
    press(session.window, key, modifiers)
    dialog = palette(session)
    assert names(dialog) == [command.id for command in session.shell.table]
    qtbot.keyClicks(dialog.field, "light or")
    assert names(dialog)[0] == "view.theme"
    press(dialog.field, Qt.Key.Key_Return)
    session.store.flush()
    assert session.store.state.theme == "dark"
    assert not dialog.isVisible()


def test_arrows_choose_and_escape_leaves(session: Session, qtbot: Any) -> None:
    session.store.dispatch("shell.palette")
    dialog = palette(session)
    qtbot.keyClicks(dialog.field, "step")
    second = names(dialog)[1]
    press(dialog.field, Qt.Key.Key_Down)
    with qtbot.waitSignal(dialog.chosen) as chosen:
        press(dialog.field, Qt.Key.Key_Return)
    assert chosen.args[0].id == second
    session.store.dispatch("shell.palette")
    other = session.window.findChildren(PaletteDialog)[-1]
    press(other, Qt.Key.Key_Escape)
    assert not other.isVisible()


def test_korean_finds_english_and_the_other_way_round(qtbot: Any) -> None:
    for language, typed in (("ko", "export"), ("en", "내보내기")):
        dialog = PaletteDialog(COMMANDS, language, Look(Theme(), Translator(language)))
        qtbot.addWidget(dialog)
        qtbot.keyClicks(dialog.field, "")
        dialog.field.setText(typed)
        assert names(dialog)[0] == "file.export"


def test_keys_are_shown_and_nothing_fitting_is_said(qtbot: Any) -> None:
    dialog = PaletteDialog(commands(), "en", Look(Theme(), Translator("en")))
    qtbot.addWidget(dialog)
    dialog.field.setText("export")
    said = dialog.list.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == f"File: Export… {shown_key('Ctrl+Shift+E')}"
    dialog.field.setText("qqqq")
    assert (dialog.list.count(), dialog.none.isHidden(), dialog.list.isHidden()) == (0, False, True)
    with qtbot.assertNotEmitted(dialog.chosen):
        press(dialog.field, Qt.Key.Key_Return)


# ---- settings -------------------------------------------------------------------------------------------


def test_settings_change_at_once_and_follow_the_keys(session: Session) -> None:
    press(session.window, Qt.Key.Key_Comma, CTRL, ",")
    dialog = session.window.findChildren(SettingsDialog)[0]
    for name in SWITCHES:
        before = getattr(session.store.state.settings, name)
        dialog.switches[name].click()
        assert getattr(session.store.state.settings, name) is not before
    dialog.colours.activated.emit(dialog.colours.findData("dark"))
    dialog.text_size.activated.emit(dialog.text_size.findData(1.5))
    assert (session.store.state.theme, session.store.state.settings.scale) == ("dark", 1.5)
    session.store.dispatch("shell.theme", "light")
    session.store.flush()
    assert dialog.colours.currentData() == "light"
    dialog.language.activated.emit(dialog.language.findData("ko"))
    session.store.flush()
    shown = [one for one in session.window.findChildren(SettingsDialog) if one.isVisible()]
    assert [one.windowTitle() for one in shown] == ["설정"]
    shown[0].accept()


# ---- classroom mode and reduced motion ------------------------------------------------------------------


def test_classroom_mode_is_larger_barer_slower_and_has_a_way_out(session: Session) -> None:
    shell, store = session.shell, session.store
    before = shell.look.theme.font().pixelSize()
    store.dispatch("transport.play")
    pace = store._clock.interval()
    press(session.window, Qt.Key.Key_M, CTRL | SHIFT)
    whole.settle(session)
    assert shell.look.theme.font().pixelSize() == round(1.4 * before)
    assert store._clock.interval() == 2 * pace
    scene = store.scene()
    assert isinstance(scene.root, Row)
    assert [child.key for child in scene.root.children] == ["centre"]
    assert shell.topbar.leave.isVisible()
    assert shell.topbar.leave.text() == "Leave classroom mode"
    store.dispatch("transport.pause")
    shell.topbar.leave.click()
    whole.settle(session)
    assert not store.state.settings.classroom
    assert len(store.scene().root.children) == 3  # type: ignore[union-attr]
    assert not shell.topbar.leave.isVisible()


def test_side_panels_go_and_the_rest_stays_the_very_same() -> None:
    words = [Prose(f"p{k}", ()) for k in range(4)]
    inner = Row("inner", (words[0], words[1]), (1, 2), (10, 20), (False, True))
    scene = Scene(
        Column("all", (inner, Tabs("t", (words[2], Card("c", "C", words[3])), ("a", "b")))), "t", "a"
    )
    bare = without_sides(scene)
    row = bare.root.children[0]  # type: ignore[union-attr]
    assert isinstance(row, Row)
    assert (row.children, row.stretch, row.least) == ((words[0],), (1,), (10,))
    assert bare.root.children[1] is scene.root.children[1]  # type: ignore[union-attr]
    plain = Scene(Row("r", (words[0], words[1])), "t", "a")
    assert without_sides(plain) is plain


def test_text_is_never_larger_than_the_largest_setting() -> None:
    assert Settings(scale=1.0, classroom=True).text_scale == pytest.approx(1.4)
    assert Settings(scale=2.0, classroom=True).text_scale == 2.0
    assert Settings(scale=1.5).text_scale == 1.5


def test_reduced_motion_stops_what_moves_by_itself(session: Session, qapp: QApplication) -> None:
    session.store.send(Event("shell.motion"))
    session.store.flush()
    assert session.store.state.settings.reduced_motion
    assert qapp.cursorFlashTime() == 0
    assert not qapp.isEffectEnabled(Qt.UIEffect.UI_FadeMenu)
    session.store.send(Event("shell.motion"))
    session.store.flush()
    assert qapp.cursorFlashTime() > 0

"""The window around the panes: keys, tabs, transport, theme and language at once, drops, notices, the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.messages import msg
from app.pane import Effect, Event
from app.qt import theme as themes
from app.qt.dialogs import AboutDialog, ErrorDialog, KeysDialog
from app.qt.frame import LEAST, Frame
from app.qt.marks.base import Look
from app.qt.scene_view import SceneView
from app.qt.store import Store
from app.qt.window import Shell, growing
from app.reduce import start
from app.scene import Card, Column, Prose, Row, Scene, walk
from app.settings import Settings
from app.timeline import Timeline
from tests.fakes import Counter

NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier


class Plain(QWidget):
    """A scene as one label, and a field to type into."""

    happened = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.label, self.field = QLabel(), QLineEdit()
        box = QVBoxLayout(self)
        box.addWidget(self.label)
        box.addWidget(self.field)
        self.look = look

    def show_scene(self, scene: Any) -> None:
        self.scene = scene
        self.label.setText(self.look.text(scene.alt))

    def restyle(self, theme: themes.Theme, translator: Any) -> None:
        self.look = Look(theme, translator)
        self.label.setText(self.look.text(self.scene.alt))


@dataclass(frozen=True)
class Record:
    seconds: float


@pytest.fixture
def panes() -> dict[str, Counter]:
    return {"inspector": Counter(), "read": Counter("read", "Read")}


@pytest.fixture
def window(qtbot: Any, qapp: QApplication, panes: dict[str, Counter]) -> Iterator[Shell]:
    themes.load_fonts()
    store = Store(start(Settings(), panes, "en", "light"), panes)  # type: ignore[arg-type]
    frame = Frame(themes.Theme())
    made = Shell(frame, store, Plain)
    made.build()
    frame.resize(1280, 800)
    qtbot.addWidget(frame)
    frame.show()
    qtbot.waitExposed(frame)
    yield made
    store._clock.stop()


def press(window: Shell, key: int, modifiers: Qt.KeyboardModifier = NONE, text: str = "") -> None:
    """A key as the platform sends it: to what has the focus."""
    target = QApplication.focusWidget() or window.frame
    QApplication.sendEvent(target, QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text))
    window.store.flush()


def events(window: Shell, pane: str = "inspector") -> list[Event]:
    return list(window.store.state.panes[pane].events)


def current(window: Shell) -> int:
    line = window.store.line
    assert line is not None
    return line.current


@pytest.mark.parametrize(
    ("key", "modifiers", "text", "expected"),
    [
        (Qt.Key.Key_Space, NONE, " ", Event("transport.play")),
        (Qt.Key.Key_J, NONE, "j", Event("transport.reverse")),
        (0x3153, NONE, "ㅓ", Event("transport.reverse")),  # J under a Hangul input source
        (0x314F, NONE, "ㅏ", Event("transport.pause")),
        (0x3163, NONE, "ㅣ", Event("transport.play")),
        (Qt.Key.Key_BracketLeft, NONE, "[", Event("transport.back")),
        (Qt.Key.Key_Comma, NONE, ",", Event("transport.back")),
        (Qt.Key.Key_Home, NONE, "", Event("transport.first")),
        (Qt.Key.Key_Return, CTRL, "", Event("run.start")),
        (Qt.Key.Key_Escape, NONE, "", Event("pin")),
        (Qt.Key.Key_S, CTRL, "", Event("run.save")),
        (0x3134, CTRL, "", Event("run.save")),  # Ctrl+ㄴ is Ctrl+S
        (Qt.Key.Key_F5, SHIFT, "", Event("run.cancel")),
    ],
)
def test_keys_reach_the_pane(window: Shell, key: int, modifiers: Any, text: str, expected: Event) -> None:
    press(window, key, modifiers, text)
    assert events(window)[-1] == expected


def test_a_key_of_another_alphabet_is_known_by_its_place(window: Shell) -> None:
    scan_of_j = {"linux": 44}.get("linux", 0)
    event = QKeyEvent(QEvent.Type.KeyPress, 0x041E, NONE, scan_of_j, 0x26, 0, "о")  # Cyrillic, on the J key
    QApplication.sendEvent(window.frame, event)
    assert events(window)[-1] == Event("transport.reverse")


@pytest.mark.parametrize("text", ["j", "ㅓ", "?", " ", "["])
def test_plain_signs_belong_to_a_text_field(window: Shell, qtbot: Any, text: str) -> None:
    field = window.views["inspector"].field
    field.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is field)
    before = events(window)
    press(window, ord(text.upper()), NONE, text)
    assert field.text() == text
    assert events(window) == before
    press(window, Qt.Key.Key_Home)
    assert events(window) == before
    press(window, Qt.Key.Key_Return, CTRL)
    assert events(window)[-1] == Event("run.start")


CHORDS = [
    (Qt.Key.Key_PageDown, CTRL, "", ("view.next_pane",)),
    (Qt.Key.Key_2, ALT, "2", ("go.inspector",)),
    (Qt.Key.Key_K, CTRL, "\x0b", ("help.palette",)),
    (Qt.Key.Key_S, CTRL, "\x13", ("file.save",)),
    (Qt.Key.Key_Return, CTRL, "\r", ("run.start",)),
    (Qt.Key.Key_Right, ALT, "", ("tour.next",)),
]


@pytest.mark.parametrize(("key", "modifiers", "text", "ids"), CHORDS, ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("kind", [QComboBox, QSlider, QSpinBox, QLineEdit, QPlainTextEdit, QPushButton])
def test_chords_come_to_the_program_first(
    window: Shell, qtbot: Any, kind: Any, key: int, modifiers: Any, text: str, ids: tuple[str, ...]
) -> None:
    """A slider pages down at Ctrl+PgDown, a text field writes the 2 of Alt+2 and cuts at Ctrl+K."""
    widget, sent = kind(window.views["inspector"]), []
    if kind is QComboBox:
        widget.addItems(["one", "two", "three"])
    widget.show()
    widget.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is widget)
    before = [getattr(widget, name)() for name in ("value", "currentIndex", "text") if hasattr(widget, name)]
    window.store.send = sent.append
    press(window, key, modifiers, text)
    after = [getattr(widget, name)() for name in ("value", "currentIndex", "text") if hasattr(widget, name)]
    moves = ids == ("tour.next",) and kind in (QLineEdit, QPlainTextEdit, QSpinBox)  # a word on, on a Mac
    assert sent == ([] if moves else [command.event for command in window.table if command.id in ids])
    assert before == after


def test_letters_can_be_turned_off(window: Shell) -> None:
    window.store.dispatch("shell.letters")
    before = events(window)
    press(window, Qt.Key.Key_J, NONE, "j")
    assert events(window) == before
    press(window, Qt.Key.Key_Space, NONE, " ")
    assert events(window)[-1] == Event("transport.play")


def test_tabs_follow_the_panes_and_alt_digits(window: Shell) -> None:
    assert list(window.topbar.tabs) == ["read", "inspector"]
    assert window.topbar.tabs["inspector"].isChecked()
    press(window, Qt.Key.Key_1, ALT, "1")
    assert window.store.state.current == "read"
    assert window.topbar.tabs["read"].isChecked()
    window.topbar.tabs["inspector"].click()
    window.store.flush()
    assert window.views["inspector"].isVisible()


def test_theme_and_language_switch_at_once_and_keep_the_frame(window: Shell) -> None:
    window.store.dispatch("transport.seek", 3)
    window.store.flush()
    field = window.views["inspector"].field
    field.setText("being typed")
    press(window, Qt.Key.Key_D, CTRL | SHIFT)
    press(window, Qt.Key.Key_L, CTRL | SHIFT)
    assert window.look.theme.name == "dark"
    assert window.frame.palette().window().color() == window.look.theme.color("bg")
    assert window.topbar.tabs["inspector"].text() == "검사기"
    assert window.transport.computed.text() == "8단계 계산됨"
    assert (current(window), field.text()) == (3, "being typed")


def test_text_scale_grows_the_bars(window: Shell) -> None:
    before = window.topbar.height()
    for _ in range(4):
        press(window, Qt.Key.Key_Plus, CTRL, "+")
    assert window.topbar.height() == 2 * before
    assert window.transport.height() == 160


def test_only_the_visible_pane_computes_scenes_once_a_frame(window: Shell, panes: Any, qtbot: Any) -> None:
    window.store.dispatch("shell.workspace", "read")
    window.store.flush()
    before = panes["inspector"].scenes, panes["read"].scenes
    with qtbot.waitSignal(window.store.redraw):
        for _ in range(100):
            window.store.dispatch("hover", (1, 2))
            window.store.dispatch("transport.back")
    assert (panes["inspector"].scenes, panes["read"].scenes) == (before[0], before[1] + 1)


def test_what_was_shown_is_painted_before_the_next_scene(qtbot: Any, qapp: QApplication) -> None:
    class Carded(Counter):
        def scene(self, state: Any, selection: Any) -> Scene:
            plain = super().scene(state, selection)
            return Scene(Card("card", "Card", plain.root), plain.title, plain.alt)

    themes.load_fonts()
    pane = Carded()
    store = Store(start(Settings(), {"inspector": pane}, "en", "light"), {"inspector": pane})  # type: ignore[dict-item]
    frame = Frame(themes.Theme())
    qtbot.addWidget(frame)
    made = Shell(frame, store, lambda look: SceneView(look.theme, look.translator))
    made.build()
    with qtbot.waitExposed(frame):
        frame.show()
    view = made.views["inspector"]
    made.turn = 60.0
    qtbot.waitUntil(lambda: not view.unseen)  # type: ignore[attr-defined]
    store.dispatch("transport.back")
    store.flush()
    assert view.unseen  # type: ignore[attr-defined]
    computed, painted = pane.scenes, []
    view.painted.connect(lambda: painted.append(pane.scenes))  # type: ignore[attr-defined]
    store.dispatch("transport.back")
    store.flush()
    assert pane.scenes == computed
    qtbot.waitUntil(lambda: pane.scenes == computed + 1)
    assert painted[0] == computed


def test_the_top_bar_is_filled_only_where_it_tells_something_else(
    window: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled: list[str] = []
    original = window.topbar._fill

    def fill(state: Any, say: Any) -> None:
        filled.append(state.opened.name)
        original(state, say)

    monkeypatch.setattr(window.topbar, "_fill", fill)
    window.store.dispatch("transport.back")
    window.store.flush()
    assert filled == []
    state = window.store.state
    window.store.state = replace(state, opened=replace(state.opened, name="another"))
    window.refresh()
    assert filled == ["another"]
    assert "another" in window.topbar.file.text()


def test_the_transport_asks_and_shows(window: Shell, qtbot: Any) -> None:
    transport = window.transport
    transport.buttons["steps.back"].click()
    window.store.flush()
    assert current(window) == 7
    scrubber = transport.scrubber
    at = QPoint(round(scrubber.place(4)), scrubber.height() // 2)
    qtbot.mouseClick(scrubber, Qt.MouseButton.LeftButton, pos=at)
    window.store.flush()
    assert current(window) == 4
    scrubber.setFocus()
    press(window, Qt.Key.Key_Right)
    assert current(window) == 5
    press(window, Qt.Key.Key_End)
    assert current(window) == 8
    assert not transport.buttons["steps.forward"].isEnabled()


def test_playing_ticks_until_the_end(window: Shell, qtbot: Any) -> None:
    window.store.dispatch("transport.seek", 7)
    for _ in range(3):
        window.store.dispatch("transport.faster")
    assert window.store._clock.isActive()
    qtbot.waitUntil(lambda: current(window) == 8, timeout=5000)
    qtbot.waitUntil(lambda: not window.store._clock.isActive(), timeout=5000)


@pytest.mark.parametrize(
    ("line", "live", "words"),
    [
        (Timeline(3, 3, 8, True, 1), True, "3 of up to 8 steps computed"),
        (Timeline(2, 3, 8, False, 0), False, "3 of up to 8 steps computed"),
        (Timeline(8, 8, 8, True, 0), False, "8 steps computed"),
        (Timeline(1, 1, 1, True, 0), False, "1 step computed"),
        (None, False, "No steps yet"),
    ],
)
def test_what_the_transport_says(window: Shell, line: Timeline | None, live: bool, words: str) -> None:
    window.transport.show_line(line, (0.0031,), 2)
    assert window.transport.live.isVisibleTo(window) is live
    assert window.transport.computed.text() == words


def test_times_of_a_run_stand_where_the_run_is_seen(window: Shell) -> None:
    """A schematic has no engine: the open model's milliseconds would not be its own."""
    window.store.dispatch("engine.record", Record(0.0031))
    window.refresh()
    pace = window.transport.pace
    assert window.store.state.current == "inspector"
    assert pace.text() == "3.1 ms per step"
    window.store.dispatch("shell.workspace", "read")
    window.refresh()
    assert window.store.line is not None
    assert pace.text() == ""


@pytest.mark.parametrize("planned", [1, 2, 8, 64, 999])
@pytest.mark.parametrize("width", [160, 700])
def test_every_step_can_be_reached_with_the_scrubber(window: Shell, planned: int, width: int) -> None:
    scrubber = window.transport.scrubber
    scrubber.resize(width, 60)
    scrubber.show_line(Timeline(1, planned, planned))
    assert not scrubber.grab().isNull()
    reached = {scrubber.step_at(scrubber.place(step)) for step in range(1, planned + 1)}
    assert reached == set(range(1, planned + 1))
    assert 0 <= scrubber.place(1) <= scrubber.place(planned) <= width


@pytest.mark.parametrize("size", [LEAST, (1280, 800), (1440, 900)])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_nothing_is_cut_off(window: Shell, size: tuple[int, int], language: str) -> None:
    window.store.dispatch("shell.language", language)
    window.store.flush()
    window.frame.resize(*size)
    QApplication.processEvents()
    assert (window.frame.width(), window.frame.height()) == size
    texts = (*window.topbar.tabs.values(), window.transport.computed, window.transport.pace)
    assert all(widget.width() >= widget.minimumSizeHint().width() for widget in texts)
    for widget in (*texts, *window.transport.buttons.values(), *window.topbar.tools.values()):
        box = widget.rect().translated(widget.mapTo(window, QPoint(0, 0)))
        assert window.rect().contains(box)


def test_everything_one_can_use_has_a_name(window: Shell) -> None:
    buttons = [*window.transport.buttons.values(), *window.topbar.tools.values(), window.topbar.menu]
    assert all(button.accessibleName() for button in buttons)
    assert window.transport.scrubber.accessibleName()


def drag(kind: type, window: Shell, paths: list[Path]) -> Any:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    point: Any = QPoint(50, 50) if kind is QDragEnterEvent else QPointF(50, 50)
    event = kind(point, Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, NONE)
    event.kept = mime  # Qt does not own it
    return event


def test_a_drag_says_what_will_happen_and_a_drop_does_it(window: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "모형"
    folder.mkdir()
    window.frame.dragEnterEvent(drag(QDragEnterEvent, window, [folder]))
    window.store.flush()
    assert window.drop.isVisible()
    assert window.drop.text() == "Open the checkpoint folder 모형"
    window.frame.dropEvent(drag(QDropEvent, window, [folder]))
    window.store.flush()
    assert not window.drop.isVisible()
    assert events(window)[-1] == Event("open.path", str(folder))


def test_a_drop_that_is_no_use_says_so(window: Shell, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("x")
    for paths, words in ([text], "notes.txt is neither"), ([text, tmp_path], "one file or folder"):
        window.frame.dropEvent(drag(QDropEvent, window, paths))
        window.store.flush()
        assert words in window.look.text(window.store.state.notices[-1])
    assert not any(event.name == "open.path" for event in events(window))


def test_notices_are_shown_and_closed(window: Shell) -> None:
    window.store.dispatch("shell.notice", msg("The view was copied as text."))
    window.store.flush()
    frame = window.notices.itemAt(0).widget()
    assert frame.findChild(QLabel).text() == "The view was copied as text."
    frame.findChildren(QWidget)[-1].click()
    window.store.flush()
    assert window.notices.count() == 0


def test_a_view_travels_over_the_clipboard(window: Shell) -> None:
    window.store.dispatch("transport.seek", 3)
    press(window, Qt.Key.Key_C, CTRL | SHIFT)
    assert QApplication.clipboard().text() == "inspector?step=3"
    window.store.dispatch("transport.last")
    press(window, Qt.Key.Key_V, CTRL | SHIFT)
    assert current(window) == 3


def test_the_list_of_commands_narrows_and_acts(window: Shell, qtbot: Any) -> None:
    press(window, Qt.Key.Key_Question, SHIFT, "?")
    dialog = window.findChild(KeysDialog)
    assert dialog is not None
    assert len(dialog._items()) == len(window.table)
    qtbot.keyClicks(dialog.filter, "first st")
    assert [item.text(0) for item in dialog._items() if not item.isHidden()] == ["First step"]
    qtbot.keyClick(dialog.filter, Qt.Key.Key_Return)
    window.store.flush()
    assert current(window) == 1


def test_the_error_dialog_copies_and_goes_on(window: Shell) -> None:
    window.show_fault("Traceback\nValueError: <b>twelve</b>")
    dialog = window.findChild(ErrorDialog)
    assert dialog is not None
    dialog.copy()
    assert "ValueError: <b>twelve</b>" in QApplication.clipboard().text()
    assert "Qt 6" in QApplication.clipboard().text()
    dialog.accept()


def test_about_holds_the_licences(window: Shell) -> None:
    window.perform(Effect("dialog.about"))
    dialog = window.findChild(AboutDialog)
    assert dialog is not None
    from app.qt.dialogs import licences

    assert all(name in licences() for name in ("Pretendard", "JetBrainsMono", "lucide", "CC BY 4.0"))
    dialog.accept()


def test_closing_keeps_the_geometry(window: Shell, qtbot: Any) -> None:
    saved: list[Effect] = []
    window.store.perform["settings"] = saved.append
    window.frame.setGeometry(30, 40, 1200, 700)
    with qtbot.waitSignal(window.frame.closing):
        window.frame.close()
    assert window.store.state.settings.geometry == (30, 40, 1200, 700)
    assert saved == [Effect("settings.save")]


def test_a_scene_grows_card_by_card() -> None:
    def card(key: str) -> Card:
        return Card(key, key, Prose(f"{key} text", ()))

    left, right = Column("left", (card("a"), card("b"))), Column("right", (card("c"),))
    whole = Scene(Row("all", (left, right, card("d"))), "title", "alt")
    parts = list(growing(whole))
    assert parts[-1] == whole
    assert [len(list(walk(part.root))) for part in parts] == [4, 6, 9, 11]

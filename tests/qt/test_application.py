"""Start and end of the whole program, and pictures of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.messages import Message
from app.pane import all_panes
from app.qt import application, faults, pictures
from app.qt import session as sessions
from app.settings import Settings
from tests.qt.conftest import FAKE
from ut_engine.errors import UserError

PROGRAM = """
import json, sys, time
from PySide6.QtCore import QTimer
from app.qt import application
facts = {{}}
begin = application.Start._begin

def begun(start):
    import app.qt.session as sessions
    from ut_engine.client import Client
    sessions.engine = lambda log: lambda notify: Client(notify, command={fake!r}, stderr=log)
    begin(start)
    start.session.store.redraw.connect(lambda: look(start.session))

def painted(frame, event):
    if "visible" not in facts:
        facts["at_first_paint"] = [name for name in ("torch", "pyqtgraph", "numpy") if name in sys.modules]
        facts["visible"] = frame.isVisible()
    return paint(frame, event)

def look(session):
    state = session.store.state.pane_state
    if state.phase == "ready" and not state.records:
        session.store.dispatch("control.steps", 900)
        session.store.dispatch("run.start")
    if state.records and "closed" not in facts:
        facts["closed"] = time.monotonic()
        facts["phase"] = state.phase
        {end}

application.Start._begin = begun
paint = application.Frame.paintEvent
application.Frame.paintEvent = painted
code = application.run({path!r})
facts["seconds"] = time.monotonic() - facts["closed"]
facts["torch"] = "torch" in sys.modules
print(json.dumps(facts))
sys.exit(code)
"""


def program(model_path: Path, end: str) -> tuple[int, dict[str, Any]]:
    code = PROGRAM.format(fake=FAKE, path=str(model_path), end=end)
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, cwd=Path(__file__).parent.parent.parent,
    )  # fmt: skip
    assert child.stdout, child.stderr
    return child.returncode, json.loads(child.stdout)


def test_the_program_starts_runs_and_ends_in_the_middle_of_a_run(
    model_path: Path, own_settings: Path
) -> None:
    code, facts = program(model_path, "QTimer.singleShot(0, session.window.close)")
    assert (code, facts["visible"], facts["at_first_paint"], facts["torch"]) == (0, True, [], False)
    assert facts["phase"] == "running"
    assert facts["seconds"] < 1 + 2  # the engine gets a second; two more for a busy machine
    kept = json.loads((own_settings / "settings.json").read_text("utf-8"))
    assert kept["checkpoint"] == str(model_path)
    assert len(kept["geometry"]) == 4
    assert (own_settings / "log" / "engine.log").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there a terminal's Ctrl-C cannot be sent to one process")
def test_ctrl_c_closes_it_with_exit_code_130(model_path: Path) -> None:
    code, facts = program(model_path, "import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    assert code == 130
    assert facts["seconds"] < 1 + 2


FAILING = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from app.qt import application
where = sys.argv[1]
if where == "import":
    sys.modules["app.qt.session"] = None  # its import raises
else:
    import app.qt.window

    def stages(shell):
        yield
        raise RuntimeError("half made")

    app.qt.window.Shell.stages = stages

def look():
    for box in QApplication.topLevelWidgets():
        if isinstance(box, QMessageBox) and box.isVisible():
            print(box.text(), flush=True)
            box.close()

timer = QTimer(interval=20)
timer.timeout.connect(look)
begin = application.place
application.place = lambda *each: (begin(*each), timer.start())
sys.exit(application.run(None))
"""


@pytest.mark.usefixtures("own_settings")
@pytest.mark.parametrize(("where", "said"), [("import", "app.qt.session"), ("stage", "half made")])
def test_a_fault_at_the_start_is_said_and_ends_it(where: str, said: str) -> None:
    """Not an empty window for ever."""
    child = subprocess.run(
        [sys.executable, "-c", FAILING, where], capture_output=True, text=True, timeout=100, check=False,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, cwd=Path(__file__).parent.parent.parent,
    )  # fmt: skip
    assert child.returncode == 1
    assert child.stdout.startswith("Depthscope could not start")
    assert said in child.stdout
    assert "Traceback" in child.stderr


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("wanted", ["shipped", None, "other"])
def test_the_shipped_checkpoint_shows_what_it_can_do_also_when_asked_for(
    fake_engine: Any, model_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str | None
) -> None:
    shipped = model_path if wanted != "other" else model_path.parent / "another"
    monkeypatch.setattr(sessions, "shipped_checkpoint", lambda: shipped)
    monkeypatch.setattr(sessions, "engine", lambda log: fake_engine)
    session = sessions.Session(Settings(reduced_motion=True), all_panes(), lambda _: None)
    session.open(None if wanted is None else str(model_path))
    try:
        assert session.store.state.pane_state.autorun == (wanted != "other")
        assert session.store.state.pane_state.path == str(model_path)
    finally:
        session.close()
        session.window.deleteLater()


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("asked", "shown"), [(False, "act"), (True, "inspector")])
def test_it_opens_in_the_workspace_it_was_left_in_unless_asked_for_a_file(
    fake_engine: Any, model_path: Path, monkeypatch: pytest.MonkeyPatch, asked: bool, shown: str
) -> None:
    monkeypatch.setattr(sessions, "shipped_checkpoint", lambda: model_path)
    monkeypatch.setattr(sessions, "engine", lambda log: fake_engine)
    settings = Settings(reduced_motion=True, workspace="act")
    session = sessions.Session(settings, all_panes(), lambda _: None)
    session.open(str(model_path) if asked else None)
    try:
        assert session.store.state.current == shown
        assert session.store.state.panes["inspector"].path == str(model_path)
        assert session.store.state.settings.workspace == "act"
    finally:
        session.close()
        session.window.deleteLater()


@pytest.mark.parametrize(
    ("config", "head"),
    [
        ({"training": {"gold_head": 2}}, "2"),
        ({"training": {}}, None),
        ({"training": {"gold_head": "x"}}, None),
        ([], None),
        (None, None),
    ],
)
def test_the_demonstration_looks_at_the_head_that_reads_the_facts(
    tmp_path: Path, config: Any, head: str | None
) -> None:
    if config is not None:
        (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    assert sessions.demonstration(tmp_path).get("head") == head
    assert sessions.demonstration(tmp_path)["run"] == "1"


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch, fake_engine: Any) -> None:
    monkeypatch.setattr(sessions, "engine", lambda log: fake_engine)


@pytest.mark.usefixtures("without_torch")
def test_a_picture_is_the_window_after_the_run(qapp: QApplication, model_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "one.png"
    view = f"inspector?open={model_path}&run=1&step=3"
    application.shot("inspector", out, view=view, lang="ko", theme="dark", size=(1280, 800), scale=1.5)
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1920, 1200)
    assert image.pixelColor(6, 600).name() == "#1e1f22"


@pytest.mark.usefixtures("without_torch")
def test_two_pictures_of_one_view_are_equal_and_themes_differ(
    qapp: QApplication, model_path: Path, tmp_path: Path
) -> None:
    view = f"inspector?open={model_path}&run=1&steps=5"
    for name, theme in (("a", "light"), ("b", "light"), ("c", "dark")):
        application.shot("inspector", tmp_path / f"{name}.png", view=view, theme=theme, size=(1100, 700))
    images = {name: QImage(str(tmp_path / f"{name}.png")).copy(0, 0, 1100, 600) for name in "abc"}
    assert images["a"] == images["b"]  # without the bottom, where the measured time stands
    assert images["a"] != images["c"]


def test_a_picture_waits_until_nothing_moves(qapp: QApplication, qtbot: QtBot) -> None:
    window, child = QWidget(), QLabel("third line")
    qtbot.addWidget(window)
    child.setParent(window)
    turns = iter(range(1, 4))
    timer = QTimer(window, interval=5)

    def move() -> None:
        place = next(turns, None)
        timer.stop() if place is None else child.move(0, place)

    timer.timeout.connect(move)
    timer.start()
    pictures.steady(window)
    assert child.y() == 3


@pytest.mark.usefixtures("without_torch")
@pytest.mark.parametrize("view", ["nowhere?step=1", "inspector?step", "a b"])
def test_a_bad_view_is_refused(qapp: QApplication, tmp_path: Path, view: str) -> None:
    with pytest.raises(UserError):
        application.shot("inspector", tmp_path / "x.png", view=view)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("without_torch", "qapp")
@pytest.mark.parametrize(
    ("more", "words"),
    [("open=/none", "does not exist"), ("open={model}&run=1&text=Nobody", "Nobody|question")],
)
def test_a_view_that_cannot_be_shown_is_no_picture(
    model_path: Path, tmp_path: Path, more: str, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        application.shot("inspector", tmp_path / "x.png", view=f"inspector?{more}".format(model=model_path))
    assert list(tmp_path.iterdir()) == []


def test_settings_that_cannot_be_saved_are_said(qapp: QApplication, fake_engine: Any) -> None:
    def full(_: Settings) -> None:
        raise OSError(28, "No space left on device")

    session = sessions.Session(Settings(), all_panes(), full)
    session.save()
    session.close()
    notice = session.store.state.notices[0]
    assert isinstance(notice, Message)
    assert dict(notice.args) == {"reason": "No space left on device"}
    session.window.deleteLater()


def test_qts_own_words_follow_the_language(qapp: QApplication) -> None:
    words = sessions.QtWords()
    words.show("ko")
    assert QApplication.translate("QPlatformTheme", "Cancel") == "취소"
    words.show("en")
    assert QApplication.translate("QPlatformTheme", "Cancel") == "Cancel"


def test_a_good_pyside_passes_and_a_bad_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    application.check_qt()
    monkeypatch.setattr(application.faults, "lost_references", lambda calls: 1000)
    monkeypatch.setattr(sys, "version_info", (3, 11, 0))
    with pytest.raises(UserError, match="pip install"):
        application.check_qt()


def test_faults_of_slots_and_threads_are_shown_once(qapp: QApplication, qtbot: Any) -> None:
    shown: list[str] = []
    caught = faults.Faults()
    caught.happened.connect(shown.append)
    error = ZeroDivisionError("one")
    for _ in range(3):
        caught.catch(ZeroDivisionError, error, None)
    thread = threading.Thread(target=lambda: caught.catch(ValueError, ValueError("two"), None))
    thread.start()
    thread.join()
    caught.catch(KeyboardInterrupt, KeyboardInterrupt(), None)
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert "ZeroDivisionError: one" in shown[0]
    assert "ValueError: two" in shown[1]


def test_hooks_are_put_back(qapp: QApplication) -> None:
    before = sys.excepthook, threading.excepthook
    caught = faults.Faults()
    caught.install()
    assert sys.excepthook == caught.catch
    caught.remove()
    assert (sys.excepthook, threading.excepthook) == before


def test_two_windows_keep_what_the_other_engine_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "engine.log"
    for text, limit in (("one\n", 1000), ("two\n", 1000), ("three\n", 2)):
        monkeypatch.setattr(faults, "LOG_BYTES", limit)
        log = faults.Log(tmp_path)
        assert log.engine is not None
        log.engine.write(text)
        log.close()
        kept = file.read_text("utf-8")
        assert kept == ("three\n" if limit == 2 else "one\n" + ("two\n" if text == "two\n" else ""))


def test_a_folder_that_takes_no_log_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    log = faults.Log(tmp_path / "file" / "log")
    assert log.engine is None
    log.close()


def test_interrupts_leave_the_signal_handler_as_it_was(qapp: QApplication, qtbot: Any) -> None:
    before = signal.getsignal(signal.SIGINT)
    calls: list[int] = []
    interrupts = application.Interrupts(lambda: calls.append(1))
    os.kill(os.getpid(), signal.SIGINT)
    qtbot.waitUntil(lambda: calls == [1])
    interrupts.remove()
    assert interrupts.happened
    assert signal.getsignal(signal.SIGINT) == before


def test_the_window_answers_while_it_is_made(qapp: QApplication, fake_engine: Any) -> None:
    """Everything is made in parts; the window can be closed between any two."""
    session = sessions.Session(Settings(), all_panes(), lambda _: None)
    stages = session.stages()
    parts = 0
    while session.window.shell is None:
        next(stages, None)
        parts += 1
    assert parts > 6
    assert session.shell.isVisibleTo(session.window)
    session.close()
    session.window.deleteLater()

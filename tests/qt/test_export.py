"""Exports as files: text stays text, maps stay sharp, nothing half-written, one sentence when it fails."""

from __future__ import annotations

import errno
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QByteArray, QPoint
from PySide6.QtGui import QImage, QPainter, QPicture
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app import animation, exports
from app.commands import shortcut_map
from app.messages import LANGUAGES, Translator
from app.pane import Selection, all_panes
from app.qt import application
from app.qt import export as writing
from app.qt import theme as themes
from app.qt.export import Export, Wish
from app.qt.export_dialog import Choices, ExportDialog
from app.qt.exporting import Bar
from app.qt.marks.base import MarkView
from app.qt.session import Session
from app.qt.studio import Studio
from app.qt.theme import Theme
from app.settings import Settings
from tests import goldens, svgs
from tests.qt import whole
from ut_engine.errors import UserError

PANES = all_panes()
HANGUL = re.compile("[가-힣]")


@pytest.fixture
def studio(qapp: QApplication) -> Iterator[Studio]:
    themes.apply(application.make_application(), Theme("light"))  # as both ways to an export do
    made = Studio(Theme("light"), "ko", (1280, 700))
    made.show_scene(goldens.scene_at(PANES["inspector"], "middle"), "설명 <1> & 2")
    yield made
    made.close_down()


# ---- one figure, every format ---------------------------------------------------------------------------


def test_an_svg_parses_again_and_its_text_is_text(studio: Studio) -> None:
    svg = studio.svg().decode("utf-8")
    root = ElementTree.fromstring(svg)
    assert (root.get("width"), root.get("viewBox")) == (str(studio.width()), f"0 0 1280 {studio.height()}")
    texts = [text.text for text in svgs.texts(svg)]
    assert len(texts) > 100
    assert sum(bool(HANGUL.search(text)) for text in texts) > 10
    assert any("0.5474" in text for text in texts)
    assert QSvgRenderer(QByteArray(svg.encode("utf-8"))).isValid()
    said = [root.findtext(f"{svgs.SVG}{name}") for name in ("title", "desc")]
    assert said[0] == "검사기"
    assert said[1].startswith("설명 <1> & 2 — ")  # type: ignore[union-attr]


def test_an_svg_is_drawn_not_one_big_picture(studio: Studio) -> None:
    root = ElementTree.fromstring(studio.svg())
    pictures = list(root.iter(f"{svgs.SVG}image"))
    largest = max(float(node.get("width", "0")) * float(node.get("height", "0")) for node in pictures)
    assert largest < 0.25 * studio.width() * studio.height()
    shapes = [node for node in root.iter() if node.tag.removeprefix(svgs.SVG) in ("path", "rect", "polyline")]
    assert len(shapes) > 100
    sharp = [node for node in pictures if "pixelated" in node.get("style", "")]
    assert len(sharp) > 5


def test_clips_of_an_svg_lie_where_they_clip(studio: Studio) -> None:
    """Every text lies in the clip it is drawn under: Qt writes clips without their place."""
    root = ElementTree.fromstring(studio.svg())
    boxes = {node.get("id"): svgs.clip_box(node) for node in root.iter(f"{svgs.SVG}clipPath")}
    checked = 0
    for group in root.iter(f"{svgs.SVG}g"):
        clip = re.fullmatch(r"url\(#(\w+)\)", group.get("clip-path", ""))
        for text in svgs.texts(ElementTree.tostring(group, encoding="unicode")) if clip else ():
            assert boxes[clip[1]].adjusted(-1, -1, 1, 1).intersects(text.box), text.text  # type: ignore[index]
            checked += 1
    assert checked > 40


def test_the_card_lies_below_a_mark_on_paper_too(studio: Studio) -> None:
    """On the screen a mark paints the card's colour itself; what lies below it is left out there."""
    grid = PANES["grid"]
    studio.show_scene(grid.scene(grid.initial(), Selection()))
    marks = studio.findChildren(MarkView)
    mark = next(view for view in marks if getattr(view.mark, "key", "") == "lattice.ut")
    corner = mark.mapTo(studio, QPoint(2, 2))
    recorded = QPicture()  # no raster device, as paper
    drawn = QImage(studio.size(), QImage.Format.Format_RGB32)
    with QPainter(recorded) as painter:
        studio._render(painter, 1, studio.rect())
    painter = QPainter(drawn)
    recorded.play(painter)
    painter.end()
    panel = studio.theme.color("panel").name()
    assert (drawn.pixelColor(corner).name(), studio.image().pixelColor(corner).name()) == (panel, panel)


def test_a_map_in_an_svg_has_its_very_colours_and_edges(studio: Studio) -> None:
    import base64

    root = ElementTree.fromstring(studio.svg())
    href = "{http://www.w3.org/1999/xlink}href"
    maps = [node for node in root.iter(f"{svgs.SVG}image") if "pixelated" in node.get("style", "")]
    largest = max(maps, key=lambda node: float(node.get("width", "0")))
    image = QImage.fromData(base64.b64decode(largest.get(href, "").partition(",")[2]))
    assert image.width() % 12 == 0
    cell = image.width() // 12
    assert cell >= 40
    colours = {image.pixelColor(x, y).name() for x in range(cell) for y in range(cell)}
    assert len(colours) == 1  # one cell, one colour, to its edges


def test_a_pdf_has_fonts_and_no_lossy_picture(studio: Studio, tmp_path: Path) -> None:
    data = studio.pdf()
    assert data.startswith(b"%PDF-")
    assert b"Pretendard" in data
    assert b"/DCTDecode" not in data  # JPEG would give cells colours of their own
    size = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    assert size is not None
    assert float(size[1]) == pytest.approx(studio.width() * 0.75, abs=1)
    assert data.count(b"/Type /Page\n") == 1


def test_the_text_of_a_pdf_can_be_copied_numbers_and_all(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(studio.pdf())
    try:
        command = ["pdftotext", "-layout", tmp_path / "a.pdf", "-"]
        done = subprocess.run(command, capture_output=True, check=True)
    except FileNotFoundError:
        pytest.skip("pdftotext is not installed")
    text = done.stdout.decode("utf-8")
    for words in ("단계별 어텐션", "48 · 4 · 128", "53,287", "0.5474", "Where is the milk?", "t = 4"):
        assert words in re.sub(r"(?<=t) *= *(?=\d)", " = ", text), words


@pytest.mark.parametrize("scale", exports.SCALES)
def test_a_png_has_the_scale_and_says_what_it_shows(studio: Studio, scale: int) -> None:
    image = QImage.fromData(studio.png(scale))
    assert (image.width(), image.height()) == (scale * studio.width(), scale * studio.height())
    assert image.text("Software") == "Depthscope"
    assert "설명" in image.text("Description")
    assert round(image.dotsPerMeterX() * 0.0254) == 96 * scale


def test_a_figure_has_its_own_theme_whatever_the_window_has(qapp: QApplication) -> None:
    from app.qt import theme as themes

    application.make_application()
    scene = goldens.scene_at(PANES["inspector"], "last")
    pictures = []
    for around in ("light", "dark"):
        themes.apply(qapp, Theme(around))
        studio = Studio(Theme("dark"), "en", (1280, 700))
        studio.show_scene(scene, "caption")
        pictures.append(goldens.figure_text(studio.svg().decode("utf-8")))
        studio.close_down()
    assert pictures[0] == pictures[1]


def test_nothing_stays_behind_a_scroll_bar(qapp: QApplication) -> None:
    from PySide6.QtWidgets import QScrollArea

    application.make_application()
    studio = Studio(Theme("light", 1.5), "en", (800, 300))
    studio.show_scene(goldens.scene_at(PANES["inspector"], "last"))
    assert all(area.verticalScrollBar().maximum() == 0 for area in studio.findChildren(QScrollArea))
    studio.close_down()


@pytest.mark.parametrize("pane", PANES)
@pytest.mark.parametrize("kind", ["png", "svg", "pdf", "csv"])
def test_every_pane_can_be_exported(qapp: QApplication, pane: str, kind: str, tmp_path: Path) -> None:
    application.make_application()
    export = Export(Wish(kind, tmp_path / "그림", Theme("dark"), "ko", (1000, 600)))
    export.add(goldens.scene_at(PANES[pane], "last"), "caption")
    path = export.write(export.files())
    export.close()
    assert path.name == f"그림.{kind}"
    assert path.stat().st_size > 50
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_frames_of_different_heights_are_padded(qapp: QApplication) -> None:
    small, large = QImage(4, 2, QImage.Format.Format_RGB32), QImage(4, 3, QImage.Format.Format_RGB32)
    small.fill(0xFF102030)
    large.fill(0xFF405060)
    frames = writing.raw([small, large])
    assert [(wide, high, len(data)) for wide, high, data in frames] == [(4, 3, 48), (4, 3, 48)]
    assert frames[0][2] == bytes([0x10, 0x20, 0x30, 0xFF]) * 12


# ---- writing --------------------------------------------------------------------------------------------


def written(kind: str, path: Path) -> Path:
    export = Export(Wish(kind, path, Theme()))
    return export.write([b"one", b"two"] if kind == "frames" else [b"one"])


def test_a_folder_of_frames_is_whole_and_spares_what_is_there(tmp_path: Path) -> None:
    folder = written("frames", tmp_path / "film")
    assert sorted(file.name for file in folder.iterdir()) == ["step-001.png", "step-002.png"]
    with pytest.raises(UserError, match="film is there already and not empty"):
        written("frames", folder)
    (tmp_path / "empty").mkdir()
    assert written("frames", tmp_path / "empty").is_dir()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["empty", "film"]


@pytest.mark.parametrize("kind", ["png", "frames"])
def test_a_full_disk_is_one_sentence_and_leaves_nothing(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr(Path, "write_bytes", full)
    (tmp_path / "a.png").write_text("old")
    with pytest.raises(UserError, match="cannot be written: the disk is full"):
        written(kind, tmp_path / ("a" if kind == "png" else "b"))
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]
    assert (tmp_path / "a.png").read_text() == "old"


@pytest.mark.parametrize("kind", ["png", "frames"])
def test_a_folder_that_takes_nothing_is_one_sentence(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    def refused(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(tempfile, "mkstemp", refused)
    monkeypatch.setattr(tempfile, "mkdtemp", refused)
    with pytest.raises(UserError, match="writing there is not permitted"):
        written(kind, tmp_path / "a")


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="cannot be written: its folder is a file"):
        written("png", tmp_path / "file" / "a")


# ---- in the window --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session(qapp: QApplication) -> Iterator[Session]:
    with whole.session(Settings()) as found:
        whole.show(found, "inspector", "middle")
        yield found


def told(session: Session) -> str:
    return session.shell.look.text(session.store.state.notices[-1])


def done(session: Session, qtbot: QtBot) -> str:
    qtbot.waitUntil(lambda: session.shell.exporting.job is None, timeout=30_000)
    return told(session)


@pytest.mark.parametrize("kind", ["png", "svg", "pdf", "csv"])
def test_a_still_from_the_window(session: Session, tmp_path: Path, kind: str) -> None:
    session.shell.exporting.start(Choices(kind, theme="dark"), tmp_path / "one")
    assert told(session) == f"Exported: {tmp_path / 'one'}.{kind}"
    assert (tmp_path / f"one.{kind}").stat().st_size > 1000


def test_frames_show_every_step_and_the_window_goes_back(
    session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    line = session.store.line
    assert line is not None
    session.shell.exporting.start(Choices("frames", "map.card", scale=1), tmp_path / "film")
    bar = session.window.findChild(Bar)
    assert bar is not None
    assert done(session, qtbot) == f"Exported: {tmp_path / 'film'}"
    assert len(list((tmp_path / "film").iterdir())) == line.computed
    after = session.store.line
    assert after is not None
    assert after.current == line.current
    first, last = (QImage(str(tmp_path / "film" / f"step-00{k}.png")) for k in (1, 8))
    assert not first.isNull()
    assert first != last


def test_frames_wait_for_maps_that_are_still_to_come(
    session: Session, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def fetching() -> bool:
        asked.append(1)
        return len(asked) < 4

    monkeypatch.setattr(session.shell, "fetching", fetching)
    session.shell.exporting.start(Choices("frames", "map.card", scale=1), tmp_path / "film")
    done(session, qtbot)
    assert len(asked) == 3 + 8


def test_an_animation_and_its_cancelling(session: Session, tmp_path: Path, qtbot: QtBot) -> None:
    pytest.importorskip("PIL")
    session.shell.exporting.start(Choices("webp", "hops.card", scale=1), tmp_path / "a")
    assert done(session, qtbot).endswith("a.webp")
    session.shell.exporting.start(Choices("gif", "hops.card", scale=1), tmp_path / "b")
    bar = session.window.findChildren(Bar)[-1]
    bar.findChildren(QPushButton)[0].click()
    assert session.shell.exporting.job is None
    assert [file.name for file in tmp_path.iterdir()] == ["a.webp"]


def test_one_export_at_a_time(session: Session, tmp_path: Path, qtbot: QtBot) -> None:
    session.shell.exporting.start(Choices("frames", "hops.card", scale=1), tmp_path / "a")
    session.shell.exporting.ask()
    assert told(session) == "An export is still being made."
    done(session, qtbot)


def test_what_cannot_be_written_is_said(session: Session, tmp_path: Path) -> None:
    session.shell.exporting.start(Choices("png"), tmp_path / "gone" / "a.png")
    assert told(session).startswith("a.png cannot be written: its folder does not exist. ")
    session.shell.exporting.start(Choices("png"), tmp_path / "a.svg")
    assert told(session) == "a.svg is no name for PNG. Let the name end in .png."


def test_the_dialog_offers_what_there_is(session: Session, qtbot: QtBot) -> None:
    session.store.send(shortcut_map(session.shell.table)["Ctrl+Shift+E"].event)
    dialog = session.window.findChild(ExportDialog)
    assert dialog is not None
    kinds = [dialog.kind.itemData(k) for k in range(dialog.kind.count())]
    assert kinds == list(exports.KINDS)
    figures = [dialog.figure.itemData(k) for k in range(dialog.figure.count())]
    assert figures[0] == ""
    assert "map.card" in figures
    dialog.kind.setCurrentIndex(kinds.index("csv"))
    assert not dialog.scale.isEnabled()
    dialog.kind.setCurrentIndex(kinds.index("frames"))
    assert dialog.note.text() == "8 steps will be exported."
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.chosen.disconnect(session.shell.exporting.ask_where)
        dialog.go.click()
    assert chosen.args == [Choices("frames")]


def test_the_dialog_says_what_is_missing(
    session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(animation, "find_spec", lambda name: None)
    dialog = ExportDialog([exports.Figure("", "all")], 5, Choices("webp"), session.shell.look)
    qtbot.addWidget(dialog)
    assert "Pillow" in dialog.note.text()
    assert not dialog.go.isEnabled()


def test_the_file_dialog_starts_with_a_name(session: Session) -> None:
    dialog = session.shell.exporting.ask_where(Choices("svg"))
    assert dialog is not None
    assert Path(dialog.selectedFiles()[0]).name == "babi-ut-act-inspector-step4.svg"
    dialog.reject()


def test_a_picture_and_a_link_go_to_the_clipboard_and_back(session: Session) -> None:
    session.store.dispatch("shell.copy_picture")
    image = QApplication.clipboard().image()
    assert image.width() > 2000
    session.store.dispatch("shell.copy_view")
    link = QApplication.clipboard().text()
    assert link == "inspector?step=4"
    session.store.dispatch("transport.seek", 7)
    session.store.dispatch("shell.paste_view")
    assert session.store.line is not None
    assert session.store.line.current == 4


def test_without_a_run_that_is_said(qapp: QApplication, tmp_path: Path) -> None:
    with whole.session(Settings(language="ko")) as session:
        session.store.dispatch("shell.workspace", "inspector")
        session.shell.exporting.start(Choices("webp"), tmp_path / "a")
        assert told(session) == "아직 내보낼 단계가 없습니다. 먼저 모델을 실행하거나 실행 기록을 여세요."
        assert list(tmp_path.iterdir()) == []


def test_every_format_has_a_name_in_every_language() -> None:
    from app.qt.export_dialog import FORMATS

    assert FORMATS.keys() == exports.KINDS.keys()
    assert all(Translator(language).text(text) for language in LANGUAGES for text in FORMATS.values())

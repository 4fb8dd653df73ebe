"""`depthscope export`: a recorded run becomes figures, numbers and moving pictures; nothing else is left."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.panes import made

Cli = Callable[..., Any]
ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "실행.trace.safetensors"
    made.run().save(path)
    return path


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("kind", "first"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF-")])
def test_stills(cli: Cli, run_file: Path, tmp_path: Path, kind: str, first: bytes) -> None:
    done = cli(
        "export", run_file, "--as", kind, "--size", "1000x640", "--step", 3, "-o", tmp_path / "a", "--json"
    )
    assert (done.code, done.err) == (0, "")
    document = done.document
    assert document["path"] == str(tmp_path / f"a.{kind}")
    assert (document["as"], document["pane"], document["steps"]) == (kind, "inspector", [3])
    assert Path(document["path"]).read_bytes().startswith(first)
    assert [file.name for file in tmp_path.iterdir()] == [f"a.{kind}"]


@pytest.mark.usefixtures("qapp")
def test_scale_language_theme_figure_and_caption(cli: Cli, run_file: Path, tmp_path: Path) -> None:
    from PySide6.QtGui import QImage

    options = ("--figure", "map", "--size", "600x480", "--lang", "ko", "--theme", "dark")
    cli("export", run_file, "--as", "png", *options, "--scale", 3, "-o", tmp_path / "a.png")
    image = QImage(str(tmp_path / "a.png"))
    assert (image.width(), image.height()) == (1800, 1440)
    assert image.pixelColor(2, 2).name() == "#1e1f22"
    cli("export", run_file, "--as", "svg", *options, "-o", tmp_path / "a.svg")
    with_caption = (tmp_path / "a.svg").read_text("utf-8")
    assert "babi-ut-act · bAbI 1–3 · 8단계 중 8단계" in with_caption
    cli("export", run_file, "--as", "svg", *options, "--no-caption", "-o", tmp_path / "b.svg")
    assert "babi-ut-act" not in (tmp_path / "b.svg").read_text("utf-8")


def test_numbers_need_no_window(cli: Cli, run_file: Path, tmp_path: Path) -> None:
    done = cli("export", run_file, "--as", "csv", "--figure", "sharpening", "-o", tmp_path / "a.csv")
    assert (done.code, done.out) == (0, f"{tmp_path / 'a.csv'}\n")
    rows = list(csv.reader(io.StringIO((tmp_path / "a.csv").read_text("utf-8-sig"))))
    assert rows[0] == ["step", "mean", "Where milk?"]
    assert len(rows) == 9
    assert float(rows[1][1]) == pytest.approx(0.9956, abs=1e-4)


def test_a_view_chooses_the_head(cli: Cli, run_file: Path, tmp_path: Path) -> None:
    files = []
    for view in ("inspector?head=1", "inspector?head=2&open=/nowhere&run=1"):
        files.append(tmp_path / f"{len(files)}.csv")
        cli("export", run_file, "--as", "csv", "--figure", "map", "--view", view, "-o", files[-1])
    assert files[0].read_bytes() != files[1].read_bytes()


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("kind", ["webp", "gif"])
def test_moving_pictures(cli: Cli, run_file: Path, tmp_path: Path, kind: str) -> None:
    image = pytest.importorskip("PIL.Image")
    options = ("--figure", "hops", "--size", "320x300")
    done = cli("export", run_file, "--as", kind, *options, "-o", tmp_path / "a", "--json")
    assert done.document["steps"] == list(range(1, 9))
    with image.open(tmp_path / f"a.{kind}") as film:
        assert film.n_frames == 8
        assert list(film.size) == done.document["size"]


@pytest.mark.usefixtures("qapp")
def test_a_folder_of_frames(cli: Cli, run_file: Path, tmp_path: Path) -> None:
    options = ("--figure", "hops", "--size", "320x300")
    assert cli("export", run_file, "--as", "frames", *options, "-o", tmp_path / "film").code == 0
    assert len(list((tmp_path / "film").iterdir())) == 8
    again = cli("export", run_file, "--as", "frames", *options, "-o", tmp_path / "film")
    assert (again.code, "not empty" in again.err) == (2, True)


def test_what_a_view_has_measured_is_measured(cli: Cli, tmp_path: Path) -> None:
    """Never a picture of a figure that is still waited for."""
    story = ("--pane", "ponder", "--view", "ponder?look=story&sample=1")
    done = cli("export", *story, "--as", "csv", "--figure", "does", "-o", tmp_path / "a.csv")
    assert (done.code, done.err) == (0, "")
    rows = list(csv.reader(io.StringIO((tmp_path / "a.csv").read_text("utf-8-sig"))))
    assert rows[0][0] == "fact"
    assert all(-1 <= float(cell) <= 1 for row in rows[1:] for cell in row[1:])
    wrong = ("--pane", "ponder", "--view", "ponder?look=story&text=no story", "--as", "png")
    done = cli("export", *wrong, "-o", tmp_path / "b.png")
    assert (done.code, "the story does not end in a question" in done.err) == (2, True)


def test_what_comes_by_and_by_is_waited_for(cli: Cli, tmp_path: Path) -> None:
    """The figure that shows why an answer is right, not the place for it."""
    view = ("--pane", "quiz", "--view", "quiz?question=base&answer=63.1 M", "--as", "csv")
    done = cli("export", *view, "-o", tmp_path / "a.csv")
    assert (done.code, done.err) == (0, "")
    assert "attention,18874368" in (tmp_path / "a.csv").read_text("utf-8-sig")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--as", "png", "-o", "a.svg"), "a.svg is no name for PNG; let the name end in .png"),
        (("--as", "csv", "-o", "a", "--step", "9"), "there is no step 9; choose one from 1 to 8"),
        (("--as", "csv", "-o", "a", "--figure", "x"), "there is no figure x in this pane; choose one of"),
        (("--as", "csv", "-o", "a", "--pane", "x"), "there is no pane 'x'; choose one of"),
        (("--as", "csv", "-o", "a", "--view", "act?step=2"), "the view is one of the pane 'act'"),
        (("--as", "csv", "-o", "gone/a"), "its folder does not exist"),
        (("--as", "bmp", "-o", "a"), "invalid choice"),
        (("--as", "png", "-o", "a", "--scale", "5"), "5 is not from 1 to 4"),
        (("--as", "png", "-o", "a", "--size", "10x10"), "no size WxH"),
        (("--as", "png"), "required: -o"),
    ],
)
def test_what_is_wrong_is_one_line(
    cli: Cli,
    run_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli("export", run_file, *options)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert words in done.err
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_run_is_said(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.trace.safetensors").write_bytes(b"nothing")
    for name in ("x.trace.safetensors", "gone.trace.safetensors"):
        done = cli("export", tmp_path / name, "--as", "png", "-o", tmp_path / "a")
        assert (done.code, len(done.err.splitlines())) == (2, 1)


def test_missing_helpers_are_said_before_anything_is_read(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = cli("export", "gone.trace.safetensors", "--as", "mp4", "-o", tmp_path / "a")
    assert "MP4 films need the program ffmpeg, which was not found; install ffmpeg" in done.err


def test_a_process_of_its_own_is_quiet_and_without_torch(run_file: Path, tmp_path: Path) -> None:
    code = (
        "import json, sys\n"
        "from app.cli import main\n"
        f"code = main(['export', {str(run_file)!r}, '--as', 'svg', '-o', {str(tmp_path / 'a')!r}])\n"
        "print(json.dumps([code, 'torch' in sys.modules]))\n"
    )
    env = {**os.environ, "QT_QPA_PLATFORM": "xcb", "DISPLAY": ""}  # a machine without a display
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.stderr == ""
    assert json.loads(done.stdout.splitlines()[-1]) == [0, False]
    assert (tmp_path / "a.svg").is_file()

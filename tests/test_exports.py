"""What can be exported: figures, names, captions, numbers as CSV, moving pictures and who makes them."""

from __future__ import annotations

import csv
import io
import math
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from app import animation, exports
from app.messages import Translator, msg
from app.pane import Event, Selection, all_panes
from app.render.csv import tables, to_csv
from app.scene import Axis, Card, Curve, Heatmap, Prose, Row, Scene, Series, Span, Table, marks
from app.state import Opened
from app.timeline import Timeline
from app.trouble import sentence
from tests.panes import made
from ut_engine.errors import UserError
from ut_engine.faults import fault_names

PANES = all_panes()
ENGLISH, KOREAN = Translator("en"), Translator("ko")
RUN = Opened("babi-ut-act", "cpu", recorded=True)


def opened(step: int = 4) -> object:
    pane = PANES["inspector"]
    state, _ = pane.update(pane.initial(), Event("open.run", made.run()))
    return exports.at_step(pane, state, step)


def scene(step: int = 4) -> Scene:
    return PANES["inspector"].scene(opened(step), Selection(step=step))


# ---- figures and names ----------------------------------------------------------------------------------


def test_every_card_with_numbers_is_a_figure_of_its_own() -> None:
    keys = [figure.key for figure in exports.figures(scene())]
    assert keys[0] == ""
    assert {"film.card", "map.card", "sharpening.card"} <= set(keys)
    one = exports.only(scene(), "map")
    assert isinstance(one.root, Card)
    assert (one.root.key, one.root.tools) == ("map.card", ())
    assert exports.only(scene(), "").root is not one.root
    with pytest.raises(UserError, match="no figure input in this pane"):
        exports.only(scene(), "input")


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("a", "png", "a.png"), ("a.png", "png", "a.png"), ("a.PNG", "png", "a.PNG"),
        ("a.b", "svg", "a.b.svg"),
        ("그림", "pdf", "그림.pdf"), ("film", "frames", "film"), ("v1.2", "frames", "v1.2"),
    ],
)  # fmt: skip
def test_the_suffix_is_filled_in(name: str, kind: str, expected: str) -> None:
    assert exports.named(Path(name), kind) == Path(expected)


@pytest.mark.parametrize(("name", "kind"), [("a.svg", "png"), ("a.gif", "webp"), ("a.png", "frames")])
def test_another_formats_suffix_is_refused(name: str, kind: str) -> None:
    with pytest.raises(UserError, match="is no name for"):
        exports.named(Path(name), kind)


def test_a_name_to_start_from() -> None:
    assert exports.stem(Opened("models/작은 모형"), "inspector", 3) == "작은-모형-inspector-step3"
    assert exports.stem(Opened(), "act", 0) == "act"


def test_the_caption_says_model_step_head_scale_and_source() -> None:
    pane, state = PANES["inspector"], opened()
    said = ENGLISH.text(exports.caption(pane, state, RUN, pane.timeline(state)))
    for part in ("babi-ut-act", "step 4 of 8", "mean of 4 heads", "fixed scale from 0 to 1", "recorded run"):
        assert part in said
    assert "8단계 중 4단계" in KOREAN.text(exports.caption(pane, state, RUN, pane.timeline(state)))


@pytest.mark.parametrize("pane", PANES.values(), ids=PANES)
def test_every_pane_has_a_caption(pane: object) -> None:
    state = pane.initial()  # type: ignore[attr-defined]
    said = exports.caption(pane, state, Opened(), pane.timeline(state))  # type: ignore[arg-type,attr-defined]
    assert ENGLISH.text(said).endswith("Depthscope")


def test_a_caption_names_the_model_only_where_it_is_shown() -> None:
    pane, state = PANES["inspector"], opened()
    live = exports.caption(pane, state, Opened("m", "cuda"), pane.timeline(state))
    assert ENGLISH.text(live).startswith("m · ")
    assert "live run on cuda" in ENGLISH.text(live)
    nothing = exports.caption(pane, pane.initial(), Opened("m", "cuda"), None)
    assert ENGLISH.text(nothing) == "Inspector · Depthscope"


def test_a_caption_of_the_debugger_says_source_rules_changes_and_place() -> None:
    pane = PANES["act"]
    state = pane.initial()
    said = ENGLISH.text(exports.caption(pane, state, Opened("babi", "cpu"), pane.timeline(state)))
    assert said == (
        "ACT debugger · sentence: one halts at once · Listing 2 · ε = 0.01, at most 12 steps"
        " · step 3, line 5 of 9 · pinned: 9 john · Depthscope"
    )
    state, _ = pane.update(state, Event("control.state", "frozen"))
    state, _ = pane.update(state, Event("edit.p.8", 0.9))
    said = ENGLISH.text(exports.caption(pane, state, Opened(), pane.timeline(state)))
    assert "halted states frozen" in said
    assert "0.9" in said
    state, _ = pane.update(pane.initial(), Event("hunt.fault", fault_names()[0]))
    assert "fault" in ENGLISH.text(exports.caption(pane, state, Opened(), pane.timeline(state)))


def test_places_in_lines_and_paces() -> None:
    assert ENGLISH.text(exports.place(Timeline(12, 54, 54, group=9))) == "step 2, line 3 of 9"
    assert exports.pace_of(Timeline(1, 8, 8, speed=2.0, ms=600)) == 300
    assert exports.pace_of(None) == 600


def test_steps_that_are_not_there() -> None:
    pane = PANES["inspector"]
    with pytest.raises(UserError, match="no steps to export yet"):
        exports.steps_of(pane.timeline(pane.initial()))
    with pytest.raises(UserError, match="no steps"):
        exports.at_step(pane, pane.initial(), 1)
    with pytest.raises(UserError, match="no step 9"):
        exports.at_step(pane, opened(), 9)
    assert exports.steps_of(pane.timeline(opened())) == tuple(range(1, 9))


def test_what_would_not_fit_into_memory_is_refused() -> None:
    exports.check_room((1280, 800), 4, 1)
    with pytest.raises(UserError, match="too large"):
        exports.check_room((8000, 8000), 4, 1)
    with pytest.raises(UserError, match=r"900 frames of this size would take 13\.7 GiB"):
        exports.check_room((1280, 800), 2, 900)


def test_an_error_speaks_both_languages() -> None:
    with pytest.raises(UserError) as caught:
        exports.steps_of(None)
    assert str(caught.value.what) == "there are no steps to export yet"
    assert KOREAN.text(sentence(caught.value)) == (
        "아직 내보낼 단계가 없습니다. 먼저 모델을 실행하거나 실행 기록을 여세요."
    )
    full = UserError("a.png cannot be written: the disk is full", "free some space or choose another folder")
    assert KOREAN.text(sentence(full)).startswith("저장할 수 없습니다: a.png (디스크가 가득 참)")


# ---- numbers --------------------------------------------------------------------------------------------


def read(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))


def test_one_figure_is_a_plain_table_with_the_very_numbers() -> None:
    one = exports.only(scene(), "map.card")
    rows = read(to_csv(one, ENGLISH))
    values = next(mark.values for mark in marks(one) if isinstance(mark, Heatmap))
    assert values is not None
    assert rows[0][0] == "position"
    assert rows[0][1] == "12 Sandra went back to the bedroom."
    got = np.array([[float(cell) for cell in row[1:13]] for row in rows[1:]])
    assert got == pytest.approx(values, rel=1e-8)


def test_a_whole_pane_is_table_after_table_under_their_titles() -> None:
    rows = read(to_csv(scene(), KOREAN))
    titles = [row[0] for k, row in enumerate(rows) if len(row) == 1]
    assert [title for title in titles if title.startswith(("날카로워짐", "수렴"))]
    assert len(titles) == len(tables(scene()))
    assert to_csv(scene(), KOREAN).startswith(b"\xef\xbb\xbf")


def test_undefined_numbers_are_empty_and_formulas_harmless() -> None:
    axis = Axis("key", ("=1+1", "-0.5", "b"))
    values = np.array([[math.nan, 0.25, -math.inf], [math.nan, 0.25, 1.0]], np.float32)
    heat = Heatmap("h", values, Axis("query", ("@x", "gone")), axis, absent=(False, True))
    rows = read(to_csv(Scene(heat, "t", "alt"), ENGLISH))
    assert rows == [["query", "'=1+1", "-0.5", "b"], ["'@x", "NaN", "0.25", "-inf"], ["gone", "", "", ""]]
    assert not to_csv(Scene(heat, "t", "alt"), ENGLISH).startswith(b"\xef\xbb\xbf")


def test_bytes_of_a_map_come_out_on_its_scale() -> None:
    axis = Axis("key", ("a", "b"))
    heat = Heatmap("h", np.array([[0, 255]], np.uint8), Axis("query", ("x",)), axis, low=-1.0, high=1.0)
    assert read(to_csv(Scene(heat, "t", "alt"), ENGLISH))[1] == ["x", "-1", "1"]


def test_rows_shorter_than_the_title_are_filled_up() -> None:
    table = Table("t", (("a",), ("b", 2.0)), (msg("name"), msg("value")))
    curve = Curve("c", (Series("s", (0.5,)),), 1, (0, 1), 1, "step", "y")
    rows = read(to_csv(Scene(Row("r", (table, curve)), "T", "alt"), ENGLISH))
    assert rows == [["T"], ["name", "value"], ["a", ""], ["b", "2"], [], ["T"], ["step", "s"], ["1", "0.5"]]


def test_without_numbers_that_is_said() -> None:
    prose = Scene(Prose("p", ((Span("only words"),),)), "t", "alt")
    with pytest.raises(UserError, match="no numbers here yet"):
        to_csv(prose, ENGLISH)


# ---- moving pictures ------------------------------------------------------------------------------------


def frames(count: int = 3) -> list[animation.Frame]:
    return [(20, 10, bytes([40 * k, 90, 200, 255]) * 200) for k in range(count)]


@pytest.mark.parametrize("kind", ["webp", "gif"])
def test_moving_pictures_have_every_frame_and_its_time(kind: str) -> None:
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(animation.encoded(kind, frames(), 500)))
    assert (image.size, image.n_frames, image.info.get("loop")) == ((20, 10), 3, 0)
    times, colours = [], []
    for k in range(3):
        image.seek(k)
        image.load()
        times.append(image.info["duration"])
        colours.append(image.convert("RGB").getpixel((5, 5)))
    assert times == [500, 500, 1250]
    assert colours == [(0, 90, 200), (40, 90, 200), (80, 90, 200)]


def test_without_pillow_or_ffmpeg_the_way_to_them_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(animation, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="Pillow") as caught:
        animation.check("webp")
    assert "depthscope[animation]" in caught.value.do
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="ffmpeg, which was not found"):
        animation.check("mp4")
    animation.check("frames")


FAKE = """#!{python}
import json, sys
data = sys.stdin.buffer.read()
if {fail}:
    sys.exit("no such codec")
open(sys.argv[-1], "w").write(json.dumps([len(data), sys.argv[1:-1]]))
"""


@pytest.fixture
def ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of that name that writes down what it was given."""
    if sys.platform == "win32":
        pytest.skip("a script is no program there")
    file = tmp_path / "bin" / "ffmpeg"
    file.parent.mkdir()
    file.write_text(FAKE.format(python=sys.executable, fail=False), "utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(file.parent))
    return file


def test_a_film_is_made_by_the_users_own_ffmpeg(ffmpeg: Path) -> None:
    import json

    size, options = json.loads(animation.encoded("mp4", frames(), 500))
    assert size == 4 * 20 * 10 * 4  # three frames, the last one twice
    assert options[options.index("-s") + 1] == "20x10"
    assert options[options.index("-r") + 1] == "2.0000"


def test_what_ffmpeg_complains_of_is_passed_on(ffmpeg: Path) -> None:
    ffmpeg.write_text(FAKE.format(python=sys.executable, fail=True), "utf-8")
    with pytest.raises(UserError, match="could not make the film: no such codec"):
        animation.encoded("mp4", frames(), 500)

"""What is measured on a model whose states overflow: NaN and infinity are no figures on any pane."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.messages import Translator
from app.pane import Event, Selection
from app.panes import _block_state as block_state
from app.panes import _ponder_state as ponder_state
from app.panes import block, coords, grid, ponder, results, scan
from app.panes._block_side import short
from app.render.text import to_text
from app.scene import Plot, marks
from tests.test_breakdown import STORY, overflowing, run_of
from ut_engine.family import load
from ut_engine.torch import eval_run
from ut_engine.torch.measures import block as block_measure
from ut_engine.torch.measures import coords as coords_measure
from ut_engine.torch.measures import grid as grid_measure
from ut_engine.torch.measures import scan as scan_measure

BITS = "0110110010"
FIGURE = re.compile(r"(?<![A-Za-z(])[-−+]?(nan|inf|NaN|Infinity)(?![A-Za-z)])")
LANGUAGES = ("en", "ko")


def silent(done: int, total: int) -> None:
    pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    kept: dict[str, Path] = {}

    def path(name: str) -> str:
        if name not in kept:
            kept[name] = overflowing(name, tmp_path_factory.mktemp("broken") / name, 2e38)
        return str(kept[name])

    return path


def after(pane: Any, state: Any, *events: tuple[str, Any] | str) -> Any:
    for event in events:
        name, value = (event, None) if isinstance(event, str) else event
        state, _ = pane.update(state, Event(name, value))
    return state


def mark(pane: Any, state: Any, key: str) -> Any:
    return next(one for one in marks(pane.scene(state, Selection())) if one.key == key)


def text(pane: Any, state: Any, language: str = "en") -> str:
    """Everything a pane says; what is a figure and is none fails here."""
    said = to_text(pane.scene(state, Selection()), Translator(language), 400)
    words = said.replace("NaN or infinity", "").replace("NaN 또는 무한대", "")
    assert FIGURE.findall(words) == []
    return said


def flat(said: str) -> str:
    return " ".join(said.split())


@pytest.mark.parametrize(
    ("name", "story", "broken", "words"),
    [
        ("babi", STORY, 2, "it is added to 18.3. After step 2 the states are no numbers any more"),
        ("parity-ut", "1011", 1, "No numbers (NaN or infinity) after step 1."),
    ],
)
def test_coords(folder: Callable[[str], str], name: str, story: str, broken: int, words: str) -> None:
    found = coords_measure.measure({"checkpoint": folder(name), "text": story}, silent)
    state = after(
        coords,
        coords.initial(),
        ("control.source", "own"),
        "own.measure",
        ("measure.done", {"key": "coords.own", "value": found}),
    )
    plot = mark(coords, state, "beside")
    assert isinstance(plot, Plot)
    drawn = np.asarray(plot.lines[0].y, float)
    assert np.isfinite(plot.y.high)
    assert np.isfinite(drawn[:broken]).all()
    assert np.isnan(drawn[broken:]).all()
    assert words in flat(text(coords, state))
    assert f"{broken}단계 뒤" in text(coords, state, "ko")


def test_a_signal_of_no_numbers_is_drawn() -> None:
    """A learned table read from a file may hold anything."""
    rows = [[0.0, float("nan"), 1.0, 1.0], [float("inf"), 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]]
    value = {
        "name": "x", "signal": "learned", "architecture": "universal", "bias": "none", "repeat": False,
        "d_model": 4, "positions": 3, "steps": 2, "labels": ["a", "b", "c"], "text": "abc",
        "position": rows, "step": [[0.0] * 4] * 2, "p": [float("nan")] * 2, "h": [10.0, float("nan")],
        "not_finite_from": 1,
    }  # fmt: skip
    state = after(
        coords,
        coords.initial(),
        "own.measure",
        ("measure.done", {"key": "coords.own", "value": value}),
        ("control.source", "own"),
    )
    found = mark(coords, state, "signal")
    assert np.argwhere(~np.isfinite(found.values)).tolist() == [[0, 1], [1, 0]]
    assert (found.low, found.high) == (-1.0, 1.0)
    said = to_text(coords.scene(state, Selection()), Translator("en"), 400)
    assert "are no numbers (NaN or infinity) from step 1 on" in flat(said)
    dots = after(coords, state, ("control.picture", "dots"))
    assert to_text(coords.scene(dots, Selection(hovered=0, hovered_key=1)), Translator("en"), 60)


@pytest.mark.parametrize("language", LANGUAGES)
def test_block(folder: Callable[[str], str], language: str) -> None:
    found = block_measure.measure({"checkpoint": folder("parity-ut"), "text": "1011"}, silent)
    state = after(
        block,
        block.initial(),
        ("look", "ut.h"),
        "values.measure",
        ("measure.done", {"key": block_state.KEY, "value": found}),
    )
    said = text(block, state, language)
    assert ("No numbers (NaN or infinity) from step 2 on." if language == "en" else "2단계부터") in flat(said)
    assert [short(value) for value in (float("nan"), float("inf"), -1.5)] == ["–", "–", "−1.50"]


@pytest.mark.parametrize("colour", ["update", "cosine"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_grid(folder: Callable[[str], str], colour: str, language: str) -> None:
    names = ("parity-act", "parity-ut", "parity-transformer", "parity-lstm")
    paths = [str(Path("resources/checkpoints") / name) for name in names]
    sound = grid_measure.measure({"checkpoints": paths, "text": BITS, "steps": None}, silent)["grids"]
    bad = grid_measure.measure({"checkpoints": [folder("parity-act")], "text": BITS, "steps": None}, silent)
    by_model = {one["model"]: one for one in [*sound, *bad["grids"]]}
    value = {"text": BITS, "grids": list(by_model.values())}
    state = after(
        grid,
        grid.initial(),
        ("grid.source", "four"),
        ("measure.done", {"key": "grid.four", "value": value}),
        ("grid.colour", colour),
        ("grid.cell.act", (2, 3)),
    )
    act, ut = mark(grid, state, "lattice.act"), mark(grid, state, "lattice.ut")
    assert np.isnan(act.shades[1:]).all()
    assert np.isfinite(ut.shades).all()
    wrong = {Translator("en").text(act.kinds[tone].name) for tone in act.tones[1, 1:].tolist()}
    assert wrong == {"wrong if stopped here"}  # no number is no answer
    said = to_text(grid.scene(state, Selection()), Translator(language), 400)
    assert FIGURE.findall(said.replace("(NaN or infinity)", "").replace("(NaN 또는 무한대)", "")) in (
        [],
        ["NaN"] * (act.shades[1:].size),
    )
    assert ("are no numbers" if language == "en" else "수가 아님") in said


def test_grid_of_an_open_run(folder: Callable[[str], str]) -> None:
    run = run_of(Path(folder("parity-act")), "1011")
    state = after(grid, grid.initial(), ("open.run", run), ("grid.source", "open"))
    found = mark(grid, state, "lattice.act")
    assert np.isnan(found.shades[1:]).all()


@pytest.mark.parametrize("language", LANGUAGES)
def test_scan(folder: Callable[[str], str], language: str) -> None:
    state = after(scan, scan.initial(), ("control.kind", "learned"))
    args = {"bits": "1" * 8, "seed": 1, "checkpoints": {"parity-ut": folder("parity-ut")}}
    value = scan_measure.measure(args, silent)
    state = after(scan, state, "learned.again", ("measure.done", {"key": "scan.learned", "value": value}))
    text(scan, state, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_ponder_and_results(
    folder: Callable[[str], str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eval_run, "STORIES", 6)
    report = eval_run.evaluate_checkpoint(load(folder("babi")))
    for task in report["per_task"]:
        task.update(rho_mean=float("nan"), question_rho_std=float("inf"))  # as a remainder of NaN makes it
    value = {**report, "checkpoint": folder("babi"), "name": "babi"}
    state = after(ponder, ponder.initial(), ("ponder.recompute", ponder_state.REPORT))
    state = after(ponder, state, ("measure.done", {"key": ponder_state.REPORT, "value": value}))
    said = flat(text(ponder, state, language))
    assert ("count as wrong" if language == "en" else "오답으로 셉니다") in said
    beside = after(results, results.initial(), ("results.table", "ponder"))
    beside = after(results, beside, ("measure.done", {"key": ponder_state.REPORT, "value": value}))
    text(results, beside, language)

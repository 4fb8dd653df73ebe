"""The example notebook runs from its first cell to its last; records show themselves as HTML."""

from __future__ import annotations

import ast
import html.parser
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ut_engine
from ut_engine.html import MOST_POSITIONS
from ut_engine.records import Address, Attention, Halting, StepRecord
from ut_engine.run import Run, RunInfo

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "resources" / "notebooks").glob("*.ipynb"))
VOID = {"rect", "br"}


class Balanced(html.parser.HTMLParser):
    """Fails on a tag that is closed without being open; `open_` must be empty in the end."""

    def __init__(self) -> None:
        super().__init__()
        self.open_: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open_.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """<rect/> opens nothing."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open_.pop() == tag


def checked(text: str) -> str:
    """The HTML of a notebook cell, its tags in order and closed."""
    parser = Balanced()
    parser.feed(text)
    assert not parser.open_
    return text


def execute(path: Path) -> list[Any]:
    """Run a notebook's cells in one namespace; the value of every cell's last expression."""
    names: dict[str, Any] = {}
    values = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), path.name, "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
        values.append(value)
    return values


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_and_carry_no_outputs(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert all(not cell.get("outputs") for cell in document["cells"])
    shown = [value for value in execute(path) if hasattr(value, "_repr_html_")]
    assert shown
    for value in shown:
        checked(value._repr_html_())


def test_what_the_notebook_says_is_so() -> None:
    values = execute(ROOT / "resources" / "notebooks" / "engine.ipynb")
    names, record, reads, run, again, updates, frontier, counted = values
    assert {"scan", "parity-ut", "parity-act"} <= set(names)
    assert record.step == 1
    np.testing.assert_array_equal(reads, [0, 1, 0, 1, 2, 3, 4, 5])
    assert run.info.finished == "done"
    assert again[1] == list("1001110100")
    assert updates[-1] > updates[1] + 3
    trained, by_hand = frontier
    assert trained[-1] == by_hand[5] == 40
    assert trained[9] < 40
    assert counted[0] == run.info.parameters


def record_of(positions: int, label: str = "x") -> StepRecord:
    ones = np.ones((1, positions), dtype=bool)
    weights = np.full((1, 2, positions, positions), 1.0 / positions)
    values = np.full((1, positions), 0.5)
    return StepRecord(
        Address(2),
        ones,
        ones,
        attention=(Attention("self", weights),),
        halting=Halting("act", values, ones, ~ones, cumulative=values),
        readout=np.zeros((1, positions, 3)),
        update_norm=values,
    )


def test_a_record_shows_maps_bars_and_choices() -> None:
    shown = checked(record_of(5)._repr_html_())
    assert shown.count("<svg") == 3
    assert shown.count("<rect") == 2 * 25 + 5
    assert "Step 2" in shown
    assert "0.5" in shown
    large = checked(record_of(MOST_POSITIONS + 1)._repr_html_())
    assert "<svg" not in large
    assert "too large" in large


def test_a_run_escapes_what_came_from_a_file() -> None:
    info = RunInfo("f", "<script>", {}, 7, ("<b>", "&"), ((1, 2),), answers=("<i>",), expected="<u>")
    shown = checked(Run(info, (record_of(2),))._repr_html_())
    for raw in ("<script>", "<b>", "<i>", "<u>"):
        assert raw not in shown
    assert "&lt;script&gt;" in shown
    assert "2 running" in shown


def test_record_is_a_whole_run(tmp_path: Path) -> None:
    """Ids and text give the same; an input of the engine's own kind is taken as it is."""
    from ut_engine.prepare import Input
    from ut_engine.torch.handset import save_scan

    save_scan(tmp_path / "scan")
    loaded = ut_engine.load(tmp_path / "scan")
    runs = [ut_engine.record(loaded, given, 3) for given in ("101", [2, 1, 2], Input(text="101"))]
    assert [len(run.records) for run in runs] == [3, 3, 3]
    for run in runs[1:]:
        last, other = run.records[-1].readout, runs[0].records[-1].readout
        assert last is not None
        assert other is not None
        np.testing.assert_array_equal(last, other)

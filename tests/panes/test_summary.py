"""The one-page summary: its numbers are the engine's, the cards' and the paper's; it fits one sheet."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app import exports, view
from app.messages import LANGUAGES, Translator
from app.pane import Effect, Event, Selection, all_panes
from app.panes import _summary, _summary_words
from app.panes._summary_figures import FIGURES
from app.qt import application
from app.qt.export import Export, Wish
from app.qt.theme import Theme
from app.scene import Card, Plot, walk
from app.state import Opened

PANE = all_panes()["summary"]
NUMBERS = {
    "grid": "6 → 1",
    "block": "3,152,384",
    "cost": "1.067 × / 4 ×",
    "coords": "24.1 … 32",
    "scan": "168",
    "act": "1 … 6",
    "ponder": "4.0 · 5.8 · 7.9",
    "results": "0.53 → 0.91",
    "lineage": "9.4 ×",
    "inspector": "0.71 → 0.22",
}


def test_the_numbers_of_the_chapters() -> None:
    assert {chapter.key: chapter.number()[0] for chapter in _summary_words.CHAPTERS} == NUMBERS


@pytest.mark.parametrize(("width", "across"), [(1440, 5), (1280, 5), (1100, 2), (794, 2), (640, 1)])
def test_tiles_fill_their_rows(width: int, across: int) -> None:
    state, _ = PANE.update(PANE.initial(), Event("view.width", width))
    scene = PANE.scene(state, Selection())
    rows = [node for node in walk(scene.root) if node.key.startswith("row.")]
    assert [len(row.children) for row in rows] == [across] * (10 // across)  # type: ignore[union-attr]


def test_a_tile_opens_its_chapter() -> None:
    panes = all_panes()
    scene = PANE.scene(PANE.initial(), Selection())
    opens: list[Any] = [
        tool.value for card in walk(scene.root) if isinstance(card, Card) for tool in card.tools
    ]  # type: ignore[union-attr]
    assert len(opens) == 10
    for text in opens:
        name, values = view.from_text(text)
        assert panes[name].from_view(panes[name].initial(), values)
        assert PANE.update(PANE.initial(), Event("chapter.open", text))[1] == (Effect("open.view", text),)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_prints_to_one_a4_sheet(language: str, qapp: QApplication, tmp_path: Path) -> None:
    application.make_application()
    state, _ = PANE.update(PANE.initial(), Event("view.width", exports.PAPER_SIZE[0]))
    wish = Wish(
        "pdf", tmp_path / "a.pdf", Theme(), language, exports.PAPER_SIZE, paper=exports.paper_of(PANE)
    )
    export = Export(wish)
    export.add(PANE.scene(state, Selection()), exports.caption(PANE, state, Opened(), None))
    data = b"".join(export.files())
    width, height = export.size
    export.close()
    assert data.count(b"/Type /Page\n") == 1
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    assert box is not None
    assert [float(side) for side in box.groups()] == pytest.approx([595.28, 841.89], abs=1)
    assert exports.PAPER_SIZE[1] / height > 0.75, "at less than three quarters it could not be read"
    assert width <= 1.2 * exports.PAPER_SIZE[0]
    assert Translator(language).text(_summary.TITLE)


def test_every_step_of_the_entropy_has_its_place() -> None:
    plot = FIGURES["inspector"]()
    assert isinstance(plot, Plot)
    assert plot.x.high == max(len(line.x) for line in plot.lines)

"""On paper: the summary on one A4 sheet, the article on several, cut between its parts."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app import exports
from app.messages import LANGUAGES, Text
from app.pages import pages
from app.pane import Event, Selection, all_panes
from app.panes import _read_text as text
from app.qt import application
from app.qt import studio as studios
from app.qt.boxes import BoxNode
from app.qt.studio import Studio, parts_of
from app.qt.theme import Theme
from app.scene import Scene

BOX = re.compile(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]")


def printed(name: str) -> tuple[Scene, Text]:
    pane = all_panes()[name]
    assert exports.paper_of(pane)
    state = exports.whole_of(pane, pane.initial())
    state = pane.update(state, Event("view.width", exports.PAPER_SIZE[0]))[0]
    return pane.scene(state, Selection()), exports.caption(pane, state, exports.Opened(), None)


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def article(qapp: QApplication, language: str) -> Iterator[Studio]:
    application.make_application()
    made = Studio(Theme("light", paper=True), language, exports.PAPER_SIZE)
    made.show_scene(*printed("read"))
    yield made
    made.close_down()


def sheets(data: bytes) -> list[tuple[float, float]]:
    return [(float(wide), float(high)) for wide, high in BOX.findall(data)]


def test_the_summary_is_one_sheet(qapp: QApplication, language: str) -> None:
    made = Studio(Theme("light", paper=True), language, exports.PAPER_SIZE)
    made.show_scene(*printed("summary"))
    assert sheets(made.pdf(paper=True)) == [pytest.approx((595, 842), abs=1)]
    made.close_down()


def test_the_article_is_on_sheets_with_all_its_parts_whole(article: Studio) -> None:
    found = sheets(article.pdf(paper=True))
    assert 8 <= len(found) <= 14
    assert set(found) == {found[0]}
    assert found[0] == pytest.approx((595, 842), abs=1)
    column = next(box for box in article.findChildren(BoxNode) if box.place)
    parts = parts_of(column, article)
    assert len(parts) == len(text.places())
    high = int((studios.A4[1] - 2 * studios.MARGIN) / (studios.A4[0] - 2 * studios.MARGIN) * article.width())
    cuts = [bottom for _, bottom in pages(parts, article.height(), high)][:-1]
    assert not [part for part in parts for cut in cuts if part.top < cut < part.bottom]
    before = [
        max((part for part in parts if part.bottom <= cut), key=lambda part: part.bottom) for cut in cuts
    ]
    assert not [part for part in before if part.leads]


def test_every_paragraph_is_printed_once(article: Studio, language: str, tmp_path: Path) -> None:
    command = shutil.which("pdftotext")
    if command is None:
        pytest.skip("pdftotext is not installed")
    (tmp_path / "a.pdf").write_bytes(article.pdf(paper=True))
    said = subprocess.run(
        [command, tmp_path / "a.pdf", "-"], capture_output=True, check=True, timeout=30
    ).stdout
    words = re.sub(r"\s+", "", said.decode())
    seen = 0
    for place in text.places():
        sentence = re.sub(r"\s+", "", dict(place.blocks)[language].words)[:24]
        plain = all(sign.isascii() or "가" <= sign <= "힣" for sign in sentence)  # of one font
        if place.kind in ("text", "lead", "quote") and plain:
            seen += 1
            assert words.count(sentence) == 1, sentence
    assert seen > 25
    assert [f"{k}/" in words for k in range(1, 9)] == [True] * 8


def test_paper_is_white_and_nothing_but_the_text_is_printed(article: Studio) -> None:
    theme = Theme("light", paper=True)
    assert theme.tokens["bg"] == theme.tokens["panel"] != Theme("light").tokens["bg"]
    scene = printed("read")[0]
    assert [node.key for node in scene.root.children] == ["article"]  # type: ignore[union-attr]

"""Every pane in every pair of language, theme and export format, its telling states taking turns."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app import exports, palette
from app.messages import Translator
from app.pane import Pane, Selection, all_panes, settled
from app.qt import application
from app.qt.export import Export, Wish
from app.qt.theme import Theme
from app.render.csv import tables
from app.scene import Column, walk
from app.state import Opened
from tests import goldens
from ut_engine.errors import UserError

PANES = all_panes()
ROWS = [
    (language, theme, kind)
    for k, kind in enumerate(("png", "svg", "pdf", "csv"))
    for language, theme in ((("en", "light"), ("ko", "dark")), (("en", "dark"), ("ko", "light")))[k % 2]
]
"""Each kind with both languages and both themes, each language with both themes."""


def states(pane: Pane) -> list[Any]:
    """A made-up run where it takes one, else as it opens; then the states it calls telling."""
    shown = [pane.from_view(pane.initial(), view)[0] for view in getattr(pane, "SHOWN", ())]
    return [goldens.state_at(pane, "last"), *shown]


@pytest.mark.parametrize("name", PANES)
def test_languages_themes_and_formats(name: str, qapp: QApplication, tmp_path: Path) -> None:
    application.make_application()
    pane = PANES[name]
    found = states(pane)
    for k, (language, theme, kind) in enumerate(ROWS):
        state = settled(pane, found[k % len(found)])
        line = pane.timeline(state)
        scene = pane.scene(state, Selection(step=None if line is None else line.current))
        wish = Wish(kind, tmp_path / f"{k}.{kind}", Theme(theme), language, paper=exports.paper_of(pane))
        export = Export(wish)
        if kind == "csv" and not tables(scene):
            with pytest.raises(UserError):
                export.add(scene, "")
            continue
        export.add(scene, exports.caption(pane, state, Opened(), line))
        data = b"".join(export.files())
        export.close()
        text = any(isinstance(node, Column) and node.place for node in walk(scene.root))
        check(kind, data, theme, Translator(language).text(scene.title), text)


def check(kind: str, data: bytes, theme: str, title: str, text: bool) -> None:
    """text: whether it is one that is read, and printed on as many sheets as it needs."""
    if kind == "png":
        image = QImage.fromData(data)
        assert image.pixelColor(2, 2).name() == palette.THEMES[theme]["bg"]
        assert len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, 400, 7)}) > 5
        assert image.text("Title") == title
    elif kind == "svg":
        tree = ElementTree.fromstring(data)
        assert [node.text for node in tree if node.tag.endswith("title")] == [title]
        assert any(node.tag.endswith("text") for node in tree.iter())
    elif kind == "pdf":
        assert data.startswith(b"%PDF-")
        sheets = data.count(b"/Type /Page\n")
        assert sheets > 1 if text else sheets == 1
    else:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
        assert any(len(row) > 1 for row in rows)

"""The window at its smallest and with larger text: nothing lies beside it, no buttons overlap."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QWidget

from app.qt.frame import LEAST
from app.settings import Settings
from tests.qt import whole

SMALL = [(*LEAST, 1.0), (1152, 720, 1.0), (1280, 800, 1.0), (1440, 900, 1.5), (1280, 800, 1.25)]


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(("wide", "high", "scale"), SMALL)
def test_the_inspector_needs_no_horizontal_scroll_bar(
    wide: int, high: int, scale: float, language: str, qapp: QApplication
) -> None:
    with whole.session(Settings(language=language, scale=scale), (wide, high)) as session:
        whole.show(session, "inspector", "middle")
        assert session.shell.areas["inspector"].horizontalScrollBar().maximum() == 0


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 1.75, 2.0])
@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("pane", ["inspector", "act"])
def test_nothing_in_the_transport_overlaps_or_is_cut(
    pane: str, language: str, scale: float, qapp: QApplication
) -> None:
    with whole.session(Settings(language=language, scale=scale), LEAST) as session:
        whole.show(session, pane, "middle")
        bar = session.shell.transport
        buttons = [button for button in bar.buttons.values() if button.isVisible()]
        assert len(buttons) == {"inspector": 5, "act": 8}[pane]
        keys = [key for key in bar.keys if key.isVisible()]
        for row in ([*buttons, bar.scrubber, bar.computed], [*keys, bar.pace, bar.speed]):
            places = [(left(widget, bar), widget) for widget in row]
            for (x, widget), (after, _) in pairwise(places):
                assert x + widget.width() <= after, (widget, x, after)
            assert places[-1][0] + row[-1].width() <= bar.width()
        assert all(widget.width() >= widget.sizeHint().width() for widget in [*keys, bar.computed, bar.speed])
        assert bar.pace.accessibleName()  # the whole, where it is shortened


def left(widget: QWidget, inside: QWidget) -> int:
    return widget.mapTo(inside, QPoint(0, 0)).x()


def test_keys_of_whole_steps_stand_where_a_step_is_the_smallest_unit(qapp: QApplication) -> None:
    with whole.session(Settings()) as session:
        found = {}
        for pane in ("inspector", "act"):
            whole.show(session, pane, "middle")
            bar = session.shell.transport
            shown = dict(zip(bar.buttons, bar.keys, strict=True))
            found[pane] = [shown[id].text() for id in ("steps.back", "steps.forward")]
            assert "," in bar.buttons["steps.back"].toolTip()
        assert found == {"inspector": ["[", "]"], "act": [",", "."]}

"""The story's figures stand on screen: in the texts of a pane's scene once a view has set it up.

The engine's own tests and `tests/cli/test_numbers.py` hold the same figures where they are computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

from app import view as views
from app.messages import LANGUAGES, Message, Translator
from app.pane import Selection, all_panes, settled
from app.scene import Scene

PANES = all_panes()
SMALL = 512  # values of an array that a reader sees one by one
SHOWN: dict[str, tuple[str, ...]] = {
    "cost?preset=transformer-base": ("63,082,496", "44,040,192", "28.0"),
    "cost?preset=ut-small": ("26,300,416", "0.417", "44,040,192", "26.8"),
    "cost?preset=ut-base": ("67,280,896", "1.067", "176,160,768", "28.9", "3.18", "0.666"),
    "cost?preset=transformer-big": ("214,245,376", "3.396", "28.4"),
    "cost?preset=ut-base&softmax=1": ("3.398",),
    "cost?preset=ut-base&hoisted=1": ("3.762",),
    "cost?preset=transformer-base&tab=width": ("978.91", "979"),
    "cost?preset=albert-base&tab=albert": ("109,482,240", "108,490,752", "11,683,584", "31.5"),
    "coords?t=3": ("32.000", "16.000", "22.627", "24.7151", "24.145", "3,284"),
    "coords?t=3&source=t2t": ("24.8337",),
    "scan?n=40&step=6": ("177", "240"),
    "scan?n=400&step=9": ("3,089", "3,600"),
    "scan?n=400&input=ones&depth=6&step=6": ("168",),
    "grid?m=10&depth=6&scenario=sentence&state=frozen&tick=6": ("3,152,384", "18,914,304"),
    "ponder?look=babi": ("2.3 ± 0.8", "3.1 ± 1.1", "3.8 ± 2.2"),
    "ponder?look=lambada": ("319", "202", "239", "142", "8.2 ± 2.1"),
    "results?table=algorithmic": ("0.91", "0.53", "0.45"),
    "results?table=translation": ("28.9", "28.0", "26.8"),
    "act?source=fresh&line=18&pin=1": ("0.7311", "0.2689"),
    "act?source=hesitant&line=108&pin=1&panel=compare": ("0.4596", "0.5404", "0.45"),
}  # fmt: skip


def texts(value: Any, translator: Translator) -> Iterator[str]:
    """Every text in a scene, and its numbers, as they are read."""
    if isinstance(value, Message):
        yield translator.text(value)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from texts(one, translator)
    elif is_dataclass(value):
        for item in fields(value):
            yield from texts(getattr(value, item.name), translator)
    elif isinstance(value, np.ndarray) and value.size <= SMALL:
        yield from (f"{one:.4f}" for one in value.ravel())
    elif isinstance(value, float | int):
        yield f"{value:g}"


def scene_of(text: str) -> Scene:
    name, values = views.from_text(text)
    pane = PANES[name]
    state, _ = pane.from_view(pane.initial(), values)
    return pane.scene(settled(pane, state), Selection())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", SHOWN)
def test_a_figure_of_the_story_is_on_screen(text: str, language: str) -> None:
    said = "\n".join(texts(scene_of(text), Translator(language)))
    assert [number for number in SHOWN[text] if number not in said] == []

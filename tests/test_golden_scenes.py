"""Every pane's scene at its first, middle and last step, as rounded JSON."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.messages import msg, nmsg
from app.pane import all_panes
from app.scene import Card, Prose, Scene, Span
from tests import goldens

PANES = all_panes()


@pytest.mark.parametrize("place", goldens.PLACES)
@pytest.mark.parametrize("name", PANES)
def test_scenes_are_as_they_were(name: str, place: str, pytestconfig: pytest.Config) -> None:
    text = goldens.scene_text(goldens.scene_at(PANES[name], place))
    goldens.check(f"{name}/{place}.json", text, pytestconfig.getoption("--golden-update"), slack=0.0)


def test_golden_files_of_panes_that_are_gone_are_removed() -> None:
    assert {folder.name for folder in goldens.FOLDER.iterdir() if folder.is_dir()} <= {*PANES, "shots"}


def test_a_scene_is_plain_and_rounded() -> None:
    span = Span(msg("{x} of {y}", x=0.123456, y=nmsg("{n} a", "{n} b", 2)), bold=True)
    scene = Scene(Card("card", "Title", Prose("p", ((span,),))), "T", "alt")
    assert goldens.plain(scene)["root"]["body"]["lines"] == [
        [
            {
                "is": "Span",
                "text": ["{x} of {y}", {"x": 0.1235, "y": ["{n} a | {n} b", {"n": 2}]}],
                "bold": True,
            }
        ]
    ]
    assert goldens.plain(np.full((20, 20), 0.5))["shape"] == [20, 20]
    assert goldens.plain(np.array([1.0, np.nan])) == [1.0, None]


def test_a_change_is_seen() -> None:
    golden = '<rect x="10" fill="#101010"/>\n<text x="4">3 steps</text>\n'
    assert goldens.differences(golden, golden.replace('"10"', '"11"'), 1) == []
    assert len(goldens.differences(golden, golden.replace('"10"', '"13"'), 1)) == 1
    assert len(goldens.differences(golden, golden.replace("#101010", "#101011"), 1)) == 1
    assert len(goldens.differences(golden, golden.replace("3 steps", "4 steps"), 1)) == 1
    assert len(goldens.differences(golden, golden + "<rect/>", 1)) == 1
    scene = goldens.scene_at(PANES["inspector"], "last")
    changed = replace(scene, title=msg("Other"))
    assert goldens.differences(goldens.scene_text(scene), goldens.scene_text(changed), 0)

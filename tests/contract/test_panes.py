"""What holds for every pane: scenes of its states, texts for those who do not see, views that come back."""

from __future__ import annotations

from typing import Any

import pytest

from app import exports
from app.messages import LANGUAGES, Message, Translator
from app.pane import Event, Pane, Selection, all_panes, settled
from app.render.text import to_text
from app.scene import Cells, Curve, Film, Heatmap, Passage, Scene, Story, marks
from tests.panes import made

PANES = all_panes()
FIRST_VIEWS: dict[str, dict[str, str]] = {"inspector": {"step": "3", "head": "2", "measure": "largest"}}


def states(name: str, pane: Pane) -> dict[str, Any]:
    """The pane before anything, and on the first and the last step of a recording where it takes one."""
    empty = pane.initial()
    found = {"empty": empty}
    opened, _ = pane.update(empty, Event("open.run", made.run()))
    if opened is not empty:
        found["first"], _ = pane.update(opened, Event("transport.first"))
        found["last"], _ = pane.update(opened, Event("transport.last"))
    for k, view in enumerate(getattr(pane, "SHOWN", ())):
        found[f"shown{k}"], _ = pane.from_view(pane.initial(), view)
    for k, view in enumerate(getattr(pane, "LARGEST", ())):
        found[f"largest{k}"], _ = pane.from_view(pane.initial(), view)
    return found


CASES = [
    pytest.param(pane, state, id=f"{name}-{case}")
    for name, pane in PANES.items()
    for case, state in states(name, pane).items()
]


def test_panes_are_found_by_walking_the_folder() -> None:
    assert "inspector" in PANES
    assert all(name == pane.NAME for name, pane in PANES.items())


@pytest.mark.parametrize("pane", PANES.values(), ids=PANES)
def test_a_pane_has_the_names_of_the_protocol(pane: Pane) -> None:
    assert isinstance(pane.TITLE, Message)
    assert pane.WORKSPACE
    assert pane.CHAPTER is None or 1 <= pane.CHAPTER <= 11
    for name in ("initial", "update", "scene", "timeline", "sentence", "to_view", "from_view"):
        assert callable(getattr(pane, name))


OPTIONAL = ("caption", "shows_model", "exported_whole", "SHOWN", "LARGEST", "PAPER")


@pytest.mark.parametrize("pane", PANES.values(), ids=PANES)
def test_what_a_pane_may_offer_is_its_own(pane: Pane) -> None:
    """A helper that a pane imports under such a name would be taken for it."""
    offered = [getattr(pane, name) for name in OPTIONAL if hasattr(pane, name)]
    assert all(one.__module__.startswith("app.panes.") for one in offered if callable(one))
    assert isinstance(exports.whole_of(pane, pane.initial()), type(pane.initial()))


@pytest.mark.parametrize(("pane", "state"), CASES)
def test_every_state_has_a_scene_with_texts_for_all(pane: Pane, state: Any) -> None:
    first = pane.scene(state, Selection())
    assert isinstance(first, Scene)
    scene = pane.scene(settled(pane, state), Selection()) if first.more else first
    for language in LANGUAGES:
        translator = Translator(language)
        assert translator.text(scene.alt)
        assert translator.text(pane.sentence(state))
        for mark in marks(scene):
            if isinstance(mark, Heatmap | Film | Curve | Cells | Story) and not isinstance(mark, Passage):
                assert translator.text(mark.alt), f"{mark.key} has no alt text in {language}"
        assert len(to_text(scene, translator)) > 40


@pytest.mark.parametrize(("pane", "state"), CASES)
def test_a_selection_of_another_pane_breaks_nothing(pane: Pane, state: Any) -> None:
    far = Selection(pinned=500, hovered=700, hovered_key=900, step=99)
    assert pane.scene(settled(pane, state), far).alt


@pytest.mark.parametrize(("pane", "state"), CASES)
def test_an_event_of_no_concern_changes_nothing(pane: Pane, state: Any) -> None:
    assert pane.update(state, Event("no.such.event", 7)) == (state, ())


@pytest.mark.parametrize(("pane", "state"), CASES)
def test_the_view_of_a_state_is_short_text_and_comes_back(pane: Pane, state: Any) -> None:
    view = pane.to_view(state)
    assert all(isinstance(key, str) and isinstance(value, str) for key, value in view.items())
    back, _ = pane.from_view(pane.initial(), view)
    if pane.timeline(back) is not None:
        assert dict(pane.to_view(back)) == dict(view)


@pytest.mark.parametrize(
    ("pane", "view"),
    [
        pytest.param(pane, view, id=f"{name}-{k}")
        for name, pane in PANES.items()
        for k, view in enumerate((*getattr(pane, "SHOWN", ()), *getattr(pane, "LARGEST", ())))
    ],
)
def test_a_view_a_pane_names_is_what_its_state_says(pane: Pane, view: dict[str, str]) -> None:
    state, _ = pane.from_view(pane.initial(), view)
    said = dict(pane.to_view(state))
    assert {key: said.get(key) for key in view} == view


@pytest.mark.parametrize("name", FIRST_VIEWS)
def test_a_view_sets_the_state_of_a_pane_that_shows_a_run(name: str) -> None:
    pane, view = PANES[name], FIRST_VIEWS[name]
    opened, _ = pane.update(pane.initial(), Event("open.run", made.run()))
    after, _ = pane.from_view(opened, view)
    assert dict(pane.to_view(after)) == view


@pytest.mark.parametrize("pane", PANES.values(), ids=PANES)
def test_a_senseless_view_is_no_reason_to_fail(pane: Pane) -> None:
    after, _ = pane.from_view(pane.initial(), {"step": "x", "head": "-3", "measure": "?", "unknown": "1"})
    assert pane.scene(after, Selection()).alt

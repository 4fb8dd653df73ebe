"""Figures of other panes inside one: whose measurement is whose."""

from __future__ import annotations

from typing import Any

from app import inset
from app.inset import Insets, Spot
from app.pane import Effect, Event

START = Insets({"small": Spot("coords"), "other": Spot("coords")})
FOUND: dict[str, Any] = {
    "name": "tiny", "steps": 1, "position": [[1.0, 0.0]], "step": [[0.0, 1.0]], "p": [1.4], "h": [2.0]
}  # fmt: skip


def told(insets: Insets, key: str, name: str, value: Any = None) -> tuple[Insets, tuple[Effect, ...]]:
    return inset.update(insets, Event("inset", (key, Event(name, value))))


def test_a_measurement_belongs_to_the_inset_that_asked() -> None:
    asked, effects = told(START, "small", "own.measure")
    assert [effect.value["key"] for effect in effects] == ["small/coords.own"]
    asked, effects = told(asked, "other", "own.measure")
    assert [effect.value["key"] for effect in effects] == ["other/coords.own"]
    answer = {"key": "coords.own", "value": FOUND}
    assert inset.update(asked, Event("measure.done", answer)) == (asked, ())
    done, _ = inset.update(asked, Event("measure.done", {**answer, "key": "small/coords.own"}))
    assert [inset.state_of(done, key).own.phase for key in ("small", "other")] == ["done", "waiting"]


def test_a_cancel_leaves_the_pane_s_own_measurement_alone() -> None:
    asked, _ = told(START, "small", "own.measure")
    card = {"card": {"path": "/models/mine", "name": "mine"}, "samples": []}
    _, effects = inset.update(asked, Event("engine.opened", card))
    assert effects == (Effect("measure.cancel", "small/coords.own"),)

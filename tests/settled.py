"""The state of a pane as it stands once it has been shown: with all it asks for by itself."""

from __future__ import annotations

from typing import Any

from app.pane import Event, Pane, Selection

MOST = 200


def settled(pane: Pane, state: Any) -> Any:
    for _ in range(MOST):
        more = pane.scene(state, Selection()).more
        if not more:
            return state
        state, _ = pane.update(state, Event(more))
    raise AssertionError(f"{pane.NAME} has ever more to show")

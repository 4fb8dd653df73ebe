"""The timeline by itself: what every event of the transport does to it."""

from __future__ import annotations

from typing import Any

import pytest

from app.timeline import Timeline, heard

LINE = Timeline(current=4, computed=9, planned=9, live=False, playing=1)


@pytest.mark.parametrize(
    ("name", "value", "current", "playing"),
    [
        ("first", None, 1, 0), ("back", None, 3, 0), ("forward", None, 5, 0), ("last", None, 9, 0),
        ("seek", 6.4, 6, 0), ("seek", 99, 9, 0), ("play", None, 4, 1), ("pause", None, 4, 0),
        ("reverse", None, 4, -1), ("tick", None, 5, 1),
    ],
)  # fmt: skip
def test_where_an_event_leads(name: str, value: Any, current: int, playing: int) -> None:
    after = heard(LINE, f"transport.{name}", value)
    assert after is not None
    assert (after.current, after.playing) == (current, playing)


def test_speeds_that_there_are_and_events_of_others() -> None:
    assert heard(LINE, "transport.speed", 2.0) == Timeline(4, 9, 9, False, 1, 2.0)
    assert heard(LINE, "transport.speed", 3.0) is LINE
    assert heard(LINE, "grid.cell", None) is None

"""Measurements made in one pane reach another that is opened later, with what they were made of."""

from __future__ import annotations

from typing import Any

from app.measured import MOST, Measurements, events, heard, wanted
from app.pane import Effect, Event, all_panes
from app.panes._ponder_state import REPORT
from app.panes._results_state import State as Results
from app.paths import shipped
from app.reduce import reduce, start
from app.settings import Settings
from app.state import AppState

PANES = all_panes()


def asked(known: Measurements, key: str, args: dict[str, Any]) -> Measurements:
    return wanted(known, (Effect("measure.start", {"key": key, "what": "babi", "args": args}),))


def done(known: Measurements, key: str, args: dict[str, Any], value: Any) -> Measurements:
    return heard(asked(known, key, args), Event("measure.done", {"key": key, "value": value}))


def told(known: Measurements) -> list[tuple[str, Any]]:
    return [(event.value["key"], event.value["value"]) for event in events(known)]


def test_what_came_to_its_end_is_told_in_its_order() -> None:
    known = done(Measurements(), "a", {"checkpoint": "/m"}, 1)
    known = done(known, "a", {"checkpoint": "/other"}, 2)
    assert told(known) == [("a", 1), ("a", 2)]
    known = done(known, "a", {"checkpoint": "/m"}, 3)  # the same asked again
    assert told(known) == [("a", 2), ("a", 3)]


def test_what_failed_was_cancelled_or_never_asked_for_is_not() -> None:
    known = asked(Measurements(), "a", {})
    known = heard(known, Event("measure.error", {"key": "a", "what": "w", "do": "d"}))
    known = wanted(asked(known, "b", {}), (Effect("measure.cancel", "b"),))
    for key in "abc":
        known = heard(known, Event("measure.done", {"key": key, "value": 1}))
    assert told(known) == []
    assert known.asked == {}


def test_a_checkpoint_that_changed_on_disk_leaves_nothing_behind() -> None:
    known = done(Measurements(), "a", {"checkpoint": "/m"}, 1)
    known = done(known, "b", {"checkpoints": {"one": "/m", "two": "/n"}}, 2)
    known = done(known, "c", {"checkpoints": ["/n"]}, 3)
    known = heard(asked(known, "d", {"checkpoint": "/m"}), Event("engine.changed", "/m"))
    known = heard(known, Event("measure.done", {"key": "d", "value": 4}))  # begun with the files as they were
    assert told(known) == [("c", 3)]


def test_not_more_are_kept_than_some() -> None:
    known = Measurements()
    for k in range(MOST + 3):
        known = done(known, "a", {"seed": k}, k)
    assert [value for _, value in told(known)] == list(range(3, MOST + 3))


# ---- in the program ---------------------------------------------------------------------------------------


def fed(*found: tuple[str, Any]) -> AppState:
    state = start(Settings(workspace="ponder"), PANES, "en", "light")
    for name, value in found:
        state, _ = reduce(state, Event(name, value), PANES)
    return state


def report(path: str) -> tuple[str, Any]:
    task = {
        "ponder_mean": 1.0,
        "ponder_std": 0.5,
        "question_ponder_mean": 2.0,
        "question_ponder_std": 0.5,
        "n": 7,
    }
    return "measure.done", {"key": REPORT, "value": {"checkpoint": path, "per_task": [task] * 3}}


def results(state: AppState) -> Results:
    return reduce(state, Event("shell.pane", "results"), PANES)[0].panes["results"]  # type: ignore[no-any-return]


BABI = str(shipped().get("babi", ""))


def test_the_results_show_what_was_recomputed_before_they_were_opened() -> None:
    state = fed(("ponder.recompute", REPORT), report(BABI))
    assert "results" not in state.panes
    assert set(results(state).reports) == {BABI}


def test_and_not_what_was_only_asked_for_or_is_no_more_so() -> None:
    assert results(fed(("ponder.recompute", REPORT))).reports == {}
    state = fed(("ponder.recompute", REPORT), report(BABI), ("engine.changed", BABI))
    assert results(state).reports == {}
    assert not state.panes["ponder"].measured(REPORT).value

"""Measurements from effect to event, through an engine process of their own."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.pane import Effect, Event
from app.qt.laboratory import Laboratory
from app.qt.pump import Pump
from ut_engine.client import Client

PATIENCE = 20_000


class Bench:
    """A laboratory whose events are kept."""

    def __init__(self, make: Any) -> None:
        self.seen: list[Event] = []
        self.laboratory = Laboratory(self.seen.append, make)

    def start(self, key: str, to: int, then: str = "", what: str = "count") -> None:
        asked = {"key": key, "what": what, "args": {"to": to, "then": then}}
        self.laboratory.perform(Effect("measure.start", asked))

    def cancel(self, key: str) -> None:
        self.laboratory.perform(Effect("measure.cancel", key))

    def ends(self) -> list[tuple[str, str]]:
        return [(event.name, event.value["key"]) for event in self.seen if event.name != "measure.progress"]

    def begun(self, key: str) -> bool:
        return any(event.value["key"] == key and event.value["done"] for event in self.seen)


@pytest.fixture
def bench(qapp: QApplication, fake_engine: Any) -> Iterator[Bench]:
    made = Bench(fake_engine)
    yield made
    made.laboratory.close()


@pytest.fixture
def until(qtbot: Any) -> Callable[[Callable[[], bool]], None]:
    def wait(what: Callable[[], bool]) -> None:
        qtbot.waitUntil(what, timeout=PATIENCE)

    return wait


def test_nothing_is_started_before_something_is_measured(bench: Bench) -> None:
    assert bench.laboratory.client is None
    bench.cancel("a")
    assert bench.laboratory.client is None
    assert not bench.laboratory.busy


def test_a_measurement_tells_how_far_it_is_and_what_came_of_it(bench: Bench, until: Any) -> None:
    rested: list[bool] = []
    bench.laboratory.idle.connect(lambda: rested.append(bench.laboratory.busy))
    bench.start("a", 3)
    assert bench.laboratory.busy
    until(lambda: bench.ends() != [])
    last = bench.seen[-1]
    assert (last.name, last.value["key"], last.value["value"]["counted"]) == ("measure.done", "a", 3)
    assert last.value["value"]["nothing"] != last.value["value"]["nothing"]
    assert bench.seen[0].name == "measure.progress"
    assert bench.seen[0].value.keys() == {"key", "done", "total"}
    assert rested == [False]


def test_measurements_run_one_after_the_other_in_one_process(bench: Bench, until: Any) -> None:
    for key in "abc":
        bench.start(key, 5)
    until(lambda: not bench.laboratory.busy)
    assert bench.ends() == [("measure.done", key) for key in "abc"]
    assert len({event.value["value"]["pid"] for event in bench.seen if event.name == "measure.done"}) == 1


def test_a_newer_one_of_the_same_key_takes_the_place_of_the_older(bench: Bench, until: Any) -> None:
    bench.start("a", 0)  # never ends
    until(lambda: bench.begun("a"))
    bench.start("a", 7)
    until(lambda: not bench.laboratory.busy)
    assert bench.ends() == [("measure.done", "a")]
    assert bench.seen[-1].value["value"]["counted"] == 7


def test_a_cancelled_one_is_heard_of_no_more_and_others_follow(bench: Bench, until: Any) -> None:
    rested: list[bool] = []
    bench.laboratory.idle.connect(lambda: rested.append(True))
    bench.start("a", 0)
    bench.start("b", 0)  # waits
    until(lambda: bench.begun("a"))
    bench.cancel("b")
    assert rested == []
    bench.cancel("a")
    assert rested == [True]
    bench.start("c", 2)
    until(lambda: not bench.laboratory.busy)
    assert bench.ends() == [("measure.done", "c")]
    assert not bench.begun("b")


@pytest.mark.parametrize(
    ("what", "then", "said"),
    [
        ("count", "refuse", "this cannot be counted"),
        ("count", "fail", "the model failed: RuntimeError: no more numbers"),
        ("no_such", "", "there is no measurement 'no_such'"),
        ("os.path", "", "there is no measurement 'os.path'"),
    ],
)
def test_what_goes_wrong_is_one_sentence(bench: Bench, until: Any, what: str, then: str, said: str) -> None:
    bench.start("a", 1, then, what)
    until(lambda: not bench.laboratory.busy)
    assert bench.ends() == [("measure.error", "a")]
    assert bench.seen[-1].value["what"] == said
    assert bench.seen[-1].value["do"]
    bench.start("a", 1)
    until(lambda: not bench.laboratory.busy)
    assert bench.ends()[-1] == ("measure.done", "a")


def test_a_lost_engine_ends_all_that_waited_and_is_started_again(bench: Bench, until: Any) -> None:
    bench.start("a", 1, "die")
    bench.start("b", 1)
    until(lambda: not bench.laboratory.busy)
    assert bench.ends() == [("measure.error", "a"), ("measure.error", "b")]
    assert "killed" in bench.seen[-1].value["what"]
    bench.start("c", 4)
    until(lambda: not bench.laboratory.busy)
    assert bench.ends()[-1] == ("measure.done", "c")


def test_an_engine_that_died_while_nothing_was_measured_harms_nothing(bench: Bench, until: Any) -> None:
    bench.start("a", 1)
    until(lambda: not bench.laboratory.busy)
    client = bench.laboratory.client
    assert client is not None
    os.kill(client.process.pid, signal.SIGKILL)
    client.process.wait(PATIENCE)
    bench.start("b", 1)
    until(lambda: not bench.laboratory.busy)
    assert bench.ends() == [("measure.done", "a"), ("measure.done", "b")]


def test_an_engine_that_cannot_start_is_an_error_of_the_measurement(qapp: QApplication) -> None:
    bench = Bench(lambda notify: Client(notify, command=("/no/such/program",)))
    bench.start("a", 1)
    assert bench.ends() == [("measure.error", "a")]
    assert "cannot be started" in bench.seen[0].value["what"]
    assert not bench.laboratory.busy
    bench.laboratory.close()


def test_closing_ends_one_that_never_ends(bench: Bench, until: Any) -> None:
    bench.start("a", 0)
    until(lambda: bench.begun("a"))
    bench.laboratory.close()
    bench.laboratory.close()
    assert not bench.laboratory.busy
    bench.start("b", 1)  # it would never be ended
    assert bench.laboratory.client is None


def test_an_engine_nobody_needs_any_more_is_ended_and_started_again(bench: Bench, until: Any) -> None:
    bench.start("a", 1)
    until(lambda: not bench.laboratory.busy)
    assert bench.laboratory.rest.isActive()
    bench.start("b", 0)
    assert not bench.laboratory.rest.isActive()  # never while something is measured
    bench.laboratory.rest.setInterval(1)
    bench.cancel("b")
    until(lambda: bench.laboratory.client is None)
    bench.start("c", 2)
    until(lambda: not bench.laboratory.busy)
    assert bench.ends() == [("measure.done", "a"), ("measure.done", "c")]


def test_the_open_model_runs_on_meanwhile(
    qapp: QApplication, fake_engine: Any, bench: Bench, until: Any, model_path: Any
) -> None:
    seen: list[Event] = []
    pump = Pump(seen.append, fake_engine)
    try:
        bench.start("a", 0)
        until(lambda: bench.begun("a"))
        pump.perform(Effect("engine.open", str(model_path)))
        until(lambda: any(event.name == "engine.opened" for event in seen))
        assert bench.laboratory.busy
        assert bench.laboratory.client is not None
        assert pump.client is not None
        assert bench.laboratory.client.process.pid != pump.client.process.pid
    finally:
        pump.close()

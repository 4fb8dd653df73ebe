"""What the program does when something happens, without a window."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from app import view
from app.pane import Effect, Event
from app.reduce import reduce, start
from app.settings import Settings
from app.state import AppState, line_of, selection_of, workspaces
from tests.fakes import Counter
from ut_engine.errors import UserError
from ut_engine.records import Address, StepRecord

PANES = {"inspector": Counter(), "read": Counter("read", "Read")}


def fed(*events: Event, settings: Settings | None = None) -> tuple[AppState, list[Effect]]:
    state, wanted = start(settings or Settings(), PANES, "en", "light"), []
    for event in events:
        state, effects = reduce(state, event, PANES)
        wanted += effects
    return state, wanted


def seen(state: AppState, pane: str = "inspector") -> list[Event]:
    return list(state.panes[pane].events)


def test_the_system_decides_where_the_settings_do_not() -> None:
    assert (fed()[0].language, fed()[0].theme) == ("en", "light")
    chosen = fed(settings=Settings(language="ko", theme="dark"))[0]
    assert (chosen.language, chosen.theme) == ("ko", "dark")


def test_a_remembered_workspace_that_is_gone_costs_nothing() -> None:
    assert fed(settings=Settings(workspace="gone"))[0].current == "inspector"
    assert fed(settings=Settings(workspace="read"))[0].current == "read"


def test_language_and_theme_switch_and_are_kept() -> None:
    state, effects = fed(Event("shell.language"), Event("shell.theme"))
    assert (state.language, state.settings.language, state.theme, state.settings.theme) == (
        "ko", "ko", "dark", "dark",
    )  # fmt: skip
    assert effects == [Effect("settings.save")] * 2
    assert fed(Event("shell.language"), Event("shell.language"))[0].language == "en"


def test_text_scale_stops_at_its_ends() -> None:
    larger = [Event("shell.scale", 1)] * 9
    assert fed(*larger)[0].settings.scale == 2.0
    assert fed(*larger, Event("shell.scale", -1))[0].settings.scale == 1.75
    assert fed(*larger, Event("shell.scale", 0))[0].settings.scale == 1.0
    assert fed(Event("shell.scale", 1.5))[0].settings.scale == 1.5


@pytest.mark.parametrize(
    ("before", "key", "expected"),
    [
        ((), "transport.toggle", Event("transport.play")),
        (("transport.play",), "transport.toggle", Event("transport.pause")),
        (("transport.reverse",), "transport.toggle", Event("transport.pause")),
        ((), "transport.faster", Event("transport.play")),
        (("transport.play",), "transport.faster", Event("transport.speed", 2.0)),
        (("transport.reverse",), "transport.faster", Event("transport.play")),
    ],
)
def test_keys_become_plain_transport_events(before: tuple[str, ...], key: str, expected: Event) -> None:
    state, _ = fed(*map(Event, before), Event(key))
    assert seen(state)[-1] == expected


def test_l_again_and_again_ends_at_the_highest_speed() -> None:
    state, _ = fed(*[Event("transport.faster")] * 9)
    assert line_of(state, PANES).speed == 4.0


def test_the_selection_is_linked_and_a_second_click_unpins() -> None:
    state, _ = fed(Event("shell.workspace", "read"), Event("pin", 3), Event("hover", (1, 2)))
    assert Event("pin", 3) in seen(state)
    assert Event("pin", 3) in seen(state, "read")
    chosen = selection_of(state, PANES)
    assert (chosen.pinned, chosen.hovered, chosen.hovered_key, chosen.step) == (3, 1, 2, 8)
    state, _ = reduce(state, Event("pin", 3), PANES)
    state, _ = reduce(state, Event("hover"), PANES)
    assert (state.selection.pinned, state.selection.hovered) == (None, None)


def test_transport_reaches_the_visible_pane_only() -> None:
    state, _ = fed(Event("shell.workspace", "read"), Event("transport.back"))
    assert Event("transport.back") in seen(state, "read")
    assert Event("transport.back") not in seen(state)


def test_opening_shows_the_inspector_and_is_remembered_once_it_worked() -> None:
    state, effects = fed(Event("shell.workspace", "read"), Event("open.path", "/m"))
    assert state.current == "inspector"
    assert Effect("engine.open", "/m") in effects
    assert state.settings.recent == ()
    card = {"card": {"name": "m", "path": "/m", "device": "cpu"}, "samples": []}
    state, effects = reduce(state, Event("engine.opened", card), PANES)
    assert (state.settings.recent, state.settings.checkpoint) == (("/m",), "/m")
    assert (state.opened.name, state.opened.device, state.opened.recorded) == ("m", "cpu", False)
    assert effects == (Effect("settings.save"),)


def test_the_newest_times_are_kept() -> None:
    one = np.ones((1, 1), bool)
    events = [Event("engine.record", StepRecord(Address(step=t), one, one, seconds=t)) for t in range(1, 41)]
    state, _ = fed(*events)
    assert state.seconds == tuple(range(9, 41))


def test_views_travel_as_text() -> None:
    state, effects = fed(Event("transport.seek", 3), Event("shell.copy_view"))
    assert Effect("clipboard.copy", "inspector?step=3") in effects
    state, _ = fed(Event("open.view", "pane:read?step=2"))
    assert (state.current, line_of(state, PANES).current) == ("read", 2)


@pytest.mark.parametrize("text", ["", "no such pane", "nowhere?step=2", "inspector?step", "a b?c=d"])
def test_a_bad_view_is_said(text: str) -> None:
    state, effects = fed(Event("open.view", text))
    assert len(state.notices) == 1
    assert effects == []


def test_view_text_survives_any_signs() -> None:
    values = {"text": "Where is Mary? a&b=c 100% #1\n존", "empty": ""}
    assert view.from_text(view.to_text("inspector", values)) == ("inspector", values)
    with pytest.raises(UserError):
        view.from_text("?a=b")


def test_notices_are_few_and_close() -> None:
    state, _ = fed(*(Event("shell.notice", str(n)) for n in (1, 2, 3, 4, 3)))
    assert state.notices == ("2", "4", "3")
    assert reduce(state, Event("shell.notice.close", "4"), PANES)[0].notices == ("2", "3")


def test_what_only_informs_is_known_for_that() -> None:
    state, _ = fed(*[Event("shell.said", text) for text in "abcd"], Event("shell.notice", "c"))
    assert (state.notices, state.passing) == (("b", "d", "c"), ("b", "d"))
    state, _ = reduce(state, Event("shell.notice.close", "b"), PANES)
    assert (state.notices, state.passing) == (("d", "c"), ("d",))
    for event in (Event("shell.copy_view"), Event("shell.saved", "/run"), Event("shell.letters")):
        told, _ = fed(event)
        assert told.passing == told.notices != ()
    wrong, _ = fed(Event("open.view", "no view"))
    assert (len(wrong.notices), wrong.passing) == (1, ())


def test_an_unchanged_setting_is_not_saved() -> None:
    assert fed(Event("shell.scale", 0))[1] == []


def test_workspaces_follow_the_order_of_the_bar() -> None:
    assert [name for name, _ in workspaces({**PANES, "own": Counter("own", "Own")})] == [
        "read", "inspector", "own",
    ]  # fmt: skip


ROOMS = {**PANES, "quiz": Counter("quiz", "Read"), "lineage": Counter("lineage", "Read")}


def went(*events: Event) -> AppState:
    state = start(Settings(), ROOMS, "en", "light")
    for event in events:
        state, _ = reduce(state, event, ROOMS)
    return state


def test_a_workspace_remembers_which_of_its_panes_was_seen() -> None:
    to_quiz = Event("shell.pane", "quiz")
    assert went(to_quiz).current == "quiz"
    back = (to_quiz, Event("shell.workspace", "inspector"), Event("shell.workspace", "read"))
    assert went(*back).current == "quiz"
    assert went(*back, Event("shell.pane", "read")).current == "read"
    home = Event("shell.workspace", "read")
    for away in (Event("open.view", "inspector?step=2"), Event("open.path", "/m")):  # links and files as well
        assert went(to_quiz, away).current == "inspector"
        assert went(to_quiz, away, home).current == "quiz"
    assert went(home).current == "read"
    assert went(to_quiz, Event("shell.workspace", "read")).current == "read"  # its own tab: the first pane


def test_the_panes_of_a_workspace_follow_each_other_round_about() -> None:
    there = Event("shell.workspace", "read")
    on, back = Event("shell.neighbour", 1), Event("shell.neighbour", -1)
    assert [went(there, *[on] * n).current for n in range(4)] == ["read", "quiz", "lineage", "read"]
    assert went(there, back).current == "lineage"
    assert went(on).current == "inspector"  # alone in its workspace


def test_a_pane_opened_late_gets_the_checkpoint_and_the_run() -> None:
    class Running(Counter):
        def update(self, state: object, event: Event) -> tuple[object, tuple[Effect, ...]]:  # type: ignore[override]
            return SimpleNamespace(run="the run", events=()), ()

    panes = {"inspector": Running(), "read": Counter("read", "Read")}
    state = start(Settings(), panes, "en", "light")  # type: ignore[arg-type]
    for event in (Event("engine.opened", {"card": {"name": "babi"}}), Event("shell.pane", "read")):
        state, _ = reduce(state, event, panes)  # type: ignore[arg-type]
    assert [event.name for event in state.panes["read"].events] == ["engine.opened", "open.run"]
    assert state.panes["read"].events[1].value == "the run"

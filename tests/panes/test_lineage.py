"""The time line: every work with what it shares, what decides its depth, its price and its source."""

from __future__ import annotations

import re
from typing import Any

import pytest

from app.messages import LANGUAGES, Translator
from app.pane import Effect, Event, Selection, all_panes
from app.panes import _lineage as room
from app.panes import _lineage_items as items
from app.panes import lineage
from app.panes._lineage import State
from app.paths import shipped
from app.render.text import to_text
from app.scene import Amounts, Button, Card, Form, Graph, Scene, marks, walk
from ut_engine import family

IDS = [item.id for item in items.ITEMS]


def after(state: State, *events: tuple[str, Any] | str) -> State:
    for event in events:
        name, value = (event, None) if isinstance(event, str) else event
        state, _ = lineage.update(state, Event(name, value))
    return state


def scene(state: State) -> Scene:
    return lineage.scene(state, Selection())


def text(state: State, language: str = "en") -> str:
    return to_text(scene(state), Translator(language), 60)


def at(name: str) -> State:
    return after(lineage.initial(), ("look", name))


def buttons(state: State) -> list[Button]:
    forms = [found for found in marks(scene(state)) if isinstance(found, Form)]
    found = [one for form in forms for row in form.fields for one in row]
    found += [one for card in walk(scene(state).root) if isinstance(card, Card) for one in card.tools]
    return [one for one in found if isinstance(one, Button)]


def test_the_works_of_the_story_stand_in_the_order_of_time() -> None:
    assert IDS == ["neural-gpu", "act", "transformer", "ut", "albert", "pondernet", "calm", "mod", "looped"]
    whens = [item.when for item in items.ITEMS]
    assert whens == sorted(whens)
    assert [item.years[:4] for item in items.ITEMS] == [
        "2015", "2016", "2017", "2018", "2019", "2021", "2022", "2024", "2024",
    ]  # fmt: skip
    for item in items.ITEMS:
        assert int(item.when) in (int(item.years[:4]), 2025)


@pytest.mark.parametrize("name", IDS)
def test_each_has_its_four_answers_in_every_language(name: str) -> None:
    state = at(name)
    item = state.item
    assert item.sources
    for source in item.sources:
        assert re.fullmatch(r"\d{4}\.\d{4,5}", source.arxiv)
        assert re.search(r" 20\d\d$", source.authors)
    for language in LANGUAGES:
        translator = Translator(language)
        said = [translator.text(part) for part in (item.name, item.shares, item.depth, items.price(item))]
        assert all(said)
        whole = text(state, language)
        assert all(part in whole for part in said)
        assert all(f"arXiv:{source.arxiv}" in whole for source in item.sources)


def test_sources_are_those_of_the_papers() -> None:
    found = {source.arxiv: source.authors for item in items.ITEMS for source in item.sources}
    assert found["1807.03819"] == "Dehghani, Gouws, Vinyals, Uszkoreit, Kaiser 2018"
    assert found["1603.08983"] == "Graves 2016"
    assert found["1706.03762"].startswith("Vaswani")
    assert found["1909.11942"].startswith("Lan")
    assert found["2107.05407"].startswith("Banino")
    assert len(found) == 11


def test_numbers_are_the_engine_s() -> None:
    """63,082,496 and 67,280,896 parameters; 44,040,192 multiply-adds and four times as many (spec, 3)."""
    assert items.counts("transformer-base") == (63_082_496, 44_040_192)
    assert items.counts("ut-base") == (67_280_896, 176_160_768)
    assert "67.3 M parameters, 1.067 times Transformer base's, at 4 times" in text(at("ut"))
    assert "63.1 M, and 44.0 M multiply-adds" in text(at("transformer"))
    assert "11.7 M parameters against BERT base's 109.5 M" in text(at("albert"))
    assert items.counts("albert-base")[0] == 11_683_584
    assert items.counts("albert-base")[1] == items.counts("bert-base")[1]
    assert "3.18 times its parameters" in text(lineage.initial())


def test_bars_stand_where_the_engine_counts_two_designs() -> None:
    counted = {name for name in IDS if any(isinstance(found, Amounts) for found in marks(scene(at(name))))}
    assert counted == {"ut", "albert"}
    bars = next(found for found in marks(scene(at("albert"))) if isinstance(found, Amounts))
    sizes = [row.parts[0][1] for row in bars.rows]
    assert sizes[1] == sizes[3] == sizes[2] == 1.0
    assert sizes[0] == pytest.approx(11_683_584 / 109_482_240)


# ---- looking and opening ----------------------------------------------------------------------------------


def test_the_time_line_is_clicked_and_walked() -> None:
    graph = next(found for found in marks(scene(lineage.initial())) if isinstance(found, Graph))
    assert [box.value for box in graph.boxes if box.value] == IDS
    assert graph.current == "ut"
    state = after(lineage.initial(), (graph.event, "calm"))
    assert state.look == "calm"
    assert after(state, ("beside", 1)).look == "mod"
    assert after(state, ("beside", -1)).look == "pondernet"
    assert after(at("looped"), ("beside", 1)).look == "looped"
    assert after(at("neural-gpu"), ("beside", -1)).look == "neural-gpu"
    assert after(state, ("look", "nothing")) == state


@pytest.mark.parametrize("width", [700, 1280])
def test_boxes_of_the_time_line_do_not_overlap(width: int) -> None:
    state = after(lineage.initial(), ("view.width", width))
    graph = next(found for found in marks(scene(state)) if isinstance(found, Graph))
    boxes = [box for box in graph.boxes if box.width > 1]
    for k, one in enumerate(boxes):
        assert one.width / 2 <= one.x <= graph.width - one.width / 2, one.id
        assert one.height / 2 <= one.y <= graph.height - one.height / 2, one.id
        for other in boxes[k + 1 :]:
            apart = abs(one.x - other.x) >= (one.width + other.width) / 2
            assert apart or abs(one.y - other.y) >= (one.height + other.height) / 2, (one.id, other.id)
    names = {box.id for box in graph.boxes}
    assert all({wire.start, wire.end} <= names for wire in graph.wires)


def test_what_the_app_can_open_says_so_and_opens() -> None:
    there = shipped()
    for name in IDS:
        state = at(name)
        asked = [one for one in buttons(state) if one.event == "lineage.open"]
        assert [one.value for one in asked] == [one for one in state.item.shipped if one in there]
        for one in asked:
            assert lineage.update(state, Event(one.event, one.value)) == (
                state,
                (Effect("open.path", one.value),),
            )
    assert {one for item in items.ITEMS for one in item.shipped} <= set(there)
    assert lineage.update(at("calm"), Event("lineage.open", "babi")) == (at("calm"), ())


def test_files_of_other_families_are_offered_once_an_adapter_reads_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "families", lambda: ["universal_transformer"])
    assert "cannot be opened here" in text(at("albert"))
    monkeypatch.setattr(room, "families", lambda: ["albert", "universal_transformer"])
    assert "cannot be opened here" not in text(at("albert"))
    other = next(one for one in buttons(at("albert")) if one.event == "lineage.choose")
    assert lineage.update(at("albert"), Event(other.event, other.value))[1] == (Effect("file.choose"),)
    assert "cannot be opened here" in text(at("calm"))


def test_adapters_are_named_without_being_imported() -> None:
    assert "universal_transformer" in family.names()
    assert family.names() == sorted(family.names())
    assert [module.__name__.rpartition(".")[2] for module in family.families()] == family.names()


def test_the_end_leads_on_to_the_panes_that_show_it() -> None:
    panes = all_panes()
    for one in buttons(lineage.initial()):
        if one.event == "see":
            _, effects = lineage.update(lineage.initial(), Event("see", one.value))
            assert effects == (Effect("open.view", one.value),)
            assert one.value in panes
    assert lineage.update(lineage.initial(), Event("see", "nowhere")) == (lineage.initial(), ())


# ---- the whole --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IDS)
def test_views_come_back(name: str) -> None:
    state, effects = lineage.from_view(lineage.initial(), {"item": name})
    assert effects == ()
    assert lineage.to_view(state) == {"item": name}
    assert lineage.from_view(state, {"item": "?"})[0] == state


def test_narrow_windows_have_the_years_downwards_and_lose_nothing() -> None:
    wide, narrow = at("looped"), after(at("looped"), ("view.width", 640))
    keys = [{node.key for node in walk(scene(state).root)} for state in (wide, narrow)]
    assert {"time", "detail", "end", "part.0.text", "source.2"} <= keys[0] & keys[1]
    assert {one.key for one in buttons(wide)} == {one.key for one in buttons(narrow)}


def test_what_is_said_of_the_picture() -> None:
    english = Translator("en")
    assert english.text(lineage.sentence(at("albert"))).startswith("ALBERT, 2019: All weights")
    assert [english.text(one) for one in lineage.caption(at("act"))] == [
        "Lineage",
        "Adaptive computation time",
    ]
    assert not lineage.shows_model(at("ut"))
    assert lineage.timeline(at("ut")) is None


def test_the_line_of_years_reaches_from_the_first_work_past_the_last() -> None:
    graph = next(
        one for one in marks(scene(after(lineage.initial(), ("view.width", 1400)))) if isinstance(one, Graph)
    )
    boxes = {box.id: box for box in graph.boxes}
    years = [int(name.removeprefix("year.")) for name in boxes if name.startswith("year.")]
    whens = [item.when for item in items.ITEMS]
    assert years[0] - min(whens) < room.EVERY
    assert years[-1] >= max(whens)
    assert years == list(range(years[0], years[-1] + 1, room.EVERY))
    assert max(box.x for box in boxes.values()) == boxes["axis.end"].x < graph.width

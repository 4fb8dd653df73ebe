"""The article pane: both articles alike, no dead link, search in either language, figures that move."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from app import article, article_figures
from app import view as views
from app.article import Block
from app.article import article as blocks_of
from app.messages import LANGUAGES, Translator
from app.pane import Effect, Event, Selection, all_panes, settled
from app.panes import _read as read
from app.panes import _read_state as st
from app.panes import _read_text as text
from app.panes._read_insets import SPOTS
from app.panes._read_state import State
from app.render.text import to_text
from app.scene import Card, Column, Equation, Inset, Passage, Scene, walk
from app.tours import TOURS

PANES = all_panes()
EN, KO = Translator("en"), Translator("ko")


def after(state: State, *events: tuple[str, Any]) -> State:
    for name, value in events:
        state, _ = read.update(state, Event(name, value))
    return state


def shown(state: State) -> State:
    """With all that comes by itself."""
    return settled(PANES["read"], state)  # type: ignore[no-any-return]


def scene(state: State) -> Scene:
    return read.scene(shown(state), Selection())


def node(state: State, key: str) -> Any:
    return next(one for one in walk(scene(state).root) if one.key == key)


# ---- the articles ---------------------------------------------------------------------------------------


def shape(block: Block) -> tuple[Any, ...]:
    return block.kind, block.section, block.names, sorted(run.link for run in block.runs if run.link)


def test_both_articles_have_the_same_sections_formulas_figures_and_links() -> None:
    one, other = (list(map(shape, blocks_of(language))) for language in LANGUAGES)
    assert one == other


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_articles_ask_for_the_same_numbers(language: str) -> None:
    assert article.wanted_figures(article.source(language)) == article.wanted_figures(article.source("en"))


def test_the_articles_are_as_long_as_an_article() -> None:
    english, korean = (sum(len(block.words.split()) for block in blocks_of(one)) for one in LANGUAGES)
    assert 1500 <= english <= 2500
    assert 1500 <= korean <= 2500


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_mark_up_is_left_over(language: str) -> None:
    for block in blocks_of(language):
        assert not re.search(r"[{}\[\]$#*]|::|pane:", block.words), block.words
        assert block.words == block.words.strip()


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_are_not_typed_into_the_text(language: str) -> None:
    """What is computed stands in the source as a name; a typed one would outlive a change."""
    typed = set(re.findall(r"\d[\d,.]{3,}", re.sub(r"\{[^}]*\}", "", article.source(language))))
    assert typed <= {"2024"}


def test_numbers_of_the_story_are_computed() -> None:
    said = article_figures.figures(article.wanted_figures(article.source("en")), "en")
    for name, number in {
        "cost.base.parameters": "63,082,496", "cost.small.parameters": "26,300,416", "cost.ut.ratio": "1.067",
        "cost.ut.work": "4", "cost.ut.softmax": "3.398", "cost.ut.hoisted": "3.762",
        "cost.width.whole": "979", "cost.base.plain": "63,045,632", "cost.blocks": "0.666",
        "cost.big.ratio": "3.18", "coords.peak": "32",
        "coords.alone": "16", "scan.steps.400": "9", "scan.wrong": "168", "scan.first": "65",
        "scan.plain.40": "63", "scan.plain.400": "511", "act.fresh.r": "0.269", "act.hesitant.mix": "0.4596",
        "toy.listing": "3.4097", "toy.frozen": "3.2116", "toy.accumulated": "4.7375", "act.least": "2",
        "paper.ponder.3": "3.8", "paper.lambada.act": "142", "babi.question.3": "7.90",
        "albert.parameters": "11,683,584", "bert.parameters": "109,482,240",
    }.items():  # fmt: skip
        assert said[name] == number, name
    assert article_figures.figures(["albert.shared"], "en")["albert.shared"].startswith("31.5")
    assert article_figures.figures(["albert.shared"], "ko")["albert.shared"] == "3,152만"


def test_an_unknown_number_link_or_mark_is_an_error() -> None:
    (block,) = article.parse("{no.such}")
    with pytest.raises(KeyError):
        _ = block.words
    with pytest.raises(ValueError, match="no link to a pane"):
        article.parse("[away](https://example.org)")
    with pytest.raises(ValueError, match="cannot be read"):
        article.parse("### Three")


# ---- links ----------------------------------------------------------------------------------------------


def links() -> list[str]:
    found = {run.link for block in blocks_of("en") for run in block.runs if run.link}
    return sorted(found | {f"pane:{read._view(spot)}" for spot in SPOTS.values()})


@pytest.mark.parametrize("link", links())
def test_every_link_opens_what_it_names(link: str) -> None:
    name, view = views.from_text(link)
    assert name in PANES
    pane = PANES[name]
    state, effects = pane.from_view(pane.initial(), view)
    assert pane.scene(state, Selection()).alt
    if name == "inspector":
        assert effects == (*effects[:-1], Effect("engine.open", "babi"))
    elif "tour" in view:
        assert effects == (Effect("open.tour", view["tour"]),)
    elif name == "read":
        assert pane.to_view(state)["at"] == f"{view['at']}.0"
    else:
        said = dict(pane.to_view(state))
        assert {key: said.get(key) for key in view} == view


def test_links_of_the_article_go_to_other_panes() -> None:
    _, effects = read.update(State(), Event("read.link", "pane:grid"))
    assert effects == (Effect("open.view", "pane:grid"),)
    _, effects = read.update(State(), Event("read.tour", "life"))
    assert effects == (Effect("open.tour", "life"),)


# ---- the pane -------------------------------------------------------------------------------------------


def test_contents_name_every_section_and_mark_the_one_that_is_read() -> None:
    state = after(State(), ("read.go", "cost"))
    contents = node(state, "contents.list")
    entries = [span for span in contents.spans if span.event]
    assert [(span.value, span.text) for span in entries] == list(text.sections())
    assert [contents.spans[place].value for place in contents.here] == ["cost"]
    assert node(state, "article").show == "cost.0"
    assert node(state, "article").turn == 1


def test_scrolling_marks_the_section_without_scrolling_again() -> None:
    state = after(State(), ("read.place", "length.3"))
    assert (state.section, state.at, state.turn) == ("length", "length.3", 0)
    assert after(state, ("read.place", "no.such")) is state


def test_every_tour_can_be_started_here() -> None:
    spans = [span for span in node(State(), "tours.list").spans if span.event]
    assert [(span.event, span.value) for span in spans] == [("read.tour", tour.id) for tour in TOURS]


def test_figures_are_drawn_near_what_is_read_and_stay() -> None:
    assert not shown(State()).nodes
    state = shown(after(State(), ("read.go", "grid")))
    assert set(state.nodes) == {"coords", "grid", "cost"}
    assert shown(after(state, ("read.place", "grid.1"))) == replace(state, at="grid.1")
    later = shown(after(state, ("read.go", "learned")))
    assert set(state.nodes) < set(later.nodes)
    assert later.nodes["grid"] is state.nodes["grid"]


@pytest.mark.parametrize("name", SPOTS)
def test_a_figure_is_the_part_it_names_and_its_steps_can_be_walked(name: str) -> None:
    place = next(one for one in text.places() if one.names == (name,) and one.kind == "inset")
    state = shown(after(State(), ("read.go", place.key)))
    card = node(state, place.key)
    assert isinstance(card, Card)
    assert isinstance(card.body, Inset)
    keys = {one.key for one in walk(card.body)}
    spot = SPOTS[name]
    assert {f"{name}/{part}" for part in (spot.part, *spot.more)} <= keys
    if f"{name}/steps" in keys:
        before = PANES[spot.pane].timeline(st.inset.state_of(state.insets, name))
        moved = after(state, ("inset", (name, Event("inset.step", -1))))
        line = PANES[spot.pane].timeline(st.inset.state_of(moved.insets, name))
        assert before is not None
        assert line is not None
        assert line.current == before.current - 1
        assert moved.nodes[name] is not state.nodes[name]


def test_what_is_near_is_written_first_and_the_rest_by_and_by() -> None:
    """One section or one figure each time it has been painted; nothing that was there goes away."""
    state = after(State(), ("read.go", "act"))
    seen: list[tuple[str, ...]] = []
    for _ in range(40):
        drawn = read.scene(state, Selection())
        column = next(one for one in walk(drawn.root) if one.key == "article")
        seen.append(tuple(dict.fromkeys(child.key.partition(".")[0] for child in column.children)))
        if not drawn.more:
            break
        state = after(state, (drawn.more, None))
    assert seen[0] == ("length", "act", "listing")
    assert seen[-1] == text.order()
    assert all(set(one) <= set(other) and len(other) - len(one) <= 1 for one, other in pairwise(seen))
    assert set(state.nodes) == {"scan", "act"}
    assert after(state, ("read.more", None)) is state


def test_formulas_are_typeset_and_read_aloud() -> None:
    mark = node(State(), "shared.2")
    assert isinstance(mark, Equation)
    assert mark.formulas == ("ut-attention", "ut-transition")
    assert "layer norm" in EN.text(mark.alt)
    assert KO.text(mark.alt) != EN.text(mark.alt)


def test_a_narrow_window_has_the_contents_above() -> None:
    state = after(State(), ("view.width", 900))
    assert isinstance(scene(state).root, Column)
    top = node(state, "top")
    assert [field.key for field in top.fields[0]][:2] == ["read.section", "read.search"]
    assert after(state, ("view.width", 1280)) == State()


# ---- search ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "word"), [("en", "Remainder"), ("ko", "나머지"), ("ko", "tensor2tensor")]
)
def test_words_are_found_marked_and_counted(language: str, word: str) -> None:
    state = after(State(), ("read.query", word))
    found = text.hits(word, language)
    assert len(found) >= 2
    say = Translator(language).text
    marked = [
        span
        for one in walk(node(state, "article"))
        if isinstance(one, Passage)
        for span in one.spans
        if span.found and say(span.text)
    ]
    assert [say(span.text).casefold() for span in marked] == [word.casefold()] * len(found)
    assert say(node(state, "found").spans[0].text) == say(text.found_text(word, 0))
    assert say(node(state, "article").show) == text.places()[found[0].place].key


def test_the_next_place_follows_and_comes_round() -> None:
    word = "curriculum"
    count = len(text.hits(word, "en"))
    state = after(State(), ("read.query", word))
    assert count == 1
    assert after(state, ("read.query", word)).hit == 1  # Enter again
    assert EN.text(text.found_text(word, 1)) == "Match 1 of 1"
    word = "remainder"
    count = len(text.hits(word, "en"))
    state = after(
        State(), ("read.query", word), ("read.next", None), ("read.next", None), ("read.back", None)
    )
    assert (state.hit, state.turn) == (1, 4)
    last = after(State(), ("read.query", word), ("read.back", None))
    assert EN.text(text.found_text(word, last.hit)) == f"Match {count} of {count}"
    rings = [one for one in walk(node(last, "article")) if isinstance(one, Passage) and one.here]
    assert EN.text(node(last, "article").show) in {one.key for one in rings}


def test_what_is_not_there_is_said_and_nothing_moves() -> None:
    state = after(State(), ("read.go", "act"))
    nowhere = after(state, ("read.query", "zebra"))
    assert EN.text(node(nowhere, "found").spans[0].text) == "Not in the article"
    assert nowhere.turn == state.turn
    assert after(nowhere, ("read.query", "  ")).query.strip() == ""
    assert after(State(), ("read.next", None)) == State()


def test_words_that_are_kept_in_one_line_are_found_by_a_usual_space() -> None:
    (hit,) = text.hits("31.5 million", "en")
    assert "\N{NO-BREAK SPACE}" in dict(text.places()[hit.place].blocks)["en"].words[hit.start : hit.end]


def test_composed_and_decomposed_hangul_are_the_same_words() -> None:
    from unicodedata import normalize

    assert text.hits(normalize("NFD", "나머지"), "ko") == text.hits("나머지", "ko") != ()


# ---- views ----------------------------------------------------------------------------------------------


def test_the_reading_place_and_the_words_come_back() -> None:
    state = after(State(), ("read.place", "act.5"), ("read.query", "halts"))
    state = after(state, ("read.place", "act.5"))
    back, _ = read.from_view(State(), read.to_view(state))
    assert (back.at, back.query, back.goal) == ("act.5", "halts", "act.5")
    assert read.from_view(State(), {"at": "nowhere", "tour": "none"}) == (State(), ())
    assert read.from_view(state, {"at": "act.5"})[0].query == ""  # another view, without words


def test_the_whole_article_is_in_the_text_of_the_scene() -> None:
    for language in LANGUAGES:
        said = to_text(scene(State()), Translator(language))
        for block in blocks_of(language):
            assert block.words in said


def test_the_whole_article_is_exported_with_every_figure() -> None:
    opened = read.exported_whole(read.initial())
    whole = read.scene(opened, Selection())
    assert not [node.key for node in walk(whole.root) if node.key.endswith(".far")]
    part = scene(read.initial())
    assert [node.key for node in walk(part.root) if node.key.endswith(".far")]


def test_a_latin_letter_alone_is_not_searched_and_that_is_said() -> None:
    state = after(State(), ("read.query", "e"))
    assert Translator("en").text(text.found_text("e", state.hit)) == "Type two letters or more"
    assert (state.at, text.hits("e", "en")) == ("", ())
    assert text.hits("층", "ko")

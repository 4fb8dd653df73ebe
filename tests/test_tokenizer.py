"""Tokenizers: ids, labels, marks, cropping, round trips and refused input."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ut_engine.errors import UserError
from ut_engine.tasks.babi import Story, parse_story
from ut_engine.tasks.babi_generate import generate
from ut_engine.tokenizer import SentenceTokenizer, SymbolTokenizer, babi_tokenizer, batch, from_config

STORY = replace(
    parse_story(
        "John took the apple. John went to the office. Mary left the milk there. Where is the apple?"
    ),
    answer="office",
    supports=(0, 1),
)


def decoded(tokenizer: SentenceTokenizer, row: np.ndarray[Any, Any]) -> tuple[str, ...]:
    return tuple(tokenizer.words[number - 1] for number in row if number)


def test_the_question_comes_first_and_facts_count_back() -> None:
    tokenizer = babi_tokenizer()
    encoded = tokenizer.encode(STORY)
    assert encoded.ids.shape == (4, 7)
    assert encoded.ids.dtype == np.int64
    assert [decoded(tokenizer, row) for row in encoded.ids] == [STORY.question, *reversed(STORY.facts)]
    assert encoded.labels == (
        "Where is the apple?",
        "Mary left the milk there.",
        "John went to the office.",
        "John took the apple.",
    )
    assert encoded.marks == (2, 3)
    assert encoded.story_order == (3, 2, 1, 0)
    assert encoded.cropped == 0
    assert tokenizer.answers[tokenizer.answer_id(STORY)] == "office"


def test_cropping_drops_the_oldest_facts_and_says_so() -> None:
    tokenizer = replace(babi_tokenizer(), max_positions=3)
    encoded = tokenizer.encode(STORY)
    assert encoded.cropped == 1
    assert encoded.labels == ("Where is the apple?", "Mary left the milk there.", "John went to the office.")
    assert encoded.marks == (2,)
    assert encoded.story_order == (2, 1, 0)


def test_every_generated_story_fits_the_shipped_vocabulary() -> None:
    tokenizer = babi_tokenizer()
    assert (len(tokenizer.words), len(tokenizer.answers), tokenizer.max_positions) == (35, 6, 41)
    for hops in (1, 2, 3):
        for story in generate(hops, 100, seed=0):
            encoded = tokenizer.encode(story)
            assert encoded.cropped == 0
            assert len(encoded.marks) == hops
            shown = [decoded(tokenizer, encoded.ids[position]) for position in encoded.story_order]
            assert shown == [*story.facts, story.question]
            assert 0 <= tokenizer.answer_id(story) < 6


def test_batch_pads_with_zero() -> None:
    tokenizer = babi_tokenizer()
    encoded = [tokenizer.encode(STORY), tokenizer.encode(replace(STORY, facts=STORY.facts[:1]))]
    ids = batch(encoded)
    assert ids.shape == (2, 4, 7)
    np.testing.assert_array_equal(ids[0], encoded[0].ids)
    np.testing.assert_array_equal(ids[1, :2], encoded[1].ids)
    assert not ids[1, 2:].any()
    symbols = SymbolTokenizer(("0", "1"))
    np.testing.assert_array_equal(batch([symbols.encode("01"), symbols.encode("1")]), [[1, 2], [2, 0]])
    with pytest.raises(ValueError, match="at least one"):
        batch([])


EXAMPLE = r"John went to the office\. Where is John\?"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("John went to the offce. Where is John?", '"offce" is a word .* closest known are: office'),
        ("Xyzzy went to the office. Where is John?", f'"xyzzy" is a word .* such as "{EXAMPLE}"'),
        ("Zoo went to the office. Where is John?", f'"zoo" is a word .* such as "{EXAMPLE}"'),
        ("Where is John?", f'no facts .* such as "{EXAMPLE}"'),
        ("John went to the office.", r'not end in a question; .* such as "Where is John\?"'),
        ("John went back to the the office office there. Where is John?", "has 9 words"),
    ],
)
def test_stories_the_model_cannot_read(text: str, what: str) -> None:
    with pytest.raises(UserError, match=what):
        babi_tokenizer().encode(parse_story(text))


def test_a_story_without_a_question_or_with_another_answer() -> None:
    with pytest.raises(UserError, match="no facts or no question"):
        babi_tokenizer().encode(Story(STORY.facts, (), "", (), ""))
    with pytest.raises(UserError, match='"cellar" is no answer'):
        babi_tokenizer().answer_id(replace(STORY, answer="cellar"))


def test_symbols() -> None:
    tokenizer = SymbolTokenizer(("0", "1", "+"), max_positions=4)
    encoded = tokenizer.encode("10 +")
    assert encoded.ids.tolist() == [2, 1, 3]
    assert encoded.labels == ("1", "0", "+")
    assert (encoded.marks, encoded.story_order, encoded.cropped) == ((), (0, 1, 2), 0)
    assert tokenizer.encode([2, 1, 3]).labels == encoded.labels
    named = SymbolTokenizer(("begin", "end", "a"))
    assert named.encode("begin a end").ids.tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("012", '"2" is a symbol that this model does not know; write symbols such as 01$'),
        ("", "is empty"),
        ([], "is empty"),
        ([0], "token id 0"),
        ([3], "token id 3"),
        ("01010", "has 5 symbols"),
    ],
)
def test_symbols_the_model_cannot_read(text: str | list[int], what: str) -> None:
    with pytest.raises(UserError, match=what):
        SymbolTokenizer(("0", "1"), max_positions=4).encode(text)


@pytest.mark.parametrize(
    "tokenizer",
    [babi_tokenizer(), SymbolTokenizer(("a", "b")), SymbolTokenizer(("a", "b"), max_positions=9)],
)
def test_config_round_trip_through_json(tokenizer: SentenceTokenizer | SymbolTokenizer) -> None:
    assert from_config(json.loads(json.dumps(tokenizer.to_config()))) == tokenizer


SENTENCES = {"kind": "sentences", "words": ["a"], "answers": ["a"], "sentence_length": 3, "max_positions": 5}


@pytest.mark.parametrize(
    "config",
    [
        None,
        [],
        {},
        {"kind": "bytes"},
        {"kind": "sentences"},
        SENTENCES | {"words": "a"},
        SENTENCES | {"words": []},
        SENTENCES | {"words": ["a", "a"]},
        SENTENCES | {"words": [""]},
        SENTENCES | {"words": [1]},
        SENTENCES | {"answers": []},
        SENTENCES | {"answers": ["a", "a"]},
        SENTENCES | {"sentence_length": 0},
        SENTENCES | {"sentence_length": True},
        SENTENCES | {"sentence_length": 2.5},
        SENTENCES | {"max_positions": 1},
        {"kind": "symbols"},
        {"kind": "symbols", "symbols": ["a", "a"]},
        {"kind": "symbols", "symbols": []},
        {"kind": "symbols", "symbols": ["a"], "max_positions": 0},
        {"kind": "symbols", "symbols": ["a"], "max_positions": "5"},
    ],
)
def test_nonsense_configs(config: Any) -> None:
    with pytest.raises(UserError):
        from_config(config)


def test_the_sentences_config_of_these_tests_is_sound() -> None:
    assert from_config(SENTENCES) == SentenceTokenizer(("a",), ("a",), 3, 5)


def test_what_to_type_where_no_task_says_it() -> None:
    pairs = SymbolTokenizer(("^", *(f"{n:02d}" for n in range(100))), start="^")
    with pytest.raises(UserError, match=r"write symbols with spaces between them, such as 00 01 02 03 04$"):
        pairs.encode("xyz")
    with pytest.raises(UserError, match="the closest known are: 13, 10, 03"):
        pairs.encode("103")
    other = SentenceTokenizer(("ja", "nein", "wo"), ("ja",), 7, 9)
    assert other.example == ""
    with pytest.raises(UserError, match=r"write words such as ja, nein, wo$"):
        other.encode(Story((("huch",),), ("wo",), "", (), ""))
    with pytest.raises(UserError, match=r"give at least one fact and a question$"):
        other.encode(Story((), ("wo",), "", (), ""))
    assert babi_tokenizer().encode(parse_story(babi_tokenizer().example)).cropped == 0

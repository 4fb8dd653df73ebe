"""Texts and ids become the model's input and the description of the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ut_engine.checkpoint import Header, Loaded, LoadReport
from ut_engine.errors import UserError
from ut_engine.prepare import Input, prepare
from ut_engine.spec import UTConfig
from ut_engine.tokenizer import SentenceTokenizer, SymbolTokenizer, babi_tokenizer

STORY = "Mary took the milk. Mary went to the office. Where is the milk?"


def loaded(tokenizer: SentenceTokenizer | SymbolTokenizer | None, **options: Any) -> Loaded:
    header = Header(Path("model"), (), {"family": "universal_transformer"}, {}, 0)
    described = tokenizer.to_config() if tokenizer is not None else {}
    return Loaded(None, UTConfig(**options), described, "task", LoadReport(), header)


def babi(**changes: Any) -> Loaded:
    tokenizer = babi_tokenizer()
    if changes:
        config = tokenizer.to_config() | changes
        tokenizer = SentenceTokenizer(
            tuple(config["words"]),
            tuple(config["answers"]),
            config["sentence_length"],
            config["max_positions"],
        )
    sizes = {"vocab": len(tokenizer.words) + 1, "answers": len(tokenizer.answers), "words": 7}
    return loaded(tokenizer, **sizes)


def test_a_typed_story_is_marked_where_the_tracker_understands_it() -> None:
    ids, info = prepare(babi(), Input(text=STORY))
    assert ids.shape == (1, 3, 7)
    assert (info.marks, info.expected, info.story_order) == ((1, 2), "office", (2, 1, 0))
    assert info.answers == babi_tokenizer().answers
    assert info.ids[0][0][:5] == tuple(ids[0, 0, :5].tolist())
    assert (info.epsilon, info.max_steps, info.finished, info.text) == (0.01, 8, "running", STORY)


def test_given_marks_and_answers_win_over_the_tracker() -> None:
    _, info = prepare(babi(), Input(text=STORY, supports=[0], answer="garden"))
    assert (info.marks, info.expected) == ((2,), "garden")


def test_a_story_without_an_answer_runs_unmarked() -> None:
    _, info = prepare(babi(), Input(text="Mary went to the office. Where is John?"))
    assert (info.marks, info.expected) == ((), None)


def test_a_story_that_is_too_long_is_cropped_and_says_so() -> None:
    ids, info = prepare(babi(max_positions=2), Input(text=STORY))
    assert ids.shape == (1, 2, 7)
    assert (info.cropped, info.marks) == (1, (1,))


def test_symbols_are_positions() -> None:
    model = loaded(SymbolTokenizer(("0", "1")), vocab=3, answers=3, readout="every", halting="none")
    ids, info = prepare(model, Input(text="0110"), steps=5)
    assert ids.tolist() == [[1, 2, 2, 1]]
    assert (info.labels, info.answers, info.readout) == (("0", "1", "1", "0"), ("", "0", "1"), "every")
    assert (info.max_steps, info.epsilon) == (5, None)


def test_a_model_without_a_tokenizer_takes_ids() -> None:
    model = loaded(None, vocab=5, answers=2)
    with pytest.raises(UserError, match="has no tokenizer; give token ids"):
        prepare(model, Input(text="x"))
    with pytest.raises(UserError, match="the input is empty"):
        prepare(model, Input(text=" \n"))
    assert prepare(model, Input(text="4, 0 1"))[0].tolist() == [[4, 0, 1]]  # typed in the window
    sentences = loaded(None, vocab=5, answers=2, words=3)
    typed, info = prepare(sentences, Input(text="1 2 3\n4"))
    assert typed.tolist() == [[[1, 2, 3], [4, 0, 0]]]
    assert info.labels == ("1 2 3", "4")
    ids, info = prepare(model, Input(ids=[4, 0, 1]))
    assert ids.tolist() == [[4, 0, 1]]
    assert (info.labels, info.answers) == (("4", "0", "1"), ("0", "1"))

"""Texts and ids become the model's input and the description of the run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from app.paths import shipped
from ut_engine.adapters.universal_transformer import config_of
from ut_engine.checkpoint import Header, Loaded, LoadReport, peek
from ut_engine.errors import UserError
from ut_engine.prepare import Input, prepare
from ut_engine.spec import UTConfig
from ut_engine.tasks import addition
from ut_engine.tasks.registry import advice, task_data
from ut_engine.tasks.symbols import SymbolData
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


FIRST = [
    "12+34", "3 + 4 =", "hello", "7", "0b101", "101?", "?", "", "Where is John?", "John is in the office.",
]  # fmt: skip
"""What somebody may type who has not read on."""


@pytest.mark.parametrize("name", sorted(shipped()))
@pytest.mark.parametrize("text", FIRST)
def test_what_is_typed_first_works_or_the_example_given_does(name: str, text: str) -> None:
    header = peek(shipped()[name])
    options = header.config
    model = Loaded(None, config_of(header), options["tokenizer"], options["task"], LoadReport(), header)
    do = refusal(model, text)
    assert len(do) < 110
    if do in ("", "type some facts and a question, one sentence a line"):
        return
    found = re.search(r'such as (?:"(.+)"|(.+?)(?: for .*)?)$', do)
    assert found is not None
    example = found[1] or found[2]
    example = f"John went to the office. {example}" if example == "Where is John?" else example
    assert refusal(model, example) == ""


def refusal(model: Loaded, text: str) -> str:
    """What is to be done about a text, "" where the model reads it."""
    try:
        prepare(model, Input(text=text))
    except UserError as error:
        return error.do
    return ""


@pytest.mark.parametrize(
    ("text", "do"),
    [
        ("12+34", "24 13 00 for 12 + 34"),
        (" 9+104 =", "94 00 01 00 for 9 + 104"),
        ("12*34", "24 13 00 for 12 + 34"),
        ("1+2+3", "24 13 00 for 12 + 34"),
    ],
)
def test_a_sum_is_written_in_pairs_of_its_digits(text: str, do: str) -> None:
    advised = advice("addition", text)
    assert advised.endswith(f", such as {do}")
    pairs, first, second = re.findall(r"such as ([0-9 ]+) for (\d+) \+ (\d+)$", advised)[0]
    assert int("".join(reversed(addition.solve(pairs.split())))) == int(first) + int(second)


@pytest.mark.parametrize("task", ["parity", "copy", "reverse", "addition"])
def test_the_example_of_a_task_is_one_of_its_strings(task: str) -> None:
    data = task_data(task, {})
    assert isinstance(data, SymbolData)
    example = advice(task).rpartition("such as ")[2].partition(" for ")[0]
    assert data.tokenizer.unknown(example) == ""
    assert advice(task, "", data.symbols) == advice(task)
    assert advice(task, "", ("a", "b")) == ""  # other symbols than the task's: its example is of no use


def test_no_advice_for_what_is_no_string_of_symbols() -> None:
    assert advice("babi") == advice("") == advice("something") == ""

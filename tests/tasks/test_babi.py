"""The bAbI reader (official files and malformed ones) and typed stories."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ut_engine.errors import UserError
from ut_engine.tasks.babi import Story, parse_story, read_babi, sentence_text, story_text

SMALL = (
    "1 Mary moved to the bathroom.\n"
    "2 John went to the hallway.\n"
    "3 Where is Mary? \tbathroom\t1\n"
    "4 Sandra got the milk there.\n"
    "5 John went back to the office.\n"
    "6 Where is John? \toffice\t5\n"
    "1 The kitchen is north of the office.\n"
    "2 How do you go from the office to the kitchen?\tN,w\t1\n"
)


def test_facts_are_those_told_before_the_question_and_line_numbers_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "qa1_small_train.txt"
    path.write_text(SMALL, encoding="utf-8")
    first, second, third = read_babi(path)
    assert first == Story(
        (("mary", "moved", "to", "the", "bathroom"), ("john", "went", "to", "the", "hallway")),
        ("where", "is", "mary"),
        "bathroom",
        (0,),
        "qa1",
    )
    assert second.supports == (3,)  # line 5 is the fourth fact: line 3 was a question
    assert second.facts[3] == ("john", "went", "back", "to", "the", "office")
    assert (third.facts, third.answer) == ((("the", "kitchen", "is", "north", "of", "the", "office"),), "n,w")


def test_a_file_of_another_name_has_no_task_and_may_begin_with_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(SMALL, encoding="utf-8-sig")
    assert {story.task for story in read_babi(path)} == {""}


def test_reads_all_official_files(test_data: Path) -> None:
    tasks = set()
    for path in sorted((test_data / "babi" / "en-1k").glob("qa*.txt")):
        stories = read_babi(path)
        assert len(stories) == 1000, path.name
        for story in stories:
            assert story.facts
            assert story.supports
            assert all(0 <= index < len(story.facts) for index in story.supports)
            words = [*story.question, *(word for fact in story.facts for word in fact)]
            assert all(re.fullmatch("[a-z]+", word) for word in words)
            assert story.task == path.name.split("_")[0]
        tasks.add(stories[0].task)
    assert tasks == {f"qa{number}" for number in range(1, 21)}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Mary moved to the bathroom.\n", 1),
        ("<!DOCTYPE html>\n<html></html>\n", 1),
        ("version https://git-lfs.github.com/spec/v1\n", 1),
        ("1 Mary moved to the bathroom.\n3 John went to the hallway.\n", 2),
        ("2 Mary moved to the bathroom.\n", 1),
        ("1\n", 1),
        ("1 Mary moved to the bathroom\n", 1),
        ("1 .\n", 1),
        ("1 Mary moved to the bathroom.\n\n2 Where is Mary?\n", 3),
        ("1 Mary moved to the bathroom.\n2 Where is Mary?\tbathroom\n", 2),
        ("1 Mary moved to the bathroom.\n2 Where is Mary?\t\t1\n", 2),
        ("1 Mary moved to the bathroom.\n2 Where is Mary\tbathroom\t1\n", 2),
        ("1 Mary moved to the bathroom.\n2 ?\tbathroom\t1\n", 2),
        ("1 Mary moved to the bathroom.\n2 Where is Mary?\tbathroom\t9\n", 2),
        ("1 Mary moved to the bathroom.\n2 Where is Mary?\tbathroom\t2\n", 2),
        ("1 Mary moved to the bathroom.\n2 Where is Mary?\tbathroom\tone\n", 2),
        (SMALL + "3 Where is Mary?\tbathroom\t5\n", 9),  # line 5 of the story before this one
    ],
)
def test_malformed_lines_are_named(tmp_path: Path, text: str, place: int) -> None:
    path = tmp_path / "broken.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=f"broken.txt, line {place},"):
        read_babi(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "holds no question"),
        (b"\n\n", "holds no question"),
        (b"1 Mary moved to the bathroom.\n", "holds no question"),
        (b"\x80\x04\x95\xff\xfe", "is not a text file"),
    ],
)
def test_files_without_stories(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "odd.txt"
    path.write_bytes(content)
    with pytest.raises(UserError, match=what):
        read_babi(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(UserError, match="cannot read"):
            read_babi(path)


def test_typed_stories() -> None:
    story = parse_story(
        "Mary went to the office. john took the milk there.\n\nJohn left the milk\nWhere is the Milk ?\n"
    )
    assert story == Story(
        (
            ("mary", "went", "to", "the", "office"),
            ("john", "took", "the", "milk", "there"),
            ("john", "left", "the", "milk"),
        ),
        ("where", "is", "the", "milk"),
        "",
        (),
        "",
    )


@pytest.mark.parametrize("question", ["Where was the apple before the bathroom?", "Where is John?"])
def test_questions_are_shown_as_typed(question: str) -> None:
    story = parse_story("Daniel went back to the office.\n" + question)
    assert sentence_text(story.question, "?") == question
    assert story_text(story) == "Daniel went back to the office.\n" + question


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the story is empty"),
        (" \n . ?\n", "the story is empty"),
        ("Mary went to the office.", "does not end in a question"),
        ("Where is Mary? Mary went to the office.", "does not end in a question"),
        ("Where is John? John went to the office. Where is Mary?", '"Where is John\\?" is a question before'),
    ],
)
def test_typed_stories_that_are_none(text: str, what: str) -> None:
    with pytest.raises(UserError, match=what):
        parse_story(text)


@given(st.text(max_size=200))
def test_any_text_is_a_story_or_a_user_error(text: str) -> None:
    try:
        story = parse_story(text)
    except UserError:
        return
    assert story.question
    assert all(story.facts)
    assert len(parse_story(story_text(story)).facts) == len(story.facts)

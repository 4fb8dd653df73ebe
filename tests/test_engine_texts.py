"""The engine's sentences are recognised, and no template is older than the engine's sources."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from app.engine_texts import TEMPLATES, said, told
from app.messages import Message, Translator
from ut_engine.errors import UserError
from ut_engine.message import ended
from ut_engine.run import load_run
from ut_engine.tasks.babi import parse_story

ENGINE = Path(__file__).resolve().parent.parent / "ut_engine"


def sources() -> str:
    """Every text of the engine, what is filled in written as {}."""
    texts = []
    for path in sorted(ENGINE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                texts.append("".join(getattr(part, "value", "{}") if isinstance(part, ast.Constant) else "{}"
                                     for part in node.values))  # fmt: skip
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
    return "\n".join(texts).lower()


def test_every_template_is_still_said() -> None:
    known = sources()
    stale = []
    for template in TEMPLATES:
        pieces = [piece.strip() for piece in re.split(r"\{\w}", template.id.lower())]
        if not all(piece in known for piece in pieces):
            stale.append(template.id)
    assert stale == []


def korean(error: UserError) -> tuple[str, str]:
    return Translator("ko").text(said(error.what)), Translator("ko").text(said(error.do))


def test_real_errors_come_out_in_korean(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        parse_story("")
    assert korean(caught.value) == (
        "이야기가 비어 있습니다",
        "사실 몇 개와 질문을 한 줄에 한 문장씩 입력하세요",
    )
    with pytest.raises(UserError) as caught:
        load_run(tmp_path / "없음.trace.safetensors")
    what, do = korean(caught.value)
    assert what.startswith("파일이 없습니다: ")
    assert what.endswith("없음.trace.safetensors")
    assert do == "경로를 확인하세요"


@pytest.mark.parametrize("code", [-9, -11, 3])
def test_every_end_of_the_engine_is_known(code: int) -> None:
    assert all(isinstance(said(sentence), Message) for sentence in ended(code))


def test_an_unknown_sentence_stays_and_a_name_may_hold_anything() -> None:
    assert said("something {new} happened") == "Something {new} happened"
    found = said("{x} is cut short: 12 of its bytes are missing")
    assert Translator("en").text(found) == "{x} is cut short: 12 of its bytes are missing"
    assert Translator("ko").text(said("page.bin is a web page, not a checkpoint")).endswith(": page.bin")
    assert said("a.b was odd") == "a.b was odd"
    assert said("") == ""


def test_what_and_what_to_do_are_two_sentences() -> None:
    english = Translator("en")
    full = told("a.png cannot be written: the disk is full", "free some space or choose another folder")
    assert english.text(full) == (
        "a.png cannot be written: the disk is full. Free some space or choose another folder."
    )
    assert Translator("ko").text(full).endswith("(디스크가 가득 참). 공간을 확보하거나 다른 폴더를 고르세요.")
    assert english.text(told("there is no variable x", "did you mean h?")).endswith("h?")
    assert english.text(told("the engine ended", "")) == "The engine ended."


def test_every_error_begins_alike() -> None:
    """The command line puts words before them, the window begins them with a capital letter."""
    wrong = []
    for path in sorted(ENGINE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "UserError":
                starts = [part.values[0] if isinstance(part, ast.JoinedStr) else part for part in node.args]
                texts = [part.value for part in starts if isinstance(part, ast.Constant)]
                wrong += [str(text) for text in texts if re.match(r"[A-Z][a-z]* ", str(text))]
    assert wrong == []

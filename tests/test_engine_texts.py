"""The engine's sentences are recognised, and no template is older than the engine's sources."""

from __future__ import annotations

import ast
import errno
import os
import re
from pathlib import Path
from typing import Any

import pytest

from app.engine_refusals import DETAILS
from app.engine_texts import TEMPLATES, reason, said, told
from app.messages import Message, Translator
from tests.engine_sentences import details, said_of, sentences
from ut_engine.act_table import parse_table
from ut_engine.errors import UserError
from ut_engine.family import KNOWN
from ut_engine.host import sentence as host_sentence
from ut_engine.message import ended
from ut_engine.run import load_run
from ut_engine.tasks.babi import parse_story
from ut_engine.tasks.registry import TASKS, advice

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
    for template in (*TEMPLATES, *DETAILS):
        pieces = [piece.strip() for piece in re.split(r"\{\w}", template.id.lower())]
        if not all(piece in known for piece in pieces):
            stale.append(template.id)
    made = {text for _, text in (*sentences(), *details())}  # some are put together from several strings
    still = {message.id for text in made for message in known_in(text)}
    assert sorted(set(stale) - still) == []


def known_in(text: str) -> list[Message]:
    """The templates a sentence, or a detail, is recognised as."""
    filled = text.replace("{}", "x1")
    return [one for one in (said(filled), reason(filled)) if isinstance(one, Message)]


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


PASSED_ON = {"<message.data['what']>", "<message.data['do']>"}  # what the engine's process said of an error
OF_TASKS = {"<kind.advice(text)>", ""}  # see the test of tasks
EXAMPLES = {"Where is John?"}


def in_korean(sentence: str, message: Any) -> str:
    """What is wrong with a sentence's Korean, "" for nothing: a text not known, or English left in it."""
    if not isinstance(message, Message):
        return f"unknown: {sentence}"
    text = Translator("ko").text(message)
    if not re.search("[가-힣]", text):
        return f"not translated: {sentence}"
    english = re.compile("[A-Za-z]{2,} [A-Za-z]+")
    left = [value for value in words_in(message) if english.search(value.replace("x1", ""))]
    return f"{left} stays English in {text}" if set(left) - EXAMPLES else ""


def words_in(message: Message) -> list[str]:
    """What fills its places as it is, those of messages inside it too."""
    found = []
    for _, value in message.args:
        found += words_in(value) if isinstance(value, Message) else [str(value)]
    return found


def test_every_error_of_the_engine_that_can_reach_the_window_is_in_korean() -> None:
    found = {text for _, text in sentences()}
    assert len(found) > 250
    assert found >= PASSED_ON
    wrong = {in_korean(text, said(text.replace("{}", "x1"))) for text in found - PASSED_ON - OF_TASKS}
    assert sorted(wrong - {""}) == []


def test_every_detail_inside_a_sentence_is_in_korean() -> None:
    found = {text for _, text in details()}
    found -= {"<str(error)>", "step {}: {}"}  # both hold another one of these
    found -= {"a step is no number"}  # said as "a record has no valid address"
    assert len(found) > 40
    wrong = {in_korean(text, reason(text.replace("{}", "x1"))) for text in found}
    assert sorted(wrong - {""}) == []


def test_every_remark_on_a_checkpoint_is_in_korean() -> None:
    found = {*said_of(ENGINE / "remarks.py"), "it has no tokenizer: type token ids such as 1 2 3"}
    assert len(found) == 6
    assert [in_korean(text, said(text.replace("{}", "x1"))) for text in sorted(found)] == [""] * 6


@pytest.mark.parametrize("error", [RuntimeError("x1"), MemoryError(), ImportError("x1")])
def test_every_failure_of_the_engine_is_in_korean(error: Exception) -> None:
    assert [in_korean(text, said(text)) for text in host_sentence(error)] == ["", ""]


@pytest.mark.parametrize("task", TASKS)
def test_what_to_type_for_a_task_is_in_korean(task: str) -> None:
    advised = advice(task, "7+8")
    assert (advised == "") == (task == "babi")
    assert not advised or in_korean(advised, said(advised)) == ""


@pytest.mark.parametrize("kind", KNOWN.values())
def test_other_peoples_checkpoints_are_named_in_korean(kind: str) -> None:
    text = Translator("ko").text(said(f"m looks like {kind} (model_type x), which is not opened here"))
    assert kind not in text
    assert text == f"여기서 열 수 없는 체크포인트입니다: m ({kind.split()[1]} 체크포인트, model_type x)"


def test_lists_of_faults_and_of_what_was_not_kept() -> None:
    korean = Translator("ko")
    fault = (
        "even without the prefix module. of every name, missing a.b, c and 3 more, unexpected d, "
        "misshapen e [9, 4] instead of [8, 4], f [1] instead of [2] and 2 more, "
        "not finite (NaN or infinity): g"
    )
    assert korean.text(said(f"the weights of m do not fit its configuration: {fault}")) == (
        "가중치가 설정과 맞지 않습니다: m (모든 이름에서 접두사 module. 제거 후에도 불일치, "
        "없음: a.b, c 외 3개, 불필요함: d, 모양이 다름: e [9, 4], 필요한 모양 [8, 4], "
        "f [1], 필요한 모양 [2] 외 2개, NaN 또는 무한대: g)"
    )
    lacks = korean.text(said("the checkpoint m lacks a.bin, b.bin and 3 more"))
    assert "a.bin, b.bin 외 3개" in lacks
    kept = "attention maps of steps 1 to 9: no memory left to keep them, attention: not asked for"
    assert korean.text(reason(kept)) == "1–9단계의 어텐션 맵(메모리 부족), 어텐션(요청하지 않음)"
    assert korean.text(reason("cuda: it multiplies two matrices wrongly, mps: other")) == (
        "CUDA: 행렬 곱 결과가 틀림, MPS: other"
    )


def test_what_the_system_says_is_in_korean() -> None:
    for number in (errno.EACCES, errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EIO, errno.EMFILE):
        text = f"m cannot be read: {os.strerror(number)}"
        assert in_korean(text, said(text)) == ""
    with pytest.raises(UserError) as caught:
        parse_table('a,"b', "t.csv")
    assert Translator("ko").text(said(caught.value.what)).endswith("(데이터가 중간에 끝남)")


def test_a_name_that_reads_like_a_detail_stays_a_name() -> None:
    assert Translator("ko").text(said("missing x is empty")).endswith(": missing x")


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

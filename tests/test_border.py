"""The process border: credits, generations, tiles, and an engine that may fail or die."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ut_engine import checkpoint, family
from ut_engine.client import AHEAD, Client
from ut_engine.edits import Edit, edits_from
from ut_engine.errors import UserError
from ut_engine.forecast import forecast, map_bytes
from ut_engine.message import Message
from ut_engine.records import Capture
from ut_engine.run import load_run
from ut_engine.spec import UTConfig
from ut_engine.tiles import shrink, tile
from ut_engine.tokenizer import babi_tokenizer
from ut_engine.torch.model import UniversalTransformer
from ut_engine.wire import BrokenFrame, Sender, receive

STORY = "Mary went to the office.\nJohn moved to the garden.\nMary took the milk.\nWhere is the milk?"
PATIENCE = 60.0  # seconds a message may take on a busy machine; nothing here waits that long
STEPS = 20


@pytest.fixture(scope="module")
def model_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model with random weights that always takes every step."""
    torch.manual_seed(0)
    tokenizer = babi_tokenizer()
    config = UTConfig(
        vocab=len(tokenizer.words) + 1,
        answers=len(tokenizer.answers),
        words=tokenizer.sentence_length,
        d_model=16,
        heads=2,
        d_ff=32,
        max_steps=STEPS,
        halting="none",
    )
    path = tmp_path_factory.mktemp("models") / "작은 모형"
    tensors = {name: tensor.numpy() for name, tensor in UniversalTransformer(config).state_dict().items()}
    checkpoint.save(path, checkpoint.describe(config.to_dict(), "babi", tokenizer.to_config()), tensors)
    (path / "samples.json").write_text('[{"name": "milk", "text": "..."}, 3]', "utf-8")
    return path


@pytest.fixture(scope="module")
def shared(model_path: Path) -> Iterator[Client]:
    """One engine with the model open, for all tests that leave it well."""
    with Client() as client:
        client.opened(model_path, "cpu")
        yield client


def next_message(client: Client) -> Message:
    message = client.wait(PATIENCE)
    assert message is not None, "the engine says nothing"
    return message


def until(client: Client, op: str) -> list[Message]:
    """All messages up to and with the first of a kind."""
    found = [next_message(client)]
    while found[-1].op != op:
        found.append(next_message(client))
    return found


def ops(messages: list[Message]) -> list[str]:
    return [message.op for message in messages]


# ---------------------------------------------------------------- the main way


def test_opening_tells_what_the_checkpoint_is(shared: Client, model_path: Path) -> None:
    request = shared.open(model_path)
    message = until(shared, "opened")[-1]
    card = message.data["card"]
    assert message.request == request
    assert (card["name"], card["family"], card["task"]) == ("작은 모형", "universal_transformer", "babi")
    assert card["parameters"] == checkpoint.peek(model_path).parameters
    assert card["config"]["heads"] == 2
    assert card["device"] in ("cpu", "cuda", "mps")
    assert card["device_reason"]
    assert message.data["samples"] == [{"name": "milk", "text": "..."}]


def test_the_iterator_gives_what_the_model_gives(shared: Client, model_path: Path) -> None:
    across = list(shared.records(text=STORY))
    run = shared.result
    assert run is not None
    assert [record.step for record in across] == list(range(1, STEPS + 1))
    direct = list(family.load(model_path).model.steps(np.array(run.info.ids)))
    for one, other in zip(across, direct, strict=True):
        assert one.attention is not None
        assert other.attention is not None
        np.testing.assert_array_equal(one.attention[0].weights, other.attention[0].weights)
        np.testing.assert_array_equal(one.state, other.state)
        np.testing.assert_array_equal(one.readout, other.readout)
    assert run.records == tuple(across)
    info = run.info
    assert (info.finished, info.expected, info.marks) == ("done", "office", (1, 3))
    assert info.labels[0] == "Where is the milk?"
    assert info.story_order == (3, 2, 1, 0)
    assert (info.max_steps, info.device, info.cropped, info.epsilon) == (STEPS, "cpu", 0, None)
    assert info.versions["torch"]


def test_a_run_from_across_the_border_is_saved_and_reopened(shared: Client, tmp_path: Path) -> None:
    list(shared.records(text=STORY, steps=3))
    assert shared.result is not None
    shared.result.save(tmp_path / "a.trace.safetensors")
    back = load_run(tmp_path / "a.trace.safetensors")
    assert back.info == shared.result.info
    assert len(back.records) == 3


def test_token_ids_run_as_well(shared: Client) -> None:
    records = list(shared.records(ids=[[1, 2], [3, 0]], steps=2, capture=Capture(attention=False)))
    assert [record.attention for record in records] == [None, None]
    assert shared.result is not None
    assert shared.result.info.labels == ("where is", "was")


def test_leaving_the_iterator_stops_the_work(shared: Client) -> None:
    records = shared.records(text=STORY, steps=999)
    first = [next(records).step for _ in range(3)]
    records.close()  # type: ignore[attr-defined]
    assert first == [1, 2, 3]
    assert until(shared, "done")[-1].data["finished"] == "cancelled"
    assert shared.result is not None
    assert len(shared.result.records) < 999
    assert shared.result.info.finished == "cancelled"


# ---------------------------------------------------------------- credits


def test_one_credit_computes_one_step(shared: Client) -> None:
    generation = shared.run(text=STORY, credits=2)
    assert ops([next_message(shared) for _ in range(3)]) == ["started", "record", "record"]
    shared.step()
    assert next_message(shared).data["step"] == 3
    shared.step(2)
    assert [next_message(shared).data["step"] for _ in range(2)] == [4, 5]
    shared.cancel(generation)  # a step without a credit would come before the answer
    assert ops(until(shared, "done")) == ["done"]


def test_without_a_credit_nothing_is_computed(shared: Client) -> None:
    generation = shared.run(text=STORY)
    assert next_message(shared).op == "started"
    shared.cancel(generation)
    assert ops(until(shared, "done")) == ["done"]


def test_streaming_stays_eight_ahead_and_pauses_between_steps(shared: Client) -> None:
    generation = shared.run(text=STORY, steps=999)
    assert next_message(shared).op == "started"
    shared.play()
    taken = [next_message(shared).data["step"] for _ in range(30)]
    assert taken == list(range(1, 31))
    shared.pause()
    shared.cancel(generation)
    rest = until(shared, "done")[:-1]
    assert len(rest) <= AHEAD
    assert [message.data["step"] for message in rest] == list(range(31, 31 + len(rest)))


def test_revoked_credits_are_not_used(shared: Client) -> None:
    generation = shared.run(text=STORY, steps=999, credits=999)
    shared.revoke(generation)
    shared.grant(generation, 0)
    shared.cancel(generation)
    assert len(until(shared, "done")) < 999


def test_the_last_step_ends_the_run_without_another_credit(shared: Client) -> None:
    shared.run(text=STORY, steps=3, credits=3)
    assert ops(until(shared, "done")) == ["started", "record", "record", "record", "done"]


def test_a_new_generation_drops_the_old(shared: Client) -> None:
    shared.run(text=STORY, steps=999, credits=999)
    assert next_message(shared).op == "started"
    old = shared.generation
    new = shared.run(text=STORY, steps=2, credits=2)
    shared.grant(old, 5)
    messages = until(shared, "done")
    assert {message.generation for message in messages} == {new}
    assert ops(messages) == ["started", "record", "record", "done"]


def test_many_changes_of_mind_end_with_the_last(shared: Client) -> None:
    for steps in range(1, 12):
        shared.run(text=STORY, steps=steps, credits=99)
    messages = until(shared, "done")
    assert len(messages) == 11 + 2
    assert shared.take() == []


# ---------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"text": ""}, "the story is empty"),
        ({"text": "Where is Mary?"}, "no facts"),
        ({"text": "Mary went to the pub. Where is Mary?"}, '"pub" is a word'),
        ({"text": STORY, "steps": 0}, "0 steps cannot be run"),
        ({"text": STORY, "steps": 10_000}, "10000 steps cannot be run"),
        ({"text": STORY, "device": "tpu"}, "there is no device 'tpu'"),
        ({"text": STORY, "supports": [7]}, "supporting fact is not in the story"),
        ({"ids": []}, "do not fit this model"),
        ({"ids": [1, 2]}, "do not fit this model"),
        ({"ids": [[1], [2, 3]]}, "do not fit this model"),
        ({"ids": [[0, 0]]}, "the input is empty"),
        ({"ids": [[99999]]}, "the token id 99999 is unknown"),
        ({"ids": [[-1]]}, "the token id -1 is unknown"),
        ({"ids": [[1] * 99]}, "a position has 99 words"),
        ({}, "the story is empty"),
    ],
)
def test_wrong_input_is_one_sentence_and_the_engine_stays(
    shared: Client, asked: dict[str, Any], words: str
) -> None:
    with pytest.raises(UserError, match=words):
        list(shared.records(**asked))
    assert len(list(shared.records(text=STORY, steps=1))) == 1


def test_a_checkpoint_that_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    with fake() as client:
        with pytest.raises(UserError, match="does not exist"):
            client.opened(tmp_path / "없는 것")
        with pytest.raises(UserError, match="no checkpoint is open"):
            list(client.records(text=STORY))


def test_a_checkpoint_that_cannot_be_opened_leaves_the_one_before(model_path: Path, tmp_path: Path) -> None:
    with fake() as client:
        client.opened(model_path)
        with pytest.raises(UserError, match="does not exist"):
            client.opened(tmp_path / "none")
        assert len(list(client.records(text=STORY, steps=2))) == 2


# ---------------------------------------------------------------- large maps


def test_large_maps_stay_in_the_engine_and_come_as_tiles(shared: Client, model_path: Path) -> None:
    ids = [[1 + (i * 7 + j) % 30 for j in range(3)] for i in range(50)]
    records = list(shared.records(ids=ids, steps=3, limits={"whole": 0}))
    direct = list(family.load(model_path).model.steps(np.array([ids]), Capture(), 3))
    generation = shared.generation
    for record, whole in zip(records, direct, strict=True):
        assert record.attention is not None
        assert whole.attention is not None
        assert record.attention[0].weights is None
        assert record.attention[0].size == (1, 2, 50, 50)
        np.testing.assert_array_equal(record.attention[0].entropy, whole.attention[0].entropy)
    maps = direct[1].attention[0].weights
    wanted = [
        ({"head": 1}, maps[0, 1]),
        ({"head": "mean"}, maps[0].mean(0)),
        ({"head": "max", "rows": (4, 5)}, maps[0].max(0)[4:5]),
        ({"head": "all", "columns": (40, 50)}, maps[0, :, :, 40:]),
        ({"head": 0, "most": (10, 5)}, maps[0, 0].reshape(10, 5, 5, 10).max((1, 3))),
        ({"marks": [3, 7]}, maps[0, :, :, 3] + maps[0, :, :, 7]),
    ]
    for asked, values in wanted:
        request = shared.tile(generation, 2, **asked)
        message = until(shared, "tile")[-1]
        assert message.request == request
        np.testing.assert_allclose(message.values, values, atol=1e-7)


def test_tiles_that_cannot_be_are_refused_by_name(shared: Client) -> None:
    list(shared.records(text=STORY, steps=3, limits={"whole": 0, "keep": 1}))
    assert shared.result is not None
    assert shared.result.info.dropped == ("attention maps of steps 1 to 2: no memory left to keep them",)
    for step, asked, words in (
        (1, {}, "the map of step 1 is not kept"),
        (3, {"head": 2}, "there is no head 3"),
        (3, {"example": 1}, "there is no example 2"),
        (3, {"rows": (3, 9)}, "positions 4 to 9 are not in this map"),
        (3, {"kind": "cross"}, "has no cross attention"),
    ):
        request = shared.tile(shared.generation, step, **asked)  # type: ignore[arg-type]
        message = until(shared, "error")[-1]
        assert (message.request, message.data["for"]) == (request, "tile")
        assert words in message.data["what"]
    shared.tile(shared.generation, 3)
    assert until(shared, "tile")[-1].values is not None


def test_making_small_keeps_the_hot_cell() -> None:
    weights = np.zeros((1, 1, 1000, 777), np.float32)
    weights[0, 0, 613, 776] = 1.0
    small = tile(weights, 0, most=(33, 33))
    assert small.shape == (33, 33)
    assert small.max() == 1.0
    assert small[613 // 31, 776 // 24] == 1.0  # blocks of ceil(1000 / 33) rows and ceil(777 / 33) columns
    halves = shrink(np.array([[np.nan, 2.0, np.nan, np.nan, 5.0]]), 3, 1)
    np.testing.assert_array_equal(halves, [[2.0, np.nan, 5.0]])
    assert shrink(halves, 3, 1) is halves


def test_the_forecast_covers_the_maps() -> None:
    config = {"d_model": 256, "heads": 8, "d_ff": 1024, "answers": 6, "halting": "act"}
    assert map_bytes(config, 1024) == 32 << 20
    assert forecast(config, 1024, 10) > 10 * (32 << 20)
    assert forecast(config, 1024, 10, capture=Capture(attention=False)) < 4 * (32 << 20)


# ---------------------------------------------------------------- failures

FAKE = (sys.executable, "-P", str(Path(__file__).with_name("fake_engine.py")))  # what fails when: see there


def fake(**options: Any) -> Client:
    return Client(command=FAKE, stderr=subprocess.DEVNULL, **options)


@pytest.fixture(scope="module")
def saboteur(model_path: Path) -> Iterator[Client]:
    with fake() as client:
        client.opened(model_path)
        yield client


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (11, "the memory is not enough for this run"),
        (12, "the memory is not enough for this run"),
        (13, "the model failed: RuntimeError: shapes 3x4, and 5x6"),
        (14, "the model failed: SystemExit: 3"),
    ],
)
def test_a_model_that_raises_costs_a_run_not_the_engine(saboteur: Client, steps: int, words: str) -> None:
    with pytest.raises(UserError) as caught:
        list(saboteur.records(text=STORY, steps=steps))
    assert caught.value.what == words
    assert saboteur.result is not None
    assert saboteur.result.info.finished == "failed"
    assert len(saboteur.result.records) == 1
    assert len(list(saboteur.records(text=STORY, steps=1))) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a Unix matter")
@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (15, "the engine crashed (signal 11)"),
        (16, "the engine ended (exit code 7)"),
        (17, "the engine was killed"),
    ],
)
def test_an_engine_that_dies_is_reported_once(model_path: Path, steps: int, words: str) -> None:
    with fake() as client:
        client.opened(model_path)
        with pytest.raises(UserError) as caught:
            list(client.records(text=STORY, steps=steps))
        assert words in caught.value.what
        assert "start it again" in caught.value.do
        assert client.result is not None
        assert len(client.result.records) == 1
        client.play()
        client.tile(client.generation, 1)
        assert client.take() == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a Unix matter")
def test_a_killed_engine_loses_no_record_and_starts_again(model_path: Path, tmp_path: Path) -> None:
    heard = threading.Event()
    with fake(notify=heard.set) as client:
        client.opened(model_path)
        client.run(text=STORY, steps=999, credits=3, limits={"whole": 0})
        assert ops([next_message(client) for _ in range(4)])[1:] == ["record"] * 3
        heard.clear()
        os.kill(client.process.pid, signal.SIGKILL)
        message = next_message(client)
        assert message.op == "lost"
        assert "killed" in message.data["what"]
        assert heard.wait(PATIENCE)
        assert not client.alive
        run = client.result
        assert run is not None
        assert [record.step for record in run.records] == [1, 2, 3]
        assert run.info.finished == "lost"
        assert run.info.dropped == ("attention maps that had not been fetched: the engine ended",)
        run.save(tmp_path / "kept.trace.safetensors")
        assert len(load_run(tmp_path / "kept.trace.safetensors").records) == 3
        client.restart()
        client.opened(model_path, "cpu")
        assert len(list(client.records(text=STORY, steps=2))) == 2


def test_an_engine_in_the_middle_of_work_can_be_restarted(model_path: Path) -> None:
    with fake() as client:
        client.opened(model_path)
        client.run(text=STORY, steps=999, credits=999)
        assert next_message(client).op == "started"
        client.restart()
        assert client.alive
        assert client.result is not None
        assert client.result.info.finished == "lost"
        client.opened(model_path, "cpu")
        assert "lost" not in ops(client.take())


def test_a_program_that_cannot_be_started_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the engine cannot be started"):
        Client(command=[str(tmp_path / "nothing")])


def test_an_engine_without_torch_says_so() -> None:
    code = "import sys\nsys.modules['torch'] = None\nfrom ut_engine import host\nhost.main()"
    with Client(command=(sys.executable, "-c", code), stderr=subprocess.DEVNULL) as client:
        message = next_message(client)
        assert (message.op, message.data["for"]) == ("error", "start")
        assert "the engine cannot start" in message.data["what"]


# ---------------------------------------------------------------- nothing is left behind


def test_closing_ends_process_and_thread(model_path: Path) -> None:
    before = threading.active_count()
    client = fake()
    client.open(model_path)
    client.close()
    client.close()
    assert client.process.returncode is not None
    assert not client.reader.is_alive()
    assert threading.active_count() == before
    client.open(model_path)  # into the void, without an exception
    assert not client.alive


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a Unix matter")
def test_the_engine_ends_with_its_parent_and_ignores_ctrl_c(model_path: Path) -> None:
    """The engine holds the write end of the log: its end is the end of the file."""
    code = (
        "import os, signal, sys\n"
        "from ut_engine.client import Client\n"
        "client = Client(stderr=2, command=[sys.executable, '-P', sys.argv[2]])\n"
        "client.opened(sys.argv[1])\n"
        "os.kill(client.process.pid, signal.SIGINT)\n"
        f"steps = list(client.records(text={STORY!r}, steps=2))\n"
        "print(len(steps), flush=True)\n"
        "client.run(text='', credits=1)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    child = subprocess.run(
        [sys.executable, "-c", code, str(model_path), FAKE[-1]],
        capture_output=True, text=True, timeout=PATIENCE,
        check=False, env=os.environ | {"PYTHONPATH": str(Path(checkpoint.__file__).parent.parent)},
    )  # fmt: skip
    assert child.returncode == -signal.SIGKILL
    assert child.stdout == "2\n"
    assert set(child.stderr.splitlines()) == {"a print must not break a frame"}


def test_the_client_never_loads_torch(model_path: Path) -> None:
    code = (
        "import sys\n"
        "from ut_engine.client import Client\n"
        "with Client() as client:\n"
        "    client.opened(sys.argv[1], 'cpu')\n"
        f"    n = len(list(client.records(text={STORY!r}, steps=2)))\n"
        "print(n, 'torch' in sys.modules, 'PySide6' in sys.modules)\n"
    )
    child = subprocess.run(
        [sys.executable, "-c", code, str(model_path)], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(Path(checkpoint.__file__).parent.parent)},
    )  # fmt: skip
    assert child.stdout.split() == ["2", "False", "False"]


# ---------------------------------------------------------------- frames


def test_frames_cross_whole() -> None:
    stream = io.BytesIO()
    sender = Sender(stream)
    sender.send({"op": "open", "path": "모형\udcff"}, [b"abc", memoryview(b"de")])
    sender.send({"op": "close"})
    stream.seek(0)
    assert receive(stream) == ({"op": "open", "path": "모형\udcff"}, bytearray(b"abcde"))
    assert receive(stream) == ({"op": "close"}, bytearray())
    assert receive(stream) is None


def test_what_is_no_frame_is_refused() -> None:
    whole = io.BytesIO()
    Sender(whole).send({"op": "x"}, [b"12345678"])
    content = whole.getvalue()
    for size in range(1, len(content)):
        with pytest.raises(BrokenFrame):
            receive(io.BytesIO(content[:size]))
    for wrong in (b"a print in a model, long enough", content.replace(b'{"op"', b'["op"'), b"\0" * 40):
        with pytest.raises(BrokenFrame):
            receive(io.BytesIO(wrong))


# ---------------------------------------------------------------- a changed past


@pytest.fixture(scope="module")
def act_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model with ACT whose halted states are frozen."""
    torch.manual_seed(1)
    config = UTConfig(vocab=9, answers=3, d_model=16, heads=2, d_ff=24, max_steps=6, state="frozen")
    model = UniversalTransformer(config)
    torch.nn.init.normal_(model.halting_unit.weight, std=0.5)
    path = tmp_path_factory.mktemp("act") / "act"
    tensors = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    checkpoint.save(path, checkpoint.describe(config.to_dict()), tensors)
    return path


def test_a_changed_past_crosses_the_border(act_path: Path, tmp_path: Path) -> None:
    ids, edits = [3, 4, 5, 6, 7], (Edit("run", 2, 1), Edit("p", 1, 3, 0.125), Edit("halt", 3, 1))
    direct = family.load(act_path).model
    with Client() as client:
        client.opened(act_path, "cpu")
        for asked in ({}, {"edits": edits}, {"epsilon": 0.3}, {"edits": edits, "epsilon": 0.3, "steps": 9}):
            across = list(client.records(ids=ids, **asked))
            run = client.result
            assert run is not None
            options = {name: asked[name] for name in ("edits", "epsilon") if name in asked}
            expected = list(direct.steps(np.array([ids]), max_steps=asked.get("steps"), **options))
            assert len(across) == len(expected)
            for one, other in zip(across, expected, strict=True):
                assert one.halting is not None
                np.testing.assert_array_equal(one.state, other.state)
                np.testing.assert_array_equal(one.halting.signal, other.halting.signal)
            assert edits_from(run.info.edits) == asked.get("edits", ())
            assert run.info.epsilon == asked.get("epsilon", 0.01)
        run.save(tmp_path / "changed.trace.safetensors")
        assert load_run(tmp_path / "changed.trace.safetensors").info.edits == run.info.edits
        with pytest.raises(UserError, match="no position 6"):
            list(client.records(ids=ids, edits=(Edit("halt", 1, 5),)))
        assert len(list(client.records(ids=ids, steps=1))) == 1  # the engine goes on


def test_a_model_without_act_has_no_past_to_change(shared: Client) -> None:
    with pytest.raises(UserError, match="no p to change"):
        list(shared.records(text=STORY, edits=(Edit("halt", 1, 0),)))

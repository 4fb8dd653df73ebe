"""The trace: lossless, readable by anybody, written whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from ut_engine import files
from ut_engine.codec import record_facts, record_tensors
from ut_engine.errors import UserError
from ut_engine.records import Address, Attention, Halting, StepRecord, arrays_of
from ut_engine.run import Run, RunInfo, decode_record, encode_record, load_run

FLOATS = (np.float16, np.float32, np.float64)


def make_record(seed: int, address: Address, batch: int = 1, m: int = 3, heads: int = 2) -> StepRecord:
    """A random record; the seed also decides what is captured, its types and its memory layout."""
    rng = np.random.default_rng(seed)

    def numbers(*shape: int) -> Any:
        kind = FLOATS[rng.integers(3)]
        array = rng.standard_normal(shape[::-1]).astype(kind).T  # column-major: not contiguous
        return array if rng.random() < 0.5 else np.ascontiguousarray(array)

    def maybe(array: Any) -> Any:
        return array if rng.random() < 0.7 else None

    def flags() -> Any:
        return rng.random((batch, m)) < 0.6

    def entry(kind: str) -> Attention:
        keys = m if kind == "self" else m + 2
        kept = rng.random() < 0.7
        entropy = numbers(batch, heads, m)
        entropy[..., -1] = np.nan
        return Attention(
            kind=kind,
            weights=numbers(batch, heads, m, keys) if kept else None,
            size=None if kept else (batch, heads, m, keys),
            attendable=maybe(rng.integers(0, m, (batch, m)).astype(np.int32)),
            entropy=maybe(entropy),
            largest=maybe(numbers(batch, heads, m)),
            queries=maybe(numbers(batch, heads, m, 2)),
            key_index=maybe(np.arange(keys)),
            row_mass=maybe(numbers(batch, heads, m)),
        )

    halting = Halting(
        kind="act",
        signal=numbers(batch, m),
        running=flags(),
        halted=flags(),
        cumulative=maybe(numbers(batch, m)),
        weight=maybe(numbers(batch, m)),
        remainder=maybe(numbers(batch, m)),
        n_updates=maybe(rng.integers(0, 9, (batch, m)).astype(np.int32)),
        computed_after_halt=bool(rng.random() < 0.5),
    )
    kinds = [(), ("self",), ("self", "cross"), ("cross", "self", "self")][rng.integers(4)]
    return StepRecord(
        address=address,
        real=flags(),
        computed=flags(),
        state=maybe(numbers(batch, m, 4)),
        output=maybe(numbers(batch, m, 4)),
        attention=maybe(tuple(entry(kind) for kind in kinds)),
        halting=maybe(halting),
        readout=maybe(numbers(batch, m, 5)),
        readout_state=maybe(numbers(batch, m, 5)),
        update_norm=maybe(numbers(batch, m)),
        state_norm=maybe(numbers(batch, m)),
        seconds=float(rng.random()),
    )


def assert_same(one: StepRecord, other: StepRecord) -> None:
    assert record_facts(one) == record_facts(other)
    assert one.seconds == other.seconds
    left, right = record_tensors(one), record_tensors(other)
    assert list(left) == list(right)
    for name, array in left.items():
        assert (array.dtype, array.shape) == (right[name].dtype, right[name].shape), name
        assert array.tobytes() == right[name].tobytes(), name


def make_info(batch: int = 1, m: int = 3, **given: Any) -> RunInfo:
    values: dict[str, Any] = {
        "family": "universal_transformer",
        "checkpoint": "작은 모형",
        "config": {"heads": 2, "answers": 5},
        "parameters": 7,
        "labels": tuple(f"문장 {n}" for n in range(m)),
        "ids": tuple(tuple((1, 2) for _ in range(m)) for _ in range(batch)),
        "marks": (1,),
        "story_order": tuple(reversed(range(m))),
        "answers": ("a", "b", "c", "d", "e"),
        "expected": "b",
        "epsilon": 0.01,
        "max_steps": 9,
        "versions": {"torch": "2"},
    }
    return RunInfo(**(values | given))


addresses = st.builds(
    Address,
    step=st.integers(0, 999),
    side=st.sampled_from(["encoder", "decoder"]),
    outer=st.integers(0, 3),
    phase=st.sampled_from(["loop", "prelude", "coda"]),
    layer=st.integers(0, 3),
    call=st.integers(0, 3),
)
shapes = st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3))


@given(st.integers(0, 2**32), addresses, shapes)
@settings(max_examples=60)
def test_a_record_crosses_bit_for_bit(seed: int, address: Address, shape: tuple[int, int, int]) -> None:
    record = make_record(seed, address, *shape)
    back = decode_record(encode_record(record))
    assert_same(record, back)
    assert all(not array.flags.writeable for _, array in arrays_of(back))


@given(st.integers(0, 2**32), st.lists(addresses, max_size=4, unique=True), shapes)
@settings(max_examples=30)
def test_a_trace_is_lossless(
    tmp_path_factory: Any, seed: int, found: list[Address], shape: tuple[int, int, int]
) -> None:
    path = tmp_path_factory.mktemp("추적") / "실행.trace.safetensors"
    records = tuple(make_record(seed + n, address, *shape) for n, address in enumerate(found))
    run = Run(make_info(*shape[:2], marks=(), story_order=()), records)
    run.save(path)
    back = load_run(path)
    assert back.info == run.info
    assert len(back.records) == len(records)
    for one, other in zip(records, back.records, strict=True):
        assert_same(one, other)


def test_the_names_are_those_of_the_contract() -> None:
    record = make_record(0, Address(3))
    names = set(record_tensors(record))
    assert {"real.encoder.3", "computed.encoder.3", "seconds.encoder.3"} <= names
    deep = make_record(0, Address(3, "decoder", outer=2, phase="coda", layer=1, call=4))
    assert "real.decoder.3.1.4.o2.coda" in record_tensors(deep)
    layer = make_record(0, Address(3, layer=1))
    assert "real.encoder.3.1" in record_tensors(layer)


def test_plain_safetensors_reads_a_trace(tmp_path: Path) -> None:
    run = Run(make_info(), tuple(make_record(n, Address(n)) for n in (1, 2, 3)))
    run.save(tmp_path / "a.trace.safetensors")
    with safetensors.safe_open(str(tmp_path / "a.trace.safetensors"), "np") as file:
        assert json.loads(file.metadata()["run"])["checkpoint"] == "작은 모형"
        read = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
    ours: dict[str, Any] = {}
    for record in run.records:
        ours |= record_tensors(record)
    assert set(read) == set(ours)
    for name, array in ours.items():
        np.testing.assert_array_equal(read[name], array)


def test_what_safetensors_writes_is_unpacked() -> None:
    tensors = {"a": np.arange(6, dtype=np.int16).reshape(2, 3), "b": np.zeros((0, 4)), "c": np.array(True)}
    found, metadata = files.unpack(safetensors.numpy.save(tensors, {"k": "v"}))
    assert metadata == {"k": "v"}
    assert {name: array.tolist() for name, array in found.items()} == {
        name: array.tolist() for name, array in tensors.items()
    }


def test_big_endian_arrays_keep_their_values() -> None:
    array = np.array([1.5, -2.0], ">f4")
    found, _ = files.unpack(b"".join(files.pack({"a": array}, {})))
    assert found["a"].tolist() == [1.5, -2.0]


# ---------------------------------------------------------------- writing


def saved(path: Path) -> bytes:
    Run(make_info()).save(path)
    return path.read_bytes()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    path = tmp_path / "old.trace.safetensors"
    before = saved(path)

    def fails(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(UserError, match=r"old\.trace\.safetensors cannot be written"):
        Run(make_info(), (make_record(1, Address(1)),)).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.skipif(sys.platform == "win32", reason="limits on file sizes are a Unix matter")
def test_a_file_system_that_takes_no_more_is_one_sentence(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys, pathlib, numpy as np\n"
        "from ut_engine.files import write_atomically\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "try: write_atomically(pathlib.Path(sys.argv[1]) / 'a', [b'x' * 20000])\n"
        "except Exception as e: print(type(e).__name__, e)\n"
    )
    child = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert child.stdout.startswith("UserError a cannot be written: the file would be larger than allowed")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="its folder does not exist"):
        Run(make_info()).save(tmp_path / "nowhere" / "a.trace.safetensors")
    with pytest.raises(UserError, match="cannot be written"):
        Run(make_info()).save(tmp_path)


def test_files_abandoned_by_a_killed_writer_go_and_fresh_ones_stay(tmp_path: Path) -> None:
    old, fresh, other = (
        tmp_path / name
        for name in (
            ".a.trace.safetensors.x.part",
            ".a.trace.safetensors.y.part",
            ".b.trace.safetensors.x.part",
        )
    )
    for file in (old, fresh, other):
        file.write_bytes(b"half")
    for file in (old, other):
        os.utime(file, (1e9, 1e9))
    saved(tmp_path / "a.trace.safetensors")
    assert (old.exists(), fresh.exists(), other.exists()) == (False, True, True)


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes are Unix matters")
def test_a_link_and_the_permissions_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    files.write_atomically(link, [b"new"])
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640


# ---------------------------------------------------------------- the run itself


def act_record(step: int, p: list[float], remainder: list[float], n: list[int]) -> StepRecord:
    real = np.array([[True, True, False]])
    shape = (1, 3)
    halting = Halting(
        "act",
        signal=np.array([p]),
        running=np.array([[True, step == 1, False]]),
        halted=np.zeros(shape, bool),
        remainder=np.array([remainder]),
        n_updates=np.array([n]),
    )
    entropy = np.full((1, 2, 3), float(step))
    attention = Attention("self", None, entropy=entropy, size=(1, 2, 3, 3))
    readout = np.zeros((1, 3, 5))
    readout[0, 0, step] = np.log(4.0)
    return StepRecord(Address(step), real, real, attention=(attention,), halting=halting, readout=readout)


def test_the_curves_of_a_run() -> None:
    run = Run(make_info()).add(act_record(1, [0.2, 0.9, 0], [0, 0, 0], [1, 1, 0]))
    run = run.add(act_record(2, [0.5, 0.1, 0], [0.8, 0.1, 0], [2, 1, 0]))
    assert run.steps == 2
    assert run.n_running() == [2, 1]
    assert run.ponder().tolist() == [2.8, 1.1, 0.0]
    assert run.curve("signal")[:, 0].tolist() == [0.2, 0.5]
    assert np.isnan(run.curve("update_norm")).all()
    assert run.entropy(0).tolist() == [[1.0, 1.0], [2.0, 2.0]]
    assert run.predictions() == [("b", pytest.approx(0.5)), ("c", pytest.approx(0.5))]
    assert run.at(2) is run.records[1]
    assert run.at(3) is None
    ended = run.end("cancelled", ("maps: no memory",))
    assert (ended.info.finished, ended.info.dropped, ended.records) == (
        "cancelled",
        ("maps: no memory",),
        run.records,
    )


def test_a_run_without_records_has_empty_curves() -> None:
    run = Run(make_info())
    assert (run.steps, run.n_running(), run.predictions()) == (0, [], [])
    assert run.entropy(0).shape == (0, 0)
    assert run.curve("signal").shape == (0, 3)
    assert run.ponder().tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"labels": ("one",)},
        {"marks": (3,)},
        {"marks": (-1,)},
        {"finished": "perhaps"},
        {"readout": "last"},
        {"parameters": "many"},
        {"ids": ()},
        {"ids": ((1, 2, -3),)},
        {"labels": ("a", "b", 3)},
        {"config": None},
    ],
)
def test_a_description_that_fits_no_run_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must|unknown"):
        make_info(**wrong)
    with pytest.raises(UserError, match="is damaged"):
        RunInfo.from_dict(json.loads(json.dumps(make_info().to_dict() | wrong)))

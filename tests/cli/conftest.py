"""Small checkpoints with random weights, and one way to run a command line in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from app.cli import main
from ut_engine import checkpoint
from ut_engine.adapters.universal_transformer import shapes
from ut_engine.spec import UTConfig
from ut_engine.tokenizer import SymbolTokenizer, babi_tokenizer


@dataclass(frozen=True)
class Outcome:
    """What a command line left behind: its exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """stdout as strict JSON: nothing around it, no NaN."""
        return json.loads(self.out, parse_constant=refuse)


def refuse(name: str) -> NoReturn:
    raise AssertionError(f"{name} is no JSON")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    def run(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        streams = capsys.readouterr()
        return Outcome(code, streams.out, streams.err)

    return run


def weights(config: UTConfig, seed: int = 0) -> dict[str, Any]:
    draws = np.random.default_rng(seed)
    return {
        name: draws.normal(size=shape, scale=0.3).astype(np.float32) for name, shape in shapes(config).items()
    }


def save(folder: Path, config: UTConfig, tokenizer: Any = None, task: str = "babi") -> Path:
    described = checkpoint.describe(config.to_dict(), task, tokenizer and tokenizer.to_config(), {})
    checkpoint.save(folder, described, weights(config))
    return folder


@pytest.fixture(scope="session")
def babi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reads stories, halts by ACT; random weights."""
    known = babi_tokenizer()
    config = UTConfig(
        vocab=len(known.words) + 1,
        answers=len(known.answers),
        words=known.sentence_length,
        d_model=16,
        heads=2,
        d_ff=32,
        max_steps=6,
    )
    return save(tmp_path_factory.mktemp("checkpoints") / "babi-like", config, known)


@pytest.fixture(scope="session")
def symbols(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reads 0 and 1, runs four steps without halting, every position answers."""
    config = UTConfig(
        vocab=3, answers=2, d_model=8, heads=2, d_ff=16, max_steps=4, halting="none", readout="every"
    )
    folder = tmp_path_factory.mktemp("checkpoints") / "parity-like"
    return save(folder, config, SymbolTokenizer(("0", "1")), "parity")


@pytest.fixture
def refused(
    cli: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Run a command line that must be refused; what it said."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> str:
        before = snapshot(tmp_path)
        found = cli(*arguments)
        assert (found.code, found.out) == (2, ""), found
        line = one_line(found.err)
        assert snapshot(tmp_path) == before
        return line

    return run


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def one_line(said: str) -> str:
    line, end = said[:-1], said[-1:]
    assert end == "\n", said
    assert line.startswith("depthscope: error: ")
    assert "; " in line
    assert line.isprintable()  # so there is no second line
    assert "Traceback" not in line
    assert "usage:" not in line
    return line


@pytest.fixture(name="one_line")
def one_line_fixture() -> Callable[[str], str]:
    return one_line

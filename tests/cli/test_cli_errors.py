"""Wrong input: one line on stderr, exit code 2, nothing on stdout, nothing written."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
STORY = "Mary went to the office. John went to the garden. Where is Mary?"


STORIES = {
    "Mary flew to the office. Where is Mary?": "flew",
    "Mary went to the moon. Where is Mary?": "moon",
    "": "",
    "   \n ": "",
    "?": "",
    "...": "",
    "Where is Mary?": "",
    "Mary went to the office.": "",
    "Where is Mary? Mary went to the office. Where is Mary?": "",
    "Mary went to the office office office office office. Where is Mary?": "",
    "메리는 사무실에 갔다. Where is Mary?": "",
    "\x1b[31m went. Where is Mary?": "",
}


@pytest.mark.parametrize(("story", "named"), STORIES.items())
def test_a_story_that_cannot_be_read(
    refused: Callable[..., str], babi: Path, tmp_path: Path, story: str, named: str
) -> None:
    assert named in refused("trace", babi, "--text", story)
    (tmp_path / "story.txt").write_text(story)
    refused("trace", babi, "--input", tmp_path / "story.txt")


OPTIONS = """
--steps 0
--steps 10000
--steps -1
--steps 1000
--steps two
--steps 1e3
--device tpu
--story 0
--unknown
--tokens 1
-o .
-o no/folder/run.safetensors
"""


@pytest.mark.parametrize(
    "options",
    [
        *map(str.split, OPTIONS.strip().splitlines()),
        ["-o", ""],
        ["-o", "x\0y"],
        ["-o", "a" * 300],
        ["--steps", "9" * 5000],
    ],
)
def test_options_of_trace(refused: Callable[..., str], babi: Path, options: list[str]) -> None:
    refused("trace", babi, "--text", STORY, *options)


@pytest.mark.parametrize("tokens", ["", "0", "-1", "1,,2", "1.5", "a", "1,99", "3", "9" * 40, "1;2", ";"])
def test_tokens_that_are_none(refused: Callable[..., str], symbols: Path, tokens: str) -> None:
    refused("trace", symbols, f"--tokens={tokens}")


COMMAND_LINES = """
nonsense
--nonsense
help nonsense
trace
trace x
inspect
panes extra
act
act --scenario
act --scenario new
act --scenario fresh --table p.csv
act --scenario fresh --epsilon 1
act --scenario fresh --epsilon nan
act --scenario fresh --max-steps 0
act --scenario fresh --mixing sum
act --table missing.csv
act --table .
shot
shot --pane nowhere -o a.png
shot --pane all -o a --lang fr
shot --pane all -o a --size 0x0
shot --pane all -o a --scale 9
shot --pane lineage --shown -o a.png
shot --pane inspector -o a.png --size 99999x1
shot --pane inspector -o a.jpg
shot --pane inspector -o no/folder/a.png
shot --pane inspector -o a.png --view act?step=2
shot --pane inspector -o a.png --view ???
open missing.safetensors
train
train chess
train babi --config missing.toml --out new
train babi --resume --out nothing-here
eval missing
bench everything
"""


@pytest.mark.parametrize("line", COMMAND_LINES.strip().splitlines())
def test_command_lines(refused: Callable[..., str], line: str) -> None:
    words = line.split()
    refused(*words)
    refused(*words, "--json")


@pytest.mark.parametrize(
    "content",
    ["", "a,b\n", "1.5,0\n", "0.1,0.2\n0.1\n", "0.1,x,0.2\n0.1,0.2,0.3\n0.1,y,0.3\n", "nan\n", "\0"],
)
def test_tables_that_are_none(refused: Callable[..., str], tmp_path: Path, content: str) -> None:
    (tmp_path / "p.csv").write_text(content)
    refused("act", "--table", tmp_path / "p.csv")


PLANS = (
    "[model",
    "[other]\nx = 1\n",
    "[model]\nd_model = 'wide'\n",
    "[model]\nd_model = 7\n[train]\nsteps = 1\n",
    "[train]\nspeed = 1\n",
    "[train]\nsteps = -5\n",
    "[data]\nstories = 'many'\n",
    "task = 'chess'\n",
    "model = 1\n",
)


@pytest.mark.parametrize("content", PLANS)
def test_training_plans_that_are_wrong(refused: Callable[..., str], tmp_path: Path, content: str) -> None:
    (tmp_path / "plan.toml").write_text(content)
    refused("train", "babi", "--config", tmp_path / "plan.toml", "--out", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_device_that_is_not_there(
    refused: Callable[..., str], babi: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "cuda" in refused("trace", babi, "--text", STORY, "--device", "cuda")


def test_a_word_for_a_number(refused: Callable[..., str], babi: Path) -> None:
    assert "1 to 999" in refused("trace", babi, "--text", STORY, "--steps", "0")


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EACCES])
def test_a_disk_that_refuses_is_found_out_before_the_work(
    refused: Callable[..., str], babi: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(**_: Any) -> Any:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("app.verbs.target.tempfile.NamedTemporaryFile", refuse)
    monkeypatch.setattr(
        "app.verbs.trace._load", lambda *_: pytest.fail("it was loaded before the disk was tried")
    )
    refused("trace", babi, "--text", STORY, "-o", tmp_path / "run.trace.safetensors")


def test_a_disk_that_fills_up_while_writing(
    refused: Callable[..., str], cli: Cli, babi: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "run.trace.safetensors"
    assert cli("trace", babi, "--text", STORY, "-o", file).code == 0

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", full)
    assert "full" in refused("trace", babi, "--text", STORY, "-o", file)  # and the old file is as it was


def test_what_is_not_ours_is_not_overwritten(refused: Callable[..., str], babi: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model.safetensors"
    copy.write_bytes((babi / "model.safetensors").read_bytes())
    notes = tmp_path / "notes.txt"
    notes.write_text("important")
    for target in (copy, notes):
        refused("trace", babi, "--text", STORY, "-o", target)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device file")
def test_a_device_is_no_file(refused: Callable[..., str], babi: Path) -> None:
    refused("trace", babi, "--text", STORY, "-o", "/dev/full")
    refused("trace", babi, "--input", "/dev/null")
    assert not Path("/dev/full").is_file()


def test_more_memory_than_there_is(
    refused: Callable[..., str], babi: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.memory.available", lambda: 100)
    assert "--no-attention" in refused("trace", babi, "--text", STORY)

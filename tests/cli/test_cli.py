"""The command line as a whole: help, JSON, exit codes, pipes, Ctrl-C; what it loads and what not."""

from __future__ import annotations

import io
import json
import math
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app import cli as command_line
from app import paths
from app.verbs.common import plain, table, to_json
from ut_engine.run import load_run

Cli = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[2]
STORY = "Mary went to the office. John went to the garden. Where is Mary?"
LONG_RUN = ("--steps", "999", "--text", STORY)


@pytest.mark.parametrize("verb", command_line.VERBS)
def test_help_has_an_example(cli: Cli, verb: str) -> None:
    found = cli(verb, "--help")
    assert (found.code, found.err) == (0, "")
    assert f"example:\n  depthscope {verb}" in found.out
    assert cli("help", verb).out == found.out


@pytest.mark.parametrize("verb", command_line.VERBS)
def test_the_example_is_understood(verb: str) -> None:
    module, parser = command_line.parser_of(verb)
    program, named, *arguments = shlex.split(module.EXAMPLE)
    assert (program, named) == ("depthscope", verb)
    assert parser.parse_args(arguments) is not None


@pytest.mark.parametrize("verb", command_line.VERBS)
def test_verbs_that_find_something_have_json(verb: str) -> None:
    module, parser = command_line.parser_of(verb)
    assert ("--json" in parser.format_help()) == module.JSON == (verb != "open")


def test_the_list_of_verbs(cli: Cli) -> None:
    found = cli("--help")
    assert found.code == 0
    assert all(f"\n  {verb} " in found.out for verb in command_line.VERBS)
    assert "example:\n  depthscope " in found.out


def test_version(cli: Cli) -> None:
    assert cli("--version").out.startswith("depthscope ")


def test_panes(cli: Cli) -> None:
    from app.pane import all_panes

    found = cli("panes", "--json").document
    assert [one["name"] for one in found] == list(all_panes())
    assert all(set(one) == {"name", "title", "chapter"} for one in found)


def test_checkpoints_by_name(cli: Cli, babi: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "resource", lambda *_: babi.parent)
    monkeypatch.chdir(tmp_path)
    (listed,) = cli("checkpoints", "--json").document
    assert listed["name"] == "babi-like"
    assert (listed["task"], listed["family"]) == ("babi", "universal_transformer")
    assert cli("inspect", "babi-like", "--json").document["parameters"] == listed["parameters"]
    (tmp_path / "babi-like").mkdir()  # some folder of that name does not hide the checkpoint
    assert cli("inspect", "babi-like", "--json").document["path"] == str(babi)


def test_inspect(cli: Cli, babi: Path) -> None:
    found = cli("inspect", babi, "--json").document
    assert {"family", "config", "parameters", "halting", "tokenizer", "warnings"} <= set(found)
    assert found["halting"]["kind"] == "act"
    assert found["parameters"] == sum(math.prod(one["shape"]) for one in found["tensors"])
    assert "parameters" in cli("inspect", babi).out


def test_inspect_warns_of_a_zero_halting_kernel(cli: Cli, babi: Path, tmp_path: Path) -> None:
    from ut_engine import checkpoint

    header = checkpoint.peek(babi)
    arrays = dict(checkpoint.read_tensors(header))
    arrays["halting_unit.weight"] = np.zeros((1, 16), np.float32)
    arrays["halting_unit.bias"] = np.ones(1, np.float32)
    checkpoint.save(tmp_path / "fresh.safetensors", header.config, arrays)
    (warning,) = cli("inspect", tmp_path / "fresh.safetensors", "--json").document["warnings"]
    assert "p = 0.731" in warning


@pytest.mark.parametrize(
    ("state", "mixing", "output"),
    [("listing2", "basic", 3.4097), ("frozen", "basic", 3.211575), ("listing2", "accumulated", 4.7375)],
)
def test_act_gives_the_exact_toy(cli: Cli, state: str, mixing: str, output: float) -> None:
    found = cli("act", "--scenario", "two-position", "--state", state, "--mixing", mixing, "--json").document
    assert found["output"] == pytest.approx([2.0, output], abs=1e-12)
    assert found["n_updates"] == [1, 4]
    assert found["remainders"] == pytest.approx([1.0, 0.1], abs=1e-12)
    lines = [line["line"] for line in found["iterations"][0]["lines"]]
    assert lines == list(range(1, 10))
    assert np.shape(found["weights"]) == np.shape(found["effective_weights"]) == (2, 4)


def test_act_of_a_table(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text("token,1,2,3\nA,0.5,0.6,0.1\nB,0.1,0.1,0.1\n")
    found = cli("act", "--table", file, "--json").document
    assert found["tokens"] == ["A", "B"]
    assert found["n_updates"] == [2, 3]
    assert found["remainders"] == pytest.approx([0.5, 0.0])
    assert "loss term" in cli("act", "--table", file).out
    assert cli("act", "--table", file, "--max-steps", 2, "--json").document["n_updates"] == [2, 2]


def test_doctor(cli: Cli, own_settings: Path) -> None:
    found = {one["check"]: one for one in cli("doctor", "--json").document}
    assert found["python"]["ok"]
    assert found["Qt platform plug-in"]["ok"]
    assert "Pretendard" in found["fonts"]["found"]
    assert {"Pillow (optional)", "ffmpeg (optional)"} <= found.keys()
    assert str(own_settings) in found["settings folder"]["found"]
    assert all(one["ok"] == (one["fix"] is None) for one in found.values())
    assert not own_settings.exists()  # looking leaves nothing behind


def test_json_is_strict() -> None:
    value = {"a": np.array([1.0, math.nan, math.inf]), "b": (np.int64(3), True, None), "path": Path("x")}
    assert json.loads(to_json(value)) == {"a": [1.0, None, None], "b": [3, True, None], "path": "x"}
    assert plain(np.float32(0.5)) == 0.5
    assert to_json("한글").isascii()


def test_tables_line_up() -> None:
    rows = [("한글", 1, 0.5, None), ("a\x1b[31m", 1200, 12.25, True)]
    assert table(("name", "n", "x", "ok"), rows).splitlines() == [
        "name           n      x  ok",
        "한글           1   0.50  -",
        "a\\x1b[31m  1,200  12.25  yes",
    ]


def test_our_own_fault_is_exit_1(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise KeyError("a bug")

    monkeypatch.setattr("app.pane.all_panes", broken)
    found = cli("panes")
    assert (found.code, found.out) == (1, "")
    assert "Traceback" in found.err
    assert found.err.splitlines()[-1].startswith("depthscope: internal error:")


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (MemoryError(), 2), (BrokenPipeError(), 141)]
)
def test_exit_codes(cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int) -> None:
    def failing() -> None:
        raise error

    monkeypatch.setattr("app.pane.all_panes", failing)
    found = cli("panes", "--json")
    assert (found.code, found.out) == (code, "")
    assert len(found.err.splitlines()) <= 1


def test_what_a_verb_prints_does_not_reach_stdout(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def chatty() -> dict[str, Any]:
        print("a library says hello")
        return {}

    monkeypatch.setattr("app.pane.all_panes", chatty)
    found = cli("panes", "--json")
    assert found.document == []
    assert "hello" in found.err


def test_no_display_is_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.display.why_no_display", lambda **_: "there is no screen")
    for arguments in ((), ("open",)):
        found = cli(*arguments)
        assert (found.code, found.out) == (2, "")
        assert found.err.startswith("depthscope: error: no window can be shown: there is no screen; ")
        assert len(found.err.splitlines()) == 1


def test_a_file_without_a_verb_is_opened(cli: Cli, babi: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.display.why_no_display", lambda **_: "no screen")
    assert "no window" in cli(babi).err


def test_text_that_the_terminal_cannot_show(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding="ascii"))
    assert command_line._show("한 ok") == 0
    assert buffer.getvalue() == b"\\ud55c ok\n"


def started(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "app.cli", *map(str, arguments)], cwd=ROOT, stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE, **options,
    )  # fmt: skip


def test_a_closed_pipe_is_quiet() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    child = started("act", "--scenario", "hesitant", "--json", stdout=writing)
    os.close(writing)
    assert child.communicate(timeout=60)[1] == b""
    assert child.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_behind_stdout() -> None:
    with open("/dev/full", "wb") as full:
        child = started("act", "--scenario", "fresh", "--json", stdout=full)
        said = child.communicate(timeout=60)[1].decode()
    assert child.returncode == 2
    assert said.startswith("depthscope: error: the result cannot be written")
    assert len(said.splitlines()) == 1


def test_english_in_every_locale() -> None:
    spoken = {**os.environ, "LANG": "ko_KR.UTF-8", "LANGUAGE": "ko", "LC_ALL": "ko_KR.UTF-8"}
    child = started("inspect", "nothing-here", env=spoken, stdout=subprocess.PIPE)
    out, said = child.communicate(timeout=60)
    assert (child.returncode, out) == (2, b"")
    assert said.isascii()


def test_light_verbs_load_neither_torch_nor_qt(babi: Path) -> None:
    lines = [["panes"], ["act", "--scenario", "fresh"], ["inspect", str(babi)], ["checkpoints"]]
    code = (
        "import sys\nfrom app.cli import main\n"
        f"codes = [main(line + ['--json']) for line in {lines!r}]\n"
        "print(codes, {'torch', 'PySide6'} & set(sys.modules), file=sys.stderr)"
    )
    child = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=100
    )
    assert child.stderr == "[0, 0, 0, 0] set()\n"


def test_ctrl_c_in_the_middle_of_a_run(
    cli: Cli, babi: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.verbs import trace

    original = trace._stepping
    closed: list[bool] = []

    def interrupted(*arguments: Any) -> Any:
        try:
            yield next(original(*arguments))
            raise KeyboardInterrupt
        finally:
            closed.append(True)

    monkeypatch.setattr(trace, "_stepping", interrupted)
    found = cli("trace", babi, "--text", STORY, "-o", tmp_path / "run.trace.safetensors")
    assert (found.code, found.out, closed) == (130, "", [True])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one child")
def test_ctrl_c_saves_a_training_run_within_a_second(cli: Cli, tmp_path: Path) -> None:
    plan = tmp_path / "small.toml"
    plan.write_text(
        "[model]\nd_model = 8\nheads = 2\nd_ff = 16\nmax_steps = 3\n"
        "[train]\nsteps = 100000\nbatch = 4\nevaluate_every = 100000\n"
        "[data]\nstories = 40\nvalidation_stories = 4\n"
    )
    child = started("train", "babi", "--config", plan, "--out", tmp_path / "run", stdout=subprocess.PIPE)
    try:
        assert child.stderr is not None
        assert child.stderr.readline().startswith(b"step ")
        child.send_signal(signal.SIGINT)
        out, said = child.communicate(timeout=20)
    finally:
        child.kill()
        child.wait()
    assert (child.returncode, out) == (130, b"")
    assert b"Traceback" not in said
    assert cli("inspect", tmp_path / "run", "--json").document["task"] == "babi"
    assert not [path for path in (tmp_path / "run").iterdir() if path.name.endswith(".part")]


def test_a_recorded_run_opens_again(cli: Cli, babi: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.trace.safetensors"
    assert cli("trace", babi, *LONG_RUN, "-o", file).code == 0
    assert load_run(file).steps >= 1


def test_a_picture_of_every_pane(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.pane import all_panes

    asked: list[tuple[str, dict[str, Any]]] = []

    def drawn(pane: str, out: Path, **options: Any) -> None:
        asked.append((pane, options))
        out.write_bytes(b"a picture")

    monkeypatch.setattr("app.qt.application.shot", drawn)
    view = "inspector?step=2"
    found = cli(
        "shot", "--pane", "all", "--view", view, "--size", "900x700", "-o", tmp_path / "new", "--json"
    )
    assert [one["pane"] for one in found.document] == list(all_panes()) == [pane for pane, _ in asked]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(
        f"{p}.png" for p in all_panes()
    )
    assert {pane: options["view"] for pane, options in asked}["inspector"] == view
    assert all(options["size"] == (900, 700) for _, options in asked)


def test_a_picture_that_fails_leaves_the_old_one(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(b"the old one")

    def interrupted(_: str, out: Path, **__: Any) -> None:
        out.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr("app.qt.application.shot", interrupted)
    assert cli("shot", "--pane", "inspector", "-o", file).code == 130
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"the old one"]


def test_the_frozen_programs_entry_is_the_command() -> None:
    child = subprocess.run(
        [sys.executable, "main.py", "act", "--scenario", "hesitant", "--json"],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (child.returncode, child.stderr) == (0, "")
    found = json.loads(child.stdout)
    assert found["n_updates"] == [12] * len(found["tokens"])
    assert found["remainders"] == [0.0] * len(found["tokens"])
    assert np.sum(found["weights"], axis=1) == pytest.approx(0.6)
    assert found["zero_share"] == pytest.approx([0.95**12] * len(found["tokens"]))


def test_the_program_can_be_its_own_engine() -> None:
    child = subprocess.run(
        command_line.child_command("_engine"), cwd=ROOT, input=b"", capture_output=True, timeout=60
    )
    assert child.returncode == 0, child.stderr


def test_a_frozen_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert command_line.child_command("_engine") == (sys.executable, "_engine")

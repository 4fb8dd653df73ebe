"""`depthscope train`: a training run without a window; Ctrl-C saves it, --resume goes on."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.verbs.common import Result, loading
from app.verbs.eval import report_text
from app.verbs.target import check_folder
from ut_engine.errors import UserError

EXAMPLE = "depthscope train babi --config my.toml --out runs/my-model"
JSON = True


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="TASK", help="what to learn: babi, parity, copy, reverse, addition")
    parser.add_argument("--config", type=Path, metavar="F.toml", help="tables [model], [train], [data]")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run's folder (runs/TASK)")
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run in DIR, bit for bit on the CPU"
    )


def run(arguments: argparse.Namespace) -> Result:
    from app.paths import resource
    from ut_engine.tasks.registry import TASKS

    task = arguments.task
    if task not in TASKS:
        raise UserError(f"there is no task {task!r}", f"use one of {', '.join(TASKS)}")
    if arguments.resume and arguments.config:
        raise UserError("--resume goes on with the configuration the run has", "leave out --config")
    out: Path = arguments.out or Path("runs") / task
    check_folder(out)
    plan: Path = arguments.config or resource("training", f"{task}.toml")
    if not arguments.config and not arguments.resume and not plan.is_file():
        raise UserError(f"no configuration for {task} ships with this build", "give one with --config")

    with loading():
        import torch._dynamo  # noqa: F401  (what torch imports when the first optimizer is made)

        from ut_engine.torch.device import use_threads
        from ut_engine.torch.train_run import train
    use_threads()
    final = train(task, plan, out, arguments.resume, _say)
    return Result({"folder": str(out), **final}, f"{report_text(final)}\n\nsaved in {out}")


def _say(line: str) -> None:
    """A line of progress; on a terminal it replaces the one before."""
    if sys.stderr is None:
        return
    if sys.stderr.isatty() and line.startswith("step") and "left" in line:
        sys.stderr.write(f"\r\x1b[K{line}")
    else:
        sys.stderr.write(f"\r\x1b[K{line}\n" if sys.stderr.isatty() else f"{line}\n")
    sys.stderr.flush()

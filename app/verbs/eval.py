"""`depthscope eval`: accuracy, ponder time and attention of a checkpoint; also its model card."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.verbs.common import Result, checkpoint_path, loading, table, whole
from app.verbs.target import check_file

EXAMPLE = "depthscope eval babi --data tasks/en-1k --json"
JSON = True


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="a file, a folder, or a shipped one's name")
    parser.add_argument(
        "--task", metavar="TASK", help="only this one: qa2 of --data, `2 facts` of generated ones"
    )
    parser.add_argument(
        "--data", type=Path, metavar="PATH", help="an official bAbI file, or a folder of them"
    )
    parser.add_argument(
        "--lengths", type=_lengths, metavar="a,b,c", help="by number of symbols, or of facts told, generated"
    )
    parser.add_argument("--steps", type=whole(1, 999), metavar="T", help="steps, or their cap with halting")
    parser.add_argument("--same-story", action="store_true", help="the same stories, other questions")
    parser.add_argument(
        "--card", type=Path, metavar="FILE.md", help="write the model card too: generated, same story, --data"
    )
    parser.add_argument(
        "--seeds", type=Path, nargs="+", default=[], metavar="RUN", help="other seeds' runs, told in the card"
    )


def run(arguments: argparse.Namespace) -> Result:
    path = checkpoint_path(arguments.checkpoint)
    card: Path | None = arguments.card
    if card is not None:
        check_file(card)

    with loading():
        from ut_engine.family import load
        from ut_engine.torch.device import use_threads
        from ut_engine.torch.eval_lengths import card_reports
        from ut_engine.torch.eval_run import evaluate_checkpoint, model_card, run_title
    use_threads()
    loaded = load(path)
    found = evaluate_checkpoint(
        loaded, arguments.task, arguments.data, arguments.same_story, arguments.lengths, arguments.steps
    )
    found["cropped"] = sum(task["cropped"] for task in found["per_task"])
    if card is not None:
        from ut_engine.files import write_atomically

        if "sequence_accuracy" in found:
            reports = card_reports(loaded, found)
        else:
            reports = {"Generated stories": evaluate_checkpoint(loaded)}
            reports["The same stories, other questions"] = evaluate_checkpoint(loaded, same_story=True)
            if arguments.data is not None:
                reports["Official test files"] = found
        for run in arguments.seeds:
            other = load(run)
            reports[run_title(other)] = evaluate_checkpoint(other, lengths=arguments.lengths)
        text = model_card(loaded.header.name, loaded, reports)
        write_atomically(card, [text.encode("utf-8")])
        found["card"] = str(card)
    return Result(found, report_text(found))


def report_text(report: Mapping[str, Any]) -> str:
    """The figures as tables: one row a task, then step by step."""
    if "sequence_accuracy" in report:
        return lengths_text(report)
    tasks = report["per_task"]
    rows = [
        (
            task["task"], task["n"], task["accuracy"], task["ponder_mean"], task["ponder_std"],
            task["question_ponder_mean"], task["cropped"],
        )
        for task in tasks
    ]  # fmt: skip
    head = ("task", "n", "accuracy", "N", "±", "N question", "cropped")
    longest = max(len(task["n_by_step"]) for task in tasks)
    steps = [
        (task["task"], label, *(task[key] + [None] * longest)[:longest])
        for task in tasks
        for key, label in (
            ("accuracy_by_step", "accuracy if stopped"),
            ("entropy_by_step", "entropy / ln n"),
            ("gold_mass_by_step", "mass on facts"),
            ("n_by_step", "still running"),
        )
    ]
    by_step = table(("task", "by step", *map(str, range(1, longest + 1))), steps)
    total = f"accuracy {report['accuracy']:.4f} of {report['n']:,}, N {report['ponder_mean']:.2f}"
    return f"{table(head, rows)}\n\n{by_step}\n\n{total} ± {report['ponder_std']:.2f}{_broken(report)}"


def lengths_text(report: Mapping[str, Any]) -> str:
    """An algorithmic task: one row a length; N at the first, the middle and the last position asked."""
    rows = []
    for one in report["per_task"]:
        updates = [n for n in one["ponder_by_position"] if n is not None]
        below = (i for i, a in enumerate(one["accuracy_by_position"], 1) if a is not None and a < 0.99)
        rows.append(
            (
                one["task"], one["sequences"], one["accuracy"], one["sequence_accuracy"],
                next(below, None), one["steps"], one["ponder_mean"], updates[0],
                updates[len(updates) // 2], updates[-1],
            )
        )  # fmt: skip
    head = (
        "length", "strings", "symbols", "whole", "first below .99", "steps", "N", "N first", "N middle",
        "N last",
    )  # fmt: skip
    total = f"accuracy {report['accuracy']:.4f} of {report['n']:,} symbols"
    return f"{table(head, rows)}\n\n{total}, whole strings {report['sequence_accuracy']:.4f}{_broken(report)}"


def _broken(report: Mapping[str, Any]) -> str:
    """What is said of a model whose numbers overflowed."""
    count = sum(task["not_finite"] for task in report["per_task"])
    return f"\n\n{count:,} answers are not finite (NaN or infinity) and count as wrong" if count else ""


def _lengths(text: str) -> tuple[int, ...]:
    try:
        lengths = tuple(int(part) for part in text.split(","))
    except ValueError:
        lengths = ()
    if not lengths or min(lengths) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of lengths such as 4,8,16")
    return lengths

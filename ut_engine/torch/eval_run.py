"""Evaluation of a checkpoint from files or from generated stories, and the model card made of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ut_engine.checkpoint import Loaded
from ut_engine.errors import UserError
from ut_engine.tasks.babi import read_babi
from ut_engine.tasks.babi_data import examples, fact_count, same_story_groups
from ut_engine.tasks.babi_generate import generate
from ut_engine.tasks.babi_samples import HOPS
from ut_engine.tasks.data import Group
from ut_engine.tasks.registry import TASKS
from ut_engine.tasks.symbols import SymbolData
from ut_engine.tokenizer import SentenceTokenizer, from_config
from ut_engine.torch.eval_lengths import card_of_lengths, lengths_report
from ut_engine.torch.evaluation import evaluate

STORIES = 500
SEED = 30_000  # apart from the seeds of training (1) and validation (10,001)


def evaluate_checkpoint(
    loaded: Loaded,
    task: str | None = None,
    data: Path | None = None,
    same_story: bool = False,
    lengths: Sequence[int] | None = None,
    steps: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Figures of the contract's `eval`; of an algorithmic task by length (`lengths_report`).

    data: an official bAbI file, or a folder of them (its test files of qa1 ... qa3 are read); None
    generates stories.  task: only that one ("qa2" or "2 facts").  same_story: the control, generated.
    lengths: generated stories of just so many facts, one group a length.  steps: the cap on steps.
    progress: of bAbI, told how many of how many stories have been run.
    The head whose mass is reported was fixed on validation data when training ended.
    """
    if issubclass(TASKS.get(loaded.task, object), SymbolData):
        if data is not None or same_story:
            raise UserError(
                f"the task {loaded.task} makes its own strings", "leave --data and --same-story out"
            )
        if task is not None:
            raise UserError("an algorithmic task is one task", "leave --task out, choose --lengths")
        return lengths_report(loaded, lengths, steps)
    if loaded.task != "babi":
        known = f"choose a checkpoint of the tasks {', '.join(TASKS)}"
        raise UserError(f"no evaluation is known for the task {loaded.task!r}", known)
    tokenizer = from_config(dict(loaded.tokenizer_config))
    if not isinstance(tokenizer, SentenceTokenizer):
        raise UserError("the checkpoint reads symbols, not sentences", "choose a babi checkpoint")
    if data is not None and same_story:
        raise UserError("--same-story makes its own stories", "leave --data out")
    if lengths is not None and (data is not None or same_story):
        raise UserError("--lengths makes its own stories", "leave --data and --same-story out")
    if lengths is not None:
        groups = length_groups(lengths, tokenizer)
    elif same_story:
        groups = same_story_groups(STORIES, SEED, tokenizer)
    elif data is not None:
        groups = official_groups(data, tokenizer)
    else:
        groups = generated_groups(tokenizer)
    groups = chosen(groups, task)
    head = loaded.training.get("gold_head")
    report = evaluate(loaded.model, groups, None if head is None else int(head) - 1, steps, progress)
    report["data"] = data.name if data else "same story" if same_story else "generated stories"
    report["head_fixed_on_validation"] = head is not None
    return report


def generated_groups(tokenizer: SentenceTokenizer) -> tuple[Group, ...]:
    most = tokenizer.max_positions - 1
    return tuple(
        Group(fact_count(hops), tuple(examples(generate(hops, STORIES, SEED, most), tokenizer)))
        for hops in HOPS
    )


def length_groups(lengths: Sequence[int], tokenizer: SentenceTokenizer) -> tuple[Group, ...]:
    """One group a number of facts told; questions of one, two and three facts in equal parts."""
    groups = []
    for length in lengths:
        per_hops = STORIES // len(HOPS)
        stories = [story for hops in HOPS for story in generate(hops, per_hops, SEED, length, length)]
        groups.append(Group(f"{length} told", tuple(examples(stories, tokenizer))))
    return tuple(groups)


def official_groups(path: Path, tokenizer: SentenceTokenizer) -> tuple[Group, ...]:
    """One group a file; a folder gives its test files of qa1, qa2 and qa3."""
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if re.fullmatch(r"qa[123]_.*_test\.txt", file.name))
        if not files:
            raise UserError(
                f"{path} has no test files of qa1, qa2 or qa3", "give the folder of the bAbI files"
            )
    groups = []
    for file in files:
        stories = read_babi(file)
        groups.append(Group(stories[0].task or file.stem, tuple(examples(stories, tokenizer))))
    return tuple(groups)


def chosen(groups: Sequence[Group], task: str | None) -> tuple[Group, ...]:
    kept = tuple(group for group in groups if task in (None, group.name))
    if not kept:
        known = ", ".join(group.name for group in groups)
        raise UserError(f"there is no task {task!r} in this data", f"use one of {known}")
    return kept


# ---------------------------------------------------------------- the model card


def model_card(name: str, loaded: Loaded, reports: Mapping[str, Mapping[str, Any]]) -> str:
    """The card as Markdown: what it is, how it was trained, and every figure of the reports as it came."""
    if any("sequence_accuracy" in report for report in reports.values()):
        return card_of_lengths(name, loaded, reports)
    config = loaded.config
    halting = (
        f"ACT, state `{config.state}`, mixing `{config.mixing}`, p from the step's {config.p_from} state, "
        f"epsilon {config.epsilon:g}, at most {config.max_steps} steps, "
        f"initial bias {config.halting_bias:g}, ponder weight {config.ponder_weight:g}"
        if config.act
        else f"none, {config.max_steps} steps"
    )
    lines = [
        f"# {name}",
        "",
        f"Universal Transformer encoder, task `{loaded.task}`, {loaded.header.parameters:,} parameters "
        f"(d = {config.d_model}, {config.heads} heads, inner width {config.d_ff}, {config.norm}-norm, "
        f"coordinate signal `{config.signal}`).",
        f"Halting: {halting}.",
        f"Training: {loaded.training.get('steps', 'unknown')} steps on generated stories only, "
        f"seed {loaded.training.get('seed', 'unknown')}.",
        "",
        "N is the number of updates. Entropy (over ln of the readable keys, mean of the heads) and mass on "
        "the supporting facts are of the question's row, over the questions still running; the mass is that "
        f"of head {loaded.training.get('gold_head', 'unknown')}, fixed on validation stories.",
    ]
    for title, report in reports.items():
        lines += ["", f"## {title}", "", *card_tables(report)]
    return "\n".join(lines) + "\n"


def run_title(loaded: Loaded) -> str:
    """Which run this was, for the card of another one: seed, steps trained, and how it ponders."""
    training = loaded.training
    title = f"Another run: seed {training.get('seed', 'unknown')}, {training.get('steps', 'unknown')} steps"
    if training.get("steps") != training.get("planned_steps"):
        title += f" of {training.get('planned_steps', 'unknown')}"
    if loaded.config.readout == "every":
        return title + f", {training.get('train', {}).get('batch', 32)} strings each"
    if loaded.config.act:
        title += f", ponder weight {loaded.config.ponder_weight:g}, at most {loaded.config.max_steps} rounds"
    return title


def card_tables(report: Mapping[str, Any]) -> list[str]:
    lines = [
        "| task | n | accuracy | N, all positions | N, question | cropped |",
        "|---|---|---|---|---|---|",
    ]
    for task in report["per_task"]:
        lines.append(
            f"| {task['task']} | {task['n']} | {task['accuracy']:.3f} "
            f"| {task['ponder_mean']:.2f} ± {task['ponder_std']:.2f} "
            f"| {task['question_ponder_mean']:.2f} ± {task['question_ponder_std']:.2f} | {task['cropped']} |"
        )
    lines += ["", "| task | by step | " + " | ".join(map(str, range(1, _longest(report) + 1))) + " |"]
    lines.append("|---" * (_longest(report) + 2) + "|")
    for task in report["per_task"]:
        for key, label in (
            ("entropy_by_step", "entropy"),
            ("gold_mass_by_step", "mass on facts"),
            ("accuracy_by_step", "accuracy if stopped"),
            ("n_by_step", "still running"),
        ):
            cells = [_cell(value) for value in task[key]]
            cells += [""] * (_longest(report) - len(cells))
            lines.append(f"| {task['task']} | {label} | " + " | ".join(cells) + " |")
    return lines


def _longest(report: Mapping[str, Any]) -> int:
    return max(len(task["n_by_step"]) for task in report["per_task"])


def _cell(value: float | int | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.2f}"

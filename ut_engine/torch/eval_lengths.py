"""Evaluation of a checkpoint of an algorithmic task, by length, and the card made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ut_engine.checkpoint import Loaded
from ut_engine.errors import UserError
from ut_engine.spec import UTConfig
from ut_engine.tasks.registry import task_data
from ut_engine.tasks.symbols import SymbolData, without_start
from ut_engine.tokenizer import SymbolTokenizer, from_config
from ut_engine.torch.by_length import by_length

SEQUENCES = 200
TIMES = (1, 2, 4, 10)
MOST_LENGTH = 2_050
SEED = 30_000  # apart from the seeds of training and validation (1 and 10,001 by default)


def lengths_report(
    loaded: Loaded,
    lengths: Sequence[int] | None = None,
    steps: int | None = None,
    sequences: int = SEQUENCES,
) -> dict[str, Any]:
    """An algorithmic task by length, on strings drawn apart from training and validation.

    lengths: what to measure; None: the task's training length, then twice, four and ten times it, as far as
    the model goes.  steps: the cap on steps whatever the length, None for the model's own.
    """
    made = task_data(loaded.task, loaded.training.get("data", {}))
    assert isinstance(made, SymbolData)
    tokenizer = from_config(dict(loaded.tokenizer_config))
    if not isinstance(tokenizer, SymbolTokenizer):
        raise UserError("the checkpoint reads sentences, not symbols", "choose another checkpoint")
    lengths = [made.longest * times for times in TIMES] if lengths is None else lengths
    groups = [made.groups([length], _strings(length, sequences), SEED)[0] for length in lengths]
    if not tokenizer.start:
        groups = [without_start(group) for group in groups]
    for group in groups:
        positions = len(group.examples[0].ids)
        most = min(MOST_LENGTH, tokenizer.max_positions or MOST_LENGTH)
        if positions > most:
            raise UserError(
                f"strings of length {group.name} have {positions:,} positions", f"give at most {most:,}"
            )
        loaded.config.steps_allowed(steps, positions)
    report = by_length(loaded.model, groups, steps, by_step=True)
    return report | {"data": "generated strings", "trained_on": made.longest}


def _strings(length: int, sequences: int) -> int:
    """Fewer strings of a great length: as many symbols say as much."""
    return max(16, min(sequences, sequences * 80 // length))


# ---------------------------------------------------------------- the model card


def card_of_lengths(name: str, loaded: Loaded, reports: Mapping[str, Mapping[str, Any]]) -> str:
    """The card as Markdown; reports: by title, the shipped weights' first, other seeds after it."""
    lines = [f"# {name}", "", *described(loaded)]
    for title, report in reports.items():
        lines += ["", f"## {title}", "", *length_table(report)]
    return "\n".join(lines) + "\n"


def card_reports(loaded: Loaded, found: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What a card tells of these weights: the report, and where T follows the length also a fixed depth."""
    reports = {"By length": found}
    config, trained = loaded.config, found["trained_on"]
    if config.architecture == "universal" and config.steps_from == "length" and not config.act:
        lengths = [int(one["task"]) for one in found["per_task"]]
        title = f"The same weights, always {trained + 1} steps"
        reports[title] = lengths_report(loaded, lengths, trained + 1)
    return reports


def described(loaded: Loaded) -> list[str]:
    """What it is, and how it came to be."""
    config, training = loaded.config, loaded.training
    sizes = f"{loaded.header.parameters:,} parameters (d = {config.d_model}"
    if config.architecture != "lstm":
        heads = f"{config.heads} head{'s' if config.heads > 1 else ''}"
        sizes += f", {heads}, inner width {config.d_ff}"
    lines = [f"{kind_of(config)}, task `{loaded.task}`, {sizes})."]
    if config.architecture != "lstm":
        lines.append(
            f"Block: {'no LayerNorm' if config.norm == 'none' else config.norm + '-norm'}, "
            f"signal `{config.signal}`, attention bias `{config.attention_bias}`, "
            f"{'causal' if config.causal else 'both directions'}, window {config.window or 'none'}, "
            f"input {'added again at every step' if config.inject else 'given once'}."
        )
    if config.act:
        lines.append(
            f"Halting: ACT, state `{config.state}`, mixing `{config.mixing}`, epsilon {config.epsilon:g}, "
            f"initial bias {config.halting_bias:g}, ponder weight {config.ponder_weight:g}"
            + (", 1 - h charged at the cap." if config.charge_cap else ".")
        )
    if "made" in training:
        lines.append(f"No training: made {training['made']}.")
    if "steps" in training:
        lines.append(
            f"Training: {training['steps']} steps of {training.get('train', {}).get('batch', 32)} strings, "
            f"seed {training.get('seed', 0)}, on generated strings of at most "
            f"{training.get('data', {}).get('longest', 20)} symbols (`plan.toml`)."
        )
    lines += [
        "",
        "Symbols: share of symbols answered right; whole: share of strings without a mistake; N: updates per "
        "position; first below .99: the first position whose accuracy is below 0.99.",
    ]
    return lines


def kind_of(config: UTConfig) -> str:
    """The model in words, with its depth."""
    if config.architecture == "lstm":
        return "LSTM"
    if config.architecture == "transformer":
        return f"Transformer of {config.layers} layers"
    depth = {"length": "T = number of positions", "log2": "T = ceil(log2 n) + 1"}
    steps = depth.get(config.steps_from, f"T = {config.max_steps}")
    return f"Universal Transformer, {'at most ' if config.act else ''}{steps}"


def length_table(report: Mapping[str, Any]) -> list[str]:
    """One row a length."""
    lines = [
        "| length | strings | symbols | whole | first below .99 | steps | N | N, last position |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in report["per_task"]:
        last = [n for n in one["ponder_by_position"] if n is not None][-1]
        below = first_below(one)
        lines.append(
            f"| {one['task']} | {one['sequences']} | {one['accuracy']:.3f} | {one['sequence_accuracy']:.3f} "
            f"| {'–' if below is None else below} | {one['steps']} "
            f"| {one['ponder_mean']:.2f} ± {one['ponder_std']:.2f} | {last:.2f} |"
        )
    return lines


def first_below(one: Mapping[str, Any], share: float = 0.99) -> int | None:
    """The first position (from 1, with the start symbol) whose accuracy is below `share`, or None."""
    found = (i for i, a in enumerate(one["accuracy_by_position"], 1) if a is not None and a < share)
    return next(found, None)

"""A training run on disk: configuration in, checkpoint out, stopped and resumed at any step."""

from __future__ import annotations

import json
import os
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ut_engine import checkpoint
from ut_engine.errors import UserError
from ut_engine.files import cannot_write, pack, read_safetensors, write_atomically
from ut_engine.tasks.registry import from_table, task_data
from ut_engine.torch.capture import to_array
from ut_engine.torch.training import TrainConfig, Trainer, new_trainer

TRAINING = "training.safetensors"
LOG = "log.jsonl"
SAVE_SECONDS = 60.0
SAY_SECONDS = 1.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """A parsed configuration file: tables [model], [train], [data]."""

    task: str
    model: Mapping[str, Any] = field(default_factory=dict)
    train: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)


def read_plan(task: str, path: Path) -> Plan:
    """Read a TOML configuration; raises UserError for what is not understood."""
    try:
        with open(path, "rb") as file:
            tables = tomllib.load(file)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", "check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not TOML: {error}".replace(";", ","), "mend the file") from error
    named = tables.pop("task", task)
    if named != task:
        raise UserError(f"{path} configures the task {named!r}, not {task!r}", f"train {named} with it")
    unknown = sorted(set(tables) - {"model", "train", "data"})
    if unknown or not all(isinstance(table, dict) for table in tables.values()):
        wrong = unknown[0] if unknown else "a name outside a table"
        raise UserError(f"{path} has an unknown part {wrong!r}", "use the tables [model], [train] and [data]")
    return Plan(task, **tables)


def train(task: str, plan_file: Path, out: Path, resume: bool, say: Say) -> dict[str, Any]:
    """Train (or go on) until done; returns the final evaluation.  Ctrl-C saves and is passed on."""
    trainer, plan = resumed(out) if resume else fresh(read_plan(task, plan_file), out)
    if plan.task != task:
        raise UserError(f"{out} holds a run of the task {plan.task!r}", f"resume it with train {plan.task}")
    try:
        _run(trainer, plan, out, say)
    except KeyboardInterrupt:
        save(trainer, plan, out)
        say(f"stopped and saved at step {trainer.step}; go on with --resume")
        raise
    return trainer.history[-1]


def fresh(plan: Plan, out: Path) -> tuple[Trainer, Plan]:
    """A new run; refuses a folder that already holds one, or that cannot be written."""
    if (out / checkpoint.CONFIG).exists() or (out / TRAINING).exists():
        raise UserError(f"{out} already holds a run", "give another --out, or --resume to go on with it")
    trainer = trainer_of(plan)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(out, error) from error
    if not os.access(out, os.W_OK):
        raise UserError(f"the folder {out} cannot be written to", "choose another with --out")
    return trainer, plan


def trainer_of(plan: Plan) -> Trainer:
    data = task_data(plan.task, plan.data)
    settings = from_table(TrainConfig, plan.train, "[train]")
    decided = sorted(set(plan.model) & set(data.sizes()))
    if decided:
        raise UserError(f"the task decides the model option {decided[0]!r}", "take it out of [model]")
    return new_trainer(data, dict(plan.model), settings)


def resumed(out: Path) -> tuple[Trainer, Plan]:
    """The run in a folder, as it was after its last saved step."""
    if not (out / TRAINING).exists():
        raise UserError(f"{out} holds no run to go on with", "start one without --resume")
    arrays, metadata = read_safetensors(out / TRAINING)
    try:
        meta = json.loads(metadata["training"])
        plan = Plan(**meta["plan"])
        tensors = {name: torch.tensor(array) for name, array in arrays.items()}
        trainer = trainer_of(plan)
        weights = {
            name.removeprefix("model."): value for name, value in tensors.items() if name.startswith("model.")
        }
        trainer.model.load_state_dict(weights)
        trainer.load_state(tensors, meta)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise UserError(f"the saved run in {out} is damaged", "start a new one in another folder") from error
    return trainer, plan


def _run(trainer: Trainer, plan: Plan, out: Path, say: Say) -> None:
    started, first = time.monotonic(), trainer.step
    saved = said = started
    smooth: dict[str, float] = {}
    while trainer.step < trainer.config.steps:
        for name, value in trainer.one_step().items():
            smooth[name] = 0.98 * smooth.get(name, value) + 0.02 * value
        now = time.monotonic()
        if now - said > SAY_SECONDS:
            said = now
            say(progress(trainer, smooth, (now - started) / (trainer.step - first)))
        if trainer.step % trainer.config.evaluate_every == 0 or trainer.step == trainer.config.steps:
            entry = trainer.evaluate()
            say(summary(entry))
        if trainer.step == trainer.config.steps or now - saved > SAVE_SECONDS:
            saved = now
            save(trainer, plan, out)
    if not trainer.history:
        trainer.evaluate()


def progress(trainer: Trainer, smooth: Mapping[str, float], per_step: float) -> str:
    left = round(per_step * (trainer.config.steps - trainer.step))
    length = f"length {trainer.longest}  " if trainer.longest else ""
    return (
        f"step {trainer.step}/{trainer.config.steps}  {length}loss {smooth['loss']:.3f}  "
        f"ponder {smooth['ponder']:.2f}  {per_step * 1e3:.0f} ms/step  {left // 60}:{left % 60:02d} left"
    )


def summary(entry: Mapping[str, Any]) -> str:
    if "longest" in entry:
        lengths = [
            f"{one['task']}: {one['accuracy']:.3f}, whole {one['sequence_accuracy']:.3f}, "
            f"N {one['ponder_mean']:.2f}"
            for one in entry["per_task"]
        ]
        return f"step {entry['step']}  length {entry['longest']}  " + "  |  ".join(lengths)
    parts = [
        f"{task['task']}: {task['accuracy']:.3f}, N {task['ponder_mean']:.2f}, "
        f"question {task['question_ponder_mean']:.2f}"
        for task in entry["per_task"]
    ]
    return f"step {entry['step']}  " + "  |  ".join(parts)


def save(trainer: Trainer, plan: Plan, out: Path) -> None:
    """Write the checkpoint, the training state and the log; each file whole or not at all."""
    tensors, meta = trainer.state()
    model = {name: to_array(value) for name, value in trainer.model.state_dict().items()}
    arrays = {name: to_array(value) for name, value in tensors.items()}
    arrays |= {f"model.{name}": value for name, value in model.items()}
    meta["plan"] = {"task": plan.task, "model": plan.model, "train": plan.train, "data": plan.data}
    write_atomically(out / TRAINING, pack(arrays, {"training": json.dumps(meta)}))
    checkpoint.save(out, description(trainer, plan), model)
    shown = json.dumps(trainer.data.samples(), ensure_ascii=False, indent=1) + "\n"
    write_atomically(out / checkpoint.SAMPLES, [shown.encode()])
    lines = "".join(json.dumps(entry) + "\n" for entry in trainer.history)
    write_atomically(out / LOG, [lines.encode()])


def description(trainer: Trainer, plan: Plan) -> dict[str, Any]:
    """config.json of the run: model, task, tokenizer, and how it was trained."""
    training: dict[str, Any] = {"steps": trainer.step, "planned_steps": trainer.config.steps}
    training |= {"seed": trainer.config.seed, "train": dict(plan.train), "data": dict(plan.data)}
    if trainer.history:
        last = trainer.history[-1]
        training |= {key: last[key] for key in ("gold_head", "longest") if key in last}
        kept = ("task", "n", "accuracy", "sequence_accuracy", "ponder_mean", "question_ponder_mean")
        training["validation"] = [
            {key: task[key] for key in kept if key in task} for task in last["per_task"]
        ]
    tokenizer = trainer.data.tokenizer.to_config()
    return checkpoint.describe(trainer.model.config.to_dict(), plan.task, tokenizer, training)

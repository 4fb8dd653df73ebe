"""Which tasks can be trained, by name; each makes its data from a table of options."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from ut_engine.errors import UserError
from ut_engine.tasks.addition import AdditionData
from ut_engine.tasks.babi_data import BabiData
from ut_engine.tasks.copy import CopyData
from ut_engine.tasks.data import TaskData
from ut_engine.tasks.parity import ParityData
from ut_engine.tasks.reverse import ReverseData
from ut_engine.tasks.symbols import START, SymbolData

TASKS: dict[str, type[Any]] = {
    "babi": BabiData,
    "parity": ParityData,
    "copy": CopyData,
    "reverse": ReverseData,
    "addition": AdditionData,
}


def task_data(task: str, options: Mapping[str, Any]) -> TaskData:
    """The data of a task; raises UserError for an unknown task or option, or a value of the wrong kind."""
    if task not in TASKS:
        raise UserError(f"there is no task {task!r}", f"use one of {', '.join(TASKS)}")
    data: TaskData = from_table(TASKS[task], options, f"[data] of the task {task}")
    return data


def advice(task: str, text: str = "", known: Collection[str] | None = None) -> str:
    """What to type for a task of symbols instead of a text its model cannot read; "" where none is known.

    known: the model's symbols, which must be those of the task for its example to be of use.
    """
    kind = TASKS.get(task)
    if kind is None or not issubclass(kind, SymbolData):
        return ""
    usual = set(kind.symbols) - {START}
    return kind.advice(text) if known is None or usual <= set(known) else ""


def from_table(kind: type[Any], options: Mapping[str, Any], where: str) -> Any:
    """A frozen dataclass from a table of options, each of the kind of its default; UserError by name."""
    known = {item.name: item.default for item in fields(kind)}
    for name, value in options.items():
        if name not in known:
            raise UserError(f"unknown option {name!r} in {where}", f"use one of {', '.join(known)}")
        default = known[name]
        number = isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool)
        listed = isinstance(default, tuple) and isinstance(value, list) and len(value) == len(default)
        if type(value) is not type(default) and not number and not listed:
            raise UserError(f"{name} in {where} cannot be {value!r}", f"give a value like {default!r}")
        numbers = value if isinstance(value, list) else [value]
        if any(not isinstance(item, int | float) or not 0 <= item < 1e12 for item in numbers):
            raise UserError(f"{name} = {value!r} in {where} is out of range", "give 0 or more")
    return kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in options.items()})

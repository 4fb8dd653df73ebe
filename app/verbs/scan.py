"""`depthscope scan`: the prefix-parity scan, step by step, with and without a step signal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from app.verbs.common import Result, table, whole
from ut_engine.errors import UserError

if TYPE_CHECKING:
    from ut_engine.scan import Scan

EXAMPLE = "depthscope scan --length 40 --seed 1"
JSON = True
_WIDTH = 72  # symbols of a state on screen


def arguments(parser: argparse.ArgumentParser) -> None:
    from ut_engine.scan import MOST_POSITIONS, operators

    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--bits", metavar="S", help="the input, such as 10110100")
    source.add_argument(
        "--length", type=whole(1, MOST_POSITIONS), metavar="N", help="that many random symbols"
    )
    parser.add_argument("--seed", type=whole(0, 2**63 - 1), metavar="K", help="of the random symbols (0)")
    parser.add_argument(
        "--steps", type=_steps, default="auto", metavar="auto|K",
        help="as many as needed, or a fixed depth (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--no-step-signal", action="store_true", help="the layer cannot know its step: it always reads i - 1"
    )
    names = [rule.name for rule in operators()]
    parser.add_argument(
        "--operator", choices=names, default="xor",
        help=f"the associative operation: {', '.join(names)} (%(default)s)",
    )  # fmt: skip


def _steps(text: str) -> int | None:
    from ut_engine.scan import MOST_STEPS

    if text == "auto":
        return None
    number: int = whole(1, MOST_STEPS)(text)
    return number


def run(arguments: argparse.Namespace) -> Result:
    import numpy as np

    from ut_engine.scan import depths, operator_named, scan, text_of

    rule = operator_named(arguments.operator)
    if arguments.bits is not None:
        if arguments.seed is not None:
            raise UserError("a seed has no use with given symbols", "leave out --seed, or use --length")
        elements = rule.read(arguments.bits)
    else:
        elements = rule.draw(np.random.default_rng(arguments.seed or 0), arguments.length)
    found = scan(elements, rule.name, arguments.steps, not arguments.no_step_signal)
    last = found.frames[-1]
    document: dict[str, Any] = {
        "operator": found.operator,
        "length": found.length,
        "step_signal": found.step_signal,
        "steps": last.step,
        "steps_needed": found.steps_needed,
        "states": [text_of(frame.values, rule.name) for frame in found.frames],
        "settled": [frame.n_settled for frame in found.frames],
        "target": text_of(found.target, rule.name),
        "correct": [frame.n_correct for frame in found.frames],
        "first_not_settled": last.first_open,
        "first_wrong": last.first_wrong,
    }
    if found.step_signal:  # what ACT could save: positions need ceil(log2 i) steps each
        document["cells_needed"] = int(depths(found.length).sum())
        document["cells"] = found.steps_needed * found.length
    return Result(document, _text(found, document))


def _text(found: Scan, document: dict[str, Any]) -> str:
    rows: list[tuple[Any, ...]] = [
        (
            frame.step, frame.offset if 0 < frame.offset < found.length else None, frame.n_settled,
            frame.n_correct, _short(state),
        )
        for frame, state in zip(found.frames, document["states"], strict=True)
    ]  # fmt: skip
    rows.append((None, None, None, None, _short(document["target"])))
    shown = table(("step", "reads i -", "settled", "correct", "state (the target below)"), rows)
    last = found.frames[-1]
    said = f"{found.operator}, {found.length:,} positions: needs {found.steps_needed:,} steps"
    end = f"after {last.step:,} steps {last.n_settled:,} of {found.length:,} positions are settled"
    if last.first_open is not None:
        end += f", the first that is not is {last.first_open:,}"
    wrong = found.length - last.n_correct
    return f"{said}\n\n{shown}\n\n{end}; {wrong:,} of this input's values are wrong"


def _short(state: str | list[str]) -> str:
    text = state if isinstance(state, str) else " ".join(state)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."

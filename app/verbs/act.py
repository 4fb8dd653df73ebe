"""`depthscope act`: the paper's halting listing over a table of probabilities, to the end."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.verbs.common import Result, table, whole

if TYPE_CHECKING:
    from ut_engine.halting import ActResult

EXAMPLE = "depthscope act --scenario two-position --mixing basic --state listing2"
JSON = True


def arguments(parser: argparse.ArgumentParser) -> None:
    from ut_engine.spec import CHOICES, MOST_STEPS

    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--scenario", metavar="NAME", help="fresh, sentence, hesitant or two-position")
    source.add_argument(
        "--table", metavar="F.csv", help="one row a position, one column a step, values 0 to 1"
    )
    parser.add_argument(
        "--epsilon", type=float, default=0.01, metavar="E", help="threshold is 1 - E (%(default)s)"
    )
    parser.add_argument(
        "--max-steps",
        type=whole(1, MOST_STEPS),
        metavar="K",
        help="cap on steps (12; of a table its columns)",
    )
    parser.add_argument("--mixing", choices=CHOICES["mixing"], default="basic", help="(%(default)s)")
    parser.add_argument("--state", choices=CHOICES["state"], default="listing2", help="(%(default)s)")


def run(arguments: argparse.Namespace) -> Result:
    from ut_engine.act_table import read_table
    from ut_engine.halting import as_json, run_table, scenario

    if arguments.scenario is not None:
        source = scenario(arguments.scenario, arguments.max_steps)
    else:
        source = read_table(arguments.table)
    result = run_table(
        source, epsilon=arguments.epsilon, max_steps=arguments.max_steps, mixing=arguments.mixing,
        state=arguments.state,
    )  # fmt: skip
    return Result(as_json(result), _text(result))


def _text(result: ActResult) -> str:
    sums = result.weights.sum(axis=1)
    shares = result.effective_weights.sum(axis=1)
    rows = [
        (
            place + 1, token, "halted" if result.halted[place] else "cap", int(result.n_updates[place]),
            float(result.remainders[place]), float(result.ponder[place]), float(sums[place]),
            float(shares[place]), float(result.output[place, 0]),
        )
        for place, token in enumerate(result.tokens)
    ]  # fmt: skip
    head = ("i", "position", "end", "N", "R", "N + R", "sum of w", "sum in output", "output")
    steps = result.weights.shape[1]
    said = f"mixing {result.mixing}, state {result.state}, epsilon {result.epsilon:g}, cap {result.max_steps}"
    return f"{said}\n\n{table(head, rows)}\n\n{steps} steps, loss term {result.loss_term:.6g} (one side)"

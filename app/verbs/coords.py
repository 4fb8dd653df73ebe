"""`depthscope coords`: the coordinate signal's lengths, measured and by the closed form."""

from __future__ import annotations

import argparse
from typing import Any

from app.verbs.common import Result, table, whole
from ut_engine.errors import UserError

EXAMPLE = "depthscope coords --d-model 512 --positions 1000 --step 3 --variant paper"
JSON = True
_MOST_WORK = 200_000_000  # numbers of the matrix, some six seconds
_MOST_SHOWN = 8_000_000  # numbers of the matrix in a document
_ENDS = 12


def arguments(parser: argparse.ArgumentParser) -> None:
    from ut_engine.coordinates import PARTS, VARIANTS

    parser.add_argument(
        "--d-model", type=whole(1, 65_536), required=True, metavar="D", help="width of the model"
    )
    parser.add_argument(
        "--positions", type=whole(1, 1_000_000), required=True, metavar="M", help="positions i = 1 ... M"
    )
    parser.add_argument(
        "--step", type=whole(1, 1_000_000), required=True, metavar="T", help="step t, counted from 1"
    )
    parser.add_argument(
        "--variant", choices=VARIANTS, default="paper",
        help="the paper's formula, or tensor2tensor's sinusoids fed i - 1 and t - 1 (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--part",
        choices=PARTS,
        default="sum",
        help="the position's part, the step's, or both (%(default)s)",
    )
    parser.add_argument("--full", action="store_true", help="the matrix too, positions by dimensions")


def run(arguments: argparse.Namespace) -> Result:
    from ut_engine.coordinates import coordinates, lengths

    size = arguments.d_model * arguments.positions
    if size > (_MOST_SHOWN if arguments.full else _MOST_WORK):
        limit = _MOST_SHOWN if arguments.full else _MOST_WORK
        what = f"{arguments.positions:,} positions of width {arguments.d_model:,} are too many numbers"
        raise UserError(what, f"keep positions x width at {limit:,} or less")
    chosen = (arguments.d_model, arguments.positions, arguments.step, arguments.variant, arguments.part)
    norms, closed_form = lengths(*chosen)
    document: dict[str, Any] = {
        "d_model": arguments.d_model,
        "positions": arguments.positions,
        "step": arguments.step,
        "variant": arguments.variant,
        "part": arguments.part,
        "norms": norms,
        "closed_form": closed_form,
    }
    if arguments.full:
        document["matrix"] = coordinates(*chosen)
    return Result(document, _text(document))


def _text(document: dict[str, Any]) -> str:
    norms, formula, step = document["norms"], document["closed_form"], document["step"]
    count = len(norms)
    places = list(range(count))
    if count > 2 * _ENDS:
        places = [*range(_ENDS), *range(count - _ENDS, count)]
    rows: list[tuple[Any, ...]] = [
        (place + 1, place + 1 - step, f"{norms[place]:.6f}", f"{formula[place]:.6f}") for place in places
    ]
    if count > len(rows):
        rows.insert(_ENDS, (None, None, "...", "..."))
    said = (
        f"{document['variant']} signal, {document['part']}, d_model {document['d_model']}, step {step}: "
        f"longest {norms.max():.6f} at i = {int(norms.argmax()) + 1}, "
        f"shortest {norms.min():.6f} at i = {int(norms.argmin()) + 1}"
    )
    shown = f"{said}\n\n{table(('i', 'i - t', 'length', 'closed form'), rows)}"
    if "matrix" in document:
        lines = (" ".join(f"{value:9.6f}" for value in row) for row in document["matrix"])
        shown += "\n\n" + "\n".join(lines)
    return shown

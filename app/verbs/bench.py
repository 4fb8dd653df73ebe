"""`depthscope bench`: our figures side by side with the floor and the peer, in one run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from app.verbs.common import Result, table
from ut_engine.errors import UserError

if TYPE_CHECKING:
    from ut_engine.measure import Measurement

EXAMPLE = "depthscope bench engine startup --json"
JSON = True


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"{', '.join(BENCHES)} (all)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes and few runs: does it work at all")


def run(arguments: argparse.Namespace) -> Result:
    for name in arguments.names:
        if name not in BENCHES:
            raise UserError(f"there is no benchmark {name!r}", f"choose from {', '.join(BENCHES)}")
    found: list[Measurement] = []
    for name in arguments.names or BENCHES:
        for measured in BENCHES[name](arguments.quick):
            found.append(measured)
            if sys.stderr is not None:
                print(
                    f"{measured.name}: {measured.case}: {measured.ours:.2f} {measured.unit}", file=sys.stderr
                )
    return Result([one.to_dict() for one in found], _text(found))


def _engine(quick: bool) -> Iterator[Measurement]:
    from ut_engine.torch.bench import measure

    return measure((8,), width=16, heads=2, steps=2, runs=1) if quick else measure()


def _startup(quick: bool) -> Iterator[Measurement]:
    from app.verbs.bench_window import startup

    return startup(1 if quick else 9)


def _stream(quick: bool) -> Iterator[Measurement]:
    from app.verbs.bench_window import stream

    return stream(1 if quick else 5)


def _debugger(quick: bool) -> Iterator[Measurement]:
    from app.verbs.bench_debugger import measure

    return measure(1, 2) if quick else measure()


def _panes(quick: bool) -> Iterator[Measurement]:
    from app.verbs.bench_panes import measure

    return measure(1, 2) if quick else measure()


BENCHES: dict[str, Callable[[bool], Iterator[Measurement]]] = {
    "engine": _engine,
    "stream": _stream,
    "startup": _startup,
    "debugger": _debugger,
    "panes": _panes,
}


def _text(found: list[Measurement]) -> str:
    rows = [
        (
            one.name, one.case, one.ours, one.reference, one.unit, one.ratio, one.target, one.runs,
            {True: "met", False: "MISSED", None: ""}[one.met],
        )
        for one in found
    ]  # fmt: skip
    head = ("bench", "case", "ours", "reference", "unit", "ratio", "target", "runs", "")
    told = dict.fromkeys(f"{one.name}: the reference is {one.reference_is}" for one in found)
    return "\n".join([table(head, rows), "", *told])

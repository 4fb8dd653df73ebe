"""`depthscope` and `depthscope open`: the window."""

from __future__ import annotations

import argparse

from ut_engine.errors import UserError

EXAMPLE = "depthscope open run.trace.safetensors"
JSON = False


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="PATH", nargs="?", help="a checkpoint, a shipped one's name, or a trace"
    )


def run(arguments: argparse.Namespace) -> int:
    from app.display import why_no_display
    from app.verbs.common import checkpoint_path

    path = None if arguments.path is None else checkpoint_path(arguments.path)
    if reason := why_no_display(probe=False):  # a probe would cost a quarter of a second
        raise UserError(
            f"no window can be shown: {reason}",
            "start it in a desktop session, or use `depthscope shot` and `depthscope trace`, which need none",
        )
    from app.qt import application

    return application.run(None if path is None else str(path))

"""`depthscope` and `depthscope open`: the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ut_engine.errors import UserError

if TYPE_CHECKING:
    import argparse

EXAMPLE = "depthscope open run.trace.safetensors"
JSON = False


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="PATH", nargs="?", help="a checkpoint, a shipped one's name, or a trace"
    )


def run(arguments: argparse.Namespace) -> int:
    return show(arguments.path)


def show(name: str | None) -> int:
    """The window, on a path or a shipped checkpoint's name; its exit code.  UserError without a display."""
    from app.display import why_no_display

    path = None
    if name is not None:
        from app.verbs.common import checkpoint_path

        path = str(checkpoint_path(name))
    if reason := why_no_display(probe=False):  # a probe would cost a quarter of a second
        raise UserError(
            f"no window can be shown: {reason}",
            "start it in a desktop session, or use `depthscope shot` and `depthscope trace`, which need none",
        )
    from app.qt import application

    return application.run(path)

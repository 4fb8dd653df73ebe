"""`depthscope export`: figures, numbers and moving pictures of a run or a chapter, without a display."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.verbs.common import Result, whole
from app.verbs.shot import size
from app.verbs.target import check_file
from ut_engine.errors import UserError

if TYPE_CHECKING:
    from app.messages import Text
    from app.pane import Effect, Pane
    from app.scene import Scene
    from ut_engine.run import Run

EXAMPLE = "depthscope export mary.trace.safetensors --as svg --step 4 --figure map -o attention.svg"
JSON = True

_KINDS = ("png", "svg", "pdf", "csv", "webp", "gif", "frames", "mp4")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run", type=Path, nargs="?", metavar="RUN.safetensors", help="a recorded run; chapters need none"
    )
    parser.add_argument(
        "--as", dest="kind", choices=_KINDS, required=True,
        help="format; webp, gif, mp4 and frames (a folder of pictures) show every step",
    )  # fmt: skip
    parser.add_argument("--pane", default="inspector", metavar="NAME", help="a pane's name (%(default)s)")
    parser.add_argument("--figure", default="", metavar="NAME", help="one card of the pane instead of all")
    parser.add_argument("--step", type=whole(1, 10**6), metavar="N", help="the step of a still (the last)")
    parser.add_argument("--view", metavar="STATE", help="a view state, as `Copy view link` gives it")
    parser.add_argument("--lang", choices=("en", "ko"), default="en", help="language (%(default)s)")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="theme (%(default)s)")
    parser.add_argument(
        "--size", type=size, metavar="WxH", help="of the figure (1280x800; 900x640 with --figure)"
    )
    parser.add_argument(
        "--scale", type=whole(1, 4), default=1, metavar="1-4", help="picture pixels for a logical one (1)"
    )
    parser.add_argument("--no-caption", action="store_true", help="leave out the line below the figure")
    parser.add_argument("-o", dest="output", required=True, type=Path, metavar="PATH", help="file or folder")


def run(arguments: argparse.Namespace) -> Result:
    from app import animation, exports
    from app.pane import all_panes
    from ut_engine.run import load_run

    panes = all_panes()
    if arguments.pane not in panes:
        raise UserError(f"there is no pane {arguments.pane!r}", f"choose one of {', '.join(panes)}")
    output = exports.named(arguments.output, arguments.kind)
    animation.check(arguments.kind)
    recorded = load_run(arguments.run) if arguments.run is not None else None
    if arguments.kind != "frames":
        check_file(output)
    pane = panes[arguments.pane]
    state = _state(pane, recorded, arguments)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt is imported
    made, steps = _export(pane, state, recorded, arguments, output)
    found = {
        "path": str(made[0]), "as": arguments.kind, "pane": arguments.pane,
        "figure": arguments.figure or None, "steps": steps, "size": list(made[1]),
    }  # fmt: skip
    return Result(found, str(made[0]))


def _state(pane: Pane, recorded: Run | None, arguments: argparse.Namespace) -> Any:
    """The pane with the run open, if there is one, as the view asks, at the step asked for."""
    from app import exports, view
    from app.pane import Event

    state = pane.initial()
    if recorded is not None:
        state = pane.update(state, Event("open.run", recorded))[0]
    if arguments.view is not None:
        name, wanted = view.from_text(arguments.view)
        if name != arguments.pane:
            raise UserError(f"the view is one of the pane {name!r}", f"use --pane {name}")
        kept = {key: value for key, value in wanted.items() if key not in ("open", "run")}
        state = _measured(pane, *pane.from_view(state, kept))
        if what := getattr(state, "what", ""):  # said in the window; nobody reads a picture of it
            raise UserError(str(what), str(getattr(state, "do", "")) or "correct the view")
    if arguments.step is not None:
        state = exports.at_step(pane, state, arguments.step)
    width = (arguments.size or (exports.PAPER_SIZE if exports.paper_of(pane) else (1280, 0)))[0]
    state = pane.update(state, Event("view.width", width))[0]  # a pane that folds fits the figure
    return exports.whole_of(pane, state)


def _measured(pane: Pane, state: Any, effects: tuple[Effect, ...]) -> Any:
    """The state once all that its view asks for is measured; in an engine process, as in the window."""
    wanted = [effect.value for effect in effects if effect.name == "measure.start"]
    if not wanted:
        return state
    from app.cli import child_command
    from app.pane import Event
    from ut_engine.client import Client

    with Client(command=child_command("_engine")) as client:
        for asked in wanted:
            request = client.measure(asked["what"], asked["args"])
            value = client.expect(("measured",), request=request).data["value"]
            state = pane.update(state, Event("measure.done", {"key": asked["key"], "value": value}))[0]
    return state


def _export(
    pane: Pane, state: Any, recorded: Run | None, arguments: argparse.Namespace, output: Path
) -> tuple[tuple[Path, tuple[int, int]], list[int]]:
    from app import exports
    from app.qt import application
    from app.qt import theme as themes
    from app.qt.export import Export, Wish
    from app.qt.theme import Theme

    line = pane.timeline(state)
    moving = arguments.kind in exports.MOVING
    steps = exports.steps_of(line) if moving else ((line.current,) if line is not None else ())
    usual, paper = ((900, 640) if arguments.figure else (1280, 800)), False
    if not arguments.figure and not arguments.size:
        paper = exports.paper_of(pane)
        usual = exports.PAPER_SIZE if paper else usual
    wish = Wish(
        arguments.kind, output, Theme(arguments.theme), arguments.lang, arguments.size or usual,
        arguments.scale, arguments.figure, not arguments.no_caption, exports.pace_of(line), paper,
    )  # fmt: skip
    application.check_qt()
    themes.apply(application.make_application(), wish.theme)
    export = Export(wish, len(steps) if moving else 1)
    try:
        for scene, caption in _moments(pane, state, recorded, steps if moving else ()):
            export.add(scene, caption)
        return (export.write(export.files()), export.size), list(steps)
    finally:
        export.close()


def _moments(
    pane: Pane, state: Any, recorded: Run | None, steps: tuple[int, ...]
) -> Iterator[tuple[Scene, Text]]:
    """The scene shown, or that of each step, with its caption."""
    from app import exports
    from app.pane import Selection
    from app.state import Opened

    opened = Opened()
    if recorded is not None:
        opened = Opened(recorded.info.checkpoint, recorded.info.device, recorded=True)
    states = [exports.at_step(pane, state, step) for step in steps] or [state]
    for one in states:
        line = pane.timeline(one)
        chosen = replace(Selection(), step=None if line is None else line.current)
        yield pane.scene(one, chosen), exports.caption(pane, one, opened, line)

"""`depthscope shot`: a picture of a pane without a display, exactly as the window shows it."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from pathlib import Path

from app.verbs.common import Result
from app.verbs.target import check_file, check_folder, replacing
from ut_engine.errors import UserError

EXAMPLE = "depthscope shot --pane inspector --theme dark --size 1400x900 -o inspector.png"
JSON = True

_LEAST, _MOST = 200, 8192  # sides of a picture in pixels


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pane", required=True, metavar="NAME", help="a pane's name, or `all`")
    parser.add_argument("--view", metavar="STATE", help="a view state, as `Copy view` gives it")
    parser.add_argument("--shown", action="store_true", help="with `all`: each pane's telling states as well")
    parser.add_argument("--lang", choices=("en", "ko"), default="en", help="language (%(default)s)")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="theme (%(default)s)")
    parser.add_argument(
        "--size", type=size, default=(1440, 900), metavar="WxH", help="window size (1440x900)"
    )
    parser.add_argument("--scale", type=_scale, default=1.0, metavar="F", help="display scale, 0.5 to 4 (1)")
    parser.add_argument(
        "-o", dest="output", required=True, type=Path, metavar="F.png", help="the file; with `all` a folder"
    )


def run(arguments: argparse.Namespace) -> Result:
    from app.pane import all_panes

    names = list(all_panes())
    output: Path = arguments.output
    if arguments.pane == "all":
        check_folder(output)
        wanted = {name: output / f"{name}.png" for name in names}
    elif arguments.shown:
        raise UserError("--shown makes many pictures", "use it with --pane all")
    elif arguments.pane in names:
        if output.suffix.lower() != ".png":
            raise UserError(f"{output.name} is no name of a PNG picture", "let the name end in .png")
        check_file(output)
        wanted = {arguments.pane: output}
    else:
        raise UserError(f"there is no pane {arguments.pane!r}", f"choose one of {', '.join(names)}, or all")
    views: dict[str, tuple[str, str | None]] = {
        name: (name, view) for name, view in _views(arguments.view, list(wanted)).items()
    }
    if arguments.shown:
        for title, pane, view in _shown(list(wanted)):
            wanted[title], views[title] = output / f"{title}.png", (pane, view)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt is imported
    from app.qt import application

    for title, path in wanted.items():
        name, state = views.get(title) or (title, None)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as unfinished:
            application.shot(
                name, unfinished, view=state, lang=arguments.lang, theme=arguments.theme,
                size=arguments.size, scale=arguments.scale,
            )  # fmt: skip
    found = [{"pane": views.get(title, (title,))[0], "path": str(path)} for title, path in wanted.items()]
    return Result(found, "\n".join(str(path) for path in wanted.values()))


def _views(view: str | None, panes: list[str]) -> dict[str, str]:
    """The view state by its pane's name; UserError for one of a pane that is not drawn."""
    from app.view import from_text

    if view is None:
        return {}
    name, _ = from_text(view)
    if name not in panes:
        raise UserError(f"the view is one of the pane {name!r}, which is not drawn", f"use --pane {name}")
    return {name: view}


def _shown(panes: list[str]) -> Iterator[tuple[str, str, str]]:
    """(title, pane, view state) of the telling states that the panes name."""
    from app.pane import all_panes
    from app.view import to_text

    for name in panes:
        for k, view in enumerate(getattr(all_panes()[name], "SHOWN", ()), start=1):
            yield f"{name}-{k}", name, to_text(name, view)


def size(text: str) -> tuple[int, int]:
    """The option WxH of a picture."""
    match = re.fullmatch(r"(\d{1,5})[xX×](\d{1,5})", text)
    if not match or not all(_LEAST <= int(side) <= _MOST for side in match.groups()):
        raise argparse.ArgumentTypeError(f"{text!r} is no size WxH with sides from {_LEAST} to {_MOST}")
    return int(match[1]), int(match[2])


def _scale(text: str) -> float:
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0.5 <= scale <= 4.0:
        raise argparse.ArgumentTypeError(f"{text!r} is no scale from 0.5 to 4")
    return scale

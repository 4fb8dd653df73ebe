"""The command line: one verb a module in `app/verbs`, one place for output, errors and exit codes.

Exit codes: 0 done; 2 the input is wrong (one line on stderr, nothing else); 1 our own fault; 130 Ctrl-C.
Only the module of the verb that runs is imported, and that one imports torch or Qt when it needs them.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ut_engine.errors import UserError

if TYPE_CHECKING:
    from argparse import ArgumentParser

VERBS = {
    "open": "the app, on a checkpoint or a recorded trace",
    "shot": "an offscreen picture of a pane, as the window shows it",
    "panes": "the panes' names",
    "checkpoints": "the checkpoints that ship with the program",
    "inspect": "what a checkpoint is, without running any code it carries",
    "trace": "run a checkpoint on an input and record every step",
    "export": "figures, numbers and moving pictures from a recorded run",
    "train": "train a model",
    "eval": "accuracy and ponder time of a checkpoint",
    "act": "the paper's halting listing, line by line",
    "cost": "parameters and work of a Transformer with own or shared layers",
    "coords": "the coordinate signal: lengths, measured and by the closed form",
    "scan": "the prefix-parity scan, step by step",
    "doctor": "check versions, display, fonts, device and folders",
    "bench": "the project's benchmarks beside the floor and the peer",
}
# What the program says to its own child processes, and tests to the packaged one.
_ENGINE, _PROBE, _BENCH, _WITNESS = "_engine", "_probe", "_bench", "_witness"
INTERRUPTED = 130
UNREAD = "DEPTHSCOPE_DIALOG"
"""Set where nobody reads stderr (desktop entry, Info.plist): why there is no window is said in a dialog."""
_PIPE_CLOSED = 141  # what a shell reports for a program that SIGPIPE ended


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return the exit code; never raises, except for what no program can catch."""
    if argv is not None:
        return _guarded(list(argv))
    _fill_standard_places()
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # on exit 2 stderr holds our one line only
    unread = os.environ.pop(UNREAD, "") != "" or sys.stderr is None
    code = _guarded(sys.argv[1:], unread=unread)
    if code == INTERRUPTED or "torch" in sys.modules:
        _leave(code)
    return code


def _fill_standard_places() -> None:
    """Have 0, 1 and 2 lead somewhere: the first file opened would else get all that is printed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with contextlib.suppress(OSError):
                os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it takes the lowest free number


def _leave(code: int) -> NoReturn:
    """End now: all is written and closed, and torch's own tear-down would take half a second."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def _guarded(argv: list[str], *, unread: bool = False) -> int:
    """The exit code; why it is not 0 is said on stderr, and in a dialog where nobody reads that."""
    code, line = _ended(argv)
    if line:
        _say(line)
    if line and unread and code in (1, 2) and _shows_a_window(argv):
        with contextlib.suppress(Exception):  # it has been said once
            from app.qt import faults

            faults.box(line)
    return code


def _shows_a_window(argv: list[str]) -> bool:
    return not argv or argv[0] == "open" or os.path.exists(argv[0])


def _ended(argv: list[str]) -> tuple[int, str]:
    """Run one command line: the exit code, and what stderr gets."""
    try:
        return _run(argv), ""
    except KeyboardInterrupt:
        return INTERRUPTED, "depthscope: interrupted"
    except BrokenPipeError:
        _close_stdout()
        return _PIPE_CLOSED, ""
    except UserError as error:
        return 2, _refusal(error.what, error.do)
    except MemoryError:
        return 2, _refusal("there is not enough memory", "use a smaller input or fewer steps")
    except SystemExit as request:  # argparse after --help and --version
        return request.code if isinstance(request.code, int) else 0, ""
    except Exception as error:
        from app.paths import lost_file

        if lost := lost_file(error):
            return 1, f"depthscope: error: {lost}"
        report = "depthscope: internal error: a fault of the program; please report it with the lines above"
        return 1, f"{traceback.format_exc().rstrip()}\n{report}"


def _run(argv: list[str]) -> int:
    if not argv:
        return _window(None)
    first, rest = argv[0], argv[1:]
    if first in VERBS:
        return _verb(first, rest)
    if first in (_ENGINE, _PROBE, _BENCH, _WITNESS):
        return _child(first, rest)
    if first == "help" and rest:
        return _run([rest[0], "--help"])
    if first in ("-h", "--help", "help"):
        return _show(_help())
    if first in ("-V", "--version"):
        return _show(f"depthscope {version()}")
    if not first.startswith("-") and os.path.exists(first):
        return _verb("open", argv)  # a file dropped on the program's icon
    raise UserError(f"{first!r} is neither a verb nor a file", "`depthscope --help` lists the verbs")


def _window(path: str | None) -> int:
    """The window at once: reading options would cost the first paint some milliseconds."""
    from app.verbs import open as opening

    with contextlib.redirect_stdout(sys.stderr):
        return opening.show(path)


def _verb(name: str, argv: list[str]) -> int:
    """Parse and run one verb; what it prints itself goes to stderr, its result alone to stdout."""
    from app.verbs.common import to_json

    module, parser = parser_of(name)
    arguments = parser.parse_args(argv)
    with contextlib.redirect_stdout(sys.stderr):
        result = module.run(arguments)
    if isinstance(result, int):
        return result
    return _show(to_json(result.document) if arguments.json else result.text)


def parser_of(name: str) -> tuple[Any, ArgumentParser]:
    """A verb's module and its parser."""
    from app.verbs.common import Parser

    module: Any = importlib.import_module(f"app.verbs.{name}")
    parser = Parser(
        prog=f"depthscope {name}", description=f"{VERBS[name][0].upper()}{VERBS[name][1:]}.",
        epilog=f"example:\n  {module.EXAMPLE}", allow_abbrev=False,
    )  # fmt: skip
    module.arguments(parser)
    if module.JSON:
        parser.add_argument("--json", action="store_true", help="print exactly one JSON document")
    return module, parser


def _child(role: str, argv: list[str]) -> int:
    """The program started by itself: the engine's process, a try of Qt or torch, the window under a watch."""
    if role == _ENGINE:
        from ut_engine import host

        host.main()
        return 0
    if role == _BENCH:
        from app.qt import stopwatch

        if argv[0] == "floor":
            return stopwatch.floor()
        stopwatch.first_paint() if argv[0] == "paint" else stopwatch.streamed(argv[2])
        return _window(argv[1] if argv[1:] else None)
    if role == _WITNESS:
        from app.qt import witness

        witness.begin(argv[0])
        return _window(argv[1] if argv[1:] else None)
    from app.verbs import probe

    return _show(json.dumps(probe.run(argv)))


def child_command(*arguments: str) -> tuple[str, ...]:
    """How to start this program again, frozen or not; `child_command("_engine")` is the engine's process."""
    if getattr(sys, "frozen", False):
        return (sys.executable, *arguments)
    return (sys.executable, "-P", "-m", "app.cli", *arguments)


def _help() -> str:
    width = max(map(len, VERBS))
    return "\n".join(
        [
            "usage: depthscope [VERB] [options]",
            "",
            "Watch a Universal Transformer think: every step, every head, every halting decision.",
            "Without a verb the app opens as it was left.",
            "",
            *(f"  {name:<{width}}  {text}" for name, text in VERBS.items()),
            "",
            "`depthscope VERB --help` shows a verb's options; `--version` the version.",
            "",
            "example:",
            '  depthscope trace babi --text "Mary went to the office. Where is Mary?"',
        ]
    )


def version() -> str:
    """The installed version; a checkout that is not installed says so."""
    from importlib import metadata

    try:
        return metadata.version("depthscope")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _show(text: str) -> int:
    """Write the one result to stdout; characters its encoding lacks are escaped, not fatal."""
    out = sys.stdout
    if out is None:  # closed by the caller, or a windowed program
        return 0
    encoding = getattr(out, "encoding", None) or "utf-8"
    try:
        out.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        out.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _close_stdout()
        reason = "no space is left there" if error.errno == errno.ENOSPC else "the system refused it"
        what = f"the result cannot be written to standard output: {reason}"
        raise UserError(what, "send it elsewhere") from None
    return 0


def _close_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's own flush at exit cannot fail again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
        os.close(sink)


def _refusal(what: str, do: str) -> str:
    line = " ".join(f"depthscope: error: {what}; {do}".split())
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in line)


def _say(text: str) -> None:
    """A line on stderr, where there is one that takes it."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())

"""`depthscope trace`: run a checkpoint on one input, step by step, and record it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.verbs.common import Result, checkpoint_path, loading, whole
from app.verbs.target import check_file, check_space
from ut_engine.errors import UserError

if TYPE_CHECKING:
    from ut_engine.checkpoint import Loaded
    from ut_engine.prepare import Input
    from ut_engine.records import StepRecord
    from ut_engine.run import Run

EXAMPLE = 'depthscope trace babi --text "Mary went to the office. Where is Mary?" -o mary.trace.safetensors'
JSON = True

_MOST_TEXT = 1 << 24  # bytes of an input file
_SAY_SECONDS = 0.5


def arguments(parser: argparse.ArgumentParser) -> None:
    from ut_engine.spec import MOST_STEPS

    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="a file, a folder, or a shipped one's name")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", metavar="S", help="a story that ends in a question, or symbols")
    source.add_argument(
        "--tokens", metavar="1,2,3", help="ids, one a position; words of one sentence as 1,2,3;4,5,6"
    )
    source.add_argument("--input", type=Path, metavar="FILE", help="a text file, or an official bAbI file")
    parser.add_argument(
        "--story", type=whole(1, 10**9), default=1, metavar="K", help="which question of a bAbI file (1)"
    )
    parser.add_argument(
        "--steps",
        type=whole(1, MOST_STEPS),
        metavar="T",
        help=f"steps, or their cap with halting, 1-{MOST_STEPS}",
    )
    parser.add_argument(
        "--device", choices=("auto", "cpu", "cuda", "mps"), default="auto", help="(%(default)s)"
    )
    parser.add_argument(
        "-o", dest="output", type=Path, metavar="RUN.safetensors", help="write the trace there"
    )
    parser.add_argument(
        "--no-attention", action="store_true", help="keep no attention maps (smaller, faster)"
    )


def run(arguments: argparse.Namespace) -> Result:
    path = checkpoint_path(arguments.checkpoint)
    given = _input(arguments)
    output: Path | None = arguments.output
    if output is not None:
        check_file(output)
        _spare_others(output)
    loaded = _load(path, arguments.device)
    started = time.perf_counter()
    kept, maps = _run(loaded, given, arguments.steps, not arguments.no_attention, output)
    seconds = time.perf_counter() - started
    if output is not None:
        kept.save(output)
    from app.verbs.trace_report import document, text

    found = document(kept, maps, seconds, None if output is None else str(output))
    return Result(found, text(found))


def _input(arguments: argparse.Namespace) -> Input:
    """What the options say to run; files are read, ids taken apart."""
    from ut_engine.prepare import Input

    if arguments.text is not None:
        return Input(text=arguments.text)
    if arguments.tokens is not None:
        return Input(ids=_ids(arguments.tokens))
    file: Path = arguments.input
    text = _read(file)
    if not text.lstrip()[:1].isdigit() or "\t" not in text:
        return Input(text=text)
    from ut_engine.tasks.babi import read_babi, story_text

    stories = read_babi(file)
    if arguments.story > len(stories):
        raise UserError(
            f"{file.name} has {len(stories)} questions", f"choose --story from 1 to {len(stories)}"
        )
    story = stories[arguments.story - 1]
    return Input(text=story_text(story), supports=story.supports, answer=story.answer)


def _read(file: Path) -> str:
    try:
        if file.exists() and not file.is_file():
            raise UserError(
                f"{file.name or file} is no text file", "give a text file or an official bAbI file"
            )
        if file.is_file() and file.stat().st_size > _MOST_TEXT:
            raise UserError(f"{file.name} is too large for an input", "give a text file below 16 MiB")
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{file.name} is not a text file", "give a text in UTF-8") from None
    except OSError as error:
        why = "it does not exist" if isinstance(error, FileNotFoundError) else "the system refuses"
        raise UserError(f"{file} cannot be read: {why}", "check the path and its permissions") from None


def _ids(text: str) -> list[Any]:
    """ "1,2,3" -> [1, 2, 3]; "1,2;3" -> [[1, 2], [3, 0]] (0 is padding)."""
    try:
        rows = [[int(cell) for cell in row.split(",")] for row in text.split(";")]
    except ValueError:
        raise UserError(f"{text!r} is no list of token ids", "write them as 1,2,3") from None
    if any(abs(number) >= 2**31 for row in rows for number in row):
        raise UserError("a token id is too large", "give ids of the model's vocabulary")
    if len(rows) == 1:
        return list(rows[0])
    longest = max(map(len, rows))
    return [row + [0] * (longest - len(row)) for row in rows]


def _spare_others(output: Path) -> None:
    """A file that is there and is no trace is not overwritten: it could be the checkpoint."""
    from ut_engine.checkpoint import read_header

    if not output.exists() or not output.stat().st_size:
        return
    try:
        metadata = read_header(output)[1]
    except (UserError, OSError):
        metadata = {}
    if metadata.get("format") != "depthscope-trace":
        raise UserError(f"{output.name} is there and is no trace", "choose another name, or remove it first")


def _load(path: Path, device: str) -> Loaded:
    with loading():
        from ut_engine.family import load
        from ut_engine.torch.device import choose, use_threads
        from ut_engine.torch.model import UniversalTransformer  # noqa: F401  (what loading would import)
    use_threads()
    return load(path, choose(device).name)


def _run(
    loaded: Loaded, given: Input, steps: int | None, attention: bool, output: Path | None
) -> tuple[Run, list[Any]]:
    """The run (maps and states only where they will be saved), and what is said of every step's maps."""
    from app.verbs.trace_report import of_maps, slim
    from ut_engine.prepare import prepare
    from ut_engine.records import Capture
    from ut_engine.run import Run as New

    if isinstance(given.ids, list) and loaded.config.words and not isinstance(given.ids[0], list):
        from dataclasses import replace

        given = replace(given, ids=[[number] for number in given.ids])
    ids, info = prepare(loaded, given, steps)
    capture = Capture(attention=attention, states=output is not None)
    _check_memory(loaded, ids.shape[1], info.max_steps, capture, output)
    kept, said = New(info), []
    for record in _said(_stepping(loaded, ids, capture, steps), info.max_steps):
        said.append(of_maps(record, info))
        kept = kept.add(record if output is not None else slim(record))
    dropped = () if attention else ("attention: not asked for",)
    return kept.end("done", dropped), said


def _stepping(loaded: Loaded, ids: Any, capture: Any, steps: int | None) -> Iterator[StepRecord]:
    """The model's steps; torch's ways of saying that memory ran out become one sentence."""
    try:
        yield from loaded.model.steps(ids, capture, steps)
    except RuntimeError as error:  # torch has no exception of its own for this on the CPU
        if "memory" in str(error).lower() or "alloc" in str(error).lower():
            raise MemoryError from error
        raise


def _said(records: Iterator[StepRecord], cap: int) -> Iterator[StepRecord]:
    """The same records, with a progress line on a terminal where the run takes long."""
    started = time.monotonic()
    shown = False
    for record in records:
        now = time.monotonic()
        if sys.stderr is not None and sys.stderr.isatty() and now - started > _SAY_SECONDS:
            started, shown = now, True
            sys.stderr.write(f"\r\x1b[Kstep {record.step} of at most {cap}")
            sys.stderr.flush()
        yield record
    if shown:
        sys.stderr.write("\r\x1b[K")


def _check_memory(loaded: Loaded, length: int, steps: int, capture: Any, output: Path | None) -> None:
    """Refuse a run that cannot fit: with fixed T all of it, with halting its first step, and on disk too."""
    from app.memory import available
    from ut_engine.forecast import forecast

    sure = 1 if loaded.config.act else steps
    config = loaded.config.to_dict()
    need = forecast(config, length, sure if output is not None else 1, capture=capture)
    free = available()
    if free is not None and need > free:
        raise UserError(
            f"the run needs about {need / 2**30:.1f} GiB of memory and {free / 2**30:.1f} GiB are free",
            "give a shorter input, fewer steps, or --no-attention",
        )
    if output is not None:
        check_space(output, need)

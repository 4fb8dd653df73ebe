"""From a text or token ids to the model's input and the description of the run."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ut_engine.checkpoint import Loaded
from ut_engine.edits import Edit, check_edits, edits_from
from ut_engine.errors import UserError
from ut_engine.run import RunInfo
from ut_engine.spec import MOST_POSITIONS, UTConfig
from ut_engine.tasks.babi import parse_story
from ut_engine.tasks.babi_track import track
from ut_engine.tasks.registry import advice
from ut_engine.tokenizer import Encoded, SentenceTokenizer, SymbolTokenizer, from_config

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Input:
    """What to run.  text: a story or symbols.  ids: [position] or [position][word] instead of a text.
    supports: 0-based facts, in story order, to mark; None: found by the tracker where it can.
    answer: the right one where it is known.  target: ids for a decoder to be given (teacher forcing).
    edits: changes of p, as `Edit` or [kind, step, position, value].  epsilon: of this run."""

    text: str | None = None
    ids: Sequence[Any] | None = None
    supports: Sequence[int] | None = None
    answer: str | None = None
    target: Sequence[int] | None = None
    edits: Sequence[Any] = ()
    epsilon: float | None = None


def prepare(loaded: Loaded, given: Input, steps: int | None = None) -> tuple[Array, RunInfo]:
    """(ids [1, position(, word)], the run's description); raises UserError for what the model cannot read."""
    config: UTConfig = loaded.config
    if steps is not None:
        config.steps_allowed(steps)  # said before anything is read
    tokenizer = from_config(dict(loaded.tokenizer_config)) if loaded.tokenizer_config else None
    expected = given.answer
    if given.ids is None and tokenizer is not None:
        encoded, expected = from_text(given, tokenizer, loaded.task)
    else:
        ids = ids_in(given.text or "", config) if given.ids is None else given.ids
        encoded = from_ids(ids, config, tokenizer)
    if encoded.ids.shape[0] > MOST_POSITIONS:
        raise UserError(f"the input has {encoded.ids.shape[0]} positions", f"give at most {MOST_POSITIONS}")
    check_range(encoded.ids, config)
    target = target_of(given, config)
    edits = edits_of(given, config, encoded.ids.shape[0])
    info = RunInfo(
        family=str(loaded.header.config.get("family", "")),
        checkpoint=loaded.header.name,
        config=config.to_dict(),
        parameters=loaded.header.parameters,
        labels=encoded.labels,
        ids=(nested(encoded.ids.tolist()),),
        task=loaded.task,
        text=given.text or "",
        marks=encoded.marks,
        story_order=encoded.story_order,
        answers=answers_of(tokenizer, config),
        expected=expected,
        readout=config.readout,
        device=loaded.device,
        versions=versions(),
        max_steps=config.steps_allowed(steps, positions_of(encoded.ids, config)),
        epsilon=(config.epsilon if given.epsilon is None else given.epsilon) if config.act else None,
        cropped=encoded.cropped,
        finished="running",
        target=target,
        edits=tuple(edit.plain() for edit in edits),
    )
    return encoded.ids[None], info


def from_text(
    given: Input, tokenizer: SentenceTokenizer | SymbolTokenizer, task: str = ""
) -> tuple[Encoded, str | None]:
    """(encoded text, the answer where it is known)."""
    if isinstance(tokenizer, SymbolTokenizer):
        check_symbols(given.text or "", tokenizer, task)
        return tokenizer.encode(given.text or ""), given.answer
    story = parse_story(given.text or "")
    supports, answer = given.supports, given.answer
    if supports is None or answer is None:
        try:
            found, facts = track(story)
        except UserError:  # not a story of the tracked tasks: no answer is known, nothing is marked
            found, facts = None, ()
        supports = facts if supports is None else supports
        answer = found if answer is None else answer
    if not all(type(n) is int and 0 <= n < len(story.facts) for n in supports):
        raise UserError("a supporting fact is not in the story", f"choose from 1 to {len(story.facts)}")
    return tokenizer.encode(replace(story, supports=tuple(supports))), answer


def check_symbols(text: str, tokenizer: SymbolTokenizer, task: str) -> None:
    """Refuse a text of other symbols, or none, with what is to be typed for this task (UserError)."""
    unknown, do = tokenizer.unknown(text), advice(task, text, tokenizer.symbols)
    if do and unknown:
        raise UserError(f'"{unknown}" is a symbol that this model does not know', do)
    if do and not text.strip():
        raise UserError("the input is empty", do)


def ids_in(text: str, config: UTConfig) -> list[Any]:
    """Token ids typed where there is no tokenizer: "1 2 3"; of sentences a line for each position."""
    lines = [line.replace(",", " ").split() for line in text.replace(";", "\n").splitlines()]
    try:
        numbers = [[int(word) for word in line] for line in lines if line]
    except ValueError:
        raise UserError("this checkpoint has no tokenizer", "give token ids such as 1 2 3") from None
    if not numbers:
        raise UserError("the input is empty", "give token ids such as 1 2 3")
    if not config.words:
        return [number for line in numbers for number in line]
    longest = max(map(len, numbers))
    return [line + [0] * (longest - len(line)) for line in numbers]


def from_ids(
    ids: Sequence[Any], config: UTConfig, tokenizer: SentenceTokenizer | SymbolTokenizer | None
) -> Encoded:
    """Token ids as they are, labelled where the tokenizer knows them."""
    shape = "lists of word ids, one for each position" if config.words else "a list of ids"
    try:
        array = np.asarray(ids)
    except ValueError:
        array = np.empty(0)
    if array.ndim != (2 if config.words else 1) or array.dtype.kind not in "iu" or not array.size:
        raise UserError("the token ids do not fit this model", f"give {shape}")
    if config.words and array.shape[1] > config.words:
        raise UserError(f"a position has {array.shape[1]} words", f"give at most {config.words}")
    array = array.astype(np.int64)
    known = vocabulary(tokenizer)
    labels = tuple(label(row, known) for row in array.reshape(array.shape[0], -1).tolist())
    return Encoded(array, labels, (), tuple(range(len(labels))), 0)


def positions_of(ids: Array, config: UTConfig) -> int:
    """What T may follow: the real positions; of an LSTM all of them, as it steps over padding."""
    real = ids != 0 if ids.ndim == 1 else (ids != 0).any(axis=1)
    return len(ids) if config.architecture == "lstm" else int(real.sum())


def edits_of(given: Input, config: UTConfig, positions: int) -> tuple[Edit, ...]:
    """The changes asked for, checked."""
    plain = [one.plain() if isinstance(one, Edit) else one for one in given.edits]
    try:
        edits = edits_from(plain)
    except ValueError as error:
        raise UserError(
            "a change of the past is not understood", "give kind, step, position and value"
        ) from error
    check_edits(config, edits, given.epsilon, positions)
    return edits


def asked_of(info: RunInfo) -> dict[str, Any]:
    """What `model.steps` is asked for beyond the usual: nothing for a run as the model does it."""
    more: dict[str, Any] = {"target": [info.target]} if info.target else {}
    if info.edits:
        more["edits"] = edits_from(info.edits)
    if info.epsilon is not None and info.epsilon != info.config["epsilon"]:
        more["epsilon"] = info.epsilon
    return more


def target_of(given: Input, config: UTConfig) -> tuple[int, ...]:
    """The ids a decoder is given, checked; () for none."""
    if given.target is None:
        return ()
    if not config.decoder:
        raise UserError("this model has no decoder", "leave the target out")
    target = tuple(given.target)
    if not target or not all(type(n) is int and 0 <= n < config.answers for n in target) or not any(target):
        raise UserError(
            "the target does not fit this model", f"give ids from 1 to {config.answers - 1}, 0 for padding"
        )
    return target


def vocabulary(tokenizer: SentenceTokenizer | SymbolTokenizer | None) -> tuple[str, ...]:
    """What the ids from 1 on stand for."""
    if isinstance(tokenizer, SentenceTokenizer):
        return tokenizer.words
    return () if tokenizer is None else tokenizer.symbols


def label(row: list[int], known: Sequence[str]) -> str:
    return " ".join(known[n - 1] if 1 <= n <= len(known) else str(n) for n in row if n or len(row) == 1)


def check_range(ids: Array, config: UTConfig) -> None:
    if ids.min() < 0 or ids.max() >= config.vocab:
        bad = int(ids.min() if ids.min() < 0 else ids.max())
        raise UserError(f"the token id {bad} is unknown", f"use ids from 0 to {config.vocab - 1}")
    if not ids.any():
        raise UserError("the input is empty", "give at least one id other than 0, which is padding")


def answers_of(tokenizer: SentenceTokenizer | SymbolTokenizer | None, config: UTConfig) -> tuple[str, ...]:
    """Labels of the read-out classes: the tokenizer's answers, its symbols, or numbers."""
    names = (tokenizer.answers if tokenizer is not None else ()) or vocabulary(tokenizer)
    if len(names) == config.answers:
        return tuple(names)
    if len(names) + 1 == config.answers:  # class 0 is padding
        return ("", *names)
    return tuple(str(n) for n in range(config.answers))


def nested(value: Any) -> Any:
    return tuple(nested(item) for item in value) if isinstance(value, list) else value


def versions() -> dict[str, str]:
    """Of the libraries that decide the numbers, without importing them."""
    found = {"python": platform.python_version()}
    for name in ("depthscope", "torch", "numpy", "safetensors"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found

"""What the engine says, in the user's language: its English sentences recognised as messages.

The engine is a library of its own and speaks English only.  The window finds which of the templates below
a sentence was made from and shows the translation; a sentence it does not know is shown as it came.  A test
holds every template against the engine's sources.
"""

from __future__ import annotations

import re
from functools import cache

from app.engine_refusals import DETAILS, OTHERS, REFUSALS
from app.messages import Message, Text, msg

TEMPLATES: tuple[Message, ...] = (
    *REFUSALS,
    # the engine's process
    msg("The engine was killed, perhaps because the memory was used up"),
    msg("The engine crashed (signal {a})"),
    msg("The engine ended (exit code {a})"),
    msg("Start it again, the records received are kept"),
    msg("The engine cannot be started: {a}"),
    msg("The engine cannot start: {a}"),
    msg("Install the program again"),
    msg("The memory is not enough for this run"),
    msg("Use a shorter input, fewer steps or no maps"),
    msg("Try another input or device, and report this if it stays"),
    msg("The map of step {a} is not kept"),
    msg("Run again with fewer steps"),
    msg("There is no measurement {a}"),
    msg("Ask for one of those in ut_engine.torch.measures"),
    msg("{a} does not answer questions about stories"),
    msg("Choose a babi checkpoint"),
    msg("No checkpoint is open"),
    msg("Open one first"),
    # files
    msg("{a} does not exist"),
    msg("Check the path"),
    msg("{a} cannot be read: {b}"),
    msg("Check its permissions"),
    msg("{a} is empty"),
    msg("{a} is cut short: it has {b} bytes"),
    msg("{a} is cut short: its header of {b} bytes is incomplete"),
    msg("{a} is cut short: {b} of its bytes are missing"),
    msg("{a} is damaged: {b}"),
    msg("Fetch or save it again"),
    msg("{a} is only a git-lfs pointer to the weights"),
    msg("Run 'git lfs pull' in its folder"),
    msg("{a} is a web page, not a checkpoint"),
    msg("Download the file itself, not its page"),
    msg("{a} is a zip archive, such as torch.save writes, and may carry code"),
    msg("{a} is a Python pickle, which may carry code"),
    msg("Save the weights as .safetensors"),
    msg("{a} is a JSON file without weights"),
    msg("Choose the .safetensors file or its folder"),
    msg("{a} is not a safetensors file"),
    msg("Choose a .safetensors file or a checkpoint folder"),
    msg("{a} is a folder"),
    msg("Choose a file"),
    msg("The folder {a} holds no checkpoint"),
    msg("The weights of {a} do not fit its configuration: {b}"),
    msg("Fetch or export the checkpoint again"),
    msg("The tensor {a} holds NaN or infinity"),
    msg("{a} is {b}, not a recorded run"),
    msg("{a} is a recorded run, not a checkpoint"),
    msg("Open it as a recorded run"),
    msg("Open a file that ends in {a}"),
    msg("{a} has trace version {b}, not {c}"),
    msg("{a} has checkpoint format {b}, not {c}"),
    msg("Update the program"),
    msg("{a} cannot be written: {b}"),
    msg("Free some space or choose another folder"),
    msg("Choose another folder"),
    msg("Create the folder or choose another one"),
    msg("Choose a shorter name"),
    # why a file cannot be written, inside another sentence
    msg("the disk is full"),
    msg("the disk quota is used up"),
    msg("the disk is read-only"),
    msg("writing there is not permitted"),
    msg("its folder does not exist"),
    msg("its folder is a file"),
    msg("a folder has that name"),
    msg("the name is too long"),
    # opening a checkpoint, and what to know of it
    msg("{a} is no ordinary file"),
    msg("Choose another file"),
    msg("{a} stores {b} as {c}, which is not read here"),
    msg("Store it as F32"),
    msg("{a} stores weights as {b}"),
    msg("Store them as F32"),
    msg("The checkpoint {a} has no {b}"),
    msg("Put its weights beside config.json"),
    msg("Put its {a} beside the weights"),
    msg("The checkpoint {a} lacks {b}"),
    msg("Put all of its files there"),
    msg("{a} of {b} names no files of its folder"),
    msg("The folder {a} holds several weights: {b} stands in {c} as well"),
    msg("Choose one of its .safetensors files"),
    msg("Choose one with {a} and {b}"),
    msg("The weights of {a} are only there as {b}, a pickle that may carry code"),
    msg("Save them as model.safetensors"),
    msg("{a} is not JSON: {b}"),
    msg("{a} holds no JSON object"),
    msg("{a} is too large for a configuration"),
    msg("Choose another checkpoint"),
    msg("Open one of: {a}"),
    msg("The configuration of {a} has no 'model' object"),
    msg("Add it"),
    msg("{a} in the configuration of {b} is no object"),
    msg("Correct it"),
    msg("The model option {a} is missing"),
    msg("Add it to the configuration"),
    msg("Unknown model option {a}"),
    msg("Take it out of the configuration"),
    msg("The input has {a} positions"),
    msg("Give at most {a}"),
    msg("The token ids do not fit this model"),
    msg("A position has {a} words"),
    msg("The token id {a} is unknown"),
    msg("Use ids from {a} to {b}"),
    msg("The input is empty"),
    msg("Give at least one id other than 0, which is padding"),
    msg("This checkpoint has no tokenizer"),
    msg("Give token ids such as 1 2 3"),
    msg("The input has {a} symbols"),
    msg("This model reads at most {a}"),
    msg("The numbers of {a} are not finite"),
    msg("Open another checkpoint"),
    msg("The weights are stored as {a} and run in float32"),
    msg("Its configuration leaves out {a}: these usual values are taken"),
    msg("The halting kernel is zero: p = {a} everywhere, so that all halt at step {b}"),
    msg("The halting kernel is zero: p = {a} everywhere, so that nothing halts before the cap"),
    msg("It has no tokenizer: type token ids such as 1 2 3"),
    # inputs
    msg("The story is empty"),
    msg("Type some facts and a question, one sentence a line"),
    msg("The story does not end in a question"),
    msg('"{a}" is a question before the end of the story'),
    msg("Ask one question, as the last sentence"),
    msg("The story has no facts or no question"),
    msg("Give at least one fact and a question"),
    msg("The closest known are: {a}"),
    msg('"{a}" has {b} words'),
    msg("This model reads sentences of at most {a}"),
    msg("{a} steps cannot be run"),
    msg("Choose between 1 and {a} steps"),
    msg("Run at most {a} steps"),
    msg("The device {a} cannot be used: {b}"),
    # why a device is a fallback
    msg("no CUDA or MPS device was found"),
    # tables of p
    msg("{a} is larger than a table of p can be"),
    msg("Give a file below 64 MiB"),
    msg("{a} is not text"),
    msg("Give a CSV file in UTF-8"),
    msg("{a} cannot be read ({b})"),
    msg("Give an existing CSV file"),
    msg("{a} has a header but no rows"),
    msg("Give one row of probabilities per position"),
    msg("{a} has {b} columns of steps"),
    msg("Give between 1 and {a} columns"),
    msg("Row {a} of {b} is not CSV ({c})"),
    msg("Mend the row"),
    msg("Row {a} of {b} has {c} cells, row {d} has {e}"),
    msg("Give every position the same number of steps"),
    msg("Row {a}, column {b} of {c} is empty"),
    msg("Row {a}, column {b} of {c} holds {d}"),
    msg("Put a number from 0 to 1 there"),
    # conditions of the debugger
    msg("The condition is empty"),
    msg("Write one such as remainders < 0.05"),
    msg("Write it such as remainders < 0.05"),
    msg("The condition is longer than {a} characters"),
    msg("Write a shorter one"),
    msg("Column {a} of the condition: a single = sets, == compares"),
    msg("Column {a} of the condition is not understood, near {b}"),
    msg("Column {a} of the condition: {b} is no number"),
    msg("Compare with a number such as 0.05"),
    msg("Column {a} of the condition uses {b}"),
    msg("Use names, numbers, + - * /, comparisons, and, or, not"),
    msg("Column {a} of the condition: there is no function {b}"),
    msg("Column {a} of the condition: there is no variable {b}"),
    msg("Column {a} of the condition: only a variable has positions"),
    msg("Write it such as remainders[3]"),
    msg("Column {a} of the condition: there is no such position"),
    msg("Positions count from {a} to {b}"),
    msg("Positions count from 1 on"),
    msg("Column {a} of the condition: {b} takes one thing"),
    msg("Did you mean {a}?"),
    msg("Use one of {a}"),
    msg("Use {a}"),
    # changes of the past
    msg("This model does not halt by ACT, so there is no p to change"),
    msg("The halting of an encoder-decoder cannot be changed"),
    msg("Run it as it is"),
    msg("There is no position {a} to change"),
    # the scan
    msg("{a} is not one of {b}"),
    msg("Write only {a}"),
    msg("There is nothing to scan"),
    msg("Write symbols out of {a}"),
    msg("{a} is no permutation of 12345"),
    msg("Write words such as 23451, with spaces"),
    msg("Write permutations such as 23451 21345"),
    msg("{a} positions cannot be scanned"),
    msg("Give {a} to {b}"),
    # trained models on these bits, and what a checkpoint adds
    msg("The trained models cannot read this input"),
    msg("Give 1 to {a} bits"),
    msg("An LSTM adds no coordinates"),
    msg("Open a model of depth"),
    msg("{a} brings no sample input"),
    msg("Type one in the inspector and run it"),
)


ENDS = (": {b}", " lacks {b}", "({b})", "({c})", ", {c}")
"""How a sentence ends whose last place takes a detail of the engine rather than a name."""


def said(sentence: str) -> Text:
    """The sentence as a message where a template fits, else itself with a capital letter."""
    first = sentence.split(" ")[0]
    whole = sentence[:1].upper() + sentence[1:] if first.isalpha() else sentence  # no file's name is changed
    for pattern, template in _patterns():
        found = pattern.fullmatch(sentence) or pattern.fullmatch(whole)
        if found is not None:
            return _filled(template, found)
    return whole


def told(what: Text, do: Text) -> Message:
    """What is wrong and what to do, as sentences of their own.

    what, do: sentences without a full stop, as an engine's error has them or messages; `do` may be empty.
    """
    what, do = (said(text) if isinstance(text, str) else text for text in (what, do))
    if not do:
        return msg("{what}.", what=what)
    asks = (do if isinstance(do, str) else do.id).endswith("?")
    return msg("{what}. {do}", what=what, do=do) if asks else msg("{what}. {do}.", what=what, do=do)


def reason(phrase: str) -> Text:
    """What stands inside another sentence, or several with commas, as a message where it is known."""
    parts = _BETWEEN.split(phrase)
    if len(parts) > 1:
        places = ", ".join(f"{{s{k}}}" for k in range(len(parts)))
        return Message(places, tuple((f"s{k}", reason(part)) for k, part in enumerate(parts)))
    known = _word(phrase)
    if isinstance(known, Message):
        return known
    for pattern, template in _details():
        found = pattern.fullmatch(phrase)
        if found is not None:
            return Message(template.id, tuple(sorted((k, reason(v)) for k, v in found.groupdict().items())))
    return phrase


_BETWEEN = re.compile(
    r", (?=missing |unexpected |misshapen |not finite |attention: |cuda: |mps: )|(?<=\]), (?=\S+ \[)"
)
"""Between two reasons of a list, not between the names of one."""


def _filled(template: Message, found: re.Match[str]) -> Message:
    """The template with what was found: a word of the engine is a message itself, a detail at the end too."""
    values: dict[str, Text] = {name: _word(value) for name, value in found.groupdict().items()}
    if template.id.endswith(ENDS):
        last = max(values)
        values[last] = reason(found[last])
    return Message(template.id, tuple(sorted(values.items())))


def _word(value: str) -> Text:
    """What fills a place: words of the engine that are known are a message themselves."""
    return _reasons().get(value, value)


@cache
def _reasons() -> dict[str, Message]:
    """The templates without places, as they stand inside a sentence."""
    whole = {one.id[0].lower() + one.id[1:]: one for one in TEMPLATES if "{" not in one.id}
    return whole | {one.id: one for one in (*DETAILS, *OTHERS) if "{" not in one.id}


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Message], ...]:
    """The templates as patterns, those with most words of their own first."""
    ordered = sorted(TEMPLATES, key=lambda template: -len(re.sub(r"\{\w}", "", template.id)))
    return tuple((re.compile(_pattern(template.id), re.DOTALL), template) for template in ordered)


@cache
def _details() -> tuple[tuple[re.Pattern[str], Message], ...]:
    """The details with places as patterns, in their order."""
    placed = (template for template in (*DETAILS, *OTHERS) if "{" in template.id)
    return tuple((re.compile(_pattern(template.id), re.DOTALL), template) for template in placed)


def _pattern(text: str) -> str:
    parts = re.split(r"\{(\w)}", text)
    named = (f"(?P<{part}>.+?)" if k % 2 else re.escape(part) for k, part in enumerate(parts))
    return "".join(named)

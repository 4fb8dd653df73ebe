"""Scene -> text: for the command line, golden tests and screen readers."""

from __future__ import annotations

from collections.abc import Iterator

from app.holes import figure
from app.messages import Text, Translator
from app.render.tables import twin
from app.scene import (
    Button,
    Card,
    Choice,
    Editor,
    Entry,
    Field,
    Form,
    Layout,
    Mark,
    Node,
    Number,
    Passage,
    Progress,
    Prose,
    Real,
    Scene,
    Switch,
    children,
)


def to_text(scene: Scene, translator: Translator, width: int = 12) -> str:
    """The scene in reading order: titles, texts, controls and the numbers of every mark.

    width: characters of a table's column.
    """
    lines = [translator.text(scene.alt), ""]
    lines += _node(scene.root, translator, width)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _node(node: Node, translator: Translator, width: int) -> Iterator[str]:
    if isinstance(node, Card):
        head = translator.text(node.title)
        more = translator.text(node.subtitle)
        yield f"## {head}" + (f" — {more}" if more else "")
        yield from (_field(field, translator) for field in node.tools)
    if isinstance(node, Layout):
        for child in children(node):
            yield from _node(child, translator, width)
        if isinstance(node, Card):
            yield ""
        return
    yield from _mark(node, translator, width)


def _mark(mark: Mark, translator: Translator, width: int) -> Iterator[str]:
    text = translator.text
    if isinstance(mark, Prose):
        yield from (" ".join(text(span.text) for span in line) for line in mark.lines)
        return
    if isinstance(mark, Passage):
        yield text_of(mark, translator)
        return
    if isinstance(mark, Form):
        yield from (_field(field, translator) for row in mark.fields for field in row)
        return
    if isinstance(mark, Progress):
        yield text(mark.label) + (f" {mark.done}/{mark.total}" if mark.total else "")
        return
    if mark.alt:
        yield f"[{text(mark.alt)}]"
    table = twin(mark)
    if table is not None:
        titles, rows = table
        for row in (titles, *rows):
            yield "  ".join(_cell(value, translator, width) for value in row)


def text_of(mark: Passage, translator: Translator) -> str:
    """The words of a passage."""
    return "".join(translator.text(span.text) for span in mark.spans)


def _cell(value: Text | float, translator: Translator, width: int) -> str:
    if isinstance(value, float):
        return ("–" if value != value else figure(value, ".4f")).rjust(width)
    said = translator.text(value)
    return (said if len(said) <= width else said[: width - 1] + "…").ljust(width)


def _field(field: Field, translator: Translator) -> str:
    text = translator.text
    if isinstance(field, Editor):
        return "\n".join(f"| {line}" for line in (field.text or text(field.hint)).splitlines())
    if isinstance(field, Choice):
        chosen = [text(name) for value, name in field.options if value == field.value]
        return f"{text(field.label)}: {chosen[0] if chosen else '–'}"
    if isinstance(field, Number | Real):
        return f"{text(field.label)}: {field.value}"
    if isinstance(field, Switch):
        return f"[{'x' if field.on else ' '}] {text(field.label)}"
    if isinstance(field, Entry):
        return f"{text(field.label)}: {field.text or text(field.hint)}"
    assert isinstance(field, Button)
    return f"({text(field.label)})" if field.enabled else f"({text(field.label)}, off)"

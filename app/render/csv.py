"""The numbers behind a figure as CSV: one table plain, several one below the other under their titles."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator

from app.messages import Text, Translator, msg
from app.render.tables import Twin, twin
from app.scene import Card, Layout, Mark, Node, Scene, children
from app.trouble import trouble

Titled = tuple[Text, Twin]


def tables(scene: Scene) -> tuple[Titled, ...]:
    """(title of the card it stands in, table) of every mark with numbers, in reading order."""
    return tuple(_found(scene.root, scene.title))


def _found(node: Node, title: Text) -> Iterator[Titled]:
    if isinstance(node, Layout):
        title = heading(node) if isinstance(node, Card) else title
        for child in children(node):
            yield from _found(child, title)
        return
    found = _of(node)
    if found is not None:
        yield title, found


def heading(card: Card) -> Text:
    """Title and subtitle of a card in one line."""
    if not card.subtitle:
        return card.title
    return msg("{title} — {subtitle}", title=card.title, subtitle=card.subtitle)


def _of(mark: Mark) -> Twin | None:
    found = twin(mark)
    return found if found is not None and found[1] else None


def to_csv(scene: Scene, translator: Translator) -> bytes:
    """UTF-8, comma separated, full precision; undefined numbers are empty cells, a value that is NaN
    says so.

    One table is header and rows only; of several each has its title in a line above and a blank line after.
    A mark of order leads where a text is not ASCII, so that spreadsheets read Korean.  UserError without
    numbers.
    """
    found = tables(scene)
    if not found:
        raise trouble(msg("There are no numbers here yet"), msg("Run a model or open a recorded run first"))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for k, (title, (heads, rows)) in enumerate(found):
        if len(found) > 1:
            if k:
                writer.writerow([])
            writer.writerow([translator.text(title)])
        writer.writerow([_cell(head, translator) for head in heads])
        for row in rows:
            cells = [_cell(value, translator) for value in row]
            writer.writerow(cells + [""] * (len(heads) - len(cells)))
    text = out.getvalue()
    return text.encode("utf-8" if text.isascii() else "utf-8-sig")


def _cell(value: Text | float, translator: Translator) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.9g}"  # "inf" as other programs read it
    return _plain(translator.text(value))


def _plain(text: str) -> str:
    """A text that a spreadsheet would take for a formula is marked as text."""
    risky = text[:1] in ("=", "+", "-", "@", "\t", "\r")
    return f"'{text}" if risky and not _number(text) else text


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

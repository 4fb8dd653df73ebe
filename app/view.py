"""View states as text, `pane?key=value&…`: what Copy view writes, Open view reads and `--view` takes."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, quote

from ut_engine.errors import UserError

FIGURES = 9  # of the longest whole number a view means


def to_text(pane: str, view: Mapping[str, str]) -> str:
    """One line; signs with a meaning of their own are escaped as in web addresses."""
    pairs = "&".join(f"{quote(key, safe='')}={quote(value, safe=' /:,.')}" for key, value in view.items())
    return f"{pane}?{pairs}" if pairs else pane


def from_text(text: str) -> tuple[str, dict[str, str]]:
    """(pane, view); a leading `pane:` as in links is accepted.  UserError when it is no view state."""
    name, _, rest = text.strip().removeprefix("pane:").partition("?")
    if not name.isidentifier():
        raise UserError("this is not a view state", "copy one from a window, such as inspector?step=2")
    try:
        pairs = parse_qsl(rest, keep_blank_values=True, strict_parsing=bool(rest), max_num_fields=200)
    except ValueError:
        raise UserError("this view state is damaged", "write it as pane?key=value&key=value") from None
    return name, dict(pairs)


def number(text: str | None) -> int | None:
    """A whole number as a view writes it, 0 or more; None for any other text."""
    known = text is not None and len(text) <= FIGURES and text.isascii() and text.isdigit()
    return int(text) if text is not None and known else None


def whole(view: Mapping[str, str], name: str, low: int, high: int, usual: int) -> int:
    """The whole number of that name from low to high; the usual one where there is none."""
    found = number(view.get(name))
    return found if found is not None and low <= found <= high else usual

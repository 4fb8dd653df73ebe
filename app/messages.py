"""Texts for people: message ids travel through scenes and are resolved when rendered.

`msg("{n} of {m} steps", n=3, m=8)` makes a message; the English sentence is its id; `.po` catalogues under
`resources/i18n` hold the other languages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """An English sentence with named places, and what stands there; `plural` and `n` for counted ones."""

    id: str
    args: tuple[tuple[str, Any], ...] = ()
    plural: str | None = None
    n: int | None = None


def msg(text: str, /, **args: Any) -> Message:
    return Message(text, tuple(sorted(args.items())))


def nmsg(one: str, many: str, n: int, /, **args: Any) -> Message:
    return Message(one, tuple(sorted({"n": n, **args}.items())), many, n)


Text = Message | str

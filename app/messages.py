"""Texts for people: message ids travel through scenes and are resolved when rendered.

`msg("{n} of {m} steps", n=3, m=8)` makes a message; the English sentence is its id; the `.po` catalogues
under `resources/i18n/LANGUAGE` hold the other languages, compiled into one `depthscope.mo` each by
`packaging/messages.py`.  `Translator("ko").text(message)` makes the sentence.
"""

from __future__ import annotations

import gettext
from dataclasses import dataclass
from typing import Any

from app.paths import resource

LANGUAGES = {"en": "English", "ko": "한국어"}
"""Code -> the language's own name, in the order of the switch."""


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


@dataclass(frozen=True, slots=True)
class ByLanguage:
    """What is written in each language rather than translated (an article).  texts: (language, text)."""

    texts: tuple[tuple[str, Message | str], ...]

    @property
    def id(self) -> str:
        """The English text."""
        text = dict(self.texts).get("en", "")
        return text if isinstance(text, str) else text.id


Text = Message | str | ByLanguage


def catalogue(language: str) -> gettext.NullTranslations:
    """The compiled texts of one language; English needs none.

    Raises KeyError for a language that is not in `LANGUAGES`, OSError when its catalogue is missing.
    """
    LANGUAGES[language]
    if language == "en":
        return gettext.NullTranslations()
    with open(resource("i18n", language, "depthscope.mo"), "rb") as file:
        return gettext.GNUTranslations(file)


class Translator:
    """Turns messages into sentences of one language; strings (a user's own words) pass unchanged."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._catalogue = catalogue(language)

    def text(self, text: Text) -> str:
        """The sentence with its places filled in; messages inside `args` are translated too."""
        if isinstance(text, str):
            return text
        if isinstance(text, ByLanguage):
            return self.text(dict(text.texts).get(self.language, ""))
        if text.plural is not None and text.n is not None:
            sentence = self._catalogue.ngettext(text.id, text.plural, text.n)
        else:
            sentence = self._catalogue.gettext(text.id) if text.id else ""
        if not text.args:
            return sentence
        return sentence.format(**{name: self._filled(value) for name, value in text.args})

    def _filled(self, value: Any) -> Any:
        return self.text(value) if isinstance(value, Message | ByLanguage) else value

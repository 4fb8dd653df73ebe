"""User errors that the window can say in the user's language: made from messages."""

from __future__ import annotations

from app.engine_texts import told
from app.messages import Message, Translator
from ut_engine.errors import UserError


class Trouble(UserError):
    """A user error whose two halves are messages; as a UserError it speaks English."""

    def __init__(self, what: Message, do: Message) -> None:
        english = Translator("en")
        super().__init__(_inner(english.text(what)), _inner(english.text(do)))
        self.words = what, do


def trouble(what: Message, do: Message) -> Trouble:
    """What is wrong and what to do, as sentences without a full stop."""
    return Trouble(what, do)


def sentence(error: UserError) -> Message:
    """What a notice says, in the language it will be shown in."""
    if isinstance(error, Trouble):
        return told(*error.words)
    return told(error.what, error.do)


def _inner(text: str) -> str:
    """Without the capital of a sentence: the command line puts words of its own before it."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text

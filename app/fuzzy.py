"""How well a few typed letters fit a text: for the command palette, in any language."""

from __future__ import annotations

import unicodedata

_BASE, _LAST, _VOWELS, _FINALS = 0xAC00, 0xD7A3, 21, 28
_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"


def score(typed: str, text: str) -> int:
    """0 where it does not fit, else more for better: whole words, starts of words, letters in order.

    Nothing typed fits everything alike.  Hangul fits by first consonants too: ㄴㅂㄴㄱ finds 내보내기.
    """
    wanted = _plain(typed).split()
    if not wanted:
        return 1
    plain = _plain(text)
    scores = [max(_word(word, plain), _word(word, _consonants(plain))) for word in wanted]
    return min(scores) and sum(scores)


def _plain(text: str) -> str:
    """Lower case, one form of every sign, no ellipsis."""
    return unicodedata.normalize("NFC", text).lower().replace("…", "")


def _consonants(text: str) -> str:
    return "".join(
        _INITIALS[(ord(sign) - _BASE) // (_VOWELS * _FINALS)] if _BASE <= ord(sign) <= _LAST else sign
        for sign in text
    )


def _word(word: str, text: str) -> int:
    if word in text.split():
        return 100
    at = text.find(word)
    if at >= 0:
        return 80 if at == 0 or not text[at - 1].isalnum() else 60
    return _scattered(word, text)


def _scattered(word: str, text: str) -> int:
    """The letters in their order with gaps: the fewer signs between first and last, the better."""
    first = place = text.find(word[0])
    for sign in word[1:]:
        if place < 0:
            return 0
        place = text.find(sign, place + 1)
    if first < 0 or place < 0:
        return 0
    gaps = place - first + 1 - len(word)
    return max(0, 40 - 2 * gaps) if len(word) > 1 else 0

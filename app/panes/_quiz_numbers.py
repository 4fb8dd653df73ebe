"""Numbers as people write them: 63,082,496 · 63.1 M · 26.3 million · 6,308만 · 1억 2천만 · 26.9 %."""

from __future__ import annotations

import math
import re
from unicodedata import decomposition, normalize

TIMES = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "mio": 1e6, "million": 1e6, "bn": 1e9, "b": 1e9, "billion": 1e9,
    "%": 1e-2, "percent": 1e-2, "퍼센트": 1e-2, "프로": 1e-2,
    "백": 1e2, "천": 1e3, "만": 1e4, "백만": 1e6, "천만": 1e7, "억": 1e8,
}  # fmt: skip
UNITS = (
    "times", "steps", "step", "ticks", "tick", "positions", "position", "parameters", "parameter", "rounds",
    "배", "단계", "틱", "위치", "번째", "번", "개", "x", "×",
)  # fmt: skip
"""Words that may follow a number and change nothing."""
ABOUT = ("about", "approximately", "around", "roughly", "약", "대략", "ca.", "≈", "~", "=", "≒")
_DIGITS = re.compile(r"\d[\d,. _'\u00a0\u2009\u202f]*|[,.]\d+")
_POWER = re.compile(r"(\d+(?:[.,]\d+)?)e([+-]?\d{1,2})")
_WORD = re.compile(r"[^\d\s,.]+")


def parse(text: str) -> float | None:
    """The number that was meant, None where it is none.

    Parts are added up where each is of a smaller power than the one before: 6,308만 2,496.  2⁶ is none: it
    would be read as 26.
    """
    if any(decomposition(sign).startswith("<super>") for sign in text):
        return None
    rest = normalize("NFKC", text).strip().casefold()
    sign = -1.0 if rest.startswith(("-", "\N{MINUS SIGN}")) else 1.0
    rest = rest.lstrip("-\N{MINUS SIGN}").strip().rstrip(".")
    for about in ABOUT:
        rest = rest.removeprefix(about).strip()
    power = _POWER.fullmatch(rest)
    if power is not None:
        return sign * float(power[1].replace(",", ".")) * 10.0 ** int(power[2])
    total, before = 0.0, math.inf
    while rest:
        part = _part(rest)
        if part is None or part[1] >= before:
            return None
        total, before, rest = total + part[0] * part[1], part[1], part[2]
    return sign * total if before < math.inf else None


def _part(text: str) -> tuple[float, float, str] | None:
    """(number, its power, what follows) of a text that begins with a number; None where it does not."""
    digits = _DIGITS.match(text)
    number = _number(digits[0]) if digits is not None else None
    if digits is None or number is None:
        return None
    rest = text[digits.end() :].strip()
    word = _WORD.match(rest)
    times, used = _times(word[0]) if word is not None else (1.0, 0)
    if word is not None and not used:
        return None
    return number, times, _without_unit(rest[used:].strip())


def _without_unit(text: str) -> str:
    word = _WORD.match(text)
    return text[word.end() :].strip() if word is not None and word[0] in UNITS else text


def _times(word: str) -> tuple[float, int]:
    """(factor, signs used) of a word behind a number; (1, 0) for one that says nothing of numbers."""
    for known in sorted(TIMES, key=len, reverse=True):
        if word == known or (word.startswith(known) and not known.isascii()):
            after = word[len(known) :]
            if not after or after in UNITS:
                return TIMES[known], len(word)
    return (1.0, len(word)) if word in UNITS else (1.0, 0)


def _number(text: str) -> float | None:
    """Digits with separators: groups of three are one number, else a comma is a decimal point."""
    text = re.sub(r"[ _'\u00a0\u2009\u202f]", "", text.rstrip(" ,.\u00a0"))
    if re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?", text):
        text = text.replace(",", "")
    elif re.fullmatch(r"[1-9]\d{0,2}(\.\d{3}){2,}", text):
        text = text.replace(".", "")
    else:
        text = text.replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return None


def close(value: float, answer: float, slack: float) -> bool:
    """Whether a number is the answer, rounded as far as `slack` (relative) allows."""
    return abs(value - answer) <= slack * abs(answer) + 1e-9

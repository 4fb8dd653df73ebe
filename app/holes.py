"""Numbers that are none: NaN and infinities, of a model that broke down or of a file."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.messages import Message, msg

Array = NDArray[Any]


def holes(values: Array) -> Array | None:
    """bool, where values are no numbers; None where all of them are (whole numbers always)."""
    if values.dtype.kind != "f":
        return None
    finite = np.isfinite(values)
    return None if finite.all() else ~finite


def largest(row: Array) -> int:
    """Place of the largest number of a row; 0 where there is none."""
    return int(np.where(np.isfinite(row), row, -np.inf).argmax())


def sign(value: float) -> str:
    """How a value that is no number is written."""
    return "NaN" if math.isnan(value) else "∞" if value > 0 else "−∞"


def figure(value: float, form: str) -> str:
    """A value in a format of Python's, its sign where it is no number."""
    return format(value, form) if math.isfinite(value) else sign(value)


def spread(mean: float, deviation: float, digits: int = 2) -> str:
    """A mean and its deviation; "–" where they are no numbers."""
    if not (math.isfinite(mean) and math.isfinite(deviation)):
        return "–"
    return f"{mean:.{digits}f} ± {deviation:.{digits}f}"


def no_number(value: float) -> Message:
    """What is said of such a value."""
    return msg("not a number ({sign})", sign=sign(value))

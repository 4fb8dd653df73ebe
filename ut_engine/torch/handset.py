"""The Hillis-Steele scan as weights: a Universal Transformer whose attention rows are the scan's arcs.

Nothing is learned: `scan_weights` sets every number by hand.  At step t position i reads i - 2^(t-1) with
weight 1 (itself where there is none) and xors the bit it finds into its own, so that after ceil(log2 n) steps
every position holds its prefix parity, for any n up to 2^steps.  One head, no LayerNorm, and T2T's signals:
the sinusoid of the position and a table of steps, here one-hot codes.

How it works.  Rotating (sin w a, cos w a) by -w d gives the code of position a - d, and the product of two
codes is cos w (difference): a query that holds the code of i - 2^(t-1) scores highest exactly there.  Which
rotation is due depends on the step, and a product of step and position is what the transition's ReLUs can
form: relu(c + Z) - relu(-c + Z) is 2c where Z is large and 0 where Z is very negative.  So the transition
of step t prepares the query of step t + 1 in six registers; step 1 needs none, its rotation is the weights'.
The transition also clears every channel, writes the new bit, and nothing is left over but bit and registers.

Source: Hillis and Steele 1986 (the scan); the construction is ours.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ut_engine.checkpoint import SAMPLES, describe, save
from ut_engine.files import write_atomically
from ut_engine.spec import UTConfig
from ut_engine.tasks.parity import ParityData
from ut_engine.tokenizer import SymbolTokenizer

Array = NDArray[np.float64]

WIDTH = 32
STEPS = 10
SIZE = 2.0**17  # of a bit or a step's code: the signals (at most 1) on the same channel are nothing to it
RATES = (1, 5, 9)  # which sinusoids make the code of a position: 0.54, 0.046 and 0.004 a place
RULER = 11  # this one's sine grows over all 1,024 positions: a ruler
SHARPNESS = 150.0  # height of each cosine of the score
REGISTER = 2.0**10  # registers are this much larger than the signals on their channels


@dataclass(frozen=True, slots=True)
class Channels:
    """What each channel of the state is for; all others stay empty."""

    code: tuple[int, ...] = (*RATES, *(WIDTH // 2 + rate for rate in RATES))  # sines, then cosines
    ruler: int = RULER
    bit: int = 15
    found: int = 14  # the bit read by attention
    place: int = 13  # the ruler of the position read
    register: tuple[int, ...] = (2, 3, 4, 6, 7, 8)
    steps: tuple[int, ...] = (12, 22, 23, 24, 26, 27, 28, 29, 30, 31)


@dataclass
class Units:
    """Hidden units of the transition, collected one by one: what each reads, its bias, what it writes."""

    reads: list[dict[int, float]] = field(default_factory=list)
    biases: list[float] = field(default_factory=list)
    writes: list[dict[int, float]] = field(default_factory=list)

    def add(self, reads: dict[int, float], bias: float, writes: dict[int, float]) -> None:
        self.reads.append(reads)
        self.biases.append(bias)
        self.writes.append(writes)

    def matrices(self) -> tuple[Array, Array, Array]:
        """inner.weight [unit, dim], inner.bias [unit], outer.weight [dim, unit]."""
        inner, outer = np.zeros((len(self.reads), WIDTH)), np.zeros((WIDTH, len(self.reads)))
        for unit, (reads, writes) in enumerate(zip(self.reads, self.writes, strict=True)):
            for channel, weight in reads.items():
                inner[unit, channel] = weight
            for channel, weight in writes.items():
                outer[channel, unit] = weight
        return inner, np.array(self.biases), outer


def scan_config() -> UTConfig:
    """Input 0 and 1 (ids 1 and 2), an answer at every position, ten steps: right up to 1,024 positions."""
    return UTConfig(
        vocab=3, answers=2, d_model=WIDTH, heads=1, d_ff=len(_units().reads), max_steps=STEPS, norm="none",
        signal="learned", causal=True, halting="none", readout="every",
    )  # fmt: skip


def save_scan(folder: Path | str) -> None:
    """Write the checkpoint: it opens like a trained one and reads bits as text."""
    tokenizer = SymbolTokenizer(("0", "1"), 2**STEPS, answers=("0", "1"))
    how = {"made": "by hand: ut_engine.torch.handset.scan_weights"}
    save(folder, describe(scan_config().to_dict(), "parity", tokenizer.to_config(), how), scan_weights())
    shown = json.dumps(ParityData().samples(), ensure_ascii=False, indent=1) + "\n"
    write_atomically(Path(folder) / SAMPLES, [shown.encode()])


def scan_weights() -> dict[str, NDArray[np.float32]]:
    """Every tensor of the hand-set scan, by its state-dict name."""
    at = Channels()
    root = math.sqrt(WIDTH)
    tensors: dict[str, Array] = {name: np.zeros((WIDTH, WIDTH)) for name in _projections()}
    tensors |= {name.replace("weight", "bias"): np.zeros(WIDTH) for name in _projections()}
    embed = np.zeros((3, WIDTH))
    embed[2, at.bit] = SIZE / root
    table = np.zeros((STEPS, WIDTH))
    for step, channel in enumerate(at.steps):
        table[step, channel] = SIZE
    query, key = tensors["attention.query.weight"], tensors["attention.key.weight"]
    for row, (channel, register) in enumerate(zip(at.code, at.register, strict=True)):
        query[row, list(at.code)] = _rotation(1)[row]
        query[row, register] = 1.0 / REGISTER
        key[row, channel] = SHARPNESS * root  # the score is divided by the root of the width
    tensors["attention.value.weight"][at.found, at.bit] = 1.0
    tensors["attention.value.weight"][at.place, at.ruler] = SIZE
    tensors["attention.output.weight"][[at.found, at.place], [at.found, at.place]] = 1.0
    inner, bias, outer = _units().matrices()
    readout = np.zeros((2, WIDTH))
    readout[:, at.bit] = -16.0 / SIZE, 16.0 / SIZE
    tensors |= {
        "embed.weight": embed, "step_table": table, "transition.inner.weight": inner,
        "transition.inner.bias": bias, "transition.outer.weight": outer,
        "transition.outer.bias": np.zeros(WIDTH), "readout.weight": readout,
        "readout.bias": np.array([8.0, -8.0]),
    }  # fmt: skip
    return {name: array.astype(np.float32) for name, array in tensors.items()}


def _projections() -> list[str]:
    return [f"attention.{name}.weight" for name in ("query", "key", "value", "output")]


def _units() -> Units:
    """The transition: clear all, write the new bit, prepare the next step's query."""
    at, units = Channels(), Units()
    for channel in range(WIDTH):
        units.add({channel: 1.0}, 0.0, {channel: -1.0})
        units.add({channel: -1.0}, 0.0, {channel: 1.0})
    _xor(at, units)
    for step in range(1, STEPS):
        _prepare(at, units, step)
    return units


def _xor(at: Channels, units: Units) -> None:
    """bit = own + [found 1, own 0] - [found 1, own 1, and it is another position's].

    Each bracket is a ReLU minus the same one shifted: 0 or 1 exactly, whatever small signal lies on top.
    """
    own, found = at.bit, at.found
    one = SIZE

    def bracket(reads: dict[int, float], bias: float, size: float) -> None:
        units.add(reads, bias, {own: size})
        units.add(reads, bias - 1.0, {own: -size})

    bracket({own: 4 / SIZE}, -1.5, one)  # own
    bracket({own: -4 / SIZE, found: 4 / SIZE}, -1.5, one)
    slope = 1.5 / _ruler_step()  # the rulers' difference, in units of at least 1.5 a position
    most = slope * 1.1
    bracket(
        {own: most / SIZE, found: most / SIZE, at.ruler: slope, at.place: -slope / SIZE},
        -2 * most - 0.25,
        -one,
    )


def _prepare(at: Channels, units: Units, step: int) -> None:
    """Registers for step + 1: the rotation by 2^step (for a position without a target by 0), less by 1.

    The weights of the query rotate by 1 already.  Positions are told apart by the ruler, steps by their code.
    """
    offset, limit = 2**step, 2.5
    slope = 2 * limit / _ruler_step()
    edge = slope * math.sin(_rate(RULER) * (offset - 0.5))
    away = 2 * slope
    for sign, rotation in ((1.0, _rotation(offset)), (-1.0, np.eye(len(at.code)))):
        wanted = rotation - _rotation(1)
        for row, register in enumerate(at.register):
            for side in (1.0, -1.0):
                reads = {channel: side * wanted[row, k] for k, channel in enumerate(at.code)}
                reads |= {at.ruler: sign * slope, at.steps[step - 1]: away / SIZE}
                units.add(reads, -sign * edge - away, {register: side * REGISTER / 2})


def _rotation(offset: int) -> Array:
    """[6, 6]: from the code of position i to that of i - offset (sines first, then cosines)."""
    count = len(RATES)
    matrix = np.zeros((2 * count, 2 * count))
    for k, rate in enumerate(RATES):
        angle = _rate(rate) * offset
        matrix[k, k] = matrix[count + k, count + k] = math.cos(angle)
        matrix[k, count + k], matrix[count + k, k] = -math.sin(angle), math.sin(angle)
    return matrix


def _rate(index: int) -> float:
    """Radians a position of T2T's sinusoid of this index."""
    return float(1e4 ** (-index / (WIDTH // 2 - 1)))


def _ruler_step() -> float:
    """The least that the ruler grows between two neighbouring positions of 1,024."""
    rate = _rate(RULER)
    return math.sin(rate * (2**STEPS - 1)) - math.sin(rate * (2**STEPS - 2))

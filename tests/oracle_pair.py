"""The reference's encoder-decoder: two sides, the right one shifted by one symbol and reading the left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.oracle import (
    Array,
    Options,
    Run,
    Side,
    Weights,
    embed,
    final,
    part,
    read_out,
    think,
    usual_caps,
)


@dataclass
class Pair:
    """Both sides' runs and the logits [batch, target position, answer]."""

    encoder: Run
    decoder: Run
    logits: Array

    @property
    def ponder(self) -> float:
        return self.encoder.ponder + self.decoder.ponder


def table_of(o: Options, weights: Weights) -> Any:
    """The target's embedding: its own, or the source's."""
    return weights["encoder.embed.weight" if o["tied"] else "decoder.embed.weight"]


def run_pair(
    o: Options,
    weights: Weights,
    ids: NDArray[Any],
    target: NDArray[Any],
    caps: list[int] | None = None,
    decoder_caps: list[int] | None = None,
    offset: int = 0,
) -> Pair:
    """Teacher forcing on ids [batch, position(, word)] and target [batch, position]."""
    left, right = part(weights, "encoder."), part(weights, "decoder.")
    h0, real = embed(o, left, ids)
    caps = usual_caps(o, real) if caps is None else caps
    encoder = think(o, Side(left, o["causal"], caps, offset), h0, real)
    given, wanted = embed(o, {"embed.weight": table_of(o, weights)}, target, sentences=False)
    shifted = np.zeros_like(given)
    for i in range(1, given.shape[1]):
        shifted[:, i] = given[:, i - 1]
    side = Side(
        right, True, caps if decoder_caps is None else decoder_caps, offset,
        source=final(o, left, encoder.out), source_real=real,
    )  # fmt: skip
    decoder = think(o, side, shifted, wanted)
    return Pair(encoder, decoder, logits_of(o, weights, decoder.out))


def logits_of(o: Options, weights: Weights, rows: Array) -> Array:
    return read_out(o, part(weights, "decoder."), rows, table_of(o, weights) if o["tied"] else None)


def write(o: Options, weights: Weights, ids: NDArray[Any], most: int, offset: int = 0) -> NDArray[np.int64]:
    """Greedy symbols, one after the other; 0 after the end."""
    found: list[list[int]] = [[] for _ in ids]
    for _ in range(most):
        draft = np.array([[*row, 1] for row in found])
        logits = run_pair(o, weights, ids, draft, offset=offset).logits
        for row, scores in zip(found, logits[:, -1], strict=True):
            done = o["end_id"] != 0 and (o["end_id"] in row)
            row.append(0 if done else 1 + int(np.argmax(scores[1:])))
        if o["end_id"] != 0 and all(o["end_id"] in row for row in found):
            break
    return np.array(found)

"""The reference's LSTM: stacked cells, one position after the other; gates in torch's order i, f, g, o."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.oracle import Array, Options, Weights, embed, read_out, sigmoid


@dataclass
class Reading:
    """states [batch, position, dim] of what was read, zero elsewhere; left: the state to the left of each."""

    real: NDArray[np.bool_]
    states: Array
    left: Array
    logits: Array


def cell(weights: Weights, layer: int, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
    """One cell: (h, c) after x."""
    d = len(h)
    into, own = weights[f"lstm.weight_ih_l{layer}"], weights[f"lstm.weight_hh_l{layer}"]
    bias = weights[f"lstm.bias_ih_l{layer}"] + weights[f"lstm.bias_hh_l{layer}"]
    z = [float(into[k] @ x) + float(own[k] @ h) + float(bias[k]) for k in range(4 * d)]
    new_h, new_c = np.zeros(d), np.zeros(d)
    for k in range(d):
        i, f, o = sigmoid(z[k]), sigmoid(z[d + k]), sigmoid(z[3 * d + k])
        new_c[k] = f * c[k] + i * math.tanh(z[2 * d + k])
        new_h[k] = o * math.tanh(new_c[k])
    return new_h, new_c


def run_lstm(o: Options, weights: Weights, ids: NDArray[Any], most: int | None = None) -> Reading:
    """The first `most` positions of ids [batch, position(, word)], all by default; padding is skipped."""
    x, real = embed(o, weights, ids)
    states, left = np.zeros_like(x), np.zeros_like(x)
    for b in range(len(x)):
        cells = [(np.zeros(o["d_model"]), np.zeros(o["d_model"])) for _ in range(o["layers"])]
        for i in range(x.shape[1] if most is None else min(most, x.shape[1])):
            if not real[b, i]:
                continue
            left[b, i] = cells[-1][0]
            value = x[b, i]
            for layer in range(o["layers"]):
                cells[layer] = cell(weights, layer, value, *cells[layer])
                value = cells[layer][0]
            states[b, i] = value
    return Reading(real, states, left, read_out(o, weights, states))

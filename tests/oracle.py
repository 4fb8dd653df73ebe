"""An independent reference: the Universal Transformer and its siblings in float64, position by position.

Written from the equations alone (Dehghani et al. 2019, eq. 1-7 and Listing 2; tensor2tensor for the pre-norm
order, its sinusoid and its convolutions; Graves 2016 for his mixing; Hochreiter and Schmidhuber's cell with
torch's gates).  It shares no code with the engine and is slow on purpose: plain loops, no batched matrix
products, no masks filled with minus infinity.  `run` takes a mapping of option names to values and a mapping
of state-dict names to arrays; the encoder-decoder is in `oracle_pair`, the LSTM in `oracle_lstm`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.oracle_act import Act, act_table

__all__ = ["Act", "act_table"]

Array = NDArray[np.float64]
Options = Mapping[str, Any]
Weights = Mapping[str, Any]
Change = tuple[str, int, int, float]  # kind, step from 1, position from 0, value


@dataclass
class Step:
    """Everything one step computed; arrays [batch, position(, ...)], attention [batch, head, query, key]."""

    x: Array
    attention: Array
    cross: Array | None
    state: Array
    next_state: Array
    p: Array
    running: NDArray[np.bool_]
    h: Array
    r: Array
    n: Array
    w: Array
    prev: Array
    out: Array


@dataclass
class Run:
    """A whole run: `logits` of the last step, `ponder` the loss term before its weight (0 without ACT)."""

    h0: Array
    real: NDArray[np.bool_]
    steps: list[Step] = field(default_factory=list)
    out: Array = field(default_factory=lambda: np.zeros(0))
    logits: Array = field(default_factory=lambda: np.zeros(0))
    ponder: float = 0.0
    loss_term: float = 0.0


@dataclass
class Side:
    """What one side of a model is given: weights, whether it is causal, caps [batch], a source, changed p."""

    weights: Weights
    causal: bool
    caps: list[int]
    offset: int = 0
    source: Array | None = None
    source_real: NDArray[np.bool_] | None = None
    changes: Sequence[Change] = ()


def part(weights: Weights, prefix: str) -> dict[str, Any]:
    """The weights below a prefix, without it."""
    return {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}


def sigmoid(z: float) -> float:
    return 1.0 / (1.0 + math.exp(-z)) if z >= 0 else math.exp(z) / (1.0 + math.exp(z))


def affine(weights: Weights, name: str, vector: Array) -> Array:
    """y_o = sum_c W[o, c] x_c + b_o, one output at a time."""
    matrix = np.asarray(weights[f"{name}.weight"], dtype=np.float64)
    bias = weights.get(f"{name}.bias")
    values = []
    for row in range(matrix.shape[0]):
        total = float(matrix[row] @ vector)
        values.append(total + (0.0 if bias is None else float(bias[row])))
    return np.array(values)


def layer_norm(weights: Weights, name: str, vector: Array) -> Array:
    mean = sum(float(v) for v in vector) / len(vector)
    variance = sum((float(v) - mean) ** 2 for v in vector) / len(vector)
    scale, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
    root = math.sqrt(variance + 1e-6)
    return np.array([(v - mean) / root * float(scale[c]) + float(shift[c]) for c, v in enumerate(vector)])


def t2t_row(d: int, index: int) -> Array:
    """Row `index` (from 0) of get_timing_signal_1d: all sines, then all cosines; min 1, max 10000."""
    n = d // 2
    row = np.zeros(d)
    for k in range(n):
        w = math.exp(-k * math.log(10000.0) / max(n - 1, 1))
        row[k] = math.sin(index * w)
        row[n + k] = math.cos(index * w)
    return row


def paper_part(d: int, place: int) -> Array:
    """What one coordinate, from 1, adds in equations 6-7."""
    row = np.zeros(d)
    for j in range(d // 2):
        w = 10000.0 ** (-2.0 * j / d)
        row[2 * j] = math.sin(place * w)
        row[2 * j + 1] = math.cos(place * w)
    return row


def paper_row(d: int, i: int, t: int) -> Array:
    """Equations 6-7 for position i and step t, both from 1."""
    return paper_part(d, i) + paper_part(d, t)


def signal_row(o: Options, weights: Weights, i: int, t: int) -> Array:
    """P^t_i for position i and step t, both from 1."""
    d = o["d_model"]
    if o["signal"] == "paper":
        return paper_row(d, i, t)
    if o["signal"] == "t2t":
        return t2t_row(d, i - 1) + t2t_row(d, t - 1)
    if o["signal"] == "learned":
        return t2t_row(d, i - 1) + np.asarray(weights["step_table"][t - 1], dtype=np.float64)
    return np.zeros(d)


def embed(
    o: Options, weights: Weights, ids: NDArray[Any], sentences: bool | None = None
) -> tuple[Array, NDArray[np.bool_]]:
    """H^0 [batch, position, dim] and which positions are real; sentences: by the options unless given."""
    sentences = o["words"] > 0 if sentences is None else sentences
    batch, length, d = ids.shape[0], ids.shape[1], o["d_model"]
    table = np.asarray(weights["embed.weight"], dtype=np.float64)
    h0, real = np.zeros((batch, length, d)), np.zeros((batch, length), dtype=bool)
    for b in range(batch):
        for i in range(length):
            words = [int(word) for word in ids[b, i]] if sentences else [int(ids[b, i])]
            for j, word in enumerate(words):
                if word == 0:
                    continue
                real[b, i] = True
                mask = np.asarray(weights["word_mask"][j], dtype=np.float64) if sentences else 1.0
                h0[b, i] += math.sqrt(d) * mask * table[word]
    return h0, real


def readable(o: Options, real: NDArray[np.bool_], i: int, causal: bool | None = None) -> list[int]:
    """The positions that position i may read; causal: the options' own unless given."""
    causal = o["causal"] if causal is None else causal
    found = []
    for j in range(len(real)):
        if not (real[j] or i == j):
            continue
        if causal and j > i:
            continue
        if o["window"] > 0 and j <= i - o["window"]:
            continue
        found.append(j)
    return found


def score_bias(o: Options, weights: Weights, head: int, i: int, j: int) -> float:
    if o["attention_bias"] == "alibi":
        return -float(2.0 ** (-8.0 * (head + 1) / o["heads"])) * abs(i - j)
    if o["attention_bias"] == "relative":
        c = o["relative_clip"]
        return float(weights["attention.relative"][head, max(-c, min(c, j - i)) + c])
    return 0.0


def mix(
    o: Options,
    weights: Weights,
    name: str,
    rows: Array,
    memory: Array,
    keys_of: Callable[[int], list[int]],
    bias: Callable[[int, int, int], float],
) -> tuple[Array, Array]:
    """Attention of one example's rows over a memory: (output [position, dim], weights [head, query, key])."""
    m, d = rows.shape
    heads, size = o["heads"], d // o["heads"]
    q = [affine(weights, f"{name}.query", row) for row in rows]
    k = [affine(weights, f"{name}.key", row) for row in memory]
    v = [affine(weights, f"{name}.value", row) for row in memory]
    maps, joined = np.zeros((heads, m, len(memory))), np.zeros((m, d))
    for head in range(heads):
        own = slice(head * size, (head + 1) * size)
        for i in range(m):
            keys = keys_of(i)
            scores = [float(q[i][own] @ k[j][own]) / math.sqrt(size) + bias(head, i, j) for j in keys]
            top = max(scores)
            exps = [math.exp(s - top) for s in scores]
            for j, e in zip(keys, exps, strict=True):
                maps[head, i, j] = e / sum(exps)
                joined[i, own] += maps[head, i, j] * v[j][own]
    return np.array([affine(weights, f"{name}.output", row) for row in joined]), maps


def attend(
    o: Options, weights: Weights, rows: Array, real: NDArray[np.bool_], causal: bool
) -> tuple[Array, Array]:
    """Self-attention of one example."""
    return mix(
        o, weights, "attention", rows, rows, lambda i: readable(o, real, i, causal),
        lambda head, i, j: score_bias(o, weights, head, i, j),
    )  # fmt: skip


def attend_source(
    o: Options, weights: Weights, rows: Array, source: Array, real: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Cross-attention of one example: all real source positions, or all of a source without any."""
    keys = [j for j in range(len(source)) if real[j]] or list(range(len(source)))
    return mix(o, weights, "cross", rows, source, lambda i: keys, lambda head, i, j: 0.0)


def transition(o: Options, weights: Weights, rows: Array, real: NDArray[np.bool_], causal: bool) -> Array:
    """The position-wise feed-forward, or T2T's two separable convolutions."""
    if o["transition"] == "sepconv":
        rows = slide(weights["transition.inner_kernel"], rows, real, causal)
    inner = [[max(0.0, float(value)) for value in affine(weights, "transition.inner", row)] for row in rows]
    if o["transition"] == "sepconv":
        inner = list(slide(weights["transition.outer_kernel"], np.array(inner), real, causal))
    return np.array([affine(weights, "transition.outer", np.array(row)) for row in inner])


def slide(kernel: Any, rows: Array, real: NDArray[np.bool_], causal: bool) -> Array:
    """Each channel by itself: y_i = sum_k kernel_k x_(i + k - reach), zero at padding and outside."""
    width = len(kernel[0])
    reach = width - 1 if causal else (width - 1) // 2
    mixed = np.zeros_like(rows)
    for i in range(len(rows)):
        for k in range(width):
            j = i + k - reach
            if 0 <= j < len(rows) and real[j]:
                for c in range(rows.shape[1]):
                    mixed[i, c] += float(kernel[c][k]) * rows[j, c]
    return mixed


def block(
    o: Options, side: Side, weights: Weights, b: int, x: Array, real: NDArray[np.bool_]
) -> tuple[Array, Array, Array | None]:
    """Example b through a layer: (new state [position, dim], its own maps, its maps of the source)."""
    post = o["norm"] == "post"

    def norm(name: str, rows: Array) -> Array:
        return rows if o["norm"] == "none" else np.array([layer_norm(weights, name, row) for row in rows])

    mixed, maps = attend(o, weights, x if post else norm("norm_attention", x), real, side.causal)
    y = norm("norm_attention", x + mixed) if post else x + mixed
    cross = None
    if side.source is not None:
        assert side.source_real is not None
        asked = y if post else norm("norm_cross", y)
        mixed, cross = attend_source(o, weights, asked, side.source[b], side.source_real[b])
        y = norm("norm_cross", y + mixed) if post else y + mixed
    changed = transition(o, weights, y if post else norm("norm_transition", y), real, side.causal)
    return norm("norm_transition", y + changed) if post else y + changed, maps, cross


def has_final_norm(o: Options) -> bool:
    return o["norm"] == "pre" if o["final_norm"] is None else bool(o["final_norm"])


def final(o: Options, weights: Weights, rows: Array) -> Array:
    """[batch, position, dim] through the last LayerNorm where there is one."""
    if not has_final_norm(o):
        return rows
    return np.array([[layer_norm(weights, "norm_final", row) for row in example] for example in rows])


def read_out(o: Options, weights: Weights, rows: Array, table: Any = None) -> Array:
    """[batch, position, dim] -> logits [batch, position, answer]; table: of the embedding, where tied."""
    rows = final(o, weights, rows)
    if o["tied"]:
        weights = {"readout.weight": weights["embed.weight"] if table is None else table}
    return np.array([[affine(weights, "readout", row) for row in example] for example in rows])


def _one_step(o: Options, side: Side, run_: Run, t: int, s: Array, acts: Any, prev: Array) -> Step:
    batch, m, _ = s.shape
    x, new = np.zeros_like(s), np.zeros_like(s)
    layer = side.weights if o["architecture"] == "universal" else part(side.weights, f"layers.{t - 1}.")
    maps = np.zeros((batch, o["heads"], m, m))
    cross = None if side.source is None else np.zeros((batch, o["heads"], m, side.source.shape[1]))
    values = {name: np.zeros((batch, m)) for name in ("p", "running", "h", "r", "n", "w")}
    following, prev, out = np.zeros_like(s), prev.copy(), np.zeros_like(s)
    for b in range(batch):
        for i in range(m):
            x[b, i] = s[b, i] + entering(o, side, run_, t, b, i)
        new[b], maps[b], there = block(o, side, layer, b, x[b], run_.real[b])
        if cross is not None:
            cross[b] = there
        for i in range(m):
            following[b, i] = new[b, i] if t <= side.caps[b] or o["halting"] == "act" else s[b, i]
            out[b, i] = following[b, i]
            if o["halting"] != "act":
                continue
            source = x[b, i] if o["p_from"] == "input" else new[b, i]
            p = sigmoid(float(affine(side.weights, "halting_unit", source)[0]))
            act = acts[b][i]
            p = changed(p, act.h, 1.0 - o["epsilon"], [c for c in side.changes if c[1:3] == (t, i)])
            takes_part = bool(run_.real[b, i]) and t <= side.caps[b]
            act.step(p, 1.0 - o["epsilon"], o["mixing"], t == side.caps[b], takes_part)
            for name, value in (("p", p), ("running", act.running), ("h", act.h), ("r", act.r), ("n", act.n)):
                values[name][b, i] = value
            values["w"][b, i] = act.w
            keep = 1.0 - act.w if o["mixing"] == "basic" else 1.0
            prev[b, i] = act.w * new[b, i] + keep * prev[b, i]
            if o["state"] == "frozen" and not act.running:
                following[b, i] = s[b, i]
            out[b, i] = prev[b, i]
    return Step(
        x, maps, cross, new, following, values["p"], values["running"].astype(bool), values["h"], values["r"],
        values["n"], values["w"], prev, out,
    )  # fmt: skip


def changed(p: float, h: float, theta: float, changes: Sequence[Change]) -> float:
    """p with the past as it was changed; "run" looks for the largest p that keeps h + p below theta."""
    for kind, _, _, value in changes:
        if kind == "p":
            p = value
        elif kind == "halt":
            p = 1.0
        elif h + p >= theta:
            low, high = 0.0, p
            for _ in range(200):
                middle = (low + high) / 2
                low, high = (middle, high) if h + middle < theta else (low, middle)
            p = low
    return p


def entering(o: Options, side: Side, run_: Run, t: int, b: int, i: int) -> Array:
    """What is added to a position's state before step t: coordinates, and the input again with inject."""
    place = i + 1 + side.offset
    if o["architecture"] == "transformer":  # the position alone, and before the first layer alone
        if t > 1 or o["signal"] == "none":
            return np.zeros(o["d_model"])
        return t2t_row(o["d_model"], place - 1) if o["signal"] == "t2t" else paper_part(o["d_model"], place)
    added = signal_row(o, side.weights, place, t)
    return added + run_.h0[b, i] if o["inject"] else added


def usual_caps(o: Options, real: NDArray[np.bool_]) -> list[int]:
    """Steps of every example when nobody asks for another number."""
    if o["architecture"] == "transformer":
        return [o["layers"]] * len(real)
    caps = []
    for row in real:
        n = max(int(row.sum()), 1)
        formula = {"fixed": o["max_steps"], "length": n, "log2": math.ceil(math.log2(n)) + 1}
        caps.append(formula[o["steps_from"]])
    return caps


def think(o: Options, side: Side, h0: Array, real: NDArray[np.bool_]) -> Run:
    """One side of a model, to the end: everything but its logits."""
    result = Run(h0, real)
    acts = [[Act() for _ in range(real.shape[1])] for _ in range(real.shape[0])]
    s, prev = h0, np.zeros_like(h0)
    theta = 1.0 - o["epsilon"]
    result.out = prev if o["halting"] == "act" else s
    for t in range(1, max(side.caps) + 1):
        if o["halting"] == "act":
            every = [(b, a) for b, row in enumerate(acts) for i, a in enumerate(row) if real[b, i]]
            if not any(a.h < theta and a.n < side.caps[b] for b, a in every):
                break
        step = _one_step(o, side, result, t, s, acts, prev)
        result.steps.append(step)
        s, prev, result.out = step.next_state, step.prev, step.out
    if o["halting"] == "act":
        ended = [a for b, row in enumerate(acts) for i, a in enumerate(row) if real[b, i]]
        costs = [a.n + a.r + (1.0 - a.h if o["charge_cap"] else 0.0) for a in ended]
        result.ponder = sum(costs) / len(costs)
        result.loss_term = o["ponder_weight"] * result.ponder
    return result


def run(
    o: Options,
    weights: Weights,
    ids: NDArray[Any],
    max_steps: int | list[int] | None = None,
    offset: int = 0,
    changes: Sequence[Change] = (),
) -> Run:
    """An encoder on ids [batch, position(, word)]; max_steps: for all, for each, or the options' own.

    changes: of p, in every example.
    """
    h0, real = embed(o, weights, ids)
    caps = usual_caps(o, real) if max_steps is None else max_steps
    caps = [caps] * len(real) if isinstance(caps, int) else caps
    result = think(o, Side(weights, o["causal"], caps, offset, changes=changes), h0, real)
    result.logits = read_out(o, weights, result.out)
    return result


def stopped_logits(
    o: Options, weights: Weights, ids: NDArray[Any], t: int, caps: list[int], offset: int = 0
) -> Array:
    """The read-out as if the model stopped at step t, by its definition: a second run with that cap."""
    return run(o, weights, ids, [min(t, cap) for cap in caps], offset).logits

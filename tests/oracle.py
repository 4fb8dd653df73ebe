"""An independent reference: the encoder-only Universal Transformer in float64, position by position.

Written from the equations alone (Dehghani et al. 2019, eq. 1-7 and Listing 2; tensor2tensor for the pre-norm
order and its sinusoid; Graves 2016 for his mixing).  It shares no code with the engine and is slow on
purpose: plain loops, no batched matrix products, no masks filled with minus infinity.  `run` takes a mapping
of option names to values and a mapping of state-dict names to arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Options = Mapping[str, Any]
Weights = Mapping[str, Any]


@dataclass
class Act:
    """One position's h, R, n of Listing 2, whether it ran in the last step, and its weight at every step."""

    h: Any = 0.0
    r: Any = 0.0
    n: int = 0
    running: bool = True
    w: Any = 0.0
    weights: list[Any] = field(default_factory=list)

    def step(self, p: Any, theta: Any, mixing: str, last: bool, real: bool = True) -> None:
        """Take in the halting probability of one step; numbers may be floats or fractions."""
        self.running = bool(real and self.h < 1)
        self.w = 0 * self.h
        if self.running:
            self._take(p, theta, mixing, last)
        self.weights.append(self.w)

    def _take(self, p: Any, theta: Any, mixing: str, last: bool) -> None:
        if mixing == "graves":
            halts = self.h + p >= theta or last
        else:
            halts = self.h + p > theta
        if halts:
            self.r = 1 - self.h
            self.h = self.h + self.r
            self.w = self.r
        else:
            self.h = self.h + p
            self.w = p
        self.n += 1


@dataclass
class Step:
    """Everything one step computed; arrays [batch, position(, ...)], attention [batch, head, query, key]."""

    x: Array
    attention: Array
    state: Array
    next_state: Array
    p: Array
    running: NDArray[np.bool_]
    h: Array
    r: Array
    n: Array
    w: Array
    prev: Array
    logits_state: Array


@dataclass
class Run:
    """A whole run: `logits` of the last step, `ponder` the loss term before its weight (0 without ACT)."""

    h0: Array
    real: NDArray[np.bool_]
    steps: list[Step] = field(default_factory=list)
    logits: Array = field(default_factory=lambda: np.zeros(0))
    ponder: float = 0.0
    loss_term: float = 0.0


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


def paper_row(d: int, i: int, t: int) -> Array:
    """Equations 6-7 for position i and step t, both from 1."""
    row = np.zeros(d)
    for j in range(d // 2):
        w = 10000.0 ** (-2.0 * j / d)
        row[2 * j] = math.sin(i * w) + math.sin(t * w)
        row[2 * j + 1] = math.cos(i * w) + math.cos(t * w)
    return row


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


def embed(o: Options, weights: Weights, ids: NDArray[Any]) -> tuple[Array, NDArray[np.bool_]]:
    """H^0 [batch, position, dim] and which positions are real."""
    batch, length, d = ids.shape[0], ids.shape[1], o["d_model"]
    table = np.asarray(weights["embed.weight"], dtype=np.float64)
    h0, real = np.zeros((batch, length, d)), np.zeros((batch, length), dtype=bool)
    for b in range(batch):
        for i in range(length):
            words = [int(ids[b, i])] if not o["words"] else [int(word) for word in ids[b, i]]
            for j, word in enumerate(words):
                if word == 0:
                    continue
                real[b, i] = True
                mask = np.asarray(weights["word_mask"][j], dtype=np.float64) if o["words"] else 1.0
                h0[b, i] += math.sqrt(d) * mask * table[word]
    return h0, real


def readable(o: Options, real: NDArray[np.bool_], i: int) -> list[int]:
    """The positions that position i may read."""
    found = []
    for j in range(len(real)):
        if not (real[j] or i == j):
            continue
        if o["causal"] and j > i:
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


def attend(o: Options, weights: Weights, rows: Array, real: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Self-attention of one example: (output [position, dim], weights [head, query, key])."""
    m, d = rows.shape
    heads, size = o["heads"], d // o["heads"]
    q = [affine(weights, "attention.query", row) for row in rows]
    k = [affine(weights, "attention.key", row) for row in rows]
    v = [affine(weights, "attention.value", row) for row in rows]
    maps, joined = np.zeros((heads, m, m)), np.zeros((m, d))
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        for i in range(m):
            keys = readable(o, real, i)
            scores = [
                float(q[i][part] @ k[j][part]) / math.sqrt(size) + score_bias(o, weights, head, i, j)
                for j in keys
            ]
            top = max(scores)
            exps = [math.exp(s - top) for s in scores]
            for j, e in zip(keys, exps, strict=True):
                maps[head, i, j] = e / sum(exps)
                joined[i, part] += maps[head, i, j] * v[j][part]
    return np.array([affine(weights, "attention.output", row) for row in joined]), maps


def feed_forward(weights: Weights, row: Array) -> Array:
    inner = [max(0.0, float(value)) for value in affine(weights, "transition.inner", row)]
    return affine(weights, "transition.outer", np.array(inner))


def block(o: Options, weights: Weights, x: Array, real: NDArray[np.bool_]) -> tuple[Array, Array]:
    """One example through the shared layer: (new state [position, dim], maps [head, query, key])."""
    m = len(x)
    if o["norm"] == "post":
        mixed, maps = attend(o, weights, x, real)
        a = [layer_norm(weights, "norm_attention", x[i] + mixed[i]) for i in range(m)]
        new = [layer_norm(weights, "norm_transition", a[i] + feed_forward(weights, a[i])) for i in range(m)]
        return np.array(new), maps
    normed = np.array([layer_norm(weights, "norm_attention", row) for row in x])
    mixed, maps = attend(o, weights, normed, real)
    y = [x[i] + mixed[i] for i in range(m)]
    new = [y[i] + feed_forward(weights, layer_norm(weights, "norm_transition", y[i])) for i in range(m)]
    return np.array(new), maps


def read_out(o: Options, weights: Weights, rows: Array) -> Array:
    """[batch, position, dim] -> logits [batch, position, answer]."""
    final = o["final_norm"] if o["final_norm"] is not None else o["norm"] == "pre"
    out = []
    for example in rows:
        normed = [layer_norm(weights, "norm_final", row) if final else row for row in example]
        out.append([affine(weights, "readout", row) for row in normed])
    return np.array(out)


def _one_step(
    o: Options, weights: Weights, run_: Run, t: int, cap: int, s: Array, acts: Any, prev: Array
) -> Step:
    batch, m, _ = s.shape
    x, new = np.zeros_like(s), np.zeros_like(s)
    maps = np.zeros((batch, o["heads"], m, m))
    values = {name: np.zeros((batch, m)) for name in ("p", "running", "h", "r", "n", "w")}
    following, prev = np.zeros_like(s), prev.copy()
    for b in range(batch):
        for i in range(m):
            x[b, i] = s[b, i] + (run_.h0[b, i] if o["inject"] else 0.0) + signal_row(o, weights, i + 1, t)
        new[b], maps[b] = block(o, weights, x[b], run_.real[b])
        for i in range(m):
            following[b, i] = new[b, i]
            if o["halting"] != "act":
                continue
            source = x[b, i] if o["p_from"] == "input" else new[b, i]
            p = sigmoid(float(affine(weights, "halting_unit", source)[0]))
            act = acts[b][i]
            act.step(p, 1.0 - o["epsilon"], o["mixing"], t == cap, bool(run_.real[b, i]))
            for name, value in (("p", p), ("running", act.running), ("h", act.h), ("r", act.r), ("n", act.n)):
                values[name][b, i] = value
            values["w"][b, i] = act.w
            keep = 1.0 - act.w if o["mixing"] == "basic" else 1.0
            prev[b, i] = act.w * new[b, i] + keep * prev[b, i]
            if o["state"] == "frozen" and not act.running:
                following[b, i] = s[b, i]
    return Step(
        x, maps, new, following, values["p"], values["running"].astype(bool), values["h"], values["r"],
        values["n"], values["w"], prev, read_out(o, weights, following),
    )  # fmt: skip


def run(o: Options, weights: Weights, ids: NDArray[Any], max_steps: int | None = None) -> Run:
    """The model on ids [batch, position(, word)], at most max_steps steps (the options' own by default)."""
    cap = o["max_steps"] if max_steps is None else max_steps
    h0, real = embed(o, weights, ids)
    result = Run(h0, real)
    acts = [[Act() for _ in range(real.shape[1])] for _ in range(real.shape[0])]
    s, prev = h0, np.zeros_like(h0)
    theta = 1.0 - o["epsilon"]
    for t in range(1, cap + 1):
        if o["halting"] == "act":
            waiting = [a for b, row in enumerate(acts) for i, a in enumerate(row) if real[b, i]]
            if not any(a.h < theta and a.n < cap for a in waiting):
                break
        step = _one_step(o, weights, result, t, cap, s, acts, prev)
        result.steps.append(step)
        s, prev = step.next_state, step.prev
    result.logits = read_out(o, weights, prev if o["halting"] == "act" else s)
    if o["halting"] == "act":
        costs = []
        for b, row in enumerate(acts):
            for i, a in enumerate(row):
                if real[b, i]:
                    costs.append(a.n + a.r + (1.0 - a.h if o["charge_cap"] else 0.0))
        result.ponder = sum(costs) / len(costs)
        result.loss_term = o["ponder_weight"] * result.ponder
    return result


def stopped_logits(o: Options, weights: Weights, ids: NDArray[Any], t: int) -> Array:
    """The read-out as if the model stopped at step t, by its definition: a second run with that cap."""
    return run(o, weights, ids, max_steps=t).logits


def act_table(
    p_of: Callable[[int, int], Any],
    transition: Callable[[list[Any]], list[Any]],
    state0: list[Any],
    theta: Any,
    max_steps: int,
    state: str = "listing2",
    mixing: str = "basic",
) -> tuple[list[Act], list[Any], list[Any]]:
    """ACT over given p and a given transition, one scalar per position; floats or fractions.

    p_of(i, t) is the halting probability of position i (from 0) at step t (from 1).  Gives the
    accumulators, the final loop state and the output.
    """
    acts = [Act(h=0 * theta, r=0 * theta, w=0 * theta) for _ in state0]
    s, prev = list(state0), [0 * theta for _ in state0]
    for t in range(1, max_steps + 1):
        if not any(a.h < theta and a.n < max_steps for a in acts):
            break
        new = transition(s)
        for i, a in enumerate(acts):
            a.step(p_of(i, t), theta, mixing, t == max_steps)
            prev[i] = a.w * new[i] + (1 - a.w if mixing == "basic" else 1) * prev[i]
            if state == "frozen" and not a.running:
                new[i] = s[i]
        s = new
    return acts, s, prev

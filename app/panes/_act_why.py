"""Why it came out so: what the data show, in sentences, and what another start bias would do."""

from __future__ import annotations

import math

import numpy as np

from app.messages import Message, Text, msg, nmsg
from app.panes import _act_live as live
from app.panes import _act_state as st
from app.panes._act_pinned import ledger
from app.panes._act_state import State
from app.scene import Button, Form, Node, Prose, Real, Sheet, Span
from ut_engine.debug import Trace
from ut_engine.halting import sigmoid

NAMED = 4
BIASES = (1.0, 0.0, -1.0, -2.0, -3.0)
SATURATED = 0.02
KERNEL = msg(
    "This holds for a halting kernel of zeros. With tensor2tensor's own random kernel only about half of the "
    "positions stop at step 2."
)


def panel(state: State, pinned: int) -> tuple[Node, ...]:
    lines = tuple((Span(sentence, role),) for sentence, role in sentences(state))
    parts: list[Node] = [Prose(f"why.{k}", (line,)) for k, line in enumerate(lines)]
    if state.source == "live" and state.live.records:
        parts.append(Prose("why.check", ((Span(live.checked(state.live), "ok"),),)))
    parts += _bias(state)
    if state.record is not None:
        head = msg("{label}, step by step", label=st.label(state, pinned))
        why = msg(
            "∂ρ/∂p is what the ponder cost N + R asks of each p: −1 before the last step, 0 at it, and 0 "
            "everywhere at the cap. Without this cost every position may run to the maximum."
        )
        parts += [Prose("why.head", ((Span(head, "fg", bold=True),),)), ledger(state, pinned)]
        parts.append(Prose("why.ponder", ((Span(why, "dim"),),)))
    return tuple(parts)


def sentences(state: State) -> list[tuple[Message, str]]:
    """What is worth saying of this run, the most telling first; only what the data show."""
    trace = state.trace
    if not trace.records or state.predict:
        return [(msg("The run has to be there first."), "dim")]
    found = [*_together(trace), *_at_cap(state), *_sums(state), *_extremes(trace), *_waiting(trace)]
    return found or [(msg("Positions halt at steps of their own, and all of them halt."), "fg")]


def _together(trace: Trace) -> list[tuple[Message, str]]:
    """All positions halt at the same early step: the start bias decides, not the content."""
    halted = trace.halted_at
    if not halted.all() or (halted != halted[0]).any() or trace.m < 2:
        return []
    p = trace.setup.p[:, 0]
    if np.ptp(p) < 1e-9 and 0 < p[0] < 1:
        bias = math.log(p[0] / (1 - p[0]))
        text = msg("Every position halts at step {t}: start bias {b} gives p = {p}.", t=int(halted[0]),
                   b=f"{bias:.1f}", p=f"{p[0]:.3f}")  # fmt: skip
        if abs(bias - 1) < 1e-6:
            return [(text, "halts_text"), (KERNEL, "dim")]
    else:
        text = msg("Every position halts at step {t}: p does not tell them apart.", t=int(halted[0]))
    return [(text, "halts_text")]


def _names(state: State, where: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    places = [int(k) for k in np.flatnonzero(where)]
    return ", ".join(st.label(state, k) for k in places[:NAMED]) + (" …" if len(places) > NAMED else "")


def _at_cap(state: State) -> list[tuple[Message, str]]:
    trace = state.trace
    if not trace.finished or not trace.capped.any():
        return []
    count = int(trace.capped.sum())
    if count == trace.m:
        text = msg("Every position hits the cap of {t} steps: none gets a remainder, none a ponder gradient.",
                   t=trace.setup.cap)  # fmt: skip
    else:
        text = nmsg("{n} position hits the cap of {t} steps and gets no ponder gradient: {labels}.",
                    "{n} positions hit the cap of {t} steps and get no ponder gradient: {labels}.",
                    count, t=trace.setup.cap, labels=_names(state, trace.capped))  # fmt: skip
    return [(text, "error")]


def _sums(state: State) -> list[tuple[Message, str]]:
    """Weights that do not sum to 1, and what mixing from zero costs."""
    trace = state.trace
    if state.setup.fault or not trace.finished:
        return []
    found = []
    totals = trace.weights.sum(axis=1)
    short = totals < 1 - 1e-6
    if short.any():
        worst = int(np.argmin(totals))
        found.append((msg("The weights of {label} sum to {sum}.", label=st.label(state, worst),
                          sum=f"{totals[worst]:.2f}"), "fg"))  # fmt: skip
    zero = 1 - trace.shares.sum(axis=1)
    if zero.max() > 1e-6:
        worst = int(np.argmax(zero))
        found.append((msg("Mixing starts from zeros: {share} % of the output of {label} is still zero.",
                          share=f"{100 * zero[worst]:.1f}", label=st.label(state, worst)), "fg"))  # fmt: skip
    return found


def _extremes(trace: Trace) -> list[tuple[Message, str]]:
    """p near 0 or 1 from step 2 on: the halting unit reads a residual that was not normalised."""
    if trace.steps < 3:
        return []
    later = trace.setup.p[:, 1 : trace.steps]
    share = float(((later < SATURATED) | (later > 1 - SATURATED)).mean())
    if share < 0.5:
        return []
    return [(msg("After step 1, {share} % of all p lie within 0.02 of 0 or 1: the halting unit is saturated.",
                 share=f"{100 * share:.0f}"), "fg")]  # fmt: skip


def _waiting(trace: Trace) -> list[tuple[Message, str]]:
    """The slowest position decides how long all are computed."""
    if not trace.finished:
        return []
    useful, done = int(trace.n_updates.sum()), trace.steps * trace.m
    if trace.m < 2 or useful == done:
        return []
    text = msg("{n} of {m} computed cells count: all wait for the slowest position, at step {t}.", n=useful,
               m=done, t=trace.steps)  # fmt: skip
    return [(text, "fg")]


# ---- start bias -------------------------------------------------------------------------------------------


def _bias(state: State) -> tuple[Node, ...]:
    head = Prose("bias.head", ((Span(msg("What would another start bias do?"), "fg", bold=True),),))
    bias = Real("why.bias", msg("bias"), "why.bias", state.bias, -6.0, 6.0, 0.1, 1)
    cap, theta = state.setup.cap, state.setup.threshold
    rows = [_bias_row(value, cap, theta) for value in (state.bias, *(b for b in BIASES if b != state.bias))]
    columns: tuple[Text, ...] = (msg("bias"), "p", "N", "R", msg("share"))
    sheet = Sheet("bias.sheet", columns, tuple(rows), 0,
                  alt=msg("number of steps and share of the states by start bias"))  # fmt: skip
    said = Prose("bias.said", ((Span(bias_said(state.bias, cap, theta), "fg"),),))
    use = Button("table.fill", msg("Run with this bias"), "table.fill", state.bias)
    return head, Form("bias.form", ((bias,),)), said, sheet, Form("bias.use", ((use,),))


def steps_at(p: float, threshold: float) -> int:
    """Steps a constant p takes to pass the threshold, added up as the listing does; 0 beyond any cap."""
    h = 0.0
    for step in range(1, 10_000):
        if h + p > threshold:
            return step
        h += p
    return 0


def _bias_row(bias: float, cap: int, threshold: float) -> tuple[Span, ...]:
    p = sigmoid(bias)
    n = steps_at(p, threshold)
    halts = 0 < n <= cap
    rest = 1.0 - (n - 1) * p if halts else 0.0
    share = 1 - (1 - p) ** (n - 1) * (1 - rest) if halts else 1 - (1 - p) ** cap
    cells = (f"{p:.3f}", str(n) if halts else f"{cap} …", f"{rest:.2f}" if halts else "–", f"{share:.2f}")
    return (Span(f"{bias:+.1f}", mono=True), *(Span(cell, "fg", mono=True) for cell in cells))


def bias_said(bias: float, cap: int, threshold: float) -> Message:
    p = sigmoid(bias)
    n = steps_at(p, threshold)
    if n == 1:
        return msg("p = {p}: one step, R = 1.", p=f"{p:.3f}")
    if 0 < n <= cap:
        return nmsg("p = {p}: every position halts at step {n}, R = {r}.",
                    "p = {p}: every position halts at step {n}, R = {r}.", n, p=f"{p:.3f}",
                    r=f"{1 - (n - 1) * p:.2f}")  # fmt: skip
    if n:
        return msg("p = {p}: it would take {n} steps, the cap of {cap} comes first, no ponder gradient.",
                   p=f"{p:.3f}", n=n, cap=cap)  # fmt: skip
    return msg("p = {p}: it never halts.", p=f"{p:.4f}")

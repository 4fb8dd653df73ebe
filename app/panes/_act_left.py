"""Left column of the debugger: the listing, and what the line just run did."""

from __future__ import annotations

import numpy as np

from app.messages import Text, msg, nmsg
from app.panes import _act_live as live
from app.panes import _act_state as st
from app.panes import _act_words as words
from app.panes._act_state import State
from app.panes._act_time import can_grow, halting_now, is_right
from app.scene import Button, Card, Choice, Code, CodeValue, Form, Formula, Node, Prose, Span
from ut_engine.debug import Trace, shown

WORKED, ALL = 3, 40
TITLES = {"basic": msg("Listing 2 — one step"), "graves": msg("Graves (2016) — one step"),
          "accumulated": msg("Sum of states — one step")}  # fmt: skip


def listing(state: State, pinned: int) -> Card:
    trace, record = state.trace, state.record
    line = record.line if record is not None else None
    setup = trace.setup
    title: Text = msg("A listing with a fault") if setup.fault else TITLES[setup.mixing]
    subtitle = msg(
        "t = {t} · line {n} of {m} done", t=record.step if record else 1, n=line or 0, m=trace.per_step
    )
    stops = {stop.number: stop.on for stop in reversed(state.stops) if stop.kind == "line"}
    code = Code(
        "code",
        rows(state),
        current=line,
        next=_next(state),
        cursor=state.cursor,
        stops=tuple(sorted(stops.items())),
        values=values(state, pinned),
        note=_note(state, pinned),
        alt=msg("the listing: line {n} has just run", n=line or 0),
    )
    return Card("listing.card", title, code, subtitle)


def rows(state: State) -> tuple[tuple[str, int | None], ...]:
    """The listing; in a narrow window only the context that says where p and the new state come from."""
    found = tuple((row.text, row.line) for row in state.setup.listing.rows)
    if not state.narrow:
        return found
    first = next(k for k, (_, line) in enumerate(found) if line == 1)
    start = max((k for k in range(first) if found[k][0].startswith("p = ")), default=first)
    return tuple(row for k, row in enumerate(found) if k >= start and not row[0].startswith("return"))


def _next(state: State) -> int | None:
    """The line that runs next; None at the end of the run."""
    trace = state.trace
    if state.index + 1 >= len(trace) and not can_grow(state):
        return None
    return (state.index + 1) % trace.per_step + 1


def _note(state: State, pinned: int) -> Text:
    record = state.record
    if can_grow(state) and record is not None and state.index + 1 == len(state.trace):
        if state.live.phase == st.RUNNING:
            return msg("the model computes step {t}", t=record.step + 1)
        return msg(
            "the model waits before step {t}: {check}", t=record.step + 1, check=live.checked(state.live)
        )
    return msg("at the right edge: values of the pinned position {label}", label=st.label(state, pinned))


def values(state: State, pinned: int) -> tuple[CodeValue, ...]:
    """Values of the pinned position, for the lines of this step that have run."""
    trace, record = state.trace, state.record
    found: list[CodeValue] = []
    if record is None:
        return ()
    for index in range(trace.at(record.step, 1), state.index + 1):
        one = trace.records[index]
        if index == state.index and state.covered:
            found.append(CodeValue(one.line, "?"))
            continue
        now, old = shown(one.values)[pinned], ""
        before = st.before(trace, index).get(one.variable)
        if before is not None and shown(before)[pinned] != now:
            old = short(shown(before)[pinned])
        found.append(CodeValue(one.line, short(now), old))
    return tuple(found)


def short(value: float) -> str:
    value = float(value)
    if not np.isfinite(value):
        return "–"
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.2f}"


# ---- what the line did ------------------------------------------------------------------------------------


def what_title(state: State) -> Text:
    record = state.record
    return msg("What line {n} did", n=record.line) if record is not None else msg("Nothing has run yet")


def what(state: State, pinned: int) -> tuple[Node, ...]:
    """Words, formula, numbers; while a prediction is asked for, the question instead."""
    trace, record = state.trace, state.record
    if record is None:
        return (Prose("what.words", ((Span(_waiting(state), "dim"),),)),)
    if state.covered:
        return question(state)
    parts: list[Node] = []
    if state.predict and record.variable == "new_halted" and state.guess is not None:
        parts.append(verdict(state))
    text = words.words(trace, record)
    parts.append(Prose("what.words", ((Span(text, "fg"),),)))
    if not trace.setup.fault:
        parts.append(Formula("what.formula", (words.formula(trace, record.line),), alt=text))
    parts += numbers(state, pinned)
    return tuple(parts)


def _waiting(state: State) -> Text:
    if state.source == "live" and state.live.phase == st.RUNNING:
        return msg("The model computes step 1.")
    if state.source == "live" and state.live.what:
        return live.told(state.live)
    return msg("Choose a source and run it.")


def numbers(state: State, pinned: int) -> list[Node]:
    """The line's numbers: the pinned position and those the line changed, all of them when stepped into."""
    trace, index = state.trace, state.index
    chosen, rest = positions(state, pinned)
    lines = tuple(words.worked(trace, index, k) for k in chosen)
    labels = tuple(st.label(state, k) for k in chosen)
    head = _head(state, len(chosen) + rest)
    parts: list[Node] = [Prose("what.head", ((Span(head, "dim"),),))]
    parts.append(Formula("what.numbers", lines, labels, alt=head))
    if rest:
        more = nmsg("and {n} more in the table", "and {n} more in the table", rest)
        parts.append(Prose("what.more", ((Span(more, "dim"),),)))
    return parts


def _head(state: State, changed: int) -> Text:
    record = state.record
    assert record is not None
    if state.into:
        return msg("Position by position:")
    if record.variable == "new_halted":
        now = len(halting_now(state))
        return (
            nmsg("{n} position halts now:", "{n} positions halt now:", now)
            if now
            else msg("No position halts now:")
        )
    count = int(changes(state.trace, state.index).sum())
    if not count:
        return msg("It changed nothing:")
    return nmsg("It changed {n} position:", "It changed {n} positions:", count)


def changes(trace: Trace, index: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """[m] positions whose value the line really changed."""
    record = trace.records[index]
    before = st.before(trace, index).get(record.variable)
    if before is None:
        return np.asarray(shown(record.values) != 0)
    return np.asarray(shown(record.values) != shown(before))


def positions(state: State, pinned: int) -> tuple[list[int], int]:
    """Positions to work through, the pinned one first, then those changed; and how many more changed."""
    trace = state.trace
    if state.into:
        return list(range(min(trace.m, ALL))), max(trace.m - ALL, 0)
    record = trace.records[state.index]
    moved = shown(record.values) > 0 if record.variable == "new_halted" else changes(trace, state.index)
    changed = [int(k) for k in np.flatnonzero(moved)]
    chosen = [pinned] if pinned in changed or not changed else []
    chosen += [k for k in changed if k != pinned][: WORKED - len(chosen)]
    return chosen, len(set(changed) - set(chosen))


# ---- predict, then reveal ---------------------------------------------------------------------------------


def question(state: State) -> tuple[Node, ...]:
    record = state.record
    assert record is not None
    ask = msg("Which position halts at step {t}?", t=record.step)
    hint = msg("θ = {theta}. Add this step's p to what each running position has, then choose.",
               theta=f"{state.setup.threshold:g}")  # fmt: skip
    options: list[tuple[str, Text]] = [("", "–"), ("-1", msg("none"))]
    running = st.at_frame(state.trace, state.index, "halting_probability") < 1
    options += [(str(k), st.label(state, k)) for k in range(state.trace.m) if running[k]]
    value = "" if state.guess is None else str(state.guess)
    menu = Choice("predict.guess", msg("Your guess"), "predict.guess", tuple(options), value)
    show = Button("predict.reveal", msg("Reveal"), "predict.reveal", style="primary")
    lines = ((Span(ask, "fg", bold=True),), (Span(hint, "dim"),))
    return Prose("predict.ask", lines), Form("predict.form", ((menu, show),))


def verdict(state: State) -> Prose:
    right, asked = state.answers
    good = state.guess is not None and is_right(state, state.guess)
    text = msg("Right.") if good else msg("Not quite.")
    score = msg("{n} of {m} right so far", n=right, m=asked)
    return Prose("predict.verdict", ((Span(text, "ok" if good else "error", bold=True), Span(score, "dim")),))

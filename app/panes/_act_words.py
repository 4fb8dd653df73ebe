"""What a line of the listing did: in words, as a formula, and with a step's numbers for a position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.messages import Message, msg
from app.scene import Span
from ut_engine.debug import Trace, shown
from ut_engine.listing import LineRecord

Said = Callable[[str], str]
ROLES = {"h": "running", "r": "accent", "k": "halts_text", "R": "remainder", "w": "ok", "d": "dim",
         "c": "changed", "": "fg"}  # fmt: skip
"""One hue for one quantity: h accumulated, r still_running, k new_halted, R remainder, w update weight."""


def spans(text: str) -> tuple[Span, ...]:
    """`r:run_{i}|: ← [|h:h_{i}|: < 1]`: parts between bars, each with the letter of its role."""
    parts = (part.partition(":") for part in text.split("|"))
    return tuple(Span(words, ROLES[letter]) for letter, _, words in parts)


def words(trace: Trace, record: LineRecord) -> Message:
    """What the line is for; nothing is given away while a fault is looked for."""
    if trace.setup.fault:
        return msg("Line {n} sets {name}. Compare what it does with what it should do.", n=record.line,
                   name=record.variable)  # fmt: skip
    graves = trace.setup.mixing == "graves"
    texts = {
        1: msg("Who is still running? Every position whose halting probability has not reached 1. "
               "Positions that halted before take no part in what follows."),
        2: msg("Who halts now? A running position whose probability, with this step's p added, passes "
               "the threshold 1 − ε. Strictly above: landing on it is not enough."),
        3: msg("Who goes on? A running position that stays at or below the threshold with this step's p. "
               "From here on, still_running means: runs in the next step too."),
        4: msg("Positions that go on add this step's p to their halting probability. "
               "Those that halt now are left for the next two lines."),
        5: msg("Positions that halt now receive the remainder: what is left until their halting probability "
               "is 1. Running and already halted positions are untouched."),
        6: msg("Positions that halt now are filled up to exactly 1 with their remainder, so that line 1 "
               "of the next step leaves them out."),
        7: msg("Every position that ran in this step, whether it goes on or halts now, "
               "counts one update more."),
        8: msg("How much this step's state counts: p for positions that go on, the remainder for those that "
               "halt now, 0 for those that halted before."),
        9: msg("The new state is mixed in: w of it, 1 − w of what was there. The first mix starts from "
               "zeros, so a part of the output can stay zero."),
    }  # fmt: skip
    if graves:
        texts[2] = msg("Who halts now? A running position that reaches the threshold with this step's p, "
                       "or any that still runs at the last step allowed.")  # fmt: skip
        texts[3] = msg("Who goes on? Every running position that does not halt now.")
    if trace.setup.mixing != "basic":
        texts[9] = msg("The new state is added with its weight. The weights of a position that halted "
                       "sum to 1, so nothing stays zero.")  # fmt: skip
    return texts[record.line]


def formula(trace: Trace, line: int) -> tuple[Span, ...]:
    """The line as one would write it."""
    mixing = trace.setup.mixing
    lines = {
        1: "r:run_{i}|: ← [|h:h_{i}|: < 1]",
        2: "k:new_{i}|: ← |r:run_{i}|: [|h:h_{i}|: + p_{i} |r:run_{i}|: > θ]",
        3: "r:run_{i}|: ← |r:run_{i}|: [|h:h_{i}|: + p_{i} |r:run_{i}|: ≤ θ]",
        4: "h:h_{i}|: ← |h:h_{i}|: + p_{i} |r:run_{i}",
        5: "R:R_{i}|: ← |R:R_{i}|: + |k:new_{i}|: (1 − |h:h_{i}|:)",
        6: "h:h_{i}|: ← |h:h_{i}|: + |k:new_{i}|: |R:R_{i}",
        7: ":N_{i} ← N_{i} + |r:run_{i}|: + |k:new_{i}",
        8: "w:w_{i}|: ← p_{i} |r:run_{i}|: + |k:new_{i}|: |R:R_{i}",
        9: ":s_{i} ← |w:w_{i}|: s′_{i} + (1 − |w:w_{i}|:) s_{i}",
    }
    if mixing == "graves":
        lines[2] = "k:new_{i}|: ← |r:run_{i}|: [|h:h_{i}|: + p_{i} |r:run_{i}|: ≥ θ  or  t = T]"
        lines[3] = "r:run_{i}|: ← |r:run_{i}|: − |k:new_{i}"
    if mixing != "basic":
        lines[9] = ":s_{i} ← s_{i} + |w:w_{i}|: s′_{i}"
    return spans(lines[line])


def worked(trace: Trace, index: int, position: int) -> tuple[Span, ...]:
    """The same line with one position's numbers: h = 0.30 + 0.27·1 = 0.57."""
    record = trace.records[index]
    old = trace.records[index - 1].variables if index else {}
    if trace.setup.fault:
        was = old.get(record.variable)
        before = "" if was is None else f"d:{_num(shown(was)[position])} → |"
        after = _num(shown(record.values)[position])
        return spans(f":{record.variable}_{{{position + 1}}} = |{before}c:{after}")

    def now(name: str) -> str:
        values = record.variables.get(name)
        return "–" if values is None else _num(shown(values)[position])

    def was_(name: str) -> str:
        values = old.get(name)
        return "0" if values is None else _num(shown(values)[position])

    text = _worked(trace, record, now, was_)
    return spans(text.replace("_i", f"_{{{position + 1}}}"))


def _worked(trace: Trace, record: LineRecord, now: Said, was: Said) -> str:
    """now, was: a variable's number after and before the line."""
    mixing, theta = trace.setup.mixing, f"{trace.setup.threshold:g}"
    h, p, r, k = was("halting_probability"), now("p"), was("still_running"), now("new_halted")
    h_now, r_now, rest = now("halting_probability"), now("still_running"), now("remainders")
    asked = f": = |r:{r}|: [|h:{h}|: + {p}|r:·{r}"
    if record.line == 1:
        return f"r:run_i|: = [|h:{h}|: < 1] = |r:{r_now}"
    if record.line == 2:
        return f"k:new_i|{asked}|: {'≥' if mixing == 'graves' else '>'} {theta}] = |k:{k}"
    if record.line == 3 and mixing == "graves":
        return f"r:run_i|: = |r:{r}|: − |k:{k}|: = |r:{r_now}"
    if record.line == 3:
        return f"r:run_i|{asked}|: ≤ {theta}] = |r:{r_now}"
    if record.line == 4:
        return f"h:h_i|: = |h:{h}|: + {p}|r:·{r_now}|: = |h:{h_now}"
    if record.line == 5:
        return f"R:R_i|: = |R:{was('remainders')}|: + |k:{k}|: (1 − |h:{h_now}|:) = |R:{rest}"
    if record.line == 6:
        return f"h:h_i|: = |h:{h}|: + |k:{k}|:·|R:{rest}|: = |h:{h_now}"
    if record.line == 7:
        return f":N_i = {was('n_updates')} + |r:{r_now}|: + |k:{k}|: = {now('n_updates')}"
    w = now("update_weights")
    if record.line == 8:
        return f"w:w_i|: = {p}|r:·{r_now}|: + |k:{k}|:·|R:{rest}|: = |w:{w}"
    state, old, result = now("transformed_state"), now("previous_state"), now("new_state")
    if record.values.shape[1] > 1:  # lengths of vectors do not add up: show the weight and the result
        return f":‖s_i‖ = {result}   (|w:w = {w}|:, ‖s′‖ = {state})"
    kept = f"(1 − |w:{w}|:)·{old}" if mixing == "basic" else old
    return f":s_i = |w:{w}|:·{state} + {kept} = {result}"


def _num(value: Any) -> str:
    """Two decimals, whole numbers without."""
    value = float(value)
    return f"{value:.0f}" if value == round(value) else f"{value:.2f}"

"""The reference's halting: Listing 2 and Graves's rule for one position at a time, in floats or fractions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


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

"""The loop over depth: its variables, its condition, and who halts when (paper, appendix C).

Pure functions of the loop's variables; no weights live here.  Caps count per example, so that T may follow
the length without one example changing another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from ut_engine.edits import Edit
from ut_engine.spec import UTConfig
from ut_engine.torch.layer import Reading

Steps = int | Sequence[int] | Tensor | None  # of a whole run, of every example, or the model's usual ones


@dataclass(frozen=True)
class Loop:
    """Variables of the loop between two steps; every tensor but the states is [batch, position].

    state: s.  output: the accumulator prev (ACT; else the state itself).  embedded: H^0.
    halting_probability: h.  remainders: R.  n_updates: N.  p, weight: of the step just done.
    running: positions that ran in the step just done.  step: steps done.
    """

    state: Tensor
    output: Tensor
    embedded: Tensor
    real: Tensor
    halting_probability: Tensor
    remainders: Tensor
    n_updates: Tensor
    p: Tensor
    weight: Tensor
    running: Tensor
    step: int = 0


@dataclass(frozen=True)
class Setting:
    """What stays the same during a run.

    positions: their signal, [position, dim] or [batch, position, dim], or None.  readings: what the layers
    read, one for every set of weights.  caps [batch, 1]: most steps of each example; cap: of the longest.
    threshold: theta.  edits: changes of p.
    """

    positions: Tensor | None
    readings: tuple[Reading, ...]
    caps: Tensor
    cap: int
    uneven: bool
    threshold: float
    edits: tuple[Edit, ...] = ()

    def inside(self, step: int) -> Tensor | None:
        """Examples [batch, 1] that take part in a step; None when all do."""
        return step <= self.caps if self.uneven else None


def caps_of(config: UTConfig, real: Tensor, steps: Steps) -> list[int]:
    """Most steps of every example: as asked, or the model's own (which may follow the length)."""
    follows = config.steps_from != "fixed"
    lengths = [int(n) for n in real.sum(dim=1)] if follows else []
    if steps is None and follows:
        return [config.steps_allowed(None, n) for n in lengths]
    longest = max(lengths, default=None)
    if steps is None or isinstance(steps, int | np.integer):
        return [config.steps_allowed(None if steps is None else int(steps), longest)] * len(real)
    if len(steps) != len(real):
        raise ValueError(f"{len(steps)} numbers of steps for {len(real)} examples")
    return [config.steps_allowed(int(n), longest) for n in steps]


def begin(config: UTConfig, embedded: Tensor, real: Tensor) -> Loop:
    """The loop's variables before the first step: s = H^0, the rest zero."""
    zero = torch.zeros(real.shape, dtype=embedded.dtype, device=embedded.device)
    output = torch.zeros_like(embedded) if config.act else embedded
    return Loop(embedded, output, embedded, real, zero, zero, zero, zero, zero, real)


def goes_on(config: UTConfig, loop: Loop, setting: Setting) -> bool:
    """The loop's condition: some real position has h < theta and n < max_steps."""
    if not config.act:
        return loop.step < setting.cap
    open_ = loop.real & (loop.halting_probability < setting.threshold) & (loop.n_updates < setting.caps)
    return bool(open_.any())


def advance(loop: Loop, after: Tensor, setting: Setting) -> Loop:
    """One step without halting: every position of an example that may still run takes the new state."""
    step, running = loop.step + 1, loop.real
    inside = setting.inside(step)
    if inside is not None:
        after = torch.where(inside.unsqueeze(-1), after, loop.state)
        running = running & inside
    n_updates = loop.n_updates + running
    return replace(loop, state=after, output=after, step=step, n_updates=n_updates, running=running)


def halt(config: UTConfig, loop: Loop, p: Tensor, after: Tensor, setting: Setting) -> Loop:
    """Listing 2 (appendix C) for every position, or Graves's rule with mixing "graves"."""
    step = loop.step + 1
    running = loop.real & (loop.halting_probability < 1.0)
    inside = setting.inside(step)
    if inside is not None:
        running = running & inside
    graves = config.mixing == "graves"
    reached = loop.halting_probability + p
    stops = reached >= setting.threshold if graves else reached > setting.threshold
    if graves:
        stops = stops | (step == setting.caps)
    new_halted = (running & stops).to(p.dtype)
    still = (running & ~stops).to(p.dtype)
    h = loop.halting_probability + p * still
    remainders = loop.remainders + new_halted * (1 - h)
    h = h + new_halted * remainders
    n_updates = loop.n_updates + still + new_halted
    weight = p * still + new_halted * remainders
    w = weight.unsqueeze(-1)
    kept = (1 - w) * loop.output if config.mixing == "basic" else loop.output
    frozen = config.state == "frozen"
    state = torch.where(running.unsqueeze(-1), after, loop.state) if frozen else after
    output = w * after + kept
    return Loop(state, output, loop.embedded, loop.real, h, remainders, n_updates, p, weight, running, step)


def edited(p: Tensor, loop: Loop, setting: Setting) -> Tensor:
    """p [batch, position] of the next step with the past as it was changed."""
    now = [edit for edit in setting.edits if edit.step == loop.step + 1]
    if not now:
        return p
    p = p.clone()
    for edit in now:
        column = p[:, edit.position]
        if edit.kind == "run":
            column.copy_(remaining(loop.halting_probability[:, edit.position], column, setting.threshold))
        else:
            column.fill_(1.0 if edit.kind == "halt" else edit.value)
    return p


def remaining(h: Tensor, p: Tensor, threshold: float) -> Tensor:
    """`ut_engine.edits.remaining` in the model's precision, for [batch] at once."""
    theta, zero = torch.full_like(h, threshold), torch.zeros_like(h)
    kept = torch.minimum(p, (torch.nextafter(theta, zero) - h).clamp(min=0.0))
    return torch.where(h + kept >= theta, torch.nextafter(kept, zero), kept)


def stopped_output(config: UTConfig, loop: Loop) -> Tensor:
    """The output if the run had been capped at the step just done (equals forward(max_steps=t))."""
    if not config.act or config.mixing != "graves":
        return loop.output
    open_ = (loop.running & (loop.halting_probability < 1.0)).to(loop.output.dtype)
    return loop.output + (open_ * (1 - loop.halting_probability)).unsqueeze(-1) * loop.state


def ponder_cost(config: UTConfig, loop: Loop) -> Tensor:
    """Mean of N + R over real positions (T2T's act_loss), with charge_cap + (1 - h) at the cap."""
    cost = loop.n_updates + loop.remainders
    if config.charge_cap:
        cost = cost + (1 - loop.halting_probability) * (loop.halting_probability < 1.0)
    real = loop.real.to(cost.dtype)
    return (cost * real).sum() / real.sum().clamp(min=1)


def computed_rows(config: UTConfig, loop: Loop, setting: Setting) -> Tensor:
    """Rows [batch, position] really computed and used in the step just done."""
    if config.act and config.state == "frozen":
        return loop.running & loop.real
    inside = setting.inside(loop.step)
    return loop.real if inside is None else loop.real & inside

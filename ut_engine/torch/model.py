"""The Universal Transformer encoder (Dehghani et al., ICLR 2019), read from top to bottom.

embedding -> T times the same block, told the round by a coordinate signal -> read-out; with ACT every
position stops by itself.  `forward` trains and evaluates, `steps` is the same loop opened up: one `next()`
computes one step.  Equations are the paper's; "T2T" marks tensor2tensor's variant of a choice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from ut_engine.records import Capture, StepRecord
from ut_engine.spec import UTConfig
from ut_engine.torch.attention import Maps, MultiHeadAttention
from ut_engine.torch.capture import MapRing, record_of
from ut_engine.torch.coordinates import position_signal, step_signal


class Transition(nn.Module):
    """Position-wise feed-forward: affine, one ReLU, affine (paper, section 2.1)."""

    def __init__(self, config: UTConfig) -> None:
        super().__init__()
        self.inner = nn.Linear(config.d_model, config.d_ff)
        self.outer = nn.Linear(config.d_ff, config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.outer(self.dropout(torch.relu(self.inner(x))))
        return result


@dataclass(frozen=True)
class Loop:
    """State of the loop between two steps; every tensor but the states is [batch, position].

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
class Output:
    """logits [batch, position, answer]; N, R, h [batch, position]; ponder: mean cost (before its weight)."""

    logits: Tensor
    n_updates: Tensor
    remainders: Tensor
    halting_probability: Tensor
    ponder: Tensor
    steps: int
    real: Tensor


class UniversalTransformer(nn.Module):
    """Encoder with one shared block; every choice is in `UTConfig`."""

    def __init__(self, config: UTConfig) -> None:
        super().__init__()
        width = config.d_model
        self.config = config
        self.embed = nn.Embedding(config.vocab, width, padding_idx=0)
        if config.words:
            self.word_mask = nn.Parameter(torch.ones(config.words, width))
        if config.signal == "learned":
            self.step_table = nn.Parameter(torch.randn(config.max_steps, width))
        self.attention = MultiHeadAttention(config)
        self.transition = Transition(config)
        self.norm_attention = nn.LayerNorm(width, eps=1e-6)
        self.norm_transition = nn.LayerNorm(width, eps=1e-6)
        self.dropout = nn.Dropout(config.dropout)
        if config.act:
            self.halting_unit = nn.Linear(width, 1)
        if config.has_final_norm:
            self.norm_final = nn.LayerNorm(width, eps=1e-6)
        self.readout = nn.Linear(width, config.answers)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """T2T's initialisation: uniform of variance 2 / (fan_in + fan_out), biases 0, embeddings d^-1/2."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        nn.init.normal_(self.embed.weight, std=self.config.d_model**-0.5)
        with torch.no_grad():
            self.embed.weight[0].zero_()
        if self.config.act:
            nn.init.constant_(self.halting_unit.bias, self.config.halting_bias)

    # ---- before the loop ------------------------------------------------------------------------------

    def embed_input(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """ids [batch, position(, word)] -> H^0 [batch, position, dim], real [batch, position].

        A sentence is the sum of its words' embeddings, each multiplied by a learned mask for its place
        (bAbI encoding of the paper); id 0 is padding and counts as a zero vector.
        """
        if ids.shape[1] < 1:
            raise ValueError("an input needs at least one position")
        # Row 0 counts as zero whatever a table holds there: cheaper on the table than on its many rows.
        table = torch.cat((torch.zeros_like(self.embed.weight[:1]), self.embed.weight[1:]))
        vectors = nn.functional.embedding(ids, table * math.sqrt(self.config.d_model))
        if not self.config.words:
            return vectors, ids != 0
        return (vectors * self.word_mask[: ids.shape[2]]).sum(dim=2), (ids != 0).any(dim=2)

    def begin(self, embedded: Tensor, real: Tensor) -> Loop:
        """The loop's variables before the first step: s = H^0, the rest zero."""
        zero = torch.zeros(real.shape, dtype=embedded.dtype, device=embedded.device)
        state = embedded
        output = torch.zeros_like(embedded) if self.config.act else state
        return Loop(state, output, embedded, real, zero, zero, zero, zero, zero, real)

    # ---- one step ---------------------------------------------------------------------------------------

    def block(self, x: Tensor, bias: Tensor | None, maps: Maps | None = None) -> Tensor:
        """One round of the shared layer on states with the coordinates already added (eq. 4-5)."""
        if self.config.norm == "post":
            a = self.norm_attention(x + self.dropout(self.attention(x, bias, maps)))
            result: Tensor = self.norm_transition(a + self.dropout(self.transition(a)))
        else:
            y = x + self.dropout(self.attention(self.norm_attention(x), bias, maps))
            result = y + self.dropout(self.transition(self.norm_transition(y)))
        return result

    def step(
        self, loop: Loop, cap: int, positions: Tensor | None, bias: Tensor | None, maps: Maps | None = None
    ) -> Loop:
        """Step t = loop.step + 1 of at most `cap`; positions: their signal, [position, dim]."""
        t = loop.step + 1
        x = loop.state
        if self.config.inject:
            x = x + loop.embedded
        if positions is not None:
            x = x + positions + step_signal(self.config, t, x, getattr(self, "step_table", None))
        after = self.block(x, bias, maps)
        if not self.config.act:
            return replace(loop, state=after, output=after, step=t, n_updates=loop.n_updates + loop.real)
        source = x if self.config.p_from == "input" else after
        p = torch.sigmoid(self.halting_unit(source)).squeeze(-1)
        return self.halt(loop, p, after, t, cap)

    def halt(self, loop: Loop, p: Tensor, after: Tensor, t: int, cap: int) -> Loop:
        """Listing 2 (appendix C) for every position, or Graves's rule with mixing "graves"."""
        running = loop.real & (loop.halting_probability < 1.0)
        graves = self.config.mixing == "graves"
        reached = loop.halting_probability + p
        stops = reached >= self.config.threshold if graves else reached > self.config.threshold
        if graves and t == cap:
            stops = torch.ones_like(stops)
        new_halted = (running & stops).to(p.dtype)
        still = (running & ~stops).to(p.dtype)
        h = loop.halting_probability + p * still
        remainders = loop.remainders + new_halted * (1 - h)
        h = h + new_halted * remainders
        n_updates = loop.n_updates + still + new_halted
        weight = p * still + new_halted * remainders
        w = weight.unsqueeze(-1)
        kept = (1 - w) * loop.output if self.config.mixing == "basic" else loop.output
        frozen = self.config.state == "frozen"
        state = torch.where(running.unsqueeze(-1), after, loop.state) if frozen else after
        output = w * after + kept
        return Loop(
            state, output, loop.embedded, loop.real, h, remainders, n_updates, p, weight, running, t
        )  # fmt: skip

    def goes_on(self, loop: Loop, cap: int) -> bool:
        """The loop's condition: some real position has h < theta and n < max_steps."""
        if not self.config.act:
            return loop.step < cap
        open_ = loop.real & (loop.halting_probability < self.config.threshold) & (loop.n_updates < cap)
        return bool(open_.any())

    # ---- after the loop ---------------------------------------------------------------------------------

    def read(self, output: Tensor) -> Tensor:
        """Logits [batch, position, answer] of a final (or not yet final) output."""
        if self.config.has_final_norm:
            output = self.norm_final(output)
        logits: Tensor = self.readout(output)
        return logits

    def stopped_output(self, loop: Loop) -> Tensor:
        """The output if the run had been capped at the step just done (equals forward(max_steps=t))."""
        if not self.config.act or self.config.mixing != "graves":
            return loop.output
        open_ = (loop.running & (loop.halting_probability < 1.0)).to(loop.output.dtype)
        return loop.output + (open_ * (1 - loop.halting_probability)).unsqueeze(-1) * loop.state

    def ponder_cost(self, loop: Loop) -> Tensor:
        """Mean of N + R over real positions (T2T's act_loss), with charge_cap + (1 - h) at the cap."""
        cost = loop.n_updates + loop.remainders
        if self.config.charge_cap:
            cost = cost + (1 - loop.halting_probability) * (loop.halting_probability < 1.0)
        real = loop.real.to(cost.dtype)
        return (cost * real).sum() / real.sum().clamp(min=1)

    # ---- the two ways to run -----------------------------------------------------------------------------

    def forward(self, ids: Tensor, max_steps: int | None = None) -> Output:
        """Run to the end through the fused attention path; ids [batch, position(, word)], 0 = padding."""
        cap = self.config.steps_allowed(max_steps)
        loop = self.begin(*self.embed_input(ids))
        positions = position_signal(self.config, loop.state)
        bias = self.attention.score_bias(loop.real)
        while self.goes_on(loop, cap):
            loop = self.step(loop, cap, positions, bias)
        return Output(
            self.read(loop.output), loop.n_updates, loop.remainders, loop.halting_probability,
            self.ponder_cost(loop), loop.step, loop.real,
        )  # fmt: skip

    def steps(
        self, ids: Tensor | np.ndarray, capture: Capture | None = None, max_steps: int | None = None
    ) -> Iterator[StepRecord]:
        """Compute one step per `next()` and yield what it was; closing the generator stops the work.

        ids [batch, position(, word)] integers, 0 = padding.  Runs in evaluation mode without gradients.
        """
        capture = capture or Capture()
        cap = self.config.steps_allowed(max_steps)
        ids = torch.as_tensor(ids, device=self.embed.weight.device)
        self.eval()
        with torch.inference_mode():
            loop = self.begin(*self.embed_input(ids))
            positions = position_signal(self.config, loop.state)
            bias = self.attention.score_bias(loop.real)
            ring = MapRing(loop.real, self.config.heads, loop.state, cap) if capture.attention else None
        while self.goes_on(loop, cap):
            started = time.perf_counter()
            with torch.inference_mode():
                before = loop
                maps = ring.slot(loop.step) if ring else None
                loop = self.step(loop, cap, positions, bias, maps)
                record = record_of(self, before, loop, maps, bias, capture, started)
            yield record

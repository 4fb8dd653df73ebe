"""The Universal Transformer (Dehghani et al., ICLR 2019), read from top to bottom.

embedding -> T times the same layer, told the round by a coordinate signal -> read-out; with ACT every
position stops by itself.  `forward` trains and evaluates, `steps` is the same loop opened up: one `next()`
computes one step.  Equations are the paper's; "T2T" marks tensor2tensor's variant of a choice.
The layer is in `layer.py`, the halting in `loop.py`, embedding and read-out in `ends.py`.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from ut_engine.edits import Edit, check_edits
from ut_engine.records import Capture, StepRecord
from ut_engine.torch.attention import MultiHeadAttention
from ut_engine.torch.capture import MapRing, record_of
from ut_engine.torch.coordinates import position_signal, random_offsets, step_signal
from ut_engine.torch.ends import Ends
from ut_engine.torch.layer import LayerMaps, Reading, add_layer, run_layer
from ut_engine.torch.loop import (
    Loop,
    Setting,
    Steps,
    advance,
    begin,
    caps_of,
    edited,
    goes_on,
    halt,
    ponder_cost,
)


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


class DepthModel(Ends):
    """What the Universal Transformer and the Transformer share: all positions at once, step after step.

    Alone it is an encoder with a read-out; an encoder-decoder has one for each side.
    """

    def layers_with_weights(self) -> tuple[nn.Module, ...]:
        """The layers, each with weights of its own (one alone when they are shared by all steps)."""
        raise NotImplementedError

    def step(self, loop: Loop, setting: Setting, maps: LayerMaps | None = None) -> Loop:
        """Step t = loop.step + 1; maps: buffers to fill with the attention used."""
        raise NotImplementedError

    def layer_of(self, step: int) -> int:
        """Which set of weights step t (from 1) uses, from 0."""
        return 0

    # ---- before the loop ------------------------------------------------------------------------------

    def start(
        self,
        embedded: Tensor,
        real: Tensor,
        caps: list[int],
        offset: int | Tensor | None = None,
        source: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Loop, Setting]:
        """Variables and setting of a run over embedded [batch, position, dim], real [batch, position].

        offset: what is added to the positions, one for all or one for each example; None draws them in
        training where the model asks for it and is 0 else.  source: (states, real) the decoder reads.
        """
        if offset is None and self.training and self.config.position_offset:
            offset = random_offsets(self.config, len(real))
        positions = position_signal(self.config, embedded, offset)
        readings: list[Reading] = []
        for layer in self.layers_with_weights():
            own, cross = layer.attention, getattr(layer, "cross", None)
            assert isinstance(own, MultiHeadAttention)
            shared = readings and self.config.attention_bias != "relative"  # only that one is the layer's own
            bias = readings[0].bias if shared else own.score_bias(real)
            memory = cross.remember(*source) if source is not None and cross is not None else None
            readings.append(Reading(real, bias, memory))
        steps = torch.tensor(caps, device=real.device)[:, None]
        uneven, theta = len(set(caps)) > 1, self.config.threshold
        setting = Setting(positions, tuple(readings), steps, max(caps), uneven, theta)
        return begin(self.config, embedded, real), setting

    # ---- the two ways to run -----------------------------------------------------------------------------

    def run(self, loop: Loop, setting: Setting) -> Loop:
        """Every step, through the fused attention path."""
        while goes_on(self.config, loop, setting):
            loop = self.step(loop, setting)
        return loop

    def trace(self, loop: Loop, setting: Setting, capture: Capture) -> Generator[StepRecord, None, Loop]:
        """One step per `next()`, through the explicit path; returns the loop's last variables."""
        ring = MapRing(self.config.heads, loop.state, setting) if capture.attention else None
        while goes_on(self.config, loop, setting):
            started = time.perf_counter()
            with torch.inference_mode():
                before = loop
                maps = ring.slot(loop.step) if ring else None
                loop = self.step(loop, setting, maps)
                record = record_of(self, before, loop, setting, maps, capture, started)
            yield record
        return loop

    def forward(self, ids: Tensor, max_steps: Steps = None, offset: int | Tensor | None = None) -> Output:
        """Run to the end; ids [batch, position(, word)], 0 = padding.

        max_steps: the cap for all or for each example, None for the model's own.  offset: see `start`.
        """
        embedded, real = self.embed_input(ids)
        loop = self.run(*self.start(embedded, real, caps_of(self.config, real, max_steps), offset))
        return Output(
            self.read(loop.output), loop.n_updates, loop.remainders, loop.halting_probability,
            ponder_cost(self.config, loop), loop.step, loop.real,
        )  # fmt: skip

    def steps(
        self,
        ids: Tensor | np.ndarray,
        capture: Capture | None = None,
        max_steps: Steps = None,
        offset: int | Tensor = 0,
        edits: Sequence[Edit] = (),
        epsilon: float | None = None,
    ) -> Iterator[StepRecord]:
        """Compute one step per `next()` and yield what it was; closing the generator stops the work.

        ids [batch, position(, word)] integers, 0 = padding.  Runs in evaluation mode without gradients.
        edits: changes of p, of a model with ACT.  epsilon: of this run, None for the model's own.
        """
        ids = torch.as_tensor(ids, device=self.embed.weight.device)
        check_edits(self.config, edits, epsilon, ids.shape[1])
        self.eval()
        with torch.inference_mode():
            embedded, real = self.embed_input(ids)
            loop, setting = self.start(embedded, real, caps_of(self.config, real, max_steps), offset)
        if edits or epsilon is not None:
            theta = setting.threshold if epsilon is None else 1.0 - epsilon
            setting = replace(setting, threshold=theta, edits=tuple(edits))
        yield from self.trace(loop, setting, capture or Capture())


class UniversalTransformer(DepthModel):
    """One shared layer; every choice is in `UTConfig`."""

    def add_parts(self) -> None:
        config = self.config
        if config.signal == "learned":
            self.step_table = nn.Parameter(torch.randn(config.max_steps, config.d_model))
        add_layer(self, config, self.causal, decoder=self.side == "decoder")
        if config.act:
            self.halting_unit = nn.Linear(config.d_model, 1)

    def reset_parameters(self) -> None:
        super().reset_parameters()
        if self.config.act:
            nn.init.constant_(self.halting_unit.bias, self.config.halting_bias)

    def layers_with_weights(self) -> tuple[nn.Module, ...]:
        return (self,)

    def block(self, x: Tensor, reading: Reading, maps: LayerMaps | None = None) -> Tensor:
        """One round of the shared layer on states with the coordinates already added (eq. 4-5)."""
        return run_layer(self, x, reading, maps)

    def step(self, loop: Loop, setting: Setting, maps: LayerMaps | None = None) -> Loop:
        """Coordinates are added (eq. 6-7), then the shared layer runs, then positions halt."""
        t = loop.step + 1
        x = loop.state
        if self.config.inject:
            x = x + loop.embedded
        if setting.positions is not None:
            x = x + setting.positions + step_signal(self.config, t, x, getattr(self, "step_table", None))
        after = self.block(x, setting.readings[0], maps)
        if not self.config.act:
            return advance(loop, after, setting)
        source = x if self.config.p_from == "input" else after
        p = torch.sigmoid(self.halting_unit(source)).squeeze(-1)
        if setting.edits:
            p = edited(p, loop, setting)
        return halt(self.config, loop, p, after, setting)

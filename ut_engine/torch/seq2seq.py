"""The encoder-decoder: source symbols in, target symbols out, one model of depth on each side.

The decoder reads the encoder's final output through cross-attention, and of the target only what lies to the
left (paper, section 2.2; T2T).  Training shows it the right target, shifted by one (teacher forcing);
`generate` lets it read its own answers.  With ACT each side halts, and is charged, for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ut_engine.records import Capture, StepRecord
from ut_engine.spec import UTConfig
from ut_engine.torch.loop import Loop, Setting, Steps, caps_of, ponder_cost
from ut_engine.torch.model import DepthModel, UniversalTransformer
from ut_engine.torch.siblings import Transformer


@dataclass(frozen=True)
class SideOutput:
    """How one side thought: N, R, h and real [batch, position], its mean cost, and the steps it took."""

    n_updates: Tensor
    remainders: Tensor
    halting_probability: Tensor
    ponder: Tensor
    steps: int
    real: Tensor


@dataclass(frozen=True)
class PairOutput:
    """logits [batch, target position, answer], and what each side took."""

    logits: Tensor
    encoder: SideOutput
    decoder: SideOutput

    @property
    def ponder(self) -> Tensor:
        """Both sides' mean cost, before its weight (T2T adds them)."""
        return self.encoder.ponder + self.decoder.ponder


class EncoderDecoder(nn.Module):
    """Two models of depth; `config` holds for both, and T follows the source where it follows a length."""

    def __init__(self, config: UTConfig) -> None:
        super().__init__()
        self.config = config
        side = Transformer if config.architecture == "transformer" else UniversalTransformer
        self.encoder: DepthModel = side(config)
        self.decoder: DepthModel = side(config, "decoder")
        if config.tied:
            # One table under one name: the decoder looks at it without owning it.
            object.__setattr__(self.decoder, "embed", self.encoder.embed)

    # ---- the two sides ------------------------------------------------------------------------------------

    def start_encoder(
        self, ids: Tensor, max_steps: Steps, offset: int | Tensor | None
    ) -> tuple[Loop, Setting]:
        """The encoder before its first step."""
        embedded, real = self.encoder.embed_input(ids)
        return self.encoder.start(embedded, real, caps_of(self.config, real, max_steps), offset)

    def start_decoder(
        self, target: Tensor, source: Loop, steps: Steps, offset: int | Tensor | None
    ) -> tuple[Loop, Setting]:
        """The decoder before its first step: position i is given symbol i - 1, the first a zero vector.

        source: the encoder's last variables.  A position is real when its own symbol is no padding.
        """
        embedded, real = self.decoder.embed_input(target)
        shifted = F.pad(embedded, (0, 0, 1, 0))[:, :-1]
        read = (self.encoder.normalise(source.output), source.real)
        caps = caps_of(self.config, source.real, steps)
        return self.decoder.start(shifted, real, caps, offset, read)

    # ---- the ways to run -----------------------------------------------------------------------------------

    def forward(
        self,
        ids: Tensor,
        target: Tensor,
        max_steps: Steps = None,
        decoder_steps: Steps = None,
        offset: int | Tensor | None = None,
    ) -> PairOutput:
        """Teacher forcing: logits at target position i say what follows the target's first i symbols.

        ids [batch, position(, word)], target [batch, position], 0 = padding in both.  max_steps: the cap of
        both sides; decoder_steps: another one for the decoder.  offset: of both sides' positions.
        """
        source = self.encoder.run(*self.start_encoder(ids, max_steps, offset))
        last = self.decode(target, source, max_steps if decoder_steps is None else decoder_steps, offset)
        logits = self.decoder.read(last.output)
        return PairOutput(logits, side_output(self.config, source), side_output(self.config, last))

    def decode(
        self, target: Tensor, source: Loop, steps: Steps = None, offset: int | Tensor | None = None
    ) -> Loop:
        """The decoder's last variables over a whole target."""
        return self.decoder.run(*self.start_decoder(target, source, steps, offset))

    def generate(
        self,
        ids: Tensor | np.ndarray,
        most: int | None = None,
        max_steps: Steps = None,
        decoder_steps: Steps = None,
        offset: int | Tensor = 0,
    ) -> Tensor:
        """Greedy answers [batch, position]: the likeliest symbol, read again for the next; 0 after end_id.

        most: symbols at most, by default one more than the source has positions.  Padding is never chosen.
        Runs in evaluation mode without gradients.
        Every symbol runs the whole prefix anew: under ACT a later position may run longer, and then needs its
        left neighbours' states at steps beyond their own halting, which a cache of final states lacks.
        """
        steps = max_steps if decoder_steps is None else decoder_steps
        ids = torch.as_tensor(ids, device=self.encoder.embed.weight.device)
        self.eval()
        with torch.no_grad():
            source = self.encoder.run(*self.start_encoder(ids, max_steps, offset))
            return self.generate_from(source, ids.shape[1] + 1 if most is None else most, steps, offset)

    def generate_from(self, source: Loop, most: int, steps: Steps, offset: int | Tensor) -> Tensor:
        """The same for an encoder that has run."""
        target = torch.zeros((len(source.real), 0), dtype=torch.long, device=source.real.device)
        ended = torch.zeros(len(target), dtype=torch.bool, device=target.device)
        for _ in range(most):
            draft = F.pad(target, (0, 1), value=1)  # the last symbol is only asked for, never read
            logits = self.decoder.read(self.decode(draft, source, steps, offset).output)[:, -1]
            choice = logits[:, 1:].argmax(dim=-1) + 1
            choice = choice.masked_fill(ended, 0)
            target = torch.cat((target, choice[:, None]), dim=1)
            ended = ended | (choice == self.config.end_id)
            if bool(ended.all()):
                break
        return target

    def steps(
        self,
        ids: Tensor | np.ndarray,
        capture: Capture | None = None,
        max_steps: Steps = None,
        offset: int | Tensor = 0,
        target: Tensor | np.ndarray | None = None,
        decoder_steps: Steps = None,
    ) -> Iterator[StepRecord]:
        """The encoder's records, then the decoder's, each one step per `next()`.

        target [batch, position]: what the decoder is given; None: its own greedy answer, found first.  The
        decoder's records are of the whole target at once; by its causal mask they are the states it had when
        it wrote symbol after symbol.
        """
        capture = capture or Capture()
        steps = max_steps if decoder_steps is None else decoder_steps
        device = self.encoder.embed.weight.device
        ids = torch.as_tensor(ids, device=device)
        self.eval()
        with torch.inference_mode():
            begun = self.start_encoder(ids, max_steps, offset)
        source = yield from self.encoder.trace(*begun, capture)
        with torch.inference_mode():
            if target is None:
                target = self.generate_from(source, ids.shape[1] + 1, steps, offset)
            begun = self.start_decoder(torch.as_tensor(target, device=device), source, steps, offset)
        yield from self.decoder.trace(*begun, capture)


def side_output(config: UTConfig, loop: Loop) -> SideOutput:
    cost = ponder_cost(config, loop)
    return SideOutput(
        loop.n_updates, loop.remainders, loop.halting_probability, cost, loop.step, loop.real
    )  # fmt: skip

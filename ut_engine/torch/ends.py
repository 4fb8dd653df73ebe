"""What stands before and behind every model: the embedding of the input, and the read-out."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ut_engine.spec import UTConfig
from ut_engine.torch.transition import SeparableTransition


class Ends(nn.Module):
    """Embedding and read-out of an encoder-only model, or of one side of an encoder-decoder.

    An encoder-decoder reads its answers out of the decoder alone; `tied` saves the read-out's own table.
    """

    def __init__(self, config: UTConfig, side: str = "encoder") -> None:
        super().__init__()
        self.config = config
        self.side = side
        self.causal = config.causal or side == "decoder"
        self.reads_out = side == "decoder" or not config.decoder
        self.words = config.words if side == "encoder" else 0
        if side == "encoder":
            self.embed = nn.Embedding(config.vocab, config.d_model, padding_idx=0)
        elif not config.tied:
            self.embed = nn.Embedding(config.answers, config.d_model, padding_idx=0)
        if self.words:
            self.word_mask = nn.Parameter(torch.ones(config.words, config.d_model))
        self.add_parts()
        if config.has_final_norm:
            self.norm_final = nn.LayerNorm(config.d_model, eps=1e-6)
        if self.reads_out and not config.tied:
            self.readout = nn.Linear(config.d_model, config.answers)
        self.reset_parameters()

    def add_parts(self) -> None:
        """What stands between the ends; a seed gives the same weights as long as the order of parts stays."""
        raise NotImplementedError

    def reset_parameters(self) -> None:
        """T2T's initialisation: uniform of variance 2 / (fan_in + fan_out), biases 0, embeddings d^-1/2."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            if isinstance(module, SeparableTransition):
                module.reset_kernels()
        if "embed" in self._modules:
            nn.init.normal_(self.embed.weight, std=self.config.d_model**-0.5)
            with torch.no_grad():
                self.embed.weight[0].zero_()

    def embed_input(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """ids [batch, position(, word)] -> H^0 [batch, position, dim], real [batch, position].

        A sentence is the sum of its words' embeddings, each multiplied by a learned mask for its place
        (bAbI encoding of the paper); id 0 is padding and counts as a zero vector.
        """
        if ids.shape[1] < 1:
            raise ValueError("an input needs at least one position")
        # Row 0 counts as zero whatever a table holds there: cheaper on the table than on its many rows.
        table = torch.cat((torch.zeros_like(self.embed.weight[:1]), self.embed.weight[1:]))
        vectors = F.embedding(ids, table * math.sqrt(self.config.d_model))
        if not self.words:
            return vectors, ids != 0
        return (vectors * self.word_mask[: ids.shape[2]]).sum(dim=2), (ids != 0).any(dim=2)

    def read(self, output: Tensor) -> Tensor:
        """Logits [batch, position, answer] of a final (or not yet final) output."""
        output = self.normalise(output)
        if self.config.tied:
            return F.linear(output, self.embed.weight)
        logits: Tensor = self.readout(output)
        return logits

    def normalise(self, output: Tensor) -> Tensor:
        """The final LayerNorm where there is one: what a decoder or the read-out sees."""
        return self.norm_final(output) if self.config.has_final_norm else output

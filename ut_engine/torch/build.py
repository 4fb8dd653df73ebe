"""From options to the model they describe."""

from __future__ import annotations

from ut_engine.spec import UTConfig
from ut_engine.torch.model import UniversalTransformer
from ut_engine.torch.seq2seq import EncoderDecoder
from ut_engine.torch.siblings import LSTM, Transformer

Encoder = UniversalTransformer | Transformer | LSTM  # called with ids alone
Model = Encoder | EncoderDecoder


def build(config: UTConfig) -> Model:
    """A model with fresh weights (from torch's random numbers); all have `forward` and `steps`."""
    if config.decoder:
        return EncoderDecoder(config)
    if config.architecture == "lstm":
        return LSTM(config)
    return Transformer(config) if config.architecture == "transformer" else UniversalTransformer(config)

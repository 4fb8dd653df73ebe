"""The counts against torch: parameters of real modules, and half of its FLOP counter on the explicit path."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from ut_engine.cost import Switches, cost, macs
from ut_engine.design import Design, of_config, parameters
from ut_engine.records import Capture
from ut_engine.spec import UTConfig
from ut_engine.torch.build import build


def count(module: nn.Module) -> int:
    return sum(weight.numel() for weight in module.parameters())


def multiply_adds(counter: FlopCounterMode) -> int:
    flops = counter.get_total_flops()
    assert flops % 2 == 0
    return flops // 2


def block(layer: type[nn.Module], d: int, heads: int, d_ff: int, bias: bool = True) -> nn.Module:
    return layer(d, heads, d_ff, dropout=0.0, batch_first=True, bias=bias)  # type: ignore[call-arg]


@pytest.mark.parametrize(("d", "heads", "d_ff"), [(8, 2, 32), (12, 3, 20), (512, 8, 2048)])
def test_blocks_have_the_parameters_of_torchs_layers(d: int, heads: int, d_ff: int) -> None:
    both = cost(Design(d, d_ff, heads, depth=1))
    encoder = cost(Design(d, d_ff, heads, depth=1, decoder=False))
    assert encoder.block_parameters == count(block(nn.TransformerEncoderLayer, d, heads, d_ff))
    assert both.block_parameters - encoder.block_parameters == count(
        block(nn.TransformerDecoderLayer, d, heads, d_ff)
    )


@pytest.mark.parametrize("length", [1, 5, 9])
def test_blocks_have_half_the_flops_of_torchs_layers(length: int) -> None:
    """In training mode and with explicit attention: of its fused paths torch's counter sees only a part."""
    d, heads, d_ff = 16, 4, 40
    x, memory = torch.randn(1, length, d), torch.randn(1, length, d)
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as encoder:
        block(nn.TransformerEncoderLayer, d, heads, d_ff)(x)
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as decoder:
        block(nn.TransformerDecoderLayer, d, heads, d_ff)(x, memory)
    one, both = (
        macs(Design(d, d_ff, heads, depth=1, decoder=has), Switches(length=length)) for has in (False, True)
    )
    assert multiply_adds(encoder) == length * one
    assert multiply_adds(decoder) == length * (both - one)


def test_the_softmax_projection_and_a_factorised_embedding() -> None:
    design = Design(12, 20, 3, depth=1, vocab=50, d_embedding=4, decoder=False)
    table, factor = nn.Embedding(50, 4), nn.Linear(4, 12)
    assert cost(design).embedding_parameters == count(table) + count(factor)
    with FlopCounterMode(display=False) as counter:
        x = factor(table(torch.tensor([[3]])))
        (x @ factor.weight) @ table.weight.T
    outside = macs(design, Switches(softmax=True)) - macs(design)
    assert multiply_adds(counter) == outside


PLAIN = {"halting": "none", "signal": "none"}
LSTM = PLAIN | {"attention_bias": "none", "transition": "feedforward", "decoder": False}


@st.composite
def configs(draw: st.DrawFn) -> UTConfig:
    """Any model of the engine, small."""
    architecture = draw(st.sampled_from(("universal", "transformer", "lstm")))
    options = {
        "vocab": draw(st.integers(2, 40)),
        "answers": draw(st.integers(1, 9)),
        "words": draw(st.sampled_from((0, 3))),
        "d_model": draw(st.sampled_from((4, 8, 12))),
        "heads": draw(st.sampled_from((1, 2, 4))),
        "d_ff": draw(st.integers(1, 33)),
        "max_steps": draw(st.integers(1, 7)),
        "norm": draw(st.sampled_from(("post", "pre", "none"))),
        "final_norm": draw(st.sampled_from((None, True, False))),
        "signal": draw(st.sampled_from(("paper", "t2t", "learned", "none"))),
        "attention_bias": draw(st.sampled_from(("none", "alibi", "relative"))),
        "relative_clip": draw(st.integers(1, 5)),
        "halting": draw(st.sampled_from(("none", "act"))),
        "projection_bias": draw(st.booleans()),
        "transition": draw(st.sampled_from(("feedforward", "sepconv"))),
        "decoder": draw(st.booleans()),
        "tied": draw(st.booleans()),
        "readout": "every",
        "architecture": architecture,
    }
    if architecture != "universal":
        options |= {"layers": draw(st.integers(1, 4))} | (LSTM if architecture == "lstm" else PLAIN)
    if options["tied"]:
        options["answers"] = options["vocab"]
    return UTConfig(**options)


@given(configs())
@settings(max_examples=100)
def test_parameters_are_those_of_the_real_module(config: UTConfig) -> None:
    design = of_config(config)
    assert parameters(design) == count(build(config))
    assert parameters(design) == sum(cost(design).breakdown.values())


def test_the_blocks_are_those_of_the_real_module() -> None:
    config = UTConfig(vocab=5, answers=2, words=3, attention_bias="relative", signal="learned")
    model = build(config)
    parts = [model.attention, model.transition, model.norm_attention, model.norm_transition]
    assert cost(of_config(config)).block_parameters == sum(map(count, parts))
    assert cost(of_config(config)).embedding_parameters == 5 * 64 + 3 * 64


def run_counted(config: UTConfig, length: int) -> tuple[int, int]:
    """Multiply-adds of a run on the explicit path without its read-outs, and its number of records."""
    torch.manual_seed(0)
    model = build(config).eval()
    ids = np.arange(length)[None] % 8 + 1
    given_ = {"target": ids} if config.decoder else {}
    with FlopCounterMode(display=False) as counter:
        records = list(model.steps(ids, Capture(readout=False), **given_))
    return multiply_adds(counter), len(records)


@given(
    st.sampled_from(("universal", "transformer")), st.integers(1, 6), st.integers(1, 7), st.booleans(),
    st.booleans(), st.sampled_from(("feedforward", "sepconv")),
)  # fmt: skip
@settings(max_examples=40)
def test_multiply_adds_are_half_the_flops_of_the_real_module(
    architecture: str, depth: int, length: int, act: bool, decoder: bool, transition: str
) -> None:
    """The encoder-decoder computes its cross-attention keys and values once, as a shared layer can."""
    universal = architecture == "universal"
    config = UTConfig(
        vocab=9, answers=9, d_model=8, heads=2, d_ff=20, max_steps=depth, halting_bias=-20.0,
        halting="act" if act and universal else "none", decoder=decoder, readout="every",
        transition=transition, architecture=architecture, layers=1 if universal else depth,
    )  # fmt: skip
    counted, records = run_counted(config, length)
    assert records == depth * (2 if decoder else 1)  # with that bias nothing halts
    assert counted == length * macs(of_config(config), Switches(hoisted=True, length=length))


@pytest.mark.parametrize("layers", [1, 3])
def test_an_lstm_does_the_same_work_at_every_position(layers: int) -> None:
    config = UTConfig(
        vocab=9, answers=3, d_model=8, heads=1, layers=layers, architecture="lstm", **PLAIN
    )  # fmt: skip
    model = build(config)
    products = [weight for name, weight in model.lstm.named_parameters() if name.startswith("weight")]
    assert macs(of_config(config)) == sum(weight.numel() for weight in products)


def test_the_parameters_do_not_depend_on_the_steps() -> None:
    counts = {parameters(of_config(UTConfig(vocab=9, answers=3, max_steps=steps))) for steps in (1, 8, 500)}
    assert len(counts) == 1
    assert macs(of_config(UTConfig(vocab=9, answers=3), 16)) == 2 * macs(
        of_config(UTConfig(vocab=9, answers=3), 8)
    )

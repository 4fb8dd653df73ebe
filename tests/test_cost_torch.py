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

from ut_engine.cost import Design, Switches, cost, macs, of_config, parameters
from ut_engine.records import Capture
from ut_engine.spec import UTConfig
from ut_engine.torch.model import UniversalTransformer


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


encoders = st.fixed_dictionaries(
    {
        "vocab": st.integers(2, 40),
        "answers": st.integers(1, 9),
        "words": st.sampled_from((0, 3)),
        "d_model": st.sampled_from((4, 8, 12)),
        "heads": st.sampled_from((1, 2, 4)),
        "d_ff": st.integers(1, 33),
        "max_steps": st.integers(1, 7),
        "norm": st.sampled_from(("post", "pre")),
        "final_norm": st.sampled_from((None, True, False)),
        "signal": st.sampled_from(("paper", "t2t", "learned", "none")),
        "attention_bias": st.sampled_from(("none", "alibi", "relative")),
        "relative_clip": st.integers(1, 5),
        "halting": st.sampled_from(("none", "act")),
        "projection_bias": st.booleans(),
    }
)


@given(encoders)
@settings(max_examples=60)
def test_parameters_are_those_of_the_real_module(options: dict[str, object]) -> None:
    config = UTConfig(**options)  # type: ignore[arg-type]
    model = UniversalTransformer(config)
    assert parameters(of_config(config)) == count(model)
    shared = [model.attention, model.transition, model.norm_attention, model.norm_transition]
    assert cost(of_config(config)).block_parameters == sum(map(count, shared))


@given(st.integers(1, 6), st.integers(1, 7), st.booleans(), st.booleans())
@settings(max_examples=15)
def test_multiply_adds_are_half_the_flops_of_the_real_module(
    steps: int, length: int, act: bool, bias: bool
) -> None:
    config = UTConfig(
        vocab=9, answers=3, d_model=8, heads=2, d_ff=20, max_steps=steps, projection_bias=bias,
        halting="act" if act else "none", halting_bias=-20.0,
    )  # fmt: skip
    torch.manual_seed(0)
    model = UniversalTransformer(config).eval()
    ids = np.arange(length)[None] % 8 + 1
    with FlopCounterMode(display=False) as counter:
        records = list(model.steps(ids, Capture(readout=False)))
    assert len(records) == steps  # with that bias nothing halts
    assert multiply_adds(counter) == length * macs(of_config(config), Switches(length=length))


def test_the_parameters_do_not_depend_on_the_steps() -> None:
    counts = {parameters(of_config(UTConfig(vocab=9, answers=3, max_steps=steps))) for steps in (1, 8, 500)}
    assert len(counts) == 1

"""The check of a count: the real module on torch's meta device says what the formula says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from app.panes._cost_state import args_of
from ut_engine.cost import Switches, macs
from ut_engine.design import Design, parameters
from ut_engine.errors import UserError
from ut_engine.presets import PRESETS
from ut_engine.records import Capture
from ut_engine.torch.build import build
from ut_engine.torch.measures import Cancelled, silent
from ut_engine.torch.measures.cost import config_of, measure


def agrees(design: Design, length: int) -> None:
    found = measure({**args_of(design), "length": length}, silent)
    assert found["parameters"] == parameters(design)
    assert found["multiply_adds"] == length * macs(design, Switches(hoisted=True, length=length))


@pytest.mark.parametrize("name", ["transformer-base", "ut-small", "ut-base", "transformer-big"])
def test_the_models_of_the_story_at_their_real_size(name: str) -> None:
    agrees(PRESETS[name].design, 4)


@given(
    st.integers(1, 6), st.integers(1, 5), st.integers(1, 90), st.integers(1, 5), st.integers(2, 60),
    st.booleans(), st.booleans(), st.booleans(), st.integers(1, 7),
)  # fmt: skip
@settings(max_examples=25)
def test_any_design_of_the_calculator(
    width: int,
    heads: int,
    d_ff: int,
    depth: int,
    vocab: int,
    shared: bool,
    decoder: bool,
    bias: bool,
    length: int,
) -> None:
    agrees(
        Design(width * heads, d_ff, heads, depth, shared, vocab, decoder=decoder, attention_bias=bias), length
    )


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("decoder", [True, False])
def test_shapes_without_numbers_count_like_a_run_with_numbers(shared: bool, decoder: bool) -> None:
    args = args_of(Design(16, 24, 2, 3, shared, 11, decoder=decoder)) | {"length": 5}
    ids = np.arange(1, 6)[None]
    target = {"target": ids} if decoder else {}
    with FlopCounterMode(display=False) as counter:
        records = list(build(config_of(args)).steps(ids, Capture(readout=False), **target))
    assert len(records) == 3 * (1 + decoder)
    assert measure(args, silent)["multiply_adds"] == counter.get_total_flops() // 2


def test_the_largest_takes_no_memory() -> None:
    with torch.device("meta"):
        model = build(config_of(args_of(PRESETS["transformer-big"].design)))
    assert {weight.device.type for weight in model.parameters()} == {"meta"}


def test_progress_is_told_and_can_end_it() -> None:
    told: list[tuple[int, int]] = []
    measure(args_of(Design(8, 8, 2, 3)), lambda done, total: told.append((done, total)))
    assert told == [(k, 6) for k in range(1, 7)]

    def stop(done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        measure(args_of(Design(8, 8, 2, 3)), stop)


@pytest.mark.parametrize("change", [{"heads": 3}, {"depth": 0}, {"vocab": 1}])
def test_a_design_that_cannot_be_is_told(change: Mapping[str, Any]) -> None:
    with pytest.raises(UserError):
        measure({**args_of(Design(8, 8, 2, 3)), **change}, silent)

"""The live debugger's promise: the nine lines, walked over what a model computed, give its own numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from app.panes import _act_live as live
from app.panes import _act_state as st
from tests.panes import made
from ut_engine import debug
from ut_engine.spec import UTConfig
from ut_engine.torch.model import UniversalTransformer

WAYS = list(itertools.product(("listing2", "frozen"), ("basic", "accumulated", "graves"), (-3.0, -1.0, 1.0)))


@pytest.mark.parametrize(("state", "mixing", "bias"), WAYS)
def test_the_nine_lines_are_the_models_own(state: str, mixing: str, bias: float) -> None:
    torch.manual_seed(2)
    config = UTConfig(
        vocab=11, answers=4, d_model=16, heads=4, d_ff=24, max_steps=6, norm="pre", state=state,
        mixing=mixing, halting_bias=bias,
    )  # fmt: skip
    model = UniversalTransformer(config).eval()
    torch.nn.init.normal_(model.halting_unit.weight, std=0.4)
    ids = torch.from_numpy(np.random.default_rng(3).integers(1, 11, (1, 9)))
    records = tuple(model.steps(ids))
    labels = tuple(f"w{k}" for k in range(9))
    info = made.info(9, labels=labels, max_steps=6, config=config.to_dict(), epsilon=config.epsilon)
    run = st.Live(config=config.to_dict(), info=info, records=records)
    trace = debug.walk(live.setup_of(run))
    assert trace.steps == len(records)
    assert trace.finished
    assert live.gap(trace, records) < 1e-6
    last = records[-1].halting
    assert last is not None
    assert last.n_updates is not None
    assert np.array_equal(trace.n_updates, np.asarray(last.n_updates)[0])


def test_padding_takes_no_part() -> None:
    torch.manual_seed(0)
    config = UTConfig(vocab=11, answers=4, d_model=16, heads=4, d_ff=24, max_steps=6, halting_bias=-1.0)
    model = UniversalTransformer(config).eval()
    ids = torch.from_numpy(np.array([[3, 4, 5, 6, 0, 0]]))
    records = tuple(model.steps(ids))
    info = made.info(6, labels=("a", "b", "c", "d", "", ""), max_steps=6, config=config.to_dict())
    run = st.Live(config=config.to_dict(), info=info, records=records)
    trace = debug.walk(live.setup_of(run))
    assert trace.setup.tokens == ("a", "b", "c", "d")
    assert live.gap(trace, records) < 1e-6
